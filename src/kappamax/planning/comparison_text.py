"""Describe a planned comparison of two coefficients in sentences, in notes and in the rows of its printed summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kappamax.display import numbers

if TYPE_CHECKING:
    from kappamax.planning.comparison_result import ComparisonSampleSize

_FEW_SUBJECTS = 50


def sentences(plan: ComparisonSampleSize) -> list[str]:
    """Return sentences that give the number of subjects, the assumptions and the notes."""
    return [_answer(plan), _assumptions(plan), *(f"Note: {note}." for note in plan.notes)]


def rows(plan: ComparisonSampleSize) -> list[tuple[str, str]]:
    """Return the names and formatted values of the printed summary."""
    size = [("subjects needed", numbers.count(plan.n_subjects))]
    if not plan.paired:
        size.append(("of both groups", f"{numbers.count(plan.n_first)} and {numbers.count(plan.n_second)}"))
    correlated = [] if plan.correlation is None else [("correlation", numbers.decimal(plan.correlation))]
    return [
        *size,
        ("assumed first", _named(plan, 0)),
        ("assumed second", _named(plan, 1)),
        ("assumed difference", _short(plan.difference)),
        *correlated,
        ("goal", _goal(plan)),
        *(("note", note) for note in plan.notes),
    ]


def notes(plan: ComparisonSampleSize) -> tuple[str, ...]:
    """Return the reasons why the result may be inaccurate."""
    found = []
    least = min(plan.n_first, plan.n_second)
    if least < _FEW_SUBJECTS:
        found.append(f"the formula is inaccurate for as few as {least} subjects")
    if plan.first_sd == 0 or plan.second_sd == 0:
        found.append("one of the coefficients does not vary with these assumptions, which is too optimistic")
    return tuple(found)


def _answer(plan: ComparisonSampleSize) -> str:
    first, second = numbers.count(plan.n_first), numbers.count(plan.n_second)
    who = f"{first} subjects, for both coefficients," if plan.paired else f"groups of {first} and {second} subjects"
    return f"If the coefficients are {_short(plan.first)} and {_short(plan.second)}, {who} give {_goal(plan)}."


def _assumptions(plan: ComparisonSampleSize) -> str:
    spread = f"standard deviations {_short(plan.first_sd)} and {_short(plan.second_sd)} per subject"
    correlated = "" if plan.correlation is None else f" and the correlation {_short(plan.correlation)} of the estimates"
    origin = "taken from the pilot ratings" if plan.source == "pilot" else "those of the assumed values"
    if plan.source != "pilot" and plan.paired:
        origin = "assumed"
    return f"The {spread}{correlated} are {origin}; the standard error is then {numbers.decimal(plan.expected_se)}."


def _goal(plan: ComparisonSampleSize) -> str:
    if plan.width is not None and plan.level is not None:
        return f"a {100 * plan.level:g}% interval of the difference about {plan.width:g} wide"
    assert plan.power is not None
    claim = {
        "two-sided": "they differ",
        "non-inferiority": f"the first is less than {plan.margin or 0:g} below the second",
        "equivalence": f"they differ by less than {plan.margin or 0:g}",
    }[str(plan.alternative)]
    kind = "two-sided test" if plan.alternative == "two-sided" else f"{plan.alternative} test"
    true = f" if the true difference is {_short(plan.difference)}"
    return f"a probability of {100 * plan.power:g}% of showing that {claim}{true} ({kind}, alpha {plan.alpha:g})"


def _named(plan: ComparisonSampleSize, which: int) -> str:
    """Return the value of a coefficient, with its name and its weights."""
    value = (plan.first, plan.second)[which]
    weights = "" if plan.weights[which] == "unweighted" else f", {plan.weights[which]} weights"
    return f"{_short(value)} ({plan.titles[which]}{weights})"


def _short(value: float) -> str:
    """Return a value with at most four significant digits."""
    return f"{value:.4g}"
