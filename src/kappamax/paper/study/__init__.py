"""Simulate how many steps annealing takes and how often it attains the maximum.

The study of the paper can be repeated, and user-defined studies can be run. `scenarios` defines what is simulated,
`batch` simulates some tables and `maximum_bounds` decides which of them attain the maximum. `run` distributes the
batches over processes, `checkpoint` stores them (as `batch_records`, in a file that `file_lock` locks) and `rows`
summarises them. `claims` and `comparison` compare a study with the paper.
"""
