"""Numbers in, plain sentences about them out: each is said only where it is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax.display import numbers, text
from kappamax.fibers.testing import ExactTest
from kappamax.maximum.extremes import Maximum
from kappamax.maximum.maximizers import MaximizerCount
from kappamax.measure import Agreement
from kappamax.table import Table
from kappamax.weights import PairWeights, Weights

if TYPE_CHECKING:
    from kappamax.reporting.analysis import WeightingReport

__all__ = ["of_table", "of_weighting", "of_weights", "undefined"]

_NO_WIDTH = 1e-9
_LIKELY = 0.05


def undefined(reason: str) -> tuple[str, ...]:
    """Where the coefficient is 0/0."""
    return (f"Kappa is undefined: {reason}. Chance alone would give the same agreement, so nothing can be beyond it.",)


def of_table(table: Table) -> tuple[str, ...]:
    """What a reader should know about the ratings."""
    said = []
    if table.n_missing:
        ratings = table.n_subjects * table.n_raters
        touched = int(table.counts[table.n_ratings < table.n_raters].sum())
        said.append(
            f"{text.plural(table.n_missing, 'rating')} of {numbers.count(ratings)} "
            f"{_verb(table.n_missing)} missing, on {text.plural(touched, 'subject')}."
        )
    unused = [repr(label) for label, n in zip(table.categories, table.margins.sum(axis=0), strict=True) if n == 0]
    if unused:
        said.append(f"Nobody used {' or '.join(unused)}.")
    return tuple(said)


def of_weighting(table: Table, result: WeightingReport) -> tuple[str, ...]:
    """One weighting's results in words, as far as they are known."""
    agreement, most = result.agreement, result.maximum
    assert agreement is not None
    assert result.observed_disagreement is not None
    said = [_value(agreement, result.test)]
    if most is None:
        said.append(f"There is no largest value to compare with: {result.maximum_reason}")
        return tuple(said)
    said.append(_reached(most))
    if agreement.value < 1:
        said += _cause(table, most)
    if result.forced_disagreement is not None and result.observed_disagreement > 0:
        said.append(_split(result.observed_disagreement, result.forced_disagreement))
    if result.n_maximizers is not None:
        said.append(_tables(result.n_maximizers, most))
    return tuple(said)


def of_weights(weights: Weights | PairWeights, table: Table, most: Maximum) -> str | None:
    """What this choice of weights does to the table with the largest agreement."""
    if isinstance(weights, PairWeights):
        return None
    where = _where(most.table)
    if _flat(weights):
        return f"Every disagreement counts alike, so only full agreement matters. {where}"
    if weights.additive:
        what = (
            "so moving subjects on one side of the diagonal changes nothing and different tables share one value."
            if table.n_raters == 2
            else "so different tables often share one value."
        )
        return (
            "Going from one category to another costs as much as going there step by step (the triangle inequality is "
            f"an equality), {what} {where}"
        )
    if weights.metric:
        what = (
            "The weights are a distance (they obey the triangle inequality), so a table with as many subjects on the "
            "diagonal as the margins allow is among the best."
            if table.n_raters == 2
            else "The weights are a distance (they obey the triangle inequality), which favours full agreement on some "
            "subjects over moderate disagreement on many."
        )
        return f"{what} {where}"
    triangle = weights.violated_triangle
    if triangle is None:
        return f"The weights are not symmetric. {where}"
    i, j, h = (repr(table.categories[position]) for position in triangle)
    return (
        f"The weights are not a distance: from {i} to {h} costs more than from {i} to {j} and from {j} to {h} "
        f"together. So several moderate disagreements are preferred to one strong one. {where}"
    )


def _value(agreement: Agreement, test: ExactTest | None) -> str:
    interval = ""
    if agreement.ci is not None and agreement.ci[1] - agreement.ci[0] > _NO_WIDTH:
        interval = f" ({100 * agreement.level:g}% interval {numbers.interval(agreement.ci)})"
    start = f"{agreement.title} with {agreement.weights} weights is {numbers.decimal(agreement.value)}{interval}"
    if agreement.weights == "unweighted":
        start = f"{agreement.title}, unweighted, is {numbers.decimal(agreement.value)}{interval}"
    if agreement.value == 1:
        return f"{start}: the raters agree on every subject, which leaves no interval to give."
    if agreement.value < 0:
        return f"{start}: below zero, so the raters agree less than chance alone would have it."
    if test is None:
        return f"{start}."
    p = f"p {numbers.pvalue(test.pvalue)}" if test.pvalue < 0.0001 else f"p = {numbers.pvalue(test.pvalue)}"
    if test.alternative == "greater" and test.pvalue <= _LIKELY:
        return f"{start}: more agreement than chance alone would give ({p})."
    if test.alternative == "greater":
        return f"{start}: as much agreement is not unusual by chance alone ({p})."
    return f"{start} ({p}, {test.alternative})."


