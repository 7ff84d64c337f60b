"""Hold the largest and smallest coefficient that the margins of ratings allow, with tables and proofs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax._atomic_write import require_output, write_whole
from kappamax._progress import Progress, ProgressLike, as_progress
from kappamax._result import Result, plain, public_fields
from kappamax._validate import require_time_limit
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers, text
from kappamax.errors import Interrupted
from kappamax.maximum.certificate_document import ONE_VALUE, certificate_of
from kappamax.maximum.problem import Problem, Watch, problem_for
from kappamax.maximum.solution import Solution
from kappamax.maximum.solve import solve
from kappamax.table import Table

if TYPE_CHECKING:
    from kappamax.maximum.maximizers import MaximizerCount

#: attributes of a `Maximum` that need the search for the smallest value, in the order of the JSON output
MINIMUM_FIELDS = (
    *("minimum", "exact_minimum", "minimum_method", "minimum_proven", "minimum_proof", "minimum_bound"),
    "minimum_table",
)
_EXCHANGES = 500  # pairs of subjects whose ratings are exchanged to see whether the score changes


@dataclass(frozen=True, repr=False)
class Maximum(Result):
    """Largest and smallest value of a coefficient over all tables with the observed margins and sets of raters.

    Nothing is rounded. The attributes whose names contain "minimum" search for the smallest value when one of them is
    first used; the search has the time limit that was given to `max_kappa`.

    Attributes
    ----------
    coefficient, title : str
        Short name of the coefficient, and its name as a title.
    weights : str
        Name of the weights.
    value : float
        Observed coefficient.
    maximum : float
        Largest value found.
    exact_maximum : Fraction or None
        The same value as a fraction, where it is rational.
    ratio : float or None
        ``value / maximum``; None if the maximum is not proven or not greater than zero, or if only one value is
        possible.
    ratio_reason : str or None
        Reason why there is no ratio; None if there is one.
    table : Table
        Table that attains the largest value.
    proven : bool
        Whether it is proven that no table has a larger value.
    proof : {"prices", "remainders", "search"} or None
        Kind of proof. "prices" means that dual prices, under which no pattern has a negative reduced cost, prove the
        value. "remainders" means that ratings are missing, and that the use of the categories forces this much
        disagreement because it is not a multiple of the number of ratings per subject. "search" means that a complete
        search between the value and the bound of the prices found no better table. None if the value is not proven.
    bound : float
        Proven upper bound on the maximum.
    method : str
        Name of the method that found the table.
    solution : Solution
        Table and dual prices as the solver returned them.
    """

    coefficient: str
    title: str
    weights: str
    value: float
    maximum: float
    ratio: float | None
    ratio_reason: str | None
    exact_maximum: Fraction | None
    method: str
    proven: bool
    proof: str | None
    bound: float
    table: Table = field(repr=False)
    solution: Solution = field(repr=False)
    _time_limit: float | None = field(default=None, kw_only=True, repr=False, compare=False)
    _progress: Progress | None = field(default=None, kw_only=True, repr=False, compare=False)
    _least: Solution | None = field(default=None, kw_only=True, repr=False, compare=False)

    @property
    def objective(self) -> Objective:
        """Observed table with its weights and coefficient."""
        return self.solution.problem.objective

    @property
    def minimum_solution(self) -> Solution:
        """Table of the smallest value and its dual prices as the solver returned them.

        Raises
        ------
        Interrupted
            On Ctrl-C; its `.best` is the best solution so far.
        """
        if self._least is None:
            object.__setattr__(self, "_least", self._search_minimum(Watch(self._time_limit, self._progress)))
        assert self._least is not None
        return self._least

    def _search_minimum(self, watch: Watch) -> Solution:
        return solve(extreme_problem(self.objective, -1), watch)

    def with_minimum(self, *, time_limit: float | None = None, progress: ProgressLike = None) -> Maximum:
        """Search for the smallest value now, and return a result that contains it.

        Parameters
        ----------
        time_limit : float, optional
            Largest number of seconds for the search, default no limit.
        progress : callable or True, optional
            Callback for the progress of the search; see `max_kappa`.

        Returns
        -------
        Maximum
            The same result, whose smallest value is known. If it is known already, nothing is computed.

        Raises
        ------
        Interrupted
            On Ctrl-C; its `.best` is the result with the best table so far.
        """
        require_time_limit("time_limit", time_limit)
        if self.has_minimum:
            return self
        try:
            return replace(self, _least=self._search_minimum(Watch(time_limit, as_progress(progress))))
        except Interrupted as stopped:
            raise Interrupted(replace(self, _least=stopped.best)) from None

    @property
    def has_minimum(self) -> bool:
        """Whether the smallest value has been searched for."""
        return self._least is not None

    @property
    def minimum(self) -> float | None:
        """Smallest value found; None if the search ended before it found a smaller value than the observed one."""
        least = self.minimum_solution
        return least.objective.value(least.cost * -1) if self._minimum_found else None

    @property
    def exact_minimum(self) -> Fraction | None:
        """The same value as a fraction, where it is rational."""
        least = self.minimum_solution
        return least.objective.exact_value(least.cost * -1) if self._minimum_found else None

    @property
    def minimum_table(self) -> Table | None:
        """Table that attains the smallest value found."""
        return self.minimum_solution.table if self._minimum_found else None

    @property
    def _minimum_found(self) -> bool:
        """Whether the smallest value is proven or below the observed value, compared exactly."""
        least, objective = self.minimum_solution, self.objective
        return least.proven or least.cost * objective.expected < objective.score * -1 * least.objective.expected

    @property
    def minimum_proven(self) -> bool:
        """Whether it is proven that no table has a smaller value."""
        return self.minimum_solution.proven

    @property
    def minimum_proof(self) -> str | None:
        """Kind of proof of the smallest value, as for `proof`."""
        return self.minimum_solution.proof

    @property
    def minimum_bound(self) -> float:
        """Proven lower bound on the minimum."""
        least = self.minimum_solution
        return least.objective.value(least.bound * -1)

    @property
    def minimum_method(self) -> str:
        """Name of the method that found the table with the smallest value."""
        return self.minimum_solution.method

    def __float__(self) -> float:
        raise TypeError("a Maximum has several values: use .maximum, .minimum or .value (the observed coefficient).")

    def count_maximizers(self) -> MaximizerCount:
        """Count the tables that attain the maximum; see `maximum.count_maximizers`.

        Returns
        -------
        MaximizerCount
            The exact number, or a lower bound with the reason why the number is not known.
        """
        from kappamax.maximum.maximizers import count_maximizers

        return count_maximizers(self)

    def iter_maximizers(self) -> Iterator[Table]:
        """Iterate over all tables that attain the maximum; see `maximum.iter_maximizers`.

        Returns
        -------
        iterator of Table
            Every maximising table once.

        Raises
        ------
        NotSupportedError
            If the maximum is not proven, or if rearranging the ratings changes the expected agreement of the
            coefficient.
        """
        from kappamax.maximum.maximizers import iter_maximizers

        return iter_maximizers(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields except the solution as plain data, with the minimum if it has been searched for."""
        names = [one.name for one in public_fields(self) if one.name != "solution"]
        names += MINIMUM_FIELDS if self.has_minimum else ()
        return {name: plain(getattr(self, name)) for name in names}

    def certificate(self) -> dict[str, Any]:
        """Return all claims and their proofs as plain data for JSON, which `verify` can check.

        Returns
        -------
        dict
            The observed table, the weights, the table with the largest value, and the dual prices of the proof; the
            same for the smallest value if it has been searched for. docs/maximum.md describes the format.
        """
        return certificate_of(self)

    def save_certificate(self, path: str | Path) -> None:
        """Write the certificate to a file as JSON; `verify` or ``kappamax verify`` checks it later.

        Parameters
        ----------
        path : str or Path
            Name of the file.
        """
        require_output(path)
        write_whole(Path(path), json.dumps(self.certificate(), indent=1, allow_nan=False) + "\n")

    def _rows(self) -> list[tuple[str, str]]:
        ratio = f"undefined: {self.ratio_reason}" if self.ratio is None else numbers.share(self.value, self.ratio)
        return [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            ("maximum", _shown(self.maximum, self.bound, self.proof, "at most")),
            *([("minimum", self.minimum_text)] if self.has_minimum else []),
            ("share of the maximum", ratio),
            ("method", self.method),
        ]

    @property
    def minimum_text(self) -> str:
        """Smallest value in words, with its bound if it is not proven."""
        return _shown(self.minimum, self.minimum_bound, self.minimum_proof, "at least")


