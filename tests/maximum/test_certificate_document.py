"""Tests of the certificate of a result, including proofs that use only its numbers."""

import json
from fractions import Fraction
from itertools import combinations, product
from math import lcm, sqrt

import pytest

import kappamax as km
from kappamax.maximum.certificate_document import certificate_of

SYMMETRIC = km.Weights.from_matrix([[0, 2, 3], [2, 0, 1], [3, 1, 0]], kind="disagreement")
UPPER = km.Weights.from_matrix([[0, 1, 4], [0, 0, 1], [0, 0, 0]], kind="disagreement")
GAPS = km.from_ratings(
    [[1, 1, 2], [2, 3, None], [3, 1, 1], [None, 2, 2], [2, 2, 1], [1, None, 3], [3, 3, 2]], categories=[1, 2, 3]
)
RESULTS = {
    "two raters": (km.example("rapallo2022"), {"weights": "linear"}),
    "roots": (km.example("rapallo2022"), {"weights": "sqrt"}),
    "three raters": (km.example("rapallo2022-three"), {"weights": "quadratic"}),
    "gaps": (GAPS, {"weights": "linear"}),
    "gaps and roots": (GAPS, {"weights": "sqrt"}),
    "weights per pair": (GAPS, {"weights": {(0, 1): SYMMETRIC, (0, 2): UPPER, (1, 2): SYMMETRIC}}),
    "brennan-prediger": (GAPS, {"coefficient": "brennan-prediger"}),
}


@pytest.fixture(scope="module", params=RESULTS)
def document(request):
    table, options = RESULTS[request.param]
    return certificate_of(km.max_kappa(table, **options).with_minimum())


def weight(document, pair, i, j):
    """Return the disagreement of two categories for one pair of raters."""
    weights = document["weights"]
    matrix = weights["matrices"][weights["of_pair"][pair]]
    return matrix["multipliers"][i][j] * sqrt(matrix["radicands"][i][j]) / matrix["denominator"]


def disagreement(document, pattern):
    """Return the mean disagreement over the pairs of a subject's ratings."""
    pairs = list(combinations(range(len(pattern)), 2))
    rated = [place for place, (a, b) in enumerate(pairs) if min(pattern[a], pattern[b]) >= 0]
    if not rated:
        return 0.0
    total = sum(weight(document, place, *(pattern[a] for a in pairs[place])) for place in rated)
    return total / len(rated)


def number(terms):
    """Return the sum of roots given as {radicand: fraction}."""
    return sum(float(Fraction(c)) * sqrt(int(f)) for f, c in terms.items())


def raters_of(pattern):
    return tuple(rater for rater, code in enumerate(pattern) if code >= 0)


def worth(prices, pattern):
    """Return the sum of the prices of a pattern's ratings and of its set of raters."""
    sets = {tuple(one["raters"]): one["price"] for one in prices["sets"]}
    terms = [prices["ratings"][rater][pattern[rater]] for rater in raters_of(pattern)] + [sets[raters_of(pattern)]]
    roots = [sqrt(f) for f in prices["radicands"]]
    return sum(c * root for term in terms for c, root in zip(term, roots, strict=True)) / prices["denominator"]


def possible_patterns(document):
    """Return every pattern of the sets of raters that the observed table has."""
    k = len(document["observed"]["categories"])
    width = len(document["observed"]["raters"])
    for members in {raters_of(pattern) for pattern in document["observed"]["patterns"]}:
        for codes in product(range(k), repeat=len(members)):
            pattern = [-1] * width
            for rater, code in zip(members, codes, strict=True):
                pattern[rater] = code
            yield pattern


def total(table, of):
    return sum(n * of(pattern) for pattern, n in zip(table["patterns"], table["counts"], strict=True))


def test_the_document_of_a_two_by_two_table_by_hand():
    """With margins 3, 1 and 2, 2, one to three subjects disagree and 2 are expected to, so kappa is 1/2 to -1/2."""
    found = certificate_of(km.max_kappa(km.from_counts([[2, 1], [0, 1]], categories=["no", "yes"])).with_minimum())
    labels = {"categories": ["no", "yes"], "raters": ["1", "2"]}
    observed = {"patterns": [[0, 0], [0, 1], [1, 1]], "counts": [2, 1, 1]}
    smallest = {"patterns": [[0, 0], [0, 1], [1, 0]], "counts": [1, 2, 1]}
    for end in ("maximum", "minimum"):
        assert set(found[end]["solution"].pop("prices")) == {"radicands", "denominator", "ratings", "sets"}
    found["minimum"]["solution"].pop("table")  # the same table, its patterns in the solver's order
    assert found == {
        "format": "kappamax certificate",
        "version": 1,
        "kappamax_version": km.__version__,
        "coefficient": "cohen",
        "title": "Cohen's kappa",
        "group_size": 2,
        "weights": {
            "name": "unweighted",
            "exact": True,
            "matrices": [{"denominator": 1, "multipliers": [[0, 1], [1, 0]], "radicands": [[1, 1], [1, 1]]}],
            "of_pair": [0],
            "label": "unweighted",
        },
        "observed": labels | observed,
        "value": 0.5,
        "ratio": 1.0,
        "ratio_reason": None,
        "maximum": {
            "value": 0.5,
            "exact": "1/2",
            "proven": True,
            "proof": "prices",
            "bound": 0.5,
            "method": "sorted ratings",
            "table": labels | observed,
            "solution": {"table": observed, "score": {"1": "1"}, "bound": {"1": "1"}, "proof": "prices"},
        },
        "minimum": {
            "value": -0.5,
            "exact": "-1/2",
            "proven": True,
            "proof": "prices",
            "bound": -0.5,
            "method": "reversed order",
            "table": labels | smallest,
            "solution": {"score": {"1": "3"}, "bound": {"1": "3"}, "proof": "prices"},
        },
    }


