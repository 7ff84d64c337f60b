"""A report in, its pictures as SVG out: the same ones in the HTML report and on the local page."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax.display import numbers, svg, text
from kappamax.reporting.report import Report, WeightingReport
from kappamax.table import Table

__all__ = [
    "MARGINS_TITLE",
    "crossed",
    "margins_picture",
    "null_picture",
    "null_title",
    "pairs_picture",
    "pairs_title",
    "pictures_of",
]

MARGINS_TITLE = "How often each rater used each category"
_MOST_BARS = 8


def pictures_of(report: Report) -> dict[str, Any]:
    """Every picture of a report by name; None where a picture has nothing to show."""
    return {
        "margins": margins_picture(report),
        "pairs": pairs_picture(report),
        "by_weights": {result.weights: _by_weights(report, result) for result in report.results},
    }


def margins_picture(report: Report) -> str | None:
    """How often each of a few raters used each category."""
    table = report.table
    if table.n_raters > _MOST_BARS:
        return None
    names = [text.rater(name) for name in table.raters]
    return svg.paired_bars(table.categories, names, table.margins, title=MARGINS_TITLE)


def pairs_picture(report: Report) -> str | None:
    """Kappa of every two of three or more raters."""
    if report.pairs is None or len(report.pairs.raters) > 2 * _MOST_BARS:
        return None
    values = report.pairs.values.copy()
    np.fill_diagonal(values, np.nan)
    return svg.heat_map(values, report.pairs.raters, report.pairs.raters, title=pairs_title(report), largest=1.0)


def pairs_title(report: Report) -> str:
    """What the picture of all pairs shows."""
    assert report.pairs is not None
    return f"Kappa of every two raters, {report.pairs.weights} weights"


def crossed(table: Table, result: WeightingReport) -> list[tuple[str, str, npt.NDArray[np.int64]]]:
    """Two raters' observed table and the one with the largest agreement: title, picture and counts of each."""
    assert result.maximum is not None
    before, after = table.dense(), result.maximum.table.dense()
    largest = float(max(before.max(), after.max()))
    names = [text.rater(name) for name in table.raters]
    found = []
    for counts, title, marked in (
        (before, f"Observed, {result.weights}: {numbers.decimal(result.maximum.value)}", None),
        (after, f"Largest, {result.weights}: {numbers.decimal(result.maximum.maximum)}", before != after),
    ):
        picture = svg.heat_map(
            counts,
            table.categories,
            table.categories,
            title=title,
            row_name=names[0],
            column_name=names[1],
            marked=marked,
            largest=largest,
        )
        found.append((title, picture, counts))
    return found


def null_picture(report: Report, result: WeightingReport) -> str:
    """The values that chance could give, with the observed and the extreme ones marked."""
    assert result.null is not None
    assert result.agreement is not None
    order = np.argsort(result.null.values)
    marks = [(result.agreement.value, "observed")]
    if result.maximum is not None:
        marks += [(result.maximum.maximum, "largest"), (result.maximum.minimum, "smallest")]
    return svg.atoms(
        result.null.values[order],
        result.null.probabilities[order],
        title=null_title(report, result),
        marks=marks,
        axis=report.coefficient,
    )


def null_title(report: Report, result: WeightingReport) -> str:
    """What the picture of the values by chance shows."""
    return f"{report.coefficient}, {result.weights}, by chance with these margins"


def _by_weights(report: Report, result: WeightingReport) -> dict[str, str | None]:
    observed = maximum = None
    if result.maximum is not None and report.table.n_raters == 2 and report.table.complete:
        (_, observed, _), (_, maximum, _) = crossed(report.table, result)
    return {
        "observed": observed,
        "maximum": maximum,
        "null": None if result.null is None else null_picture(report, result),
    }
