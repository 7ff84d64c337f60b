"""An assumed table in, the number of subjects a study needs out.

`assumption` makes the table from margins and a value, `formula` finds the number from its standard error,
`simulation` from simulated studies; `size` is the public side and `words` says it in sentences.
"""
