"""Simulate how many steps annealing takes, and how often it attains the maximum: the paper's study and your own.

`scenarios` says what to simulate, `batch` simulates some tables and `maximum_bounds` decides which of them attain the
maximum; `run` shares the batches among processes, `checkpoint` keeps them and `rows` sums them up beside the published
figures. `claims` and `comparison` compare a study with the paper.
"""
