"""`km.inspect` says what data contain, and its call reads them."""

import gzip
import io
import json
import os
import re
import sys
import zlib

import numpy as np
import pandas as pd
import pytest

import kappamax as km
from kappamax.errors import InvalidOptionError, InvalidRatingsError, UnreadableFileError
from kappamax.io import inspected_files, inspected_frames

LONG = "case,who,said\n1,ann,1\n1,bob,1\n2,ann,2\n2,bob,1\n3,ann,2\n3,bob,2\n4,ann,1\n4,bob,\n"
PEOPLE = "id,age,ann,bob\n" + "".join(
    f"p{i},{30 + i % 7},{'Yes' if i == 3 else ('yes', 'no')[i % 2]},{('yes', 'no')[i % 3 > 0]}\n" for i in range(30)
)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def written(content, name="ratings.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def roles(found):
    """Return what each column contains."""
    return {column.name: column.role for column in found.columns}


def read_by(found, ratings=None):
    """Return the table that the call of an inspection gives."""
    return eval(found.call, {"km": km, "ratings": ratings})


def test_a_clean_file_is_described_as_it_stands(write):
    """Labels and missing ratings are counted, and the call needs no options."""
    found = km.inspect(write("ann,bob\nyes,yes\nno,\nno,NA\nyes,no\nno,no\nyes,yes\nno,no\n"))
    assert roles(found) == {"ann": "ratings", "bob": "ratings"}
    assert (found.layout, found.n_rows, found.n_rows_inspected, found.n_subjects) == ("wide", 7, 7, 7)
    assert found.labels == {"no": 7, "yes": 5}
    assert found.missing == {"": 1, "NA": 1}
    assert found.preview[:2] == (("yes", "yes"), ("no", ""))
    assert len(found.preview) == 5
    assert (found.raters, found.categories, found.ordered) == (("ann", "bob"), ("no", "yes"), False)
    assert (found.refusals, dict(found.options), found.doubts) == ((), {}, ())
    assert found.verified
    assert read_by(found) == km.read_ratings(found.source)


def test_the_advice_of_a_refusal_is_followed(write):
    """A long table that is read as wide is refused, and the call names its layout and columns."""
    found = km.inspect(write(LONG))
    assert roles(found) == {"case": "subjects", "who": "raters", "said": "ratings"}
    assert [refusal.code for refusal in found.refusals] == ["long-table-read-as-wide"]
    assert found.options == {"layout": "long", "subject": "case", "rater": "who", "rating": "said"}
    assert found.labels == {1: 4, 2: 3}
    table = read_by(found)
    assert (table.n_subjects, table.n_missing) == (4, 1)


def test_several_refusals_are_followed_one_after_the_other(write):
    """A column that is no rater and a variant in case need two options."""
    found = km.inspect(write(PEOPLE))
    assert [refusal.code for refusal in found.refusals] == ["columns-that-are-not-raters", "doubtful-labels"]
    assert found.options == {"raters": ["ann", "bob"], "ignore_case": True}
    assert roles(found) == {"id": "left out", "age": "left out", "ann": "ratings", "bob": "ratings"}
    assert {column.name: column.reason for column in found.columns}["age"] == "has a name that is unusual for a rater"
    assert found.labels["Yes"] == 1
    assert any("'Yes' (1 rating)" in doubt for doubt in found.doubts)
    assert read_by(found).categories == ("no", "yes")


def test_the_options_of_the_caller_are_part_of_the_call(write):
    """The raters that the caller names are used, and labels are shown as they stand."""
    found = km.inspect(write(PEOPLE), raters=["ann", "bob"], rename={"Yes": "yes"})
    assert found.refusals == ()
    assert found.options == {"raters": ["ann", "bob"], "rename": {"Yes": "yes"}}
    assert {column.reason for column in found.columns if column.role == "ratings"} == {"was chosen"}
    assert found.doubts == ()
    assert found.labels["Yes"] == 1
    assert read_by(found).categories == ("no", "yes")


def test_options_with_their_default_values_are_not_repeated(write):
    """Options that are None, False or empty are not part of the call, but 0 skipped rows are."""
    path = write("ann,bob\nyes,yes\nno,no\n")
    found = km.inspect(path, layout=None, raters=None, missing=(), complete_only=False, rename={}, skip_rows=0)
    assert found.options == {"skip_rows": 0}
    assert found.call == f"km.read_ratings({str(path)!r}, skip_rows=0)"


def test_a_matrix_of_counts_and_its_totals_are_recognised(write):
    """The totals are left out, and the labels are those of rows and columns."""
    found = km.inspect(write(",x,y,Total\nx,10,2,12\ny,3,15,18\nTotal,13,17,30\n"))
    assert found.layout == "counts"
    assert roles(found) == {"column 1": "labels", "x": "counts", "y": "counts", "Total": "left out"}
    assert found.labels == {"x": 25, "y": 35}
    assert any("totals" in note for note in found.notes)
    assert read_by(found).n_subjects == 30


def test_patterns_with_counts_are_recognised(write):
    """The column of counts is named, and labels are counted by it."""
    found = km.inspect(write("ann,bob,n\nx,x,5\nx,y,3\ny,y,7\n"))
    assert (found.layout, roles(found)["n"]) == ("patterns", "counts")
    assert found.labels == {"x": 13, "y": 17}
    assert read_by(found).n_subjects == 15


def test_rows_in_place_of_raters_are_recognised(write):
    """The columns of a table with raters in rows are those of the transposed table."""
    header = "rater," + ",".join(f"case{i}" for i in range(20))
    found = km.inspect(write(f"{header}\nann,{','.join('ab' * 10)}\nbob,{','.join('aabb' * 5)}\n"))
    assert found.options == {"transpose": True}
    assert (found.raters, found.n_subjects) == (("ann", "bob"), 20)


def test_rows_and_columns_left_out_are_noted(write):
    """A title, a footer and an identifier are left out with notes, and the preview does not show them."""
    rows = "".join(f"p{i},{'ab'[i % 2]},{'ab'[i % 3 > 1]}\n" for i in range(9))
    found = km.inspect(write(f"Study of raters\n\nid,ann,bob\n{rows}"))
    assert any("above the table" in note for note in found.notes)
    assert any("'id'" in note for note in found.notes)
    assert found.preview[0] == ("p0", "a", "a")


def test_a_text_without_a_table_is_shown_with_the_refusal(write):
    """The first lines of a file with rows of different lengths are shown."""
    found = km.inspect(write("a,b\n1,2\n1,2,3\n"))
    assert found.preview == (("a,b",), ("1,2",), ("1,2,3",))
    assert (found.layout, found.call, found.columns, found.verified) == (None, None, (), False)
    assert found.refusals[0].code == "row-of-another-length"


def test_advice_that_does_not_lead_to_a_table_leaves_no_call(write):
    """The columns are shown with the refusals, and there is no call."""
    found = km.inspect(write(LONG), layout="long", subject="case", rater="who", rating="nosuch")
    assert found.call is None
    assert found.refusals[-1].code == "no-such-column"
    assert [column.name for column in found.columns] == ["case", "who", "said"]
    twice = km.inspect(
        write(LONG + "4,bob,2\n", "twice.csv"), layout="long", subject="case", rater="who", rating="said"
    )
    assert (twice.call, twice.refusals[-1].code) == (None, "rated-twice")
    assert twice.labels == {1: 4, 2: 4}
    assert twice.doubts == ()
    assert roles(twice) == {"case": "subjects", "who": "raters", "said": "ratings"}


def test_a_placeholder_is_not_followed(write):
    """An order of categories that only the caller knows is not part of a call."""
    path = write(",x,y\nx,10,2\ny,3,15\n")
    found = km.inspect(path, layout="counts", categories=["x", "z"])
    assert found.call is None
    assert found.refusals[-1].advice[-1].options == {"categories": ("LOW", "...", "HIGH")}


@pytest.mark.parametrize("name", ["wide.csv", "wide.csv.gz"])
def test_of_a_large_text_file_the_first_rows_are_inspected(name, write, monkeypatch):
    """Its number of rows is not known, and the call is tried on the first rows only."""
    monkeypatch.setattr(inspected_files, "_MOST_BYTES", 1_000)
    monkeypatch.setattr(inspected_files, "_BEGINNING", 5_000)
    text = "ann,bob,text\n" + "".join(f'{i % 3},{i % 2},"a ""quoted"" cell\nof two lines"\n' for i in range(2_000))
    content = text.encode()
    found = km.inspect(write(gzip.compress(content) if name.endswith("gz") else content, name), raters=["ann", "bob"])
    assert (found.n_rows, found.n_subjects, found.verified) == (None, None, False)
    assert 0 < found.n_rows_inspected < 2_000
    assert found.call.startswith("km.read_ratings(")
    assert "Only the first" in repr(found)


def test_of_a_large_parquet_file_the_rows_are_counted(tmp_path, monkeypatch):
    """The number of rows is that of the file, and the labels are those of the first rows."""
    monkeypatch.setattr(inspected_files, "_MOST_BYTES", 1_000)
    monkeypatch.setattr("kappamax.io.column_profiles.MOST_ROWS", 100)
    path = tmp_path / "ratings.parquet"
    pd.DataFrame({"ann": [1, 2] * 500, "bob": [1, 1, 2, 2] * 250}).to_parquet(path)
    found = km.inspect(path)
    assert (found.n_rows, found.n_rows_inspected, found.n_subjects, found.verified) == (1_000, 100, None, False)
    assert sum(found.labels.values()) == pytest.approx(200, abs=2)
    folder = tmp_path / "parts"
    for part in ("rater=ann", "rater=bob"):
        (folder / part).mkdir(parents=True)
        pd.DataFrame({"subject": range(9), "rating": [1, 2, 2] * 3}).to_parquet(folder / part / "part-0.parquet")
    assert roles(km.inspect(folder, layout="long")) == {"subject": "subjects", "rating": "ratings", "rater": "raters"}


def test_a_large_array_of_json_is_read_as_a_whole(write, monkeypatch):
    """The beginning of an array of JSON objects is no array."""
    monkeypatch.setattr(inspected_files, "_MOST_BYTES", 100)
    monkeypatch.setattr(inspected_files, "_BEGINNING", 200)
    rows = ", ".join(f'{{"ann": {i % 2}, "bob": {i % 3}}}' for i in range(50))
    assert km.inspect(write(f"[{rows}]", "ratings.json")).n_rows == 50


def test_standard_input_is_read_once(monkeypatch):
    """The call reads standard input again, with the options that were found."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LONG.encode())))
    found = km.inspect("-")
    assert found.source == "standard input"
    assert found.call == "km.read_ratings('-', layout='long', subject='case', rater='who', rating='said')"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_read_once(write):
    """A pipe can be inspected although it cannot be opened twice."""
    descriptor, end = os.pipe()
    os.write(end, LONG.encode())
    os.close(end)
    found = km.inspect(f"/dev/fd/{descriptor}")
    os.close(descriptor)
    assert found.options["layout"] == "long"


def test_a_frame_is_inspected_as_a_file_is():
    """A long frame and columns that are no raters are recognised."""
    frame = pd.read_csv(io.StringIO(LONG))
    found = km.inspect(frame)
    assert found.call == "km.from_ratings(ratings, layout='long', subject='case', rater='who', rating='said')"
    assert read_by(found, frame).n_subjects == 4
    assert found.preview[4] == ("3", "ann", "2.0")
    people = pd.read_csv(io.StringIO(PEOPLE.replace("Yes", "yes")))
    found = km.inspect(people)
    assert found.options == {"raters": ["ann", "bob"]}
    assert read_by(found, people).raters == ("ann", "bob")
    del people["age"]
    found = km.inspect(people)
    assert (found.options, found.refusals, roles(found)["id"]) == ({}, (), "left out")
    assert read_by(found, people).raters == ("ann", "bob")


def test_records_and_crosstabs_are_inspected():
    """A list of dicts, a dict of columns and a square pandas frame of counts have calls of their own."""
    records = [dict(zip(("case", "who", "said"), line.split(","), strict=True)) for line in LONG.splitlines()[1:]]
    found = km.inspect(records)
    assert (found.layout, found.n_rows) == ("long", 8)
    assert read_by(found, records).n_subjects == 4
    columns = {"ann": ["x", "y", "x"], "bob": ["x", "y", "y"]}
    assert read_by(km.inspect(columns), columns).n_subjects == 3
    crosstab = pd.DataFrame([[10, 2], [3, 15]], index=["x", "y"], columns=["x", "y"])
    found = km.inspect(crosstab, layout="counts", categories=["y", "x"])
    assert found.call == "km.from_counts(ratings, categories=['y', 'x'])"
    assert read_by(found, crosstab).n_subjects == 30
    assert km.inspect(crosstab, layout="counts", categories=["y"]).call is None


def test_of_a_large_or_lazy_frame_the_first_rows_are_inspected(monkeypatch):
    """The rows of a lazy frame are not counted."""
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame({"ann": ["x", "y"] * 500, "bob": ["x", "x", "y", "y"] * 250})
    found = km.inspect(frame.lazy())
    assert (found.n_rows, found.verified, found.raters) == (None, False, ("ann", "bob"))
    monkeypatch.setattr(inspected_frames, "_MOST_ROWS", 500)
    found = km.inspect(frame)
    assert (found.n_rows, found.verified) == (1_000, False)


def test_arrays_are_inspected():
    """Arrays have no names of columns, and doubtful labels are settled by the call."""
    ratings = [1, 2, 2, 9, 1, 1], [1, 2, 1, 1, 2, 9]
    found = km.inspect(*ratings)
    assert found.call == "km.from_ratings(list(zip(*ratings)), missing=[9])"
    assert (found.layout, found.n_rows, found.missing) == (None, 6, {"9": 2})
    assert read_by(found, ratings).categories == (1, 2)
    rows = np.array(ratings).T
    assert read_by(km.inspect(rows, missing=[9]), rows).n_missing == 2
    assert km.inspect(rows.tolist(), raters=["ann", "bob"], missing=[9]).columns[1].name == "bob"


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ((), "needs the name of a file, a frame, or arrays of labels; got nothing"),
        ((3,), "needs the name of a file, a frame, or arrays of labels; got int"),
        (([1, 2], 3), "arrays of labels; got int"),
        (([1, 2], [1, 2, 3]), "label arrays must have the same length; got 2, 3"),
        ((km.example("anxiety"),), "a Table has been read"),
    ],
)
def test_what_cannot_be_inspected_is_an_error(ratings, message):
    """The error says what can be inspected."""
    with pytest.raises(InvalidRatingsError, match=message):
        km.inspect(*ratings)


def test_files_with_nothing_to_show_are_errors(write, tmp_path):
    """A file that does not exist, is empty or is not text raises the error of reading it."""
    for path, message in (
        (tmp_path / "nosuch.csv", "there is no file"),
        (write("", "empty.csv"), "is empty"),
        (write(b"\x89PNG\0\1\2\3" * 9, "picture.png"), "binary file|not text"),
        (tmp_path, "folder contains none"),
    ):
        with pytest.raises(UnreadableFileError, match=message):
            km.inspect(path)


def test_options_that_cannot_be_meant_are_errors(write):
    """A wrong value, a wrong name and an option that does not apply to a frame are named."""
    path = write(LONG)
    with pytest.raises(InvalidOptionError, match="layout must be one of"):
        km.inspect(path, layout="tall")
    with pytest.raises(InvalidOptionError, match="'laiout' is not an option for reading files"):
        km.inspect(path, laiout="long")
    with pytest.raises(InvalidOptionError, match="'sheet' is not an option for reading frames and arrays"):
        km.inspect([1, 2], [1, 2], sheet="a")


def test_the_text_escapes_and_shortens_what_is_in_the_file(write):
    """Control characters, long labels and many columns leave at most 80 columns and no control character."""
    columns = [f"rater {i} with a long name" for i in range(60)]
    rows = [["x" * 200 if i % 2 else "\x1b[31mred", *["b" * 200] * 59] for i in range(6)]
    text = "\n".join(",".join(row) for row in [columns, *rows])
    shown = repr(km.inspect(write(text), raters=columns))
    body, call = shown.rsplit("\n", 1)
    assert max(map(len, body.splitlines())) <= 80
    assert call.startswith("km.read_ratings(")
    assert all(letter.isprintable() or letter == "\n" for letter in body)
    assert "... and 40 more columns: 40 ratings." in body
    assert re.search(r"\.\.\.$", body, re.MULTILINE)


def test_a_notebook_shows_the_same_text(write):
    """The HTML is the escaped text."""
    found = km.inspect(write("a<b>,b\n1,1\n2,2\n1,2\n"))
    assert "a&lt;b&gt;" in found._repr_html_()
    assert "<b>" not in found._repr_html_()


def test_the_conditions_of_advice_that_was_followed_are_said(write):
    """The text says under which condition the options apply, and which others there are."""
    found = km.inspect(write("yes,no\nyes,yes\nno,no\nyes,no\nno,no\nyes,yes\n"))
    assert found.options == {"no_header": True}
    assert "The options below apply if the first row is data." in repr(found).replace("\n  ", " ")
    assert "pass raters=['yes', 'no']" in repr(found).replace("\n  ", " ")


def test_an_inspection_is_plain_data(write):
    """`to_dict` contains only what JSON can hold."""
    plain = km.inspect(write(PEOPLE)).to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["refusals"][0]["advice"][-1]["options"] == {"raters": ["ann", "bob"]}


def test_damaged_compressed_text_is_inspected_without_its_lines(tmp_path):
    """The decompressor raises an error of its own, which is not one of the system."""
    packed = bytearray(gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i % 3, i % 2) for i in range(500)), mtime=0))
    found = 0
    for place in range(12, len(packed) - 8):
        damaged = bytes(packed[:place]) + bytes([packed[place] ^ 0xFF]) + bytes(packed[place + 1 :])
        try:
            gzip.decompress(damaged)
        except zlib.error:
            found += 1
            (tmp_path / "ratings.csv.gz").write_bytes(damaged)
            with pytest.raises(km.errors.UnreadableFileError, match="cannot be read: Error -3"):
                km.inspect(tmp_path / "ratings.csv.gz")
        except (OSError, EOFError):
            continue
        if found == 3:
            return
    raise AssertionError("no damage made the decompressor fail")
