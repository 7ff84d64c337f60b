"""Tests of named weights, of weights from positions and matrices, and of their properties."""

import copy
import pickle
from fractions import Fraction
from itertools import product
from math import sin, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax import Weights
from kappamax.weights import PairWeights, as_weights
from tests.support.strategies import matrices, scheme_names


def test_the_papers_three_weightings_by_hand():
    """The weights are those of equations (3), (4) and (6) of the paper at k = 4."""
    assert Weights.from_scheme("quadratic", 4).matrix[0].tolist() == [0, 1 / 9, 4 / 9, 1]
    assert Weights.from_scheme("linear", 4).matrix[0].tolist() == [0, 1 / 3, 2 / 3, 1]
    assert Weights.from_scheme("sqrt", 4).matrix[0] == pytest.approx([0, sqrt(1 / 3), sqrt(2 / 3), 1], abs=1e-15)
    assert Weights.from_scheme("unweighted", 3).matrix.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]


def test_gwets_weightings_by_hand():
    """The weights over ranks 1 to 4 are those of irrCAC for the categories 1, 2, 3, 4."""
    ordinal = Weights.from_scheme("ordinal", 4).matrix[0]  # C(d + 1, 2) / C(4, 2)
    assert ordinal.tolist() == [0, 1 / 6, 3 / 6, 1]
    ratio = Weights.from_scheme("ratio", 4).matrix[0]  # ((i - j) / (i + j))^2 over (3/5)^2
    assert ratio == pytest.approx([0, (1 / 9) / (9 / 25), (1 / 4) / (9 / 25), 1], abs=1e-15)
    circular = Weights.from_scheme("circular", 5).matrix[0]  # sin^2(pi d / 5), largest at d = 2
    largest = sin(2 * np.pi / 5) ** 2
    assert circular == pytest.approx([sin(np.pi * d / 5) ** 2 / largest for d in range(5)], abs=1e-15)
    bipolar = Weights.from_scheme("bipolar", 3).matrix  # (i-j)^2 / ((i+j-2)(6-i-j)): 1/(1*3), 4/(2*2), 1/(3*1)
    assert bipolar == pytest.approx(np.array([[0, 1 / 3, 1], [1 / 3, 0, 1 / 3], [1, 1 / 3, 0]]), abs=1e-15)


@given(scheme_names, st.integers(1, 9))
def test_named_weights_are_symmetric_with_largest_one(name, k):
    """The diagonal is zero, and the largest entry is one unless there is a single category."""
    w = Weights.from_scheme(name, k)
    assert w.symmetric
    assert (w.matrix.diagonal() == 0).all()
    assert w.matrix.max() == (1 if k > 1 else 0)
    exact = np.array([[float(w.entry(i, j)) for j in range(k)] for i in range(k)])
    assert exact == pytest.approx(w.matrix, abs=1e-15)


def test_aliases_and_powers_are_the_schemes_they_name():
    """Radical is sqrt; power(2) is quadratic; power(1/2) is sqrt."""
    for alias, name in [("radical", "sqrt"), ("power(2)", "quadratic"), ("power(1/2)", "sqrt"), ("Power:1", "linear")]:
        assert Weights.from_scheme(alias, 5).name == name
        assert (Weights.from_scheme(alias, 5).matrix == Weights.from_scheme(name, 5).matrix).all()
    assert Weights.from_scheme("power(1.5)", 4).exact
    assert not Weights.from_scheme("power(0.3)", 4).exact
    assert Weights.from_scheme("power(0.3)", 4).matrix[0, 1] == pytest.approx(3**-0.3, abs=1e-15)


def _violated(u):
    k = len(u)
    return [(i, j, h) for i, j, h in product(range(k), repeat=3) if u[i][h] > u[i][j] + u[j][h]]


