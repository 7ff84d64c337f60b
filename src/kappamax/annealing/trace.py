"""Record what an annealing search did, and draw it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kappamax._result import TableResult
from kappamax._typing import Codes, Floats, Integers
from kappamax._validate import import_pyplot
from kappamax.display import numbers


class Moment(NamedTuple):
    """A search after some of its steps, with the table it is at; see `Trace` for the other fields."""

    step: int
    temperature: float
    agreement: float
    acceptance: float
    patterns: Codes
    counts: Integers


@dataclass(frozen=True, repr=False)
class Trace(TableResult):
    """A search as it went, one entry for every so many steps.

    Attributes
    ----------
    steps : integers
        Steps done.
    temperatures : floats
        Of the last of them, in the unit of the schedule.
    agreements : floats
        Observed agreement after them.
    acceptance : floats
        Share of the steps since the entry before that changed the table.
    """

    steps: Integers
    temperatures: Floats
    agreements: Floats
    acceptance: Floats

    @classmethod
    def of(cls, entries: Sequence[tuple[int, float, float, float]]) -> Trace:
        """A trace from (step, temperature, agreement, acceptance)."""
        steps, *others = np.array(entries, dtype=float).T
        return cls(steps.astype(np.int64), *others)

    def _columns(self) -> dict[str, Iterable[Any]]:
        names = ("step", "temperature", "agreement", "acceptance")
        columns = (self.steps, self.temperatures, self.agreements, self.acceptance)
        return {name: column.tolist() for name, column in zip(names, columns, strict=True)}

    def plot(self, ax: Any = None) -> Any:
        """Draw agreement and acceptance against steps, and return the axes.

        Raises
        ------
        NotSupportedError
            If matplotlib is not installed; the message says how to get it.
        """
        plt = import_pyplot()
        ax = plt.figure(figsize=(7, 4)).add_subplot() if ax is None else ax
        ax.plot(self.steps, self.agreements, color="tab:blue", label="observed agreement")
        ax.plot(self.steps, self.acceptance, color="tab:orange", linewidth=0.8, label="share of steps accepted")
        ax.set(xlabel="step", ylim=(-0.02, 1.02))
        ax.legend(loc="center right")
        return ax

    def _rows(self) -> list[tuple[str, str]]:
        ends = f"{numbers.decimal(float(self.agreements[0]))} to {numbers.decimal(float(self.agreements[-1]))}"
        return [("entries", numbers.count(len(self.steps))), ("observed agreement", ends)]
