"""Count, list, sample and walk through all tables with given margins, and test agreement against chance.

`counting` counts tables without listing them, and `enumeration` lists them lazily. Both accept the set of patterns that
may occur, so that parts of a fiber, such as the tables of maximum agreement, are counted and listed by the same code.
`table_scores` counts tables by score. `subject_scores` computes the probabilities of the scores without counting, by
the recursion of `subject_recursion`. If ratings are missing, `rearrangements` and `rearrangement_scores` count
rearrangements of the ratings instead.
`sampling` draws tables, `swap_walk` and `walk` move from one table to the next, and `connectivity` determines whether
moves connect all tables with the same score. `null_distribution` computes the null distribution of a coefficient, which
`distribution` represents, `outcomes` compares its outcomes, and `exact_test` computes p-values from it.
`importance_sampling` estimates small p-values if the exact distribution is out of reach.

`moves` and `markov_basis` define the moves that lead from one table of a fiber to another, `move_effects` explains how
a move changes agreement, and `move_ranking` ranks the moves that apply to a table. `fiber` is the public interface, and
`limits` refuses computations that are too large.
"""
