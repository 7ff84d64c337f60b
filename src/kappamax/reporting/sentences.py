"""Describe the results of a report in sentences that are true for the given ratings.

Every sentence has a condition on the data and a test with the nearest case in which the sentence would be false.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax._typing import Floats, Integers
from kappamax.display import numbers, text
from kappamax.fibers.exact_test import ExactTest
from kappamax.kappas import Agreement
from kappamax.margin_tests import MarginalHomogeneityTest
from kappamax.maximum.maximizers import MaximizerCount
from kappamax.maximum.maximum_result import Maximum
from kappamax.table import Table
from kappamax.weights import PairWeights, Weights

if TYPE_CHECKING:
    from kappamax.reporting.report_results import WeightingReport

_NO_WIDTH = 1e-9
_RARE, _COMMON = 0.05, 0.1  # up to the first p-value, agreement "would rarely" arise; above the second, "could easily"
_DIFFERENT = 0.05  # up to this p-value, the raters "use the categories differently"


def undefined(title: str, reason: str) -> tuple[str, ...]:
    """Return the sentences for a coefficient that is 0/0 because the agreement expected by chance is 1."""
    return (
        f"{title} is undefined because {reason}. The agreement expected by chance is 1, so agreement beyond chance "
        "cannot be measured.",
    )


def weighting_name(weights: str) -> str:
    """Return a weighting as it is named in titles and captions: "unweighted" or "linear weights"."""
    return weights if weights == "unweighted" else f"{weights} weights"


def of_data(table: Table, most_categories: int) -> tuple[str, ...]:
    """Return the sentences about the ratings: what was read from a file, or else the design; and unused categories."""
    if table.reading.source is None:
        return (of_design(table, most_categories), *of_table(table))
    return (str(table.data), *_unused(table))


def of_design(table: Table, most_categories: int) -> str:
    """Return the sentence about the numbers of subjects, raters and categories, with the first categories."""
    were = "was" if table.n_subjects == 1 else "were"
    return (
        f"{text.plural(table.n_subjects, 'subject')} {were} rated by {table.n_raters} raters in "
        f"{n_categories(table, ordered=table.ordered)}: {text.listing(table.categories, most=most_categories)}."
    )


def n_categories(table: Table, *, ordered: bool = False) -> str:
    """Return the number of categories in words: "1 category", "4 categories" or "4 ordered categories"."""
    order = "ordered " if ordered and table.n_categories > 1 else ""
    return f"{numbers.count(table.n_categories)} {order}categor{'y' if table.n_categories == 1 else 'ies'}"


def of_table(table: Table) -> tuple[str, ...]:
    """Return the sentences about missing ratings and unused categories."""
    said = []
    if table.n_missing:
        ratings = table.n_subjects * table.n_raters
        touched = int(table.counts[table.n_ratings < table.n_raters].sum())
        said.append(
            f"{numbers.count(table.n_missing)} of {numbers.count(ratings)} ratings "
            f"{'is' if table.n_missing == 1 else 'are'} missing, affecting {text.plural(touched, 'subject')}."
        )
    return (*said, *_unused(table))


def _unused(table: Table) -> tuple[str, ...]:
    """Return the sentence about categories that no rater used, if there are any."""
    unused = [repr(label) for label, n in zip(table.categories, table.margins.sum(axis=0), strict=True) if n == 0]
    if len(unused) == 1:
        return (f"No rater used the category {unused[0]}.",)
    if unused:
        return (f"No rater used any of the categories {', '.join(unused[:-1])} and {unused[-1]}.",)
    return ()


def weights_left_out(table: Table) -> str | None:
    """Return why the default weightings of these ratings do not include ordered ones, and how to get them."""
    if table.ordered or table.n_categories <= 2:
        return None
    return (
        "Weighted coefficients are not reported because the categories are text, whose order is not known. To include "
        "them, give the order: --categories LOW,...,HIGH on the command line, categories=[LOW, ..., HIGH] in Python, "
        'or the control "Order of the categories" on the page.'
    )


def cut_short_notes(results: Sequence[WeightingReport]) -> tuple[str, ...]:
    """Return a note about every weighting some of whose searches the time limit ended."""
    return tuple(
        f"The time limit ended the search for the {text.conjunction(result.cut_short)} "
        f"({weighting_name(result.weights)}); the report gives what was found by then and proven bounds."
        for result in results
        if result.cut_short
    )


def of_weighting(
    table: Table, result: WeightingReport, margins_test: MarginalHomogeneityTest | None = None
) -> tuple[str, ...]:
    """Return the sentences about the results of one weighting, as far as these are known.

    If a test of the raters' margins is given, its outcome follows the sentence that these margins cap the coefficient.
    """
    agreement, most = result.agreement, result.maximum
    assert agreement is not None
    said = [_value(table, agreement, result.test)]
    if result.benchmark is not None:
        said.append(
            f"The value is {result.benchmark.in_words}. Such labels are conventions, which do not show that the "
            "agreement is good enough for a purpose."
        )
    if most is None:
        said.append(f"The largest possible value is not known: {result.maximum_reason}")
        return tuple(said)
    said.append(_reached(most))
    if agreement.value < 1:
        said += _cause(most, margins_test)
        share = result.corrected_share
        if share is not None and share.share is not None and share.ci is not None:
            said.append(
                "Margins that differ by chance lower the maximum of a sample. In the population, the raters are "
                f"estimated to reach {numbers.percent(share.share)} of the maximum ({100 * share.level:g}% confidence "
                f"interval {numbers.percent(share.ci[0])} to {numbers.percent(share.ci[1])})."
            )
        said += _split(most)
    if result.n_maximizers is not None and most.proven:
        said.append(_tables(result.n_maximizers))
    return tuple(said)


def of_weights(weights: Weights | PairWeights, most: Maximum) -> str | None:
    """Return the sentences about the weights and their effect on the table with the largest agreement.

    The result is None if each pair of raters has weights of its own.
    """
    if isinstance(weights, PairWeights):
        return None
    return f"{_kind(weights, most.objective.table)} {_where(most)}"


def _kind(weights: Weights, table: Table) -> str:
    """Return which kind of weights they are and what follows for these ratings."""
    two = table.n_raters == 2
    if _flat(weights):
        return "All disagreements between two raters count equally, whichever categories are involved."
    if weights.additive:
        said = (
            "The weight of a disagreement is the sum of the weights of the single steps between its categories (the "
            "triangle inequality holds with equality), so different tables can have the same value."
        )
        if not (two and table.complete):
            return said
        return f"{said} For example, moves within one side of the diagonal do not change the value."
    if weights.metric:
        said = "The weights are a metric (they satisfy the triangle inequality)"
        if not (two and table.complete):
            return f"{said}."
        return (
            f"{said}, so the maximum is attained by a table with as many subjects on the diagonal as the margins allow."
        )
    if weights.violated_triangle is None:
        return "The weights are not symmetric."
    i, j, h = (repr(table.categories[position]) for position in weights.violated_triangle)
    return (
        f"The weights are not a metric: the disagreement between {i} and {h} has a larger weight than those between "
        f"{i} and {j} and between {j} and {h} together, so two smaller disagreements can count less than one large one."
    )


def _value(table: Table, agreement: Agreement, test: ExactTest | None) -> str:
    """Return the value with its interval, and how it compares with chance."""
    interval = ""
    if agreement.ci is not None and agreement.ci[1] - agreement.ci[0] > _NO_WIDTH:
        interval = f" ({100 * agreement.level:g}% confidence interval {numbers.interval(agreement.ci)})"
    start = f"{agreement.title} with {agreement.weights} weights is {numbers.decimal(agreement.value)}{interval}."
    if agreement.weights == "unweighted":
        start = f"{agreement.title}, unweighted, is {numbers.decimal(agreement.value)}{interval}."
    if agreement.value == 1:
        return f"{start} {_full_agreement(table)}."
    return start if test is None else f"{start} {_beside_chance(test)}."


def _full_agreement(table: Table) -> str:
    """Return what a value of 1 means: there is no disagreement, or none with a weight above zero."""
    compared = table.n_ratings >= 2
    apart = _apart(table)[compared]
    if (apart > 0).any():
        return "Every disagreement that occurs has weight zero"
    return f"The raters agree on every subject{'' if compared.all() else ' that at least two of them rated'}"


def _beside_chance(test: ExactTest) -> str:
    """Return how the value compares with the values of random rearrangements of each rater's ratings."""
    p = numbers.equation("p", test.pvalue_text)
    if test.n_draws is not None:
        p += f", {numbers.count(test.n_draws)} draws" if test.at_most else ", estimated from random tables"
    if test.value < test.null_mean - _NO_WIDTH and test.alternative == "greater":
        return f"This is less than the mean of {numbers.decimal(test.null_mean)} expected by chance ({p})"
    sides = {"greater": "this high", "less": "this low", "two-sided": "this far from its expected value"}
    if test.pvalue <= _RARE:
        rarely = "would rarely arise by chance"
    else:
        rarely = "could easily arise by chance" if test.pvalue > _COMMON else "could arise by chance"
    return f"Agreement {sides[test.alternative]} {rarely} ({p})"


