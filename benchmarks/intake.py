"""Measure the time and memory that reading a large file takes, beside the bare query and pandas.

The data are made here: two raters, five categories. Every reading runs in a process of its own and all must give the
same counts.
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

import duckdb

from benchmarks import peers
from benchmarks.intake_worker import READERS
from benchmarks.speed import DisagreementError

__all__ = ["Reading", "readings"]

REPETITIONS = 3
RATED = "(hash(i) % 5 + 1)::INT AS a, (hash(CASE WHEN hash(i, 7) % 10 < 6 THEN i ELSE -i END) % 5 + 1)::INT AS b"


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


def readings(*, quick: bool) -> Iterator[Reading]:
    """Every file and reader; `quick` divides the sizes by 100."""
    cut = 100 if quick else 1
    wide = f"SELECT {RATED} FROM range({{}}) ids(i)"
    long = (
        "SELECT 's' || i AS subject, rater, CASE rater WHEN 'a' THEN a ELSE b END AS rating "
        f"FROM (SELECT i, {RATED} FROM range({{}}) ids(i)), (VALUES ('a'), ('b')) raters(rater)"
    )
    yield from _case("wide", "parquet", wide, 10**8 // cut, target_mb=300, within=1.5)
    yield from _case("wide", "csv", wide, 10**7 // cut, target_seconds=2)
    yield from _case("long", "csv", long, 10**7 // cut, target_mb=1000)
    yield from _case("long", "parquet", long, 10**7 // cut, target_mb=1000)


def _case(
    layout: str,
    kind: str,
    query: str,
    n: int,
    *,
    target_seconds: float | None = None,
    target_mb: float | None = None,
    within: float | None = None,
) -> Iterator[Reading]:
    """One file read by all in turn; `within` limits our time as a multiple of the bare query's."""
    rows = f"{n:,} rows" if layout == "wide" else f"{2 * n:,} rows, {n:,} subjects"
    case = f"{kind.upper() if kind == 'csv' else 'Parquet'}, {layout}, {rows}"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"ratings.{kind}"
        peers.note(f"{case}: making the data")
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({query.format(n)}) TO '{path}'")
        runs: dict[str, list[dict[str, float]]] = {reader: [] for reader in READERS}
        for _ in range(REPETITIONS):
            for reader in READERS:
                peers.note(f"{case}: {reader}")
                runs[reader].append(_run(reader, path, layout))
    if len({str(run["counts"]) for own in runs.values() for run in own}) > 1:
        raise DisagreementError(f"{case}: the readers give different counts")
    bare = median(run["seconds"] for run in runs["DuckDB query"])
    for reader, own in runs.items():
        seconds = median(run["seconds"] for run in own)
        peak = max(run["peak_mb"] for run in own)
        if reader == "kappamax":
            yield Reading(case, reader, seconds, peak, within * bare if within else target_seconds, target_mb)
        else:
            yield Reading(case, reader, seconds, peak)


def _run(reader: str, path: Path, layout: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.intake_worker", reader, str(path), layout]
    done = subprocess.run(command, cwd=peers.ROOT, stdout=subprocess.PIPE, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer
