"""Files as people have them give the right number, or a refusal whose own command gives the right number."""

import json
import re
import shlex
import subprocess
from collections import Counter

import pytest

import kappamax as km
from tests.io.corpus import CLEAN, CLEAN_SUBJECTS, PROBLEM_SUBJECTS, PROBLEMS, WITHOUT_NUMBER, cases_of
from tests.io.corpus.case import Case, UndefinedError, kappa_of
from tests.support import naive_agreement
from tests.support.command_line import run

#: How often the advice of a refusal is followed for one file
MOST_REFUSALS = 4


#: One case of so many is in the quick set of tests
QUICK_SHARE = 5


def _parameters(cases):
    return [
        pytest.param(case, id=f"{subject}/{case.name}", marks=[pytest.mark.slow] if place % QUICK_SHARE else [])
        for place, (subject, case) in enumerate(cases)
    ]


def answer_to(*arguments, follow=MOST_REFUSALS):
    """Run `kappamax` and follow the advice of its refusals; return its answer and the refusals."""
    refusals = []
    given = set(arguments)
    while (done := run(*arguments)).returncode:
        assert done.returncode == 1, f"exit code {done.returncode}: {done.stderr}"
        refusals.append(done.stderr)
        assert len(refusals) <= follow, f"refused {len(refusals)} times: {refusals}"
        arguments = advised_arguments(done.stderr)
        assert given <= set(arguments), f"the advice drops {given - set(arguments)}: {done.stderr}"
    return json.loads(done.stdout), refusals


def advised_arguments(refusal):
    """Return the arguments of the command with which a refusal ends."""
    line = refusal.strip()
    assert "\n" not in line, f"more than one line: {refusal}"
    assert line.startswith("kappamax: "), f"no message of the command line: {refusal}"
    _, found, command = line.rpartition("Run: ")
    assert found, f"no command: {refusal}"
    words = shlex.split(command)
    assert words[:1] == ["kappamax"], f"no command of kappamax: {command}"
    return words[1:]


def require_truth(case, answer, refusals=()):
    """Require that the answer of the command line, which came after refusals, is true of the file."""
    data, (result,) = answer["data"], answer["results"]
    read = f"after {refusals}, with the notes {data.get('notes')} and raters {data.get('raters')}"
    found = data["n_raters"], data["n_subjects"], data["n_missing"]
    assert found == (case.n_raters, case.n_subjects, case.n_missing), read
    assert result["value"] == pytest.approx(float(case.kappa), abs=1e-12), read
    if case.categories is not None:
        assert sorted(map(str, data["categories"])) == sorted(map(str, case.categories))


def written(case, folder):
    """Write the file of a case and return its natural command."""
    path = folder / case.name
    case.write(path)
    return ["kappa", str(path), "--json", *case.options]


@pytest.mark.parametrize("case", _parameters(PROBLEMS))
def test_a_problem_file_gives_the_right_number(case, tmp_path):
    """The natural command, or the one that its refusal advises, gives the number of the ratings in the file."""
    answer, refusals = answer_to(*written(case, tmp_path))
    require_truth(case, answer, refusals)
    if case.note is not None and not refusals:
        notes = answer["data"]["notes"]
        assert any(re.search(case.note, note) for note in notes), f"no note matches {case.note!r}: {notes}"


@pytest.mark.parametrize("case", _parameters(CLEAN))
def test_a_clean_file_is_not_stopped(case, tmp_path):
    """Legitimate scales and names of raters are read at once."""
    done = run(*written(case, tmp_path))
    assert done.returncode == 0, done.stderr
    require_truth(case, json.loads(done.stdout))


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for _, case in WITHOUT_NUMBER])
def test_a_file_without_ratings_gives_no_number(case, tmp_path):
    """The natural command is refused, and so is every command that the refusals advise."""
    arguments = written(case, tmp_path)
    for _ in range(MOST_REFUSALS):
        done = run(*arguments)
        assert done.returncode in (1, 2), done.stdout
        if "Run: " not in done.stderr:
            return
        arguments = advised_arguments(done.stderr)


@pytest.mark.parametrize("example", km.datasets.EXAMPLES.values(), ids=lambda example: example.name)
def test_a_bundled_example_is_not_stopped(example):
    """Every bundled dataset is read in its own layout."""
    done = run("kappa", str(example.path), "--json", "--layout", example.layout)
    assert done.returncode == 0, done.stderr


# --- the corpus itself -----------------------------------------------------------------------------------------------


def test_the_corpus_is_as_large_as_it_claims():
    """There are at least 220 problem files and 110 clean files, and no two of a subject have one name."""
    assert len(PROBLEMS) >= 220
    assert len(CLEAN) >= 110
    names = [(subject, case.name) for subject, case in [*PROBLEMS, *CLEAN]]
    assert len(set(names)) == len(names)


def test_a_wrong_reading_gives_another_number():
    """Somebody who reads a file carelessly gets a number that the test would not accept, or none."""
    same = [f"{subject}/{case.name}" for subject, case in PROBLEMS if case.wrong and _number(case.wrong) == case.kappa]
    assert not same
    assert sum(case.wrong is not None for _, case in PROBLEMS) > len(PROBLEMS) / 2


