"""Ctrl-C is not lost in code whose exceptions Python ignores."""

import signal
import sys
from itertools import repeat

import pytest

from kappamax.cli.lost_interrupts import lost_interrupts_raised_again
from tests.support.command_line import run

MOST = 10**8  # many times the delay, so that the work ends even if Ctrl-C is lost


class CtrlC:
    """Object whose destructor is interrupted, as the destructors of numba were."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def interrupted_work(*_given):
    """Lose a Ctrl-C and continue to work."""
    CtrlC()
    for _ in repeat(None, MOST):
        pass
    return "lost"


def test_ctrl_c_in_a_destructor_is_raised_again():
    """The work ends with a KeyboardInterrupt, and the hook is taken out afterwards."""
    before = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt), lost_interrupts_raised_again():
        interrupted_work()
    assert sys.unraisablehook is before


def test_other_ignored_exceptions_are_shown_as_before(monkeypatch):
    """Only a KeyboardInterrupt is raised again."""

    class Broken:
        def __del__(self):
            raise ValueError("broken")

    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: seen.append(str(lost.exc_value)))
    with lost_interrupts_raised_again():
        Broken()
    assert seen == ["broken"]


def test_the_command_line_does_not_lose_ctrl_c(monkeypatch):
    """The exit code is 130, as without the destructor."""
    monkeypatch.setattr("kappamax.cli.runner.read_table", interrupted_work)
    done = run("kappa", "-", stdin="a,b\n1,1\n")
    assert (done.returncode, done.stderr) == (130, "kappamax: interrupted\n")
