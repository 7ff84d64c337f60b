"""Write reports as HTML, plain text and JSON; `rows` arranges the numbers for these and for CSV, Markdown and LaTeX."""