def _number(ratings):
    try:
        return kappa_of(row for row in ratings if any(label is not None for label in row))
    except UndefinedError:
        return None


def test_truth_is_that_of_the_published_definitions():
    """The truth of every tenth case equals Gwet's treatment of missing ratings, computed with weights."""
    for _, case in [*PROBLEMS, *CLEAN][::10]:
        labels = list({label for row in case.rated for label in row} - {None})
        table = Counter(tuple(-1 if label is None else labels.index(label) for label in row) for row in case.rated)
        weights = naive_agreement.named_weights("unweighted", len(labels))
        pairs = naive_agreement.for_all_pairs(weights, case.n_raters)
        assert case.kappa == naive_agreement.value("kappa", table, pairs, len(labels))


def test_the_corpus_is_the_same_every_time():
    """A second generation of the corpus holds the same ratings."""
    for cases, modules in ((PROBLEMS, PROBLEM_SUBJECTS), (CLEAN, CLEAN_SUBJECTS)):
        again = cases_of(*modules)
        assert [(name, case.ratings, case.wrong) for name, case in again] == [
            (name, case.ratings, case.wrong) for name, case in cases
        ]


EXPECTED = Case("r.csv", lambda path: None, [("a", "a"), ("b", "b"), ("a", "b")])


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        ("kappamax: the columns are no raters.\n", "no command"),
        ("kappamax: no. Run: python -m other\n", "no command of kappamax"),
        ("kappamax: no. Run: \n", "no command"),
        ("Traceback (most recent call last)\nRun: kappamax kappa r.csv\n", "more than one line"),
        ("error. Run: kappamax kappa r.csv\n", "no message of the command line"),
    ],
)
def test_advice_that_is_no_command_fails(refusal, message):
    """A refusal without a command, or with another program's, does not count as advice."""
    with pytest.raises(AssertionError, match=message):
        advised_arguments(refusal)


def test_usage_errors_fail():
    """A command that does not exist is no refusal."""
    with pytest.raises(AssertionError, match="exit code 2"):
        answer_to("kappa", "--no-such-option")


COMMAND = ("kappa", "r.csv", "--json")
ADVICE = "kappamax: B is no rater. Run: kappamax kappa r.csv --json --raters A,C\n"


def _scripted(monkeypatch, *outcomes):
    """Replace the command line by one that ends as given, a refusal or a value, one after the other."""
    script = iter(outcomes)

    def run_scripted(*arguments):
        outcome = next(script)
        if isinstance(outcome, str):
            return subprocess.CompletedProcess(arguments, 1, "", outcome)
        data = {"n_subjects": 3, "n_raters": 2, "n_missing": 0}
        answer = json.dumps({"data": data, "results": [{"value": outcome}]})
        return subprocess.CompletedProcess(arguments, 0, answer, "")

    monkeypatch.setattr("tests.io.test_corpus.run", run_scripted)


def test_advice_that_gives_the_truth_passes(monkeypatch):
    """A refusal whose advice gives the right number is accepted, also if there are two."""
    _scripted(monkeypatch, ADVICE, ADVICE, float(EXPECTED.kappa))
    answer, refusals = answer_to(*COMMAND)
    require_truth(EXPECTED, answer)
    assert len(refusals) == 2


def test_advice_that_gives_another_number_fails(monkeypatch):
    """A refusal whose advice gives a wrong number is not accepted."""
    _scripted(monkeypatch, ADVICE, float(EXPECTED.kappa) + 1e-9)
    answer, _ = answer_to(*COMMAND)
    with pytest.raises(AssertionError):
        require_truth(EXPECTED, answer)


def test_advice_without_end_fails(monkeypatch):
    """Only a few refusals are followed."""
    _scripted(monkeypatch, *[ADVICE] * 9)
    with pytest.raises(AssertionError, match="refused 5 times"):
        answer_to(*COMMAND)


def test_advice_that_drops_options_fails(monkeypatch):
    """A suggested command keeps what the user typed."""
    _scripted(monkeypatch, ADVICE, 1.0)
    with pytest.raises(AssertionError, match="drops {'0.9'}"):
        answer_to(*COMMAND, "--raters", "0.9")


@pytest.mark.parametrize(
    "change",
    [{"value": 0.5}, {"n_subjects": 4}, {"n_raters": 3}, {"n_missing": 1}],
    ids=lambda change: next(iter(change)),
)
def test_another_number_fails(change):
    """An answer with another value or number of subjects, raters or missing ratings is not accepted."""
    data = {"n_subjects": 3, "n_raters": 2, "n_missing": 0}
    value = float(kappa_of(EXPECTED.ratings))
    require_truth(EXPECTED, {"data": data, "results": [{"value": value}]})
    result = {"value": change.get("value", value)}
    with pytest.raises(AssertionError):
        require_truth(EXPECTED, {"data": {**data, **change}, "results": [result]})
