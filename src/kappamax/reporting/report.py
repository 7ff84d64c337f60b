"""Compute all results of a report, one set of results per weighting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from pathlib import Path
from typing import Any

from kappamax._atomic_write import write_by_ending
from kappamax._progress import Progress, require_progress
from kappamax._result import Result, TableResult, plain
from kappamax._validate import as_choice, as_number_between, as_whole_number, require_time_limit
from kappamax.coefficients import as_objective
from kappamax.disagreement.objective import Objective
from kappamax.display.tables import csv_table, latex_table, markdown_table
from kappamax.errors import NotSupportedError, UndefinedKappaError
from kappamax.fibers.distribution import ALTERNATIVES, Distribution
from kappamax.fibers.exact_test import ExactTest
from kappamax.fibers.move_ranking import RankedMoves, rank_moves
from kappamax.fibers.null_distribution import null_distribution
from kappamax.io import Ratings, as_table
from kappamax.kappas import Agreement, PairwiseKappas, agreement, pairwise_kappas
from kappamax.maximum.max_kappa import Maximum, max_kappa
from kappamax.maximum.maximizers import MaximizerCount, count_maximizers
from kappamax.reporting import sentences
from kappamax.reporting.formats.html import fragment_of, html_of
from kappamax.reporting.formats.json import as_json, report_document
from kappamax.reporting.formats.rows import CSV_COLUMNS, csv_row, result_rows
from kappamax.reporting.formats.text import text_of
from kappamax.reporting.methods_paragraph import methods_paragraph
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike


@dataclass(frozen=True)
class Effort:
    """Limits on the work for the parts of a report.

    Attributes
    ----------
    time_limit : float or None
        Time limit in seconds for each search for a maximum or minimum; None is no limit.
    exact_work : float
        Largest number of additions for computing the exact distribution under chance. If more are needed, random
        tables are drawn instead.
    shuffled_ratings : int
        Total number of ratings to shuffle, which determines the number of random tables.
    fewest_draws, most_draws : int
        Smallest and largest number of random tables.
    n_blocks : int
        Number of blocks in which random tables are drawn.
    counting_work : float or None
        Limit on the work of counting the tables that attain the maximum; None is the default of `count_maximizers`.
    listing_steps : int or None
        Limit on the steps of listing these tables; None is the default of `count_maximizers`.
    most_moves : int
        Largest number of pairs of patterns to examine for the moves that raise agreement most.
    """

    time_limit: float | None = 30.0
    exact_work: float = 3e8
    shuffled_ratings: int = 5_000_000
    fewest_draws: int = 2_000
    most_draws: int = 100_000
    n_blocks: int = 50
    counting_work: float | None = None
    listing_steps: int | None = None
    most_moves: int = 100_000

    def draws(self, table: Table) -> int:
        """Return the number of random tables to draw for a table."""
        wanted = self.shuffled_ratings // (table.n_subjects * table.n_raters)
        return max(self.fewest_draws, min(self.most_draws, wanted))


def report(
    *ratings: Ratings,
    weights: WeightsLike | Sequence[WeightsLike] | None = None,
    coefficient: str = "kappa",
    level: float = 0.95,
    alternative: str = "greater",
    time_limit: float | None = 30.0,
    rng: int = 0,
    title: str = "Agreement between raters",
    progress: Progress | None = None,
    categories: Sequence[Label] | None = None,
) -> Report:
    """Report the agreement of raters: coefficients, maxima, tests, tables and pictures.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    weights : str, Weights, mapping, or a list of these, optional
        Weightings to report. Default: "unweighted", "linear", "quadratic" and "sqrt" for ordered categories, otherwise
        "unweighted" only.
    coefficient : str
        Name of the coefficient, default "kappa": Cohen's kappa for two raters and Conger's kappa for more. `agreement`
        lists the others.
    level : float
        Confidence level of the intervals, default 0.95.
    alternative : {"greater", "less", "two-sided"}
        Alternative hypothesis of the test against chance: more agreement (default), less, or different. The two-sided
        p-value is by distance from the mean, as in `exact_test`.
    time_limit : float, optional
        Largest number of seconds for each search of a maximum or minimum, default 30. After that, the best value found
        and a bound are reported.
    rng : int
        Seed of the Monte Carlo test, which is used where the exact test would take long, default 0. The same input
        gives the same report, unless a search runs out of time.
    title : str
        Title of the report.
    progress : callable, optional
        Called as ``progress(done, total, message)`` with the number of weightings done and a line about the work.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    Report
        Numbers, sentences and pictures, to be shown or saved in several formats.

    Raises
    ------
    Interrupted
        On Ctrl-C.

    Examples
    --------
    >>> import kappamax as km
    >>> r = km.report(km.example("rapallo2022"), weights="linear")
    >>> print(r.results[0].sentences[1])
    The raters reached 66.9% of the largest value that the margins allow (0.7511, proven).
    """
    table = as_table(*ratings, categories=categories)
    level = as_number_between("level", level, 0, 1)
    alternative = as_choice("alternative", alternative, ALTERNATIVES)
    require_time_limit("time_limit", time_limit)
    require_progress(progress)
    seed = as_whole_number("rng", rng, 0)
    return report_within(
        Effort(time_limit=time_limit),
        table,
        weights=weights,
        coefficient=coefficient,
        level=level,
        alternative=alternative,
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
    seed: int = 0,
    title: str = "Agreement between raters",
    progress: Progress | None = None,
    brief: bool = False,
) -> Report:
    """Report on a table within limits on the work.

    A brief report contains no test and does not count the tables that attain the maximum.
    """
    results = []
    weightings = _weightings(weights, table)
    for done, one in enumerate(weightings):
        objective = as_objective(table, weights=one, coefficient=coefficient)
        tell = _part_of(progress, done, len(weightings), sentences.weighting_name(objective.weights.name))
        results.append((objective, _numbers(objective, level, effort, tell)))
    objective, main = results[_main([result for _, result in results])]
    made = Report(
        title=title,
        table=table,
        coefficient=objective.coefficient.title,
        level=level,
        alternative=alternative,
        seed=seed,
        results=tuple(result for _, result in results),
        pairs=pairwise_kappas(table, weights=objective.weights) if table.n_raters > 2 else None,
        moves=None if main.agreement is None else _moves(objective, effort),
    )
    return made if brief else completed(made, effort, progress)


def completed(report: Report, effort: Effort, progress: Progress | None = None) -> Report:
    """Return a brief report with the tests against chance and the numbers of maximising tables added."""
    results = []
    for done, result in enumerate(report.results):
        _part_of(
            progress, done, len(report.results), f"test against chance, {sentences.weighting_name(result.weights)}"
        )
        results.append(_with_chance(result, report.alternative, effort, report.seed))
    return replace(report, results=tuple(results))


@dataclass(frozen=True, repr=False)
class WeightingReport(Result):
    """Results for one weighting.

    If the coefficient is undefined, only `weights`, `reason` and `sentences` are given.

    Attributes
    ----------
    weights : str
        Name of the weighting.
    agreement : Agreement or None
        Value of the coefficient with its standard error and confidence interval.
    maximum : Maximum or None
        Largest and smallest value that the margins and the set of raters of each subject allow; None if they are not
        known.
    maximum_reason : str or None
        Reason why `maximum` is None.
    n_maximizers : MaximizerCount or None
        Number of tables that attain the maximum; None in a brief report.
    test : ExactTest or None
        Test against chance, conditional on the margins and the set of raters of each subject; None in a brief report.
    null : Distribution or None
        Distribution of the coefficient under chance, on which the test is based.
    observed_disagreement : float or None
        Observed mean disagreement.
    forced_disagreement : float or None
        Smallest mean disagreement of any table with the same margins and the same missing ratings; None if it is not
        proven, or if the table that attains the maximum need not have it.
    reason : str or None
        Reason why the coefficient is undefined.
    sentences : tuple of str
        Results in words.
    weights_in_words : str or None
        Effect of the weights on the table with the largest agreement, in words.
    objective : Objective or None
        Objective from which the results were computed.
    """

    weights: str
    agreement: Agreement | None = None
    maximum: Maximum | None = None
    maximum_reason: str | None = None
    n_maximizers: MaximizerCount | None = None
    test: ExactTest | None = None
    null: Distribution | None = field(default=None, repr=False)
    observed_disagreement: float | None = None
    forced_disagreement: float | None = None
    reason: str | None = None
    sentences: tuple[str, ...] = ()
    weights_in_words: str | None = None
    objective: Objective | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain data, without the distribution under chance and the objective."""
        names = [name for name in self.__dataclass_fields__ if name not in ("null", "objective")]
        return {name: plain(getattr(self, name)) for name in names}


