"""Names of weightings: aliases from R and papers, spellings, suggestions, and lists where one name is expected."""

import numpy as np
import pytest

import kappamax as km
from kappamax import Weights
from kappamax.weights.schemes import _ALIASES, SCHEMES

TABLE = km.from_counts([[5, 2, 1], [1, 6, 2], [0, 1, 7]])


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("squared", "quadratic"),  # irr::kappa2 and psy::wkappa
        ("equal", "linear"),  # irr::kappa2: w = (k - 1, ..., 0) / (k - 1)
        ("Equal-Spacing", "linear"),  # vcd::Kappa: 1 - |i - j| / (k - 1)
        ("Fleiss-Cohen", "quadratic"),  # vcd::Kappa: 1 - (i - j)^2 / (k - 1)^2
        ("cicchetti-allison", "linear"),
        ("absolute", "linear"),  # psy::wkappa
        ("interval", "quadratic"),  # Krippendorff (2011)
        ("nominal", "unweighted"),
        ("identity", "unweighted"),  # irrCAC
        ("radical", "sqrt"),  # irrCAC
        ("square root", "sqrt"),
        ("ordinal", "gwet-ordinal"),  # irrCAC
    ],
)
def test_names_of_other_packages_are_aliases(alias, name):
    """The weights have the name and the entries of the scheme, also under another spelling of the alias."""
    wanted = Weights.from_scheme(name, 4)
    for spelling in (alias, alias.upper(), f" {alias} ", alias.replace("-", "_"), alias.replace("-", "  ")):
        found = Weights.from_scheme(spelling, 4)
        assert found.name == name
        assert (found.matrix == wanted.matrix).all()


def test_the_aliases_of_two_r_packages_have_the_entries_of_these_packages():
    """The agreement weights of irr and vcd for four categories follow from their formulas."""
    distance = np.abs(np.subtract.outer(range(4), range(4)))
    for linear in ("equal", "equal-spacing"):
        assert 1 - Weights.from_scheme(linear, 4).matrix == pytest.approx(1 - distance / 3, abs=1e-15)
    for quadratic in ("squared", "fleiss-cohen"):
        assert 1 - Weights.from_scheme(quadratic, 4).matrix == pytest.approx(1 - distance**2 / 9, abs=1e-15)


def test_an_alias_is_no_scheme_and_stands_for_one():
    """No alias hides a scheme, and every alias but that of Gwet's weights has the value of its scheme in a result."""
    assert not set(_ALIASES) & set(SCHEMES)
    assert set(_ALIASES.values()) <= set(SCHEMES)
    for alias, name in _ALIASES.items():
        assert km.kappa(TABLE, weights=alias).weights == name
        assert km.kappa(TABLE, weights=alias).exact == km.kappa(TABLE, weights=name).exact


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("linera", "linear"),
        ("quadric", "quadratic"),
        ("square", "squared"),
        ("squarred", "squared"),
        ("eqaul", "equal"),
        ("unwieghted", "unweighted"),
        ("ordnal", "ordinal"),
        ("power", r"power\(p\)"),
        ("gwet ordnal", "gwet-ordinal"),
    ],
)
def test_a_misspelt_name_is_answered_by_the_closest(name, suggested):
    """The error suggests a scheme or an alias."""
    with pytest.raises(km.errors.InvalidWeightsError, match=f"got '{name}'. Did you mean '{suggested}'"):
        Weights.from_scheme(name, 3)


@pytest.mark.parametrize("name", ["sqr", "sqrd", "weighted", "weigted", "nonlinear", "unequal", "non-linear", "sq"])
def test_the_opposite_is_never_suggested(name):
    """Squares are not answered by square roots, nor a name by its negation."""
    with pytest.raises(km.errors.InvalidWeightsError, match=f"got '{name}'.$"):
        Weights.from_scheme(name, 3)


@pytest.mark.parametrize("name", ["power(x)", "power(1,5)", "power (1,5)", "power(1/0)", "power()", "power: 1,5"])
def test_a_power_is_one_number_with_a_decimal_point(name):
    """A decimal comma is not taken for a list of weightings, and the error says how to write the power."""
    with pytest.raises(
        km.errors.InvalidWeightsError, match=r"one number > 0 with a decimal point, as in 'power\(1.5\)'"
    ):
        Weights.from_scheme(name, 3)


FUNCTIONS = [
    km.kappa,
    km.agreement,
    km.max_kappa,
    km.exact_test,
    km.standard_error,
    km.jackknife,
    km.bootstrap,
    km.pairwise_kappas,
    km.anneal,
    km.moves.rank_moves,
    lambda table, weights: km.value_test(table, null=0, weights=weights),
    lambda table, weights: km.fiber(table).distribution(weights),
    lambda table, weights: km.sample_size(table, width=0.2, weights=weights),
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_list_of_weightings_is_named_as_such(function):
    """Every function that takes one weighting says so, and names the function that takes several."""
    expected = "must be one weighting; got a list of 2: 'linear', 'quadratic'. .* km.report, which takes several"
    with pytest.raises(km.errors.InvalidWeightsError, match=expected):
        function(TABLE, weights=["linear", "quadratic"])


@pytest.mark.parametrize(
    ("weights", "given"),
    [
        (("linear", "sqrt"), "a list of 2: 'linear', 'sqrt'"),
        (["linear"], "a list of 1: 'linear'"),
        (np.array(["linear", "sqrt"]), "a list of 2: 'linear', 'sqrt'"),
        ({"linear"}, "a list of 1: 'linear'"),
        ("linear,quadratic", "a list of 2: 'linear', 'quadratic'"),
        ("linear, power(2)", r"a list of 2: 'linear', 'power\(2\)'"),
        ([None, Weights.from_scheme("linear", 3)], "a list of 2: None, 'linear'"),
        ([], "an empty list"),
        ({("1", "2"): ["linear", "sqrt"]}, "a list of 2: 'linear', 'sqrt'"),
    ],
)
def test_every_kind_of_list_is_recognised(weights, given):
    """Tuples, arrays, sets, text with commas and lists inside a mapping are lists of weightings."""
    with pytest.raises(km.errors.InvalidWeightsError, match=f"weights must be one weighting; got {given}"):
        km.kappa(TABLE, weights=weights)


def test_a_matrix_and_other_objects_are_not_taken_for_lists():
    """A frame with text headings is a matrix, and a number is neither."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[0, 1], [1, 0]], columns=["no", "yes"])
    with pytest.raises(km.errors.InvalidWeightsError, match="could hold agreement or disagreement"):
        km.kappa(TABLE, weights=frame)
    with pytest.raises(km.errors.InvalidWeightsError, match="must be a name, a Weights object, or a mapping"):
        km.kappa(TABLE, weights=np.array(5))


def test_a_report_takes_several_weightings_by_any_name():
    """The names of the results are those of the schemes."""
    report = km.report(TABLE, weights=["equal", "Fleiss Cohen", "identity"])
    assert [result.weights for result in report.results] == ["linear", "quadratic", "unweighted"]


@pytest.mark.parametrize("scheme", ["ordinal", "gwet-ordinal", "nominal", "unweighted", "none"])
def test_schemes_over_positions_use_positions(scheme):
    """Names of weights that ignore positions are refused under every alias."""
    with pytest.raises(km.errors.InvalidWeightsError, match=f"must depend on positions, but {scheme} weights do not"):
        Weights.from_positions([1, 2, 4], scheme)
    assert Weights.from_positions([1, 2, 4], "squared").name == "quadratic over positions"