def extreme_problem(objective: Objective, sign: int) -> Problem:
    """Return the problem of the largest (1) or smallest (-1) value, whether or not the expected agreement varies."""
    return problem_for(objective, sign) if objective.fixed_chance else Problem(objective, sign)


def maximum_of(most: Solution, time_limit: float | None, progress: Progress | None) -> Maximum:
    """Return the result for a solution, with scores turned into values of the coefficient."""
    objective, best = most.problem.objective, most.objective
    value, top = objective.value(objective.score), best.value(most.cost)
    found = Maximum(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        value=value,
        maximum=top,
        ratio=None,
        ratio_reason="the search was interrupted",
        exact_maximum=best.exact_value(most.cost),
        method=most.method,
        proven=most.proven,
        proof=most.proof,
        bound=top if most.bound == most.cost else best.value(most.bound),
        table=most.table,
        solution=most,
        _time_limit=time_limit,
        _progress=progress,
        _data=objective.table.data,
    )
    try:
        reason = _no_ratio(found)
    except Interrupted:
        raise Interrupted(found) from None
    return replace(found, ratio=None if reason else value / top, ratio_reason=reason)


def _no_ratio(found: Maximum) -> str | None:
    """Return the reason why the value cannot be divided by the maximum, or None if it can."""
    limits = text.limits(found.objective.table.complete)
    if not found.proven:
        return "the maximum is not proven"
    if _one_value_only(found):
        return f"{limits} {ONE_VALUE}"
    if found.maximum <= 0:  # possible only with missing ratings
        return f"the largest value that {limits} allow is not above zero"
    return None


