"""Plans that cannot be made in, a clear error out."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, isfinite, log
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from kappamax._checks.tables import categories
from kappamax._validate import as_whole_number, is_number
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, NotSupportedError

_SUM_TOLERANCE = 1e-9
_LEAST_DRAWS = 100


def one_source(has_pilot: bool, has_margins: bool) -> None:
    """Either pilot ratings or margins say what the study will look like."""
    if has_pilot and has_margins:
        raise InvalidOptionError("give pilot ratings or margins, not both: pilot ratings have margins of their own.")
    if not has_pilot and not has_margins:
        raise InvalidOptionError("give pilot ratings, or margins= and kappa=: the answer depends on them.")


def margins_need_kappa(kappa: object) -> None:
    """Margins alone say nothing about agreement."""
    if kappa is None:
        raise InvalidOptionError("margins need kappa=, the value you expect the coefficient to have.")


def pilot_has_its_raters(n_raters: object) -> None:
    """Pilot ratings say how many raters there are."""
    if n_raters is not None:
        raise InvalidOptionError(f"n_raters goes with margins; pilot ratings have their own raters. Got {n_raters!r}.")


def one_goal(width: object, power: object, null: object) -> None:
    """A width, or a power with the value to test against."""
    if width is None and power is None and null is None:
        raise InvalidOptionError("give width= (of the interval), or power= and null= (of the test).")
    if width is not None and (power is not None or null is not None):
        raise InvalidOptionError("give width=, or power= and null=, not both: each is a question of its own.")
    if width is None and (power is None or null is None):
        missing = "power" if power is None else "null"
        raise InvalidOptionError(f"the test needs both power= and null=; {missing} is missing.")


def margins(given: Any, n_raters: int | None, most_cells: int) -> list[list[Any]]:
    """One list of shares per rater; a single list is for all of them."""
    rows = _rows(given)
    if len(rows) == 1:
        n_alike = 2 if n_raters is None else as_whole_number("n_raters", n_raters, 2)
        few_cells(max(2, len(rows[0])), n_alike, most_cells)
        rows *= n_alike
    elif n_raters is not None and as_whole_number("n_raters", n_raters, 2) != len(rows):
        raise InvalidOptionError(
            f"margins must be one list for all raters or one for each of {n_raters}; got {len(rows)}."
        )
    for number, row in enumerate(rows, start=1):
        _shares(row, f"the margins of rater {number}" if len(_rows(given)) > 1 else "margins", len(rows[0]))
    return rows


def _rows(given: Any) -> list[list[Any]]:
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple) or not given:
        raise InvalidOptionError(f"margins must be a list of shares, as in [0.7, 0.3]; got {given!r}.")
    rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in given]
    if not any(isinstance(row, list | tuple) for row in rows):
        return [rows]
    if not all(isinstance(row, list | tuple) for row in rows):
        raise InvalidOptionError("margins must be one list of shares, or one list per rater; got a mixture of both.")
    return [list(row) for row in rows]


def _shares(row: list[Any], name: str, n_categories: int) -> None:
    """Numbers from 0 to 1 that add up to 1."""
    for position, share in enumerate(row, start=1):
        if not is_number(share) or not isfinite(share) or share < 0:
            raise InvalidOptionError(f"{name} must be shares >= 0; number {position} is {share!r}.")
    if len(row) < 2:
        raise InvalidOptionError(f"{name} must have at least two categories; got {len(row)}.")
    if len(row) != n_categories:
        raise InvalidOptionError(
            f"every rater's margins must have the same categories; got {n_categories} and {len(row)}."
        )
    total = float(sum(row))
    if abs(total - 1) > _SUM_TOLERANCE:
        hint = " Divide percentages by 100." if abs(total - 100) < 1 else ""
        raise InvalidOptionError(f"{name} must add up to 1; got {total:.10g}.{hint}")


def no_share_lost(shares: npt.NDArray[Any], whole: npt.NDArray[np.int64], total: int) -> None:
    """Shares are kept to one in `total`; one that is smaller would vanish."""
    for row, counts in zip(shares.tolist(), whole.tolist(), strict=True):
        for share, count in zip(row, counts, strict=True):
            if share > 0 and count == 0:
                raise InvalidOptionError(f"margins must be 0 or at least {1 / total:g}; got {float(share):g}.")


def above_maximum(argument: str, value: float, maximum: float, what: str) -> NoReturn:
    """The margins do not allow so much agreement."""
    shown = f"{floor(maximum * 10_000) / 10_000:.4f}"
    raise InvalidOptionError(
        f"{argument} must be at most {shown}: raters with these margins cannot reach a larger {what}; got {value:g}."
    )


def below_minimum(argument: str, value: float, minimum: float, what: str) -> NoReturn:
    """The margins do not allow so little agreement."""
    raise InvalidOptionError(
        f"{argument} must be at least {minimum:.4f}: raters with these margins cannot have a smaller {what}; "
        f"got {value:g}."
    )


def tells_apart(null: float, assumed: float, alternative: str) -> None:
    """The assumed value must lie where the test looks."""
    if null == assumed:
        raise InvalidOptionError(
            f"null must differ from the assumed value, {assumed:g}: no number of subjects tells equal values apart."
        )
    if alternative != "two-sided" and (alternative == "greater") != (assumed > null):
        side, other = ("above", "less") if alternative == "greater" else ("below", "greater")
        raise InvalidOptionError(
            f"alternative {alternative!r} needs an assumed value {side} null; got {assumed:g} and null {null:g}. "
            f"Use {other!r} or 'two-sided'."
        )


def power_above_alpha(power: float, alpha: float) -> None:
    """A test has power alpha without any subject."""
    if power <= alpha:
        raise InvalidOptionError(f"power must be above alpha, {alpha:g}; got {power:g}.")


def some_spread(sd: float, value: float, what: str, which: str) -> None:
    """A coefficient that never varies has no interval to plan; `which` is the "assumed" or the "null" value."""
    if sd == 0:
        raise InvalidOptionError(
            f"with the {which} value every study shows {what} {value:g}, so its interval has no width and its test no "
            f"error: no number of subjects follows. Take another {which} value."
        )


def attainable(n: int | None, most: int, goal: str) -> int:
    """A goal that some number of subjects reaches."""
    if n is None:
        raise InvalidOptionError(f"{goal} would take more than {most:,} subjects.")
    return n


def enough_draws(method: str, n_draws: int) -> int:
    """Simulated studies: none for the formula alone, otherwise enough to say something."""
    draws = as_whole_number("n_draws", n_draws, 0)
    if draws < _LEAST_DRAWS and (draws > 0 or method == "simulation"):
        or_none = "" if method == "simulation" else ", or 0"
        raise InvalidOptionError(f"n_draws must be at least {_LEAST_DRAWS}{or_none}; got {draws}.")
    return draws


def complete_for_null(complete: bool) -> None:
    """Where ratings are missing, no table with the null value is at hand."""
    if not complete:
        raise NotSupportedError(
            "with missing ratings there is no table to take the null's own variance from; "
            "use variance='estimate', or leave out incomplete subjects."
        )


def complete_for_kappa(complete: bool) -> None:
    """Where ratings are missing, the pilot's own value is the only one."""
    if not complete:
        raise NotSupportedError(
            "with missing ratings the assumed value is the pilot's own; leave out kappa=, or the incomplete subjects."
        )


