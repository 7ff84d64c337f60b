"""Hold the results of a report, and return them in every format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kappamax._atomic_write import write_by_ending
from kappamax._result import Result, TableResult, plain, public_fields
from kappamax.benchmark_scales import Benchmark
from kappamax.disagreement.objective import Objective
from kappamax.display.tables import csv_table, latex_table, markdown_table
from kappamax.fibers.distribution import Distribution
from kappamax.fibers.exact_test import ExactTest
from kappamax.fibers.move_ranking import RankedMoves
from kappamax.intra_rater import IntraRaterAgreement
from kappamax.kappas import Agreement
from kappamax.margin_tests import MarginalHomogeneityTest
from kappamax.maximum.corrected_share import ShareOfMaximum
from kappamax.maximum.maximizers import MaximizerCount
from kappamax.maximum.maximum_result import Maximum
from kappamax.rater_pairs import PairwiseKappas
from kappamax.reporting.formats.html import fragment_of, html_of
from kappamax.reporting.formats.json import as_json, report_document
from kappamax.reporting.formats.rows import CSV_COLUMNS, columns_of, csv_row, draws_explained, result_rows
from kappamax.reporting.formats.text import text_of
from kappamax.reporting.methods_paragraph import methods_paragraph
from kappamax.reporting.sentences import cut_short_notes, is_capped, of_margins_test
from kappamax.table import Table


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
    cut_short : tuple of str
        Searches that the time limit ended before they were complete: "maximum", "minimum", or "number of maximising
        tables".
    test : ExactTest or None
        Test against chance, conditional on the margins and the set of raters of each subject; None in a brief report.
    null : Distribution or None
        Distribution of the coefficient under chance, on which the test is based; None in a brief report.
    observed_disagreement : float or None
        Observed mean disagreement.
    forced_disagreement : float or None
        Smallest mean disagreement of any table with the same margins and the same missing ratings; None if it is not
        proven, or if the table that attains the maximum need not have it.
    corrected_share : ShareOfMaximum or None
        Share of its maximum that the coefficient reaches in the population, corrected for margins that differ by
        chance; None in a brief report, if the value or the maximum does not call for it, if ratings are missing or the
        subjects are in clusters, or if no formula gives the maximum.
    reason : str or None
        Reason why the coefficient is undefined.
    sentences : tuple of str
        Results in words.
    weights_in_words : str or None
        Effect of the weights on the table with the largest agreement, in words; None if the maximum is not known or if
        the pairs of raters have different weights.
    benchmark : Benchmark or None
        Place of the coefficient on a verbal scale; None unless a scale was requested.
    objective : Objective or None
        Objective from which the results were computed.
    """

    weights: str
    agreement: Agreement | None = None
    maximum: Maximum | None = None
    maximum_reason: str | None = None
    n_maximizers: MaximizerCount | None = None
    cut_short: tuple[str, ...] = ()
    test: ExactTest | None = None
    null: Distribution | None = field(default=None, repr=False)
    observed_disagreement: float | None = None
    forced_disagreement: float | None = None
    corrected_share: ShareOfMaximum | None = None
    reason: str | None = None
    sentences: tuple[str, ...] = ()
    weights_in_words: str | None = None
    benchmark: Benchmark | None = None
    objective: Objective | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain data, without the distribution under chance and the objective."""
        names = [one.name for one in public_fields(self) if one.name not in ("null", "objective")]
        return {name: plain(getattr(self, name)) for name in names}


#: methods of a report by the endings of the files that they write
WRITERS = {
    ".html": "to_html",
    ".htm": "to_html",
    ".json": "to_json",
    ".csv": "to_csv",
    ".tex": "to_latex",
    ".md": "to_markdown",
    ".txt": "to_text",
}


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
        Kappa of each pair of raters; None if there are two raters, or so many that it would take minutes.
    moves : RankedMoves or None
        Moves that raise agreement most; None if the coefficient is undefined, if ratings are missing, or if there are
        too many moves to rank them quickly.
    weights_left_out : str or None
        Reason why the default weightings do not include weights for ordered categories, and how to get them; None if
        they do, or if weightings were requested.
    marginal_homogeneity : MarginalHomogeneityTest or None
        Test of whether the raters use the categories equally often; None if there are too many raters and categories.
    retest : IntraRaterAgreement or None
        Agreement of each rater over several occasions, under the main weighting; None unless occasions were given.
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
    weights_left_out: str | None = None
    marginal_homogeneity: MarginalHomogeneityTest | None = None
    retest: IntraRaterAgreement | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the reading, searches that the time limit ended, and why weighted coefficients are left out."""
        left_out = [self.weights_left_out] if self.weights_left_out else []
        return (*self.table.reading.notes, *cut_short_notes(self.results), *left_out)

    @property
    def main(self) -> WeightingReport:
        """Results for the main weighting, which is linear if it was requested and the first one otherwise."""
        return self.results[main_index(self.results)]

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
        return {name: column for name, column in columns_of(self._csv_rows()).items() if name != "group"}

    def _csv_rows(self) -> list[dict[str, Any]]:
        return [csv_row("", self, result) for result in self.results]

    def _frame_library(self) -> str | None:
        return self.table.frame_library

    def to_csv(self) -> str:
        """Return the unrounded results as CSV, with one row per weighting."""
        return csv_table(CSV_COLUMNS, zip(*columns_of(self._csv_rows()).values(), strict=True))

    def to_latex(self) -> str:
        """Return the table of results and the notes in LaTeX (package booktabs)."""
        caption = f"{self.coefficient} of {self.table.n_raters} raters on {self.table.n_subjects} subjects."
        return latex_table(*result_rows(self), caption=caption, notes=self._said())

    def to_markdown(self) -> str:
        """Return the table of results and the notes in Markdown."""
        return markdown_table(*result_rows(self), notes=self._said())

    def _said(self) -> list[str]:
        """Return the sentences below a table of results: what was read, the mark *, the test of margins, and notes."""
        read = [str(self.table.data)] if self.table.reading.source is not None else []
        drawn = draws_explained([result.test.n_draws for result in self.results if result.test is not None])
        return [
            *read,
            *([f"P-values: {drawn}."] if drawn else []),
            *([] if self._margins_in_words is None else [self._margins_in_words]),
            *(f"Note: {note}" for note in self.notes),
        ]

    @property
    def _margins_in_words(self) -> str | None:
        """Outcome of the test of the margins; None if the margins cap no coefficient, or if there is no test."""
        test = self.marginal_homogeneity
        capped = any(is_capped(result.maximum) for result in self.results)
        return of_margins_test(test) if capped and test is not None else None

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
            If the name has another ending, or if the file cannot be written.
        """
        write_by_ending(path, {ending: getattr(self, method) for ending, method in WRITERS.items()})

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return fragment_of(self)


def main_index(results: Sequence[WeightingReport]) -> int:
    """Return the index of the main weighting."""
    names = [result.weights for result in results]
    return names.index("linear") if "linear" in names else 0
