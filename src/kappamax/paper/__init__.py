"""Recompute the examples, statements, figures, tables and claims of the source paper.

F. Rapallo, "Analysis of the weighted kappa and its maximum with Markov moves", Psychometrika 2022. The numbers of its
sections, equations, statements, figures and tables are those of the paper.
"""
