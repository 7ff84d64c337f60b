"""Every kind of report can be written in every format."""

from dataclasses import replace

import numpy as np
import pytest

import kappamax as km
from kappamax.reporting.report import Effort, completed, report_within

PAPER = km.example("rapallo2022")
GAPS = km.example("gwet2014")
#: no disagreement between the first two categories, so that kappa is undefined where only these were used
FREE = km.Weights.from_matrix([[0, 0, 1], [0, 0, 1], [1, 1, 0]], kind="disagreement")
RETEST = km.from_ratings(
    [[1, 1, 2, 2], [2, 2, 2, 1], [3, 3, 3, 3], [1, 2, 1, 1], [3, 3, 2, 3]], raters=["A_1", "A_2", "B_1", "B_2"]
)
FORMATS = {
    "text": lambda report: report.to_text(),
    "html": lambda report: report.to_html(),
    "json": lambda report: report.to_json(),
    "csv": lambda report: report.to_csv(),
    "latex": lambda report: report.to_latex(),
    "markdown": lambda report: report.to_markdown(),
    "methods": lambda report: report.methods(),
    "repr": repr,
    "notebook": lambda report: report._repr_html_(),
}


def brief(table, **options):
    return report_within(Effort(), table, brief=True, **options)


def hard_table():
    """Return ratings by seven raters for which the maximum with sqrt weights takes a search."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 5, size=(60, 1))
    return km.from_ratings(np.where(rng.random((60, 7)) < 0.6, truth, rng.integers(0, 5, size=(60, 7))))


def unknown_maximum():
    """Return a report with missing ratings for which the maximum of Fleiss' kappa is not known."""
    rng = np.random.default_rng(0)
    ratings = rng.integers(0, 3, size=(200, 4)).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = np.nan
    return brief(km.from_ratings(ratings), coefficient="fleiss", weights="unweighted")


def interrupted():
    """Return a report with the best table found before Ctrl-C ended the search."""

    def stop(*_now):
        raise KeyboardInterrupt

    with pytest.raises(km.errors.Interrupted) as stopped:
        km.max_kappa(hard_table(), weights="sqrt", progress=stop)
    made = report_within(Effort(time_limit=1e-6), hard_table(), weights="sqrt", brief=True)
    found = stopped.value.best.with_minimum(time_limit=1e-6)
    return replace(made, results=(replace(made.results[0], maximum=found),))


def one_test_missing():
    """Return a report in which only one of two weightings is tested against chance."""
    made = km.report(PAPER, weights=["unweighted", "linear"])
    first, second = made.results
    return replace(made, results=(first, replace(second, test=None, null=None)))


REPORTS = {
    "whole": lambda: km.report(PAPER),
    "retest": lambda: km.report(RETEST, weights="linear", occasions="_", time_limit=1),
    "brief": lambda: brief(PAPER),
    "brief, three raters": lambda: brief(km.example("rapallo2022-three")),
    "brief, missing ratings": lambda: brief(GAPS),
    "brief, undefined": lambda: brief(km.from_ratings([[1, 1], [1, 1]])),
    "brief, completed": lambda: completed(brief(PAPER), Effort()),
    "one weighting": lambda: km.report(PAPER, weights="linear"),
    "undefined": lambda: km.report([1, 1], [1, 1]),
    "undefined for one weighting": lambda: km.report(
        [1, 2, 1], [1, 2, 2], weights=["unweighted", FREE], categories=[1, 2, 3]
    ),
    "undefined pair of raters": lambda: km.report(km.from_ratings([[1, 1, 1], [1, 1, 2]]), weights="unweighted"),
    "missing ratings": lambda: km.report(GAPS, weights="linear"),
    "maximum not known": unknown_maximum,
    "maximum not proven": lambda: report_within(Effort(time_limit=1e-6), hard_table(), weights="sqrt", brief=True),
    "interrupted search": interrupted,
    "one test missing": one_test_missing,
    "random tables": lambda: km.report(km.from_counts([[1000, 50], [40, 10**6]])),
    "one subject": lambda: km.report([1], [2]),
    "no order": lambda: km.report(["a", "b", "a"], ["b", "b", "a"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", REPORTS)
def test_every_report_is_written_in_every_format(kind):
    """Every format omits the missing parts of a report, and no value is shown as None."""
    report = REPORTS[kind]()
    for name, write in FORMATS.items():
        written = write(report)
        assert len(written) > 50, name
        assert "None" not in written, name


def test_a_brief_report_says_that_nothing_was_tested():
    """Only a complete report mentions p-values."""
    made, whole = brief(PAPER), km.report(PAPER)
    assert "No test against chance was performed." in " ".join(made.to_text().split())
    assert "P-values" not in made.to_text()
    assert "No test against chance was performed." in made.to_html()
    assert "the coefficient is undefined" not in made.to_html().lower()
    assert "P-values are from the exact" in " ".join(whole.to_text().split())
    assert "No test against chance was performed." not in whole.to_html()


def test_weights_that_depend_on_the_ratings_have_no_corrected_share():
    """The ordinal metric of Krippendorff's alpha is computed from the use of the categories."""
    rows = [[1, 1, 2], [2, 2, 2], [3, 3, 3], [1, 2, 1], [3, 3, 2], [2, 2, 1]]
    made = km.report(km.from_ratings(rows), coefficient="krippendorff", weights="ordinal", time_limit=1)
    assert 0 < made.main.maximum.value < made.main.maximum.maximum < 1
    assert made.main.corrected_share is None
