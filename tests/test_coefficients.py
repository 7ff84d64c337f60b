"""Compare every coefficient with its definition and with known identities."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator
from kappamax.errors import UndefinedKappaError
from tests.support import naive
from tests.support.strategies import matrices, scheme_names, tables

NAIVE = {
    "conger": naive.conger,
    "fleiss": naive.fleiss,
    "gwet": naive.gwet,
    "brennan-prediger": naive.brennan_prediger,
    "krippendorff": naive.krippendorff,
}


def test_kappa_by_hand():
    """The table is 2 x 2: p_o = 35/50, p_e = (25*30 + 25*20)/2500 = 1/2, kappa = 2/5."""
    result = km.kappa(km.from_counts([[20, 5], [10, 15]]))
    assert result.exact == Fraction(2, 5)
    assert result.observed_agreement == 0.7
    assert result.expected_agreement == 0.5
    assert (result.coefficient, result.title) == ("cohen", "Cohen's kappa")


def test_weighted_kappa_by_hand():
    """For a 3 x 3 table with linear weights, D_o = (1*1/2 + 1*1)/4, D_e = 8/16 and kappa = 1 - (3/8)/(1/2)."""
    table = km.from_counts([[1, 1, 0], [0, 0, 0], [1, 0, 1]])
    # rows (2, 0, 2), columns (2, 1, 1); D_e = [2*1*(1/2) + 2*1*1 + 2*2*1 + 2*1*(1/2)]/16 = 8/16
    assert km.kappa(table, weights="linear").exact == 1 - Fraction(3, 8) / Fraction(1, 2)


@pytest.mark.parametrize("coefficient", NAIVE)
@given(table=tables(missing=True), name=scheme_names)
def test_every_coefficient_follows_its_definition(coefficient, table, name):
    """Exact values, doubles and slow loops agree for all weights, also with missing ratings."""
    try:
        objective = as_objective(table, weights=name, coefficient=coefficient)
        value = objective.value(objective.score)
    except UndefinedKappaError:
        assume(False)
    weight = naive.weight_of(objective.weights.matrix)
    slow = NAIVE[coefficient](naive.rows_of(table), table.n_categories, weight)
    assert value == pytest.approx(slow, rel=1e-9, abs=1e-9)
    assert float(Evaluator(objective).value_of(Evaluator(objective).totals())) == pytest.approx(
        value, rel=1e-9, abs=1e-9
    )
    exact = objective.exact_value(objective.score)
    assert exact is None or float(exact) == value


@given(st.data())
def test_weights_per_pair_follow_the_definition(data):
    """Conger's kappa with different matrices for the pairs agrees with its definition, also with missing ratings."""
    table = data.draw(tables(missing=True, min_raters=3))
    k, r = table.n_categories, table.n_raters
    whole = {}
    for a in range(r):
        for b in range(a + 1, r):
            u = np.array(data.draw(st.lists(st.integers(1, 9), min_size=k * k, max_size=k * k))).reshape(k, k)
            np.fill_diagonal(u, 0)
            whole[a, b] = u
    weights = {pair: km.Weights.from_matrix(u, kind="disagreement") for pair, u in whole.items()}
    objective = as_objective(table, weights=weights)
    u = {pair: w.matrix for pair, w in weights.items()}
    try:
        value = objective.value(objective.score)
    except UndefinedKappaError:
        assume(False)
    slow = naive.conger(naive.rows_of(table), k, lambda a, b, i, j: u[a, b][i, j])
    assert value == pytest.approx(slow, abs=1e-9)
    assert float(Evaluator(objective).value_of(Evaluator(objective).totals())) == pytest.approx(value, abs=1e-9)


@given(tables(min_raters=3, max_raters=5), st.integers(2, 5))
def test_agreement_of_g_raters_at_a_time(table, g):
    """Conger's g-wise kappa agrees with its definition, and with the pairwise kappa for g = 2."""
    assume(g <= table.n_raters)
    try:
        result = km.agreement(table, coefficient="conger", group_size=g)
    except UndefinedKappaError:
        assume(False)
    assert result.value == pytest.approx(naive.conger_groups(naive.rows_of(table), table.n_categories, g), abs=1e-9)
    percent = km.agreement(table, coefficient="percent", group_size=g)
    assert percent.value == pytest.approx(result.observed_agreement, abs=1e-12)


