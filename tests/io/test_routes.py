"""The same ratings through every route give the identical table."""

import bz2
import gzip
import io
import json
import lzma
import zipfile

import duckdb
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import kappamax as km
from tests.support.opendocument import opendocument
from tests.support.routes import (
    CATEGORIES,
    CLUSTERED,
    EXPECTED,
    EXPECTED_IN_CLUSTERS,
    FRAMES,
    LAYOUTS,
    PATIENTS,
    RATERS,
    ROWS,
    text_of,
    typed_rows,
)
from tests.support.statistical import write_dta, write_sas7bdat, write_sav, write_xpt

#: options for routes whose data do not declare the categories
NAMED = {"categories": CATEGORIES}


def csv(folder, layout, *, delimiter=",", quote="", start=b"", pack=bytes):
    path = folder / "ratings.csv"
    path.write_bytes(pack(start + text_of(layout, delimiter, quote).encode()))
    return path


def zipped(content):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("ratings.csv", content)
    return stream.getvalue()


def zst(content):
    stream = pa.BufferOutputStream()
    with pa.CompressedOutputStream(stream, "zstd") as file:
        file.write(content)
    return stream.getvalue().to_pybytes()


def columns(layout):
    rows = typed_rows(layout)
    return {name: [row[name] for row in rows] for name in rows[0]}


FILES = {
    "csv": csv,
    "tab": lambda folder, layout: csv(folder, layout, delimiter="\t"),
    "semicolon": lambda folder, layout: csv(folder, layout, delimiter=";"),
    "quoted with a byte order mark": lambda folder, layout: csv(folder, layout, quote='"', start=b"\xef\xbb\xbf"),
    "gzip": lambda folder, layout: csv(folder, layout, pack=gzip.compress),
    "bzip2": lambda folder, layout: csv(folder, layout, pack=bz2.compress),
    "xz": lambda folder, layout: csv(folder, layout, pack=lzma.compress),
    "Zstandard": lambda folder, layout: csv(folder, layout, pack=zst),
    "zip": lambda folder, layout: csv(folder, layout, pack=zipped),
    "Stata": lambda folder, layout: write_dta(folder / "ratings.dta", columns(layout)),
    "SPSS": lambda folder, layout: write_sav(folder / "ratings.sav", columns(layout)),
    "compressed SPSS": lambda folder, layout: write_sav(folder / "ratings.zsav", columns(layout), compress=True),
    "SAS": lambda folder, layout: write_sas7bdat(folder / "ratings.sas7bdat", columns(layout)),
    "SAS transport": lambda folder, layout: write_xpt(folder / "ratings.xpt", columns(layout)),
}


def file_route(make):
    FILES[make.__name__.replace("_", " ")] = make
    return make


@file_route
def parquet(folder, layout):
    path = folder / "ratings.parquet"
    pq.write_table(pa.Table.from_pylist(typed_rows(layout)), path)
    return path


@file_route
def parquet_of_text(folder, layout):
    path = folder / "ratings.parquet"
    pd.read_csv(csv(folder, layout), dtype=str).to_parquet(path)
    return path


@file_route
def parquet_of_decimals_with_an_index(folder, layout):
    path = folder / "ratings.parquet"
    frame = pd.DataFrame(typed_rows(layout))
    frame.index = [f"row {i}" for i in range(len(frame))]
    frame.to_parquet(path)
    return path


@file_route
def folder_of_parquet(folder, layout):
    rows = typed_rows(layout)
    whole = pa.Table.from_pylist(rows)
    parts = folder / "parts"
    (parts / "then").mkdir(parents=True)
    (parts / "_SUCCESS").touch()
    (parts / "_metadata.parquet").write_bytes(b"not data")
    pq.write_table(whole.slice(0, 2), parts / "part-0.parquet")
    pq.write_table(whole.slice(2), parts / "then" / "part-1.parquet")
    return parts


@file_route
def json_lines(folder, layout, pack=bytes):
    path = folder / "ratings.jsonl"
    path.write_bytes(pack("".join(json.dumps(row) + "\n" for row in typed_rows(layout)).encode()))
    return path


@file_route
def compressed_json_lines(folder, layout):
    return json_lines(folder, layout, pack=gzip.compress)


@file_route
def excel(folder, layout):
    path = folder / "ratings.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    rows = typed_rows(layout)
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    book.save(path)
    return path


@file_route
def opendocument_sheet(folder, layout):
    path = folder / "ratings.ods"
    rows = typed_rows(layout)
    path.write_bytes(opendocument({"ratings": [list(rows[0]), *(list(row.values()) for row in rows)]}))
    return path


@file_route
def arrow(folder, layout):
    table = pa.table(columns(layout))
    path = folder / "ratings.arrow"
    with pa.ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table)
    return path


@file_route
def arrow_stream(folder, layout):
    table = pa.table(columns(layout))
    path = folder / "ratings.arrows"
    with pa.ipc.new_stream(str(path), table.schema) as writer:
        writer.write_table(table)
    return path