def _reached(most: Maximum) -> str:
    """Return how the value compares with the largest value."""
    limits = text.limits(most.objective.table.complete)
    if not most.proven:
        return _bounded(most, limits)
    largest, shown = f"the largest value that {limits} allow", numbers.decimal(most.maximum)
    if most.ratio is None:
        return f"The ratio to {largest} ({shown}, proven) is undefined because {most.ratio_reason}."
    if most.value < 0:
        return (
            f"{text.capitalized(largest)} is {shown} (proven). A negative value cannot be interpreted as a share of it."
        )
    if most.value == most.maximum:
        return f"The raters reached {largest} ({shown}, proven)."
    return f"The raters reached {numbers.percent(most.ratio)} of {largest} ({shown}, proven)."


def _bounded(most: Maximum, limits: str) -> str:
    """Return what is known about a maximum that is not proven."""
    found, bound = numbers.decimal(most.maximum), numbers.decimal(most.bound)
    said = (
        f"The largest value that {limits} allow lies between {found} (the best value found) and {bound} (a proven "
        "upper bound)."
    )
    if most.value <= 0:
        return said
    ends = numbers.percent(most.value / most.bound), numbers.percent(most.value / most.maximum)
    return f"{said} The raters reached between {ends[0]} and {ends[1]} of it."