@pytest.mark.parametrize(("end", "sign"), [("maximum", 1), ("minimum", -1)])
def test_prices_prove_the_bound_by_the_documents_own_numbers(document, end, sign):
    """No possible pattern costs less than its prices, and the prices of the observed ratings add up to the bound."""
    solution = document[end]["solution"]
    for pattern in possible_patterns(document):
        assert sign * disagreement(document, pattern) >= worth(solution["prices"], pattern) - 1e-9
    assert solution["proof"] == document[end]["proof"] == "prices"
    paid = total(document["observed"], lambda pattern: worth(solution["prices"], pattern))
    assert paid == pytest.approx(sign * number(solution["bound"]), abs=1e-9)


@pytest.mark.parametrize("end", ["maximum", "minimum"])
def test_the_score_is_that_of_both_tables(document, end):
    """The solver's table and the labelled table have the same patterns, and their disagreement is the score."""
    claims = document[end]
    assert total(claims["table"], lambda pattern: disagreement(document, pattern)) == pytest.approx(
        number(claims["solution"]["score"])
    )
    listed = [
        sorted(zip(map(tuple, table["patterns"]), table["counts"], strict=True))
        for table in (claims["table"], claims["solution"]["table"])
    ]
    assert listed[0] == listed[1]


def test_the_document_is_plain_and_can_be_verified_again(document):
    """JSON preserves the document, and `verify` accepts it without the result."""
    text = json.dumps(document, allow_nan=False)
    assert json.loads(text) == document
    assert km.verify(json.loads(text)).holds


def test_each_matrix_of_weights_is_written_once():
    """Pairs (0, 1) and (1, 2) share a matrix, and the asymmetric matrix keeps its direction."""
    table, options = RESULTS["weights per pair"]
    weights = certificate_of(km.max_kappa(table, **options))["weights"]
    assert weights["of_pair"] == [0, 1, 0]
    first, second = weights["matrices"]
    assert (first["denominator"], first["multipliers"]) == (3, [[0, 2, 3], [2, 0, 1], [3, 1, 0]])
    assert (second["denominator"], second["multipliers"]) == (4, [[0, 1, 4], [0, 0, 1], [0, 0, 0]])


@pytest.mark.parametrize(("end", "sign"), [("maximum", 1), ("minimum", -1)])
def test_cuts_replace_prices_if_the_expected_disagreement_varies(end, sign):
    """No pattern costs less than the prices of its ratings plus the price of its contribution to the use of categories.

    A rating of a subject with m ratings adds 1/m to the use of its category, in units that make this whole.
    """
    table = km.from_ratings([[1, 1, 2], [2, 2, 1], [1, 2, 2], [2, None, 1]], categories=[1, 2])
    document = certificate_of(km.max_kappa(table, coefficient="fleiss").with_minimum())
    solution = document[end]["solution"]
    assert "prices" not in solution
    assert solution["cuts"]
    unit = lcm(*(len(raters_of(pattern)) for pattern in document["observed"]["patterns"]))
    for cut in solution["cuts"]:
        assert cut["radicands"] == [1]
        for pattern in possible_patterns(document):
            rated = raters_of(pattern)
            use = sum(cut["use"][pattern[rater]][0] * unit // len(rated) for rater in rated) / cut["denominator"]
            assert sign * disagreement(document, pattern) >= worth(cut, pattern) + use - 1e-12


def test_an_unproven_result_has_a_bound_and_no_proof():
    """Without time for a search there is no proof, the bound lies beyond the value found, and no minimum is claimed."""
    ratings = [[(i * (r + 2) + i // 3) % 5 + 1 for r in range(6)] for i in range(40)]
    result = km.max_kappa(km.from_ratings(ratings, categories=range(1, 6)), weights="sqrt", time_limit=1e-9)
    document = certificate_of(result.with_minimum(time_limit=1e-9))
    claims = document["maximum"]
    assert (claims["proven"], claims["proof"], claims["solution"]["proof"]) == (False, None, None)
    assert document["value"] <= claims["value"] <= claims["bound"]
    assert number(claims["solution"]["bound"]) <= number(claims["solution"]["score"])
    assert document["minimum"] is None
