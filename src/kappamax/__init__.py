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
    from kappamax._agreement import agreement as agreement
    from kappamax._agreement import category_kappas as category_kappas
    from kappamax._agreement import kappa as kappa
    from kappamax._agreement import leave_one_out as leave_one_out
    from kappamax._agreement import pairwise_kappas as pairwise_kappas
    from kappamax.annealing.anneal import anneal as anneal
    from kappamax.annealing.schedules import Constant as Constant
    from kappamax.annealing.schedules import FixedSteps as FixedSteps
    from kappamax.annealing.schedules import Geometric as Geometric
    from kappamax.annealing.schedules import Linear as Linear
    from kappamax.annealing.schedules import Logarithmic as Logarithmic
    from kappamax.annealing.schedules import StaleAgreement as StaleAgreement
    from kappamax.annealing.schedules import StaleMoves as StaleMoves
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
    from kappamax.fibers.exact_test import exact_test as exact_test
    from kappamax.fibers.fiber import fiber as fiber
    from kappamax.fibers.markov_basis import MoveSet as MoveSet
    from kappamax.fibers.markov_basis import basic_moves as basic_moves
    from kappamax.fibers.markov_basis import minimal_moves as minimal_moves
    from kappamax.fibers.move_effects import explain as explain
    from kappamax.fibers.move_ranking import rank_moves as rank_moves
    from kappamax.fibers.moves import Move as Move
    from kappamax.inference import compare as compare
    from kappamax.inference import standard_error as standard_error
    from kappamax.inference import value_test as value_test
    from kappamax.io import from_counts as from_counts
    from kappamax.io import from_ratings as from_ratings
    from kappamax.io import read_ratings as read_ratings
    from kappamax.maximum.forced_disagreement import disagreement_split as disagreement_split
    from kappamax.maximum.max_kappa import max_kappa as max_kappa
    from kappamax.maximum.maximizers import count_maximizers as count_maximizers
    from kappamax.maximum.maximizers import iter_maximizers as iter_maximizers
    from kappamax.maximum.maximizers import maximizer_range as maximizer_range
    from kappamax.maximum.ratio_bootstrap import bootstrap_ratio as bootstrap_ratio
    from kappamax.paper.check import check_paper as check_paper
    from kappamax.paper.study.claims import check_claims as check_claims
    from kappamax.paper.study.run import run_study as run_study
    from kappamax.paper.study.scenarios import Scenario as Scenario
    from kappamax.paper.study.scenarios import paper_scenarios as paper_scenarios
    from kappamax.paper.study.scenarios import read_scenarios as read_scenarios
    from kappamax.planning.sample_size import sample_size as sample_size
    from kappamax.reporting.figures_matplotlib import plot_agreement as plot_agreement
    from kappamax.reporting.figures_matplotlib import plot_distribution as plot_distribution
    from kappamax.reporting.figures_matplotlib import plot_maximum as plot_maximum
    from kappamax.reporting.figures_matplotlib import plot_study as plot_study
    from kappamax.reporting.figures_matplotlib import plot_trace as plot_trace
    from kappamax.reporting.group_report import report_groups as report_groups
    from kappamax.reporting.report import report as report
    from kappamax.resampling import bootstrap as bootstrap
    from kappamax.resampling import jackknife as jackknife
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
    "MoveSet": "fibers.markov_basis",
    "NotSupportedError": "errors",
    "Table": "table",
    "UndefinedKappaError": "errors",
    "UnreadableFileError": "errors",
    "Weights": "weights",
    "agreement": "_agreement",
    "basic_moves": "fibers.markov_basis",
    "bootstrap": "resampling",
    "category_kappas": "_agreement",
    "check_paper": "paper.check",
    "compare": "inference",
    "exact_test": "fibers.exact_test",
    "example": "datasets",
    "fiber": "fibers.fiber",
    "explain": "fibers.move_effects",
    "from_counts": "io",
    "from_ratings": "io",
    "jackknife": "resampling",
    "kappa": "_agreement",
    "leave_one_out": "_agreement",
    "max_kappa": "maximum.max_kappa",
    "minimal_moves": "fibers.markov_basis",
    "maximizer_range": "maximum.maximizers",
    "iter_maximizers": "maximum.maximizers",
    "disagreement_split": "maximum.forced_disagreement",
    "count_maximizers": "maximum.maximizers",
    "bootstrap_ratio": "maximum.ratio_bootstrap",
    "pairwise_kappas": "_agreement",
    "rank_moves": "fibers.move_ranking",
    "read_ratings": "io",
    "plot_trace": "reporting.figures_matplotlib",
    "plot_study": "reporting.figures_matplotlib",
    "report": "reporting.report",
    "plot_agreement": "reporting.figures_matplotlib",
    "plot_maximum": "reporting.figures_matplotlib",
    "plot_distribution": "reporting.figures_matplotlib",
    "report_groups": "reporting.group_report",
    "sample_size": "planning.sample_size",
    "standard_error": "inference",
    "value_test": "inference",
    "verify": "verification.certificates",
    "Constant": "annealing.schedules",
    "FixedSteps": "annealing.schedules",
    "Geometric": "annealing.schedules",
    "Linear": "annealing.schedules",
    "Logarithmic": "annealing.schedules",
    "Scenario": "paper.study.scenarios",
    "StaleAgreement": "annealing.schedules",
    "StaleMoves": "annealing.schedules",
    "anneal": "annealing.anneal",
    "check_claims": "paper.study.claims",
    "paper_scenarios": "paper.study.scenarios",
    "read_scenarios": "paper.study.scenarios",
    "run_study": "paper.study.run",
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
