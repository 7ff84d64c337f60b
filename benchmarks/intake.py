"""Measure the time and memory that reading a large file takes, beside the bare query and pandas.

The data are made here. Wide files have two raters and five categories. Long files are of several kinds: few and many
raters, rows in the order of the subjects or shuffled, numbers and words as labels and as names of subjects, and
subjects that only some of the raters rated. Every reading runs in a process of its own and all must give the same
counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import duckdb

from benchmarks import peers
from benchmarks.intake_worker import READERS
from benchmarks.speed import DisagreementError

__all__ = ["Reading", "readings"]

REPETITIONS = 3
LONG_ROWS = 2 * 10**7
WITHIN = 1.5  # limit of our time as a multiple of the bare query's
RATED = "(hash(i) % 5 + 1)::INT AS a, (hash(CASE WHEN hash(i, 7) % 10 < 6 THEN i ELSE -i END) % 5 + 1)::INT AS b"
WORDS = "['none', 'mild', 'moderate', 'severe', 'very severe']"


@dataclass(frozen=True)
class Reading:
    """One reader's median seconds and largest peak on one file; the targets are upper limits, None if there is none."""

    case: str
    reader: str
    seconds: float
    peak_mb: float
    target_seconds: float | None = None
    target_mb: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether all targets are kept; None without one."""
        limits = ((self.seconds, self.target_seconds), (self.peak_mb, self.target_mb))
        kept = [value <= limit for value, limit in limits if limit is not None]
        return all(kept) if kept else None


class LongKind(NamedTuple):
    """One kind of long file: each of the raters rates a subject with the given chance."""

    name: str
    n_raters: int
    chance: float = 1.0
    shuffled: bool = False
    words: bool = False
    named_subjects: bool = True

    def query(self, n_rows: int) -> str:
        """Return the query that makes about so many rows."""
        subject = "'s' || i" if self.named_subjects else "i"
        rating = f"(hash(CASE WHEN hash(i, j) % 20 < 19 THEN i ELSE i * {self.n_raters} + j END) % 5 + 1)::INT"
        n_subjects = round(n_rows / self.n_raters / self.chance)
        label = f"{WORDS}[{rating}]" if self.words else rating
        return (
            f"SELECT {subject} AS subject, 'r' || j AS rater, {label} AS rating "
            f"FROM range({n_subjects}) ids(i), range({self.n_raters}) raters(j) "
            f"WHERE hash(i, j, 3) % 1000 < {round(1000 * self.chance)} "
            f"ORDER BY {'hash(i, j, 11)' if self.shuffled else 'i, j'}"
        )


LONG_KINDS = (
    LongKind("2 raters", 2),
    LongKind("2 raters, shuffled", 2, shuffled=True),
    LongKind("3 raters, shuffled, words", 3, shuffled=True, words=True),
    LongKind("3 raters, numbered subjects", 3, named_subjects=False),
    LongKind("10 raters, shuffled", 10, shuffled=True),
    LongKind("4 raters, 30 % missing, words", 4, chance=0.7, words=True),
    LongKind("about 2 of 20 raters, shuffled", 20, chance=0.1, shuffled=True, named_subjects=False),
)


def readings(*, quick: bool) -> Iterator[Reading]:
    """Every file and reader; `quick` divides the sizes by 100."""
    cut = 100 if quick else 1
    wide = f"SELECT {RATED} FROM range({{}}) ids(i)"
    n = 10**8 // cut
    yield from _case(f"Parquet, wide, {n:,} rows", "parquet", "wide", wide.format(n), target_mb=300, limited=True)
    n = 10**7 // cut
    yield from _case(f"CSV, wide, {n:,} rows", "csv", "wide", wide.format(n), target_seconds=2)
    n = LONG_ROWS // cut
    for kind in LONG_KINDS:
        for form in ("csv", "parquet"):
            case = f"{'CSV' if form == 'csv' else 'Parquet'}, long, {n:,} rows, {kind.name}"
            yield from _case(case, form, "long", kind.query(n), limited=True, no_more_memory=True)


def _case(
    case: str,
    form: str,
    layout: str,
    query: str,
    *,
    target_seconds: float | None = None,
    target_mb: float | None = None,
    limited: bool = False,
    no_more_memory: bool = False,
) -> Iterator[Reading]:
    """One file read by all in turn; our time and memory may be limited by those of the bare query."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"ratings.{form}"
        peers.note(f"{case}: making the data")
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({query}) TO '{path}'")
        runs: dict[str, list[dict[str, float]]] = {reader: [] for reader in READERS}
        for repetition in range(REPETITIONS):
            for reader in READERS:
                if reader != "pandas" or repetition == 0:
                    peers.note(f"{case}: {reader}")
                    runs[reader].append(_run(reader, path, layout))
    if len({str(run["counts"]) for own in runs.values() for run in own}) > 1:
        raise DisagreementError(f"{case}: the readers give different counts")
    seconds = {reader: median(run["seconds"] for run in own) for reader, own in runs.items()}
    peaks = {reader: max(run["peak_mb"] for run in own) for reader, own in runs.items()}
    if limited:
        target_seconds = WITHIN * seconds["DuckDB query"]
    if no_more_memory:
        target_mb = peaks["DuckDB query"]
    for reader in READERS:
        targets = (target_seconds, target_mb) if reader == "kappamax" else (None, None)
        yield Reading(case, reader, seconds[reader], peaks[reader], *targets)


def _run(reader: str, path: Path, layout: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.intake_worker", reader, str(path), layout]
    done = subprocess.run(command, cwd=peers.ROOT, stdout=subprocess.PIPE, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer
