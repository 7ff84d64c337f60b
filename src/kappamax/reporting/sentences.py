"""Say results in plain sentences, each only where it is true.

Every sentence has a condition on the data, and a test with the nearest case in which it would be false.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax._typing import Integers
from kappamax.display import numbers, text
from kappamax.fibers.exact_test import ExactTest
from kappamax.kappas import Agreement
from kappamax.maximum.max_kappa import Maximum
from kappamax.maximum.maximizers import MaximizerCount
from kappamax.table import Table
from kappamax.weights import PairWeights, Weights

if TYPE_CHECKING:
    from kappamax.reporting.report import WeightingReport

_NO_WIDTH = 1e-9
_RARE = 0.05


def undefined(title: str, reason: str) -> tuple[str, ...]:
    """Where the coefficient is 0/0: chance alone leaves no disagreement to expect."""
    return (
        f"{title} is undefined: {reason}. Chance alone would give full agreement, so no agreement beyond it can be "
        "measured.",
    )


def of_design(table: Table, most_categories: int) -> str:
    """Return how many subjects, raters and categories there are, and the first categories."""
    return (
        f"{text.plural(table.n_subjects, 'subject')}, {table.n_raters} raters, {table.n_categories} categories"
        f"{' in order' if table.ordered else ''}: {text.listing(table.categories, most=most_categories)}."
    )


def of_table(table: Table) -> tuple[str, ...]:
    """Return what a reader should know about the ratings."""
    said = []
    if table.n_missing:
        ratings = table.n_subjects * table.n_raters
        touched = int(table.counts[table.n_ratings < table.n_raters].sum())
        said.append(
            f"{text.plural(table.n_missing, 'rating')} of {numbers.count(ratings)} "
            f"{'is' if table.n_missing == 1 else 'are'} missing, on {text.plural(touched, 'subject')}."
        )
    unused = [repr(label) for label, n in zip(table.categories, table.margins.sum(axis=0), strict=True) if n == 0]
    if unused:
        said.append(f"Nobody used {' or '.join(unused)}.")
    return tuple(said)


def of_weighting(table: Table, result: WeightingReport) -> tuple[str, ...]:
    """One weighting's results in words, as far as they are known."""
    agreement, most = result.agreement, result.maximum
    assert agreement is not None
    said = [_value(table, agreement, result.test)]
    if most is None:
        said.append(f"The largest value to compare with is not known: {result.maximum_reason}")
        return tuple(said)
    said.append(_reached(most))
    if agreement.value < 1:
        said += _cause(most)
        said += _split(most)
    if result.n_maximizers is not None and most.proven:
        said.append(_tables(result.n_maximizers))
    return tuple(said)


def of_weights(weights: Weights | PairWeights, most: Maximum) -> str | None:
    """What this choice of weights does to the table with the largest agreement."""
    if isinstance(weights, PairWeights):
        return None
    return f"{_kind(weights, most.objective.table)} {_where(most)}"


def _kind(weights: Weights, table: Table) -> str:
    """What kind of weights they are, and what follows for these ratings."""
    two = table.n_raters == 2
    if _flat(weights):
        return "Every disagreement between two raters counts the same, whatever the categories."
    if weights.additive:
        what = ": moving subjects on one side of the diagonal changes nothing" if two and table.complete else ""
        return (
            "Going from one category to another costs as much as going there step by step (the triangle inequality is "
            f"an equality), so different tables can have the same value{what}."
        )
    if weights.metric:
        said = "The weights are a distance (they obey the triangle inequality)"
        if not (two and table.complete):
            return f"{said}."
        return f"{said}, so a table with as many subjects on the diagonal as the margins allow is among the best."
    if weights.violated_triangle is None:
        return "The weights are not symmetric."
    i, j, h = (repr(table.categories[position]) for position in weights.violated_triangle)
    return (
        f"The weights are not a distance: from {i} to {h} costs more than from {i} to {j} and from {j} to {h} "
        "together, so two smaller disagreements can cost less than one large one."
    )


def _value(table: Table, agreement: Agreement, test: ExactTest | None) -> str:
    interval = ""
    if agreement.ci is not None and agreement.ci[1] - agreement.ci[0] > _NO_WIDTH:
        interval = f" ({100 * agreement.level:g}% interval {numbers.interval(agreement.ci)})"
    start = f"{agreement.title} with {agreement.weights} weights is {numbers.decimal(agreement.value)}{interval}"
    if agreement.weights == "unweighted":
        start = f"{agreement.title}, unweighted, is {numbers.decimal(agreement.value)}{interval}"
    if agreement.value == 1:
        silent = "" if interval else ", which leaves no interval to give"
        return f"{start}: {_full_agreement(table)}{silent}."
    return f"{start}." if test is None else f"{start}: {_beside_chance(test)}."


def _full_agreement(table: Table) -> str:
    """What a value of 1 means: no disagreement, or none with a weight above zero."""
    compared = table.n_ratings >= 2
    apart = _apart(table)[compared]
    if (apart > 0).any():
        return "every disagreement that occurs has weight zero"
    return f"the raters agree on every subject{'' if compared.all() else ' that two or more of them rated'}"


def _beside_chance(test: ExactTest) -> str:
    """How the value compares with what chance gives: random rearrangements of each rater's ratings."""
    p = f"p {numbers.pvalue(test.pvalue)}" if test.pvalue < 0.0001 else f"p = {numbers.pvalue(test.pvalue)}"
    if test.n_draws is not None:
        p += ", from random tables"
    if test.value < test.null_mean - _NO_WIDTH and test.alternative == "greater":
        return f"less than the mean of {numbers.decimal(test.null_mean)} that chance gives ({p})"
    sides = {"greater": "this high", "less": "this low", "two-sided": "this far from the mean that chance gives"}
    rarely = "would rarely arise by chance" if test.pvalue <= _RARE else "could arise by chance"
    return f"agreement {sides[test.alternative]} {rarely} ({p})"