@dataclass(frozen=True, repr=False)
class Report(TableResult):
    """Report on the agreement between raters, which is shown as text or, in a notebook, as HTML.

    Attributes
    ----------
    title : str
        Title of the report.
    table : Table
        Ratings that the report describes.
    coefficient : str
        Name of the coefficient, such as "Cohen's kappa".
    level : float
        Confidence level of the intervals.
    alternative : str
        Alternative hypothesis of the tests against chance.
    seed : int
        Seed of the Monte Carlo tests.
    results : tuple of WeightingReport
        Results for each weighting, in the order requested.
    pairs : PairwiseKappas or None
        Kappa of each pair of raters, if there are three or more raters.
    moves : RankedMoves or None
        Moves that raise agreement most; None if there are too many moves to rank them quickly.
    """

    title: str
    table: Table
    coefficient: str
    level: float
    alternative: str
    seed: int
    results: tuple[WeightingReport, ...]
    pairs: PairwiseKappas | None
    moves: RankedMoves | None

    @property
    def main(self) -> WeightingReport:
        """Results of the main weighting, which is linear if requested and otherwise the first."""
        return self.results[_main(self.results)]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, with the fields of the option `--json`."""
        return report_document(self)

    def to_json(self) -> str:
        """Return the report as a JSON document."""
        return as_json(self.to_dict())

    def to_text(self) -> str:
        """Return the report as plain text of at most 80 columns."""
        return text_of(self)

    def to_html(self) -> str:
        """Return the report as one self-contained HTML page."""
        return html_of(self)

    def _columns(self) -> dict[str, Iterable[Any]]:
        rows = [csv_row("", self, result) for result in self.results]
        return {name: [row[name] for row in rows] for name in CSV_COLUMNS if name != "group"}

    def _frame_library(self) -> str | None:
        return self.table.frame_library

    def to_csv(self) -> str:
        """Return the unrounded results as CSV, with one row per weighting."""
        return csv_table(CSV_COLUMNS, [list(csv_row("", self, result).values()) for result in self.results])

    def to_latex(self) -> str:
        """Return the table of results in LaTeX (package booktabs)."""
        caption = f"{self.coefficient} of {self.table.n_raters} raters on {self.table.n_subjects} subjects."
        return latex_table(*result_rows(self), caption=caption)

    def to_markdown(self) -> str:
        """Return the table of results in Markdown."""
        return markdown_table(*result_rows(self))

    def methods(self) -> str:
        """Return a paragraph for a methods section, with references and the options used."""
        return methods_paragraph(self)

    def save(self, path: str | Path) -> None:
        """Write the report to a file in the format given by the ending of its name.

        Parameters
        ----------
        path : str or Path
            Name of the file, which ends in .html, .htm, .json, .csv, .tex, .md or .txt.

        Raises
        ------
        InvalidOptionError
            If the name has another ending.
        """
        writers = {
            ".html": self.to_html,
            ".htm": self.to_html,
            ".json": self.to_json,
            ".csv": self.to_csv,
            ".tex": self.to_latex,
            ".md": self.to_markdown,
            ".txt": self.to_text,
        }
        write_by_ending(path, writers)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return fragment_of(self)


def _part_of(progress: Progress | None, done: int, total: int, part: str) -> Progress | None:
    """Report that a part of the work begins, and return a callback for the messages of this part."""
    if progress is None:
        return None
    progress(done, total, part)
    return lambda _done, _total, message: progress(done, total, f"{part}: {message}")


def _weightings(weights: Any, table: Table) -> list[Any]:
    """Return the requested weightings as a list, or the default ones."""
    if weights is None:
        return ["unweighted", "linear", "quadratic", "sqrt"] if table.ordered else ["unweighted"]
    chosen = list(weights) if isinstance(weights, list | tuple) else [weights]
    return chosen or ["unweighted"]


def _main(results: Sequence[WeightingReport]) -> int:
    """Return the index of the main weighting."""
    names = [result.weights for result in results]
    return names.index("linear") if "linear" in names else 0


def _numbers(objective: Objective, level: float, effort: Effort, progress: Progress | None) -> WeightingReport:
    """Return the value of the coefficient and the range that the margins allow."""
    table, name = objective.table, objective.weights.name
    try:
        measured = agreement(objective, level=level)
    except UndefinedKappaError as error:
        return WeightingReport(
            weights=name, reason=error.reason, sentences=sentences.undefined(objective.coefficient.title, error.reason)
        )
    most = reason = None
    try:
        most = max_kappa(objective, time_limit=effort.time_limit, progress=progress)
    except NotSupportedError as error:
        reason = str(error)
    result = WeightingReport(
        weights=name,
        agreement=measured,
        maximum=most,
        maximum_reason=reason,
        observed_disagreement=float(objective.observed(objective.score)),
        forced_disagreement=_forced(most),
        weights_in_words=None if most is None else sentences.of_weights(objective.weights, most),
        objective=objective,
    )
    return replace(result, sentences=sentences.of_weighting(table, result))


def _forced(most: Maximum | None) -> float | None:
    """Return the smallest mean disagreement of any table, if a table with a proven maximum is known to have it."""
    if most is None or not most.proven or not most.objective.fixed_chance:
        return None
    return float(most.objective.observed(most.solution.cost))


def _with_chance(result: WeightingReport, alternative: str, effort: Effort, seed: int) -> WeightingReport:
    """Return the result with the test against chance and the number of tables that attain the maximum."""
    if result.objective is None:
        return result
    count = None
    if result.maximum is not None:
        count = count_maximizers(result.maximum, counting_work=effort.counting_work, listing_steps=effort.listing_steps)
    table = result.objective.table
    null = null_distribution(
        result.objective,
        exact_work=effort.exact_work,
        n_draws=effort.draws(table),
        n_blocks=effort.n_blocks,
        rng=seed,
    )
    whole = replace(result, n_maximizers=count, null=null, test=ExactTest.from_distribution(null, alternative))
    return replace(whole, sentences=sentences.of_weighting(table, whole))


def _moves(objective: Objective, effort: Effort) -> RankedMoves | None:
    """Return the moves that raise agreement most, or None if there are too many moves to examine."""
    table = objective.table
    pairs = comb(len(table.counts), 2) * (2 ** (table.n_raters - 1) - 1)
    if not table.complete or pairs > effort.most_moves:
        return None
    return rank_moves(table, weights=objective.weights, coefficient=objective.coefficient.name, top=5)
