"""Provide one small set of ratings in every layout, as text, rows, and frames of every library."""

from __future__ import annotations

import atexit

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from kappamax import Table

RATERS = ["zoe", "amy", "bob"]
CATEGORIES = [1, 2, 5, 10]  # nobody used 5
ROWS = [
    [1, 1, 2],
    [10, 2, 10],
    [1, 1, 2],
    [None, 2, 2],
    [10, None, None],
    [None, None, None],
    [2, 10, None],
]
EXPECTED = Table(
    [[0, 0, 1], [3, 1, 3], [-1, 1, 1], [3, -1, -1], [1, 3, -1]], [2, 1, 1, 1, 1], CATEGORIES, RATERS, ordered=True
)
PATIENTS = ["p2", "p2", "p10", "p10", "p2", "p7", "p10"]  # p7 has no rating
EXPECTED_IN_CLUSTERS = Table(
    [[0, 0, 1], [3, 1, 3], [0, 0, 1], [-1, 1, 1], [3, -1, -1], [1, 3, -1]],
    None,
    CATEGORIES,
    RATERS,
    ordered=True,
    clusters=["p2", "p2", "p10", "p10", "p2", "p10"],
)
LAYOUTS = ["wide", "long", "patterns"]
#: the same layouts with a column of clusters
CLUSTERED = {layout: f"clustered {layout}" for layout in LAYOUTS}
RATING_COLUMNS = {"wide": RATERS, "patterns": RATERS, "long": ["rating"]}
RATING_COLUMNS |= {CLUSTERED[layout]: columns for layout, columns in RATING_COLUMNS.items()}


def typed_rows(layout):
    """Return the rows of a layout as dictionaries; in the long layout, only some missing ratings have a row."""
    if layout == CLUSTERED["wide"]:
        return [{"patient": patient} | row for patient, row in zip(PATIENTS, typed_rows("wide"), strict=True)]
    if layout == CLUSTERED["patterns"]:
        rows = typed_rows(CLUSTERED["wide"])
        return [row | {"count": rows.count(row)} for i, row in enumerate(rows) if row not in rows[:i]]
    if layout == CLUSTERED["long"]:
        return [row | {"patient": PATIENTS[row["subject"] - 1]} for row in typed_rows("long")]
    if layout == "wide":
        return [dict(zip(RATERS, row, strict=True)) for row in ROWS]
    if layout == "patterns":
        distinct = list(dict.fromkeys(map(tuple, ROWS)))
        return [dict(zip(RATERS, row, strict=True)) | {"count": ROWS.count([*row])} for row in distinct]
    return [
        {"subject": i + 1, "rater": rater, "rating": rating}
        for i, row in enumerate(ROWS)
        for rater, rating in zip(RATERS, row, strict=True)
        if rating is not None or i == 3
    ]


def text_of(layout, delimiter, quote):
    """Return the rows of a layout as delimited text."""
    rows = typed_rows(layout)
    lines = [list(rows[0]), *(row.values() for row in rows)]
    return "".join(
        delimiter.join("" if cell is None else f"{quote}{cell}{quote}" for cell in line) + "\n" for line in lines
    )


