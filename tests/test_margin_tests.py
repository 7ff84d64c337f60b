"""Tests of marginal homogeneity agree with published values, other software and enumeration, and hold their level."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binomtest, chi2

import kappamax as km
from kappamax import rating_permutations
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.rater_deviations import ComparedRatings, DeviationForm
from tests.support.strategies import examples, tables

#: statistic, degrees of freedom and p-value of statsmodels 0.15.0,
#: `SquareTable(counts, shift_zeros=False).homogeneity(method=...)`
STATSMODELS = {
    ("rapallo2022", "stuart-maxwell"): (5.113744075829385, 3, 0.16365521899361468),
    ("rapallo2022", "bhapkar"): (6.051495581237255, 3, 0.10913155525557272),
    ("cohen1968", "stuart-maxwell"): (13.513513513513487, 2, 0.0011629949394361683),
    ("cohen1968", "bhapkar"): (14.492753623188378, 2, 0.0007127521514942448),
    ("fleiss1969", "stuart-maxwell"): (2.7237354085603056, 2, 0.25618185790069337),
    ("fleiss1969", "bhapkar"): (2.7613412228796785, 2, 0.2514098981613293),
    ("sexual-fun", "stuart-maxwell"): (3.580256476460969, 3, 0.31050132787713713),
    ("sexual-fun", "bhapkar"): (3.7268850974176204, 3, 0.29250592848876633),
    ("vassarstats", "stuart-maxwell"): (6.756756756756744, 2, 0.034102711614124814),
    ("vassarstats", "bhapkar"): (7.246376811594189, 2, 0.026697418442505283),
    ("vision", "stuart-maxwell"): (11.956569622982544, 3, 0.007533425054800591),
    ("vision", "bhapkar"): (11.97572015552566, 3, 0.007466797469724007),
}


def naive_subjects(table):
    """Return the ratings of every single subject that has two or more."""
    rows = np.repeat(table.patterns, table.counts, axis=0)
    return rows[(rows >= 0).sum(axis=1) >= 2]


def naive_deviations(rows, k):
    """Return the deviations of every subject from its mean use of the categories, shape (subjects, raters, k)."""
    found = np.zeros((*rows.shape, k))
    for s, row in enumerate(rows):
        rated = np.flatnonzero(row >= 0)
        mean = np.bincount(row[rated], minlength=k) / len(rated)
        for a in rated:
            found[s, a] = -mean
            found[s, a, row[a]] += 1
    return found


def naive_permutation_covariance(rows, k):
    """Return the covariance of the summed deviations by averaging over all permutations of each subject."""
    r = rows.shape[1]
    total = np.zeros((r * k, r * k))
    for row in rows:
        rated = np.flatnonzero(row >= 0)
        orders = list(itertools.permutations(row[rated]))
        moved = np.repeat(row[None], len(orders), axis=0)
        moved[:, rated] = orders
        each = naive_deviations(moved, k).reshape(len(orders), -1)
        total += each.T @ each / len(orders)
    return total


def naive_form(vector, matrix):
    """Return vector' matrix^+ vector."""
    return float(vector @ np.linalg.pinv(matrix, rcond=1e-10, hermitian=True) @ vector)


def naive_statistic(rows, k, method):
    """Return the statistic and the rank of its covariance matrix, from single subjects."""
    each = naive_deviations(rows, k).reshape(len(rows), -1)
    total = each.sum(axis=0)
    if method == "bhapkar":
        matrix = each.T @ each - np.outer(total, total) / len(rows)
    else:
        matrix = naive_permutation_covariance(rows, k)
    return naive_form(total, matrix), np.linalg.matrix_rank(matrix, tol=1e-8, hermitian=True)


def naive_permutation_pvalue(rows, k):
    """Return the share of all permutations of the ratings of each subject with at least the observed statistic."""
    inverse = np.linalg.pinv(naive_permutation_covariance(rows, k), rcond=1e-10, hermitian=True)
    each = []
    for row in rows:
        rated = np.flatnonzero(row >= 0)
        orders = list(itertools.permutations(row[rated]))
        moved = np.repeat(row[None], len(orders), axis=0)
        moved[:, rated] = orders
        each.append(naive_deviations(moved, k).reshape(len(orders), -1))
    sums = np.zeros((1, each[0].shape[1]))
    for own in each:
        sums = (sums[:, None] + own[None]).reshape(-1, own.shape[1])
    values = np.einsum("ni,ij,nj->n", sums, inverse, sums)
    observed = naive_deviations(rows, k).reshape(len(rows), -1).sum(axis=0)
    return float((values >= observed @ inverse @ observed - 1e-7).mean())


