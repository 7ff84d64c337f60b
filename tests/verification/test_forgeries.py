"""Tests of certificates that are forged with knowledge of the verification."""

import copy
import json
from fractions import Fraction

import pytest

import kappamax as km
from kappamax._rootsum import RootSum, quotient
from kappamax.verification import parse
from kappamax.verification.definitions import Design


@pytest.fixture
def document():
    """Return a certificate of linear kappa for two raters and four categories, as read from a file."""
    return json.loads(
        json.dumps(km.max_kappa(km.example("rapallo2022"), weights="linear").with_minimum().certificate())
    )


def design_of(document):
    """Return the design of a certificate."""
    shape = [len(document["observed"][key]) for key in ("raters", "categories")]
    return Design(*shape, document["coefficient"], 2, parse.weights(document["weights"], *shape).pairs)


def show(document, end, table):
    """Replace the table of the maximum or minimum and all numbers that depend on it."""
    design, claims = design_of(document), document[end]
    rows = parse.rows(table, *design.shape)
    claims["table"] = copy.deepcopy(table)
    claims["solution"]["table"] = {key: table[key] for key in ("patterns", "counts")}
    claims["value"], claims["exact"] = design.value(rows), str(design.exact_value(rows))
    claims["solution"]["score"] = plain(design.score(rows))
    bound_at(document, end, design.score(rows))


def bound_at(document, end, score):
    """Change a bound in the claims and in the solution."""
    design = design_of(document)
    rows = parse.rows(document["observed"], *design.shape)
    chance = design.expected(rows)
    document[end]["solution"]["bound"] = plain(score)
    document[end]["bound"] = quotient(chance - score / design.n_units(rows), chance)


def unproven(document, end):
    """Remove a proof from the claims and from the solution."""
    document[end]["proof"] = document[end]["solution"]["proof"] = None
    document[end]["proven"] = False
    if end == "maximum":
        document |= {"ratio": None, "ratio_reason": "the maximum is not proven"}


def plain(score):
    return {str(f): str(c) for f, c in score.terms.items()}


@pytest.mark.parametrize("proof", ["prices", "remainders", "search", None])
def test_prices_of_the_use_of_categories_are_rejected_if_the_expected_disagreement_is_fixed(document, proof):
    """Such prices would lower the sums of patterns but not the total, and would prove any table optimal."""
    show(document, "maximum", document["observed"])
    document["ratio"] = 1.0
    if proof is None:
        unproven(document, "maximum")
    else:
        document["maximum"]["proof"] = document["maximum"]["solution"]["proof"] = proof
    assert km.verify(document).faults
    prices = document["maximum"]["solution"]["prices"]
    much = 10**6 * prices["denominator"]
    prices["ratings"] = [[[numerator + much] for (numerator,) in row] for row in prices["ratings"]]
    prices["use"] = [[-much]] * 4
    assert (
        "the use of categories can have prices only if the expected disagreement depends on the table"
        in km.verify(document).faults[0]
    )


STEP = Fraction(1, 3)  # difference of adjacent scores of linear weights for four categories


@pytest.mark.parametrize("beyond", [RootSum(STEP / 1000), RootSum(STEP * Fraction(999, 1000)), RootSum({2: STEP / 2})])
@pytest.mark.parametrize("end", ["maximum", "minimum"])
def test_a_bound_between_two_scores_is_refuted_by_the_table_shown(document, end, beyond):
    """A bound between two attainable scores is refuted by the table shown."""
    unproven(document, end)
    score = parse.number(document[end]["solution"]["score"])
    sign = 1 if end == "maximum" else -1
    assert km.verify(document)
    bound_at(document, end, score + beyond * sign)
    assert km.verify(document).faults == (f"{end}: a table has a value beyond the bound",)
    bound_at(document, end, score - beyond * sign)
    assert km.verify(document)


def test_one_value_only_needs_a_proven_minimum(document):
    """An unproven minimum that equals the maximum does not show that the margins allow only one value."""
    document["observed"] = copy.deepcopy(document["maximum"]["table"])
    document |= {"value": document["maximum"]["value"], "ratio": 1.0}
    assert km.verify(document)
    bound = parse.number(document["minimum"]["solution"]["score"])
    show(document, "minimum", document["maximum"]["table"])
    unproven(document, "minimum")
    bound_at(document, "minimum", bound)
    assert km.verify(document)
    document |= {"ratio": None, "ratio_reason": "the margins allow one value only"}
    assert not km.verify(document)


@pytest.fixture
def odd_use():
    """A certificate whose maximum is proven by remainders: two ratings per subject, seven of them in one category."""
    rows = [[1, 0, None], [None, 0, 0], [1, None, 0], [0, 1, None], [None, 1, 1], [0, None, 0]]
    document = km.max_kappa(km.from_ratings(rows)).with_minimum().certificate()
    assert document["maximum"]["proof"] == "remainders"
    assert km.verify(document)
    return document


def test_remainders_prove_no_more_than_they_force(odd_use):
    """The observed table has more disagreement than the remainders force."""
    show(odd_use, "maximum", odd_use["observed"])
    odd_use["ratio"] = 1.0
    assert odd_use["maximum"]["value"] < 1
    fault = "maximum: the remainders of the use of categories do not prove the score"
    assert km.verify(odd_use).faults == (fault,)


def test_remainders_prove_no_minimum(odd_use):
    """A minimum cannot be proven by remainders, even if it is one."""
    odd_use["minimum"]["proof"] = odd_use["minimum"]["solution"]["proof"] = "remainders"
    fault = "minimum: the remainders of the use of categories do not prove the score"
    assert km.verify(odd_use).faults == (fault,)


def test_remainders_prove_nothing_about_complete_ratings(document):
    """The maximum of complete ratings is not accepted with a proof by remainders."""
    document["maximum"]["proof"] = document["maximum"]["solution"]["proof"] = "remainders"
    fault = "maximum: the remainders of the use of categories do not prove the score"
    assert km.verify(document).faults == (fault,)


def test_a_bound_by_remainders_needs_no_proof(odd_use):
    """The bound of an unproven table is accepted up to what the remainders force, and not beyond."""
    unproven(odd_use, "maximum")
    assert km.verify(odd_use)
    score = parse.number(odd_use["maximum"]["solution"]["score"])
    bound_at(odd_use, "maximum", score + 1)
    assert km.verify(odd_use).faults == ("maximum: a table has a value beyond the bound",)