def few_cells(n_categories: int, n_raters: int, most: int) -> None:
    """All patterns are listed."""
    if n_raters * log(n_categories) > log(most) + _SUM_TOLERANCE:
        raise NotSupportedError(
            f"{n_categories} categories and {n_raters} raters make {n_categories}^{n_raters} possible "
            f"patterns; an assumed table is made for up to {most:,}. Plan from pilot ratings, for a width or with "
            "variance='estimate'."
        )


def widest_from_margins(has_pilot: bool, n_cells: int, most: int) -> None:
    """The least favourable table is sought among those with given margins."""
    if has_pilot:
        raise InvalidOptionError("joint='widest' goes with margins; pilot ratings say which categories are confused.")
    if n_cells > most:
        raise NotSupportedError(f"joint='widest' is found for up to {most:,} possible patterns; this has {n_cells:,}.")


def number(argument: str, value: Any) -> float:
    """A finite number or fraction."""
    if not is_number(value) or not isfinite(value):
        raise InvalidOptionError(f"{argument} must be a finite number; got {value!r}.")
    return float(value)


def category_labels(labels: Sequence[Any], n_categories: int) -> tuple[Any, ...]:
    """One label per share."""
    chosen = categories(labels)
    if len(chosen) != n_categories:
        raise InvalidOptionError(
            f"categories must name the {n_categories} categories of the margins; got {len(chosen)}: {listing(chosen)}."
        )
    return chosen
