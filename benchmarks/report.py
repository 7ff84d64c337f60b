"""Write comparisons as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks.annealing import Measure
from benchmarks.extremes import Extreme, Gap
from benchmarks.fibers import Figure
from benchmarks.intake import Reading
from benchmarks.markdown import circumstances, seconds, table
from benchmarks.speed import Comparison

__all__ = [
    "annealing_section",
    "document",
    "extremes_section",
    "fibers_section",
    "inspection_section",
    "intake_section",
    "maximum_section",
    "reporting_section",
    "speed_section",
    "updated",
    "web_section",
]

BESIDE = ("numpy", "scipy", "numba", "duckdb", "pandas", "scikit-learn", "statsmodels", "POT", "PyNormaliz")


def document(sections: Sequence[str], *, quick: bool) -> str:
    """The sections under a heading that says where and with what they were made."""
    title = "# Benchmarks"
    if quick:
        title += "\n\nA quick run on small data, to see that everything runs: its figures mean nothing."
    return "\n\n".join([title, circumstances(BESIDE), *sections]) + "\n"


def updated(page: str, sections: Sequence[str]) -> str:
    """A page of earlier results with some sections replaced, new ones at the end."""
    top, *old = re.split(r"(?m)^(?=## )", page)
    by_title = {part.split("\n", 1)[0]: part.rstrip() for part in old}
    by_title |= {part.split("\n", 1)[0]: part.rstrip() for part in sections}
    return "\n\n".join([top.rstrip(), *by_title.values()]) + "\n"


def _comparisons(rows: Sequence[Comparison]) -> str:
    header = ["case", "ours", "floor or peer", "theirs", "ratio", "target", "met"]
    cells = [
        [
            row.case,
            seconds(row.ours),
            row.peer or "",
            seconds(row.theirs),
            "" if row.ratio is None else f"{row.ratio:.2f}",
            "" if row.target is None else f">= {row.target:.3g}",
            "" if row.met is None else "yes" if row.met else "no",
        ]
        for row in rows
    ]
    return table(header, cells)


def speed_section(rows: Sequence[Comparison]) -> str:
    """The table of comparisons."""
    text = (
        "Median time per call; the two sides take turns on the same data, five categories, and give the same kappa. "
        "The ratio is theirs / ours. Our time includes the standard error and the interval, which scikit-learn and "
        "the floor (counting the cells, without which there is no kappa) do not compute."
    )
    return f"## Speed\n\n{text}\n\n{_comparisons(rows)}"


def maximum_section(rows: Sequence[Comparison]) -> str:
    """The table of maxima beside general solvers."""
    text = (
        "The largest kappa of given margins. Ours is exact and proven except where the row says that it is the table "
        "alone; the solvers beside it work in doubles. After compiling."
    )
    return f"## The maximum\n\n{text}\n\n{_comparisons(rows)}"


def extremes_section(rows: Sequence[Extreme], gaps: Sequence[Gap]) -> str:
    """The tables of large designs over kinds of margins, and of designs with many sets of raters."""
    header = ["design", "median", "slowest", "margins of the slowest", "proven", "target", "met", "search", "memory"]
    cells = [
        [
            row.case,
            seconds(row.median),
            seconds(row.slowest),
            row.slowest_kind,
            f"{row.proven} of {row.n_runs}",
            "" if row.target is None else f"< {row.target:g} s",
            "" if row.target is None else "yes" if row.slowest < row.target and row.proven == row.n_runs else "no",
            f"{seconds(row.search)}, {row.search_proven} proven",
            f"{row.peak_mb:.0f} MB",
        ]
        for row in rows
    ]
    text = (
        "The largest and the smallest kappa of 1,000 subjects, for five kinds of margins (uniform, nearly uniform, "
        "moderately different, very different, one rater apart) and five seeds each, after compiling. The search is "
        "the slowest run of the depth-first search that was the only method before, on the first seed of every kind, "
        "for up to 3 seconds each. Memory is the peak of the whole run so far."
    )
    sets = (
        "Designs in which every subject has its own few raters, five categories, five seeds (two for the largest). The "
        "gap is the bound minus the value found, in kappa."
    )
    columns = ["design", "median", "slowest", "limit", "largest gap", "proven", "target", "met"]
    lines = [
        [
            row.case,
            seconds(row.median),
            seconds(row.slowest),
            f"{row.limit:g} s",
            f"{100 * row.largest_gap:.4f} %",
            f"{row.proven} of {row.n_runs}",
            row.target,
            "yes" if row.met else "no",
        ]
        for row in gaps
    ]
    return f"## Large designs\n\n{text}\n\n{table(header, cells)}\n\n{sets}\n\n{table(columns, lines)}"


def fibers_section(rows: Sequence[Comparison], figures: Sequence[Figure]) -> str:
    """The tables of fibers: beside other programs, and what takes how long alone."""
    header = ["question", "measured", "target", "met", "memory stated"]
    cells = [[row.case, row.measured, row.target, "yes" if row.met else "no", row.memory] for row in figures]
    text = "Counting and drawing tables with given margins; both sides give the same counts, or draw as many tables."
    alone = "Median of several calls in one process, after the first. Memory is what the method says it will need."
    return f"## Fibers\n\n{text}\n\n{_comparisons(rows)}\n\n{alone}\n\n{table(header, cells)}"


def intake_section(rows: Sequence[Reading]) -> str:
    """The table of large files."""
    header = ["file", "reader", "time", "peak memory", "target", "met"]
    cells = [
        [
            row.case,
            row.reader,
            seconds(row.seconds),
            f"{row.peak_mb:.0f} MB",
            ", ".join(
                [
                    *([] if row.target_seconds is None else [f"<= {seconds(row.target_seconds)}"]),
                    *([] if row.target_mb is None else [f"<= {row.target_mb:g} MB"]),
                ]
            ),
            "" if row.met is None else "yes" if row.met else "no",
        ]
        for row in rows
    ]
    text = (
        "From a file to the table of patterns. Each reading is a process of its own: median time after imports, "
        "largest peak of memory of the whole process; all give the same counts. The bare DuckDB query has DuckDB's "
        "default limit of memory. The target for wide Parquet files and for long files is 1.5 times the time of the "
        "bare query, for long files with no more memory."
    )
    return f"## Large files\n\n{text}\n\n{table(header, cells)}"


def inspection_section(rows: Sequence[Comparison]) -> str:
    """The table of inspections of very large files."""
    text = (
        "`kappamax inspect` looks at the first 20,000 rows of a very large file, guesses its layout and the roles of "
        "its columns, and tries the command that it prints on these rows. The bare query fetches the same rows. Each "
        "run is a process of its own; the times are medians after imports."
    )
    return f"## Inspection\n\n{text}\n\n{_comparisons(rows)}"


def reporting_section(rows: Sequence[Figure]) -> str:
    """The table of whole reports."""
    cells = [[row.case, row.measured, row.target, "yes" if row.met else "no"] for row in rows]
    text = "`kappamax report` from a cold start to the HTML file; median of five runs."
    return f"## Reports\n\n{text}\n\n{table(['ratings', 'measured', 'target', 'met'], cells)}"


def web_section(rows: Sequence[Figure]) -> str:
    """The table of how soon the page answers."""
    cells = [[row.case, row.measured, row.target, _met(row)] for row in rows]
    text = (
        "How soon `kappamax serve` answers clients that each post a new table of two raters, wait for the answer and "
        "post another, while one more client keeps the largest job running. They ask for the numbers; where it says "
        "all of the page, for the test against chance and the pictures too, by two more requests. Server and clients "
        "share the machine."
    )
    return f"## The page under load\n\n{text}\n\n{table(['what', 'measured', 'target', 'met'], cells)}"


def annealing_section(rows: Sequence[Measure]) -> str:
    """The table of steps and times of annealing."""
    header = ["case", "measured", "target", "met"]
    cells = [
        [
            row.case,
            f"{row.value:,.3g} {row.unit}" if row.value < 1000 else f"{row.value:,.0f} {row.unit}",
            "" if row.target is None else f"{'<=' if row.at_most else '>='} {row.target:g}",
            "" if row.met is None else "yes" if row.met else "no",
        ]
        for row in rows
    ]
    text = (
        "Simulated annealing by the paper's moves and by swaps between two subjects, from uniform random tables, after "
        "compiling. Steps and times to the maximum are medians over seven seeds. The time of a seed is the fastest of "
        "all runs within 0.3 s, for both proposals, and includes preparing the list of moves or the swaps."
    )
    return f"## Annealing\n\n{text}\n\n{table(header, cells)}"


def _met(row: Figure) -> str:
    """Nothing where there is no target."""
    return "" if not row.target else "yes" if row.met else "no"
