"""Check an installed kappamax and print one line per feature that works.

The script needs nothing but kappamax. A feature that needs an extra is used if the extra is installed; otherwise its
error must name the extra. The script prints the folder of the installed package first, and it ends with exit code 1 at
the first feature that does not work.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import kappamax as km

COMMAND = Path(sys.executable).with_name("kappamax.exe" if sys.platform == "win32" else "kappamax")
TABLE = [[5, 3, 2, 1], [1, 4, 3, 0], [0, 1, 5, 1], [0, 1, 2, 4]]
EXTRAS = {
    "fast": "numba",
    "plot": "matplotlib",
    "excel": "python_calamine",
    "stats": "pyreadstat",
    "arrow": "pyarrow",
    "web": "starlette",
    "cluster": "distributed",
}


def names() -> None:
    """Check that every public name can be imported."""
    for name in dir(km):
        require(getattr(km, name) is not None, name)


def commands() -> None:
    """Check the command, `python -m kappamax`, and a pipe from one to the other."""
    require(output([COMMAND, "--version"]) == f"kappamax, version {km.__version__}\n", "--version")
    module = [sys.executable, "-m", "kappamax"]
    require(output([*module, "--version"]) == f"kappamax, version {km.__version__}\n", "python -m kappamax --version")
    example = output([*module, "example", "rapallo2022"])
    shown = output([COMMAND, "max", "-", "--layout", "counts", "--weights", "linear"], example)
    require("0.5023" in shown and "0.7511" in shown, shown)
    require(len(output([*module, "example"]).splitlines()) == len(km.datasets.EXAMPLES), "every example is listed")


def results() -> None:
    """Check kappa, its maximum and proof, annealing and a test on the table of the paper."""
    table = km.from_counts(TABLE)
    require(str(km.kappa(table, weights="linear").exact) == "111/221", "kappa")
    found = km.max_kappa(table, weights="linear")
    require(found.proven and km.verify(found) and f"{found.maximum:.4f}" == "0.7511", "max_kappa")
    require(km.max_kappa(km.example("diagnoses")).proven, "six raters")
    annealed = km.anneal(table, weights="linear", rng=1)
    require(annealed.reached <= found.maximum and annealed.table.n_subjects == 33, "anneal")
    require(0 < km.exact_test(table, weights="linear").pvalue < 0.001, "exact_test")


def reports() -> None:
    """Check a report as text and as an HTML page."""
    made = km.report(km.from_counts(TABLE), weights=["linear"])
    require("0.7511" in made.to_text(), "text")
    with folder() as place:
        made.save(place / "report.html")
        require("<html" in (place / "report.html").read_text(encoding="utf-8"), "HTML")


def files() -> None:
    """Check that text with columns and JSON lines are read."""
    with folder() as place:
        (place / "ratings.csv").write_text("a,b\nno,no\nno,yes\nyes,yes\n", encoding="utf-8")
        (place / "ratings.jsonl").write_text('{"a": 1, "b": 2}\n{"a": 2, "b": 2}\n', encoding="utf-8")
        require(km.read_ratings(place / "ratings.csv").n_subjects == 3, "csv")
        require(km.read_ratings(place / "ratings.jsonl").n_subjects == 2, "json lines")


def fast() -> None:
    """Check that a large maximum is found; without numba, one warning says how to install it."""
    counts = [[(7 * i + 3 * j) % 5 for j in range(30)] for i in range(30)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", km.errors.KappamaxWarning)
        found = km.max_kappa(km.from_counts(counts), weights="sqrt")
        require(found.proven and found.minimum_proven, "a maximum and a minimum over 900 cells")
    notes = [str(warning.message) for warning in caught if warning.category is km.errors.KappamaxWarning]
    wanted = (
        [] if present("fast") else ['numba would make this much faster. Install it with: pip install "kappamax[fast]"']
    )
    require(notes == wanted, str(notes))


def plot() -> None:
    """Check that a picture is drawn, or that the error names the extra."""
    if present("plot"):
        import matplotlib as mpl

        mpl.use("agg")
    with_or_without("plot", lambda: km.plot.table(km.from_counts(TABLE)))


def excel() -> None:
    """Check that a damaged spreadsheet is rejected, or that the error names the extra."""
    damaged("excel", b"\xd0\xcf\x11\xe0" + b"\0" * 600, "cannot be read as a spreadsheet")


def stats() -> None:
    """Check that a damaged file of SPSS is rejected, or that the error names the extra."""
    damaged("stats", b"$FL2" + b"\0" * 600, "cannot be read as a file in the format SPSS")


def arrow() -> None:
    """Check that a damaged Arrow file is rejected, or that the error names the extra."""
    damaged("arrow", b"ARROW1\0\0" + b"\0" * 600, "cannot be read as an Arrow file")


def web() -> None:
    """Check that the app of the page can be created, or that the error names the extra."""
    if present("web"):
        from kappamax.web.access import Access
        from kappamax.web.app import create_app

        require(create_app(Access()) is not None, "create_app")
        return
    done = subprocess.run([COMMAND, "serve", "--no-browser"], capture_output=True, text=True, check=False)
    require(done.returncode == 1 and 'pip install "kappamax[web]"' in done.stderr, done.stderr)


def cluster() -> None:
    """Check that Dask can be imported, or that joblib's error names it; no code of kappamax needs this extra."""
    import joblib

    if present("cluster"):
        import dask.dataframe

        require(dask.dataframe is not None, "dask.dataframe")
        return
    try:
        joblib.parallel_config(backend="dask")
    except (ImportError, ValueError) as error:
        require("dask" in str(error), str(error))
        return
    require(False, "no error")


def damaged(extra: str, content: bytes, said: str) -> None:
    """Check that a damaged file gives an error that says so with the extra, and that names it without the extra."""
    with folder() as place:
        (place / "file").write_bytes(content)
        try:
            km.read_ratings(place / "file")
        except km.errors.UnreadableFileError as error:
            wanted = said if present(extra) else f'pip install "kappamax[{extra}]"'
            require(wanted in str(error), str(error))
            return
    require(False, "no error")


def with_or_without(extra: str, work: Callable[[], Any]) -> None:
    """Check that the work succeeds with the extra, and raises an error that names it without the extra."""
    try:
        done = work()
    except km.errors.NotSupportedError as error:
        require(not present(extra) and f'pip install "kappamax[{extra}]"' in str(error), str(error))
        return
    require(present(extra) and done is not None, f"{extra} was not needed")


def present(extra: str) -> bool:
    return find_spec(EXTRAS[extra]) is not None


@contextmanager
def folder() -> Iterator[Path]:
    """Yield an empty temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def output(command: list[Any], stdin: str | None = None) -> str:
    """Return the output of a command, which must succeed."""
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8", check=False)
    require(done.returncode == 0, f"{command}: {done.stderr}")
    return done.stdout


def require(truth: object, what: str) -> None:
    """End with an error unless the condition holds; unlike assert, this works with `python -O` too."""
    if not truth:
        raise SystemExit(f"failed: {what}")


if __name__ == "__main__":
    print(Path(km.__file__).parent)
    for step in (names, commands, results, reports, files, fast, plot, excel, stats, arrow, web, cluster):
        step()
        having = "" if step.__name__ not in EXTRAS else " (installed)" if present(step.__name__) else " (not installed)"
        print(f"ok: {step.__name__}{having}", flush=True)
