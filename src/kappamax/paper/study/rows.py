"""Summarise the stopping times of a scenario as a row of a study, with the published figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._result import Result, plain
from kappamax._typing import Integers
from kappamax.display import numbers
from kappamax.paper.study.batch import TableBatch
from kappamax.paper.study.scenarios import Scenario

#: columns of data frames and files
COLUMNS = (
    *("n_raters", "n_categories", "n_subjects", "weights", "homogeneous", "moves", "n_moves", "patience", "n_tables"),
    *("mean", "sd", "q99", "published_mean", "published_sd", "published_q99", "difference_percent", "z"),
    *("determined", "below_maximum", "n_below", "n_repaired"),
)
NOT_DETERMINED = "not determined by the paper"


@dataclass(frozen=True, repr=False)
class StudyRow(Result):
    """Results for one scenario.

    Attributes
    ----------
    scenario : Scenario
        Settings of the scenario.
    n_tables : int
        Number of simulated tables.
    mean, sd, q99 : float
        Mean, standard deviation and 99th percentile of the stopping time T.
    published_mean, published_sd, published_q99 : float or None
        Published figures, if there are any.
    difference_percent : float or None
        Difference of our mean from the published one, in percent of the published one.
    z : float or None
        Difference of the means divided by their combined standard error.
    determined : bool
        Whether the paper gives all settings that are needed to reproduce its figures.
    below_maximum : float
        Share of searches that ended below the proven maximum, after the final sweep.
    n_below, n_repaired : int
        Number of searches that ended below the maximum, and number of searches that attained it only by the sweep.
    steps : integers, shape (n_tables,)
        Stopping time of every table.
    below : bool, shape (n_tables,)
        Whether the search on each table ended below the maximum.
    seconds, seconds_maximum : float
        Total processor time, and the time spent on computing the maxima.
    """

    scenario: Scenario = field(repr=False)
    n_tables: int
    mean: float
    sd: float
    q99: float
    published_mean: float | None
    published_sd: float | None
    published_q99: float | None
    difference_percent: float | None
    z: float | None
    below_maximum: float
    n_below: int
    n_repaired: int
    steps: Integers = field(repr=False, compare=False)
    below: npt.NDArray[np.bool_] = field(repr=False, compare=False)
    seconds: float = field(repr=False, compare=False)
    seconds_maximum: float = field(repr=False, compare=False)

    @property
    def n_raters(self) -> int:
        """Number of raters (r)."""
        return self.scenario.n_raters

    @property
    def n_categories(self) -> int:
        """Number of categories (k)."""
        return self.scenario.n_categories

    @property
    def n_subjects(self) -> int:
        """Number of subjects of each table (N)."""
        return self.scenario.n_subjects

    @property
    def weights(self) -> str:
        """Name of the weighting."""
        return self.scenario.weights

    @property
    def homogeneous(self) -> bool:
        """Whether all raters have the same expected margins."""
        return self.scenario.homogeneous

    @property
    def determined(self) -> bool:
        """Whether the paper gives all settings that are needed to reproduce its figures."""
        return self.scenario.determined

    @property
    def moves(self) -> str:
        """Name of the set of moves."""
        return self.scenario.moves

    @property
    def n_moves(self) -> int:
        """Number of signed moves (#M)."""
        return self.scenario.move_set.n_moves

    @property
    def patience(self) -> int:
        """Constant c of the stopping rule, or 0 if there is none."""
        return self.scenario.patience

    @property
    def se(self) -> float:
        """Standard error of the mean."""
        return float(self.sd / self.n_tables**0.5)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns and the settings of the scenario as plain data for JSON."""
        return {name: plain(getattr(self, name)) for name in COLUMNS} | {"scenario": self.scenario.to_dict()}

    def _rows(self) -> list[tuple[str, str]]:
        shown = [("stopping time", f"mean {self.mean:,.1f}, sd {self.sd:,.1f}, 99% {self.q99:,.0f}")]
        if self.published_mean is not None and self.z is not None:
            shown.append(("published mean", f"{self.published_mean:,.1f} ({self.z:+.1f} standard errors)"))
        return [*shown, ("below the maximum", numbers.percent(self.below_maximum))]


def row_of(scenario: Scenario, batches: Sequence[TableBatch]) -> StudyRow:
    """Return the row of a scenario from its batches."""
    steps = np.array([step for batch in batches for step in batch.steps], dtype=np.int64)
    below = np.array([short for batch in batches for short in batch.below], dtype=bool)
    mean = float(steps.mean())
    sd = float(steps.std(ddof=1)) if len(steps) > 1 else 0.0
    published = scenario.published
    error = 0.0 if published is None else (sd**2 / len(steps) + published.se**2) ** 0.5
    return StudyRow(
        scenario=scenario,
        n_tables=len(steps),
        mean=mean,
        sd=sd,
        q99=float(np.quantile(steps, 0.99)),
        published_mean=None if published is None else published.mean,
        published_sd=None if published is None else published.sd,
        published_q99=None if published is None else published.q99,
        difference_percent=None if published is None else 100 * (mean / published.mean - 1),
        z=None if published is None or not error else (mean - published.mean) / error,
        below_maximum=float(below.mean()),
        n_below=int(below.sum()),
        n_repaired=sum(batch.repaired for batch in batches),
        steps=steps,
        below=below,
        seconds=sum(batch.seconds for batch in batches),
        seconds_maximum=sum(batch.seconds_maximum for batch in batches),
    )


def shown_rows(rows: Sequence[StudyRow]) -> tuple[list[str], list[list[str]]]:
    """Return the header and one row of rounded numbers per scenario."""
    header = ["weights", "r", "k", "N", "margins", "mean", "sd", "q99", "published", "z", "below"]
    lines = []
    for row in rows:
        design = [str(number) for number in (row.n_raters, row.n_categories, row.n_subjects)]
        margins = "hom." if row.homogeneous else "non-hom."
        times = [f"{row.mean:,.1f}", f"{row.sd:,.1f}", f"{row.q99:,.0f}"]
        published = "" if row.published_mean is None else f"{row.published_mean:,.1f}"
        z = "" if row.z is None else f"{row.z:.1f}" if row.determined else "n.d."
        lines.append([row.weights, *design, margins, *times, published, z, numbers.percent(row.below_maximum)])
    return header, lines


def summary(rows: Sequence[StudyRow]) -> list[tuple[str, str]]:
    """Return the comparison with the published figures as pairs of a name and formatted text."""
    beside = [row for row in rows if row.determined and row.z is not None and row.difference_percent is not None]
    lines = []
    if beside:
        within = sum(abs(row.z or 0.0) <= 3 for row in beside)
        largest = max(abs(row.difference_percent or 0.0) for row in beside)
        lines.append(("means within 3 standard errors", f"{within} of {len(beside)}"))
        lines.append(("largest difference of means", f"{largest:.2f}%"))
    if left := sum(not row.determined for row in rows):
        lines.append((NOT_DETERMINED, f"{left} rows"))
    worst = max(row.below_maximum for row in rows)
    return [*lines, ("largest share below the maximum", numbers.percent(worst))]