@pytest.mark.parametrize(("name", "method"), STATSMODELS)
def test_two_raters_agree_with_statsmodels(name, method):
    """The statistics and p-values of all bundled square tables are those of statsmodels."""
    test = km.marginal_homogeneity(km.example(name), method=method)
    statistic, df, pvalue = STATSMODELS[name, method]
    assert test.df == df
    assert test.statistic == pytest.approx(statistic, rel=1e-12)
    assert test.pvalue == pytest.approx(pvalue, rel=1e-10)


def test_the_raters_of_the_paper_do_not_differ_significantly():
    """The table of Rapallo (2022) has p = 0.16, although its margins cap linear kappa at 0.75."""
    test = km.marginal_homogeneity(km.example("rapallo2022"))
    assert test.method == "stuart-maxwell"
    assert round(test.pvalue, 2) == 0.16
    assert "Stuart-Maxwell test" in repr(test)


def test_two_categories_give_mcnemars_test():
    """(b - c)^2 / (b + c) with one degree of freedom; 24 and 10 give 196 / 34."""
    test = km.marginal_homogeneity(km.from_counts([[50, 24], [10, 16]]), method="stuart-maxwell")
    assert test.statistic == pytest.approx(196 / 34, rel=1e-14)
    assert (test.df, test.title) == (1, "McNemar test")
    assert test.pvalue == pytest.approx(chi2.sf(196 / 34, 1), rel=1e-12)


@pytest.mark.parametrize(("b", "c"), [(24, 10), (3, 0), (0, 1), (7, 7), (1, 12), (4000, 4100)])
def test_permuting_two_raters_in_two_categories_is_the_exact_mcnemar_test(b, c):
    """Under the null hypothesis b is binomial with probability 1/2."""
    test = km.marginal_homogeneity(km.from_counts([[5, b], [c, 6]]), method="permutation")
    assert test.pvalue == pytest.approx(binomtest(b, b + c, 0.5).pvalue, rel=1e-12)
    assert (test.title, test.n_draws, test.se, test.df) == ("exact McNemar test", None, None, None)


def test_two_categories_of_several_raters_give_cochrans_q():
    """Q = (r - 1) (r sum n_a^2 - (sum n_a)^2) / (r sum c_s - sum c_s^2), over raters a and subjects s."""
    rng = np.random.default_rng(1)
    for r in (3, 4, 7):
        yes = (rng.random((40, r)) < np.linspace(0.3, 0.6, r)).astype(int)
        n, c = yes.sum(axis=0), yes.sum(axis=1)
        q = (r - 1) * (r * (n**2).sum() - n.sum() ** 2) / (r * c.sum() - (c**2).sum())
        test = km.marginal_homogeneity(km.from_ratings(yes), method="stuart-maxwell")
        assert test.statistic == pytest.approx(q, rel=1e-12)
        assert (test.df, test.title) == (r - 1, "Cochran's Q test")


