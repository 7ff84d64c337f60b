"""Rows of a study in; a frame, CSV, LaTeX or a figure out."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kappamax._atomic_write import write_whole
from kappamax._checks import study as checks
from kappamax._validate import import_pyplot
from kappamax.display import numbers
from kappamax.display.tables import csv_table
from kappamax.paper.study.rows import COLUMNS, StudyRow

if TYPE_CHECKING:
    from kappamax.paper.study.run import Study

__all__ = ["ENDINGS", "NOT_DETERMINED", "csv_text", "figure", "frame", "latex", "save", "summary"]

Rows = Sequence[StudyRow]

ENDINGS = (".csv", ".tex", ".json", ".png", ".svg", ".pdf")
NOT_DETERMINED = "not determined by the paper"


def frame(rows: Rows) -> Any:
    """One row per scenario."""
    return checks.frames()({name: [getattr(row, name) for row in rows] for name in COLUMNS})


def csv_text(rows: Rows) -> str:
    """One line per scenario, with a header."""
    return csv_table(COLUMNS, [[getattr(row, name) for name in COLUMNS] for row in rows])


def latex(rows: Rows) -> str:
    """A table in the manner of the paper's."""
    header = r"$r$ & margins & weights & $k$ & $N$ & mean & sd & $q_{0.99}$ & published mean & $z$ & below maximum \\"
    lines = [r"\begin{tabular}{cclcc|rrr|rr|r}", header, r"\hline"]
    for row in rows:
        published = "" if row.published_mean is None else f"{row.published_mean:,.1f}"
        z = "" if row.z is None else "n.d." if not row.determined else f"{row.z:.1f}"
        margins = "homogeneous" if row.homogeneous else "non-homogeneous"
        design = f"{row.n_raters} & {margins} & {row.weights} & {row.n_categories} & {row.n_subjects}"
        times = f"{row.mean:,.1f} & {row.sd:,.1f} & {row.q99:,.0f}"
        lines.append(rf"{design} & {times} & {published} & {z} & {100 * row.below_maximum:.1f}\% \\")
    return "\n".join([*lines, r"\end{tabular}", ""])


def figure(rows: Rows, ax: Any = None) -> Any:
    """Differences from the published means in percent, where there are any; mean stopping times otherwise."""
    plt = import_pyplot()
    ax = plt.figure(figsize=(9, 4)).add_subplot() if ax is None else ax
    beside = [row for row in rows if row.published_mean and row.z]
    for determined, colour in ((True, "tab:blue"), (False, "tab:gray")):
        places = [place for place, row in enumerate(beside) if row.determined == determined]
        if not places:
            continue
        differences = [beside[place].difference_percent or 0.0 for place in places]
        errors = [2 * abs((beside[place].difference_percent or 0.0) / (beside[place].z or 1.0)) for place in places]
        label = "reproduced" if determined else NOT_DETERMINED
        ax.errorbar(places, differences, errors, fmt="o", markersize=3, color=colour, label=label)
    if beside:
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set(xlabel="row", ylabel="difference from the published mean, %")
        ax.legend()
    else:
        ax.errorbar(range(len(rows)), [row.mean for row in rows], [2 * row.se for row in rows], fmt="o", markersize=3)
        ax.set(xlabel="row", ylabel="mean stopping time")
    return ax


def save(study: Study, path: Path) -> None:
    """Write by the file's ending; text is written beside the file and moved into place."""
    writers: dict[str, Callable[[], str]] = {
        ".csv": study.to_csv,
        ".tex": study.to_latex,
        ".json": lambda: json.dumps(study.to_dict(), indent=2, allow_nan=False) + "\n",
    }
    ending = checks.output_format(path, ENDINGS)
    if ending in writers:
        write_whole(path, writers[ending]())
        return
    axes = study.plot()
    axes.figure.savefig(path, bbox_inches="tight")


def summary(rows: Rows) -> list[tuple[str, str]]:
    """How the rows compare with the published ones, in a few lines."""
    beside = [row for row in rows if row.determined and row.z is not None and row.difference_percent is not None]
    lines = []
    if beside:
        within = sum(abs(row.z or 0.0) <= 3 for row in beside)
        largest = max(abs(row.difference_percent or 0.0) for row in beside)
        lines.append(("means within 3 standard errors", f"{within} of {len(beside)}"))
        lines.append(("largest difference", f"{largest:.2f}%"))
    if left := sum(not row.determined for row in rows):
        lines.append((NOT_DETERMINED, f"{left} rows"))
    worst = max(rows, key=lambda row: row.below_maximum)
    return [*lines, ("most often below the maximum", numbers.percent(worst.below_maximum))]
