"""Draw the SVG pictures of a report, which the HTML report and the local page share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax._typing import Integers
from kappamax.display import numbers, svg, text

if TYPE_CHECKING:
    from kappamax.reporting.report import Report, WeightingReport

MARGINS_TITLE = "How often each rater used each category"
_MOST_BARS = 8


def pictures_of(report: Report) -> dict[str, Any]:
    """Return every picture of a report by name; None where a picture has nothing to show."""
    return {
        "margins": margins_picture(report),
        "pairs": pairs_picture(report),
        "by_weights": {result.weights: _pictures_of_weighting(report, result) for result in report.results},
    }


def margins_picture(report: Report) -> str | None:
    """Draw how often each rater used each category; None for many raters."""
    table = report.table
    if table.n_raters > _MOST_BARS:
        return None
    names = [text.rater(name) for name in table.raters]
    return svg.paired_bars(table.categories, names, table.margins, title=MARGINS_TITLE)


def pairs_picture(report: Report) -> str | None:
    """Draw kappa of every two raters; None for two raters and for many."""
    if report.pairs is None or len(report.pairs.raters) > 2 * _MOST_BARS:
        return None
    values = report.pairs.values.copy()
    np.fill_diagonal(values, np.nan)
    return svg.heat_map(values, report.pairs.raters, report.pairs.raters, title=pairs_title(report), largest=1.0)


def pairs_title(report: Report) -> str:
    """Return the title of the picture of all pairs of raters."""
    assert report.pairs is not None
    return f"Kappa of every two raters, {report.pairs.weights} weights"


def crossed(result: WeightingReport) -> list[tuple[str, str, Integers]]:
    """Return title, picture and counts of two raters' observed table and of the one with the largest agreement."""
    assert result.maximum is not None
    table = result.maximum.objective.table
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
    """Draw the distribution of the coefficient by chance, with the observed and the extreme values marked."""
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
    """Return the title of the picture of the distribution by chance."""
    return f"{report.coefficient}, {result.weights}, by chance with these margins"


def _pictures_of_weighting(report: Report, result: WeightingReport) -> dict[str, str | None]:
    """Draw what belongs to one weighting."""
    observed = maximum = None
    if result.maximum is not None and report.table.n_raters == 2 and report.table.complete:
        (_, observed, _), (_, maximum, _) = crossed(result)
    return {
        "observed": observed,
        "maximum": maximum,
        "null": None if result.null is None else null_picture(report, result),
    }