def _reached(most: Maximum) -> str:
    limits = text.limits(most.objective.table.complete)
    if not most.proven:
        return _bounded(most, limits)
    largest = f"{numbers.decimal(most.maximum)}, proven"
    if most.ratio is None:
        return f"A share of the largest value ({largest}) is undefined: {most.ratio_reason}."
    if most.value < 0:
        return f"{text.capitalized(limits)} would allow up to {largest}; a value below zero is no share of it."
    if most.value == most.maximum:
        return f"The raters reached the largest value that {limits} allow ({largest})."
    return f"The raters reached {numbers.percent(most.ratio)} of the largest value that {limits} allow ({largest})."


def _bounded(most: Maximum, limits: str) -> str:
    """What is known of a maximum that is not proven."""
    found, bound = numbers.decimal(most.maximum), numbers.decimal(most.bound)
    said = f"The largest value that {limits} allow lies between {found}, the best found, and {bound}"
    if most.value <= 0:
        return f"{said}."
    ends = numbers.percent(most.value / most.bound), numbers.percent(most.value / most.maximum)
    return f"{said}; the raters reached between {ends[0]} and {ends[1]} of it."


def _cause(most: Maximum) -> list[str]:
    """What caps the value, and which difference between the raters' use of categories stands out."""
    table = most.objective.table
    limits = text.capitalized(text.limits(table.complete))
    equal = bool((table.margins == table.margins[0]).all())
    if most.proven and most.maximum == 1:
        if table.complete and equal:
            return ["Each category was used equally often by all raters, so the margins allow full agreement."]
        return [f"{limits} allow a value of 1."]
    if most.bound >= 1:
        return []
    cap = f"{limits} cap the value at {numbers.decimal(most.bound)}"
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
        how_often = f"{numbers.percent(shares[often, category])} against {numbers.percent(shares[seldom, category])}"
    return [
        f"{cap}. The largest difference between the raters: {first} says {table.categories[category]!r} more often "
        f"than {second} ({how_often})."
    ]


def _times(more: int, fewer: int) -> str:
    """How often against how often: "12 times against 7", "once against never"."""
    if fewer > 1:
        return f"{numbers.count(more)} times against {numbers.count(fewer)}"
    first = "once" if more == 1 else f"{numbers.count(more)} times"
    return f"{first} against {'once' if fewer == 1 else 'never'}"


def _split(most: Maximum) -> list[str]:
    """How much of the disagreement no table avoids; said where that is what the maximum minimises."""
    objective = most.objective
    if not objective.fixed_chance:
        return []
    limits = text.limits(objective.table.complete)
    observed, forced = (float(objective.observed(score)) for score in (objective.score, most.solution.bound))
    if not most.proven:
        if forced <= 0:
            return []
        return [
            f"At least {numbers.decimal(forced)} of the mean disagreement of {numbers.decimal(observed)} is forced by "
            f"{limits}."
        ]
    if forced == 0:
        return [f"None of the mean disagreement of {numbers.decimal(observed)} is forced by {limits}."]
    return [
        f"Of the mean disagreement of {numbers.decimal(observed)}, {numbers.decimal(forced)} "
        f"({numbers.percent(forced / observed)}) is forced by {limits} and {numbers.decimal(observed - forced)} was "
        "avoidable."
    ]


def _tables(count: MaximizerCount) -> str:
    """How many tables attain a proven maximum."""
    if count.n is None and count.at_least == 1:
        return f"How many tables attain the maximum was not determined ({count.reason})."
    if count.n is None:
        return f"At least {numbers.count(count.at_least)} tables attain the maximum ({count.reason})."
    if count.n == 1:
        return "Exactly one table attains the maximum."
    return f"{numbers.count(count.n)} tables attain the maximum."


def _where(most: Maximum) -> str:
    """How the table with the largest agreement spreads the subjects that two or more raters rated."""
    table = most.table
    compared = table.n_ratings >= 2
    apart, counts = _apart(table)[compared], table.counts[compared]
    agreed, in_all = int(counts[apart == 0].sum()), int(counts.sum())
    which = "In a table with the maximum" if most.proven else "In the best table found"
    subjects = text.plural(in_all, "subject") + ("" if compared.all() else " with two ratings or more")
    said = f"{which} {numbers.count(agreed)} of {subjects} {'has' if agreed == 1 else 'have'} full agreement"
    if agreed == in_all or not table.ordered:
        return f"{said}."
    steps = int(apart.max())
    return f"{said}, and the largest disagreement is {steps} categor{'y' if steps == 1 else 'ies'} apart."


def _apart(table: Table) -> Integers:
    """How many categories the highest and the lowest rating of each pattern are apart."""
    rated = table.patterns >= 0
    low = np.where(rated, table.patterns, table.n_categories).min(axis=1)
    high = np.where(rated, table.patterns, -1).max(axis=1)
    return np.asarray(high - low, dtype=np.int64)


def _flat(weights: Weights) -> bool:
    """Whether all disagreements weigh the same."""
    off = ~np.eye(weights.n_categories, dtype=bool)
    values: Any = weights.matrix[off]
    return bool(len(values) == 0 or (values == values[0]).all())
