"""The package has the documented public names and no others."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import pytest

import kappamax as km
from kappamax import _unknown_names
from kappamax._result import Result

NAMES = {
    "__version__", "agreement", "anneal", "benchmark", "bootstrap", "category_kappas", "compare", "compare_dependent",
    "compare_groups", "equivalence_test", "exact_association", "exact_test", "example", "fiber", "from_counts",
    "from_ratings", "icc", "inspect", "intra_rater_agreement", "jackknife", "kappa", "leave_one_out",
    "marginal_homogeneity", "max_kappa", "pairwise_kappas", "read_ratings", "report", "report_groups", "sample_size",
    "specific_agreement", "standard_error", "Table", "two_by_two_indices", "value_test", "verify", "Weights",
}  # fmt: skip
NAMESPACES = {
    "annealing": {
        "Constant", "FixedSteps", "Geometric", "Linear", "Logarithmic", "MoveMethod", "Schedule",
        "StaleAgreement", "StaleMoves", "Stopping", "SwapMethod",
    },
    "datasets": {"EXAMPLES", "Example", "example"},
    "errors": {
        "Advice", "InputError", "Interrupted", "InvalidOptionError", "InvalidRatingsError", "InvalidRequestError",
        "InvalidTableError", "InvalidWeightsError", "KappamaxError", "KappamaxWarning", "NotSupportedError",
        "UndefinedKappaError", "UnreadableFileError", "UnwritableFileError",
    },
    "maximum": {
        "bootstrap_ratio", "count_maximizers", "disagreement_split", "iter_maximizers", "maximizer_range",
        "share_of_maximum",
    },
    "moves": {"basic_moves", "explain_move", "minimal_moves", "Move", "MoveSet", "rank_moves"},
    "paper": {"check_claims", "check_paper", "paper_scenarios", "read_scenarios", "run_study", "Scenario"},
    "planning": {"compare_sample_size", "Formula", "Simulation"},
    "plot": {"distribution", "maximum", "study", "table", "trace"},
}  # fmt: skip


def test_the_public_names_are_these():
    """Adding or removing a public name requires a change of this list."""
    assert set(dir(km)) == NAMES | set(NAMESPACES) | {"results"}
    assert len(NAMES) <= 36
    for name in NAMES:
        assert getattr(km, name) is not None


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_the_names_in_each_namespace_are_these(namespace):
    """Tab completion in a namespace shows the public names only."""
    module = getattr(km, namespace)
    assert isinstance(module, ModuleType)
    assert {name for name in dir(module) if not name.startswith("_")} == NAMESPACES[namespace]
    for name in NAMESPACES[namespace]:
        assert getattr(module, name) is not None


def test_every_result_class_can_be_imported_for_type_hints():
    """`km.results` has every class that derives from Result, and the classes that results hold."""
    for module in walk_packages(km.__path__, "kappamax."):
        if not module.name.startswith(("kappamax.cli", "kappamax.web", "kappamax.__main__")):
            import_module(module.name)

    def subclasses(kind):
        for one in kind.__subclasses__():
            yield one
            yield from subclasses(one)

    made = {one.__name__ for one in subclasses(Result) if "__dataclass_fields__" in vars(one)}
    assert made
    assert made <= set(km.results.__all__)
    assert all(isinstance(getattr(km.results, name), type) for name in km.results.__all__)
    assert [name for name in dir(km.results) if not name.startswith("_")] == sorted(km.results.__all__)


def test_unknown_names_are_attribute_errors():
    """An unknown name raises AttributeError, as for any module."""
    with pytest.raises(AttributeError, match=r"no attribute 'kapa'\. Did you mean km\.kappa\?"):
        km.kapa  # noqa: B018
    with pytest.raises(AttributeError, match="anneal"):
        km.annealing.Geometrical  # noqa: B018


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("pairwise", "Did you mean km.pairwise_kappas?"),
        ("kappa_max", "Did you mean km.max_kappa?"),
        ("cohen_kappa_score", "Did you mean km.kappa?"),
        ("fleiss_kappa", "Did you mean km.agreement(..., coefficient='fleiss')?"),
        ("mcnemar", "Did you mean km.marginal_homogeneity?"),
        ("kappa_test", "Did you mean km.exact_test or km.value_test?"),
        ("pabak", "Did you mean km.two_by_two_indices?"),
        ("prevalence_index", "Did you mean km.two_by_two_indices?"),
        ("positive_agreement", "Did you mean km.two_by_two_indices or km.specific_agreement?"),
        ("f1_score", "Did you mean km.specific_agreement?"),
        ("percent_agreement", "Did you mean km.agreement(..., coefficient='percent')?"),
        ("test_retest", "Did you mean km.intra_rater_agreement?"),
        ("landis_koch", "Did you mean km.benchmark?"),
        ("fleiss_benchmark", "Did you mean km.benchmark?"),
        ("intraclass_corr", "Did you mean km.icc?"),
        ("odds_ratio", "Did you mean km.exact_association?"),
        ("compare_kappas", "Did you mean km.compare?"),
        ("hotelling_test", "Did you mean km.compare_dependent?"),
        ("stratified_kappa", "Did you mean km.compare_groups?"),
        ("sample_tables", "Did you mean km.fiber?"),
        ("best_moves", "Did you mean km.moves.rank_moves?"),
        ("examples", "Did you mean km.example?"),
        ("read_csv", "Did you mean km.read_ratings?"),
        ("bootstrp", "Did you mean km.bootstrap?"),
        ("explain", "Did you mean km.moves.explain_move?"),
        ("Geometric", "It is km.annealing.Geometric."),
        ("UndefinedKappaError", "It is km.errors.UndefinedKappaError."),
        ("Agreement", "It is km.results.Agreement."),
    ],
)
def test_unknown_names_lead_to_the_right_one(name, advice):
    """Names from other packages, misspelt names and names without their namespace are answered with a suggestion."""
    with pytest.raises(AttributeError) as caught:
        getattr(km, name)
    assert str(caught.value) == f"module 'kappamax' has no attribute {name!r}. {advice}"


def test_names_that_resemble_nothing_get_no_suggestion():
    """Private names and unknown words are plain attribute errors; every suggestion exists."""
    for name in ("_ipython_canary_method_should_not_exist_", "zzz"):
        with pytest.raises(AttributeError) as caught:
            getattr(km, name)
        assert str(caught.value) == f"module 'kappamax' has no attribute {name!r}"
    for word in _unknown_names._OTHER_WORDS.values():
        thing = km
        for part in word.partition("(")[0].partition(" or ")[0].split("."):
            thing = getattr(thing, part)
        assert callable(thing)


def test_no_public_function_shares_a_modules_name():
    """`import kappamax.x` does not replace a function `kappamax.x`."""
    folder = Path(km.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} | {path.name for path in folder.iterdir() if path.is_dir()}
    assert not NAMES & modules
    assert set(NAMESPACES) <= modules


def test_importing_is_light():
    """Numpy is imported by the first call, not by the import."""
    code = "import sys, kappamax, kappamax.errors, kappamax.annealing; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_our_errors_have_one_root():
    """`except km.errors.KappamaxError` catches every error that is raised on purpose."""
    for name in NAMESPACES["errors"]:
        if name.endswith("Error"):
            assert issubclass(getattr(km.errors, name), km.errors.KappamaxError)
    assert issubclass(km.errors.InputError, ValueError)
    assert issubclass(km.errors.UndefinedKappaError, ZeroDivisionError)
