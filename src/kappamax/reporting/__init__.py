"""Report the agreement between raters in words, tables and figures.

`report` gathers the numbers, `sentences` and `methods_paragraph` describe them in words, `figures_svg` draws them and
`formats` writes the report in several formats. `group_report` reports several groups of ratings as one table.
"""
