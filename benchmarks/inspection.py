"""Measure how long inspecting a very large file takes, beside the bare query of its first rows.

The data are made here: two raters, five categories. Every run is a process of its own, and its time does not include
imports. The bare query fetches as many rows as the inspection looks at.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import duckdb

from benchmarks import peers
from benchmarks.intake import RATED
from benchmarks.speed import Comparison, DisagreementError

__all__ = ["comparisons"]

REPETITIONS = 5
_LEAST_RATIO = 0.05  # an inspection may take 20 times the query, which takes less than a tenth of a second
_WIDE = f"SELECT {RATED} FROM range({{}}) ids(i)"
_LONG = (
    "SELECT 's' || i AS subject, rater, CASE rater WHEN 'a' THEN a ELSE b END AS rating "
    f"FROM (SELECT i, {RATED} FROM range({{}} // 2) ids(i)), (VALUES ('a'), ('b')) raters(rater)"
)


def comparisons(*, quick: bool) -> Iterator[Comparison]:
    """Every file, inspected and queried in turn; `quick` divides the sizes by 100."""
    cut = 100 if quick else 1
    yield _case("Parquet, wide", "parquet", _WIDE, 10**8 // cut)
    yield _case("Parquet, long", "parquet", _LONG, 10**8 // cut)
    yield _case("CSV, wide", "csv", _WIDE, 5 * 10**7 // cut)


def _case(name: str, kind: str, query: str, n_rows: int) -> Comparison:
    """Inspect one file and query its first rows, in turn."""
    case = f"{name}, {n_rows:,} rows"
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"ratings.{kind}"
        peers.note(f"{case}: making the data")
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({query.format(n_rows)}) TO '{path}'")
        runs = {what: [_run(what, path) for _ in range(REPETITIONS)] for what in ("inspection", "query")}
    if len({run["rows"] for own in runs.values() for run in own}) > 1:
        raise DisagreementError(f"{case}: the inspection and the query saw different numbers of rows")
    ours, theirs = (median(run["seconds"] for run in runs[what]) for what in ("inspection", "query"))
    return Comparison(case, ours, "DuckDB: SELECT * LIMIT 20000", theirs, _LEAST_RATIO)


def _run(what: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.inspection", what, str(path)]
    done = subprocess.run(command, cwd=peers.ROOT, stdout=subprocess.PIPE, text=True, check=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


def _inspected(path: str) -> int:
    from kappamax.io import inspect

    return min(inspect(path).n_rows_inspected, 20_000)  # the small files of a quick run are read as a whole


def _queried(path: str) -> int:
    return len(duckdb.connect().execute(f"SELECT * FROM '{path}' LIMIT 20000").fetchall())


def main() -> None:
    what, path = sys.argv[1:]
    measured = {"inspection": _inspected, "query": _queried}[what]
    import kappamax.io  # noqa: F401  # imported before the clock runs

    start = perf_counter()
    rows = measured(path)
    print(json.dumps({"seconds": perf_counter() - start, "rows": rows}))


if __name__ == "__main__":
    main()
