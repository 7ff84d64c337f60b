"""Judge the answers of other packages, with a checked reason where one differs from ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isclose

from benchmarks import conventions, peers
from benchmarks.question import Answer, Convention, Number, Question
from benchmarks.questions import questions

__all__ = ["ReadOnly", "UnprovenError", "Verdict", "check", "read_only", "same", "verdict", "verdicts"]

TOLERANCE = 1e-9


class UnprovenError(Exception):
    """Our answer and the second opinion differ: nobody may be judged by it."""


@dataclass(frozen=True)
class Verdict:
    """What a package answered: agrees, differs, undefined, silent (NaN or None, no word), fails or not offered."""

    package: str
    question: Question
    state: str
    value: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class ReadOnly:
    """A maximum by the formula in a package's source, which was read and not run."""

    package: str
    source: str
    words: str
    question: Question
    value: Fraction
    right: bool


def verdicts() -> list[Verdict]:
    """Every package that is here and every question, ours proven first."""
    # these need what only the peers' environment has
    from benchmarks import r
    from benchmarks.answers import PACKAGES, answer, irrcac_answers

    asked = questions()
    for question in asked:
        check(question)
    peers.note(f"asking {len(asked)} questions")
    given: dict[str, dict[str, Answer]] = {
        package: {question.name: answer(package, question) for question in asked} for package in PACKAGES
    }
    given["irrCAC"] = irrcac_answers(asked)
    given |= {f"R {package}": found for package, found in r.answers(asked).items()}
    return [verdict(package, question, found[question.name]) for package, found in given.items() for question in asked]


def check(question: Question) -> Number:
    """Our answer, which the second opinion must share."""
    ours, second = question.ours(), question.by_hand()
    exact = isinstance(ours, Fraction) and isinstance(second, Fraction)
    if not (ours == second if exact else same(ours, second, 1e-12)):
        raise UnprovenError(f"{question.name}: kappamax gives {ours}, the second opinion {second}")
    return ours


def verdict(package: str, question: Question, given: Answer) -> Verdict:
    """Judge one answer; a reason is given only if its formula gives the package's number."""
    if not given.offered:
        return Verdict(package, question, "not offered")
    ours = question.ours()
    if given.value is None:
        if ours is None and (given.said or given.failed):
            return Verdict(package, question, "undefined", reason=given.said)
        if ours is None:
            return Verdict(package, question, "silent")
        return Verdict(package, question, "fails", reason=given.said or "NaN")
    if same(ours, given.value):
        return Verdict(package, question, "agrees", given.value)
    return Verdict(package, question, "differs", given.value, _reason(question.conventions(), given.value))


def read_only() -> list[ReadOnly]:
    """The maxima of two raters by formulas that were read, not run."""
    found = []
    for question in questions():
        if question.quantity != "maximum" or len(question.rows[0]) > 2:
            continue
        table = [[question.codes.count([i, j]) for j in range(question.k)] for i in range(question.k)]
        margins = [[sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]]
        for package, (formula, source, words) in conventions.READ_ONLY.items():
            value = formula(table, margins, question.weights)
            found.append(ReadOnly(package, source, words, question, value, value == question.ours()))
    return found


def same(one: Number, other: Number, tolerance: float = TOLERANCE) -> bool:
    """Whether two numbers agree; undefined agrees with undefined only."""
    if one is None or other is None:
        return one is other
    return isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)


def _reason(known: Sequence[Convention], value: float) -> str:
    words = [one.words for one in known if same(one.value, value)]
    return words[0] if words else "no formula we know gives this number"
