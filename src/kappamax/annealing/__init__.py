"""An observed table in; a table of large agreement with the same margins, found by simulated annealing, out.

`search` is the public side. `schedules` holds temperatures and stopping rules, `move_walk` the paper's proposal (a move
drawn from a Markov basis), `sweep` its last step; the other proposal, swaps between two subjects, is `fibers.swaps`.
"""
