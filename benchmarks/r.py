"""Ask R's packages the same questions and time them, where R is installed."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.answers import first_line
from benchmarks.question import Answer, Question
from benchmarks.speed import Run, ask

__all__ = ["CALLS", "WANTED", "answers", "timer", "versions"]

WANTED = ("vcd", "psych", "irr", "rel")
CALLS = {
    "vcd": "`Kappa(table(a, b), weights = ...)`, its ASE and `confint`; told: a table over all levels",
    "psych": "`cohen.kappa(ratings, w = ...)`, its `var.kappa`, `confid`, `av.kappa`; told: `levels =`",
    "irr": "`kappa2`, `kappam.fleiss` (exact: Conger), `kappam.light`, `kripp.alpha`",
    "rel": "`ckap`, its `kmax`",
}


@cache
def versions() -> dict[str, str]:
    """R's version and those of the packages it has, empty without R."""
    if shutil.which("Rscript") is None:
        return {}
    lines = _run("packages").stdout.splitlines()
    return dict(line.split("\t") for line in lines)


def answers(questions: Sequence[Question]) -> dict[str, dict[str, Answer]]:
    """By package and name of the question."""
    found: dict[str, dict[str, Answer]] = {package: {} for package in versions() if package != "R"}
    if not found:
        return {}
    with TemporaryDirectory() as folder:
        _write(Path(folder), questions)
        for line in _run("answers", folder).stdout.splitlines():
            package, name, state, value, said = line.split("\t")
            number = None if value in ("", "NA", "NaN") or isnan(float(value)) else float(value)
            found[package][name] = Answer(number, first_line(said), state != "not offered", state == "failed")
    return found


@contextmanager
def timer(ratings: Any) -> Iterator[Callable[[str], Run]]:
    """A process of R that holds two raters' ratings and answers with quadratic kappa by package."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "ratings.csv"
        np.savetxt(file, ratings, fmt="%d", delimiter=",", header="a,b", comments="")
        command = _command("times", str(file))
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as worker:
            yield lambda package: partial(ask, worker, package)


def _write(folder: Path, questions: Sequence[Question]) -> None:
    fields = ("name", "quantity", "weights", "kind")
    with (folder / "index.tsv").open("w", newline="") as file:
        index = csv.writer(file, delimiter="\t", lineterminator="\n")
        index.writerow([*fields, "told"])
        index.writerows([*(getattr(one, field) for field in fields), int(one.told)] for one in questions)
    for one in questions:
        (folder / f"{one.name}.levels").write_text("".join(f"{label}\n" for label in one.categories))
        with (folder / f"{one.name}.csv").open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow([f"rater{i + 1}" for i in range(len(one.rows[0]))])
            rows.writerows(["" if label is None else label for label in row] for row in one.rows)


def _command(*arguments: str) -> list[str]:
    return ["Rscript", "--vanilla", str(peers.HERE / "r_worker.R"), *arguments]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(_command(*arguments), stdout=subprocess.PIPE, text=True, check=True)
