"""Gather every number that a report gives, with one result per weighting."""

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
    """Limits on the work that the parts of a report may take.

    Attributes
    ----------
    time_limit : float or None
        Seconds for each search of a maximum or minimum.
    exact_work : float
        Additions that an exact distribution by chance may take; beyond that, random tables are drawn.
    shuffled_ratings : int
        Ratings to shuffle in all, which decides how many random tables are drawn.
    fewest_draws, most_draws : int
        Bounds on the number of random tables.
    n_blocks : int
        Number of blocks in which random tables are drawn.
    counting_work : float or None
        Work for counting the tables that attain the maximum; None for the default.
    listing_steps : int or None
        Steps for listing these tables; None for the default.
    most_moves : int
        Pairs of patterns that may be examined to find the moves that raise agreement most.
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
        """Return how many random tables to draw."""
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
    """Report on a table within limits of work; a brief report has no test and does not count maximising tables."""
    results = []
    weightings = _weightings(weights, table)
    for done, one in enumerate(weightings):
        objective = as_objective(table, weights=one, coefficient=coefficient)
        tell = _part_of(progress, done, len(weightings), f"{objective.weights.name} weights")
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
        _part_of(progress, done, len(report.results), f"test against chance, {result.weights} weights")
        results.append(_with_chance(result, report.alternative, effort, report.seed))
    return replace(report, results=tuple(results))


@dataclass(frozen=True, repr=False)
class WeightingReport(Result):
    """The results for one weighting; only `weights`, `reason` and `sentences` where the coefficient is undefined.

    Attributes
    ----------
    agreement : Agreement or None
        Value, standard error, interval.
    maximum : Maximum or None
        The largest and smallest value that the margins and who rated whom allow; None, with `maximum_reason`, where
        they are not known.
    n_maximizers : MaximizerCount or None
        How many tables attain the largest value; None in a brief report.
    test : ExactTest or None
        Against chance, given the margins and who rated whom; None in a brief report.
    null : Distribution or None
        The distribution behind it.
    observed_disagreement, forced_disagreement : float or None
        Mean disagreement, and the least of any table with the same margins (and the same gaps); None where that is
        not proven or not what the maximum minimises.
    sentences : tuple of str
        The result in words.
    weights_in_words : str or None
        What this choice of weights does here.
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
        """Return plain data, without the distribution by chance and the objective."""
        names = [name for name in self.__dataclass_fields__ if name not in ("null", "objective")]
        return {name: plain(getattr(self, name)) for name in names}


@dataclass(frozen=True, repr=False)
class Report(TableResult):
    """A report: shows itself as text or, in a notebook, as HTML.

    Attributes
    ----------
    results : tuple of WeightingReport
        One per weighting, in the order asked for.
    pairs : PairwiseKappas or None
        For three or more raters.
    moves : RankedMoves or None
        The moves that would raise agreement most, where they are few enough to rank quickly.
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
        """The weighting that pictures and moves are shown for: linear if it was asked for, otherwise the first."""
        return self.results[_main(self.results)]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, in the schema of `--json`."""
        return report_document(self)

    def to_json(self) -> str:
        """Return the report as a JSON document."""
        return as_json(self.to_dict())

    def to_text(self) -> str:
        """Return the report as text of at most 80 columns."""
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
        """Return the results as CSV, one row per weighting, unrounded."""
        return csv_table(CSV_COLUMNS, [list(csv_row("", self, result).values()) for result in self.results])

    def to_latex(self) -> str:
        """Return the table of results in LaTeX (package booktabs)."""
        caption = f"{self.coefficient} of {self.table.n_raters} raters on {self.table.n_subjects} subjects."
        return latex_table(*result_rows(self), caption=caption)

    def to_markdown(self) -> str:
        """Return the table of results in Markdown."""
        return markdown_table(*result_rows(self))

    def methods(self) -> str:
        """Return a paragraph for a methods section, with the options used and references."""
        return methods_paragraph(self)

    def save(self, path: str | Path) -> None:
        """Write the report in the format that the file's name ends in: .html, .json, .csv, .tex, .md or .txt."""
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
    if weights is None:
        return ["unweighted", "linear", "quadratic", "sqrt"] if table.ordered else ["unweighted"]
    chosen = list(weights) if isinstance(weights, list | tuple) else [weights]
    return chosen or ["unweighted"]


def _main(results: Sequence[WeightingReport]) -> int:
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
    """Return the least mean disagreement of any table, where the table with the proven maximum has it."""
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
    """Return the best moves, where there are not too many to examine."""
    table = objective.table
    pairs = comb(len(table.counts), 2) * (2 ** (table.n_raters - 1) - 1)
    if not table.complete or pairs > effort.most_moves:
        return None
    return rank_moves(table, weights=objective.weights, coefficient=objective.coefficient.name, top=5)
