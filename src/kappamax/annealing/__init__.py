"""Search for the table with the largest agreement by simulated annealing.

`anneal` is the public interface, and `search` runs one search. `schedules` defines temperatures and stopping rules.
`move_walk` implements the proposal of the paper, a move drawn from a Markov basis, and `diagonal_sweep` the last step
of its algorithm. The other proposal, swaps of ratings between two subjects, is implemented in `fibers.swap_walk`.
"""
