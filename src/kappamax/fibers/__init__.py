"""Margins in; all tables with those margins, counted, listed, drawn and walked through, out.

`ways` counts without listing, also by score (`scores`, `distribution`); `enumerate` lists lazily. Both take the
patterns that may occur, so that parts of a fiber, such as the tables of maximum agreement, are counted and listed by
the same code. `sample` draws tables, `swaps` and `walk` go from one to the next, `levels` says whether a walk reaches
all tables with one score, `testing` asks how likely the observed agreement is.

`moves` and `bases` hold the moves that lead from one table of a fiber to another, `explanation` says why they change
agreement, `explorer` which of them apply to a table. `overview` is the fiber as users see it.
"""
