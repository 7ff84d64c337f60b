"""Compiled functions give their results even if they cannot be stored, and compiling does not exceed a time limit."""

import os
import subprocess
import sys
from threading import Event

import numpy as np
import pytest

import kappamax as km
from kappamax import _jit
from kappamax._jit import CompilationStopped, kernel

COMPILE = """
import resource
from kappamax._jit import kernel

def tripled(number):
    return 3 * number

resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
run = kernel(tripled, work=1, worth=0)
print(run(14), run(15))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of the size of files")
def test_a_full_disk_does_not_prevent_compiled_work(tmp_path):
    """Numba stores what it compiles; where that fails, the compiled function is used all the same."""
    code = tmp_path / "code.py"
    code.write_text(COMPILE, encoding="utf-8")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == "42 45\n"
    assert any((tmp_path / "cache").iterdir())


def doubled(number):
    """A function to compile."""
    return 2 * number


def test_compiling_ends_with_the_time_limit(monkeypatch):
    """The call that waits is stopped; compiling goes on, and a later call gets the result."""
    wait, compile_for = Event(), _jit._Compiled._compile_for
    monkeypatch.setattr(_jit._Compiled, "_compile_for", lambda *given: wait.wait(60) and compile_for(*given))
    with pytest.raises(CompilationStopped):
        kernel(doubled, work=1, worth=0, stopped=lambda: True)(21)
    wait.set()
    assert kernel(doubled, work=1, worth=0, stopped=lambda: False)(21) == 42
    assert kernel(doubled, work=1, worth=0, stopped=lambda: True)(22) == 44  # it is compiled by now
    assert kernel(doubled, work=1, worth=0)(2.5) == 5.0  # other types


@pytest.fixture
def slow_compiler(monkeypatch):
    """Let compiling take until the time is over, whatever the function."""

    def in_time(self, arguments, stopped):
        while not stopped():
            pass
        raise CompilationStopped

    monkeypatch.setattr(_jit._Compiled, "in_time", in_time)
    monkeypatch.setattr(_jit, "_compiled", {})


@pytest.mark.parametrize("weights", ["sqrt", "per pair"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_maximum_is_bounded_although_nothing_is_compiled_in_time(slow_compiler, weights, missing):
    """The best table so far is returned, with a bound that holds."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 5, size=(60, 7))
    codes[rng.random(codes.shape) < missing] = -1
    table = km.Table(codes, np.ones(60, dtype=int), range(5), ordered=True)
    if weights == "per pair":
        weights = {(a, b): ("sqrt" if (a + b) % 2 else "linear") for a in range(7) for b in range(a + 1, 7)}
    result = km.max_kappa(table, weights=weights, time_limit=0.3)
    assert result.value <= result.maximum <= result.bound
    assert not km.verify(result).faults
