"""Krippendorff's alpha with his own metrics, of which the ordinal one depends on how often categories were used."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator
from kappamax.disagreement.krippendorff_metrics import ordinal_metric
from kappamax.errors import InvalidWeightsError, NotSupportedError, UndefinedKappaError
from kappamax.standard_errors import slopes
from tests.support import naive_agreement as naive
from tests.support.designs import naive_table
from tests.support.strategies import tables

ORDINAL = {"weights": "ordinal", "coefficient": "krippendorff"}


def alpha(table, weights="ordinal"):
    """Return alpha as a fraction."""
    return km.agreement(table, coefficient="krippendorff", weights=weights).exact


def value_of(table):
    """Return alpha with the ordinal metric as a double, without a standard error."""
    objective = as_objective(table, **ORDINAL)
    return objective.value(objective.score)


def naive_value(table):
    """Return alpha by loops, or None if it is 0/0."""
    try:
        return naive.krippendorff_ordinal(naive_table(table), table.n_categories)
    except naive.UndefinedError:
        return None


@pytest.mark.parametrize(
    ("metric", "published", "name"),
    [
        ("nominal", 0.743, "unweighted"),
        ("ordinal", 0.815, "krippendorff-ordinal"),
        ("interval", 0.849, "quadratic"),
        ("ratio", 0.797, "ratio"),
    ],
)
def test_krippendorffs_example(metric, published, name):
    """The four alphas of 4 coders and 12 units are those of Krippendorff (2011), Computing alpha-reliability."""
    found = km.agreement(km.example("gwet2014"), coefficient="krippendorff", weights=metric)
    assert round(found.value, 3) == published
    assert found.weights == name
    assert float(found.exact) == found.value


def test_the_metric_by_hand():
    """Pairable counts 2, 4, 1 have midranks 1, 4 and 6.5, so the squared distances are 9, 30.25 and 6.25."""
    table = km.from_ratings([[1, 2, None], [2, 2, 1], [None, 3, 2], [1, None, None]])
    # pairable: subject 1: 1, 2; subject 2: 2, 2, 1; subject 3: 3, 2; subject 4 has one rating
    weights = ordinal_metric(table)
    assert weights.exact
    assert weights.depends_on_use
    expected = [[0, Fraction(9), Fraction(121, 4)], [9, 0, Fraction(25, 4)], [Fraction(121, 4), Fraction(25, 4), 0]]
    assert weights.matrix == pytest.approx(np.array(expected, dtype=float) * 4 / 121, abs=1e-15)


@given(tables(missing=True))
def test_alpha_follows_its_definition(table):
    """Exact values and doubles equal slow loops, with missing ratings, single ratings and unused categories."""
    expected = naive_value(table)
    if expected is None:
        with pytest.raises(UndefinedKappaError):
            value_of(table)
        return
    objective = as_objective(table, **ORDINAL)
    assert objective.exact_value(objective.score) == expected
    evaluator = Evaluator(objective)
    for totals in (evaluator.totals(), evaluator.totals(table.counts)):
        assert float(evaluator.value_of(totals)) == pytest.approx(float(expected), abs=1e-12)


@given(tables(missing=True, max_categories=3), st.integers(0, 3))
def test_unused_categories_and_the_direction_of_the_scale_do_not_matter(table, place):
    """An unused category anywhere leaves alpha as it is, and so does the reversed scale."""
    expected = naive_value(table)
    assume(expected is not None)
    codes, k = table.patterns, table.n_categories
    wider = np.where(codes >= min(place, k), codes + 1, codes)
    reverse = np.where(codes >= 0, k - 1 - codes, -1)
    for patterns, size in ((wider, k + 1), (reverse, k)):
        assert alpha(km.Table(patterns, table.counts, range(size), ordered=True)) == expected


def test_two_categories_have_one_distance():
    """For two used categories the ordinal alpha is the nominal one."""
    table = km.from_ratings([[1, 1, 2], [2, 2, 2], [1, None, 1], [2, 1, 1]])
    assert alpha(table) == alpha(table, "nominal")


@given(tables(missing=True, min_categories=3))
def test_slopes_are_those_of_differences(table):
    """The derivatives include the change of the metric, at the table and at other counts."""
    objective = as_objective(table, **ORDINAL)
    evaluator = Evaluator(objective)
    assume(naive_value(table) is not None)
    other = table.counts + np.arange(len(table.counts)) % 3
    for counts in (table.counts.astype(float), other.astype(float)):
        found = slopes(objective, counts=counts[None])[0]
        step = 1e-5
        moved = np.concatenate([counts + sign * step * np.eye(len(counts)) for sign in (1, -1)])
        up, down = np.split(evaluator.value_of(evaluator.totals(moved)), 2)
        assert found == pytest.approx((up - down) / (2 * step), abs=1e-6)
    assert slopes(objective) == pytest.approx(slopes(objective, counts=table.counts), abs=1e-12)


def test_a_fixed_metric_would_give_another_standard_error():
    """The delta method differs from the one under weights that are held fixed, and the jackknife agrees with it."""
    table = km.example("anxiety")
    many = table.like(table.patterns, table.counts * 100)
    fixed = km.Weights.from_matrix(ordinal_metric(many).matrix, kind="disagreement")
    held = km.standard_error(many, weights=fixed, coefficient="krippendorff").se
    error, left_out = (km.standard_error(many, method=method, **ORDINAL).se for method in ("gwet", "jackknife"))
    assert error == pytest.approx(left_out, rel=1e-3)
    assert abs(held / error - 1) > 0.01


@pytest.mark.parametrize("name", ["anxiety", "gwet2014", "rapallo2022-three"])
def test_resamples_have_their_own_metric(name):
    """The jackknife and the bootstrap equal those of a function that computes alpha of each table anew."""
    table = km.example(name)
    assert km.jackknife(table, **ORDINAL).values == pytest.approx(
        km.jackknife(table, statistic=value_of).values, abs=1e-12, nan_ok=True
    )
    ours = km.bootstrap(table, n_resamples=120, rng=1, **ORDINAL).replicates
    slow = km.bootstrap(table, n_resamples=120, rng=1, statistic=value_of).replicates
    defined = ~np.isnan(slow)  # a resample without ratings of a rater is no table
    assert defined.sum() > 100
    assert ours[defined] == pytest.approx(slow[defined], abs=1e-12)


def test_the_jackknife_of_many_subjects_is_exact():
    """With more than 10,000 subjects, the changes are computed in whole numbers from the metric of each table."""
    table = km.example("anxiety")
    many = table.like(table.patterns, table.counts * 600)
    found = km.jackknife(many, **ORDINAL)
    n = many.n_subjects
    whole = naive.krippendorff_ordinal(naive_table(many), many.n_categories)
    values = []
    for place in range(len(many.counts)):
        counts = many.counts - (np.arange(len(many.counts)) == place)
        values.append(naive.krippendorff_ordinal(naive_table(many.like(many.patterns, counts)), many.n_categories))
    changes = [(value - whole, int(count)) for value, count in zip(values, many.counts, strict=True)]
    mean = sum(change * count for change, count in changes) / n
    variance = Fraction(n - 1, n) * sum(count * (change - mean) ** 2 for change, count in changes)
    assert found.se == pytest.approx(float(variance) ** 0.5, rel=1e-12)


@pytest.mark.parametrize(
    "rows",
    [
        ((0, 0, 1), (1, 2, 2), (2, 2, 1), (0, 1, 0)),
        ((0, 1), (1, 2), (2, 2), (0, 0), (3, 2)),
        ((0, 1, -1), (2, 1, 1), (0, -1, 0), (1, 2, 2)),  # every subject has two ratings or more
    ],
)
def test_extremes_and_pvalues_are_those_of_all_rearrangements(rows):
    """The metric is the same for all of them, so the maximum is defined; a proof of it is verified."""
    k = 4
    table = km.Table(rows, [1] * len(rows), range(k), ordered=True)
    ways = naive.tables_of(rows)
    values = {one: naive.krippendorff_ordinal(Counter(one), k) for one in ways}
    result = km.max_kappa(table, **ORDINAL)
    assert (result.exact_maximum, result.exact_minimum) == (max(values.values()), min(values.values()))
    assert result.weights == "krippendorff-ordinal"
    assert km.verify(result).holds
    observed = naive_value(table)
    extreme = sum(n for one, n in ways.items() if values[one] >= observed)
    test = km.exact_test(table, method="exact", **ORDINAL)
    assert test.pvalue == pytest.approx(extreme / sum(ways.values()), rel=1e-12)


def test_single_ratings_leave_the_maximum_undefined():
    """The error says why, and without the subjects with a single rating alpha is the same and has a maximum."""
    table = km.example("gwet2014")
    for function, what in ((km.max_kappa, "the largest value"), (km.exact_test, "the null distribution")):
        with pytest.raises(
            NotSupportedError, match=f"^{what} is not available for krippendorff-ordinal weights and these missing"
        ):
            function(table, **ORDINAL)
    with pytest.raises(NotSupportedError, match="Leave out the subjects with a single rating"):
        km.anneal(table, method="swaps", rng=1, **ORDINAL)
    kept = table.n_ratings >= 2
    rest = table.like(table.patterns[kept], table.counts[kept])
    assert alpha(rest) == alpha(table)
    result = km.max_kappa(rest, **ORDINAL)
    assert result.proven
    assert km.verify(result).holds


def test_a_report_says_what_is_not_available():
    """The value is reported without a maximum and a test, and the pairs of raters share one metric."""
    table = km.example("gwet2014")
    report = km.report(table, **ORDINAL)
    (result,) = report.results
    assert round(result.agreement.value, 3) == 0.815
    assert (result.maximum, result.test) == (None, None)
    assert "the largest value is not available for krippendorff-ordinal weights" in result.sentences[1]
    assert "No test against chance was performed." in " ".join(report.to_text().split())
    assert "No test against chance was performed." in report.to_html()
    fixed = km.Weights.from_matrix(np.array(ordinal_metric(table).matrix), kind="disagreement")
    assert report.pairs.values == pytest.approx(km.pairwise_kappas(table, weights=fixed).values, abs=1e-12)


def test_breakdowns_and_comparisons_compute_the_metric_of_each_table():
    """Leaving out a rater gives alpha of the others, and alpha does not differ from itself."""
    table = km.example("anxiety")
    found = km.leave_one_out(table, **ORDINAL)
    for place, rater in enumerate(table.raters):
        rest = table.select([i for i in range(table.n_raters) if i != place])
        assert found.without[rater] == value_of(rest)
    same = km.compare(table, first=ORDINAL, second={"weights": "krippendorff ordinal", "coefficient": "alpha"})
    assert (same.difference, same.se) == (0, 0)
    objective = as_objective(table, **ORDINAL)
    other = table.like(table.patterns, table.counts + 1)
    assert objective.for_table(other).value(objective.for_table(other).score) == value_of(other)


def test_weights_of_a_table_are_computed_again_for_another():
    """A Weights object with Krippendorff's metric stands for the metric, not for its entries."""
    first, second = km.example("anxiety"), km.from_ratings([[1, 6], [2, 3], [6, 6], [4, 4], [5, 3], [1, 1]])
    weights = ordinal_metric(first)
    assert alpha(second, weights) == alpha(second)


