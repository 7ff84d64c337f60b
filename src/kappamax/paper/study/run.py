"""Run a simulation study of annealing and compare its stopping times with published ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

from kappamax._atomic_write import write_by_ending
from kappamax._parallel import run_tasks
from kappamax._progress import ProgressLike, as_progress
from kappamax._result import TableResult
from kappamax._validate import as_whole_number, import_pyplot
from kappamax._version import __version__
from kappamax.display.tables import csv_table, latex_table
from kappamax.errors import Interrupted, InvalidOptionError
from kappamax.paper.study.batch import BatchKey, TableBatch, run_batch
from kappamax.paper.study.checkpoint import Checkpoint
from kappamax.paper.study.rows import COLUMNS, NOT_DETERMINED, StudyRow, row_of, shown_rows, summary
from kappamax.paper.study.scenarios import Scenario

BATCH_SIZE = 50
_MOST_TABLES = 10_000_000
_FIGURES = (".png", ".svg", ".pdf")
ENDINGS = (".csv", ".tex", ".json", *_FIGURES)
_STEP_SECONDS = 1.5e-8
_TABLE_SECONDS = 2e-3


def run_study(
    scenarios: Iterable[Scenario],
    *,
    n_tables: int = 1000,
    rng: int = 1,
    n_jobs: int | None = None,
    checkpoint: str | Path | None = None,
    progress: ProgressLike = None,
) -> Study:
    """Run a study that anneals many simulated tables of every scenario.

    Parameters
    ----------
    scenarios : iterable of Scenario
        Scenarios to simulate, such as those of the paper from ``paper_scenarios()`` or those of a file from
        ``read_scenarios(path)``.
    n_tables : int
        Number of tables per scenario, default 1,000.
    rng : int
        Seed, default 1. The randomness of a table depends only on the seed, the settings of its scenario and its
        number, so results do not depend on the other scenarios, on the number of processes, or on the order of the
        work.
    n_jobs : int, optional
        Number of processes. None, the default, uses the setting of `joblib.parallel_config`, or one process. Inside
        ``joblib.parallel_config(backend="dask")`` the same call runs on a Dask cluster.
    checkpoint : str or Path, optional
        File to which every finished batch of tables is appended. If the file exists, the study is continued from it.
        The file is locked during the study. By default, no file is written.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)``, where
        `done` and `total` are rough estimates of the work in seconds of one processor.

    Returns
    -------
    Study
        One row per scenario.

    Raises
    ------
    InvalidOptionError
        If the checkpoint belongs to another study, is damaged in its first line, or is in use by another study.
    UnwritableFileError
        If the checkpoint cannot be written, for example because the disk is full. It keeps the batches stored before.
    Interrupted
        If the user presses Ctrl-C. The attribute `best` is a study of the scenarios that are complete, or None if there
        are none. The checkpoint is kept.

    Warns
    -----
    KappamaxWarning
        If lines of the checkpoint are ignored because they are damaged or belong to another study. The batches that are
        missing are simulated again.

    Examples
    --------
    >>> study = run_study([Scenario(3, n_subjects=20, weights="sqrt")], n_tables=20)
    >>> study[0].n_moves, study[0].patience, study[0].n_below
    (18, 1000, 0)
    """
    chosen = tuple(scenarios)
    if not chosen:
        raise InvalidOptionError("scenarios must contain at least one Scenario; got none.")
    for one in chosen:
        if not isinstance(one, Scenario):
            raise InvalidOptionError(f"scenarios must be Scenario objects; got {one!r}.")
    if len(set(chosen)) < len(chosen):
        raise InvalidOptionError("scenarios must differ; one is given twice.")
    n_tables = as_whole_number("n_tables", n_tables, 1)
    if n_tables > _MOST_TABLES:
        raise InvalidOptionError(f"n_tables must be at most {_MOST_TABLES:,}; got {n_tables:,}.")
    seed = as_whole_number("rng", rng, 0)
    progress = as_progress(progress)
    starts = range(0, n_tables, BATCH_SIZE)
    sizes = {(n, start): min(BATCH_SIZE, n_tables - start) for n in range(len(chosen)) for start in starts}
    costs = [_STEP_SECONDS * 1.3 * (one.patience or one.limit or 0) + _TABLE_SECONDS for one in chosen]
    total = sum(costs) * n_tables
    header = {
        "version": __version__,
        "seed": seed,
        "n_tables": n_tables,
        "scenarios": [one.to_dict() for one in chosen],
    }
    batches: dict[BatchKey, TableBatch] = {}

    def tell() -> None:
        if progress is not None:
            done = sum(len(batch.steps) * costs[number] for (number, _), batch in batches.items())
            progress(done, total, "simulating tables")

    with nullcontext() if checkpoint is None else closing(Checkpoint(Path(checkpoint), header, sizes)) as kept:
        if kept is not None:
            batches |= kept.batches
        tell()
        missing = {key: size for key, size in sizes.items() if key not in batches}
        tasks = ((chosen[n], seed, n, start, start + size) for (n, start), size in missing.items())
        try:
            for key, batch in run_tasks(_keyed_batch, tasks, n_jobs, ordered=False):
                batches[key] = batch
                if kept is not None:
                    kept.add(key, batch)
                tell()
        except KeyboardInterrupt:
            rows = _complete_rows(chosen, batches, n_tables)
            raise Interrupted(Study(rows, n_tables, seed) if rows else None) from None
    return Study(_complete_rows(chosen, batches, n_tables), n_tables, seed)


@dataclass(frozen=True, repr=False)
class Study(TableResult):
    """Results of a study with one row per scenario.

    A study is a sequence of its rows, so `study[0]`, `len(study)` and iteration refer to the rows.

    Attributes
    ----------
    rows : tuple of StudyRow
        Results for each scenario, in the order given.
    n_tables : int
        Number of tables per scenario.
    seed : int
        Seed of the simulation.
    """

    rows: tuple[StudyRow, ...]
    n_tables: int
    seed: int

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[StudyRow]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> StudyRow:
        return self.rows[index]

    def _columns(self) -> dict[str, Iterable[Any]]:
        return {name: [getattr(row, name) for row in self.rows] for name in COLUMNS}

    def to_csv(self) -> str:
        """Return the unrounded results as CSV, with one row per scenario."""
        return csv_table(COLUMNS, [[getattr(row, name) for name in COLUMNS] for row in self.rows])

    def to_latex(self) -> str:
        """Return the results and the published means as a table in LaTeX (package booktabs)."""
        caption = f"Stopping time of annealing, {self.n_tables:,} tables per row."
        return latex_table(*shown_rows(self.rows), caption=caption)

    def plot(self, ax: Any = None) -> Any:
        """Draw the differences from the published means in percent.

        The error bars show two standard errors. If there are no published means, the mean stopping times are drawn.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Axes to draw on. By default new axes are made.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        NotSupportedError
            If matplotlib is not installed.
        """
        ax = import_pyplot().figure(figsize=(9, 4)).add_subplot() if ax is None else ax
        beside = [row for row in self.rows if row.published_mean and row.z]
        if not beside:
            means, errors = [row.mean for row in self.rows], [2 * row.se for row in self.rows]
            ax.errorbar(range(len(means)), means, errors, fmt="o", markersize=3)
            ax.set(xlabel="row", ylabel="mean stopping time")
            return ax
        for determined, colour in ((True, "tab:blue"), (False, "tab:gray")):
            places = [place for place, row in enumerate(beside) if row.determined == determined]
            if places:
                differences = [beside[place].difference_percent or 0.0 for place in places]
                errors = [2 * abs(one / (beside[at].z or 1.0)) for one, at in zip(differences, places, strict=True)]
                label = "reproduced" if determined else NOT_DETERMINED
                ax.errorbar(places, differences, errors, fmt="o", markersize=3, color=colour, label=label)
        ax.axhline(0, color="black", linewidth=0.8)
        ax.set(xlabel="row", ylabel="difference from the published mean, %")
        ax.legend()
        return ax

    def save(self, path: str | Path) -> None:
        """Write the study to a file in the format given by the ending of its name.

        Parameters
        ----------
        path : str or Path
            Name of the file, which ends in .csv, .tex, .json, .png, .svg or .pdf.

        Raises
        ------
        InvalidOptionError
            If the name has another ending, or if the file cannot be written.
        """
        writers: Mapping[str, Callable[[], str | bytes]] = {
            ".csv": self.to_csv,
            ".tex": self.to_latex,
            ".json": lambda: json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n",
            **{ending: partial(self._figure, ending) for ending in _FIGURES},
        }
        write_by_ending(path, writers)

    def _figure(self, ending: str) -> bytes:
        """Return the figure as the content of a file."""
        content = BytesIO()
        self.plot().figure.savefig(content, format=ending[1:], bbox_inches="tight")
        return content.getvalue()

    def _rows(self) -> list[tuple[str, str]]:
        return [("scenarios", str(len(self.rows))), ("tables each", f"{self.n_tables:,}"), *summary(self.rows)]


def _keyed_batch(scenario: Scenario, seed: int, number: int, start: int, stop: int) -> tuple[BatchKey, TableBatch]:
    """Run a batch and return it with its key."""
    return (number, start), run_batch(scenario, seed, start, stop)


def _complete_rows(
    scenarios: Sequence[Scenario], batches: Mapping[BatchKey, TableBatch], n_tables: int
) -> tuple[StudyRow, ...]:
    """Return the rows of the scenarios for which all batches are complete."""
    rows = []
    for number, scenario in enumerate(scenarios):
        keys = [(number, start) for start in range(0, n_tables, BATCH_SIZE)]
        if all(key in batches for key in keys):
            rows.append(row_of(scenario, [batches[key] for key in keys]))
    return tuple(rows)
