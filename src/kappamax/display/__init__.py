"""Numbers and plain arrays in, text and HTML out; rounding happens here and nowhere else.

Knows no results: results hand over rows, labels and arrays, so that terminal, notebook, report and page agree.
"""
