"""Write reports as HTML, plain text and JSON.

`rows` arranges the numbers of a report in rows for these formats and for CSV, Markdown and LaTeX.
"""
