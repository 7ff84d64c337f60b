"""Every command prints the same in a fresh process as in this one."""

import pytest

from kappamax.cli import main
from tests.support.command_line import run, run_process

SMALL = "a,b\n1,1\n1,2\n2,2\n2,1\n3,3\n"
CALLS = {
    "anneal": ["-", "-w", "linear", "--seed", "1"],
    "completion": ["fish"],
    "example": ["cohen1968"],
    "fiber": ["-", "-w", "linear", "--list", "--sample", "2", "--seed", "1"],
    "compare": ["-", "--weights", "unweighted,linear"],
    "icc": ["-"],
    "inspect": ["-"],
    "association": ["-", "-w", "linear"],
    "kappa": ["-", "-w", "linear", "-w", "sqrt", "--json"],
    "max": ["-", "-w", "linear", "--all"],
    "moves": ["-", "-w", "linear", "--top", "3"],
    "paper": ["--help"],
    "plan": ["--margins", "0.7,0.3", "--kappa", "0.6", "--width", "0.2", "--draws", "0"],
    "plan-comparison": ["--margins", "0.7,0.3", "--kappas", "0.7,0.5", "--power", "0.8"],
    "report": ["-", "-w", "linear", "--seed", "1"],
    "retest": ["-", "--occasions", "A=a,b"],
    "serve": ["--port", "-1"],
    "study": ["--raters", "4"],
    "test": ["-", "-w", "linear"],
    "verify": ["nothing.json"],
}
QUICK = {"kappa", "max", "serve"}


def test_every_command_is_called():
    """The calls of this module include every command."""
    assert set(CALLS) == set(main.commands)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in CALLS]
)
def test_a_fresh_process_prints_the_same(name):
    """The output, the notes or the error, and the exit code are the same."""
    fresh = run_process(name, *CALLS[name], stdin=SMALL)
    here = run(name, *CALLS[name], stdin=SMALL)
    assert (fresh.returncode, fresh.stderr.replace("python -m kappamax", "kappamax")) == (here.returncode, here.stderr)
    assert fresh.stdout.replace("python -m kappamax", "kappamax") == here.stdout
    assert fresh.stdout or fresh.stderr