def of_margins_test(test: MarginalHomogeneityTest) -> str:
    """Return whether the raters use the categories differently, as far as a test of their margins tells."""
    if test.pvalue is None:
        return f"Whether the raters use the categories differently cannot be tested because {test.reason}."
    p = numbers.equation("p", test.pvalue_text)
    if test.n_draws is not None:
        p += f", estimated from {numbers.count(test.n_draws)} random permutations"
    source = f"({test.title}, {p})"
    if test.pvalue > _DIFFERENT:
        return f"The raters' use of the categories differs no more than chance would explain {source}."
    if test.exchangeability:
        return (
            "The raters' use of the categories differs more than chance would explain if the raters were "
            f"interchangeable {source}."
        )
    return f"The raters use the categories differently {source}."


def is_capped(most: Maximum | None) -> bool:
    """Return whether the margins are known not to allow a value of 1."""
    return most is not None and most.bound < 1


def _cause(most: Maximum, margins_test: MarginalHomogeneityTest | None = None) -> list[str]:
    """Return whether the margins allow full agreement and, if not, where the raters' margins differ most.

    Margins that differ in the sample are followed by the test of whether they differ by more than chance.
    """
    table = most.objective.table
    limits = text.capitalized(text.limits(table.complete))
    equal = bool((table.margins == table.margins[0]).all())
    if most.proven and most.maximum == 1:
        if table.complete and equal:
            return ["Each category was used equally often by all raters, so the margins allow full agreement."]
        return [f"{limits} allow a value of 1."]
    if not is_capped(most):
        return []
    cap = f"{limits} do not allow a value above {numbers.decimal(most.bound)}"
    shares = table.margins / table.margins.sum(axis=1, keepdims=True)
    spread = shares.max(axis=0) - shares.min(axis=0)
    category = int(np.argmax(spread))
    if spread[category] == 0:
        alike = "was used equally often by all raters" if equal else "has the same share of every rater's ratings"
        return [f"{cap}, although each category {alike}."]
    often, seldom = int(np.argmax(shares[:, category])), int(np.argmin(shares[:, category]))
    first, second = text.rater(table.raters[often]), text.rater(table.raters[seldom])
    how_often = _times(int(table.margins[often, category]), int(table.margins[seldom, category]))
    if not table.complete:
        how_often = f"{numbers.percent(shares[often, category])} compared with "
        how_often += f"{numbers.percent(shares[seldom, category])} of the ratings"
    largest = "One of the largest differences" if _tied(shares, spread[category]) else "The largest difference"
    return [
        f"{cap}. {largest} between the raters is that {first} used category {table.categories[category]!r} more often "
        f"than {second} ({how_often}).",
        *([] if margins_test is None else [of_margins_test(margins_test)]),
    ]


