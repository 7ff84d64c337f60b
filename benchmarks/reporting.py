"""Time a whole report from a cold start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

import kappamax as km
from benchmarks import peers
from benchmarks.fibers import Figure

__all__ = ["reports"]

SEED = 5


def reports(*, quick: bool) -> list[Figure]:
    """`kappamax report` in a process of its own, reading and writing files."""
    repetitions = 1 if quick else 5
    with TemporaryDirectory() as name:
        folder = Path(name)
        two = folder / "two.csv"
        two.write_text(km.datasets.EXAMPLES["rapallo2022"].path.read_text())
        seven = folder / "seven.csv"
        seven.write_text(_seven_raters())
        return [
            _timed("2 raters, 4 categories, 33 subjects, four weightings", two, ["--layout", "counts"], 1, repetitions),
            _timed("7 raters, 5 categories, 118 subjects, four weightings", seven, [], 5, repetitions),
        ]


def _timed(case: str, file: Path, options: list[str], limit: float, repetitions: int) -> Figure:
    peers.note(case)
    target = file.with_suffix(".html")
    command = [sys.executable, "-m", "kappamax", "report", str(file), *options, "-o", str(target)]
    subprocess.run(command, check=True, capture_output=True)  # compile what is compiled once
    seconds = []
    for _ in range(repetitions):
        start = perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(perf_counter() - start)
    proven = "not proven" not in target.read_text(encoding="utf-8")
    words = "every maximum proven" if proven else "not every maximum proven"
    return Figure(f"{case}; {words}", f"{median(seconds):.2f} s", f"< {limit} s", median(seconds) < limit and proven)


def _seven_raters() -> str:
    """Seven raters who see the truth with an error of one category, the later ones more often."""
    rng = np.random.default_rng(SEED)
    truth = rng.choice(5, size=118, p=[0.3, 0.25, 0.2, 0.15, 0.1])
    columns = []
    for rater in range(7):
        error = rng.choice([-1, 0, 0, 0, 1], size=118) + (rng.random(118) < 0.1) * (rater % 2)
        columns.append(np.clip(truth + error, 0, 4) + 1)
    rows = [",".join(map(str, row)) for row in np.stack(columns, axis=1).tolist()]
    return "\n".join(["a,b,c,d,e,f,g", *rows]) + "\n"