@given(st.data(), st.integers(2, 5))
def test_metric_and_monge_agree_with_the_definitions(data, k):
    """Both properties agree with a check of every triangle and every 2 x 2 block in whole numbers."""
    w = data.draw(matrices(k))
    u = w.multipliers.tolist()
    assert w.metric == (not _violated(u))
    if not w.metric:
        assert w.violated_triangle in _violated(u)
    blocks = [u[i][j] + u[i + 1][j + 1] <= u[i][j + 1] + u[i + 1][j] for i in range(k - 1) for j in range(k - 1)]
    assert w.monge == all(blocks)


@pytest.mark.parametrize(
    ("name", "metric", "monge", "exact"),
    [
        ("unweighted", True, False, True),
        ("linear", True, True, True),
        ("quadratic", False, True, True),
        ("sqrt", True, False, True),
        ("power(1.5)", False, True, True),
        ("power(0.3)", True, False, False),
        ("ordinal", False, True, True),
    ],
)
@pytest.mark.parametrize("k", [4, 9])
def test_what_each_weighting_is(name, metric, monge, exact, k):
    """Concave functions of the distance are metrics, convex ones are Monge, linear is both."""
    w = Weights.from_scheme(name, k)
    assert (w.metric, w.monge, w.exact) == (metric, monge, exact)
    assert (w.violated_triangle is None) == metric


def test_two_categories_make_every_weighting_metric_and_monge():
    """Two categories have only one distance, so no triangle inequality is violated."""
    for name in ("quadratic", "sqrt", "ordinal"):
        w = Weights.from_scheme(name, 2)
        assert w.metric
        assert w.monge


def test_borderline_triangles_are_decided_exactly():
    """With u = 0.1, 0.2 and 0.3 the triangle inequality is an equality, which doubles cannot decide."""
    tie = Weights.from_matrix([[0, 0.1, 0.3], [0.1, 0, 0.2], [0.3, 0.2, 0]], kind="disagreement")
    assert tie.exact
    assert 0.1 + 0.2 > 0.3  # in doubles the inequality would be violated
    assert tie.metric
    broken = Weights.from_matrix([[0, 1, 3], [1, 0, Fraction(19, 10)], [3, Fraction(19, 10), 0]], kind="disagreement")
    assert broken.violated_triangle == (0, 1, 2)


def test_positions_replace_ranks():
    """Linear over 0, 1, 10 puts the first two categories close together."""
    w = Weights.from_positions([0, 1, 10])
    assert w.matrix[0].tolist() == [0, 0.1, 1]
    assert w.name == "linear over positions"
    assert Weights.from_positions([3, 1, 2], "quadratic").matrix.tolist() == [
        [0, 1, 0.25],
        [1, 0, 0.25],
        [0.25, 0.25, 0],
    ]
    roots = Weights.from_positions([0, Fraction(1, 2), 2], "sqrt")
    assert roots.exact
    assert roots.matrix[0] == pytest.approx([0, 0.5, 1])
    assert not Weights.from_positions([0.0, np.pi, 10.0]).exact


def test_matrices_of_both_kinds():
    """Disagreement is scaled to largest 1, and agreement w becomes 1 - w without scaling."""
    w = Weights.from_matrix([[0, 1, 3], [1, 0, 6], [3, 6, 0]], kind="disagreement")
    assert w.matrix.tolist() == [[0, 1 / 6, 0.5], [1 / 6, 0, 1], [0.5, 1, 0]]
    a = Weights.from_matrix([[1, 0.5], [0.5, 1]], kind="agreement")
    assert a.matrix.tolist() == [[0, 0.5], [0.5, 0]]
    assert a.exact
    assert a.notes == ("weights given as decimals were read as the nearest simple fractions",)
    odd = Weights.from_matrix(np.array([[0, np.pi, 1], [np.pi, 0, 1], [1, 1, 0]]), kind="disagreement")
    assert not odd.exact
    assert odd.tolerance > 0
    assert "values that differ by at most 1e-12 count as equal" in odd.notes[0]