@file_route
def feather_file(folder, layout):
    path = folder / "ratings.feather"
    feather.write_feather(pa.table(columns(layout)), str(path))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("route", FILES)
def test_every_file_gives_the_same_table(tmp_path, route, layout):
    """The ratings include missing ratings, an unused category, and 10 after 2."""
    path = FILES[route](tmp_path, layout)
    assert km.read_ratings(path, layout=layout, **NAMED) == EXPECTED
    found = km.read_ratings(path, layout=layout, **NAMED)
    blank = any("blank" in note for note in found.reading.notes)  # a row without a cell is no subject
    assert found.n_left_out + blank == (layout != "long")
    assert km.read_ratings(path, layout=layout).categories == (1, 2, 10)
    chosen = km.read_ratings(path, layout=layout, raters=RATERS[::-1], **NAMED)
    assert chosen == EXPECTED.select(RATERS[::-1])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "route",
    [pytest.param(name, marks=pytest.mark.slow if name.startswith("Dask ") else ()) for name in FRAMES],
)
def test_every_frame_gives_the_same_table(route, layout):
    """Columns that declare an order keep unused categories."""
    frame, declares = FRAMES[route](layout)
    asked = {} if declares else NAMED
    assert km.from_ratings(frame, layout=layout, raters=RATERS, **asked) == EXPECTED
    if not declares:
        assert km.from_ratings(frame, layout=layout, raters=RATERS).categories == (1, 2, 10)
    complete = km.from_ratings(frame, layout=layout, raters=RATERS, complete_only=True, missing=["10"])
    ratings = [[None if rating == 10 else rating for rating in row] for row in ROWS]
    assert complete.complete
    assert complete.n_subjects == sum(None not in row for row in ratings)


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("route", FILES)
def test_every_file_gives_the_same_clusters(tmp_path, route, layout):
    """The clusters are in the same order in all formats, and the column of clusters is no rater."""
    path = FILES[route](tmp_path, CLUSTERED[layout])
    _assert_clusters(km.read_ratings(path, layout=layout, cluster="patient", **NAMED))
    chosen = km.read_ratings(path, layout=layout, cluster="patient", raters=RATERS[::-1], **NAMED)
    assert chosen == EXPECTED_IN_CLUSTERS.select(RATERS[::-1])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "route",
    [pytest.param(name, marks=pytest.mark.slow if name.startswith("Dask ") else ()) for name in FRAMES],
)
def test_every_frame_gives_the_same_clusters(route, layout):
    """Frames in memory and lazy frames give the clusters of files."""
    frame, declares = FRAMES[route](CLUSTERED[layout])
    asked = {"cluster": "patient", "layout": layout} | ({} if declares else NAMED)
    _assert_clusters(km.from_ratings(frame, raters=RATERS, **asked))
    if layout != "long":
        _assert_clusters(km.from_ratings(frame, **asked))
    complete = km.from_ratings(frame, raters=RATERS, complete_only=True, missing=["10"], **asked | {"categories": None})
    assert (complete.n_subjects, complete.clusters.n_clusters) == (2, 2)


def _assert_clusters(table):
    assert table == EXPECTED_IN_CLUSTERS
    assert table.clusters.name == "patient"
    assert "patient" not in table.reading.columns_left_out
    assert table.clusters.codes.tolist() == EXPECTED_IN_CLUSTERS.clusters.codes.tolist()
    assert table.clusters.patterns.tolist() == EXPECTED_IN_CLUSTERS.clusters.patterns.tolist()


def test_assert_clusters_fails_for_other_clusters():
    """A table without clusters, and one with other clusters, are not the expected one."""
    with pytest.raises(AssertionError):
        _assert_clusters(EXPECTED)
    with pytest.raises(AssertionError):
        _assert_clusters(km.from_ratings(ROWS, raters=RATERS, cluster=[*PATIENTS[1:], "p2"], **NAMED))


@pytest.mark.parametrize(
    "ratings",
    [ROWS, np.array(ROWS, dtype=object), np.array(ROWS, dtype=float), np.array(ROWS).astype(str)],
    ids=["lists", "objects", "decimals", "text"],
)
def test_every_array_gives_the_same_table(ratings):
    """Lists, objects, floats with NaN, and text give the same table."""
    assert km.from_ratings(ratings, raters=RATERS, **NAMED) == EXPECTED
    for cluster in (PATIENTS, np.array(PATIENTS), pd.Series(PATIENTS, name="patient")):
        assert km.from_ratings(ratings, raters=RATERS, cluster=cluster, **NAMED) == EXPECTED_IN_CLUSTERS


