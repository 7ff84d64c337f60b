"""Text files are read in every layout, and broken files raise errors."""

import csv
import gzip
import io
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax.io import text_files

EXPECTED = km.Table([[0, 0], [0, 1], [1, 1], [2, -1]], [2, 1, 1, 1], ["no", "yes", "maybe"], ["a", "b"], ordered=True)
ORDER = ["no", "yes", "maybe"]

WIDE = "a,b\nno,no\nno,yes\nyes,yes\nno,no\nmaybe,\n"
LONG = "subject,rater,rating\n1,a,no\n1,b,no\n2,a,no\n2,b,yes\n3,b,yes\n3,a,yes\n4,a,no\n4,b,no\n5,a,maybe\n"
PATTERNS = "a,b,count\nno,no,2\nno,yes,1\nyes,yes,1\nmaybe,,1\n"


@pytest.fixture
def write(tmp_path):
    def write(content, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(("layout", "content"), [("wide", WIDE), ("long", LONG), ("patterns", PATTERNS)])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_layout_gives_the_same_table(write, layout, content, delimiter, newline):
    """Delimiters and line ends do not change the table."""
    path = write(content.replace(",", delimiter).replace("\n", newline))
    assert km.read_ratings(path, layout=layout, categories=ORDER) == EXPECTED


def test_byte_order_mark_quotes_and_commas(write):
    """Quoted cells, as spreadsheets write them, are read."""
    path = write(b'\xef\xbb\xbf"a","b"\n"x, y","z ""q"""\n"x, y","x, y"\n')
    t = km.read_ratings(path)
    assert t.raters == ("a", "b")
    assert t.categories == ("x, y", 'z "q"')


def test_long_keeps_the_files_order_of_raters(write):
    """Raters are in the order of the file, or in the order that the caller gives."""
    path = write("Subject,Rater,Rating\n1,zoe,1\n1,amy,2\n2,bob,1\n2,zoe,1\n")
    assert km.read_ratings(path, layout="long").raters == ("zoe", "amy", "bob")
    assert km.read_ratings(path, layout="long", raters=["amy", "zoe"]).raters == ("amy", "zoe")
    quoted = write("subject,rater,rating\n1,o'neil,1\n1,amy,2\n2,o'neil,1\n2,amy,1\n")
    assert km.read_ratings(quoted, layout="long").raters == ("o'neil", "amy")


def test_counts_with_and_without_labels(write):
    """A number in the corner means no labels; categories are then 1 to k."""
    bare = km.read_ratings(write("5,1\n2,7\n"), layout="counts")
    assert bare == km.from_counts([[5, 1], [2, 7]])
    for corner in ("", "rater", "NA"):
        labelled = km.read_ratings(write(f"{corner},no,yes\nno,5,1\nyes,2,7\n"), layout="counts", raters=["A", "B"])
        assert not labelled.ordered
        assert labelled.dense().tolist() == [[5, 1], [2, 7]]
        assert (labelled.categories, labelled.raters) == (("no", "yes"), ("A", "B"))
    named = km.read_ratings(write("5,1\n2,7\n"), layout="counts", categories=["no", "yes"])
    assert named == km.from_counts([[5, 1], [2, 7]], categories=["no", "yes"])


def test_patterns_with_other_names_and_large_counts(write):
    """The counts are in a column called n or in the last one, and equal patterns are added."""
    assert km.read_ratings(write("n,a,b\n2,1,1\n3,1,2\n4,1,1\n"), layout="patterns").counts.tolist() == [6, 3]
    large = km.read_ratings(write("a,b,times\n1,1,1000000000000\n2,1,1\n"), layout="patterns")
    assert large.n_subjects == 10**12 + 1


def test_counts_that_add_up_to_too_many_subjects(write):
    """Equal rows are grouped first, so their counts add up beyond 64 bits before there is a table."""
    path = write("a,b,count\n" + "1,1,4000000000000000000\n" * 8)
    with pytest.raises(km.errors.InvalidTableError, match=r"counts must add up to less than 2\^62; got 3.2e\+19"):
        km.read_ratings(path, layout="patterns")


def test_columns_are_chosen_by_name(write):
    """An identifier is not a rater, which a note says."""
    rows = "".join(f"{i},{i % 3},{i % 2}\n" for i in range(300))
    path = write("id,a,b\n" + rows)
    assert km.read_ratings(path, raters=["b", "a"]).raters == ("b", "a")
    found = km.read_ratings(path)
    assert found.raters == ("a", "b")
    assert found.reading.columns_left_out == {"id": "has a different value in (nearly) every row"}
    assert "Column 'id' was left out, since it has a different value in (nearly) every row." in found.reading.notes


def test_numbers_as_text_sort_as_numbers(write):
    """All cells are read as text, but 10 comes after 9."""
    path = write("a,b\n" + "".join(f"{i},{i}.0\n" for i in range(1, 11)))
    assert km.read_ratings(path).categories == tuple(range(1, 11))


BROKEN = [
    ("wide", "", "is empty"),
    ("wide", "\n\n\n", "is empty"),
    ("wide", "a,b\n", "no row after the header"),
    ("wide", "a,b\n1,2\n1,2,3\n1,1\n", "line 3: every row must have 2 columns, as the first row has; got 3"),
    ("wide", "a,b\n1,2\n1\n", "line 3: every row must have 2 columns, as the first row has; got 1"),
    ("wide", "a\n1\n", "at least two raters; .* has the columns 'a'"),
    ("wide", b"a,b\n\x00\x01\x02\n", "is a binary file"),
    ("wide", 'a,b\n"x,1\n', "quotation mark is not closed"),
    ("wide", "a,b\nNA,NA\n", "column 'a' has no values; column 'b' has no values"),
    ("wide", "a,b\n1,\n2,\n", "column 'b' has no values"),
    ("wide", "a,b\nx,1\n", r"'x' \(1 rating\) is not among the categories 1, 2; the first is by rater 'a', line 2"),
    ("long", "a,b\n1,2\n", "needs the columns subject, rater and rating; 'subject', 'rater', 'rating' are missing"),
    ("long", "subject,rater,rating\n1,a,1\n1,a,2\n1,b,2\n", "'a' rated '1' more than once, in lines 2 and 3"),
    ("long", "subject,rater,rating\n1,a,1\n2,a,2\n", "at least two raters; got 1 of the raters 'a'"),
    ("long", "subject,rater,rating\n", "no row after the header"),
    ("counts", "1,2\n3,4\n5,6\n", "must be square; .* has 3 rows and 2 columns"),
    ("counts", "1,2\n3,-4\n", "whole numbers >= 0; row 2, column 2 is '-4'"),
    ("counts", "1,2\n3,4.5\n", "whole numbers >= 0; row 2, column 2 is '4.5'"),
    ("counts", ",a,b\nc,1,2\nd,3,4\n", "same labels on rows and columns; rows are 'c', 'd' and columns 'a', 'b'"),
    ("counts", ",a,b,\na,1,2,3\nb,3,4,9\nc,1,2,1\n", "column 4 has no name"),
    ("counts", "0,0\n0,0\n", "every cell is zero"),
    ("patterns", "a,b,count\n1,1,x\n", "column 'count', line 2 is 'x'"),
    ("patterns", "a,b,count\n1,1,1\n1,2,-3\n", "column 'count', line 3 is '-3'"),
    ("patterns", "a,b,count\n1,1,0\n", "every count is zero"),
    ("patterns", "a,count\n1,1\n", "at least two raters; got 1 of the columns"),
]


@pytest.mark.parametrize(("layout", "content", "message"), BROKEN)
def test_broken_files(write, layout, content, message):
    """The error names the file, the line and the rule."""
    categories = [1, 2] if "x,1" in str(content) and layout == "wide" else None
    with pytest.raises(km.errors.InputError, match=message) as caught:
        km.read_ratings(write(content), layout=layout, categories=categories)
    assert "\n" not in str(caught.value)


def test_missing_files_are_errors(tmp_path):
    """A missing file, a folder and an unknown layout are errors."""
    with pytest.raises(km.errors.UnreadableFileError, match="there is no file"):
        km.read_ratings(tmp_path / "nothing.csv")
    with pytest.raises(km.errors.UnreadableFileError, match="a folder with Parquet files; the folder contains none"):
        km.read_ratings(tmp_path)
    with pytest.raises(
        km.errors.InvalidOptionError, match="layout must be one of 'wide', 'long', 'counts', 'patterns'"
    ):
        km.read_ratings(tmp_path / "x", layout="tall")


def test_unknown_raters_are_errors(write):
    """The error suggests the nearest name."""
    with pytest.raises(km.errors.InvalidRatingsError, match="no column 'rater_1'.*Did you mean 'rater1'"):
        km.read_ratings(write("rater1,rater2\n1,2\n"), raters=["rater_1", "rater2"])
    with pytest.raises(km.errors.InvalidRatingsError, match="no rater 'zoo'.*Did you mean 'zoe'"):
        km.read_ratings(write("subject,rater,rating\n1,zoe,1\n1,amy,1\n"), layout="long", raters=["zoo", "amy"])


def test_labelled_counts_have_their_own_order(write):
    """Text has no order, and categories that the caller gives rearrange the matrix."""
    path = write(",a,b\na,1,2\nb,3,4\n")
    assert not km.read_ratings(path, layout="counts").ordered
    turned = km.read_ratings(path, layout="counts", categories=["b", "a", "c"])
    assert (turned.categories, turned.ordered) == (("b", "a", "c"), True)
    assert turned.dense().tolist() == [[4, 3, 0], [2, 1, 0], [0, 0, 0]]
    with pytest.raises(km.errors.InvalidOptionError, match="categories must name all labels .* 'a', 'b'; 'b' is not"):
        km.read_ratings(path, layout="counts", categories=["a", "c"])


def test_special_characters_in_file_names_match_only_themselves(tmp_path):
    """Brackets and stars in a name do not match other files, and folders named key=value add no column."""
    (tmp_path / "d1.csv").write_text("a,b\n9,9\n8,8\n", encoding="utf-8")
    for name in ("d[1].csv", "d*.csv", "d?.csv"):
        (tmp_path / name).write_text("a,b\n1,2\n2,2\n", encoding="utf-8")
        assert km.read_ratings(tmp_path / name).categories == (1, 2)
    folder = tmp_path / "year=2020"
    folder.mkdir()
    (folder / "t.csv").write_text("5,1\n2,7\n", encoding="utf-8")
    assert km.read_ratings(folder / "t.csv", layout="counts").n_subjects == 15


def test_pipes_can_be_read(tmp_path):
    """A named pipe is read like a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    rows = "a,b\n" + "1,2\n2,2\n" * 50_000
    writer = threading.Thread(target=lambda: pipe.write_text(rows, encoding="utf-8"))
    writer.start()
    assert km.read_ratings(pipe).n_subjects == 100_000
    writer.join()


def test_compressed_and_spaced_files(tmp_path, write):
    """Gzip is recognised by its content, and blank lines before the header are skipped."""
    packed = tmp_path / "ratings.csv.gz"
    packed.write_bytes(gzip.compress(WIDE.encode()))
    assert km.read_ratings(packed, categories=ORDER) == EXPECTED
    assert km.read_ratings(write("\n\n" + WIDE.replace("a,b", " a , b ")), categories=ORDER) == EXPECTED
    packed.write_bytes(gzip.compress(WIDE.encode())[:20])
    with pytest.raises(km.errors.UnreadableFileError, match="cannot be read"):
        km.read_ratings(packed)


def test_the_delimiter_is_the_one_that_splits_rows_evenly(write):
    """Commas inside names are not taken for delimiters if tabs separate the columns."""
    t = km.read_ratings(write("Smith, J\tDoe, K\n1\t2\n2\t2\n"))
    assert t.raters == ("Smith, J", "Doe, K")


MISTAKEN = [
    ("wide", "subject,rater,rating\n1,a,1\n1,b,1\n", "has one row per rating.*Pass layout='long', subject='subject'"),
    ("wide", "a,b,count\n1,1,5\n1,2,3\n", "looks like the number of subjects.*Pass layout='patterns', count='count'"),
    ("wide", ",x,y\nx,1,2\ny,3,4\n", "looks like a matrix of counts.*Pass layout='counts'"),
    (
        "wide",
        "1,2\n2,2\n1,1\n",
        "the first row of .* must name the columns, but its cells also occur as ratings: '1', '2'",
    ),
    ("counts", ",x,y,Total\nx,5,1,6\ny,2,7,9\nTotal,7,9,15\n", "the last row .* is called a total, but its numbers"),
    ("counts", "1,1000000000000000000000\n1,1\n", r"counts must be below 2\^62; row 1, column 2"),
    ("patterns", "a,b,n,count\n1,1,1,5\n", None),
    ("long", "subject,rater,rating\n1,,1\n1,b,1\n", "every row must name a subject and a rater; 1 rows do not"),
    ("long", "subject,Subject,rater,rating\n1,1,a,1\n", "needs exactly one column subject; got 'subject', 'Subject'"),
    ("wide", '"a,b\n' + "x,1\n" * 40_000, "a cell is longer than 131,072 characters"),
]


@pytest.mark.parametrize(("layout", "content", "message"), MISTAKEN)
def test_files_in_the_wrong_layout_are_errors(write, layout, content, message):
    """A file that would give a wrong answer in this layout raises an error that says what to do."""
    if message is None:
        assert km.read_ratings(write(content), layout=layout).counts.tolist() == [5]
        return
    with pytest.raises(km.errors.InputError, match=message) as caught:
        km.read_ratings(write(content), layout=layout)
    assert "\n" not in str(caught.value)


def test_nul_bytes_late_in_a_file_are_an_error(write):
    """A binary file is recognised even if it begins like text."""
    with pytest.raises(km.errors.UnreadableFileError, match="is a binary file"):
        km.read_ratings(write(b"a,b\n" + b"1,2\n" * 300_000 + b"\x00\x01,2\n"))


def test_raters_named_by_numbers_can_be_chosen(write):
    """A header of numbers is accepted if the caller names its columns."""
    assert km.read_ratings(write("0,1\nx,y\nx,x\n"), raters=["0", "1"]).raters == ("0", "1")
    with pytest.raises(km.errors.InvalidRatingsError, match="at least two raters"):
        km.read_ratings(write("a,b\n1,2\n"), raters=[])
    with pytest.raises(km.errors.InvalidRatingsError, match="must not name the column of counts; got 'count'"):
        km.read_ratings(write("a,b,count\n1,1,5\n"), layout="patterns", raters=["a", "count"])


@pytest.mark.parametrize("path", [None, 3, b"x.csv"])
def test_other_types_than_paths_are_errors(path):
    """Only text and paths name files."""
    with pytest.raises(km.errors.UnreadableFileError, match="must be the name of a file"):
        km.read_ratings(path)


def test_names_that_are_too_long_for_the_file_system_are_errors():
    """The error of the operating system is reported in one line."""
    with pytest.raises(km.errors.UnreadableFileError, match="cannot be read: File name too long"):
        km.read_ratings("x" * 5000)


def test_too_many_patterns_are_an_error(write, monkeypatch):
    """Too many patterns raise an error before they are read."""
    for module in ("files", "long_files"):
        monkeypatch.setattr(f"kappamax.io.{module}.MOST_CELLS", 40)
    path = write("case,a,b\n" + "".join(f"{i},{i % 9},{i % 7}\n" for i in range(300)))
    for raters in (None, ["a", "b"]):
        with pytest.raises(km.errors.NotSupportedError, match="more than 20 distinct patterns"):
            km.read_ratings(path, raters=raters)
    rows = "".join(f"{i},{who},{i % size}\n" for i in range(300) for who, size in (("a", 9), ("b", 7)))
    with pytest.raises(km.errors.NotSupportedError, match="more than 20 distinct patterns"):
        km.read_ratings(write("subject,rater,rating\n" + rows), layout="long")


@pytest.mark.parametrize("cell", ['"x" "y"', '"x"y', '"x" '])
def test_text_after_a_closing_quote_is_an_error(cell, tmp_path):
    """DuckDB would read the two parts as one label; quotes inside a cell are doubled."""
    path = tmp_path / "quotes.csv"
    path.write_text(f"a,b\nx,x\n{cell},x\n", encoding="utf-8")
    with pytest.raises(
        km.errors.UnreadableFileError, match="line 3: a quoted cell must end at its closing quotation mark"
    ):
        km.read_ratings(path)
    path.write_text('a,b\n"x ""q"" y",x\nx,x\n', encoding="utf-8")
    assert 'x "q" y' in km.read_ratings(path).categories


def test_text_after_a_closing_quote_is_an_error_in_large_files(tmp_path):
    """The error is found after many megabytes."""
    path = tmp_path / "quotes.csv"
    path.write_text('a,b\n"x, 1",x\n' + '"x, 1","x ""q"""\n' * 1_200_000 + '"x" y,x\n', encoding="utf-8")
    with pytest.raises(km.errors.UnreadableFileError, match="line 1200003: a quoted cell must end at its closing"):
        km.read_ratings(path)


@given(st.text(alphabet='",\r\na', max_size=14), st.integers(1, 5))
def test_the_quick_test_of_quotes_finds_all_errors(content, size):
    """All text that Python's strict reader rejects is doubtful, for every size of the parts."""
    try:
        list(csv.reader(io.StringIO(content, newline=""), strict=True))
        broken = False
    except csv.Error:
        broken = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_files, "_BYTES_PER_CHUNK", size)
        doubtful = text_files._doubtful_quotes(io.BytesIO(content.encode()), "text", ",")
    assert doubtful or not broken


def test_a_repeated_header_with_an_unnamed_column_is_left_out(tmp_path):
    """The cell above a column of identifiers in the middle is empty in both lines."""
    path = tmp_path / "ratings.csv"
    rows = [f"{i % 2},P{i},{(i * i) % 2 if i != 3 else 0}" for i in range(1, 9)]
    path.write_text("\n".join(["x,,y", *rows[:4], "x,,y", *rows[4:]]) + "\n", encoding="utf-8")
    table = km.read_ratings(path)
    assert (table.n_subjects, table.raters) == (8, ("x", "y"))
    assert "header" in " ".join(table.reading.notes)


def test_a_text_and_its_label_are_not_two_raters(tmp_path):
    """Two columns of words without a common word are refused from three rows on, and `raters` accepts them."""
    path = tmp_path / "texts.csv"
    path.write_text("text,label\nI like it.,good\nNever again.,bad\nIt is fine.,good\n", encoding="utf-8")
    with pytest.raises(km.errors.InvalidRatingsError, match="'text' shares no category with the other columns"):
        km.read_ratings(path)
    assert km.read_ratings(path, raters=["text", "label"]).n_subjects == 3
