"""Turn numbers and plain arrays into text, tables, HTML and pictures.

Rounding happens here and nowhere else. The modules know no result classes: results hand over rows, labels and arrays,
so that the terminal, notebooks, reports and the local page show the same.
"""
