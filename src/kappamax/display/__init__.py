"""Convert numbers and plain arrays to text, tables, HTML and pictures.

Numbers are rounded only in this package. Its modules do not use the result classes. They take rows, labels and arrays,
so that the terminal, notebooks, reports and the local page show the same text.
"""
