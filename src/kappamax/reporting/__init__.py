"""Ratings in; everything worth saying about their agreement, in words, tables and pictures, out.

`analysis` gathers the numbers, `sentences` puts them into words, `terminal`, `document` and `papers` lay them out as
text, HTML and tables for papers; `schema` is their JSON. `groups` does it for many files or groups, `plots` draws with
matplotlib.
"""
