"""Print a table of ratings as text and as HTML.

Two raters are shown as a square table, and more raters as a list of the most frequent patterns.
"""

from __future__ import annotations

from textwrap import wrap
from typing import NamedTuple

from kappamax._typing import Codes, Integers
from kappamax.display import html, numbers, rating_tables, text
from kappamax.reading import DataSummary

_MOST_LISTED = 70  # characters for the list of categories in the first line of a printed table
_HTML_LABEL = 40


class PrintedTable(NamedTuple):
    """What is printed of a table of ratings.

    Attributes
    ----------
    data : DataSummary
        Description of the ratings.
    pair : integers, shape (k, k), or None
        Counts of the two raters of a square table; None if the patterns are listed.
    patterns : integers, shape (m, n_raters)
        Distinct patterns.
    counts : integers, shape (m,)
        Number of subjects with each pattern.
    """

    data: DataSummary
    pair: Integers | None
    patterns: Codes
    counts: Integers

    def as_text(self) -> str:
        """Return lines of at most 80 characters."""
        data, shown = self.data, None
        if self.pair is not None:
            shown = rating_tables.crossed(self.pair, data.categories, data.raters)
        lines = [text.printable(self._summary()), *(shown or self._frequent_patterns()).lines()]
        for said in data.sentences_beside_table():
            lines += wrap(text.printable(said), rating_tables.WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        return "\n".join(lines)

    def as_html(self) -> str:
        """Return the HTML that notebooks show."""
        data = self.data
        if self.pair is not None:
            labels = text.labels(data.categories, _HTML_LABEL)
            return html.heat_table(
                self.pair,
                labels,
                labels,
                caption=" ".join([self._summary(), *data.sentences_beside_table()]),
                corner=rating_tables.corner(data.raters, _HTML_LABEL),
                totals=True,
            )
        shown = self._frequent_patterns()
        return html.table(
            shown.header,
            shown.rows,
            caption=" ".join([self._summary(), *shown.notes, *data.sentences_beside_table()]),
        )

    def _frequent_patterns(self) -> rating_tables.Shown:
        return rating_tables.frequent_patterns(self.patterns, self.counts, self.data.categories, self.data.raters)

    def _summary(self) -> str:
        """Return one line with the numbers of subjects, raters and missing ratings, and the categories."""
        data = self.data
        listed = f"categories {text.listing(data.categories)}"
        if len(listed) > _MOST_LISTED:
            listed = f"{numbers.count(len(data.categories))} categories"
        if not data.ordered and len(data.categories) > 2:
            listed += " (no order)"
        missing = f"; {text.plural(data.n_missing, 'missing rating')}" if data.n_missing else ""
        return f"Table({data.subjects}, {len(data.raters)} raters, {listed}{missing})"
