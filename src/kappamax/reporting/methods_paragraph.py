"""Write a paragraph for the methods section of a paper, with references and the options that were used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kappamax._version import __version__
from kappamax.benchmark_scales import Benchmark
from kappamax.display import numbers, text
from kappamax.kappas import Agreement
from kappamax.reading import DataSummary
from kappamax.reporting.sentences import n_categories
from kappamax.table import Table

if TYPE_CHECKING:
    from kappamax.reporting.report_results import Report

_REFERENCES = {
    "cohen": "Cohen J (1960), Educational and Psychological Measurement 20, 37-46",
    "cohen-weighted": "Cohen J (1968), Psychological Bulletin 70, 213-220",
    "conger": "Conger AJ (1980), Psychological Bulletin 88, 322-328",
    "fleiss": "Fleiss JL (1971), Psychological Bulletin 76, 378-382",
    "gwet": "Gwet KL (2008), British Journal of Mathematical and Statistical Psychology 61, 29-48",
    "krippendorff": "Krippendorff K (2011), Computing Krippendorff's alpha-reliability",
    "brennan-prediger": "Brennan RL and Prediger DJ (1981), Educational and Psychological Measurement 41, 687-699",
    "maximum": "Rapallo F (2022), Analysis of the weighted kappa and its maximum with Markov moves, Psychometrika 87, "
    "1270-1289",
    "stuart-maxwell": "Stuart A (1955), Biometrika 42, 412-416; Maxwell AE (1970), British Journal of Psychiatry 116, "
    "651-655",
    "hotelling": "Hotelling H (1931), Annals of Mathematical Statistics 2, 360-378",
    "bhapkar": "Bhapkar VP (1966), Journal of the American Statistical Association 61, 228-235",
    "mcnemar": "McNemar Q (1947), Psychometrika 12, 153-157",
}
_SCALE_REFERENCES = {
    "landis-koch": "Landis JR and Koch GG (1977), Biometrics 33, 159-174",
    "altman": "Altman DG (1991), Practical Statistics for Medical Research, Chapman and Hall",
    "fleiss": "Fleiss JL (1981), Statistical Methods for Rates and Proportions, 2nd edition, Wiley",
}
_GWET_HANDBOOK = "Gwet KL (2014), Handbook of Inter-Rater Reliability, 4th edition, Advanced Analytics"


def methods_paragraph(report: Report) -> str:
    """Return a paragraph that says what was computed and how."""
    table = report.table
    names = [result.weights for result in report.results]
    measured = [result.agreement for result in report.results if result.agreement is not None]
    interval = f", with {100 * report.level:g}% confidence intervals" if any(one.ci for one in measured) else ""
    if any(one.ci_method == "adjusted" for one in measured):
        interval += " (delta method after pseudo-subjects were added)"
    said = [
        f"Agreement between {table.n_raters} raters who classified {text.plural(table.n_subjects, 'subject')} into "
        f"{n_categories(table)} was measured by {_coefficient(report)}, {_weights_words(names)}{interval}."
    ]
    if table.clusters is not None and measured:
        n_clusters = text.plural(table.clusters.n_clusters, "cluster")
        said.append(f"The subjects are in {n_clusters}, over which standard errors and intervals were computed.")
    if table.n_missing and measured:
        said.append(_missing_words(table, measured[0]))
    said += _left_out(table.data)
    extremes = [result.maximum for result in report.results if result.maximum is not None]
    if extremes:
        proven = all(one.proven and one.minimum_proven for one in extremes)
        said.append(
            f"The largest and smallest values that {text.limits(table.complete)} allow were computed"
            + (" and proven optimal." if proven else "; where they are not proven optimal, a bound is given.")
        )
    said.append(_test_words(report))
    said += _margins_words(report)
    if (placed := _benchmark(report)) is not None:
        said.append(f"Values were placed on the scale of {placed.source}, with the probabilities of Gwet (2014).")
    said.append(f"The computations were made with kappamax {__version__}.")
    return " ".join([*said, f"References: {'; '.join(_references(report))}."])


def _coefficient(report: Report) -> str:
    """Return the name of the coefficient as it is written within a sentence."""
    return report.coefficient.lower() if report.coefficient.startswith("Percent") else report.coefficient


def _left_out(data: DataSummary) -> Iterator[str]:
    """Yield sentences about subjects and columns that were left out."""
    if data.left_out:
        were = "was" if data.n_left_out == 1 else "were"
        yield f"{data.left_out.removesuffix(' left out')} {were} left out."
    if columns := list(data.reading.columns_left_out):
        named = f"column {text.listing(columns)} was" if len(columns) == 1 else f"columns {text.listing(columns)} were"
        yield f"The {named} not used."


def _missing_words(table: Table, measured: Agreement) -> str:
    """Return how many ratings are missing, and how they enter the coefficient and its standard error."""
    share = f"{numbers.count(table.n_missing)} of {numbers.count(table.n_subjects * table.n_raters)}"
    whose = "Krippendorff's definition of alpha" if measured.coefficient == "krippendorff" else "Gwet's method"
    names = {"delta": "the delta method", "jackknife": "the jackknife", "gwet": "Gwet's formula"}
    return (
        f"Missing ratings ({share}) were handled by {whose}, and standard errors were computed by "
        f"{names[measured.se_method]}."
    )


def _references(report: Report) -> list[str]:
    """Return the publications that define what a report computes."""
    found = []
    measured = next((result.agreement for result in report.results if result.agreement is not None), None)
    name = measured.coefficient if measured is not None else "cohen"
    if name in _REFERENCES:
        found.append(_REFERENCES[name])
    if name in {"cohen", "conger"} and any(result.weights != "unweighted" for result in report.results):
        found.append(_REFERENCES["cohen-weighted"])
    if any(result.maximum is not None for result in report.results):
        found.append(_REFERENCES["maximum"])
    tested = report.marginal_homogeneity
    if tested is not None and tested.pvalue is not None:
        name = "mcnemar" if "McNemar" in tested.title else tested.method
        found += [_REFERENCES[name]] if name in _REFERENCES else []
    if (placed := _benchmark(report)) is not None:
        found += [_SCALE_REFERENCES[placed.scale], _GWET_HANDBOOK]
    return found


def _benchmark(report: Report) -> Benchmark | None:
    """Return the place of the first coefficient on a verbal scale, or None if no scale was requested."""
    return next((result.benchmark for result in report.results if result.benchmark is not None), None)


def _margins_words(report: Report) -> Iterator[str]:
    """Yield how the equality of the raters' margins was tested."""
    tested = report.marginal_homogeneity
    if tested is None or tested.pvalue is None:
        return
    how = tested.title if tested.method == "hotelling" else f"the {tested.title}"
    if tested.method == "permutation":
        exact = "a" if tested.n_draws else "an exact"
        how = f"{exact} test that permutes the ratings of each subject among its raters"
    if "exact McNemar" in tested.title:
        how = f"the {tested.title}"
    if tested.n_draws is not None:
        how += f" ({numbers.count(tested.n_draws)} random permutations, seed {report.seed})"
    yield f"Whether the raters use the categories equally often was tested by {how}."