@given(tables(), scheme_names)
def test_both_forms_of_the_papers_equation(table, name):
    """(p_o - p_e) / (1 - p_e) with agreement equals 1 - D_o / D_e with disagreement (equations 1, 2 and 10)."""
    try:
        result = km.kappa(table, weights=name)
    except UndefinedKappaError:
        assume(False)
    o, e = result.observed_agreement, result.expected_agreement
    assert (o - e) / (1 - e) == pytest.approx(result.value, abs=1e-9)


@given(tables(missing=True), st.data())
def test_renaming_raters_changes_nothing(table, data):
    """With common symmetric weights the order of the raters does not matter."""
    order = data.draw(st.permutations(range(table.n_raters)))
    weights = data.draw(matrices(table.n_categories))
    for coefficient in (*NAIVE, "percent"):
        a = as_objective(table, weights=weights, coefficient=coefficient)
        b = as_objective(table.select(order), weights=weights, coefficient=coefficient)
        assert a.observed(a.score) == b.observed(b.score)


@given(tables(missing=True), st.sampled_from(["unweighted", "linear", "quadratic", "sqrt", "ordinal", "circular"]))
def test_reversing_the_scale_changes_nothing(table, name):
    """With weights that depend only on |i - j|, reversing the categories does not matter."""
    k = table.n_categories
    codes = np.where(table.patterns < 0, -1, k - 1 - table.patterns)
    turned = km.Table(codes, table.counts, table.categories, ordered=True)
    a, b = as_objective(table, weights=name), as_objective(turned, weights=name)
    try:
        assert a.value(a.score) == pytest.approx(b.value(b.score), abs=1e-12)
    except UndefinedKappaError:
        assume(False)


@given(tables(missing=True), scheme_names)
def test_kappa_is_at_most_one_and_one_only_without_disagreement(table, name):
    """Equality holds exactly when no pair disagrees."""
    try:
        value = km.kappa(table, weights=name).value
    except UndefinedKappaError:
        assume(False)
    assert value <= 1
    agree = all(len({c for c in row if c is not None}) == 1 for row in naive.rows_of(table))
    assert (value == 1) == agree


@given(tables(max_raters=2))
def test_quadratic_kappa_is_an_intraclass_correlation(table):
    """Schuster (2004) gives 2 cov / (var + var + (difference of means)^2) of the ratings as numbers."""
    x, y = np.array(naive.rows_of(table), dtype=float).T
    spread = x.var() + y.var() + (x.mean() - y.mean()) ** 2
    assume(spread > 0)
    icc = 2 * ((x - x.mean()) * (y - y.mean())).mean() / spread
    assert km.kappa(table, weights="quadratic").value == pytest.approx(icc, abs=1e-9)


@given(tables(max_raters=2, min_categories=3))
def test_linear_kappa_averages_the_collapsed_two_by_two_kappas(table):
    """The weights of the average are the expected disagreements of the k - 1 cuts (Vanbelle and Albert 2009)."""
    pair = table.pair(0, 1)
    weighted = total = Fraction(0)
    for cut in range(1, table.n_categories):
        low = [pair[:cut, :cut].sum(), pair[:cut, cut:].sum(), pair[cut:, :cut].sum(), pair[cut:, cut:].sum()]
        objective = as_objective(km.from_counts(np.reshape(low, (2, 2))))
        try:
            expected = objective.expected.rational
        except UndefinedKappaError:
            continue  # all ratings lie on one side of the cut
        weighted += expected * objective.exact_value(objective.score)
        total += expected
    assert km.kappa(table, weights="linear").exact == weighted / total


@given(tables(max_raters=2))
def test_the_diagonal_rule_bounds_unweighted_kappa(table):
    """p_o is at most the sum of min(row share, column share), so kappa is at most the unweighted maximum."""
    rows, columns = table.margins
    best = Fraction(int(np.minimum(rows, columns).sum()), table.n_subjects)
    chance = Fraction(int(rows @ columns), table.n_subjects**2)
    assume(chance != 1)
    assert km.kappa(table).exact <= (best - chance) / (1 - chance)


@given(tables(min_raters=2, max_raters=2))
def test_krippendorff_corrects_scott_for_small_samples(table):
    """For complete ratings, 1 - alpha = (1 - pi) (rN - 1) / (rN)."""
    n = table.n_raters * table.n_subjects
    scott, alpha = (as_objective(table, coefficient=c) for c in ("scott", "krippendorff"))
    fraction = 1 - (1 - scott.exact_value(scott.score)) * Fraction(n - 1, n)
    assert alpha.exact_value(alpha.score) == fraction


