"""Agreement between raters: weighted kappa, and how large it could have been.

>>> import kappamax as km
>>> t = km.from_counts([[20, 5], [10, 15]], categories=["no", "yes"])
>>> km.kappa(t).exact
Fraction(2, 5)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kappamax._version import __version__ as __version__

if TYPE_CHECKING:
    from kappamax.annealing.schedules import Constant as Constant
    from kappamax.annealing.schedules import FixedSteps as FixedSteps
    from kappamax.annealing.schedules import Geometric as Geometric
    from kappamax.annealing.schedules import Linear as Linear
    from kappamax.annealing.schedules import Logarithmic as Logarithmic
    from kappamax.annealing.schedules import StaleAgreement as StaleAgreement
    from kappamax.annealing.schedules import StaleMoves as StaleMoves
    from kappamax.annealing.search import anneal as anneal
    from kappamax.datasets import EXAMPLES as EXAMPLES
    from kappamax.datasets import example as example
    from kappamax.errors import InputError as InputError
    from kappamax.errors import Interrupted as Interrupted
    from kappamax.errors import InvalidOptionError as InvalidOptionError
    from kappamax.errors import InvalidRatingsError as InvalidRatingsError
    from kappamax.errors import InvalidTableError as InvalidTableError
    from kappamax.errors import InvalidWeightsError as InvalidWeightsError
    from kappamax.errors import KappamaxError as KappamaxError
    from kappamax.errors import KappamaxWarning as KappamaxWarning
    from kappamax.errors import NotSupportedError as NotSupportedError
    from kappamax.errors import UndefinedKappaError as UndefinedKappaError
    from kappamax.errors import UnreadableFileError as UnreadableFileError
    from kappamax.fibers.bases import MoveSet as MoveSet
    from kappamax.fibers.bases import basic_moves as basic_moves
    from kappamax.fibers.bases import minimal_moves as minimal_moves
    from kappamax.fibers.explanation import explain as explain
    from kappamax.fibers.explorer import rank_moves as rank_moves
    from kappamax.fibers.moves import Move as Move
    from kappamax.fibers.overview import fiber as fiber
    from kappamax.fibers.testing import exact_test as exact_test
    from kappamax.inference import compare as compare
    from kappamax.inference import standard_error as standard_error
    from kappamax.inference import value_test as value_test
    from kappamax.intake import from_counts as from_counts
    from kappamax.intake import from_ratings as from_ratings
    from kappamax.intake import read_ratings as read_ratings
    from kappamax.maximum.extremes import max_kappa as max_kappa
    from kappamax.maximum.maximizers import count_maximizers as count_maximizers
    from kappamax.maximum.maximizers import iter_maximizers as iter_maximizers
    from kappamax.maximum.maximizers import maximizer_range as maximizer_range
    from kappamax.maximum.split import bootstrap_ratio as bootstrap_ratio
    from kappamax.maximum.split import disagreement_split as disagreement_split
    from kappamax.measure import agreement as agreement
    from kappamax.measure import category_kappas as category_kappas
    from kappamax.measure import kappa as kappa
    from kappamax.measure import leave_one_out as leave_one_out
    from kappamax.measure import pairwise_kappas as pairwise_kappas
    from kappamax.paper.check import check_paper as check_paper
    from kappamax.planning.size import sample_size as sample_size
    from kappamax.reporting.analysis import report as report
    from kappamax.reporting.groups import report_groups as report_groups
    from kappamax.reporting.plots import plot_agreement as plot_agreement
    from kappamax.reporting.plots import plot_distribution as plot_distribution
    from kappamax.reporting.plots import plot_maximum as plot_maximum
    from kappamax.reporting.plots import plot_study as plot_study
    from kappamax.reporting.plots import plot_trace as plot_trace
    from kappamax.resampling import bootstrap as bootstrap
    from kappamax.resampling import jackknife as jackknife
    from kappamax.study.claims import check_claims as check_claims
    from kappamax.study.run import run_study as run_study
    from kappamax.study.scenarios import Scenario as Scenario
    from kappamax.study.scenarios import paper_scenarios as paper_scenarios
    from kappamax.study.scenarios import read_scenarios as read_scenarios
    from kappamax.table import Table as Table
    from kappamax.verification.certificates import verify as verify
    from kappamax.weights import Weights as Weights


# Imported when first used: numpy alone takes longer than answering --help.
_HOME = {
    "EXAMPLES": "datasets",
    "InputError": "errors",
    "Interrupted": "errors",
    "InvalidOptionError": "errors",
    "InvalidRatingsError": "errors",
    "InvalidTableError": "errors",
    "InvalidWeightsError": "errors",
    "KappamaxError": "errors",
    "KappamaxWarning": "errors",
    "Move": "fibers.moves",
    "MoveSet": "fibers.bases",
    "NotSupportedError": "errors",
    "Table": "table",
    "UndefinedKappaError": "errors",
    "UnreadableFileError": "errors",
    "Weights": "weights",
    "agreement": "measure",
    "basic_moves": "fibers.bases",
    "bootstrap": "resampling",
    "category_kappas": "measure",
    "check_paper": "paper.check",
    "compare": "inference",
    "exact_test": "fibers.testing",
    "example": "datasets",
    "fiber": "fibers.overview",
    "explain": "fibers.explanation",
    "from_counts": "intake",
    "from_ratings": "intake",
    "jackknife": "resampling",
    "kappa": "measure",
    "leave_one_out": "measure",
    "max_kappa": "maximum.extremes",
    "minimal_moves": "fibers.bases",
    "maximizer_range": "maximum.maximizers",
    "iter_maximizers": "maximum.maximizers",
    "disagreement_split": "maximum.split",
    "count_maximizers": "maximum.maximizers",
    "bootstrap_ratio": "maximum.split",
    "pairwise_kappas": "measure",
    "rank_moves": "fibers.explorer",
    "read_ratings": "intake",
    "plot_trace": "reporting.plots",
    "plot_study": "reporting.plots",
    "report": "reporting.analysis",
    "plot_agreement": "reporting.plots",
    "plot_maximum": "reporting.plots",
    "plot_distribution": "reporting.plots",
    "report_groups": "reporting.groups",
    "sample_size": "planning.size",
    "standard_error": "inference",
    "value_test": "inference",
    "verify": "verification.certificates",
    "Constant": "annealing.schedules",
    "FixedSteps": "annealing.schedules",
    "Geometric": "annealing.schedules",
    "Linear": "annealing.schedules",
    "Logarithmic": "annealing.schedules",
    "Scenario": "study.scenarios",
    "StaleAgreement": "annealing.schedules",
    "StaleMoves": "annealing.schedules",
    "anneal": "annealing.search",
    "check_claims": "study.claims",
    "paper_scenarios": "study.scenarios",
    "read_scenarios": "study.scenarios",
    "run_study": "study.run",
}


if not TYPE_CHECKING:  # a type checker that saw it would let every misspelt name pass

    def __getattr__(name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'kappamax' has no attribute {name!r}")
        from importlib import import_module

        value = getattr(import_module(f"kappamax.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*_HOME, "__version__"])
