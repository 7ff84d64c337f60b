"""Every command that reads a file says what it read, in its answer."""

import json
import shlex

import pytest
from click.testing import CliRunner

from kappamax.cli import main
from tests.support.messy_file import MESSY, SAID, write_messy

COMMANDS = {
    "kappa": "kappa {}",
    "max": "max {}",
    "test": "test {}",
    "association": "association {}",
    "icc": "icc {} --complete-only --positions 1,0,2",
    "fiber": "fiber {}",
    "moves": "moves {} --complete-only",
    "anneal": "anneal {} --proposal swaps --max-steps 10 --seed 1",
    "plan": "plan --table {} --width 0.5 --draws 0",
    "report": "report {}",
    "report, groups": "report {} --batch",
}


def run(arguments, **options):
    done = CliRunner().invoke(main, arguments, **options)
    assert done.exit_code == 0, done.output
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_the_text_of_every_command_says_what_was_read(name, tmp_path):
    """File, missing ratings and the column left out are on standard output, and nothing is on standard error."""
    path = write_messy(tmp_path)
    shown = " ".join(run(shlex.split(COMMANDS[name].format(path))).split())
    missing = "3 subjects with missing ratings left out" if name in ("icc", "moves") else SAID[1]
    for said in (f"Read from {SAID[0]} (wide layout): ", missing, SAID[2]):
        assert said in shown
    assert "raters 'ann' and 'bob', categories 'maybe', 'no', 'yes' (no order)" in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_the_json_of_every_command_says_what_was_read(name, tmp_path):
    """The notes are fields of the document."""
    path = write_messy(tmp_path)
    document = json.loads(run([*shlex.split(COMMANDS[name].format(path)), "--json"]))
    data = document.get("data") or document["results"][0]
    assert (data["file"], data["layout"], data["raters"]) == ("messy.csv", "wide", ["ann", "bob"])
    assert data["missing_as"] == {"": 3, "NA": 1}
    assert set(data["columns_left_out"]) == {"id", "empty"}
    assert any("'id'" in note for note in data["notes"])


def test_notes_are_printed_once_for_several_weightings(tmp_path):
    """They are about the data, not about a weighting."""
    path = write_messy(tmp_path)
    for command in ("kappa", "moves"):
        options = [command, str(path), "--categories", "no,maybe,yes", "-w", "linear", "-w", "quadratic"]
        options += ["--complete-only"] if command == "moves" else []
        assert run(options).count("Column 'id' was left out") == 1


def test_standard_input_is_named():
    """Ratings that are not in a file are read from standard input."""
    assert "Read from standard input (wide layout): 6 subjects" in run(["kappa", "-"], input=MESSY)


def test_weights_without_an_order_are_refused_with_a_command(tmp_path):
    """The command has a placeholder for the order, not a list of labels that looks like one."""
    path = write_messy(tmp_path)
    done = CliRunner().invoke(main, ["kappa", str(path), "-w", "linear"])
    assert (done.exit_code, done.stdout) == (1, "")
    statement, command = done.stderr.strip().split(" Run: ")
    assert statement.startswith("kappamax: linear weights need ordered categories, but the order of these is not known")
    assert shlex.split(command) == ["kappamax", "kappa", str(path), "-w", "linear", "--categories", "LOW,...,HIGH"]
    given = command.replace("LOW,...,HIGH", "no,maybe,yes")
    assert "linear" in run(shlex.split(given)[1:])