@pytest.mark.parametrize("coefficient", ["kappa", "fleiss", "gwet", "percent"])
def test_other_coefficients_have_gwets_ordinal_weights(coefficient):
    """Ordinal means Gwet's weights for them, and Krippendorff's metric is refused by name and as an object."""
    table = km.example("anxiety")
    found = km.agreement(table, coefficient=coefficient, weights="ordinal")
    assert found.weights == "gwet-ordinal"
    assert found.exact == km.agreement(table, coefficient=coefficient, weights="gwet-ordinal").exact
    with pytest.raises(InvalidWeightsError, match="belong to Krippendorff's alpha; use coefficient='krippendorff'"):
        km.agreement(table, coefficient=coefficient, weights="krippendorff-ordinal")
    with pytest.raises(NotSupportedError, match="krippendorff-ordinal weights are computed from the ratings"):
        km.agreement(table, coefficient=coefficient, weights=ordinal_metric(table))


def test_alpha_with_gwets_weights_is_another_number():
    """Gwet's ordinal weights remain available for alpha under their own name."""
    table = km.example("gwet2014")
    found = km.agreement(table, coefficient="krippendorff", weights="gwet-ordinal")
    assert found.weights == "gwet-ordinal"
    metric = naive.named_weights("gwet-ordinal", 5)
    observed, expected = naive.krippendorff(naive_table(table), metric, 5)
    assert found.exact == 1 - observed / expected


