"""Scenarios, checkpoints and output files of a study in, clean values or a clear error out."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from kappamax._validate import did_you_mean
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, NotSupportedError, UnreadableFileError


def shares(margins: Any, n_raters: int, n_categories: int) -> tuple[tuple[float, ...], ...]:
    """One row of shares per rater, brought to sum one."""
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


def weights_name(weights: Any) -> str:
    """The name of a weighting."""
    if not isinstance(weights, str):
        raise InvalidOptionError(f"weights of a scenario must be a name such as 'linear'; got {weights!r}.")
    return weights


def scenario_tables(path: Path) -> list[Any]:
    """The `[[scenario]]` tables of a TOML file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableFileError(f"cannot read {path}: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UnreadableFileError(f"{path} is not TOML: {error}.") from None
    found = data.get("scenario")
    if not isinstance(found, list) or not found or set(data) != {"scenario"}:
        raise InvalidOptionError(
            f"{path} must hold one or more [[scenario]] tables and nothing else; got {listing(data)}."
        )
    return found


def scenario_fields(data: Any, known: Sequence[str]) -> dict[str, Any]:
    """The fields of one scenario, all of them known."""
    if not isinstance(data, Mapping):
        raise InvalidOptionError(f"a scenario must be a table of settings; got {data!r}.")
    for name in data:
        if name not in known:
            raise InvalidOptionError(f"a scenario has no setting {name!r}.{did_you_mean(str(name), known)}")
    if "n_categories" not in data:
        raise InvalidOptionError("a scenario needs n_categories.")
    return dict(data)


def some_scenarios(scenarios: Sequence[Any], kind: type) -> None:
    """At least one scenario, and nothing else."""
    if not scenarios:
        raise InvalidOptionError("there is no scenario to run.")
    for one in scenarios:
        if not isinstance(one, kind):
            raise InvalidOptionError(f"scenarios must be Scenario objects; got {one!r}.")
    if len(set(scenarios)) < len(scenarios):
        raise InvalidOptionError("scenarios must differ from each other; one is given twice.")


def no_row_left() -> NoReturn:
    """Options that leave nothing of the paper's rows."""
    raise InvalidOptionError("none of the paper's 60 rows has all of these settings.")


def same_study(found: Mapping[str, Any], wanted: Mapping[str, Any], path: Path) -> None:
    """A checkpoint that belongs to the study being run."""
    for name, what in (("version", "version of kappamax"), ("seed", "seed"), ("n_tables", "number of tables")):
        if found.get(name) != wanted[name]:
            raise InvalidOptionError(
                f"the checkpoint {path} is of another study: its {what} is {found.get(name)!r}, not {wanted[name]!r}. "
                "Remove it, or choose another file."
            )
    if found.get("scenarios") != wanted["scenarios"]:
        raise InvalidOptionError(
            f"the checkpoint {path} is of another study: its scenarios differ. Remove it, or choose another file."
        )


def not_a_checkpoint(path: Path) -> NoReturn:
    """A file that is something else."""
    raise InvalidOptionError(f"{path} is not a checkpoint of a study; choose another file.")


def frames() -> Any:
    """The constructor of pandas' or polars' frame, or how to get one."""
    try:
        from pandas import DataFrame
    except ImportError:
        try:
            from polars import DataFrame
        except ImportError:
            raise NotSupportedError("a frame needs pandas or polars: pip install pandas") from None
    return DataFrame


def output_format(path: Path, known: Sequence[str]) -> str:
    """What to write, by the ending of the file."""
    if path.suffix.lower() not in known:
        raise InvalidOptionError(f"the file must end in one of {listing(known, most=20)}; got {path.name!r}.")
    return path.suffix.lower()
