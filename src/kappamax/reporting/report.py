"""Compute all results of a report, one set of results per weighting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

from kappamax._progress import Progress, ProgressLike, as_progress
from kappamax._validate import as_choice, as_number_between, as_whole_number, require_time_limit
from kappamax.benchmark_scales import SCALES
from kappamax.benchmark_scales import benchmark as benchmark_of
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.errors import NotSupportedError, UndefinedKappaError
from kappamax.fibers.distribution import ALTERNATIVES
from kappamax.fibers.exact_test import chance_test
from kappamax.fibers.move_ranking import RankedMoves, rank_moves
from kappamax.intra_rater import IntraRaterAgreement, as_table_with_occasions, intra_rater_agreement
from kappamax.io import Ratings, as_table
from kappamax.kappas import agreement
from kappamax.margin_tests import MarginalHomogeneityTest, marginal_homogeneity
from kappamax.maximum.corrected_share import ShareOfMaximum, share_of_maximum
from kappamax.maximum.least_disagreements import has_formula
from kappamax.maximum.max_kappa import max_kappa
from kappamax.maximum.maximizers import count_maximizers
from kappamax.maximum.maximum_result import Maximum
from kappamax.maximum.problem import Watch
from kappamax.rater_occasions import OccasionsLike
from kappamax.rater_pairs import PairwiseKappas, pairwise_kappas
from kappamax.reporting import sentences
from kappamax.reporting.report_results import Report, WeightingReport, main_index
from kappamax.table import Label, Table
from kappamax.weights import Weights, WeightsLike


def report(
    *ratings: Ratings,
    weights: WeightsLike | Sequence[WeightsLike] | None = None,
    coefficient: str = "kappa",
    level: float = 0.95,
    alternative: str = "greater",
    benchmark: str | None = None,
    occasions: OccasionsLike | None = None,
    time_limit: float | None = 30.0,
    rng: int = 0,
    title: str = "Agreement between raters",
    progress: ProgressLike = None,
    cluster: Any = None,
    categories: Sequence[Label] | None = None,
) -> Report:
    """Report the agreement between raters with its maximum, tests, tables and figures.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    weights : str, Weights, mapping, or a list of these, optional
        Weightings to report. By default, these are "unweighted", "linear", "quadratic" and "sqrt" for ordered
        categories and "unweighted" otherwise.
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    level : float
        Confidence level of the intervals, default 0.95.
    alternative : {"greater", "less", "two-sided"}
        Alternative hypothesis of the test against chance, default "greater": more agreement than under chance, less
        agreement, or either. The two-sided p-value is based on the distance from the mean, as in `exact_test`.
    benchmark : {"landis-koch", "altman", "fleiss"}, optional
        Verbal scale on which each coefficient is placed, as by `kappamax.benchmark`. By default there is none.
    occasions : mapping, sequence of str, or str, optional
        Assignment of the columns to raters who rated on several occasions, as for `intra_rater_agreement`. The report
        then has a section on the agreement of each rater over the occasions, under the main weighting; the other
        sections take every column as a rater. By default there is no such section.
    time_limit : float, optional
        Time limit in seconds for all searches together, that is, for the maximum, the minimum and the number of
        maximising tables of every weighting, default 30. Each search may take an equal share of the time that is left.
        Then the best value found and a bound are reported, with a note. None means no limit.
    rng : int
        Seed of the Monte Carlo tests, default 0. These are used if the exact test against chance, or the exact test of
        the margins, would take too long. The same input gives the same report unless a search runs out of time.
    title : str
        Title of the report, default "Agreement between raters".
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        number of finished weightings, the number of all weightings and a description of the current work.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, or an array with one entry per subject. Intervals and
        tests then respect clusters. By default, the clusters that a Table has.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Report
        Numbers, sentences and figures, which can be shown or saved in several formats.

    Raises
    ------
    NotSupportedError
        If there is a benchmark and the coefficient is percent agreement.
    Interrupted
        If the user presses Ctrl-C.

    Examples
    --------
    >>> import kappamax as km
    >>> r = km.report(km.example("rapallo2022"), weights="linear")
    >>> print(r.results[0].sentences[1])
    The raters reached 66.9% of the largest value that the margins allow (0.7511, proven).
    """
    if occasions is None:
        table = as_table(*ratings, categories=categories, cluster=cluster)
    else:
        table = as_table_with_occasions(ratings, occasions, categories, cluster)
    level = as_number_between("level", level, 0, 1)
    alternative = as_choice("alternative", alternative, ALTERNATIVES)
    require_time_limit("time_limit", time_limit)
    progress = as_progress(progress)
    seed = as_whole_number("rng", rng, 0)
    return report_within(
        Effort(time_limit=time_limit),
        table,
        weights=weights,
        coefficient=coefficient,
        level=level,
        alternative=alternative,
        benchmark=None if benchmark is None else as_choice("benchmark", benchmark, SCALES),
        occasions=occasions,
        seed=seed,
        title=title,
        progress=progress,
    )


def report_within(
    effort: Effort,
    table: Table,
    *,
    weights: WeightsLike | Sequence[WeightsLike] | None = None,
    coefficient: str = "kappa",
    level: float = 0.95,
    alternative: str = "greater",
    benchmark: str | None = None,
    occasions: OccasionsLike | None = None,
    seed: int = 0,
    title: str = "Agreement between raters",
    progress: Progress | None = None,
    brief: bool = False,
) -> Report:
    """Report on a table within limits on the work.

    A brief report contains no test and does not count the tables that attain the maximum.
    """
    results = []
    margins_test = _margins_test(table, seed)
    weightings = listed_weightings(weights, ordered=table.ordered)
    shares = _TimeShares(effort.time_limit, (2 if brief else 3) * len(weightings))
    for done, one in enumerate(weightings):
        objective = as_objective(table, weights=one, coefficient=coefficient)
        tell = _part_of(progress, done, len(weightings), sentences.weighting_name(objective.weights.name))
        results.append((objective, _numbers(objective, level, benchmark, shares, tell, margins_test)))
    objective, main = results[main_index([result for _, result in results])]
    made = Report(
        title=title,
        table=table,
        coefficient=objective.coefficient.title,
        level=level,
        alternative=alternative,
        seed=seed,
        results=tuple(result for _, result in results),
        pairs=_pairs(objective, level) if table.n_raters > 2 else None,
        moves=None if main.agreement is None else _moves(objective, effort),
        marginal_homogeneity=margins_test,
        retest=None if occasions is None else _retest(objective, occasions, coefficient, level, seed),
        weights_left_out=sentences.weights_left_out(table) if weights is None else None,
        _data=table.data,
    )
    return made if brief else completed(made, effort, progress, shares)


def completed(
    report: Report, effort: Effort, progress: Progress | None = None, shares: _TimeShares | None = None
) -> Report:
    """Return a brief report with the tests against chance and the numbers of maximising tables added.

    The time left for counting is `shares`, by default that of `effort`.
    """
    results = []
    shares = shares or _TimeShares(effort.time_limit, len(report.results))
    for done, result in enumerate(report.results):
        _part_of(
            progress, done, len(report.results), f"test against chance, {sentences.weighting_name(result.weights)}"
        )
        results.append(_with_chance(result, report, effort, shares))
    return replace(report, results=tuple(results))


@dataclass(frozen=True)
class Effort:
    """Limits on the work for the parts of a report.

    Attributes
    ----------
    time_limit : float or None
        Time limit in seconds for all searches together, default 30; None means no limit.
    counting_work : float or None
        Limit on the work of counting the tables that attain the maximum. None (default) uses the default of
        `count_maximizers`.
    listing_steps : int or None
        Limit on the number of steps for listing these tables. None (default) uses the default of `count_maximizers`.
    most_moves : int
        Largest number of moves to examine for those that raise agreement most, default 100,000.
    """

    time_limit: float | None = 30.0
    counting_work: float | None = None
    listing_steps: int | None = None
    most_moves: int = 100_000


class _TimeShares:
    """Time limit of several searches, of which each may take an equal share of the time that is left.

    Parameters
    ----------
    time_limit : float or None
        Limit for all searches together, in seconds; None means no limit.
    n_searches : int
        Number of searches.
    """

    def __init__(self, time_limit: float | None, n_searches: int) -> None:
        self._watch = Watch(time_limit)
        self._n_left = n_searches

    def next(self) -> float | None:
        """Return the limit of the next search in seconds."""
        share = None if self._watch.left is None else self._watch.left / max(1, self._n_left)
        self._n_left -= 1
        return share

    def skip(self, n_searches: int) -> None:
        """Leave the time of some searches, which are not made, to the others."""
        self._n_left -= n_searches


def _part_of(progress: Progress | None, done: int, total: int, part: str) -> Progress | None:
    """Report that a part of the work begins, and return a callback for the messages of this part."""
    if progress is None:
        return None
    progress(done, total, part)
    return lambda _done, _total, message: progress(done, total, f"{part}: {message}")


def listed_weightings(weights: Any, *, ordered: bool) -> list[Any]:
    """Return the requested weightings as a list, or the default ones for categories that are ordered or not."""
    if weights is None:
        return ["unweighted", "linear", "quadratic", "sqrt"] if ordered else ["unweighted"]
    chosen = list(weights) if isinstance(weights, list | tuple) else [weights]
    return chosen or ["unweighted"]


def _margins_test(table: Table, seed: int) -> MarginalHomogeneityTest | None:
    """Return the test of whether the raters use the categories equally often, or None if the design is too large."""
    try:
        return marginal_homogeneity(table, rng=seed)
    except NotSupportedError:
        return None


def _numbers(
    objective: Objective,
    level: float,
    scale: str | None,
    shares: _TimeShares,
    progress: Progress | None,
    margins_test: MarginalHomogeneityTest | None,
) -> WeightingReport:
    """Return the value of the coefficient and the range that the margins allow."""
    table, name = objective.table, objective.weights.name
    try:
        measured = agreement(objective, level=level)
    except UndefinedKappaError as error:
        shares.skip(3)
        return WeightingReport(
            weights=name, reason=error.reason, sentences=sentences.undefined(objective.coefficient.title, error.reason)
        )
    placed = None if scale is None else benchmark_of(measured, scale=scale)
    most = reason = None
    cut_short = []
    try:
        watch = Watch(shares.next())
        most = max_kappa(objective, time_limit=watch.left, progress=progress)
        if watch.over and not most.proven:
            cut_short.append("maximum")
        watch = Watch(shares.next())
        most = most.with_minimum(time_limit=watch.left, progress=progress)
        if watch.over and not most.minimum_proven:
            cut_short.append("minimum")
    except NotSupportedError as error:
        reason = str(error)
        shares.skip(2)
    result = WeightingReport(
        weights=name,
        agreement=measured,
        benchmark=placed,
        maximum=most,
        maximum_reason=reason,
        cut_short=tuple(cut_short),
        observed_disagreement=float(objective.observed(objective.score)),
        forced_disagreement=_forced(most),
        weights_in_words=None if most is None else sentences.of_weights(objective.weights, most),
        objective=objective,
    )
    return replace(result, sentences=sentences.of_weighting(table, result, margins_test))


def _forced(most: Maximum | None) -> float | None:
    """Return the smallest mean disagreement of any table, if a table with a proven maximum is known to have it."""
    if most is None or not most.proven or not most.objective.fixed_chance:
        return None
    return float(most.objective.observed(most.solution.cost))


def _with_chance(result: WeightingReport, report: Report, effort: Effort, shares: _TimeShares) -> WeightingReport:
    """Return the result with the test against chance and the number of tables that attain the maximum."""
    if result.objective is None:
        return result
    count, cut_short = None, result.cut_short
    if result.maximum is not None:
        watch = Watch(shares.next())
        count = count_maximizers(
            result.maximum,
            counting_work=effort.counting_work,
            listing_steps=effort.listing_steps,
            time_limit=watch.left,
        )
        if watch.over and result.maximum.proven and count.n is None:
            cut_short = (*cut_short, "number of maximising tables")
    table, margins_test = result.objective.table, report.marginal_homogeneity
    whole = replace(result, n_maximizers=count, cut_short=cut_short, corrected_share=_corrected_share(result, report))
    try:
        null, test = chance_test(result.objective, report.alternative, rng=report.seed)
    except NotSupportedError:  # for the same reason as the maximum, which the sentences give
        return replace(whole, sentences=sentences.of_weighting(table, whole, margins_test))
    whole = replace(whole, null=null, test=test)
    return replace(whole, sentences=sentences.of_weighting(table, whole, margins_test))


def _corrected_share(result: WeightingReport, report: Report) -> ShareOfMaximum | None:
    """Return the share of the maximum in the population, if margins below 1 cap the value and a formula makes it fast.

    With quadratic weights the plain share needs no correction, since chance margins force little disagreement.
    """
    objective, most = result.objective, result.maximum
    if objective is None or most is None or not most.proven or not 0 < most.value < most.maximum < 1:
        return None
    table = objective.table
    if not table.complete or table.clusters is not None or objective.varying_weights:
        return None
    if result.weights == "quadratic" or not has_formula(objective):
        return None
    return share_of_maximum(objective, level=report.level, rng=report.seed)


def _retest(
    objective: Objective, occasions: OccasionsLike, coefficient: str, level: float, seed: int
) -> IntraRaterAgreement:
    """Return the agreement of each rater over the occasions, under the weights of an objective."""
    weights: Any = objective.weights
    if isinstance(weights, Weights) and weights.depends_on_use:
        weights = weights.name  # such weights are computed from the ratings of each rater
    return intra_rater_agreement(
        objective.table, occasions=occasions, weights=weights, coefficient=coefficient, level=level, rng=seed
    )


def _pairs(objective: Objective, level: float) -> PairwiseKappas | None:
    """Return the kappa of every pair of raters under the weights of all raters, or None if there are too many pairs."""
    weights = objective.weights
    if isinstance(weights, Weights):
        weights = replace(weights, depends_on_use=False)
    try:
        return pairwise_kappas(objective.table, weights=weights, level=level)
    except NotSupportedError:
        return None


def _moves(objective: Objective, effort: Effort) -> RankedMoves | None:
    """Return the moves that raise agreement most, or None if there are too many moves to examine."""
    table = objective.table
    pairs = comb(len(table.counts), 2) * (2 ** (table.n_raters - 1) - 1)
    if not table.complete or pairs > effort.most_moves:
        return None
    return rank_moves(table, weights=objective.weights, coefficient=objective.coefficient.name, top=5)