def write_parts(folder, n_parts=4, n_subjects=20_000):
    """Write folders `wide` and `long` of Parquet files with the same ratings from 9 to 11, some of them missing."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(9, 12, size=(n_subjects, 3)), columns=RATERS).astype("Int64")
    for rater in ("zoe", "bob"):
        frame.loc[rng.random(n_subjects) < 0.1, rater] = pd.NA
    for part, rows in enumerate(np.array_split(np.arange(n_subjects), n_parts)):
        wide = frame.loc[rows]
        long = wide.reset_index(names="subject").melt("subject", var_name="rater", value_name="rating")
        for name, content in {"wide": wide, "long": long}.items():
            (folder / name).mkdir(exist_ok=True)
            content.to_parquet(folder / name / f"part-{part}.parquet", index=False)


def _columns(layout):
    rows = typed_rows(layout)
    return {name: [row[name] for row in rows] for name in rows[0]}


def _texts(layout):
    columns = _columns(layout)
    for name in RATING_COLUMNS[layout]:
        columns[name] = [None if rating is None else str(rating) for rating in columns[name]]
    return columns


def _pandas(layout, dtype):
    texts = isinstance(dtype, pd.CategoricalDtype) or dtype == "str"
    frame = pd.DataFrame(_texts(layout) if texts else _columns(layout))
    return frame.astype(dict.fromkeys(RATING_COLUMNS[layout], dtype))


def _polars(layout, dtype):
    return pl.DataFrame(_texts(layout), schema_overrides=dict.fromkeys(RATING_COLUMNS[layout], dtype))


def _arrow(layout, *, ordered):
    table = pa.table(_texts(layout))
    levels = pa.array([str(category) for category in CATEGORIES])
    for name in RATING_COLUMNS[layout]:
        codes = pa.array([None if text is None else levels.index(text).as_py() for text in _texts(layout)[name]])
        codes = codes.cast(pa.int8())
        column = pa.DictionaryArray.from_arrays(codes, levels, ordered=ordered)
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def _relation(layout, *, enum):
    connection = duckdb.connect()
    _OPEN.append(connection)
    connection.register("ratings", pa.table(_texts(layout)))
    connection.execute("CREATE TYPE scale AS ENUM ('1', '2', '5', '10')")
    kind = "scale" if enum else "INTEGER"
    columns = [f"{name}::{kind} AS {name}" if name in RATING_COLUMNS[layout] else name for name in _columns(layout)]
    return connection.sql(f"SELECT {', '.join(columns)} FROM ratings")


_ORDERED = pd.CategoricalDtype([str(category) for category in CATEGORIES], ordered=True)
_UNORDERED = pd.CategoricalDtype([str(category) for category in CATEGORIES], ordered=False)
_TEXT = "str" if pd.__version__ >= "3" else "string"  # before version 3, str converts None to text
_OPEN = []  # old versions of DuckDB close a connection that only a relation holds
atexit.register(_OPEN.clear)  # new versions warn about open connections at exit
_ENUM = pl.Enum([str(category) for category in CATEGORIES])

#: for each route, a frame of a layout and whether its columns declare the categories
FRAMES = {
    "pandas float": lambda layout: (_pandas(layout, "float64"), False),
    "pandas Int64": lambda layout: (_pandas(layout, "Int64"), False),
    "pandas object": lambda layout: (_pandas(layout, "object"), False),
    "pandas text": lambda layout: (_pandas(layout, _TEXT), False),
    "pandas category": lambda layout: (_pandas(layout, _UNORDERED), False),
    "pandas ordered category": lambda layout: (_pandas(layout, _ORDERED), True),
    "polars integer": lambda layout: (pl.DataFrame(_columns(layout)), False),
    "polars text": lambda layout: (_polars(layout, pl.String), False),
    "polars Categorical": lambda layout: (_polars(layout, pl.Categorical), False),
    "polars Enum": lambda layout: (_polars(layout, _ENUM), True),
    "polars lazy": lambda layout: (pl.LazyFrame(_columns(layout)), False),
    "polars lazy Enum": lambda layout: (_polars(layout, _ENUM).lazy(), True),
    "pyarrow": lambda layout: (pa.table(_columns(layout)), False),
    "pyarrow dictionary": lambda layout: (_arrow(layout, ordered=False), False),
    "pyarrow ordered dictionary": lambda layout: (_arrow(layout, ordered=True), True),
    "DuckDB": lambda layout: (_relation(layout, enum=False), False),
    "DuckDB ENUM": lambda layout: (_relation(layout, enum=True), True),
    "Dask": lambda layout: (dd.from_pandas(_pandas(layout, "float64"), npartitions=2), False),
    "Dask text": lambda layout: (dd.from_pandas(_pandas(layout, _TEXT), npartitions=2), False),
    "Dask ordered category": lambda layout: (dd.from_pandas(_pandas(layout, _ORDERED), npartitions=2), True),
}