def test_agreement_matrices_keep_their_scale():
    """The largest u may be below 1. Gwet's AC2 and percent agreement depend on the scale, the others do not."""
    mild = Weights.from_matrix([[1, 0.9, 0.6], [0.9, 1, 0.8], [0.6, 0.8, 1]], kind="agreement")
    scaled = Weights.from_matrix(mild.matrix, kind="disagreement")
    assert (mild.matrix.max(), scaled.matrix.max()) == (0.4, 1)
    table = km.example("rapallo2022-three")
    for name in ("conger", "fleiss", "krippendorff", "brennan-prediger", "gwet", "percent"):
        first, second = (km.agreement(table, weights=w, coefficient=name) for w in (mild, scaled))
        assert (first.exact == second.exact) == (name not in ("gwet", "percent"))
        pooled = 1 - np.full((3, 3), 1 / 9).ravel() @ (1 - mild.matrix).ravel()
        assert name != "gwet" or 1 - first.expected_agreement >= pooled


def test_an_off_diagonal_zero_is_noted():
    """Two different categories may have weight zero, and a note says so."""
    w = Weights.from_matrix([[0, 0, 1], [0, 0, 1], [1, 1, 0]], kind="disagreement")
    assert w.notes == ("weight (1, 2) is zero, so these two categories count as full agreement",)
    assert w.metric


@pytest.mark.parametrize(
    ("matrix", "kind", "message"),
    [
        ([[0, 1], [1, 0, 1]], "disagreement", "must be square; row 2 has 3 of 2"),
        ([[0, 1, 2], [1, 0, 1]], "disagreement", "must be square; row 1 has 3 of 2"),
        ([[0, -1], [1, 0]], "disagreement", r"must be >= 0; entry \(1, 2\) is -1"),
        ([[0, 1], [1, 2]], "disagreement", r"diagonal of disagreement weights must be 0; entry \(2, 2\) is 2"),
        ([[0, float("nan")], [1, 0]], "disagreement", r"finite numbers; entry \(1, 2\) is nan"),
        ([[0, "x"], [1, 0]], "disagreement", r"finite numbers; entry \(1, 2\) is 'x'"),
        ([[0, 0], [0, 0]], "disagreement", "at least two categories must disagree; all disagreement weights are zero"),
        ([[1, 1], [1, 1]], "agreement", "at least two categories must disagree; all disagreement weights are zero"),
        ([[1, 1.5], [1, 1]], "agreement", r"at most 1; entry \(1, 2\) is 1.5"),
        ([[1, 0], [0, 0.9]], "agreement", r"must be 1; entry \(2, 2\) is 0.9"),
        ([], "disagreement", "at least one row"),
        (5, "disagreement", "must have rows; got int"),
    ],
)
def test_what_cannot_be_weights(matrix, kind, message):
    """Every rule names the entry that breaks it."""
    with pytest.raises(km.errors.InvalidWeightsError, match=message):
        Weights.from_matrix(matrix, kind=kind)


