"""A scenario and the stopping times of its tables in; one row of a study, beside the published one, out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from kappamax._result import Result, plain
from kappamax.display import numbers
from kappamax.paper.study.block import Block
from kappamax.paper.study.scenarios import Scenario

__all__ = ["COLUMNS", "StudyRow", "row_of"]

#: the columns of frames and files, in order
COLUMNS = (
    *("n_raters", "n_categories", "n_subjects", "weights", "homogeneous", "moves", "n_moves", "patience", "n_tables"),
    *("mean", "sd", "q99", "published_mean", "published_sd", "published_q99", "difference_percent", "z"),
    *("determined", "below_maximum", "n_below", "n_repaired"),
)


@dataclass(frozen=True, repr=False)
class StudyRow(Result):
    """Stopping times of one scenario's tables.

    Attributes
    ----------
    mean, sd, q99 : float
        Mean, standard deviation and 99th percentile of the stopping time T.
    published_mean, published_sd, published_q99 : float or None
        The paper's.
    difference_percent : float or None
        By how much our mean is above the published one.
    z : float or None
        The same in combined standard errors of the two means.
    determined : bool
        Whether the paper says enough for its figures to be reproduced.
    below_maximum : float
        Share of searches that ended below the proven maximum, after the final sweep.
    n_below, n_repaired : int
        Their number, and how many more the sweep brought up to it.
    steps : integers, shape (n_tables,)
        The stopping time of every table.
    below : bool, shape (n_tables,)
        Whether its search ended below the maximum.
    seconds, seconds_maximum : float
        Processor time, and what of it went into finding the true maxima.
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
    steps: npt.NDArray[np.int64] = field(repr=False, compare=False)
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
        """Subjects of each table (N)."""
        return self.scenario.n_subjects

    @property
    def weights(self) -> str:
        """Name of the weighting."""
        return self.scenario.weights

    @property
    def homogeneous(self) -> bool:
        """Whether all raters have the same margins in expectation."""
        return self.scenario.homogeneous

    @property
    def determined(self) -> bool:
        """Whether the paper says enough for its figures to be reproduced."""
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
        """The c of the stopping rule, 0 for none."""
        return self.scenario.patience

    @property
    def se(self) -> float:
        """Standard error of the mean."""
        return float(self.sd / self.n_tables**0.5)

    def to_dict(self) -> dict[str, Any]:
        """The columns as plain data for JSON, and the scenario's settings."""
        return {name: plain(getattr(self, name)) for name in COLUMNS} | {"scenario": self.scenario.to_dict()}

    def _rows(self) -> list[tuple[str, str]]:
        shown = [("stopping time", f"mean {self.mean:,.1f}, sd {self.sd:,.1f}, 99% {self.q99:,.0f}")]
        if self.published_mean is not None and self.z is not None:
            shown.append(("published mean", f"{self.published_mean:,.1f} ({self.z:+.1f} standard errors)"))
        return [*shown, ("below the maximum", numbers.percent(self.below_maximum))]


def row_of(scenario: Scenario, blocks: Sequence[Block]) -> StudyRow:
    """All blocks of a scenario, in order, summed up."""
    steps = np.array([step for block in blocks for step in block.steps], dtype=np.int64)
    below = np.array([short for block in blocks for short in block.below], dtype=bool)
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
        n_repaired=sum(block.repaired for block in blocks),
        steps=steps,
        below=below,
        seconds=sum(block.seconds for block in blocks),
        seconds_maximum=sum(block.seconds_maximum for block in blocks),
    )
