"""Results equal published values and those of other packages, whose sources are in data/reference.json.

If a package follows another convention, the test states it and checks that it explains the difference.
"""

import json
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import kappamax as km

REFERENCE = json.loads((Path(__file__).parent / "data" / "reference.json").read_text(encoding="utf-8"))
TWO, MANY = REFERENCE["two_rater"], REFERENCE["multi_rater"]
SCHEMES = ("unweighted", "linear", "quadratic", "sqrt")


def two_raters(name):
    return km.from_counts(TWO[name]["table"], categories=TWO[name]["categories"])


def many_raters(name):
    entry = MANY[name]
    labels = [[None if code is None else entry["categories"][code - 1] for code in row] for row in entry["ratings"]]
    return km.from_ratings(labels, categories=entry["categories"])


def weights_of(name, scheme):
    if scheme != "custom":
        return scheme
    return km.Weights.from_matrix(TWO[name]["custom_disagreement_weights"], kind="disagreement")


TWO_CASES = [
    (name, scheme, peer)
    for name, entry in TWO.items()
    for scheme, values in entry["peer_values"].items()
    for peer in values["peers"]
]
MANY_CASES = [
    (name, scheme, peer)
    for name, entry in MANY.items()
    for scheme, peers in entry["peer_values"].items()
    if scheme in SCHEMES
    for peer in peers
    if MANY[name]["complete"] or "misskappa" not in peer  # see test_missing_ratings_by_inverse_probability
]


@pytest.mark.parametrize(("name", "scheme", "peer"), TWO_CASES)
def test_two_raters_as_in_peers(name, scheme, peer):
    """Kappa, its standard error, its interval and the test of independence equal those of other packages."""
    published = TWO[name]["peer_values"][scheme]["peers"][peer]
    table, weights = two_raters(name), weights_of(name, scheme)
    result = km.kappa(table, weights=weights, interval="normal")
    assert result.value == pytest.approx(published["kappa"], abs=1e-9)
    known = {"kappa", "se", "se0", "ci", "z", "p"}
    assert set(published) <= known
    if "se" in published:
        assert result.se == pytest.approx(published["se"], abs=1e-9)
    if "ci" in published:
        assert result.ci == pytest.approx(published["ci"], abs=1e-9)
    null = km.value_test(table, weights=weights, method="null", alternative="two-sided")
    if "se0" in published:
        assert null.se == pytest.approx(published["se0"], abs=1e-9)
    if "z" in published:
        assert null.statistic == pytest.approx(published["z"], abs=1e-9)
    if "p" in published:  # irr gives 0 if the p-value is below the rounding error of 1
        assert null.pvalue == pytest.approx(published["p"], abs=1e-9)


@pytest.mark.parametrize("name", TWO)
def test_two_raters_consensus(name):
    """Kappa equals the value of all other packages for every weighting."""
    for scheme, values in TWO[name]["peer_values"].items():
        result = km.kappa(two_raters(name), weights=weights_of(name, scheme))
        assert result.value == pytest.approx(values["consensus_kappa"], abs=1e-9)


def test_published_values_of_two_raters():
    """Kappa equals the values in papers and help pages to the printed digits."""
    fig3 = km.example("rapallo2022")
    assert km.kappa(fig3, weights="linear").value == pytest.approx(0.5023, abs=5e-5)
    cohen = km.example("cohen1968")
    order = {"categories": ["personality disorder", "neurosis", "psychosis"]}  # the order of the matrices of weights
    assert km.kappa(cohen).value == pytest.approx(0.492, abs=5e-4)
    symmetric = km.Weights.from_matrix([[0, 1, 3], [1, 0, 6], [3, 6, 0]], kind="disagreement")
    assert km.kappa(cohen, weights=symmetric, **order).value == pytest.approx(0.348, abs=5e-4)
    asymmetric = km.Weights.from_matrix([[0, 1, 4], [1, 0, 6], [2, 2, 0]], kind="disagreement")
    assert km.kappa(cohen, weights=asymmetric, **order).value == pytest.approx(0.353, abs=5e-4)
    everitt = km.example("fleiss1969")
    assert km.kappa(everitt).value == pytest.approx(0.429, abs=5e-4)
    assert km.kappa(everitt).se ** 2 == pytest.approx(0.002885, abs=5e-7)
    assert km.standard_error(everitt, method="null").se ** 2 == pytest.approx(0.003082, abs=5e-7)
    vassar = km.kappa(km.example("vassarstats"))
    assert vassar.value == pytest.approx(0.4915, abs=5e-5)
    assert vassar.se == pytest.approx(0.072, abs=5e-4)


