"""Report several groups of ratings as one table with one row per group and weighting, and compare the groups.

If a group cannot be reported, its row contains the error message, and the other groups are still reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kappamax._atomic_write import write_by_ending
from kappamax._parallel import run_tasks
from kappamax._progress import ProgressLike, as_progress
from kappamax._result import TableResult, plain
from kappamax.display import html, numbers, text
from kappamax.display.tables import csv_table, latex_table, markdown_table
from kappamax.errors import Interrupted, KappamaxError
from kappamax.group_comparisons.comparison import compare_groups
from kappamax.group_comparisons.comparison_results import GroupComparison
from kappamax.io import as_table
from kappamax.reading import DataSummary, Reading
from kappamax.reporting.formats.json import as_json, versioned
from kappamax.reporting.formats.rows import CSV_COLUMNS, columns_of, csv_row, draws_explained
from kappamax.reporting.group_scores import scores_of
from kappamax.reporting.report import listed_weightings, report

_GROUPS_SHOWN = 3
_INTERRUPTED = "incomplete: the report was interrupted before this group was finished"


def report_groups(
    groups: Iterable[tuple[str, Any]],
    *,
    trend: bool = False,
    n_jobs: int = 1,
    progress: ProgressLike = None,
    **options: Any,
) -> GroupReport:
    """Report many groups of ratings as one table, with one row per group and weighting.

    The groups are also compared as independent groups of subjects, for each weighting, as by `compare_groups`.

    Parameters
    ----------
    groups : iterable of (str, ratings)
        Name and ratings of every group; the ratings are anything that `report` accepts. If an exception of this package
        is given in place of the ratings, its message is reported in the row of the group.
    trend : bool
        Whether a linear trend over the groups is tested, default False. The scores of the groups are the numbers or
        dates that are their names, such as 2, "week 2", 2026-03-31, 2026-W07 or 2026-03; otherwise the scores are the
        positions of the groups.
    n_jobs : int
        Number of processes, default 1. The result does not depend on it.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        number of finished groups and the number of all groups.
    **options
        Options of `report`, such as `weights`, `coefficient` and `level`.

    Returns
    -------
    GroupReport
        One row per group and weighting, and a comparison of the groups for each weighting. If a group cannot be
        reported, its row contains the error message.

    Raises
    ------
    Interrupted
        If the user presses Ctrl-C. The attribute `best` is a report of all groups, in which the rows of the groups that
        are not finished contain an error message that says so; the groups are not compared.

    Examples
    --------
    >>> import kappamax as km
    >>> sites = [("A", km.example("rapallo2022")), ("B", km.example("cohen1968"))]
    >>> [(row["group"], round(row["value"], 4)) for row in km.report_groups(sites, weights="unweighted").rows]
    [('A', 0.4), ('B', 0.4915)]
    """
    progress = as_progress(progress)
    listed = list(groups)
    level = options.get("level", 0.95)
    rows: list[dict[str, Any]] = []
    tasks = ((name, ratings, options) for name, ratings in listed)
    done = 0
    try:
        for found in run_tasks(_rows_of, tasks, n_jobs):
            rows += found
            done += 1
            if progress is not None:
                progress(done, len(listed), "groups")
        return _compared(GroupReport(tuple(rows), level=level), listed, options, trend)
    except KeyboardInterrupt:
        rows += [_failed_row(name, _INTERRUPTED) for name, _ in listed[done:]]
        raise Interrupted(GroupReport(tuple(rows), level=level)) from None


#: methods of a report on groups by the endings of the files that they write
WRITERS = {".csv": "to_csv", ".json": "to_json", ".md": "to_markdown", ".tex": "to_latex", ".txt": "to_text"}


@dataclass(frozen=True, repr=False)
class GroupReport(TableResult):
    """Results with one row per group and weighting.

    Attributes
    ----------
    rows : tuple of dict
        Results by the column names of `Report.to_csv`. If a group could not be reported, its row has the error message
        as `error` and None as `value`.
    comparisons : tuple of GroupComparison
        Comparison of the groups for each weighting; empty if there are fewer than two groups, or if they cannot be
        compared.
    not_compared : str or None
        Why two or more groups cannot be compared; None if they are compared.
    trend_unit : str or None
        Unit of the scores of the groups, such as "week"; None if no trend was asked for.
    level : float
        Confidence level of the intervals.
    """

    rows: tuple[dict[str, Any], ...]
    comparisons: tuple[GroupComparison, ...] = ()
    not_compared: str | None = None
    trend_unit: str | None = None
    level: float = 0.95

    @property
    def n_failed(self) -> int:
        """Number of groups for which some value is missing."""
        return len({row["group"] for row in self.rows if row["value"] is None})

    def to_dict(self) -> dict[str, Any]:
        """Return the rows and the comparisons as plain data."""
        compared = {"comparisons": plain(self.comparisons), "not_compared": self.not_compared}
        return versioned({"results": [plain(row) for row in self.rows], **compared, "trend_unit": self.trend_unit})

    def to_json(self) -> str:
        """Return the rows as a JSON document."""
        return as_json(self.to_dict())

    def _columns(self) -> dict[str, Iterable[Any]]:
        return dict(columns_of(self.rows))

    def to_csv(self) -> str:
        """Return the unrounded rows as CSV, without the comparisons."""
        return csv_table(CSV_COLUMNS, zip(*columns_of(self.rows).values(), strict=True))

    def to_markdown(self) -> str:
        """Return the rows and the comparisons as tables in Markdown, followed by the notes on the groups."""
        notes = self._notes()
        if not self.comparisons:
            return markdown_table(*self._cells(), notes=notes)
        return markdown_table(*self._cells()) + "\n" + markdown_table(*self._compared_cells(), notes=notes)

    def to_latex(self) -> str:
        """Return the rows and the comparisons as tables in LaTeX (package booktabs), with the notes on the groups."""
        made = latex_table(*self._cells(), caption="Agreement by group.", notes=self._notes())
        if not self.comparisons:
            return made
        return made + latex_table(*self._compared_cells(), caption="Comparison of the groups.")

    def to_text(self) -> str:
        """Return the rows and the comparisons as plain text tables, followed by the notes on the groups."""
        parts = [text.columns(*self._cells())]
        if self.comparisons:
            parts.append(text.columns(*self._compared_cells()))
        parts.append([text.printable(note) for note in self._notes()])
        return "\n\n".join("\n".join(lines) for lines in parts if lines) + "\n"

    def save(self, path: str | Path) -> None:
        """Write the table to a file in the format given by the ending of its name.

        Parameters
        ----------
        path : str or Path
            Name of the file, which ends in .csv, .json, .md, .tex or .txt.

        Raises
        ------
        InvalidOptionError
            If the name has another ending, or if the file cannot be written.
        """
        write_by_ending(path, {ending: getattr(self, method) for ending, method in WRITERS.items()})

    def _notes(self) -> list[str]:
        """Return what was read, the notes and the error messages, with the groups that they are about."""
        about: dict[str, list[str]] = {}
        for row in self.rows:
            read = [] if row["file"] is None else [_what_was_read(row)]
            for said in (*read, *(row["notes"] or ()), *([row["error"]] if row["error"] else ())):
                groups = about.setdefault(said, [])
                if row["group"] not in groups:
                    groups.append(row["group"])
        n_groups = len({row["group"] for row in self.rows})
        drawn = draws_explained([row["n_draws"] for row in self.rows])
        notes = [f"P-values: {drawn}."] if drawn else []
        notes += self._notes_on_comparisons()
        return notes + [f"{_which(groups, n_groups)}: {said}" for said, groups in about.items()]

    def _notes_on_comparisons(self) -> list[str]:
        """Return how the groups were compared, and why they or some of them were not."""
        if self.not_compared is not None:
            return [f"The groups are not compared: {self.not_compared}"]
        about: dict[str, list[str]] = {}
        for one in self.comparisons:
            test = one.homogeneity
            said = f"not available, since {test.reason}" if test.pvalue is None else test.how
            if test.pvalue is not None and test.reason is not None:
                said += f", since {test.reason}"
            about.setdefault(said, []).append(one.weights)
        test_of = "Comparison of the groups, which must have different subjects: test of equal coefficients"
        return [
            f"{test_of}{'' if len(about) == 1 else f' ({text.conjunction(weights)})'}: {said}."
            for said, weights in about.items()
        ]

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{html.escaped(note)}</li>" for note in self._notes())
        made = html.table(*self._cells(), caption="Agreement by group")
        if self.comparisons:
            made += html.table(*self._compared_cells(), caption="Comparison of the groups")
        return made + (f"<ul>{notes}</ul>" if notes else "")

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and the rounded rows."""
        interval = f"{100 * self.level:g}% interval"
        header = ["group", "subjects", "weights", "value", interval, "maximum", "reached", "p-value"]
        return header, [
            [
                str(row["group"]),
                "" if row["n_subjects"] is None else numbers.count(row["n_subjects"]),
                row["weights"] or "",
                "-" if row["value"] is None else numbers.decimal(row["value"]),
                "" if row["ci_low"] is None else numbers.interval((row["ci_low"], row["ci_high"])),
                "" if row["maximum"] is None else numbers.decimal(row["maximum"]),
                "" if row["ratio"] is None else numbers.share(row["value"], row["ratio"]),
                "" if row["pvalue"] is None else _pvalue_cell(row),
            ]
            for row in self.rows
        ]

    def _compared_cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and the rounded rows of the comparisons."""
        interval = f"{100 * self.level:g}% interval"
        header = ["all groups", "groups", "pooled value", interval, "p-value, equal"]
        if self.trend_unit is not None:
            header += [f"slope per {self.trend_unit}", interval, "p-value, trend"]
        rows = []
        for one in self.comparisons:
            test, pooled, trend = one.homogeneity, one.pooled, one.trend
            row = [
                one.weights,
                numbers.count(len(one.groups) - one.n_undefined),
                "-" if pooled.value is None else numbers.decimal(pooled.value),
                "" if pooled.ci is None else numbers.interval(pooled.ci),
                "" if test.pvalue is None else one.pvalue_text(test.pvalue),
            ]
            if trend is not None:
                row += [
                    "-" if trend.slope is None else numbers.decimal(trend.slope),
                    "" if trend.ci is None else numbers.interval(trend.ci),
                    "" if trend.pvalue is None else one.pvalue_text(trend.pvalue),
                ]
            rows.append(row)
        return header, rows


def _compared(
    made: GroupReport, groups: Sequence[tuple[str, Any]], options: dict[str, Any], trend: bool
) -> GroupReport:
    """Return the report with a comparison of the groups for each weighting, or with the reason why there is none.

    Subjects without a group, whose name is empty, are left out.
    """
    named = [(name, ratings) for name, ratings in groups if name]
    if len(named) < 2:
        return made
    scores = scores_of([name for name, _ in named]) if trend else None
    found = []
    try:
        read = [(name, one if isinstance(one, KappamaxError) else as_table(one)) for name, one in named]
        ordered = all(one.ordered for _, one in read if not isinstance(one, KappamaxError))
        for weights in listed_weightings(options.get("weights"), ordered=ordered):
            found.append(
                compare_groups(
                    read,
                    weights=weights,
                    coefficient=options.get("coefficient", "kappa"),
                    level=made.level,
                    trend=None if scores is None else scores.values,
                    rng=options.get("rng", 0),
                )
            )
    except KappamaxError as error:
        return replace(made, not_compared=str(error))
    return replace(made, comparisons=tuple(found), trend_unit=None if scores is None else scores.unit)


def _pvalue_cell(row: dict[str, Any]) -> str:
    """Return the p-value of a row; Monte Carlo estimates are marked."""
    return numbers.pvalue(row["pvalue"], at_most=row["pvalue_at_most"]) + ("" if row["n_draws"] is None else "*")


def _what_was_read(row: dict[str, Any]) -> str:
    """Return the sentence about the ratings of a group."""
    return str(
        DataSummary(
            reading=Reading(source=row["file"], layout=row["layout"]),
            raters=tuple(row["raters"]),
            categories=tuple(row["categories"]),
            **{name: row[name] for name in ("n_subjects", "ordered", "n_missing", "n_incomplete", "n_left_out")},
            n_clusters=row["n_clusters"],
            cluster=row["cluster"],
        )
    )


def _which(groups: Sequence[str], n_groups: int) -> str:
    """Return the groups that a note is about: each of them, or the first ones."""
    if len(groups) == n_groups > 1:
        return "Each group"
    more = f" and {numbers.count(len(groups) - _GROUPS_SHOWN)} more" if len(groups) > _GROUPS_SHOWN else ""
    return ", ".join(groups[:_GROUPS_SHOWN]) + more


def _rows_of(name: str, ratings: Any, options: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one group, or one row with the message if an error of this package occurs."""
    try:
        if isinstance(ratings, KappamaxError):
            raise ratings
        made = report(ratings, **options)
    except KappamaxError as error:
        return [_failed_row(name, str(error))]
    return [csv_row(name, made, result) for result in made.results]


def _failed_row(name: str, error: str) -> dict[str, Any]:
    """Return the row of a group that has no results."""
    return dict.fromkeys(CSV_COLUMNS) | {"group": name, "error": error}
