"""Draw the SVG figures of a report, which the HTML report and the local page show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax._typing import Integers
from kappamax.display import numbers, svg, text
from kappamax.reporting.sentences import weighting_name

if TYPE_CHECKING:
    from kappamax.reporting.report_results import Report, WeightingReport

MARGINS_TITLE = "How often each rater used each category"
_MOST_BARS = 8


def pictures_of(report: Report) -> dict[str, Any]:
    """Return the figures of a report by name; a figure that does not apply to the data is None."""
    return {
        "margins": margins_picture(report),
        "pairs": pairs_picture(report),
        "by_weights": {result.weights: _pictures_of_weighting(report, result) for result in report.results},
    }


def margins_picture(report: Report) -> str | None:
    """Draw the marginal totals of the raters as bars, or return None if there are too many raters."""
    table = report.table
    if table.n_raters > _MOST_BARS:
        return None
    names = [text.rater(name) for name in table.raters]
    return svg.paired_bars(table.categories, names, table.margins, title=MARGINS_TITLE)


def pairs_picture(report: Report) -> str | None:
    """Draw the kappa of each pair of raters as a heat map, or return None for two raters or too many."""
    if report.pairs is None or len(report.pairs.raters) > 2 * _MOST_BARS:
        return None
    values = report.pairs.values.copy()
    np.fill_diagonal(values, np.nan)
    return svg.heat_map(values, report.pairs.raters, report.pairs.raters, title=pairs_title(report), largest=1.0)


def pairs_title(report: Report) -> str:
    """Return the title of the figure and table of all pairs of raters."""
    assert report.pairs is not None
    return f"Kappa for each pair of raters, {weighting_name(report.pairs.weights)}"


def crossed(result: WeightingReport) -> list[tuple[str, str, Integers]]:
    """Return title, figure and counts of the observed table of two raters and of a table with the largest agreement."""
    assert result.maximum is not None
    table = result.maximum.objective.table
    before, after = table.dense(), result.maximum.table.dense()
    largest = float(max(before.max(), after.max()))
    names = [text.rater(name) for name in table.raters]
    weighting = weighting_name(result.weights)
    found = []
    for counts, title, marked in (
        (before, f"Observed table, {weighting}: {numbers.decimal(result.maximum.value)}", None),
        (after, f"Largest agreement, {weighting}: {numbers.decimal(result.maximum.maximum)}", before != after),
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
    """Draw the distribution of the coefficient under chance, with the observed and the extreme values marked."""
    assert result.null is not None
    assert result.agreement is not None
    order = np.argsort(result.null.values)
    marks = [(result.agreement.value, "observed")]
    if result.maximum is not None:
        marks.append((result.maximum.maximum, "maximum"))
        if result.maximum.minimum is not None:
            marks.append((result.maximum.minimum, "minimum"))
    return svg.atoms(
        result.null.values[order],
        result.null.probabilities[order],
        title=null_title(report, result),
        marks=marks,
        axis=report.coefficient,
    )


def null_title(report: Report, result: WeightingReport) -> str:
    """Return the title of the figure of the distribution under chance."""
    return f"{report.coefficient} under chance with these margins, {weighting_name(result.weights)}"


def _pictures_of_weighting(report: Report, result: WeightingReport) -> dict[str, str | None]:
    """Return the figures of one weighting by name."""
    observed = maximum = None
    if result.maximum is not None and report.table.n_raters == 2 and report.table.complete:
        (_, observed, _), (_, maximum, _) = crossed(result)
    return {
        "observed": observed,
        "maximum": maximum,
        "null": None if result.null is None else null_picture(report, result),
    }
