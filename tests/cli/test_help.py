"""`--help` shows options under headings, complete sentences, and examples that work."""

import shlex

import click
import pytest
from click.testing import CliRunner

from kappamax.cli import main
from kappamax.cli.command import Option
from tests.support.command_line import run

COMMANDS = sorted(main.commands)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_described_in_full_sentences(name):
    """Every help text begins with a capital letter and ends with a full stop."""
    options = [option for option in main.commands[name].params if isinstance(option, click.Option)]
    for option in options:
        assert isinstance(option, Option)
        assert option.help[0].isupper()
        assert option.help.endswith(".")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_is_printed(name):
    """Commands without options have a help text too."""
    done = CliRunner().invoke(main, [name, "--help"])
    assert (done.exit_code, done.exception) == (0, None)
    assert done.output.startswith(f"Usage: main {name} ")
    assert "Examples:" in done.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_two_examples_that_can_be_read(name):
    """The examples use options and values that the commands accept."""
    examples = main.commands[name].examples
    assert len(examples) == 2
    assert any(f"kappamax {name}" in example for example in examples)
    for example in examples:
        for part in example.removeprefix('eval "$(').removesuffix(')"').split(" | "):
            program, called, *arguments = shlex.split(part)
            assert program == "kappamax"
            main.commands[called].make_context(called, arguments).close()
    assert max(map(len, examples)) <= 78  # an 80-column terminal, indented


def test_options_are_under_headings():
    """The headings are in the order of the command, followed by --help and the examples."""
    shown = run("test", "--help").stdout
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert headings == ["Input:", "Weights:", "Test:", "Limits:", "Output:", "General:", "Examples:"]
    assert "  kappamax test ratings.csv\n" in shown
    assert "Confidence level, between 0 and 1.  [default: 0.95]" in run("kappa", "--help").stdout


def test_every_command_is_listed_once_under_two_headings():
    """The description of every command is shown in full."""
    shown = run("--help").stdout
    for name in COMMANDS:
        assert shown.count(f"\n  {name} ") == 1
    assert "..." not in shown.split("commands:", 1)[1]
