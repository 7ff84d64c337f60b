"""Read one file with one reader and print its time, peak memory and counts as a line of JSON.

Run in a process of its own, so that the peak is that of one reading.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

__all__ = ["READERS"]

Counts = list[int]


def _kappamax(path: str, layout: str) -> Callable[[], Counts]:
    import duckdb  # noqa: F401  # imported before the clock runs, as for the others

    from kappamax.io import read_ratings

    return lambda: read_ratings(path, layout=layout).counts.tolist()


def _duckdb(path: str, layout: str) -> Callable[[], Counts]:
    import duckdb

    def read() -> Counts:
        connection = duckdb.connect()
        source = f"'{path}'"
        if layout == "long":
            raters = connection.execute(f"SELECT DISTINCT rater FROM (FROM '{path}' LIMIT 10000)").fetchall()
            columns = [f"max(rating) FILTER (rater = '{rater}')" for (rater,) in raters]
            source = f"(SELECT {', '.join(columns)} FROM '{path}' GROUP BY subject)"
        return [row[-1] for row in connection.execute(f"SELECT *, count(*) AS n FROM {source} GROUP BY ALL").fetchall()]

    return read


def _pandas(path: str, layout: str) -> Callable[[], Counts]:
    import pandas as pd

    def read() -> Counts:
        frame: Any = pd.read_parquet(path) if path.endswith("parquet") else pd.read_csv(path)
        if layout == "long":
            frame = frame.pivot(index="subject", columns="rater", values="rating")
        return frame.groupby(list(frame.columns), dropna=False).size().tolist()

    return read


READERS = {"kappamax": _kappamax, "DuckDB query": _duckdb, "pandas": _pandas}


def main() -> None:
    reader, path, layout = sys.argv[1:]
    read = READERS[reader](path, layout)
    start = perf_counter()
    counts = read()
    seconds = perf_counter() - start
    print(json.dumps({"seconds": seconds, "peak_mb": _peak_mb(), "counts": sorted(counts)}))


def _peak_mb() -> float:
    """The peak of this process alone: on Linux `ru_maxrss` would begin with that of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) / 1024  # type: ignore[index]  # always there
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