def test_the_kind_of_a_matrix_is_required():
    """A matrix without its kind is rejected."""
    t = km.from_counts([[1, 2], [3, 4]])
    with pytest.raises(
        km.errors.InvalidOptionError, match="kind must be one of 'disagreement', 'agreement'; got 'cost'"
    ):
        Weights.from_matrix([[0, 1], [1, 0]], kind="cost")
    with pytest.raises(km.errors.InvalidWeightsError, match="could hold agreement or disagreement"):
        km.kappa(t, weights=[[0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("linaer", "got 'linaer'. Did you mean 'linear'"),
        ("power(0)", "between 0 and 100"),
        ("krippendorff-ordinal", "computed from the ratings and belong to Krippendorff's alpha"),
    ],
)
def test_unknown_names(name, message):
    """The error for a misspelt name suggests the closest name."""
    with pytest.raises(km.errors.InvalidWeightsError, match=message):
        Weights.from_scheme(name, 3)


def test_positions_are_checked():
    """Positions must be distinct finite numbers, and the scheme must use them."""
    with pytest.raises(km.errors.InvalidWeightsError, match="must differ; 1 occurs twice"):
        Weights.from_positions([1, 1, 2])
    with pytest.raises(km.errors.InvalidWeightsError, match="entry 2 is inf"):
        Weights.from_positions([1, float("inf")])
    with pytest.raises(km.errors.InvalidWeightsError, match="must depend on positions, but ordinal weights do not"):
        Weights.from_positions([1, 2], "ordinal")
    with pytest.raises(
        km.errors.InvalidWeightsError, match="sum of two positions, which must not be 0; -1 and 1 add up to 0"
    ):
        Weights.from_positions([-1, 1], "ratio")


def test_weights_must_fit_the_table():
    """Size and order are checked against the categories."""
    three = Weights.from_scheme("linear", 3)
    with pytest.raises(km.errors.InvalidWeightsError, match="linear weights are 3 x 3, but there are 2 categories"):
        km.kappa(km.from_counts([[1, 2], [3, 4]]), weights=three)
    text = km.from_ratings([["mild", "none"], ["severe", "mild"], ["none", "none"]])
    unknown = "linear weights need ordered categories, but the order of these is not known: 'mild', 'none', 'severe'. "
    with pytest.raises(
        km.errors.InvalidWeightsError, match=rf"{unknown}Pass categories=\[LOW, \.\.\., HIGH\]"
    ) as raised:
        km.kappa(text, weights="linear")
    assert raised.value.code == "categories-without-order"
    assert raised.value.fields == {"weights": "linear", "categories": ["mild", "none", "severe"]}
    with pytest.raises(km.errors.InvalidWeightsError, match="custom weights need ordered categories"):
        km.kappa(text, weights=Weights.from_matrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]], kind="disagreement"))
    assert km.kappa(text).weights == "unweighted"
    assert km.kappa(["a", "b", "b"], ["a", "b", "a"], weights="linear").value == km.kappa([1, 2, 2], [1, 2, 1]).value


def test_asymmetric_weights_are_for_two_raters():
    """Cohen's (1968) asymmetric example has kappa 0.353, and asymmetric weights are rejected for three raters."""
    w = Weights.from_matrix([[0, 1, 4], [1, 0, 6], [2, 2, 0]], kind="disagreement")
    cohen, order = km.example("cohen1968"), ["personality disorder", "neurosis", "psychosis"]
    assert km.kappa(cohen, weights=w, categories=order).value == pytest.approx(0.353, abs=5e-4)
    with pytest.raises(km.errors.InvalidWeightsError, match="must be symmetric for 3 raters"):
        km.kappa(km.example("rapallo2022-three"), weights=w)
    with pytest.raises(
        km.errors.NotSupportedError, match="does not distinguish the raters, and is not defined for asymmetric"
    ):
        km.agreement(cohen, weights=w, coefficient="fleiss", categories=order)


def test_weights_per_pair_are_checked():
    """Each pair must occur once, by name or position, and coefficients that pool margins are rejected."""
    t = km.example("rapallo2022-three")
    pairs = {("X1", "X2"): "linear", ("X1", "X3"): "quadratic", ("X3", "X2"): "unweighted"}
    assert km.kappa(t, weights=pairs).weights == "per pair"
    with pytest.raises(km.errors.NotSupportedError, match="Fleiss' kappa pools the raters' margins"):
        km.agreement(t, weights=pairs, coefficient="fleiss")
    with pytest.raises(km.errors.InvalidWeightsError, match=r"\('X2', 'X3'\) is missing"):
        km.kappa(t, weights={("X1", "X2"): "linear", ("X1", "X3"): "linear"})
    with pytest.raises(km.errors.InvalidWeightsError, match="must name two raters"):
        km.kappa(t, weights={("X1", "X1"): "linear"})
    with pytest.raises(km.errors.InvalidWeightsError, match="keys"):
        km.kappa(t, weights={"X1": "linear"})
    made = as_weights(pairs, categories=t.categories, ordered=True, raters=t.raters)
    assert isinstance(made, PairWeights)
    with pytest.raises(km.errors.InvalidWeightsError, match="2 raters form 1 pair, but there are weights for 3"):
        km.kappa(t.select([0, 1]), weights=made)


