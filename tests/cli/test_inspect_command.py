"""`kappamax inspect` describes a file and ends with a command that gives the number."""

import json
import shlex

import pytest

from tests.io.corpus import CLEAN, PROBLEMS, WITHOUT_NUMBER
from tests.io.test_corpus import require_truth, written
from tests.support.command_line import run

LONG = "case,who,said\n1,ann,1\n1,bob,1\n2,ann,2\n2,bob,1\n3,ann,2\n3,bob,2\n4,ann,1\n4,bob,1\n"
PEOPLE = "id,age,ann,bob\n" + "".join(
    f"p{i},{30 + i % 7},{'Yes' if i == 3 else ('yes', 'no')[i % 2]},{('yes', 'no')[i % 3 > 0]}\n" for i in range(30)
)


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return a function that writes a file into the current folder and returns its name."""
    monkeypatch.chdir(tmp_path)

    def named(content, name="ratings.csv"):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return name

    return named


def ready(done):
    """Return the arguments of the command with which the output ends."""
    assert done.returncode == 0, done.stderr
    *_, tried, last = done.stdout.rstrip("\n").split("\n")
    assert tried == "All rows were read with these options."
    assert last.startswith("Run: kappamax kappa ")
    return shlex.split(last)[2:]


def test_the_last_line_is_the_command_to_run(write):
    """It reads the file in the layout that was recognised."""
    done = run("inspect", write(LONG))
    assert shlex.join(ready(done)) == "kappa ratings.csv --layout long --subject case --rater who --rating said"
    assert json.loads(run(*ready(done), "--json").stdout)["results"][0]["value"] == 0.5


def test_every_part_is_shown(write):
    """Columns with their contents and reasons, first rows, labels, doubts, notes and refusals."""
    shown = run("inspect", write(PEOPLE)).stdout
    for part in (
        "30 rows, 4 columns; layout wide",
        "age      left out   7          has a name that is unusual for a rater",
        "Labels\n",
        "Doubtful labels\n",
        "Notes\n",
        "Refused without further options\n",
        "use --raters age,ann,bob.",
        "use --accept-labels.",
        "Run: kappamax kappa ratings.csv --raters ann,bob --ignore-case",
    ):
        assert part in shown
    assert max(len(line) for line in shown.splitlines()) <= 80


def test_the_options_for_reading_are_accepted_and_repeated(write):
    """The command contains the options that were given, and words that a shell can split."""
    name = write("id;A, first;B\n1;x;x\n2;y;x\n3;y;y\n4;x;x\n5;y;y\n", "my ratings.csv")
    done = run("inspect", name, "--delimiter", ";", "--raters", '"A, first",B', "--rename", "y=why")
    assert ready(done) == ["kappa", name, "--raters", '"A, first",B', "--delimiter", ";", "--rename", "y=why"]
    tabs = write("a\tb\nx\tx\ny\tx\n", "tabs.txt")
    assert ready(run("inspect", tabs, "--delimiter", "tab")) == ["kappa", "tabs.txt", "--delimiter", "tab"]


def test_a_name_that_begins_with_a_dash_is_a_file(write):
    """The command names it by its path."""
    write(LONG, "-ratings.csv")
    arguments = ready(run("inspect", "--", "-ratings.csv"))
    assert arguments[1] == "./-ratings.csv"
    assert run(*arguments).returncode == 0


def test_standard_input_is_inspected():
    """The command reads standard input as well."""
    done = run("inspect", "-", stdin=LONG)
    assert ready(done)[:2] == ["kappa", "-"]
    assert run(*ready(done), stdin=LONG).returncode == 0


def test_a_file_that_cannot_be_read_is_shown_without_a_command(write):
    """The first lines and the refusal are shown, and the exit code is 0."""
    done = run("inspect", write("a,b\n1,2\n1,2,3\n"))
    assert done.returncode == 0
    assert "ratings.csv, line 3: every row must have 2 columns" in done.stdout
    assert done.stdout.rstrip().endswith("No options were found with which these data can be read.")
    found = json.loads(run("inspect", "ratings.csv", "--json").stdout)["inspection"]
    assert (found["command"], found["call"]) == (None, None)


def test_a_file_that_does_not_exist_is_an_error(tmp_path):
    """One line on standard error, and exit code 1."""
    done = run("inspect", str(tmp_path / "nosuch.csv"), "--json")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no file" in done.stderr


def test_labels_cannot_change_the_terminal(write):
    """Control characters in names and labels are escaped."""
    hostile = "\x1b[31mann,bob\n" + "\x1b[2J,x\nx,x\n\x1b[2J,\x1b[2J\n" * 3
    assert "\x1b" not in run("inspect", write(hostile)).stdout


def test_the_documents_have_the_command(write):
    """The command of the JSON is the one that the text shows."""
    name = write(PEOPLE)
    found = json.loads(run("inspect", name, "--json").stdout)
    assert shlex.split(found["inspection"]["command"])[1:] == ready(run("inspect", name))
    assert found["schema_version"] == 1


def _parameters(cases):
    return [pytest.param(case, id=f"{subject}/{case.name}") for subject, case in cases]


@pytest.mark.slow
@pytest.mark.parametrize("case", _parameters([*PROBLEMS, *CLEAN]))
def test_the_command_for_a_file_of_the_corpus_gives_the_truth(case, tmp_path):
    """Inspection succeeds, and its command gives the number of the ratings in the file."""
    done = run("inspect", *written(case, tmp_path)[1:])
    assert done.returncode == 0, done.stderr
    inspection = json.loads(done.stdout)["inspection"]
    assert inspection["command"] is not None, inspection["refusals"]
    answer = run(*shlex.split(inspection["command"])[1:], "--json")
    assert answer.returncode == 0, answer.stderr
    require_truth(case, json.loads(answer.stdout), inspection["refusals"])


@pytest.mark.slow
@pytest.mark.parametrize("case", _parameters(CLEAN))
def test_nothing_is_refused_in_a_clean_file(case, tmp_path):
    """The command for a clean file has only the options that were given."""
    inspection = json.loads(run("inspect", *written(case, tmp_path)[1:]).stdout)["inspection"]
    assert inspection["refusals"] == []
    assert inspection["doubts"] == []


@pytest.mark.parametrize("case", _parameters(WITHOUT_NUMBER))
def test_a_file_without_ratings_is_shown_or_refused_in_one_line(case, tmp_path):
    """There is no traceback, whatever the file contains."""
    done = run("inspect", *written(case, tmp_path)[1:])
    assert done.returncode in (0, 1)
    if done.returncode:
        assert done.stderr.startswith("kappamax: ")
    else:
        assert json.loads(done.stdout)["inspection"]["preview"] or "no row" in done.stdout
