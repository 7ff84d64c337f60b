"""Find the largest and smallest coefficient that the margins of ratings allow, with tables and proofs.

The smallest value is searched for only when it is asked for, because that search can take longer than the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from kappamax._progress import ProgressLike, as_progress
from kappamax._validate import require_time_limit
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import Interrupted
from kappamax.io import Ratings
from kappamax.maximum.maximum_result import Maximum, extreme_problem, maximum_of
from kappamax.maximum.problem import Watch
from kappamax.maximum.solve import solve
from kappamax.table import Label
from kappamax.weights import WeightsLike


def max_kappa(
    *ratings: Ratings | Objective,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    group_size: int = 2,
    time_limit: float | None = None,
    progress: ProgressLike = None,
    categories: Sequence[Label] | None = None,
) -> Maximum:
    """Find the largest value of a coefficient over all tables with the observed margins, and the smallest on request.

    The smallest value is searched for when an attribute of the result whose name contains "minimum" is first used.

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
        Largest number of seconds for the search, default no limit. When the time is over, the best table found is
        returned with a bound and ``proven=False``. The search for the smallest value has the same limit.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` several
        times during a long search. `done` is the number of calls so far, `total` is None, and `message` describes the
        state of the search.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Maximum
        The largest value with a table that attains it, and whether it is proven; the smallest value on request.

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
    try:
        most = solve(extreme_problem(objective, 1), Watch(time_limit, progress))
    except Interrupted as stopped:
        raise Interrupted(maximum_of(stopped.best, time_limit, progress)) from None
    return maximum_of(most, time_limit, progress)