def test_studies_cannot_be_planned_for_the_metric():
    """The metric depends on the ratings of the study, so the number of subjects is refused."""
    expected = "the number of subjects is not available for krippendorff-ordinal weights"
    with pytest.raises(NotSupportedError, match=expected):
        km.sample_size(km.example("anxiety"), width=0.3, **ORDINAL)
    with pytest.raises(NotSupportedError, match=expected):
        km.sample_size(margins=[0.2, 0.3, 0.5], kappa=0.5, width=0.3, **ORDINAL)


def test_the_metric_needs_ordered_categories():
    """Text categories have no order unless it is given."""
    rows = [["mild", "none"], ["severe", "mild"], ["none", "none"], ["severe", "severe"]]
    with pytest.raises(InvalidWeightsError, match="krippendorff-ordinal weights need ordered categories"):
        km.agreement(km.from_ratings(rows), **ORDINAL)
    assert alpha(km.from_ratings(rows, categories=["none", "mild", "severe"])) is not None


@pytest.mark.parametrize(
    ("metric", "values", "by_values"),
    [
        ("interval", (1, 2, 5), True),
        ("interval", (0, 5, 10), False),
        ("interval", (0.1, 0.2, 0.3), False),
        ("interval", (-2, 0, 1), True),
        ("ratio", (1, 2, 3), False),
        ("ratio", (2, 4, 6), False),
        ("ratio", (0, 1, 2), True),
        ("ratio", (1, 10, 100), True),
    ],
)
def test_interval_and_ratio_are_about_values(metric, values, by_values):
    """Alpha follows Krippendorff's metric over the values, and a note says so where ranks would differ."""
    rows = ((0, 0, 1), (1, 2, 2), (2, 2, 1), (0, 1, -1), (2, 2, 2))
    table = km.Table(rows, [1] * len(rows), values, ordered=True)
    exact = [Fraction(str(value)) for value in values]
    distances = [[x - y if metric == "interval" else (x - y) / (x + y) if x != y else 0 for y in exact] for x in exact]
    matrix = [[Fraction(entry) ** 2 for entry in row] for row in distances]
    observed, expected = naive.krippendorff(Counter(rows), matrix, 3)
    found = km.agreement(table, coefficient="krippendorff", weights=metric)
    assert found.exact == 1 - observed / expected
    assert found.weights == {"interval": "quadratic", "ratio": "ratio"}[metric] + " over positions" * by_values
    assert any("applied to the values of the categories" in note for note in found.notes) == by_values
    assert km.kappa(table, weights=metric).weights == {"interval": "quadratic", "ratio": "ratio"}[metric]


def test_text_categories_have_ranks():
    """For ordered text categories the interval metric is quadratic over ranks."""
    rows = [["mild", "none"], ["severe", "mild"], ["none", "none"], ["severe", "severe"]]
    table = km.from_ratings(rows, categories=["none", "mild", "severe"])
    assert alpha(table, "interval") == alpha(table, "quadratic")


def test_no_pairable_ratings():
    """Without two ratings of a subject there is nothing to compare."""
    with pytest.raises(km.errors.InvalidRatingsError, match="no subject was rated by two raters"):
        km.agreement(km.from_ratings([[1, None], [None, 2], [3, None]]), **ORDINAL)