def _test_words(report: Report) -> str:
    """Return how the p-values were computed."""
    tests = [result.test for result in report.results if result.test is not None]
    if not tests:
        why = ", since it would assume that the subjects are independent" if report.table.clusters is not None else ""
        return f"No test against chance was performed{why}."
    sides = {"greater": "one-sided (more agreement)", "less": "one-sided (less agreement)"}
    side = sides.get(report.alternative, "two-sided (by distance from the mean under chance)")
    limits = text.limits(report.table.complete)
    drawn = [test for test in tests if test.n_draws is not None]
    if not drawn:
        return f"P-values are {side} and exact, conditional on {limits}."
    most = max(test.n_draws or 0 for test in drawn)
    same = "with the same margins" if report.table.complete else f"that keep {limits}"
    source = f"estimated from {numbers.count(most)} random tables {same} (seed {report.seed})"
    if any(test.method == "importance-sampling" for test in drawn):
        source += ", small ones by importance sampling"
    if len(drawn) == len(tests):
        return f"P-values are {side} and were {source}."
    which = _weights_words([test.weights for test in drawn])
    return (
        f"P-values are {side} and exact, conditional on {limits}, except those computed {which}, which were {source}."
    )


def _weights_words(names: list[str]) -> str:
    """Return the weightings in words: "unweighted and with linear and sqrt weights"."""
    named = [name for name in names if name != "unweighted"]
    parts = (["unweighted"] if "unweighted" in names else []) + (
        [f"with {text.conjunction(named)} weights"] if named else []
    )
    return " and ".join(parts)
