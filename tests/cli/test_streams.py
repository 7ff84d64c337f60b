"""Standard output carries only the answer, and closed or full streams end a command quietly."""

import json
import os
import subprocess
import sys

import pytest

import kappamax as km
from tests.support.command_line import run_process

THREE = km.example("rapallo2022-three")
COMMANDS = {
    "anneal": ["{file}", "--seed", "1"],
    "association": ["{file}", "-w", "linear"],
    "fiber": ["{file}", "--sample", "2", "--seed", "1"],
    "icc": ["{file}"],
    "inspect": ["{file}"],
    "kappa": ["{file}"],
    "max": ["{file}", "-w", "unweighted,linear,sqrt"],
    "moves": ["{file}", "--top", "3"],
    "plan": ["--margins", "0.5,0.3,0.2", "--kappa", "0.5", "--width", "0.4", "--joint", "widest", "--draws", "0"],
    "plan-comparison": ["--margins", "0.5,0.3,0.2", "--kappas", "0.6,0.4", "--width", "0.4"],
    "report": ["{file}", "--seed", "1"],
    "retest": ["{file}", "--occasions", "A=a,b"],
    "study": ["--raters", "2", "--categories", "3", "--weights", "linear", "--tables", "2", "--jobs", "1"],
    "test": ["{file}", "--seed", "1"],
    "verify": ["{proof}"],
}
NOISE = """
import os, sys
import kappamax.io as io
read = io.read_ratings
def noisy(*arguments, **options):
    os.write(1, b"written by a library\\n")
    return read(*arguments, **options)
io.read_ratings = noisy
from kappamax.cli import main
main(sys.argv[1:])
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    path, proof = folder / "three.csv", folder / "proof.json"
    rows = [",".join(map(str, row)) for row in THREE.labels()]
    lines = ["a,b,c", *(row for row, n in zip(rows, THREE.counts.tolist(), strict=True) for _ in range(n))]
    path.write_text("\n".join(lines), encoding="utf-8")
    km.max_kappa(THREE, weights="linear").save_certificate(proof)
    return {"file": str(path), "proof": str(proof)}


def in_shell(command, **names):
    """Run a command line in a shell, in which `kappamax` is this package."""
    python = f'"{sys.executable}" -m kappamax'
    return subprocess.run(
        ["bash", "-c", "set -o pipefail; " + command.format(kappamax=python, **names)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "max" else pytest.mark.slow) for name in COMMANDS]
)
def test_json_is_all_that_is_written_to_standard_output(files, name):
    """The whole output of the process, with what solvers print, is one JSON object."""
    done = run_process(name, *(word.format(**files) for word in COMMANDS[name]), "--json")
    assert done.returncode == 0, done.stderr
    assert isinstance(json.loads(done.stdout), dict)


def test_what_libraries_print_goes_to_standard_error(files):
    """Libraries that write to the descriptor of standard output do not disturb the answer."""
    done = subprocess.run(
        [sys.executable, "-c", NOISE, "kappa", files["file"], "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert isinstance(json.loads(done.stdout), dict)
    assert "written by a library" in done.stderr


@pytest.mark.parametrize(
    "arguments", ["example vision", pytest.param("report {file}", marks=pytest.mark.slow), "--help"]
)
def test_a_closed_pipe_is_no_error(files, arguments):
    """The reader may end before the first line is written."""
    for reader in ("head -1", "true"):
        done = in_shell(f"{{kappamax}} {arguments} | {reader}", **files)
        assert done.stderr == ""
        assert done.returncode in (0, 1)  # click ends with 1 if --help cannot be printed


@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [
        (">&-", 1, "kappamax: cannot write the answer: standard output is closed\n"),
        pytest.param(
            *("> /dev/full", 1, "kappamax: cannot write the answer: No space left on device\n"), marks=pytest.mark.slow
        ),
        ("2>&-", 0, ""),
        pytest.param("2> /dev/full", 0, "", marks=pytest.mark.slow),
    ],
)
def test_streams_that_are_closed_or_full(files, redirection, code, message):
    """The answer that cannot be written is an error of one line; a closed standard error does not matter."""
    done = in_shell(f"{{kappamax}} max {{file}} {redirection}", **files)
    assert (done.returncode, done.stderr) == (code, message)
    assert ("maximum" in done.stdout) == (code == 0)
