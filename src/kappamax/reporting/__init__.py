"""Report the agreement between raters in words, tables and figures.

`report` computes the numbers, `report_results` holds them, `sentences` and `methods_paragraph` describe them in words,
`figures_svg` draws them and `formats` writes the report in several formats. `group_report` reports several groups of
ratings as one table.
"""
