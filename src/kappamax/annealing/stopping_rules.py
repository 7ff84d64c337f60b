"""Define the stopping rules of annealing searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kappamax._validate import as_whole_number
from kappamax.annealing.settings import Setting, setting_from
from kappamax.display.numbers import rough
from kappamax.errors import InvalidOptionError

_MOST_SUBJECTS = 100_000_000  # of searches without a maximum number of steps


class Stopping(Setting):
    """Base class of stopping rules.

    Attributes
    ----------
    by_agreement : bool
        Whether a step counts as a success if it changes agreement (True) or if it changes the table (False).
    limit : int or None
        Maximum number of steps; None if there is no maximum.
    """

    by_agreement = True

    @property
    def limit(self) -> int | None:
        """Maximum number of steps; None if there is no maximum."""
        return None

    def patience_for(self, n_neighbours: int) -> int:
        """Return the number of consecutive steps without success after which the search stops.

        Parameters
        ----------
        n_neighbours : int
            Number of moves that a step draws from.

        Returns
        -------
        int
            Number of steps; 0 if there is no such number.
        """
        return 0


@dataclass(frozen=True)
class StaleAgreement(Stopping):
    """Stop after c consecutive steps that do not change agreement, as in the study of the paper.

    A move that is made but does not change agreement counts as a step without a change.

    Parameters
    ----------
    patience : int, optional
        The number c, at least 1. The default is max(10 #M, 1000), where #M is the number of moves that a step draws
        from.

    Raises
    ------
    InvalidOptionError
        If `patience` is not a whole number of at least 1.

    Examples
    --------
    >>> StaleAgreement().patience_for(72), StaleAgreement(50).patience_for(72)
    (1000, 50)
    """

    patience: int | None = None
    kind = "stale-agreement"

    def __post_init__(self) -> None:
        if self.patience is not None:
            as_whole_number("patience", self.patience, 1)

    def patience_for(self, n_neighbours: int) -> int:
        """See `Stopping`."""
        return max(10 * n_neighbours, 1000) if self.patience is None else self.patience


@dataclass(frozen=True)
class StaleMoves(Stopping):
    """Stop after a number of consecutive steps that do not change the table, as in the paper for small problems.

    Parameters
    ----------
    patience : int, optional
        Number of consecutive steps, at least 1, default 1000.

    Raises
    ------
    InvalidOptionError
        If `patience` is not a whole number of at least 1.
    """

    patience: int = 1000
    kind = "stale-moves"
    by_agreement = False

    def __post_init__(self) -> None:
        if self.patience is not None:
            as_whole_number("patience", self.patience, 1)

    def patience_for(self, n_neighbours: int) -> int:
        """See `Stopping`."""
        return self.patience


@dataclass(frozen=True)
class FixedSteps(Stopping):
    """Stop after a fixed number of steps, as in the pseudo-code of the paper.

    Parameters
    ----------
    steps : int, optional
        Number of steps (B in the paper), at least 1, default 10,000.

    Raises
    ------
    InvalidOptionError
        If `steps` is not a whole number of at least 1.
    """

    steps: int = 10_000
    kind = "fixed-steps"

    def __post_init__(self) -> None:
        as_whole_number("steps", self.steps, 1)

    @property
    def limit(self) -> int:
        """See `Stopping`."""
        return self.steps


STOPPINGS: dict[str, Any] = {one.kind: one for one in (StaleAgreement, StaleMoves, FixedSteps)}


def stopping_from(data: Mapping[str, Any]) -> Stopping:
    """Return the stopping rule that is described by plain data.

    Parameters
    ----------
    data : mapping
        Kind and parameters of the rule, such as {"kind": "stale-moves", "patience": 1000}.

    Returns
    -------
    Stopping

    Raises
    ------
    InvalidOptionError
        If there is no such kind, or a parameter is unknown or out of range.
    """
    stopping: Stopping = setting_from("stopping", data, STOPPINGS)
    return stopping


def require_end(patience: int, limit: int | None, n_subjects: int) -> None:
    """Require that a search ends within some minutes, because of its patience or its maximum number of steps.

    A step moves two subjects, and the patience runs out only when agreement no longer changes, so a search without a
    maximum takes at least about as many steps as there are subjects to move.
    """
    if not patience and limit is None:
        raise InvalidOptionError(
            "the search would never stop. Set max_steps, or pass a stopping rule with a patience or a maximum."
        )
    if limit is None and n_subjects > _MOST_SUBJECTS:
        raise InvalidOptionError(
            f"a search of {rough(n_subjects)} subjects, two of which move in a step, needs a maximum number of steps; "
            f"without max_steps, anneal is limited to {_MOST_SUBJECTS:,} subjects."
        )