def test_ten_to_the_twelve_subjects_stay_exact():
    """Scaling every count leaves kappa the same fraction, far beyond 64-bit products."""
    small = km.example("rapallo2022")
    for name in ("unweighted", "linear", "quadratic", "sqrt"):
        large = km.Table(small.patterns, small.counts * 10**12, small.categories, ordered=True)
        a, b = km.kappa(small, weights=name), km.kappa(large, weights=name)
        assert a.exact == b.exact
        assert a.value == b.value
    wide = km.Table([[0] * 20, [1] * 20, [0, 1] * 10], [10**12, 10**12, 7], [1, 2, 3, 4, 5], ordered=True)
    assert 0.999 < km.kappa(wide, weights="quadratic").value < 1


def test_twenty_raters_five_categories_and_a_hundred_thousand_subjects_are_ordinary():
    """Of 10^14 possible patterns, only those that occur are stored."""
    rng = np.random.default_rng(5)
    truth = rng.integers(1, 6, size=(100_000, 1))
    ratings = np.where(rng.random((100_000, 20)) < 0.6, truth, rng.integers(1, 6, size=(100_000, 20)))
    result = km.kappa(km.from_ratings(ratings), weights="sqrt")
    assert result.value == pytest.approx(0.36, abs=0.01)  # both raters keep the truth with probability 0.6^2
    assert result.se < 0.01


@pytest.mark.parametrize("coefficient", ["kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff"])
def test_one_category_is_undefined_by_name(coefficient):
    """If all ratings are equal the coefficient is 0/0, and the error says so."""
    with pytest.raises(UndefinedKappaError, match="both raters used only 'x'") as caught:
        km.agreement(["x", "x"], ["x", "x"], coefficient=coefficient)
    assert caught.value.reason == "both raters used only 'x'"
    with pytest.raises(UndefinedKappaError, match="all raters used only 3"):
        km.agreement([3], [3], [3], coefficient=coefficient)


def test_chance_without_disagreement_is_undefined():
    """The coefficient is 0/0 if the weight of the two used categories is zero."""
    w = km.Weights.from_matrix([[0, 0, 1], [0, 0, 1], [1, 1, 0]], kind="disagreement")
    with pytest.raises(UndefinedKappaError, match="the expected disagreement is zero under these weights"):
        km.kappa(km.from_counts([[3, 1, 0], [2, 4, 0], [0, 0, 0]]), weights=w)


def test_percent_agreement_is_defined_for_one_category():
    """Percent agreement is not corrected for chance, so it is never 0/0."""
    assert km.agreement(["x", "x"], ["x", "x"], coefficient="percent").value == 1


def test_a_subject_with_one_rating_counts_in_a_margin_and_in_no_pair():
    """D_o = 0 for the only pair, p_1 = (1/2, 1/2), p_2 = (1, 0), and D_e = 1/2."""
    table = km.Table([[0, 0], [1, -1]], [1, 1], ["x", "y"], ordered=True)
    objective = as_objective(table)
    assert objective.expected == Fraction(1, 2)
    assert objective.value(objective.score) == 1


def test_undefined_combinations_are_errors():
    """Undefined combinations of coefficient, raters and groups raise an error."""
    t, three = km.example("rapallo2022"), km.example("rapallo2022-three")
    with pytest.raises(km.errors.InvalidOptionError, match="got 'flies'. Did you mean 'fleiss'"):
        km.agreement(t, coefficient="flies")
    with pytest.raises(km.errors.NotSupportedError, match="Cohen's kappa requires two raters; got 3"):
        km.agreement(three, coefficient="cohen")
    with pytest.raises(km.errors.InvalidRatingsError, match="no subject was rated by two raters"):
        km.kappa(["a", None], [None, "b"])
    with pytest.raises(km.errors.InvalidOptionError, match="at most the number of raters, 3; got 4"):
        km.agreement(three, coefficient="conger", group_size=4)
    with pytest.raises(km.errors.NotSupportedError, match="only for unweighted disagreement; got linear"):
        km.agreement(three, coefficient="conger", group_size=3, weights="linear")
    with pytest.raises(
        km.errors.NotSupportedError, match="only for the coefficients 'conger' and 'percent'; got 'fleiss'"
    ):
        km.agreement(three, coefficient="fleiss", group_size=3)
    with pytest.raises(km.errors.InvalidOptionError, match="group_size must be a whole number >= 2; got 1"):
        km.agreement(three, coefficient="conger", group_size=1)
    with pytest.raises(km.errors.InvalidOptionError, match="level must lie between 0 and 1; got 95"):
        km.kappa(t, level=95)