def test_ratio_weights_over_hundreds_of_categories_fall_back_to_doubles():
    """Their common denominator has hundreds of digits, so they are rounded."""
    w = Weights.from_scheme("ratio", 150)
    assert not w.exact
    assert w.matrix[0, 149] == 1


def test_the_kind_of_a_matrix_in_any_case():
    """The kind is accepted in upper and lower case."""
    w = Weights.from_matrix([[1, 0.5], [0.5, 1]], kind="Agreement")
    assert w.matrix.tolist() == [[0, 0.5], [0.5, 0]]


def test_positions_whose_squares_cannot_be_factored_quickly():
    """Square roots of long decimals are rounded and computed quickly."""
    w = Weights.from_positions([0, 3.14159265358979, 2.718281828459045], "sqrt")
    assert not w.exact
    assert w.matrix[0, 1] == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Weights.from_scheme("linear", 0), "n_categories must be a whole number >= 1; got 0"),
        (lambda: Weights.from_scheme(None, 3), "given by name; got NoneType"),
        (lambda: Weights.from_positions([]), "one per category"),
        (lambda: Weights.from_positions("123"), "one per category"),
        (lambda: Weights.from_positions([1, 10**400]), "must be finite numbers; entry 2"),
        (lambda: Weights.from_matrix([[0, 10**400], [1, 0]], kind="disagreement"), r"entry \(1, 2\)"),
        (lambda: km.kappa(km.example("rapallo2022"), weights=3), "weights must be a name, .*; got 3"),
        (lambda: km.kappa([1, 2], [2, 2], weights={(0, 1): "linear", (1, 0): "linear"}), "occurs twice"),
        (lambda: km.kappa([1, 2], [2, 2], weights={(0, 1): None}), "must be a name or a Weights object; got None"),
    ],
)
def test_arguments_that_are_no_weights(make, message):
    """The error names the argument and the rule."""
    with pytest.raises(km.errors.InputError, match=message):
        make()


@pytest.mark.parametrize("k", [2, 3, 4, 6])
def test_circular_weights_are_fractions_where_sines_are(k):
    """Circular weights are exact for 2, 3, 4 and 6 categories and rounded for 5."""
    weights = Weights.from_scheme("circular", k)
    assert weights.exact
    angles = np.pi * np.abs(np.subtract.outer(np.arange(k), np.arange(k))) / k
    assert weights.matrix == pytest.approx(np.sin(angles) ** 2 / (np.sin(angles) ** 2).max())
    assert not Weights.from_scheme("circular", 5).exact


def test_the_name_of_power_weights_gives_the_power():
    """The name gives the power exactly, so that 1/3 is not shortened to 0.333333."""
    for name in ("power(1/3)", "power(0.3)", "power(1.5)", "power(3)", "power(0.123456789)"):
        assert Weights.from_scheme(name, 4).name == name


def test_positions_need_a_scheme_by_name():
    """A scheme that is not text is rejected."""
    with pytest.raises(km.errors.InvalidWeightsError, match="weights must be given by name; got NoneType"):
        Weights.from_positions([1, 2, 4], None)


def test_weights_show_their_matrix():
    """The representation has the name, whether the weights are exact, the matrix and the notes."""
    w = Weights.from_matrix([[1, 1, 0], [1, 1, 0.75], [0, 0.75, 1]], kind="agreement", name="clinical")
    assert repr(w).splitlines() == [
        "Weights(clinical, 3 categories, exact)",
        "  disagreement       1       2       3",
        "  ------------  ------  ------  ------",
        "  1             0.0000  0.0000  1.0000",
        "  2             0.0000  0.0000  0.2500",
        "  3             1.0000  0.2500  0.0000",
        *(f"  Note: {note}" for note in w.notes),
    ]
    assert len(w.notes) == 2
    assert repr(Weights.from_scheme("power(0.3)", 1)).startswith("Weights(power(0.3), 1 category, exact)")
    assert repr(Weights.from_scheme("power(0.3)", 4)).startswith("Weights(power(0.3), 4 categories, not exact)")