def test_cochrans_q_of_a_published_example():
    """The responses of 46 subjects to 3 drugs have Q = 8.4706 and p = 0.0145.

    Source: the SAS/STAT User's Guide, PROC FREQ, example "Cochran's Q Test" (6 responded to all drugs, 16 to A and B
    only, 2 to A and C only, 4 to A only, 2 to B and C only, 4 to B only, 6 to C only, 6 to none).
    """
    patterns = [[1, 1, 1], [1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    table = km.Table(patterns, [6, 16, 2, 4, 2, 4, 6, 6], ["no", "yes"], ordered=True)
    test = km.marginal_homogeneity(table, method="stuart-maxwell")
    assert round(test.statistic, 4) == 8.4706
    assert round(test.pvalue, 4) == 0.0145


@given(table=tables(max_raters=2, max_categories=5))
@settings(max_examples=examples(100), deadline=None)
def test_bhapkars_statistic_follows_from_stuarts_for_two_raters(table):
    """W_B = W_S / (1 - W_S / N), except where W_S = N."""
    stuart = km.marginal_homogeneity(table, method="stuart-maxwell")
    bhapkar = km.marginal_homogeneity(table, method="bhapkar")
    n = table.n_subjects
    if stuart.statistic > n * (1 - 1e-12):
        assert bhapkar.pvalue is None
        assert "variance of a difference between the raters is zero" in bhapkar.reason
    else:
        assert bhapkar.statistic == pytest.approx(stuart.statistic / (1 - stuart.statistic / n), rel=1e-9)
        assert bhapkar.df == stuart.df


@pytest.mark.parametrize("method", ["stuart-maxwell", "bhapkar"])
@given(table=tables(missing=True, max_categories=3))
@settings(max_examples=examples(60), deadline=None)
def test_statistics_agree_with_sums_over_single_subjects(table, method):
    """Statistic and degrees of freedom are those of a generalised inverse of the covariance of all deviations."""
    test = km.marginal_homogeneity(table, method=method)
    rows = naive_subjects(table)
    expected, rank = naive_statistic(rows, table.n_categories, method)
    if test.pvalue is None:
        assert test.reason == "the estimated variance of a difference between the raters is zero"
        assert rank < naive_statistic(rows, table.n_categories, "stuart-maxwell")[1] or table.n_raters > 2
    else:
        assert test.statistic == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert test.df == rank
        assert test.pvalue == pytest.approx(chi2.sf(expected, rank) if rank else 1, rel=1e-5, abs=1e-12)


@given(table=tables(missing=True, max_raters=3, max_categories=3, max_rows=3))
@settings(max_examples=examples(60), deadline=None)
def test_exact_permutation_pvalues_agree_with_enumeration(table):
    """The convolution gives the share of all permutations whose statistic is at least the observed one."""
    small = table.like(table.patterns, np.minimum(table.counts, 2))
    rows = naive_subjects(small)
    test = km.marginal_homogeneity(small, method="permutation")
    assert test.n_draws is None
    assert test.pvalue == pytest.approx(naive_permutation_pvalue(rows, small.n_categories), abs=1e-9)


@pytest.mark.parametrize("n_raters", [2, 3, 5])
@pytest.mark.parametrize("split", [True, False])
def test_random_permutations_estimate_the_exact_pvalue(monkeypatch, n_raters, split):
    """Drawing counts rater by rater, and shuffling single subjects, give the exact p-value up to Monte Carlo error."""
    rng = np.random.default_rng(n_raters)
    codes = rng.integers(0, 3, size=(9, n_raters))
    if n_raters == 5:
        codes = np.minimum(codes, 1)
    codes[0, 0] = -1 if n_raters > 2 else 0
    table = km.Table(codes, None, ["a", "b", "c"], ordered=True)
    exact = km.marginal_homogeneity(table, method="permutation")
    assert exact.n_draws is None
    monkeypatch.setattr(rating_permutations, "MOST_MARGINS", 0)
    monkeypatch.setattr(rating_permutations, "_SPLIT_COST", 1e-9 if split else 10**9)
    n_draws = 20_000
    drawn = km.marginal_homogeneity(table, method="permutation", n_draws=n_draws, rng=1)
    error = (exact.pvalue * (1 - exact.pvalue) / n_draws) ** 0.5
    assert drawn.n_draws == n_draws
    assert abs(drawn.pvalue - exact.pvalue) < 4 * error + 1 / n_draws
    assert drawn.se == pytest.approx((drawn.pvalue * (1 - drawn.pvalue) / n_draws) ** 0.5)
    assert drawn.title == "permutation test"


def test_many_possible_margins_are_sampled():
    """Up to two million possible margins the p-value is exact; a few subjects more, and permutations are random."""
    few, many = (km.from_counts([[9, n, n], [n, 9, n], [n, n, 9]]) for n in (20, 2000))
    assert km.marginal_homogeneity(few, method="permutation").n_draws is None
    drawn = km.marginal_homogeneity(many, method="permutation", rng=1)
    assert drawn.n_draws >= 1000
    assert drawn.pvalue == 1


def test_random_permutations_of_the_same_seed_are_the_same():
    """The result depends on the seed only, and its bound is marked if no permutation is as extreme."""
    table = km.example("diagnoses")
    first, again = (km.marginal_homogeneity(table, method="permutation", n_draws=500, rng=3) for _ in range(2))
    assert first == again
    assert first.pvalue == 1 / 501
    assert first.at_most
    assert first.pvalue_text == "<= 0.002"


@given(table=tables(missing=True, max_categories=3), seed=st.integers(0, 100))
@settings(max_examples=examples(40), deadline=None)
def test_names_and_order_of_raters_and_categories_do_not_matter(table, seed):
    """Reordering raters, or categories, changes neither statistic nor p-value."""
    rng = np.random.default_rng(seed)
    raters = rng.permutation(table.n_raters)
    codes = np.append(rng.permutation(table.n_categories), -1)
    other = table.like(codes[table.patterns[:, raters]], table.counts)
    for method in ("stuart-maxwell", "bhapkar", "permutation"):
        first, second = (km.marginal_homogeneity(one, method=method, n_draws=10, rng=1) for one in (table, other))
        assert (first.statistic is None) == (second.statistic is None)
        if first.statistic is not None:
            assert second.statistic == pytest.approx(first.statistic, rel=1e-9, abs=1e-12)
            assert second.df == first.df
            if first.n_draws is None and second.n_draws is None:
                assert second.pvalue == pytest.approx(first.pvalue, rel=1e-9)


def test_unused_categories_change_nothing():
    """Categories that nobody used are not counted as degrees of freedom."""
    counts = np.array([[5, 3, 2], [1, 4, 3], [0, 1, 5]])
    wide = np.zeros((5, 5), dtype=int)
    wide[np.ix_([0, 2, 3], [0, 2, 3])] = counts
    for method in ("stuart-maxwell", "bhapkar", "permutation"):
        narrow, padded = (km.marginal_homogeneity(km.from_counts(one), method=method) for one in (counts, wide))
        assert (padded.statistic, padded.df, padded.pvalue) == (narrow.statistic, narrow.df, narrow.pvalue)
        assert not padded.notes


def test_the_rank_is_the_degrees_of_freedom_where_categories_are_not_connected():
    """Raters who confuse 1 with 2 and 3 with 4 have one difference in each: (3 - 1)^2 / 4 + (5 - 1)^2 / 6."""
    table = km.from_counts([[9, 3, 0, 0], [1, 9, 0, 0], [0, 0, 9, 5], [0, 0, 1, 9]])
    test = km.marginal_homogeneity(table, method="stuart-maxwell")
    assert test.statistic == pytest.approx(1 + 16 / 6, rel=1e-14)
    assert test.df == 2
    assert "rank 2 instead of 3" in test.notes[0]


def test_equal_ratings_have_a_pvalue_of_one():
    """With one category, or full agreement, nothing differs: the statistic is 0 and the reason is given."""
    for table in (km.from_counts([[7]]), km.from_counts([[3, 0], [0, 4]]), km.from_ratings([[1, 1, 1], [2, 2, 2]])):
        for method in ("auto", "stuart-maxwell", "bhapkar", "permutation"):
            test = km.marginal_homogeneity(table, method=method)
            assert (test.statistic, test.pvalue, test.n_different) == (0.0, 1.0, 0)
            assert test.df in (0, None)
            assert test.reason == "the ratings of every subject are equal, so the margins are equal too"


def test_equal_margins_have_a_pvalue_of_one():
    """A symmetric table has differences of zero in every category."""
    for method in ("stuart-maxwell", "bhapkar", "permutation"):
        test = km.marginal_homogeneity(km.from_counts([[3, 2, 1], [2, 3, 4], [1, 4, 3]]), method=method)
        assert (test.statistic, test.pvalue) == (0.0, pytest.approx(1.0))


def test_one_subject_gives_no_evidence():
    """The permutation test of one subject has p = 1; Bhapkar's variance is zero and its p-value is undefined."""
    table = km.from_ratings([[1, 2]])
    assert km.marginal_homogeneity(table).pvalue == 1
    assert km.marginal_homogeneity(table).method == "permutation"
    bhapkar = km.marginal_homogeneity(table, method="bhapkar")
    assert (bhapkar.statistic, bhapkar.df, bhapkar.pvalue) == (None, None, None)
    assert "undefined" in repr(bhapkar)


def test_raters_without_a_common_subject_cannot_be_compared():
    """Without a subject with two ratings the p-value is undefined and the reason is given."""
    test = km.marginal_homogeneity(km.Table([[0, -1], [-1, 1]], [3, 4], ["a", "b"], ordered=True))
    assert (test.pvalue, test.n_subjects) == (None, 0)
    assert test.reason == "no subject has two or more ratings"


def test_two_raters_use_complete_pairs():
    """A missing rating leaves out the subject, and a note says so."""
    rows = [[1, 2], [1, 2], [2, 1], [1, 1], [2, 3], [3, 2], [2, 3], [1, 3], [1, 2], [2, 3], [2, 3]]
    whole = km.marginal_homogeneity(km.from_ratings(rows))
    gaps = km.marginal_homogeneity(km.from_ratings([*rows, [3, None], [None, 1], [3, None]]))
    assert (gaps.statistic, gaps.pvalue, gaps.n_subjects) == (whole.statistic, whole.pvalue, 11)
    assert not whole.notes
    assert "3 subjects with one rating are not used" in gaps.notes[0]


def test_huge_counts_neither_overflow_nor_expand():
    """10^17 times the counts multiply Stuart's statistic by as much, and all methods return at once."""
    counts = np.array([[5, 3, 2, 1], [1, 4, 3, 0], [0, 1, 5, 1], [0, 1, 2, 4]])
    small = km.marginal_homogeneity(km.from_counts(counts), method="stuart-maxwell")
    for factor in (10**12, 10**17):
        table = km.from_counts(counts * factor)
        test = km.marginal_homogeneity(table, method="stuart-maxwell")
        assert test.statistic == pytest.approx(small.statistic * factor, rel=1e-14)
        assert km.marginal_homogeneity(table, method="permutation", n_draws=100, rng=1).pvalue == 1 / 101
    three = km.from_ratings([[1, 2, 2], [2, 1, 2], [2, 3, 3], [3, 3, 1], [1, 1, 1]])
    huge = three.like(three.patterns, three.counts * (8 * 10**17))
    for method in ("stuart-maxwell", "bhapkar", "permutation", "auto"):
        assert km.marginal_homogeneity(huge, method=method, n_draws=100, rng=1).pvalue < 0.01


def test_small_differences_of_huge_counts_are_not_lost():
    """(b - c)^2 / (b + c) of 2 * 10^18 + 10^9 and 2 * 10^18 is about 1/4, also for random permutations."""
    b, c = 2 * 10**18 + 10**9, 2 * 10**18
    table = km.from_counts([[0, b], [c, 0]])
    stuart = km.marginal_homogeneity(table, method="stuart-maxwell")
    assert stuart.statistic == pytest.approx(0.25, rel=1e-8)
    exact = km.marginal_homogeneity(table, method="permutation")
    assert exact.pvalue == pytest.approx(stuart.pvalue, abs=1e-6)
    third = km.from_counts([[0, b, 10**9], [c, 0, 0], [0, 0, 0]])
    drawn = km.marginal_homogeneity(third, method="permutation", n_draws=200, rng=1)
    assert drawn.pvalue == 1 / 201  # one rater used the third category a thousand million times, the other never


def test_weak_links_between_frequent_categories_keep_their_rank():
    """One subject between two pairs of categories with 10^17 subjects each: the rank and the statistic are exact."""
    n = 10**17
    table = km.from_counts([[0, n, 0, 0], [n, 0, 1, 0], [0, 0, 0, n], [0, 0, n, 0]])
    test = km.marginal_homogeneity(table, method="stuart-maxwell")
    assert test.df == 3
    assert test.statistic == pytest.approx(1.0, rel=1e-14)


def test_many_raters_and_categories_are_compared_in_doubles():
    """Above 40 rows the inverse is computed in doubles; the statistic agrees with the definition."""
    rng = np.random.default_rng(5)
    for shape, k in (((60, 2), 60), ((40, 20), 4)):
        codes = rng.integers(0, k, size=shape)
        codes[0, 0] = -1
        table = km.Table(codes, None, list(range(k)), ordered=True)
        test = km.marginal_homogeneity(table, method="stuart-maxwell")
        each = ComparedRatings.of(table)
        assert DeviationForm.of(each).part.numerators is None
        rows = naive_subjects(table)
        total = naive_deviations(rows, k).sum(axis=0).ravel()
        covariance = np.zeros((total.size, total.size))
        for row in rows:
            rated = np.flatnonzero(row >= 0)
            share = np.bincount(row[rated], minlength=k) / len(rated)
            between = np.zeros((shape[1], shape[1]))
            between[np.ix_(rated, rated)] = (len(rated) * np.eye(len(rated)) - 1) / (len(rated) - 1)
            covariance += np.kron(between, np.diag(share) - np.outer(share, share))
        assert test.statistic == pytest.approx(naive_form(total, covariance), rel=1e-8)
        assert test.df == np.linalg.matrix_rank(covariance, tol=1e-8, hermitian=True)


def test_auto_chooses_by_the_number_of_subjects():
    """Ten different subjects for two raters; fifty subjects per degree of freedom for more."""
    assert km.marginal_homogeneity(km.from_counts([[5, 9], [0, 5]])).method == "permutation"
    assert km.marginal_homogeneity(km.from_counts([[5, 9], [1, 5]])).method == "stuart-maxwell"
    rows = [[0, 0, 1], [0, 1, 1], [1, 1, 0], [1, 1, 1]]
    for n, method in ((24, "permutation"), (25, "hotelling")):
        table = km.Table(rows, [n] * 4, [0, 1], ordered=True)
        assert km.marginal_homogeneity(table).method == method
        assert km.marginal_homogeneity(table).exchangeability == (method == "permutation")


@given(tables(max_raters=3, max_categories=3, missing=True))
@settings(max_examples=examples(40), deadline=None)
def test_hotellings_test_has_the_statistic_of_bhapkar_and_the_f_distribution(table):
    """T2 = (n - 1) / n W, and clusters of one subject change nothing."""
    bhapkar, found = (km.marginal_homogeneity(table, method=method) for method in ("bhapkar", "hotelling"))
    if found.pvalue is None or found.df == 0:
        return
    n, q = found.n_subjects, found.df
    assert found.statistic == pytest.approx((n - 1) / n * bhapkar.statistic)
    assert found.pvalue == pytest.approx(stats.f.sf((n - q) / (q * n) * bhapkar.statistic, q, n - q))
    assert found.pvalue >= bhapkar.pvalue
    patterns = np.repeat(table.patterns, table.counts, axis=0)
    alone = km.Table(patterns, None, table.categories, ordered=True, clusters=np.arange(len(patterns)))
    clustered = km.marginal_homogeneity(alone)
    assert clustered.method == "hotelling"
    assert (clustered.statistic, clustered.pvalue) == pytest.approx((found.statistic, found.pvalue), rel=1e-6)


def test_margins_over_clusters_by_hand():
    """Two raters, two categories: T2 is the squared t statistic of the cluster sums of the differences."""
    first, second = [1, 2, 2, 2, 1, 2, 2, 1], [1, 1, 1, 2, 1, 2, 1, 2]
    clusters = ["a", "a", "a", "b", "b", "c", "d", "d"]
    sums = [2, 0, 0, 0]  # second minus first, counted in category 1: 0 + 1 + 1, 0 + 0, 0, 1 - 1
    found = km.marginal_homogeneity(first, second, cluster=clusters)
    assert found.statistic == pytest.approx(stats.ttest_1samp(sums, 0).statistic ** 2)
    assert found.pvalue == pytest.approx(stats.ttest_1samp(sums, 0).pvalue)
    with pytest.raises(km.errors.NotSupportedError, match="'permutation' assumes independent subjects"):
        km.marginal_homogeneity(first, second, cluster=clusters, method="permutation")
    few = km.marginal_homogeneity([1, 1, 2, 3], [2, 3, 2, 3], cluster=["a", "b", "b", "b"])
    assert (few.pvalue, few.reason) == (None, "the estimated variance of a difference between the raters is zero")


def test_auto_does_without_a_variance_of_zero():
    """Where Bhapkar's statistic is undefined for many subjects, the permutation test takes its place."""
    table = km.Table([[0, 0, 1], [0, 1, 1]], [500, 500], [0, 1], ordered=True)
    assert km.marginal_homogeneity(table, method="bhapkar").pvalue is None
    test = km.marginal_homogeneity(table, n_draws=200, rng=1)
    assert (test.method, test.pvalue < 0.01) == ("permutation", True)


def test_wrong_options_are_refused():
    """Each option is checked by name."""
    table = km.example("rapallo2022")
    with pytest.raises(InvalidOptionError, match="method must be one of .*'stuart-maxwell'.*Did you mean"):
        km.marginal_homogeneity(table, method="stuart")
    with pytest.raises(InvalidOptionError, match="n_draws must be a whole number >= 1; got 0"):
        km.marginal_homogeneity(table, n_draws=0)
    with pytest.raises(InvalidOptionError, match="n_draws must be at most 1,000,000,000"):
        km.marginal_homogeneity(table, n_draws=10**10)
    with pytest.raises(InvalidOptionError, match="rng must be a whole number"):
        km.marginal_homogeneity(table, rng=-1)


def test_designs_that_are_too_large_are_refused():
    """A covariance matrix has a limited number of rows, and random permutations a limited number of ratings."""
    codes = np.stack([np.arange(2500), np.roll(np.arange(2500), 1)], axis=1)
    table = km.Table(codes, None, list(range(2500)), ordered=True)
    with pytest.raises(
        NotSupportedError,
        match="compares 2 raters in 2500 categories by a matrix of 2,499 rows.*the limits are 2,000 rows",
    ):
        km.marginal_homogeneity(table)
    many = km.Table(np.arange(300)[None] % 9, [10**15], list(range(9)), ordered=True)
    with pytest.raises(NotSupportedError, match="random permutations would take .* random numbers; the limit is 2e"):
        km.marginal_homogeneity(many, method="permutation")


def test_results_are_plain_data():
    """The dictionary has every field, and the card shows those that apply."""
    test = km.marginal_homogeneity(km.example("diagnoses"), method="permutation", n_draws=99, rng=1)
    content = test.to_dict()
    assert content["method"] == "permutation"
    assert content["n_draws"] == 99
    assert content["notes"] == []
    assert "permutations    99" in repr(test)


#: raters, categories, and subjects of the simulated null hypothesis
NULLS = [(r, k) for r in (2, 3) for k in (2, 3, 5)]
N_SIMULATED = 5000


def _exchangeable(rng, n_subjects, n_raters, n_categories):
    """Return ratings of exchangeable raters: with probability 0.6 the truth, else drawn from the same shares."""
    shares = np.arange(1, n_categories + 1) / sum(range(1, n_categories + 1))
    truth = rng.choice(n_categories, size=(n_subjects, 1), p=shares)
    guesses = rng.choice(n_categories, size=(n_subjects, n_raters), p=shares)
    codes = np.where(rng.random((n_subjects, n_raters)) < 0.6, truth, guesses)
    return km.Table(codes, None, list(range(n_categories)), ordered=True)


def _level(method, n_subjects, r, k, seed):
    """Return the share of simulated tables whose p-value is at most 0.05."""
    rng = np.random.default_rng([seed, r, k])
    rejected = 0
    for _ in range(N_SIMULATED):
        test = km.marginal_homogeneity(_exchangeable(rng, n_subjects, r, k), method=method, n_draws=199, rng=rng)
        rejected += test.pvalue is not None and test.pvalue <= 0.05
    return rejected / N_SIMULATED


def _reach(level):
    """Return four standard errors of a simulated level."""
    return 4 * (level * (1 - level) / N_SIMULATED) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize(("r", "k"), NULLS)
def test_stuart_maxwell_holds_its_level(r, k):
    """With 100 subjects, at most 5% of tables of exchangeable raters are rejected, up to Monte Carlo error."""
    assert _level("stuart-maxwell", 100, r, k, 1) <= 0.05 + _reach(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("r", "k"), NULLS)
@pytest.mark.parametrize("n_subjects", [15, 100])
def test_permutation_holds_its_level_for_any_number_of_subjects(monkeypatch, n_subjects, r, k):
    """The permutation test is exact, so its level is at most 5% with 15 subjects too.

    To save time, distributions that take more than some milliseconds are sampled; with 199 draws this is exact as well.
    """
    monkeypatch.setattr(rating_permutations, "MOST_ADDITIONS", 1_000_000)
    assert _level("permutation", n_subjects, r, k, 2) <= 0.05 + _reach(0.05)


@pytest.mark.slow
@pytest.mark.parametrize(("r", "k"), NULLS)
def test_bhapkar_holds_its_level_in_large_samples_only(r, k):
    """With N subjects the Wald statistic is about Hotelling's T^2, whose level exceeds 5% by a known amount.

    The level is the probability that (df (N - 1) / (N - df)) F(df, N - df) exceeds the quantile of chi-squared.
    """
    from scipy.stats import f

    df = (r - 1) * (k - 1)
    for n_subjects in (100, 2000):
        scale = df * (n_subjects - 1) / (n_subjects - df)
        expected = float(f.sf(chi2.isf(0.05, df) / scale, df, n_subjects - df))
        assert _level("bhapkar", n_subjects, r, k, 3) <= expected + _reach(expected)


@pytest.mark.slow
@pytest.mark.parametrize(("r", "k"), NULLS[1::2])
def test_hotelling_holds_its_level(r, k):
    """With 100 subjects, at most 5% of tables of exchangeable raters are rejected, up to Monte Carlo error."""
    assert _level("hotelling", 100, r, k, 3) <= 0.05 + _reach(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("r", [2, 3])
def test_margins_of_clusters_hold_their_level(r):
    """Thirty clusters of three subjects, of whom all or none are guessed; ignoring clusters would reject more often."""
    rng = np.random.default_rng([8, r])
    rejected = dict.fromkeys(("clusters", "subjects"), 0)
    for _ in range(N_SIMULATED // 5):
        truth, guesses = rng.integers(0, 3, size=(30, 1)), rng.integers(0, 3, size=(30, r))
        codes = np.repeat(np.where(rng.random((30, 1)) < 0.5, truth, guesses), 3, axis=0)
        for name, clusters in (("clusters", np.repeat(np.arange(30), 3)), ("subjects", None)):
            table = km.Table(codes, None, [0, 1, 2], ordered=True, clusters=clusters)
            rejected[name] += km.marginal_homogeneity(table, method="hotelling").pvalue <= 0.05
    n = N_SIMULATED // 5
    assert rejected["clusters"] / n <= 0.05 + 4 * (0.05 * 0.95 / n) ** 0.5
    assert rejected["subjects"] / n > 0.15


@pytest.mark.slow
@pytest.mark.parametrize(("r", "k"), NULLS)
@pytest.mark.parametrize("n_subjects", [15, 100, 400])
def test_auto_holds_its_level(monkeypatch, n_subjects, r, k):
    """The method that is chosen for the number of subjects rejects at most 5%, up to error."""
    monkeypatch.setattr(rating_permutations, "MOST_ADDITIONS", 1_000_000)
    assert _level("auto", n_subjects, r, k, 4) <= 0.05 + _reach(0.05)


@pytest.mark.slow
def test_equal_margins_of_raters_who_are_not_exchangeable_are_not_rejected_by_bhapkar():
    """Nine raters who copy each other have the margins of a tenth who guesses: only Bhapkar's test holds its level."""
    rng = np.random.default_rng(6)
    rejected = dict.fromkeys(("bhapkar", "stuart-maxwell"), 0)
    for _ in range(N_SIMULATED):
        copied = np.repeat(rng.integers(0, 2, size=(200, 1)), 9, axis=1)
        table = km.from_ratings(np.hstack([copied, rng.integers(0, 2, size=(200, 1))]))
        for method in rejected:
            rejected[method] += km.marginal_homogeneity(table, method=method).pvalue <= 0.05
    assert rejected["bhapkar"] / N_SIMULATED <= 0.06 + _reach(0.06)
    assert rejected["stuart-maxwell"] / N_SIMULATED > 0.1  # P(9 chi2(1) > chi2.isf(0.05, 9)) = 0.17


@pytest.mark.slow
def test_different_margins_are_found():
    """Raters with shares 0.3 and 0.5 of a category, 200 subjects: all methods find the difference nearly always."""
    rng = np.random.default_rng(7)
    for method in ("stuart-maxwell", "bhapkar", "permutation"):
        found = 0
        for _ in range(200):
            codes = np.stack([rng.random(200) < 0.3, rng.random(200) < 0.5], axis=1).astype(int)
            found += km.marginal_homogeneity(km.from_ratings(codes), method=method).pvalue <= 0.05
        assert found > 180


@pytest.mark.parametrize("clusters", [[1, 1], [1, 1, 2, 2]])
def test_margins_that_are_equal_in_every_cluster_show_no_difference(clusters):
    """The differences of the subjects cancel within each cluster, so they have no variance between clusters."""
    first = [1, 2] * (len(clusters) // 2)
    test = km.marginal_homogeneity(first, first[::-1], cluster=clusters)
    assert (test.statistic, test.df, test.pvalue) == (0, 0, 1)
    assert test.reason == "the margins are equal in every cluster"
