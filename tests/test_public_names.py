"""The names `import kappamax as km` offers."""

import subprocess
import sys

import pytest

import kappamax as km

NAMES = {
    "__version__", "agreement", "anneal", "basic_moves", "bootstrap", "bootstrap_ratio", "category_kappas",
    "check_claims", "check_paper", "compare", "Constant", "count_maximizers", "disagreement_split", "exact_test",
    "example",
    "EXAMPLES", "explain", "fiber", "FixedSteps", "from_counts", "from_ratings", "Geometric", "InputError",
    "Interrupted", "InvalidOptionError", "InvalidRatingsError", "InvalidTableError", "InvalidWeightsError",
    "iter_maximizers", "jackknife", "kappa", "KappamaxError", "KappamaxWarning", "leave_one_out", "Linear",
    "Logarithmic", "max_kappa", "maximizer_range", "minimal_moves", "Move", "MoveSet", "NotSupportedError",
    "pairwise_kappas", "paper_scenarios", "plot_agreement", "plot_distribution", "plot_maximum", "plot_study",
    "plot_trace", "rank_moves", "read_ratings", "read_scenarios", "report", "report_groups", "run_study",
    "sample_size", "Scenario", "StaleAgreement", "StaleMoves", "standard_error", "Table", "UndefinedKappaError",
    "UnreadableFileError", "value_test", "verify", "Weights",
}  # fmt: skip


def test_the_public_names_are_these():
    """Adding or removing one is a decision."""
    assert set(dir(km)) == NAMES
    for name in NAMES:
        assert getattr(km, name) is not None


def test_unknown_names_are_attribute_errors():
    """As for any module."""
    with pytest.raises(AttributeError, match="kapa"):
        km.kapa  # noqa: B018


def test_no_public_function_shares_a_modules_name():
    """`import kappamax.x` must not shadow `kappamax.x`."""
    from pathlib import Path

    folder = Path(km.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} | {path.name for path in folder.iterdir() if path.is_dir()}
    assert not NAMES & modules


def test_importing_is_light():
    """Numpy is imported by the first call, not by the import."""
    code = "import sys, kappamax; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_our_errors_have_one_root():
    """`except km.KappamaxError` catches everything raised on purpose."""
    for name in NAMES:
        if name.endswith("Error"):
            assert issubclass(getattr(km, name), km.KappamaxError)
    assert issubclass(km.InputError, ValueError)
    assert issubclass(km.UndefinedKappaError, ZeroDivisionError)
