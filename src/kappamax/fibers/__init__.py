"""Margins in; all tables with those margins, counted or listed, out.

`ways` counts without listing, also by score (`scores`, `distribution`), `enumerate` lists lazily. Both take the patterns that may occur, so that parts of a
fiber, such as the tables of maximum agreement, are counted and listed by the same code.

`moves` and `bases` hold the moves that lead from one table of a fiber to another, `explanation` says why they change
agreement, `explorer` which of them apply to a table.
"""
