"""Count, list, draw and walk through all tables with given margins, and test agreement against chance.

`counting` counts without listing, also by score (`table_scores`; with missing ratings `rearrangements` and
`rearrangement_scores`); `enumeration` lists lazily. Both take the patterns that may occur, so that parts of a fiber,
such as the tables of maximum agreement, are counted and listed by the same code. `sampling` draws tables, `swap_walk`
and `walk` go from one to the next, `connectivity` says whether a walk reaches all tables with one score.
`null_distribution` finds how a coefficient is distributed by chance (`distribution`), and `exact_test` how likely the
observed agreement is.

`moves` and `markov_basis` hold the moves that lead from one table of a fiber to another, `move_effects` says why they
change agreement and `move_ranking` which of them apply to a table. `fiber` is the fiber as users see it.
"""
