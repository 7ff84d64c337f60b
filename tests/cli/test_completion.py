"""Tab completion offers the right names, imports little, and works in a real shell."""

import os
import subprocess
import sys

import pytest
from click.shell_completion import ShellComplete

from kappamax.annealing.methods import METHODS as PROPOSALS
from kappamax.annealing.methods import MOVE_SETS
from kappamax.cli import main
from kappamax.cli.command import Option
from kappamax.coefficients import COEFFICIENTS
from kappamax.datasets import EXAMPLES
from kappamax.fibers.distribution import ALTERNATIVES, TWO_SIDED
from kappamax.fibers.null_distribution import METHODS
from kappamax.fibers.score_tilting import TWO_SIDED as TILTED_TWO_SIDED
from kappamax.io.read_spec import LAYOUTS
from kappamax.planning.methods import JOINTS, VARIANCES
from kappamax.weights.schemes import SCHEMES
from kappamax.weights.weights import KINDS

HEAVY = ("scipy", "pandas", "numba", "duckdb", "rich", "narwhals", "joblib")


def offered(*words, begun=""):
    """Return the words that the shell offers after these words of a command."""
    shell = ShellComplete(main, {}, "kappamax", "_KAPPAMAX_COMPLETE")
    return [item.value for item in shell.get_completions(list(words), begun)]


@pytest.fixture
def command(tmp_path):
    """Return a folder with the command as pip installs it."""
    script = tmp_path / "kappamax"
    script.write_text(f"#!{sys.executable}\nfrom kappamax.cli import main\nmain()\n", encoding="utf-8")
    script.chmod(0o755)
    return tmp_path


def test_the_names_offered_are_those_of_the_library():
    """The default is offered first, followed by the names that the library lists."""
    assert offered("kappa", "-", "--weights") == list(SCHEMES)
    assert offered("kappa", "-", "--coefficient") == ["kappa", *COEFFICIENTS]
    assert offered("kappa", "-", "--layout") == list(LAYOUTS)
    assert offered("test", "-", "--alternative") == list(ALTERNATIVES)
    assert offered("test", "-", "--two-sided") == list(TWO_SIDED)
    assert offered("association", "-", "--two-sided") == list(TILTED_TWO_SIDED)
    assert offered("test", "-", "--method") == list(METHODS)
    assert offered("anneal", "-", "--proposal") == list(PROPOSALS)
    assert offered("anneal", "-", "--moves") == list(MOVE_SETS)
    assert offered("plan", "--joint") == list(JOINTS)
    assert offered("plan", "--variance") == list(VARIANCES)
    assert offered("study", "--weights") == list(SCHEMES)
    assert offered("example") == sorted(EXAMPLES)


def test_every_list_of_names_begins_with_the_default():
    """The default of an option is one of the names that the library accepts."""
    for name, command in main.commands.items():
        for option in command.params:
            no_default = ("weights", "coefficient", "layout", "kind", "benchmark")
            if isinstance(option, Option) and option.names and option.name not in no_default:
                assert offered(name, f"--{option.name.replace('_', '-')}")[0] == option.default


@pytest.mark.parametrize(
    ("words", "begun", "expected"),
    [
        ([], "ma", ["max"]),
        (["kappa", "-"], "--wei", ["--weights", "--weights-matrix"]),
        (["max", "-", "--kind"], "", list(KINDS)),
        (["kappa", "-", "--weights"], "", list(SCHEMES)),
        (["kappa", "-", "-w", "linear", "-w"], "q", ["quadratic"]),
        (["max", "-", "--coefficient"], "c", ["cohen", "conger"]),
        (["report", "-", "--layout"], "w", ["wide"]),
        (["report", "-", "--alternative"], "t", ["two-sided"]),
        (["test", "-", "--alternative"], "l", ["less"]),
        (["test", "-", "--method"], "m", ["monte-carlo"]),
        (["anneal", "-", "--proposal"], "s", ["swaps"]),
        (["anneal", "-", "--moves"], "", ["basic", "minimal"]),
        (["study", "--weights"], "s", ["sqrt"]),
        (["example"], "rapallo2022", ["rapallo2022", "rapallo2022-three"]),
        (["completion"], "", ["bash", "zsh", "fish"]),
        (["kappa", "-", "--weights"], "cubic", []),
    ],
)
def test_names_are_completed(words, begun, expected):
    """Commands, options and values of options are completed."""
    assert offered(*words, begun=begun) == expected


@pytest.mark.parametrize("words", [["kappa"], ["report", "a.csv"], ["report", "-", "-o"], ["study", "--scenarios"]])
def test_files_are_left_to_the_shell(words):
    """The shell completes file names itself."""
    shell = ShellComplete(main, {}, "kappamax", "_KAPPAMAX_COMPLETE")
    (item,) = shell.get_completions(words, "rat")
    assert (item.type, item.value) == ("file", "rat")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_says_how_to_install_it(shell):
    """The last line is a comment, and the first line of the zsh script stays first."""
    done = subprocess.run(
        [sys.executable, "-m", "kappamax", "completion", shell], capture_output=True, text=True, check=True
    )
    *script, last = done.stdout.splitlines()
    assert f"_KAPPAMAX_COMPLETE={shell}_complete" in "\n".join(script)
    assert last.startswith("# ")
    assert f"kappamax completion {shell}" in last
    if shell == "zsh":
        assert script[0] == "#compdef kappamax"


def test_bash_completes(command):
    """bash reads the script and then calls the command."""
    lines = [
        'eval "$(kappamax completion bash)"',
        "complete -p kappamax",
        "COMP_WORDS=(kappamax max - --weights s)",
        "COMP_CWORD=4",
        "_kappamax_completion kappamax",
        'printf "%s\\n" "${COMPREPLY[@]}"',
    ]
    path = f"{command}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PATH": path},
    )
    registered, *found = done.stdout.splitlines()
    assert registered.endswith("-F _kappamax_completion kappamax")
    assert found == ["sqrt"]
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "light"),
    [
        ("kappamax ", True),
        ("kappamax example ", True),
        ("kappamax max --", True),
        ("kappamax max x.csv --weights ", False),
    ],
)
def test_completion_imports_no_large_module(command, words, light):
    """numpy is imported only if the names come from the library."""
    asking = {"_KAPPAMAX_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", str(command / "kappamax")],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | asking,
    )
    assert done.stdout.startswith("plain,")
    forbidden = (*HEAVY, "numpy") if light else HEAVY
    imported = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "kappamax.cli" in imported
    assert not imported.intersection(forbidden)