def _tied(shares: Floats, largest: float) -> bool:
    """Return whether several pairs of raters, or several categories, have the largest difference.

    With two categories, a difference in one is the same difference in the other.
    """
    high, low = shares.max(axis=0), shares.min(axis=0)
    n_pairs = (shares > high - _NO_WIDTH).sum(axis=0) * (shares < low + _NO_WIDTH).sum(axis=0)
    n_largest = int(n_pairs[high - low > largest - _NO_WIDTH].sum())
    return n_largest > (2 if shares.shape[1] == 2 else 1)


def _times(more: int, fewer: int) -> str:
    """Return two numbers of uses in words: "12 times compared with 7", "once compared with never"."""
    if fewer > 1:
        return f"{numbers.count(more)} times compared with {numbers.count(fewer)}"
    first = "once" if more == 1 else f"{numbers.count(more)} times"
    return f"{first} compared with {'once' if fewer == 1 else 'never'}"


def _split(most: Maximum) -> list[str]:
    """Return how much disagreement no table avoids, if the chance term is fixed and the maximum minimises it."""
    objective = most.objective
    if not objective.fixed_chance:
        return []
    limits = text.limits(objective.table.complete)
    observed, forced = (float(objective.observed(score)) for score in (objective.score, most.solution.bound))
    total = f"the observed disagreement of {numbers.decimal(observed)}"
    if not most.proven:
        return [f"At least {numbers.decimal(forced)} of {total} is forced by {limits}."] if forced > 0 else []
    if forced == 0:
        return [f"None of {total} is forced by {limits}."]
    if most.value == most.maximum:
        return [f"All of {total} is forced by {limits}."]
    return [
        f"Of {total}, {numbers.decimal(forced)} ({numbers.percent(forced / observed)}) is forced by {limits}, and "
        f"{numbers.decimal(observed - forced)} was avoidable."
    ]


def _tables(count: MaximizerCount) -> str:
    """Return how many tables attain a proven maximum."""
    if count.n is None and count.at_least == 1:
        return f"The number of tables that attain the maximum was not determined ({count.reason})."
    if count.n is None:
        return f"At least {numbers.count(count.at_least)} tables attain the maximum ({count.reason})."
    if count.n == 1:
        return "Exactly one table attains the maximum."
    return f"{numbers.count(count.n)} tables attain the maximum."


def _where(most: Maximum) -> str:
    """Return how far apart the ratings of the subjects are in the table with the largest agreement."""
    table = most.table
    compared = table.n_ratings >= 2
    apart, counts = _apart(table)[compared], table.counts[compared]
    agreed, in_all = int(counts[apart == 0].sum()), int(counts.sum())
    which = "In a table that attains the maximum" if most.proven else "In the best table found"
    subjects = text.plural(in_all, "subject") + ("" if compared.all() else " with at least two ratings")
    said = f"{which}, the raters agree on {numbers.count(agreed)} of {subjects}"
    if agreed == in_all or not table.ordered:
        return f"{said}."
    steps = int(apart.max())
    return f"{said}, and the ratings of a subject differ by at most {steps} categor{'y' if steps == 1 else 'ies'}."


def _apart(table: Table) -> Integers:
    """Return the number of categories between the lowest and the highest rating of each pattern."""
    rated = table.patterns >= 0
    low = np.where(rated, table.patterns, table.n_categories).min(axis=1)
    high = np.where(rated, table.patterns, -1).max(axis=1)
    return np.asarray(high - low, dtype=np.int64)


def _flat(weights: Weights) -> bool:
    """Return whether all disagreements have the same weight."""
    off = ~np.eye(weights.n_categories, dtype=bool)
    values: Any = weights.matrix[off]
    return bool(len(values) == 0 or (values == values[0]).all())