def test_published_values_that_drop_an_unused_category():
    """irr::kappa2 omits category 5, which no rater used, so it has five categories instead of six."""
    table = np.delete(np.delete(np.array(TWO["irr_anxiety_r2_r3"]["table"]), 4, axis=0), 4, axis=1)
    for entry in TWO["irr_anxiety_r2_r3"]["published"]:
        five = km.value_test(km.from_counts(table), weights=entry["weights"], method="null", alternative="two-sided")
        assert five.value == pytest.approx(entry["kappa"], abs=5e-8)
        assert five.statistic == pytest.approx(entry["z"], abs=5e-7)
    six = two_raters("irr_anxiety_r2_r3")
    assert km.kappa(six, weights="linear").value == pytest.approx(0.1262, abs=5e-5)
    assert km.kappa(six, weights="quadratic").value == pytest.approx(0.2298, abs=5e-5)


@pytest.mark.parametrize(("name", "scheme", "peer"), MANY_CASES)
def test_many_raters_as_in_peers(name, scheme, peer):
    """Coefficients and Gwet's standard errors equal those of other packages if the conventions agree."""
    published = MANY[name]["peer_values"][scheme][peer]
    table = many_raters(name)
    coefficients = {"conger": "conger", "fleiss": "fleiss", "kripp_alpha": "krippendorff", "gwet_ac": "gwet"}
    n = table.n_subjects
    for key, value in published.items():
        if key == "light":
            assert km.pairwise_kappas(table, weights=scheme).light == pytest.approx(value, abs=1e-9)
            continue
        chosen = coefficients[key.removesuffix("_se")]
        result = km.agreement(table, weights=scheme, coefficient=chosen, method="gwet")
        ours = result.value
        if key.endswith("_se"):
            # misskappa and magree divide by n, whereas Gwet divides by n - 1
            ours = result.se if "irrCAC" in peer else result.se * sqrt((n - 1) / n)
        assert ours == pytest.approx(value, abs=_digits(peer, key)), key


def _digits(peer, key):
    """Return the largest difference between a printed value and the number that was computed."""
    if peer == "R irrCAC 1.0 (5 digits)":
        return 5.001e-6
    if peer == "R magree 1.2":  # single precision has an error of 6e-8, and a variance is a difference
        return 1e-6 if key.endswith("_se") else 1e-7
    return 1e-9


@pytest.mark.parametrize("scheme", ["unweighted", "linear", "quadratic"])
def test_missing_ratings_by_inverse_probability(scheme):
    """With missing ratings, misskappa defines D_o as the mean over pairs of raters, and Gwet as the mean over subjects.

    The values of misskappa follow from our tables of pairs by its definition. Its standard errors have no counterpart
    here. The unweighted value of misskappa is 0.7107, and ours is 0.7628.
    """
    name = "gwet_cac_raw4raters_missing"
    table, u = many_raters(name), km.Weights.from_scheme(scheme, 5).matrix
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    observed = np.mean([(table.pair(a, b) * u).sum() / table.pair(a, b).sum() for a, b in pairs])
    shares = table.margins / table.margins.sum(axis=1, keepdims=True)
    per_rater = np.mean([shares[a] @ u @ shares[b] for a, b in pairs])
    pooled = shares.mean(axis=0) @ u @ shares.mean(axis=0)
    theirs = MANY[name]["peer_values"][scheme]["R misskappa 1.1.0 (ipw)"]
    assert 1 - observed / per_rater == pytest.approx(theirs["conger"], abs=1e-9)
    assert 1 - observed / pooled == pytest.approx(theirs["fleiss"], abs=1e-9)


@pytest.mark.parametrize("name", MANY)
def test_alpha_as_in_the_krippendorff_package(name):
    """The metrics have the same names, and the ordinal one is quadratic in pooled mid-ranks."""
    table = many_raters(name)
    published = MANY[name]["krippendorff_alpha_py"]
    for metric, weights in _krippendorff_metrics(table).items():
        for one in (metric, weights):
            alpha = km.agreement(table, coefficient="krippendorff", weights=one).value
            assert alpha == pytest.approx(published[metric], abs=1e-9), metric


