"""JSON is read in every form in which people write tables, and refused with the reason otherwise."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kappamax as km
from kappamax.io.file_formats import open_file
from kappamax.io.files import table_of_source
from kappamax.io.read_spec import ReadSpec

ROWS = [
    {"anna": "x", "ben": "x"},
    {"anna": "y", "ben": "x"},
    {"anna": None, "ben": "y"},
    {"anna": "y", "ben": "y"},
]
LABELS = [[None, "y"], ["x", "x"], ["y", "x"], ["y", "y"]]
FRAME = pd.DataFrame(ROWS)


@pytest.fixture
def write(tmp_path):
    def write(content, name="ratings.json"):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def read(path, **options):
    spec = ReadSpec(**options)
    with open_file(path, spec) as source:
        return table_of_source(source, spec), list(source.notes)


FORMS = {
    "array": json.dumps(ROWS),
    "indented array": json.dumps(ROWS, indent=1),
    "lines": "".join(json.dumps(row) + "\n" for row in ROWS),
    "lines with blanks": "\n\n".join(json.dumps(row) for row in ROWS),
    "objects over several lines": "\n".join(json.dumps(row, indent=1) for row in ROWS),
    "one list per column": json.dumps({key: [row[key] for row in ROWS] for key in ("anna", "ben")}),
    "indented lists": json.dumps({key: [row[key] for row in ROWS] for key in ("anna", "ben")}, indent=2),
    "pandas columns": FRAME.to_json(),
    "pandas records": FRAME.to_json(orient="records"),
    "pandas lines": FRAME.to_json(orient="records", lines=True),
    "pandas index": FRAME.to_json(orient="index"),
    "pandas split": FRAME.to_json(orient="split"),
    "pandas table": FRAME.to_json(orient="table"),
    "polars": pl.DataFrame(ROWS).write_json(),
    "a list under one key": json.dumps({"version": 2, "data": ROWS}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_table(form, write):
    """The forms include all orientations of pandas in which columns have names."""
    table, notes = read(write(FORMS[form]))
    assert table.labels() == LABELS
    assert table.raters == ("anna", "ben")
    assert notes == (["The rows are the objects in 'data'."] if form == "a list under one key" else [])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("form", ["array", "lines", "one list per column"])
def test_a_byte_order_mark_is_understood(form, encoding, tmp_path):
    """Some programs write one."""
    path = tmp_path / "ratings.json"
    path.write_bytes(FORMS[form].replace("x", "é").encode(encoding))
    assert km.read_ratings(path).categories == ("y", "é")


def test_a_long_line_is_read(write):
    """A file without line breaks may be of any length."""
    rows = [{"anna": "x" if i % 3 else "y", "ben": "x", "note": "n" * 100} for i in range(20_000)]
    assert km.read_ratings(write(rows), raters=["anna", "ben"]).n_subjects == 20_000


def test_an_object_of_objects_needs_the_raters_if_its_keys_do_not_tell(write):
    """Following either advice gives the ratings of those raters."""
    by_item = {
        "item1": {"anna": "x", "ben": "y"},
        "item2": {"anna": "x", "ben": "x"},
        "item3": {"anna": "y", "ben": "y"},
    }
    path = write(by_item)
    with pytest.raises(
        km.errors.InvalidRatingsError, match=r"outer keys \('item1', 'item2', 'item3'\) or the inner"
    ) as caught:
        read(path)
    assert caught.value.code == "object-of-objects"
    assert [advice.options for advice in caught.value.advice] == [
        {"raters": ["item1", "item2", "item3"]},
        {"raters": ["anna", "ben"]},
    ]
    assert read(path, **caught.value.advice[-1].options)[0].labels() == [["x", "x"], ["x", "y"], ["y", "y"]]
    assert read(path, **caught.value.advice[0].options)[0].labels() == [["x", "x", "y"], ["y", "x", "y"]]
    by_rater = {rater: {item: by_item[item][rater] for item in by_item} for rater in ("anna", "ben")}
    assert read(write(by_rater), raters=["anna", "ben"])[0].labels() == [["x", "x"], ["x", "y"], ["y", "y"]]


@pytest.mark.parametrize("by_line", [False, True])
def test_lists_without_names_are_read_like_rows_of_text(by_line, tmp_path, write):
    """The first list names the columns; if it holds ratings, the advice reads it as data."""
    rows = [["x", "y"], ["x", "x"], ["y", "y"], [None, "y"], ["y", "x"], ["x", "x"]]
    bare = write("".join(f"{json.dumps(row)}\n" for row in rows) if by_line else rows)
    with pytest.raises(km.errors.InvalidRatingsError, match="first row .* must name the columns") as caught:
        km.read_ratings(bare)
    table = km.read_ratings(bare, **caught.value.advice[-1].options)
    assert table == km.from_ratings(rows, raters=["column 1", "column 2"])
    named = write([["anna", "ben"], *rows])
    assert km.read_ratings(named) == km.from_ratings(rows, raters=["anna", "ben"])


@pytest.mark.parametrize(
    ("content", "code", "message"),
    [
        (
            [["x", ["y"]], ["x", "x"]],
            "list-of-lists",
            "is a list of lists that hold further lists or objects.*Write a list of objects",
        ),
        (["x", "y"], "list-of-lists", "is a list of texts"),
        ([], "unreadable-file", "is an empty JSON array"),
        ({"a": ["x", "y"], "b": ["x"]}, "unreadable-file", "must have the same length; 'a' has 2, 'b' has 1"),
        (
            {"columns": ["a", "b"], "data": [["x", "y"], ["x"]]},
            "unreadable-file",
            "each of the 2 columns; list 2 has 1",
        ),
        ('{"a": ["x", "y"]', "unreadable-file", "is not valid JSON"),
        ('[{"a": "x"}, {"a": ]', "unreadable-file", "Malformed JSON"),
        ('{"a": "x"}\n["x"]\n', "unreadable-file", "every line must be a JSON object; 1 lines are not"),
        ('{"a": "x", "a": "y"}\n{"a": "x"}\n', "unreadable-file", "1 objects have a key twice"),
        ('{"a": ["x"], "b": ["x"], "a": ["y"]}', "unreadable-file", "json: the keys .* must differ; 'a' occurs twice"),
        ("{}\n{}\n", "unreadable-file", "have no keys"),
        (b'{"a": "\xe9"}', "unreadable-file", "is not utf-8 text: line 1"),
    ],
)
def test_other_json_is_refused_with_the_reason(content, code, message, tmp_path, write):
    """The error says what is wrong or what to write instead."""
    if isinstance(content, bytes):
        path = tmp_path / "ratings.json"
        path.write_bytes(content)
    else:
        path = write(content)
    with pytest.raises(km.errors.InputError, match=message) as caught:
        km.read_ratings(path)
    assert caught.value.code == code


def test_a_single_object_must_not_be_larger_than_its_limit(write, monkeypatch):
    """Lines and arrays have no limit, since their objects are read one by one."""
    monkeypatch.setattr("kappamax.io.json_files._LARGEST_DOCUMENT", 50)
    with pytest.raises(
        km.errors.UnreadableFileError, match="single JSON object can have at most.*one object per line"
    ) as caught:
        km.read_ratings(write(FORMS["one list per column"]))
    assert caught.value.code == "json-too-large"
    assert km.read_ratings(write(FORMS["array"])).labels() == LABELS


@pytest.mark.parametrize(
    ("content", "paths"),
    [
        ([{"id": 1, "by": [{"who": "anna", "label": "x"}, {"who": "ben", "label": "y"}]}], ["by[].label"]),
        (
            {"project": "p", "data": {"items": [{"text": "t", "label": "x"}, {"text": "u", "label": "x"}]}},
            ["data.items[].label"],
        ),
        (
            {"data": [{"id": i, "judgements": {"anna": {"grade": i % 2}, "ben": {"grade": 0}}} for i in range(9)]},
            ["data[].judgements.anna.grade", "data[].judgements.ben.grade"],
        ),
    ],
)
def test_nested_json_is_refused_with_the_paths_that_may_hold_the_labels(content, paths, write):
    """The error also names the exports that are read."""
    words = "are lists or objects; labels may be at .*exports of Label Studio, Prodigy, doccano and Argilla"
    with pytest.raises(km.errors.InvalidRatingsError, match=words) as caught:
        km.read_ratings(write(content))
    assert caught.value.code == "nested-json"
    assert caught.value.fields["paths"] == paths


def test_columns_of_lists_and_objects_are_left_out_if_others_are_the_ratings(write):
    """The note names them; the caller may also choose the raters."""
    rows = [{**row, "tokens": ["a", "b"], "meta": {"source": "mail"}} for row in ROWS]
    table, notes = read(write(rows))
    assert table.labels() == LABELS
    assert notes == ["Left out, since a label is neither a list nor an object: 'tokens', 'meta'."]
    assert read(write(rows), raters=["anna", "ben"])[0].labels() == LABELS
    with pytest.raises(
        km.errors.InvalidRatingsError, match="an entry of column 'tokens' is a list of 2 labels"
    ) as caught:
        read(write(rows), raters=["anna", "tokens"])
    assert caught.value.code == "several-labels"


def test_lists_and_objects_beside_the_columns_of_a_long_table_are_left_out(write):
    """A column called label is enough, and a list of options that is always the same is no rating."""
    options = {"options": ["x", "y"], "meta": {"source": "x"}}
    long = [{"item": i, "who": who, "label": "xy"[i % 2], **options} for i in range(4) for who in ("anna", "ben")]
    table, notes = read(write(long), subject="item", rater="who", rating="label")
    assert table.labels() == [["x", "x"], ["y", "y"]]
    with open_file(write(long), ReadSpec()) as source:
        assert source.columns == ["item", "who", "label"]
        assert list(source.notes) == notes
    assert read(write([{**row, **options} for row in ROWS]))[0].labels() == LABELS


def test_columns_of_lists_that_share_labels_with_the_ratings_are_refused(write, tmp_path):
    """They are ratings with several labels, in JSON as in Parquet."""
    rows = [{**row, "cleo": ["x", "y"][: 1 + i % 2]} for i, row in enumerate(ROWS)]
    parquet = tmp_path / "ratings.parquet"
    pl.DataFrame(rows).write_parquet(parquet)
    for path in (write(rows), parquet):
        with pytest.raises(km.errors.InvalidRatingsError, match="'cleo' in .* is a list of 2 labels: 'x', 'y'"):
            read(path)


def test_lists_of_one_label_are_labels(write, tmp_path):
    """An empty list is a missing rating; truth values are labels too."""
    rows = [{"anna": ["x"], "ben": "x"}, {"anna": [], "ben": ["y"]}, {"anna": [True], "ben": [None]}]
    note = "Lists of one label were read as that label: 'anna', 'ben'."
    table, notes = read(write(rows))
    assert table.labels() == [[None, "y"], ["True", None], ["x", "x"]]
    assert notes == [note]
    parquet = tmp_path / "ratings.parquet"
    pl.DataFrame({"anna": [["x"], [], ["y"]], "ben": [["x"], ["y"], ["x"]]}).write_parquet(parquet)
    table, notes = read(parquet)
    assert table.labels() == [[None, "y"], ["x", "x"], ["y", "x"]]
    assert notes == [note]
    long = [{"subject": i, "rater": rater, "rating": ["x"]} for i in range(3) for rater in ("anna", "ben")]
    assert read(write(long), layout="long")[0].labels() == [["x", "x"]]


def test_spans_and_objects_in_parquet_are_refused(tmp_path):
    """They cannot be compared as labels."""
    path = tmp_path / "ratings.parquet"
    spans = [[{"start": 0, "end": 2, "label": "x"}], []]
    pl.DataFrame({"anna": spans, "ben": spans}).write_parquet(path)
    with pytest.raises(
        km.errors.InvalidRatingsError, match="values of anna, ben are lists or objects; labels may be at"
    ):
        km.read_ratings(path)
    with pytest.raises(km.errors.InvalidRatingsError, match="column 'anna' is a list of spans") as caught:
        km.read_ratings(path, raters=["anna", "ben"])
    assert caught.value.code == "spans-as-labels"


def test_text_that_begins_with_a_bracket_is_not_json(write):
    """Names of columns may be in brackets."""
    assert km.read_ratings(write("[anna],[ben]\nx,x\ny,x\n", "a.csv")).raters == ("[anna]", "[ben]")
    assert km.read_ratings(write("{anna},{ben}\nx,x\ny,x\n", "a.csv")).raters == ("{anna}", "{ben}")


def test_numbers_keep_their_order_in_every_form(write):
    """Grades from 1 to 3 are ordered categories."""
    rows = [{"anna": int(a), "ben": float(b)} for a, b in np.array([[1, 2], [3, 3], [2, 1]])]
    for content in (rows, {key: [row[key] for row in rows] for key in rows[0]}):
        table = km.read_ratings(write(content))
        assert table.categories == (1, 2, 3)
        assert table.ordered


@pytest.mark.parametrize("form", ["lines", "array", "columns"])
def test_objects_with_too_many_keys_are_refused(tmp_path, form):
    """The limit is checked before a query about every key is made."""
    rows = [{f"k{i}": (i + j) % 3 for i in range(1001)} for j in range(3)]
    whole = {key: [row[key] for row in rows] for key in rows[0]} if form == "columns" else rows
    path = tmp_path / "ratings.json"
    path.write_text("\n".join(map(json.dumps, rows)) if form == "lines" else json.dumps(whole), encoding="utf-8")
    with pytest.raises(km.errors.UnreadableFileError, match="at most 1,000 columns; .*json has 1,001. Use layout long"):
        km.read_ratings(path)
