"""Scenarios in; how many steps annealing takes, and how often it reaches the maximum, out: the paper's study and yours.

`scenarios` says what to simulate, `block` simulates some tables, `run` shares blocks among processes, `checkpoint`
keeps them, `rows` sums them up beside the published figures, `output` writes them, `claims` checks the paper's
sentences.
"""
