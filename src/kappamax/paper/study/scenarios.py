"""Define the scenarios of a study: those of the paper, or user-defined ones from a TOML file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from kappamax._validate import as_choice, as_whole_number, did_you_mean
from kappamax._validate_table import LARGEST_TOTAL
from kappamax.annealing.diagonal_sweep import SWEEPS
from kappamax.annealing.methods import MOVE_SETS, UNITS, require_settings
from kappamax.annealing.move_walk import require_listable
from kappamax.annealing.schedules import Geometric, Schedule, schedule_from
from kappamax.annealing.stopping_rules import StaleAgreement, Stopping, require_end, stopping_from
from kappamax.display.numbers import rough
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, UnreadableFileError
from kappamax.fibers.markov_basis import MoveSet
from kappamax.fibers.moves import weights_for
from kappamax.io.input_files import whole_text

Margins = tuple[tuple[float, ...], ...]

_PUBLISHED = Path(__file__).parents[2] / "data" / "rapallo2022-study.json"
_N_PUBLISHED = 1000
_MOST_CATEGORIES = _MOST_RATERS = 1000
_NOT_SETTINGS = ("published", "determined")  # fields of a scenario that do not affect results


@dataclass(frozen=True)
class PublishedTimes:
    """Published figures on the stopping times of a scenario.

    Attributes
    ----------
    mean, sd, q99 : float
        Mean, standard deviation and 99th percentile of the stopping time.
    n_tables : int
        Number of simulated tables, default 1000.
    """

    mean: float
    sd: float
    q99: float
    n_tables: int = _N_PUBLISHED

    @property
    def se(self) -> float:
        """Standard error of the mean."""
        return float(self.sd / self.n_tables**0.5)


@dataclass(frozen=True)
class Scenario:
    """Settings for drawing random tables and annealing them.

    Parameters
    ----------
    n_categories, n_raters, n_subjects : int
        Numbers of categories (k), raters (r, default 2) and subjects (N, default 100).
    margins : shares, shape (n_raters, n_categories), or None
        Expected share of each category for each rater; raters are independent. Rows are scaled to sum to one. None,
        the default, means uniform margins.
    weights : str
        Name of a weighting, such as "linear" (the default) or "power(3)".
    moves : "minimal" or "basic"
        Set of moves from which each step draws, default "minimal".
    schedule : Schedule
        Temperature of each step, default ``Geometric(1, 0.94)``.
    stopping : Stopping
        Rule that ends a search, default ``StaleAgreement()``.
    temperature_unit : {"counts", "proportions"}
        Unit in which a change of agreement is divided by the temperature, default "counts"; see `MoveMethod`.
    sweep : {"once", "all", "none"}
        Final sweep of moves that add two subjects to the diagonal, default "once"; see `MoveMethod`.
    max_steps : int, optional
        Number of steps after which a search is stopped in any case; None, the default, means no limit.
    published : PublishedTimes, optional
        Published figures to compare with; None, the default, if there are none.
    determined : bool
        Whether all settings behind the published figures are known, default True.

    Examples
    --------
    >>> Scenario(3, margins=[(2, 2, 1), (1, 2, 2)]).margins
    ((0.4, 0.4, 0.2), (0.2, 0.4, 0.4))
    """

    n_categories: int
    n_raters: int = 2
    n_subjects: int = 100
    margins: Margins | None = None
    weights: str = "linear"
    moves: str = "minimal"
    schedule: Schedule = field(default_factory=Geometric)
    stopping: Stopping = field(default_factory=StaleAgreement)
    temperature_unit: str = "counts"
    sweep: str = "once"
    max_steps: int | None = None
    published: PublishedTimes | None = None
    determined: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.weights, str):
            raise InvalidOptionError(f"weights of a scenario must be a name such as 'linear'; got {self.weights!r}.")
        k = as_whole_number("n_categories", self.n_categories, 2, _MOST_CATEGORIES)
        r = as_whole_number("n_raters", self.n_raters, 2, _MOST_RATERS)
        clean: dict[str, Any] = {
            "n_categories": k,
            "n_raters": r,
            "n_subjects": _as_n_subjects(self.n_subjects),
            "margins": None if self.margins is None else _as_shares(self.margins, r, k),
            "weights": weights_for(self.weights, k, r).name,
            "moves": as_choice("moves", self.moves, tuple(MOVE_SETS)),
            "temperature_unit": as_choice("temperature_unit", self.temperature_unit, UNITS),
            "sweep": as_choice("sweep", self.sweep, SWEEPS),
        }
        for name, value in clean.items():
            object.__setattr__(self, name, value)
        require_settings(self.schedule, self.stopping)
        require_listable(self.move_set)
        require_end(self.patience, self.limit, self.n_subjects)

    @property
    def move_set(self) -> MoveSet:
        """Set of moves from which each step draws."""
        return MOVE_SETS[self.moves](self.n_categories, self.n_raters)

    @property
    def patience(self) -> int:
        """Constant c of the stopping rule."""
        return self.stopping.patience_for(self.move_set.n_moves)

    @property
    def limit(self) -> int | None:
        """Number of steps after which a search is stopped in any case, or None."""
        limits = [limit for limit in (self.max_steps, self.stopping.limit) if limit is not None]
        return min(limits, default=None)

    @property
    def homogeneous(self) -> bool:
        """Whether all raters have the same expected margins."""
        return self.margins is None or len(set(self.margins)) == 1

    @property
    def key(self) -> bytes:
        """Digest of all settings that affect results; it determines the random numbers together with the seed."""
        return sha256(json.dumps(self.to_dict(), sort_keys=True).encode()).digest()

    def to_dict(self) -> dict[str, Any]:
        """Return the settings without the published figures, in the form that `scenario_from` accepts."""
        plain = {one.name: getattr(self, one.name) for one in fields(self)}
        plain |= {"schedule": self.schedule.to_dict(), "stopping": self.stopping.to_dict()}
        plain["margins"] = None if self.margins is None else [list(row) for row in self.margins]
        return {name: value for name, value in plain.items() if value is not None and name not in _NOT_SETTINGS}


def paper_scenarios() -> tuple[Scenario, ...]:
    """Return the sixty scenarios of the paper with the published figures.

    The paper gives neither the temperatures nor the list of moves. The settings used here reproduce its figures (see
    docs/study.md): the temperature at step b is 0.94^b in counts, and the moves are a minimal Markov basis.
    Non-homogeneous margins have the shares (2, ..., 2, 1, ..., 1) and their reverse. For three raters, the paper does
    not give the margins of the third rater. They are uniform here, and the twelve scenarios have `determined=False`.

    Returns
    -------
    tuple of Scenario
        One scenario for each row of the tables in the paper.

    Examples
    --------
    >>> rows = paper_scenarios()
    >>> len(rows), sum(row.determined for row in rows)
    (60, 48)
    """
    rows = json.loads(_PUBLISHED.read_text(encoding="utf-8"))["rows"]
    return tuple(_paper_scenario(row) for row in rows)


def read_scenarios(path: str | Path) -> tuple[Scenario, ...]:
    """Read scenarios from a TOML file.

    Every scenario is a table `[[scenario]]` with the fields of `Scenario`, for example::

        [[scenario]]
        n_categories = 4
        n_subjects = 50
        weights = "sqrt"
        margins = [[2, 2, 1, 1], [1, 1, 2, 2]]
        schedule = { kind = "geometric", start = 5, factor = 0.75 }
        stopping = { kind = "stale-moves", patience = 1000 }

    Parameters
    ----------
    path : str or Path
        Name of the TOML file.

    Returns
    -------
    tuple of Scenario
        The scenarios in the order of the file.

    Raises
    ------
    UnreadableFileError
        If the file cannot be read or is not TOML.
    InvalidOptionError
        If a field is unknown or its value is not allowed.
    """
    try:
        data = tomllib.loads(whole_text(path))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableFileError(f"{path} is not TOML: {error}.") from None
    found = data.get("scenario")
    if not isinstance(found, list) or not found or set(data) != {"scenario"}:
        raise InvalidOptionError(
            f"{path} must contain one or more [[scenario]] tables and nothing else; got {listing(data)}."
        )
    return tuple(scenario_from(one) for one in found)


def scenario_from(data: Mapping[str, Any]) -> Scenario:
    """Return a scenario from plain data.

    Parameters
    ----------
    data : mapping
        Fields of `Scenario` by name; `schedule` and `stopping` are mappings with the key "kind".

    Raises
    ------
    InvalidOptionError
        If a field is unknown or its value is not allowed.
    """
    if not isinstance(data, Mapping):
        raise InvalidOptionError(f"a scenario must be a table of settings; got {data!r}.")
    known = [one.name for one in fields(Scenario) if one.name not in _NOT_SETTINGS]
    for name in data:
        if name not in known:
            raise InvalidOptionError(f"a scenario has no setting {name!r}.{did_you_mean(str(name), known)}")
    if "n_categories" not in data:
        raise InvalidOptionError("a scenario needs n_categories.")
    settings = dict(data)
    for name, made in (("schedule", schedule_from), ("stopping", stopping_from)):
        if name in settings:
            settings[name] = made(settings[name])
    return Scenario(**settings)


def _paper_scenario(row: Mapping[str, Any]) -> Scenario:
    """Return the scenario of a published row."""
    k, r, homogeneous = row["n_categories"], row["n_raters"], row["homogeneous"]
    low = (2.0,) * ceil(k / 2) + (1.0,) * (k // 2)  # a rater who prefers the first categories
    return Scenario(
        n_categories=k,
        n_raters=r,
        n_subjects=row["n_subjects"],
        margins=None if homogeneous else (low, low[::-1], (1.0,) * k)[:r],
        weights=row["weights"],
        published=PublishedTimes(row["mean"], row["sd"], row["q99"]),
        determined=homogeneous or r == 2,
    )


def _as_shares(margins: Any, n_raters: int, n_categories: int) -> Margins:
    """Return one row of shares per rater, scaled to sum to one."""
    try:
        array = np.asarray(margins, dtype=float)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (n_raters, n_categories):
        raise InvalidOptionError(
            f"margins must be {n_raters} rows of {n_categories} shares, one row per rater; got {margins!r}."
        )
    if not np.isfinite(array).all() or (array < 0).any() or (array.sum(axis=1) <= 0).any():
        raise InvalidOptionError(f"margins must be shares >= 0, not all zero for a rater; got {margins!r}.")
    return tuple(tuple(row) for row in (array / array.sum(axis=1, keepdims=True)).tolist())


def _as_n_subjects(n_subjects: int) -> int:
    """Return the number of subjects, which must fit into a table."""
    n_subjects = as_whole_number("n_subjects", n_subjects, 1)
    if n_subjects >= LARGEST_TOTAL:
        raise InvalidOptionError(f"n_subjects must be below 2^62; got {rough(n_subjects)}.")
    return n_subjects