def _reached(most: Maximum) -> str:
    proven = "proven" if most.proven else f"not proven; at most {numbers.decimal(most.bound)}"
    largest = f"{numbers.decimal(most.maximum)}, {proven}"
    if most.ratio is None:
        return f"A share of the largest value ({largest}) is undefined: {most.ratio_reason}."
    if most.value < 0:
        return f"The margins would allow up to {largest}; a share of it means nothing for a value below zero."
    share = numbers.percent(most.ratio)
    if most.ratio == 1:
        return f"The raters reached the largest agreement that their margins allow ({largest})."
    return f"The raters reached {share} of the largest agreement beyond chance that their margins allow ({largest})."


def _cause(table: Table, most: Maximum) -> list[str]:
    """Which difference between the raters' margins stands out, if they cap the value."""
    if most.maximum == 1:
        return ["The raters used every category equally often, so the margins do not stand in the way."]
    totals = table.margins.sum(axis=1, keepdims=True)
    shares = table.margins / totals
    spread = shares.max(axis=0) - shares.min(axis=0)
    category = int(np.argmax(spread))
    often, seldom = int(np.argmax(shares[:, category])), int(np.argmin(shares[:, category]))
    if spread[category] == 0:
        return []
    first, second = text.rater(table.raters[often]), text.rater(table.raters[seldom])
    counts = (table.margins[often, category], table.margins[seldom, category])
    if not table.complete:
        said = f"{numbers.percent(shares[often, category])} against {numbers.percent(shares[seldom, category])}"
    else:
        said = _times(int(counts[0]), int(counts[1]))
    sentence = (
        f"{first} says {table.categories[category]!r} more often than {second} ({said}); differences like this alone "
        f"cap the value at {numbers.decimal(most.bound if not most.proven else most.maximum)}."
    )
    return [f"Rater {sentence[6:]}" if sentence.startswith("rater ") else sentence]


def _times(more: int, fewer: int) -> str:
    """How often against how often: "12 times against 7", "once against never"."""
    if fewer > 1:
        return f"{numbers.count(more)} times against {numbers.count(fewer)}"
    first = "once" if more == 1 else f"{numbers.count(more)} times"
    return f"{first} against {'once' if fewer == 1 else 'never'}"


def _split(observed: float, forced: float) -> str:
    if forced == 0:
        return f"None of the mean disagreement of {numbers.decimal(observed)} is forced by the margins."
    avoidable = observed - forced
    return (
        f"Of the mean disagreement of {numbers.decimal(observed)}, {numbers.decimal(forced)} "
        f"({numbers.percent(forced / observed)}) is forced by the margins and {numbers.decimal(avoidable)} was "
        "avoidable."
    )


def _tables(count: MaximizerCount, most: Maximum) -> str:
    if not most.proven:
        return "How many tables reach the largest value is not known."
    if count.n is None:
        verb = "reaches" if count.at_least == 1 else "reach"
        return f"At least {text.plural(count.at_least, 'table')} {verb} the maximum ({count.reason})."
    if count.n == 1:
        return "One table only reaches the maximum."
    return f"{numbers.count(count.n)} tables reach the maximum."


def _where(table: Table) -> str:
    """How the table with the largest agreement spreads its subjects."""
    rated = table.patterns >= 0
    low = np.where(rated, table.patterns, table.n_categories).min(axis=1)
    high = np.where(rated, table.patterns, -1).max(axis=1)
    apart = high - low
    agreed = int(table.counts[apart == 0].sum())
    subjects = text.plural(table.n_subjects, "subject")
    said = f"In a table with the maximum {numbers.count(agreed)} of {subjects} have full agreement"
    if agreed == table.n_subjects or not table.ordered:
        return f"{said}."
    steps = int(apart.max())
    return f"{said}, and the strongest disagreement is {steps} categor{'y' if steps == 1 else 'ies'} apart."


def _flat(weights: Weights) -> bool:
    """Whether all disagreements weigh the same."""
    off = ~np.eye(weights.n_categories, dtype=bool)
    values: Any = weights.matrix[off]
    return bool(len(values) == 0 or (values == values[0]).all())


def _verb(number: int) -> str:
    return "is" if number == 1 else "are"