def _one_value_only(found: Maximum) -> bool:
    """Return whether it is proven that all tables have the same value, compared exactly.

    If the observed table attains the maximum, and no exchange of two ratings changes its score, then the smallest value
    is searched for.
    """
    objective, most = found.objective, found.solution
    if objective.score * most.objective.expected != most.cost * objective.expected or _exchange_matters(objective):
        return False
    least = found.minimum_solution
    high = least.cost * -1  # total disagreement
    return least.proven and most.cost * least.objective.expected == high * most.objective.expected


def _exchange_matters(objective: Objective) -> bool:
    """Return whether a rater can exchange the ratings of two subjects so that the score changes.

    Only some of the subjects are tried, and none if exchanges change the expected disagreement.
    """
    if not objective.fixed_chance:
        return False
    patterns = objective.table.patterns
    for first, second in islice(combinations(range(len(patterns)), 2), _EXCHANGES):
        old = patterns[[first, second]]
        for rater in np.flatnonzero((old[0] != old[1]) & (old >= 0).all(axis=0)).tolist():
            new = old.copy()
            new[:, rater] = old[::-1, rater]
            if (
                objective.scores(new).astype(object).sum(axis=0) != objective.scores(old).astype(object).sum(axis=0)
            ).any():
                return True
    return False


def _shown(value: float | None, bound: float, proof: str | None, word: str) -> str:
    if value is None:
        return f"not found ({word} {numbers.decimal(bound)})"
    if proof is not None:
        return f"{numbers.decimal(value)} (proven)"
    return f"{numbers.decimal(value)} (not proven; {word} {numbers.decimal(bound)})"
