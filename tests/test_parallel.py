"""Other processes compute the same results, leave Ctrl-C to the first process, and end with it."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from kappamax import _parallel
from kappamax._parallel import run_tasks

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")

# The processes inherit standard output, so that its end is read only after all of them have ended.
SECONDS = 60


def started(code, *options):
    """Start a Python process whose process group is its own, and return it after its first line."""
    preamble = "import sys\nfrom kappamax._parallel import run_tasks\nfrom tests.support.worker_tasks import *\n"
    process = subprocess.Popen(
        [sys.executable, "-c", preamble + code, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    return process, process.stdout.readline()


IDLE = "for _ in run_tasks(doubled, [(1,), (2,), (3,)], 2): pass\nprint('idle', flush=True)\nsys.stdin.readline()"
BUSY = "for _ in run_tasks(wait_forever, [(1,), (2,)], 2): pass"


@pytest.mark.slow
@pytest.mark.parametrize(("code", "first"), [(IDLE, "idle"), (BUSY, "busy")])
def test_processes_end_when_the_first_one_is_killed(code, first):
    """Idle and busy processes are gone soon after the first process was killed and could not end them."""
    process, line = started(code)
    assert line == f"{first}\n"
    process.kill()
    process.communicate(timeout=SECONDS)


@pytest.mark.slow
def test_ctrl_c_is_left_to_the_first_process():
    """After Ctrl-C in the terminal, which all processes receive, only the first one prints a traceback."""
    process, line = started(BUSY)
    assert (line, process.stdout.readline()) == ("busy\n", "busy\n")
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == -signal.SIGINT
    assert errors.count("Traceback") == 1
    assert errors.endswith("KeyboardInterrupt\n")


@pytest.mark.slow
def test_processes_of_every_kind_compute_the_same():
    """Processes, threads and this process accept how they are started."""
    import joblib

    for backend in ("loky", "threading", "sequential"):
        with joblib.parallel_config(backend=backend):
            assert list(run_tasks(pow, [(number, 2) for number in range(5)], 2)) == [0, 1, 4, 9, 16]


@pytest.mark.slow
# a thread of joblib may look for a task that was dropped in the same moment
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_results_that_are_not_wanted_are_dropped_in_silence():
    """If the caller stops early, for example after Ctrl-C, there is no warning about the other results."""
    results = run_tasks(pow, [(number, 2) for number in range(50)], 2)
    assert next(results) == 0
    results.close()


class EndedError(Exception):
    """Raised in place of ending the process."""


@pytest.fixture
def ended(monkeypatch):
    """Raise an exception where a process would end, and count how often it looked."""
    looks = []

    def end(code):
        raise EndedError(code)

    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(_parallel.time, "sleep", looks.append)
    return looks


def test_a_process_ends_when_it_has_another_parent(monkeypatch, ended):
    """It looks again and again while its parent is the same."""
    parents = iter([7, 7, 7, 1])
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    with pytest.raises(EndedError):
        _parallel._end_with(7)
    assert len(ended) == 3


def test_a_process_is_prepared_before_its_first_task(monkeypatch):
    """It ignores Ctrl-C, and a thread that does not keep it running watches the first process."""
    handlers, watched = [], threading.Event()
    monkeypatch.setattr(signal, "signal", lambda *given: handlers.append(given))
    monkeypatch.setattr(_parallel, "_end_with", lambda parent: parent == 7 and watched.set())
    _parallel._start_worker(7)
    assert watched.wait(SECONDS)
    assert handlers == [(signal.SIGINT, signal.SIG_IGN)]