def test_weights_over_positions_show_the_positions():
    """Rows and columns carry the positions that were given."""
    w = Weights.from_positions([0, Fraction(1, 3), 2.5])
    assert w.positions == (0, Fraction(1, 3), 2.5)
    assert repr(w).splitlines()[1].split() == ["disagreement", "0", "1/3", "2.5"]
    assert [line.split()[0] for line in repr(w).splitlines()[3:]] == ["0", "1/3", "2.5"]
    assert Weights.from_scheme("linear", 3).positions is None


@pytest.mark.parametrize("k", [12, 13, 40])
def test_large_matrices_are_shown_without_their_middle(k):
    """Up to 12 categories are shown completely; otherwise the first six and the last six are shown."""
    lines = repr(Weights.from_scheme("linear", k)).splitlines()
    labels = [*map(str, range(1, 7)), *(["..."] if k > 12 else []), *map(str, range(k - 5, k + 1))]
    assert lines[1].split()[1:] == labels
    assert [line.split()[0] for line in lines[3:]] == labels
    assert lines[3].split()[-1] == "1.0000"
    page = Weights.from_scheme("linear", k)._repr_html_()
    assert page.count("<tr>") == len(labels) + 1
    assert ("..." in page) == (k > 12)


def test_weights_in_a_notebook_are_a_shaded_table():
    """The caption names the weights, and text from the caller is escaped."""
    w = Weights.from_matrix([[0, 1], [1, 0]], kind="disagreement", name="<b>")
    page = w._repr_html_()
    assert "<caption>Weights(&lt;b&gt;, 2 categories, exact): disagreement</caption>" in page
    assert page.count("1.0000</td>") == 2
    assert "rgba(31,119,180,0.500)" in page
    zero = Weights.from_matrix([[0, 0, 1], [0, 0, 1], [1, 1, 0]], kind="disagreement")
    assert f"disagreement; {zero.notes[0]}</caption>" in zero._repr_html_()


def test_weights_per_pair_show_the_name_for_each_pair():
    """The representation has one line per pair of raters."""
    names = {(0, 1): "linear", (0, 2): "sqrt", (1, 2): "power(0.3)"}
    w = as_weights(names, categories=[1, 2, 3], ordered=True, raters=["a", "b", "c"])
    assert repr(w).splitlines() == [
        "PairWeights(per pair, 3 pairs, not exact)",
        "  raters 1 and 2  linear",
        "  raters 1 and 3  sqrt",
        "  raters 2 and 3  power(0.3)",
    ]


def test_a_matrix_given_to_the_class_leads_to_the_functions_that_make_weights():
    """Weights are copied and pickled as before."""
    with pytest.raises(km.errors.InvalidWeightsError, match=r"are made with km\.Weights\.from_matrix\(matrix"):
        Weights([[0, 1], [1, 0]])
    linear = Weights.from_scheme("linear", 3)
    for twin in (copy.copy(linear), pickle.loads(pickle.dumps(linear))):
        assert (twin.matrix == linear.matrix).all()


def test_none_stands_for_unweighted():
    """None means no weights, as in scikit-learn."""
    assert km.kappa([1, 2, 3], [1, 2, 2], weights=None) == km.kappa([1, 2, 3], [1, 2, 2])


@pytest.mark.parametrize("scheme", ["linear", "bipolar", "ratio", "circular"])
@pytest.mark.parametrize("positions", [[5e-324, 0], [1, 1 + 2.3e-16, 3]])
def test_positions_that_rounding_makes_equal_are_refused(scheme, positions):
    """They would be at distance zero, by which bipolar weights divide."""
    with pytest.raises(
        km.errors.InvalidWeightsError, match="must differ by more than rounding; two of them are read as"
    ):
        km.Weights.from_positions(positions, scheme)
