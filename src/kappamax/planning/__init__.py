"""An assumed table in, the number of subjects a study needs out.

`assumption` makes the table from margins and a value, `goals` says what is to be reached, `formula` finds the number
from the table's standard error, `simulation` and `search` from simulated studies; `size` is the public side and
`words` says it in sentences.
"""
