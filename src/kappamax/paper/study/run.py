"""Scenarios in; the stopping times of annealing over simulated tables, beside published ones, out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kappamax._checks import study as checks
from kappamax._parallel import run_tasks
from kappamax._result import Result
from kappamax._validate import as_whole_number
from kappamax._version import __version__
from kappamax.errors import Interrupted
from kappamax.paper.study import output
from kappamax.paper.study.block import Block, run_block
from kappamax.paper.study.checkpoint import Checkpoint
from kappamax.paper.study.rows import StudyRow, row_of
from kappamax.paper.study.scenarios import Scenario

__all__ = ["BLOCK", "Study", "run_study"]

BLOCK = 50
_STEP_SECONDS = 1.5e-8
_TABLE_SECONDS = 2e-3

Place = tuple[int, int]  # scenario and first table


def run_study(
    scenarios: Iterable[Scenario],
    *,
    n_tables: int = 1000,
    seed: int = 1,
    n_jobs: int | None = None,
    checkpoint: str | Path | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> Study:
    """Anneal many simulated tables of every scenario.

    Parameters
    ----------
    scenarios : iterable of Scenario
        `paper_scenarios()` for the paper's study, `read_scenarios(file)` for your own.
    n_tables : int
        Tables per scenario.
    seed : int
        Every table's randomness comes from the seed, its scenario's settings and its number: results are the same
        whatever else is run, by how many workers, and in what order.
    n_jobs : int, optional
        Processes. None is what `joblib.parallel_config` says, and one process without it; so the same call runs on a
        Dask cluster inside ``joblib.parallel_config(backend="dask")``.
    checkpoint : path, optional
        Every finished block of tables is appended to this file, and a study that finds it continues there.
    progress : callable, optional
        Called with (work done, work in all), in seconds of one processor as a rough guess.

    Raises
    ------
    InvalidOptionError
        If the checkpoint is of another study.
    Interrupted
        On Ctrl-C; `.best` holds the rows of the scenarios that are complete, or None. The checkpoint is kept.

    Examples
    --------
    >>> study = run_study([Scenario(3, n_subjects=20, weights="sqrt")], n_tables=20)
    >>> study[0].n_moves, study[0].patience, study[0].n_below
    (18, 1000, 0)
    """
    chosen = tuple(scenarios)
    checks.some_scenarios(chosen, Scenario)
    n_tables = as_whole_number("n_tables", n_tables, 1)
    seed = as_whole_number("seed", seed, 0)
    places = [(number, start) for number in range(len(chosen)) for start in range(0, n_tables, BLOCK)]
    costs = [_STEP_SECONDS * 1.3 * (one.patience or one.limit or 0) + _TABLE_SECONDS for one in chosen]
    total = sum(costs) * n_tables
    header = {
        "version": __version__,
        "seed": seed,
        "n_tables": n_tables,
        "scenarios": [one.to_dict() for one in chosen],
    }
    blocks: dict[Place, Block] = {}

    def tell() -> None:
        if progress is not None:
            progress(sum(len(block.steps) * costs[number] for (number, _), block in blocks.items()), total)

    with nullcontext() if checkpoint is None else Checkpoint(Path(checkpoint), header) as kept:
        if kept is not None:
            blocks |= {place: block for place, block in kept.blocks.items() if place in set(places)}
        tell()
        missing = [place for place in places if place not in blocks]
        try:
            for place, block in _finished(chosen, seed, n_tables, missing, n_jobs):
                blocks[place] = block
                if kept is not None:
                    kept.add(place[0], block)
                tell()
        except KeyboardInterrupt:
            raise Interrupted(_study(chosen, blocks, seed, n_tables)) from None
    found = _study(chosen, blocks, seed, n_tables)
    assert found is not None
    return found


@dataclass(frozen=True, repr=False)
class Study(Result):
    """One row per scenario, in their order; `study[0]`, `len(study)` and iteration go over the rows.

    Attributes
    ----------
    rows : sequence of StudyRow
    n_tables, seed : int
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

    def to_frame(self) -> Any:
        """One row per scenario as a pandas frame, or a polars one where only that is installed."""
        return output.frame(self.rows)

    def to_csv(self) -> str:
        """The same as CSV text, every digit kept."""
        return output.csv_text(self.rows)

    def to_latex(self) -> str:
        """A LaTeX table in the manner of the paper's, ours beside the published."""
        return output.latex(self.rows)

    def plot(self, ax: Any = None) -> Any:
        """Draw the difference from the published means in percent, with two standard errors; the axes."""
        return output.figure(self.rows, ax)

    def save(self, path: str | Path) -> None:
        """Write a .csv, .tex or .json file, or a figure (.png, .svg, .pdf), by its ending."""
        output.save(self, Path(path))

    def _rows(self) -> list[tuple[str, str]]:
        return [("scenarios", str(len(self.rows))), ("tables each", f"{self.n_tables:,}"), *output.summary(self.rows)]


def _finished(
    scenarios: Sequence[Scenario], seed: int, n_tables: int, places: Sequence[Place], n_jobs: int | None
) -> Iterator[tuple[Place, Block]]:
    """Blocks as they are done, in any order."""
    tasks = ((scenarios[n], seed, n, start, min(start + BLOCK, n_tables)) for n, start in places)
    yield from run_tasks(_placed_block, tasks, n_jobs, ordered=False)


def _placed_block(scenario: Scenario, seed: int, number: int, start: int, stop: int) -> tuple[Place, Block]:
    return (number, start), run_block(scenario, seed, start, stop)


def _study(scenarios: Sequence[Scenario], blocks: dict[Place, Block], seed: int, n_tables: int) -> Study | None:
    """The rows of all scenarios whose tables are done; None if there is none."""
    rows = []
    for number, scenario in enumerate(scenarios):
        own = [blocks.get((number, start)) for start in range(0, n_tables, BLOCK)]
        done = [block for block in own if block is not None]
        if len(done) == len(own):
            rows.append(row_of(scenario, done))
    return Study(tuple(rows), n_tables, seed) if rows else None