def _krippendorff_metrics(table):
    pairable = table.counts * (table.n_ratings >= 2)
    pooled = [int((pairable[:, None] * (table.patterns == i)).sum()) for i in range(table.n_categories)]
    midranks = [sum(pooled[:i]) + (pooled[i] + 1) / 2 for i in range(len(pooled))]
    ordinal = km.Weights.from_positions(midranks, "quadratic")
    return {"nominal": "unweighted", "interval": "quadratic", "ordinal": ordinal}


@pytest.mark.parametrize("name", MANY)
def test_alpha_as_in_irr(name):
    """irr::kripp.alpha counts r(r - 1) matchable values per subject, whereas Krippendorff counts r.

    For complete ratings, 1 - alpha of irr is (1 - Fleiss' kappa) (1 - 1/(N r (r - 1))), and ours has N r in place of
    N r (r - 1), so they agree for two raters. For the missing ratings of this dataset, irr follows Krippendorff.
    """
    table = many_raters(name)
    published = MANY[name]["peer_values"]["irr_kripp_alpha"]
    n, r = table.n_subjects, table.n_raters
    for metric, weights in _krippendorff_metrics(table).items():
        alpha = km.agreement(table, coefficient="krippendorff", weights=weights).value
        if table.complete:
            fleiss = km.agreement(table, coefficient="fleiss", weights=weights).value
            alpha = 1 - (1 - fleiss) * (1 - 1 / (n * r * (r - 1)))
        assert alpha == pytest.approx(published[metric], abs=1e-9), metric


def test_published_values_of_many_raters():
    """Coefficients of several raters equal the values in papers and help pages."""
    assert km.agreement(many_raters("fleiss1971_diagnoses_6x30"), coefficient="fleiss").value == pytest.approx(
        0.4302445, abs=5e-8
    )
    gwet = km.example("gwet2014")
    ac1 = km.agreement(gwet, coefficient="ac1", method="gwet")
    assert (ac1.value, ac1.se) == pytest.approx((0.77544, 0.14295), abs=5.001e-6)
    fleiss = km.agreement(gwet, coefficient="fleiss", method="gwet")
    assert (fleiss.value, fleiss.se) == pytest.approx((0.76117, 0.15302), abs=5.001e-6)
    assert km.agreement(gwet, coefficient="percent").value == pytest.approx(0.8181818, abs=5e-8)
    assert km.kappa(km.example("rapallo2022-three"), weights="linear").value == pytest.approx(0.4872, abs=5e-5)


@pytest.mark.parametrize("name", [name for name in MANY if "reference_formula" in MANY[name]])
def test_conger_as_in_a_direct_formula(name):
    """Conger's kappa equals the value that is recorded with the maxima."""
    for scheme, values in MANY[name]["reference_formula"].items():
        assert km.kappa(many_raters(name), weights=scheme).value == pytest.approx(values["conger"], abs=1e-9)


def test_bundled_examples_are_the_reference_tables():
    """The bundled examples and the reference data have the same counts."""
    same = {
        "rapallo2022": two_raters("rapallo2022_fig3a"),
        "cohen1968": two_raters("cohen1968_x200"),
        "fleiss1969": two_raters("fleiss_cohen_everitt1969"),
        "vassarstats": two_raters("vassarstats_example"),
        "sexual-fun": two_raters("vcd_SexualFun"),
        "vision": two_raters("irr_vision"),
        "rapallo2022-three": many_raters("rapallo2022_3x3x3"),
        "diagnoses": many_raters("fleiss1971_diagnoses_6x30"),
        "anxiety": many_raters("irr_anxiety_3x20"),
        "gwet2014": many_raters("gwet_cac_raw4raters_missing"),
    }
    published_elsewhere = {
        "depression",
        "fees",
        "shrout-fleiss",
    }  # in tests of their own
    assert set(same) == set(km.datasets.EXAMPLES) - published_elsewhere
    for name, table in same.items():
        bundled = km.example(name)
        assert bundled.categories == table.categories
        assert np.array_equal(bundled.patterns, table.patterns)
        assert np.array_equal(bundled.counts, table.counts)
