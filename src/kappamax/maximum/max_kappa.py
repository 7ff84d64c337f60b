"""Find the largest and smallest coefficient that the margins of ratings allow, with tables and proofs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kappamax._atomic_write import write_whole
from kappamax._progress import ProgressLike, as_progress
from kappamax._result import Result, plain, public_fields
from kappamax._validate import require_time_limit
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display import numbers, text
from kappamax.errors import Interrupted
from kappamax.io import Ratings
from kappamax.maximum.certificate_document import certificate_of
from kappamax.maximum.column_generation import STOPPED
from kappamax.maximum.first_table import first_table
from kappamax.maximum.problem import Problem, Watch, problem_for
from kappamax.maximum.solution import Solution
from kappamax.maximum.solve import solve
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

if TYPE_CHECKING:
    from kappamax.maximum.maximizers import MaximizerCount


def max_kappa(
    *ratings: Ratings | Objective,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    group_size: int = 2,
    time_limit: float | None = None,
    progress: ProgressLike = None,
    categories: Sequence[Label] | None = None,
) -> Maximum:
    """Find the largest and the smallest value of a coefficient over all tables with the observed margins.

    Parameters
    ----------
    *ratings : Table, frame, two or more arrays of labels, or Objective
        Ratings of the subjects. With missing ratings, the set of raters of each subject stays fixed: the ratings of
        each rater are rearranged over the subjects that this rater rated.
    weights : str, Weights or mapping
        Disagreement weights: a name such as "linear" or "quadratic", a `Weights` object, or a mapping from pairs of
        raters to weights. Default "unweighted".
    coefficient : str
        Name of the coefficient, default "kappa"; `agreement` lists the others. For complete ratings, all coefficients
        with the same weights and group size attain their maximum at the same tables.
    group_size : int
        Number of raters who must agree at a time, default 2; see `agreement`.
    time_limit : float, optional
        Largest number of seconds for each of the two searches, default no limit. When the time is over, the best table
        found is returned with a bound and ``proven=False``; `NotSupportedError` is raised instead where rearranging the
        ratings changes the expected agreement of the coefficient.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` several
        times during a long search. `done` is the number of calls so far, `total` is None, and `message` describes the
        state of the search.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Maximum
        Both extreme values with the tables that attain them, and whether they are proven.

    Raises
    ------
    UndefinedKappaError
        If all raters used a single category, or only categories between which the weights are zero.
    NotSupportedError
        If ratings are missing, rearranging them changes the expected agreement of the coefficient, and the design is
        too large to search; if rearranging them changes the weights of Krippendorff's ordinal metric; or if agreement
        of more than two raters at a time is asked for with missing ratings or in a large design.
    Interrupted
        On Ctrl-C during a long search; its `.best` is the result so far.

    See Also
    --------
    verify : Check a result independently of the solvers.
    maximum.iter_maximizers : Iterate over all tables that attain the maximum.

    Examples
    --------
    >>> import kappamax as km
    >>> result = km.max_kappa(km.example("rapallo2022"), weights="linear")
    >>> result.exact_maximum, result.proven, result.proof
    (Fraction(166, 221), True, 'prices')
    >>> round(result.ratio, 4)
    0.6687
    """
    objective = as_objective(
        *ratings, weights=weights, coefficient=coefficient, group_size=group_size, categories=categories
    )
    require_time_limit("time_limit", time_limit)
    progress = as_progress(progress)
    objective.require_fixed_weights("the largest value")
    problem_of = problem_for if objective.fixed_chance else Problem
    upper, lower = problem_of(objective, 1), problem_of(objective, -1)
    try:
        most = solve(upper, Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(_maximum(stopped.best, _without_search(lower))) from None
    try:
        least = solve(lower, Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(_maximum(most, stopped.best)) from None
    return _maximum(most, least)


@dataclass(frozen=True, repr=False)
class Maximum(Result):
    """Range of a coefficient over all tables with the observed margins and sets of raters; nothing is rounded.

    Attributes
    ----------
    coefficient, title : str
        Short name of the coefficient, and its name as a title.
    weights : str
        Name of the weights.
    value : float
        Observed coefficient.
    maximum, minimum : float
        Largest and smallest value found.
    exact_maximum, exact_minimum : Fraction or None
        The same values as fractions, where they are rational.
    ratio : float or None
        ``value / maximum``; None if the maximum is not proven or not greater than zero, or if only one value is
        possible.
    ratio_reason : str or None
        Reason why there is no ratio; None if there is one.
    table, minimum_table : Table
        Tables that attain the largest and the smallest value.
    proven, minimum_proven : bool
        Whether it is proven that no table has a larger, or a smaller, value.
    proof, minimum_proof : {"prices", "search"} or None
        Kind of proof. "prices" means that dual prices, under which no pattern has a negative reduced cost, prove the
        value; "search" means that a complete search between the value and the bound of the prices found no better
        table. None if the value is not proven.
    bound, minimum_bound : float
        Proven upper bound on the maximum, and proven lower bound on the minimum.
    method, minimum_method : str
        Names of the methods that found the two tables.
    solution, minimum_solution : Solution
        Tables and dual prices as the solvers returned them.
    """

    coefficient: str
    title: str
    weights: str
    value: float
    maximum: float
    minimum: float
    ratio: float | None
    ratio_reason: str | None
    exact_maximum: Fraction | None
    exact_minimum: Fraction | None
    method: str
    proven: bool
    proof: str | None
    bound: float
    minimum_method: str
    minimum_proven: bool
    minimum_proof: str | None
    minimum_bound: float
    table: Table = field(repr=False)
    minimum_table: Table = field(repr=False)
    solution: Solution = field(repr=False)
    minimum_solution: Solution = field(repr=False)

    @property
    def objective(self) -> Objective:
        """Observed table with its weights and coefficient."""
        return self.solution.problem.objective

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
        """Return all fields except the solutions as plain data for JSON."""
        names = [one.name for one in public_fields(self) if one.name not in ("solution", "minimum_solution")]
        return {name: plain(getattr(self, name)) for name in names}

    def certificate(self) -> dict[str, Any]:
        """Return all claims and their proofs as plain data for JSON, which `verify` can check.

        Returns
        -------
        dict
            The observed table, the weights, both extreme tables with their values, and the dual prices of the proofs.
            docs/maximum.md describes the format.
        """
        return certificate_of(self)

    def save_certificate(self, path: str | Path) -> None:
        """Write the certificate to a file as JSON; `verify` or ``kappamax verify`` checks it later.

        Parameters
        ----------
        path : str or Path
            Name of the file.
        """
        write_whole(Path(path), json.dumps(self.certificate(), indent=1, allow_nan=False) + "\n")

    def _rows(self) -> list[tuple[str, str]]:
        ratio = f"undefined: {self.ratio_reason}" if self.ratio is None else numbers.share(self.value, self.ratio)
        return [
            (f"{self.title}, {self.weights}", numbers.decimal(self.value)),
            ("maximum", _shown(self.maximum, self.bound, self.proof, "at most")),
            ("minimum", _shown(self.minimum, self.minimum_bound, self.minimum_proof, "at least")),
            ("share of the maximum", ratio),
            ("method", self.method),
        ]


def _without_search(problem: Problem) -> Solution:
    """Return a table and a rough bound for the smallest value, if Ctrl-C came before the search for it."""
    if problem.objective.fixed_chance:
        return first_table(problem, Watch(STOPPED))
    return solve(problem, Watch(0.0))


def _maximum(most: Solution, least: Solution) -> Maximum:
    """Return the result for two solutions, with scores turned into values of the coefficient."""
    objective, best, worst = most.problem.objective, most.objective, least.objective
    low, high = most.cost, least.cost * -1  # total disagreement of the two tables
    value, top, bottom = objective.value(objective.score), best.value(low), worst.value(high)
    reason = None
    if not most.proven:
        reason = "the maximum is not proven"
    elif least.proven and low * worst.expected == high * best.expected:  # exact, because rounded values can be equal
        reason = f"{text.limits(objective.table.complete)} allow one value only"
    elif top <= 0:  # possible only with missing ratings
        reason = f"the largest value that {text.limits(objective.table.complete)} allow is not above zero"
    return Maximum(
        coefficient=objective.coefficient.name,
        title=objective.coefficient.title,
        weights=objective.weights.name,
        value=value,
        maximum=top,
        minimum=bottom,
        ratio=None if reason else value / top,
        ratio_reason=reason,
        exact_maximum=best.exact_value(low),
        exact_minimum=worst.exact_value(high),
        method=most.method,
        proven=most.proven,
        proof=most.proof,
        bound=top if most.bound == low else best.value(most.bound),
        minimum_method=least.method,
        minimum_proven=least.proven,
        minimum_proof=least.proof,
        minimum_bound=bottom if least.bound == least.cost else worst.value(least.bound * -1),
        table=most.table,
        minimum_table=least.table,
        solution=most,
        minimum_solution=least,
        _data=objective.table.data,
    )


def _shown(value: float, bound: float, proof: str | None, word: str) -> str:
    if proof is not None:
        return f"{numbers.decimal(value)} (proven)"
    return f"{numbers.decimal(value)} (not proven; {word} {numbers.decimal(bound)})"
