"""Record the course of an annealing search, and plot it."""

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
    """State of a search after some of its steps.

    Attributes
    ----------
    step : int
        Number of steps done.
    temperature : float
        Temperature of the last step, in the unit of the schedule.
    agreement : float
        Observed agreement of the current table.
    acceptance : float
        Share of the steps since the previous state that changed the table.
    patterns : integers, shape (m, r)
        Patterns of the current table.
    counts : integers, shape (m,)
        Counts of these patterns.
    """

    step: int
    temperature: float
    agreement: float
    acceptance: float
    patterns: Codes
    counts: Integers


@dataclass(frozen=True, repr=False)
class Trace(TableResult):
    """Course of an annealing search, with one entry after every `trace` steps and one at the end.

    Attributes
    ----------
    steps : integers, shape (n,)
        Number of steps done at each entry.
    temperatures : floats, shape (n,)
        Temperature of the last step before each entry, in the unit of the schedule.
    agreements : floats, shape (n,)
        Observed agreement at each entry.
    acceptance : floats, shape (n,)
        Share of the steps since the previous entry that changed the table.
    """

    steps: Integers
    temperatures: Floats
    agreements: Floats
    acceptance: Floats

    @classmethod
    def of(cls, entries: Sequence[tuple[int, float, float, float]]) -> Trace:
        """Return the trace that consists of given entries.

        Parameters
        ----------
        entries : sequence of (int, float, float, float)
            Step, temperature, agreement and acceptance rate of each entry.

        Returns
        -------
        Trace
        """
        steps, *others = np.array(entries, dtype=float).T
        return cls(steps.astype(np.int64), *others)

    def _columns(self) -> dict[str, Iterable[Any]]:
        names = ("step", "temperature", "agreement", "acceptance")
        columns = (self.steps, self.temperatures, self.agreements, self.acceptance)
        return {name: column.tolist() for name, column in zip(names, columns, strict=True)}

    def plot(self, ax: Any = None) -> Any:
        """Plot agreement and acceptance against the number of steps.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw on. By default a new figure is created.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        NotSupportedError
            If matplotlib is not installed. The message contains the command that installs it.
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
