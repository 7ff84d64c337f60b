"""Check the examples, statements, figures, tables and claims of the source paper.

The paper is F. Rapallo, "Analysis of the weighted kappa and its maximum with Markov moves", Psychometrika 2022.
Sections, equations, statements, figures and tables are numbered as in the paper.
"""
