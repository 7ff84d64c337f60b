"""What docs/peers.md says about our own numbers is computed again, and the judge of the others is judged.

The packages themselves are not needed here: they are asked by `python -m benchmarks peers`, never in CI.
"""

import re
import tomllib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from benchmarks import by_hand, conventions, correctness, peers, peers_page
from benchmarks.question import Answer, Convention
from benchmarks.questions import GROUPS, questions

PAGE = (Path(__file__).parents[2] / "docs" / "peers.md").read_text(encoding="utf-8")
ROWS = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in PAGE.splitlines() if line.startswith("|")]
QUESTIONS = {question.name: question for question in questions()}


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_our_answer_is_that_of_a_second_computation(name):
    """Which shares no code with kappamax; maxima by going through every table."""
    correctness.check(QUESTIONS[name])


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_page_prints_our_answer_of_today(name):
    """So that it cannot go stale: run `python -m benchmarks peers --update`."""
    assert tuple(peers_page.question_row(QUESTIONS[name])) in ROWS


def test_the_page_prints_every_formula_read_as_computed_today():
    """Software that was read, not run."""
    for one in correctness.read_only():
        assert tuple(peers_page.read_only_row(one)) in ROWS


def test_the_environment_of_the_benchmarks_has_what_kappamax_needs():
    """A dependency that is missing there makes every benchmark end with an ImportError."""
    required = tomllib.loads((peers.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    installed = {name.lower().replace("_", "-") for name in peers.pins("main")}
    assert {re.split(r"[^\w-]", one)[0].lower() for one in required} <= installed


def test_the_page_has_a_section_per_group_and_a_reason_per_difference():
    """No answer is left unexplained."""
    assert [line[3:] for line in PAGE.splitlines() if line.startswith("## ") and line[3:] in GROUPS] == list(GROUPS)
    assert {question.group for question in QUESTIONS.values()} == set(GROUPS)
    assert "no formula we know" not in PAGE


@pytest.mark.parametrize("name", QUESTIONS)
def test_no_other_convention_gives_our_answer(name):
    """Else a package could be blamed for being right."""
    question = QUESTIONS[name]
    for convention in question.conventions():
        assert not correctness.same(convention.value, question.ours()), convention.words


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (Answer(0.4 + 1e-12), "agrees"),
        (Answer(0.4 + 1e-8), "differs"),
        (Answer(None, "ValueError: no", failed=True), "fails"),
        (Answer(None), "fails"),
        (Answer(None, offered=False), "not offered"),
    ],
)
def test_an_answer_is_judged_to_nine_digits(given, state):
    """Unweighted kappa of the paper's table is 2/5."""
    assert correctness.verdict("x", QUESTIONS["rapallo2022-unweighted"], given).state == state


@pytest.mark.parametrize(
    ("given", "state"),
    [
        (Answer(None, "divide by zero"), "undefined"),
        (Answer(None, "ZeroDivisionError: ", failed=True), "undefined"),
        (Answer(None), "silent"),
        (Answer(1.0), "differs"),
    ],
)
def test_undefined_must_be_said(given, state):
    """NaN or None without a word is recorded as that, a number as a difference."""
    assert correctness.verdict("x", QUESTIONS["one"], given).state == state


def test_a_reason_is_given_only_if_its_formula_gives_the_number():
    """Not because it sounds right."""
    question = replace(QUESTIONS["one"], conventions=lambda: [Convention("calls it 1", Fraction(1))])
    assert correctness.verdict("x", question, Answer(1.0)).reason == "calls it 1"
    assert correctness.verdict("x", question, Answer(0.9)).reason == "no formula we know gives this number"


def test_a_wrong_second_opinion_stops_the_run():
    """Nobody is judged by an answer that is not proven."""
    with pytest.raises(correctness.UnprovenError, match="kappamax gives 2/5, the second opinion 1/3"):
        correctness.check(replace(QUESTIONS["rapallo2022-unweighted"], by_hand=lambda: Fraction(1, 3)))


def test_the_second_computation_on_two_by_two():
    """Margins (2, 1) and (1, 2) have two tables; agreement on 2 of 3 against 4/9 by chance: kappa is at most 2/5."""
    assert by_hand.extremes([[2, 1], [1, 2]], "unweighted") == (2, 1, 3)
    assert by_hand.maximum([[2, 1], [1, 2]], "unweighted") == Fraction(2, 5)
    assert by_hand.conger([[0, 0], [0, 1], [1, 1]], 2, "unweighted") == Fraction(2, 5)


def test_kappa_in_the_matlab_function_exceeds_its_maximum():
    """Its largest quadratic kappa of the paper's margins is 0.2995, and the paper's table has 0.5849."""
    formula = conventions.READ_ONLY["MATLAB kappa.m"][0]
    margins = [[11, 8, 7, 7], [6, 9, 12, 6]]
    assert float(formula([], margins, "quadratic")) == pytest.approx(0.2995, abs=5e-5)
    assert QUESTIONS["rapallo2022-quadratic"].ours() == Fraction(31, 53)


def test_the_page_says_when_r_is_absent():
    """And is rendered without it."""
    asked = list(QUESTIONS.values())
    verdicts = [correctness.verdict("x", question, Answer(0.5)) for question in asked]
    text = peers_page.page(verdicts, correctness.read_only(), [], {"x": "`x()`"}, {}, quick=False)
    assert "- R: not present in this run" in text
    assert "- **x**: `x()`" in text
