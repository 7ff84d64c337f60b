"""Provide the classes of all results for type hints and `isinstance`.

Results are made by functions such as `kappamax.kappa` and `kappamax.max_kappa`; they are not meant to be constructed
directly.
"""

from kappamax._result import Result
from kappamax.annealing.simulated_annealing import Annealing
from kappamax.annealing.trace import Moment, Trace
from kappamax.benchmark_scales import Benchmark, BenchmarkBand
from kappamax.category_agreement import IndexEstimate, SpecificAgreement
from kappamax.coefficient_tests import EquivalenceTest, ValueTest
from kappamax.comparisons import Comparison
from kappamax.dependent_comparison_result import CoefficientDifference, ComparedCoefficient, DependentComparison
from kappamax.fibers.connectivity import LevelSet
from kappamax.fibers.distribution import Distribution
from kappamax.fibers.exact_association import ExactAssociation
from kappamax.fibers.exact_test import ExactTest
from kappamax.fibers.fiber import Fiber
from kappamax.fibers.joint_distribution import JointDistribution, OtherRange, SameValue
from kappamax.fibers.move_effects import Explanation, Reason
from kappamax.fibers.move_ranking import RankedMove, RankedMoves
from kappamax.fibers.walk import Walk
from kappamax.group_comparisons.comparison_results import (
    GroupAgreement,
    GroupComparison,
    GroupDifference,
    GroupTrend,
    HomogeneityTest,
    PooledAgreement,
)
from kappamax.intra_rater import IntraRaterAgreement, RetestEstimate
from kappamax.intraclass_correlation import IntraclassCorrelation, IntraclassCorrelations
from kappamax.io.inspected_columns import InspectedColumn
from kappamax.io.inspection import Inspection, Refusal
from kappamax.kappa_breakdowns import CategoryKappas, LeaveOneOut
from kappamax.kappas import Agreement
from kappamax.margin_tests import MarginalHomogeneityTest
from kappamax.maximum.corrected_share import ShareOfMaximum
from kappamax.maximum.forced_disagreement import DisagreementSplit
from kappamax.maximum.maximizers import MaximizerCount, MaximizerRange
from kappamax.maximum.maximum_result import Maximum
from kappamax.paper.check import PaperCheck
from kappamax.paper.study.claims import Claim
from kappamax.paper.study.rows import StudyRow
from kappamax.paper.study.run import Study
from kappamax.paper.verdict import Verdict
from kappamax.planning.comparison_result import ComparisonSampleSize
from kappamax.planning.goals import SimulatedStudies
from kappamax.planning.sample_size_result import SampleSize
from kappamax.rater_pairs import PairwiseKappas
from kappamax.reading import DataSummary, Reading
from kappamax.reporting.group_report import GroupReport
from kappamax.reporting.report_results import Report, WeightingReport
from kappamax.resampling import Bootstrap, Jackknife
from kappamax.standard_errors import StandardError
from kappamax.two_by_two import TwoByTwoIndices
from kappamax.verification.certificates import Verification

__all__ = [
    "Agreement",
    "Annealing",
    "Benchmark",
    "BenchmarkBand",
    "Bootstrap",
    "CategoryKappas",
    "Claim",
    "CoefficientDifference",
    "ComparedCoefficient",
    "Comparison",
    "ComparisonSampleSize",
    "DataSummary",
    "DependentComparison",
    "DisagreementSplit",
    "Distribution",
    "EquivalenceTest",
    "ExactAssociation",
    "ExactTest",
    "Explanation",
    "Fiber",
    "GroupAgreement",
    "GroupComparison",
    "GroupDifference",
    "GroupReport",
    "GroupTrend",
    "HomogeneityTest",
    "IndexEstimate",
    "InspectedColumn",
    "Inspection",
    "IntraRaterAgreement",
    "IntraclassCorrelation",
    "IntraclassCorrelations",
    "Jackknife",
    "JointDistribution",
    "LeaveOneOut",
    "LevelSet",
    "MarginalHomogeneityTest",
    "MaximizerCount",
    "MaximizerRange",
    "Maximum",
    "Moment",
    "OtherRange",
    "PairwiseKappas",
    "PaperCheck",
    "PooledAgreement",
    "RankedMove",
    "RankedMoves",
    "Reading",
    "Reason",
    "Refusal",
    "Report",
    "Result",
    "RetestEstimate",
    "SameValue",
    "SampleSize",
    "ShareOfMaximum",
    "SimulatedStudies",
    "SpecificAgreement",
    "StandardError",
    "Study",
    "StudyRow",
    "Trace",
    "TwoByTwoIndices",
    "ValueTest",
    "Verdict",
    "Verification",
    "Walk",
    "WeightingReport",
]


def __dir__() -> list[str]:
    """Return the public names only."""
    return __all__
