"""Report several groups of ratings as one table with one row per group and weighting.

If a group cannot be reported, its row contains the error message, and the other groups are still reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kappamax._atomic_write import write_by_ending
from kappamax._parallel import run_tasks
from kappamax._progress import ProgressLike, as_progress
from kappamax._result import TableResult, plain
from kappamax.display import html, numbers, text
from kappamax.display.tables import csv_table, latex_table, markdown_table
from kappamax.errors import Interrupted, KappamaxError
from kappamax.reading import DataSummary, Reading
from kappamax.reporting.formats.json import as_json, versioned
from kappamax.reporting.formats.rows import CSV_COLUMNS, columns_of, csv_row, draws_explained
from kappamax.reporting.report import report

_GROUPS_SHOWN = 3
_INTERRUPTED = "incomplete: the report was interrupted before this group was finished"


def report_groups(
    groups: Iterable[tuple[str, Any]],
    *,
    n_jobs: int = 1,
    progress: ProgressLike = None,
    **options: Any,
) -> GroupReport:
    """Report many groups of ratings as one table, with one row per group and weighting.

    Parameters
    ----------
    groups : iterable of (str, ratings)
        Name and ratings of every group; the ratings are anything that `report` accepts. If an exception of this package
        is given in place of the ratings, its message is reported in the row of the group.
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
        One row per group and weighting. If a group cannot be reported, its row contains the error message.

    Raises
    ------
    Interrupted
        If the user presses Ctrl-C. The attribute `best` is a report of all groups, in which the rows of the groups that
        are not finished contain an error message that says so.

    Examples
    --------
    >>> import kappamax as km
    >>> sites = [("A", km.example("rapallo2022")), ("B", km.example("cohen1968"))]
    >>> [(row["group"], round(row["value"], 4)) for row in km.report_groups(sites, weights="unweighted").rows]
    [('A', 0.4), ('B', 0.4915)]
    """
    progress = as_progress(progress)
    listed = list(groups)
    rows: list[dict[str, Any]] = []
    tasks = ((name, ratings, options) for name, ratings in listed)
    done = 0
    try:
        for found in run_tasks(_rows_of, tasks, n_jobs):
            rows += found
            done += 1
            if progress is not None:
                progress(done, len(listed), "groups")
    except KeyboardInterrupt:
        rows += [_failed_row(name, _INTERRUPTED) for name, _ in listed[done:]]
        raise Interrupted(GroupReport(tuple(rows))) from None
    return GroupReport(tuple(rows))


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
    """

    rows: tuple[dict[str, Any], ...]

    @property
    def n_failed(self) -> int:
        """Number of groups for which some value is missing."""
        return len({row["group"] for row in self.rows if row["value"] is None})

    def to_dict(self) -> dict[str, Any]:
        """Return the rows as plain data."""
        return versioned({"results": [plain(row) for row in self.rows]})

    def to_json(self) -> str:
        """Return the rows as a JSON document."""
        return as_json(self.to_dict())

    def _columns(self) -> dict[str, Iterable[Any]]:
        return dict(columns_of(self.rows))

    def to_csv(self) -> str:
        """Return the unrounded rows as CSV."""
        return csv_table(CSV_COLUMNS, zip(*columns_of(self.rows).values(), strict=True))

    def to_markdown(self) -> str:
        """Return the rows as a table in Markdown, followed by the notes and error messages of the groups."""
        return markdown_table(*self._cells(), notes=self._notes())

    def to_latex(self) -> str:
        """Return the rows as a table in LaTeX (package booktabs), with the notes and error messages of the groups."""
        return latex_table(*self._cells(), caption="Agreement by group.", notes=self._notes())

    def to_text(self) -> str:
        """Return the rows as a plain text table, followed by the notes and error messages of the groups."""
        notes = self._notes()
        return "\n".join([*text.columns(*self._cells()), *([""] if notes else []), *map(text.printable, notes)]) + "\n"

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
        return notes + [f"{_which(groups, n_groups)}: {said}" for said, groups in about.items()]

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{html.escaped(note)}</li>" for note in self._notes())
        return html.table(*self._cells(), caption="Agreement by group") + (f"<ul>{notes}</ul>" if notes else "")

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        """Return the header and the rounded rows."""
        header = ["group", "subjects", "weights", "value", "maximum", "reached", "p-value"]
        return header, [
            [
                str(row["group"]),
                "" if row["n_subjects"] is None else numbers.count(row["n_subjects"]),
                row["weights"] or "",
                "-" if row["value"] is None else numbers.decimal(row["value"]),
                "" if row["maximum"] is None else numbers.decimal(row["maximum"]),
                "" if row["ratio"] is None else numbers.share(row["value"], row["ratio"]),
                "" if row["pvalue"] is None else _pvalue_cell(row),
            ]
            for row in self.rows
        ]


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
