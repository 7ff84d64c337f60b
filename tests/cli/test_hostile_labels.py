"""No label, name of a file or title can control the terminal, whatever the command."""

import csv
import io
import json

import pytest

from kappamax.cli import main
from kappamax.io.labels import clean_text
from tests.support.command_line import run
from tests.support.hostile_labels import (
    LABELS,
    assert_safe_csv,
    assert_safe_html,
    assert_safe_latex,
    assert_safe_markdown,
    assert_safe_text,
    batches,
    file_of,
)

BATCHES = [pytest.param(labels, marks=() if i == 0 else pytest.mark.slow) for i, labels in enumerate(batches())]

#: arguments after the file, for commands that read ratings
COMMANDS = {
    "anneal": ["--seed", "1"],
    "association": [],
    "fiber": ["--list", "--sample", "2", "--seed", "1"],
    "icc": ["--positions", "{positions}"],
    "inspect": [],
    "kappa": ["--weights-matrix", "{matrix}", "--kind", "disagreement"],
    "max": ["--minimum", "--all"],
    "moves": ["--top", "3"],
    "plan": ["--width", "0.9", "--draws", "0"],
    "report": ["--seed", "1", "--title", "{title}"],
    "retest": ["--occasions", "A={raters}"],
    "test": ["--seed", "1"],
}
#: those that do not read ratings, or that need three raters or two weightings
OTHERS = {"compare", "completion", "example", "paper", "plan-comparison", "serve", "study", "verify"}


def asked(path, labels, name, *more):
    """Run a command on a file of hostile labels."""
    matrix = path.parent / f"{labels[-1].replace('/', '-')}.matrix.csv"
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows(
        [["", *labels], *([one, *(int(one != other) for other in labels)] for one in labels)]
    )
    matrix.write_text(out.getvalue(), encoding="utf-8", newline="")
    positions = ",".join(map(str, range(len(labels))))
    raters = [" ".join(name.split()) for name in (f"{labels[0]} A", f"{labels[-1]} B")]  # spaces are read as one space
    values = {"matrix": matrix, "title": " ".join(labels), "raters": list_of(raters), "positions": positions}
    options = [word.format(**values) for word in COMMANDS[name]]
    reading = ["--raters", list_of(raters), "--accept-labels"]
    where = ["--table", str(path)] if name == "plan" else [str(path)]
    return run(name, *where, *reading, *options, *more)


def list_of(names):
    """Return names as the value of an option."""
    out = io.StringIO()
    csv.writer(out, lineterminator="", quoting=csv.QUOTE_ALL).writerow(names)
    return out.getvalue()


def test_every_command_is_tried():
    """The commands of this module include every command that reads ratings."""
    assert set(COMMANDS) | OTHERS == set(main.commands)


@pytest.mark.parametrize("labels", BATCHES)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_label_reaches_the_terminal_unfiltered(tmp_path, name, labels):
    """Neither standard output nor standard error contains a character that controls it."""
    if name == "fiber":
        labels = labels[:2]  # so that there are few tables to list
    done = asked(file_of(tmp_path, labels), labels, name)
    assert_safe_text(done.stdout)
    assert_safe_text(done.stderr)
    assert done.returncode == 0
    assert done.stdout


@pytest.mark.parametrize("labels", BATCHES)
def test_json_contains_labels_as_they_are(tmp_path, labels):
    """JSON is data: its reader gets the labels back, and it is printed in ASCII or in visible characters."""
    path = file_of(tmp_path, labels)
    done = asked(path, labels, "kappa", "--json")
    assert_safe_text(done.stdout)
    assert_safe_text(done.stderr)
    data = json.loads(done.stdout)["data"]
    assert data["file"] == path.name
    assert set(map(str, data["categories"])) == set(map(clean_text, labels))


CHECKS = {
    ".csv": assert_safe_csv,
    ".html": assert_safe_html,
    ".md": assert_safe_markdown,
    ".tex": assert_safe_latex,
    ".txt": assert_safe_text,
}


@pytest.mark.parametrize("labels", BATCHES)
@pytest.mark.parametrize("ending", CHECKS)
@pytest.mark.parametrize("grouped", [False, True])
def test_no_label_breaks_a_report(tmp_path, labels, ending, grouped):
    """Reports on files and on groups are parsed back in every format."""
    if grouped and ending == ".html":
        pytest.skip("a report on groups has no page")
    output = tmp_path / f"report{ending}"
    more = ["-o", str(output), *(["--by", "place"] if grouped else [])]
    done = asked(file_of(tmp_path, labels), labels, "report", *more)
    assert_safe_text(done.stderr)
    assert done.returncode == 0
    with output.open(encoding="utf-8", newline="") as file:
        CHECKS[ending](file.read())


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS.keys())
def test_errors_and_usage_are_filtered(label):
    """Names of files that do not exist, options and commands that do not exist, and values of options are repeated."""
    for arguments in (
        ["kappa", f"{label}.csv"],
        ["kappa", "-", f"--{label}"],
        [label.strip() or "x"],
        ["kappa", "-", "--layout", label],
        ["verify", f"{label}.json"],
        ["report", "-", "-o", f"{label}/x.html"],
        ["report", "-", "-o", f"{label}.x"],
        ["plan", "--margins", label],
        ["example", label],
    ):
        done = run(*arguments, stdin="a,b\n1,1\n1,2\n2,2\n")
        assert_safe_text(done.stderr)
        assert done.returncode in (1, 2)


def test_certificates_with_hostile_names_are_filtered(tmp_path):
    """The claims of a certificate that holds, and faults of one that does not, name its weights."""
    path, proof = tmp_path / "ratings.csv", tmp_path / "proof.json"
    path.write_text("a,b\n1,1\n1,2\n2,2\n2,1\n3,3\n", encoding="utf-8")
    assert run("max", str(path), "--certificate", str(proof)).returncode == 0
    document = json.loads(proof.read_text(encoding="utf-8"))
    for label in LABELS.values():
        document["weights"]["name"] = document["title"] = label
        proof.write_text(json.dumps(document), encoding="utf-8")
        done = run("verify", str(proof))
        assert_safe_text(done.stdout)
        assert_safe_text(done.stderr)
