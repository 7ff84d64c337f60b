"""Report everything about the agreement of some ratings in words, tables and pictures.

`report` gathers the numbers, `sentences` and `methods_paragraph` put them into words, `figures_svg` draws them and
`formats` writes them; `group_report` reports many files or groups as one table. `figures_matplotlib` draws single
results for papers.
"""