def test_every_matrix_of_counts_gives_the_same_table(tmp_path):
    """Counts of two raters give the same table as text, Parquet, JSON lines, a sheet and an array."""
    two = km.from_ratings([row[:2] for row in ROWS if None not in row[:2]], **NAMED)
    counts = two.dense().tolist()
    routes = {
        "bare.csv": "\n".join(",".join(map(str, row)) for row in counts),
        "labelled.csv": "\n".join(
            ",".join(map(str, row))
            for row in [["", *CATEGORIES], *([c, *row] for c, row in zip(CATEGORIES, counts, strict=True))]
        ),
    }
    for name, text in routes.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    frame = pd.DataFrame(counts, index=[str(c) for c in CATEGORIES], columns=[str(c) for c in CATEGORIES])
    frame.to_parquet(tmp_path / "index.parquet")
    frame.reset_index(drop=True).to_parquet(tmp_path / "bare.parquet")
    frame.reset_index(names="rater").to_json(tmp_path / "labelled.jsonl", orient="records", lines=True)
    frame.to_excel(tmp_path / "labelled.xlsx")
    for path in tmp_path.iterdir():
        asked = NAMED if path.name == "bare.csv" else {}
        assert km.read_ratings(path, layout="counts", **asked) == two, path.name
    assert km.from_counts(counts, **NAMED) == two
    assert km.from_counts(frame) == two


def test_names_of_folders_define_columns(tmp_path):
    """The name of a folder such as rater=zoe is a column, and a rater only if the caller names it."""
    con = duckdb.connect()
    con.register("long", pa.Table.from_pylist(typed_rows("long")))
    con.execute(f"COPY long TO '{tmp_path / 'long'}' (FORMAT parquet, PARTITION_BY (rater))")
    assert km.read_ratings(tmp_path / "long", layout="long", raters=RATERS, **NAMED) == EXPECTED
    con.register("wide", pa.Table.from_pylist([row | {"site": i % 2} for i, row in enumerate(typed_rows("wide"))]))
    con.execute(f"COPY wide TO '{tmp_path / 'wide'}' (FORMAT parquet, PARTITION_BY (site))")
    assert km.read_ratings(tmp_path / "wide", **NAMED) == EXPECTED


@pytest.mark.parametrize("route", ["folder", "parquet", "csv", "jsonl"])
def test_folders_above_the_given_path_define_no_columns(tmp_path, route):
    """Names of folders in the given path do not become columns."""
    rows = pd.DataFrame({"a": [1, 2, 2, 3, 1, 2], "b": [1, 2, 3, 3, 1, 2]})
    for above in (tmp_path / "plain", tmp_path / "json=1" / "year=2024", tmp_path / "a=1" / "rater=7"):
        above.mkdir(parents=True)
        if route == "csv":
            rows.to_csv(above / "part.csv", index=False)
        elif route == "jsonl":
            rows.to_json(above / "part.jsonl", orient="records", lines=True)
        else:
            rows.to_parquet(above / "part.parquet", index=False)
        path = above if route == "folder" else above / f"part.{route}"
        assert km.read_ratings(path) == km.from_ratings(rows), above


def test_folders_inside_the_given_folder_define_columns(tmp_path, monkeypatch):
    """Values are decoded and replace a column of the same name; names of folders above are ignored."""
    rows = pd.DataFrame({"subject": ["1", "2"], "rating": [1, 2], "rater": ["?", "?"], "file": [0, 0]})
    top = tmp_path / "rater=zoe" / "subject=9"
    for rater in ("an%20na", "b=b"):
        folder = top / f"rater={rater}" / "deep"
        folder.mkdir(parents=True)
        rows.to_parquet(folder / "part.parquet", index=False)
    expected = km.from_ratings([[1, 1], [2, 2]], raters=["an na", "b=b"])
    named = {"layout": "long", "subject": "subject", "rater": "rater", "rating": "rating"}
    assert km.read_ratings(top, **named) == expected
    monkeypatch.chdir(top)
    assert km.read_ratings(".", **named) == expected


def test_folders_that_define_different_columns_are_an_error(tmp_path):
    """Different keys for different files and repeated keys are errors."""
    for folder in (tmp_path / "mixed" / "rater=a", tmp_path / "mixed", tmp_path / "twice" / "rater=a" / "rater=b"):
        folder.mkdir(parents=True, exist_ok=True)
        pd.DataFrame({"a": [1, 2], "b": [1, 2]}).to_parquet(folder / "z.parquet", index=False)
    with pytest.raises(
        km.errors.UnreadableFileError, match="must name the same columns for every file; rater=a/z.parquet"
    ):
        km.read_ratings(tmp_path / "mixed")
    with pytest.raises(km.errors.UnreadableFileError, match="must occur once in a path; .* is in two named rater=..."):
        km.read_ratings(tmp_path / "twice")


def test_a_duckdb_relation_is_read_like_a_frame():
    """The result of a DuckDB query is read like a frame."""
    con = duckdb.connect()
    con.register("ratings", pl.DataFrame(typed_rows("wide")))
    relation = con.sql("SELECT zoe, amy, bob FROM ratings WHERE zoe IS NOT NULL")
    expected = km.from_ratings([row for row in ROWS if row[0] is not None], raters=RATERS)
    assert km.from_ratings(relation) == expected
    assert km.kappa(relation).n_subjects == expected.n_subjects
