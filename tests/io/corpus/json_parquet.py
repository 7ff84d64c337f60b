"""The same problems in JSON, Parquet and Feather files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pyarrow.feather
import pyarrow.parquet

from tests.io.corpus.case import Case, Ratings, careless, draw
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.writers import Writer, beside, json_array, json_lines

GRADES = ["mild", "moderate", "severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    for kind in ("jsonl", "json", "parquet", "feather"):
        yield from _in_every_format(kind)
    yield from _other_json()
    yield from _other_parquet()


def _in_every_format(kind: str) -> Iterator[Case]:
    """Problems that do not depend on the format, one file each."""
    seed = 1900 + 20 * ("jsonl", "json", "parquet", "feather").index(kind)

    def case(name: str, header: Sequence[str], rows: Sequence[Sequence[Any]], ratings: Ratings, **facts: Any) -> Case:
        facts.setdefault("wrong", careless(rows))
        return Case(f"{name}.{kind}", writer_of(kind, header, rows), ratings, **facts)

    words, numbers = draw(seed, GRADES, n=36), draw(seed + 1, [1, 2, 3, 4, 5], n=36, raters=3)
    yield case("identifier", ["id", "A", "B", "C"], beside(range(1, 37), numbers), numbers, note="id")
    texts = [f"the {i}th sentence of the text" for i in range(36)]
    yield case("text", ["text", "A", "B"], beside(texts, words), words)
    ages, sexes = [30 + 11 * i % 50 for i in range(36)], ["mf"[i * 7 % 2] for i in range(36)]
    yield case("age", ["age", "A", "B", "C"], beside(ages, numbers), numbers)
    yield case("about", ["patient", "sex", "age", "A", "B"], beside(range(1, 37), sexes, ages, words), words)
    agreed = [a if a == b else "moderate" for a, b in words]
    yield case("consensus", ["A", "B", "consensus"], beside(words, agreed), words)
    long = long_rows(numbers, range(1, 37), ["ann", "bob", "eve"])
    yield case("long", ["item", "annotator", "label"], long, numbers)
    named = long_rows(words, [f"d{i}" for i in range(36)], ["KM", "TR"])
    yield case("long-words", ["doc", "who", "what"], named, words)
    missing = draw(seed + 2, [1, 2, 3, 4], n=50, raters=3, missing=0.1)
    codes = [[99 if label is None else label for label in row] for row in missing]
    yield case("code", ["A", "B", "C"], codes, missing)
    gaps = draw(seed + 3, GRADES, n=50, raters=3, missing=0.1)
    tokens = [["n/a" if label is None else label for label in row] for row in gaps]
    yield case("token", ["A", "B", "C"], tokens, gaps)
    yield case("null", ["id", "A", "B", "C"], beside(range(1, 51), missing), missing)
    capitals = [[a, b.capitalize()] for a, b in words]
    yield case("capitals", ["A", "B"], capitals, words)
    spaces = [[a, b + " "] for a, b in words]
    yield case("spaces", ["A", "B"], spaces, words)
    slips = draw(seed + 4, ["benign", "malignant"], n=100)
    rows = [list(row) for row in slips]
    place = next(i for i, row in enumerate(rows) if row[0] == "malignant")
    rows[place][0] = "malignent"
    yield case("slip", ["A", "B"], rows, slips)
    mixed = [[a, str(b), str(c)] for a, b, c in numbers]
    yield case("numbers-as-text", ["A", "B", "C"], mixed, numbers, wrong=None)
    patterns = sorted({row: words.count(row) for row in words}.items())
    yield case("patterns", ["A", "B", "n"], [[*pattern, n] for pattern, n in patterns], words)
    booleans = draw(seed + 5, [True, False], n=36)
    yield case("booleans", ["uid", "A", "B"], beside([f"u{i}" for i in range(36)], booleans), booleans)


def _other_json() -> Iterator[Case]:
    ratings = draw(1990, ["pos", "neg", "neu"], n=30, raters=3, missing=0.1)
    names = ["ann", "bob", "eve"]
    sparse = [{name: label for name, label in zip(names, row, strict=True) if label is not None} for row in ratings]
    yield Case("sparse.jsonl", json_lines(sparse), ratings)
    yield Case("sparse-and-id.jsonl", json_lines([{"id": i, **one} for i, one in enumerate(sparse)]), ratings)
    complete = draw(1991, ["pos", "neg", "neu"], n=30)
    columns = {name: [row[a] for row in complete] for a, name in enumerate(["ann", "bob"])}
    yield Case("dict-of-lists.json", json_array(columns), complete)
    yield Case("dict-of-lists-and-id.json", json_array({"id": list(range(30)), **columns}), complete)
    frame = pandas.DataFrame(columns)
    for orient in ("columns", "split", "table"):
        yield Case(f"pandas-{orient}.json", lambda path, o=orient: frame.to_json(path, orient=o), complete)
    records = [
        {"doc": i, "rater": name, "label": label, "meta": {"tool": "x", "seconds": i % 7}}
        for i, row in enumerate(complete)
        for name, label in zip(["ann", "bob"], row, strict=True)
    ]
    yield Case("long-with-object.jsonl", json_lines(records), complete)
    numbered = [{"A": a, "B": b, "id": i} for i, (a, b) in enumerate(complete)]
    yield Case("one-line.json", json_array(numbered, indent=None), complete)
    yield Case("wrapped.json", json_array({"data": [{"ann": a, "bob": b} for a, b in complete]}), complete)
    by_subject = {f"doc{i}": {"ann": a, "bob": b} for i, (a, b) in enumerate(complete)}
    yield Case("dict-by-subject.json", json_array(by_subject), complete)
    by_rater = {name: {f"doc{i}": row[a] for i, row in enumerate(complete)} for a, name in enumerate(["ann", "bob"])}
    yield Case("dict-by-rater.json", json_array(by_rater), complete)
    numbers = draw(1992, [1.0, 2.0, 3.0], n=40, missing=0.1)
    records = [{"id": i, "A": a, "B": b} for i, (a, b) in enumerate(numbers)]
    nan = [{key: math.nan if value is None else value for key, value in record.items()} for record in records]
    yield Case("nan.jsonl", json_lines(nan), numbers)
    yield Case("nan.json", json_array(nan), numbers)


def _other_parquet() -> Iterator[Case]:
    ratings = draw(1995, [1, 2, 3, 4], n=40, raters=3, missing=0.1)
    frame = pandas.DataFrame(ratings, columns=["A", "B", "C"], dtype="float")
    yield Case("floats.parquet", frame.to_parquet, ratings)
    yield Case("nullable.parquet", frame.astype("Int64").to_parquet, ratings)
    mixed = frame.assign(A=frame["A"].astype("Int64"))
    yield Case("floats-and-integers.parquet", mixed.to_parquet, ratings)
    named = frame.set_index(pandas.Index([f"P{i}" for i in range(40)], name="patient"))
    yield Case("index.parquet", named.to_parquet, ratings)
    reset = frame.reset_index()
    yield Case("reset-index.parquet", reset.to_parquet, ratings, wrong=careless(reset.astype(str).values.tolist()))
    filtered = frame.iloc[::2]
    yield Case("filtered.parquet", filtered.to_parquet, ratings[::2])
    words = draw(1996, GRADES, n=40)
    category = pandas.DataFrame(words, columns=["A", "B"], dtype="category")
    yield Case("category.parquet", category.to_parquet, words)
    days = pandas.date_range("2023-01-01", periods=40)
    dated = pandas.DataFrame(words, columns=["A", "B"]).assign(day=days)
    yield Case("days.parquet", dated.to_parquet, words)
    crosstab = pandas.crosstab(category["A"].astype(str), category["B"].astype(str))
    yield Case("crosstab.parquet", crosstab.to_parquet, words)


def writer_of(kind: str, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Writer:
    """Return a writer of rows as JSON lines, as a JSON array, or as a Parquet or Feather file."""
    records = [dict(zip(header, row, strict=True)) for row in rows]
    if kind == "jsonl":
        return json_lines(records)
    if kind == "json":
        return json_array(records)
    table = pyarrow.table({name: [record[name] for record in records] for name in header})

    def write(path: Path) -> None:
        if kind == "parquet":
            pyarrow.parquet.write_table(table, path)
        else:
            pyarrow.feather.write_feather(table, path)

    return write
