"""Broken files give a correct table, or one error line and exit code 1."""

import bz2
import csv
import gzip
import io
import json
import lzma
from inspect import signature

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.cli import main

LAYOUTS = ["wide", "long", "counts", "patterns"]
FIXTURES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def bytes_of(save):
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()


def parquet(columns):
    return bytes_of(lambda stream: pq.write_table(pa.table(columns), stream))


def workbook():
    book = openpyxl.Workbook()
    for row in (["a", "b"], [1, 2], [2, 2]):
        book.active.append(row)
    return bytes_of(book.save)


ROWS = b"x,y\n" * 300_000  # longer than the sample that decides on the format
PACKED = gzip.compress(b"a,b\n" + ROWS)
PARQUET = parquet({"a": [1, 2, 1] * 100, "b": [1, 1, 2] * 100})
LINES = b'{"a":1,"b":2}\n{"a":2,"b":2}\n'

#: files that cannot be read in any layout
HOPELESS = {
    "empty": b"",
    "byte order mark": b"\xef\xbb\xbf",
    "blank": b"  \n \n",
    "delimiters": b",,,\n,,,\n",
    "header only": b"a,b\n",
    "header without a line end": b"a,b",
    "NUL": b"a,b\n1,\x002\n",
    "NUL late": b"a,b\n" + ROWS + b"1,\x00\n",
    "NUL in the header": b"a\x00,b\n1,2\n",
    "a million columns": b",".join(b"r%d" % i for i in range(10**6)) + b"\n" + b",".join([b"1"] * 10**6) + b"\n",
    "many columns": b",".join(b"r%d" % i for i in range(20_000)) + b"\n" + b",".join([b"1"] * 20_000) + b"\n",
    "quote unclosed": b'a,b\n"x,1\ny,2\n',
    "quote unclosed late": b"a,b\n" + ROWS + b'"x,1\n',
    "quote unclosed in the header": b'"a,b\nx,1\ny,2\n',
    "text after a quote": b'a,b\n"x"y,1\nz,1\n',
    "row too short": b"a,b\n1,2\n1\n",
    "row too long": b"a,b\n1,2\n1,2,3\n1,1\n",
    "row too short late": b"a,b\n" + ROWS + b"x\n",
    "a cell of 3 MB": b"a,b\n" + b"x" * 3_000_000 + b",1\n",
    "a line of 3 MB": b"x" * 3_000_000,
    "gzip cut": PACKED[:-200],
    "gzip cut early": PACKED[:20],
    "gzip magic": b"\x1f\x8b",
    "gzip with another checksum": PACKED[:-8] + b"\1\2\3\4" + PACKED[-4:],
    "gzip with other bytes": PACKED[:300] + b"\xff" * 40 + PACKED[340:],
    "bzip2 cut": bz2.compress(ROWS)[:-20],
    "xz cut": lzma.compress(ROWS)[:-20],
    "Stata magic": b"<stata_dta>",
    "SPSS magic": b"$FL2",
    "Arrow magic": b"ARROW1\0\0",
    "Parquet cut": PARQUET[: len(PARQUET) // 2],
    "Parquet magic": b"PAR1",
    "Parquet with another footer": PARQUET[:-40] + b"\xff" * 32 + PARQUET[-8:],
    "Parquet without rows": parquet({"a": pa.array([], pa.int64()), "b": pa.array([], pa.int64())}),
    "Parquet of lists": parquet({"a": [[1, 2], [2]], "b": [[1], [1]]}),
    "Parquet of bytes": parquet({"a": [b"x", b"y"], "b": [b"x", b"x"]}),
    "JSON cut": LINES[:-5],
    "JSON broken late": LINES * 50_000 + b'{"a":1,\n',
    "JSON with a number": LINES + b"5\n",
    "JSON without keys": b"{}\n{}\n",
    "JSON with a key twice": b'{"a":1,"a":2,"b":1}\n',
    "JSON with NUL": b'{"a":"x\\u0000","b":"y"}\n{"a":"x","b":"y"}\n',
    "spreadsheet cut": workbook()[:2000],
    "empty spreadsheet": bytes_of(openpyxl.Workbook().save),
    "zip magic": b"PK\x03\x04" + b"\0" * 100,
    "old spreadsheet magic": b"\xd0\xcf\x11\xe0" + b"\0" * 600,
    "every byte": bytes(range(256)) * 10,
    "PDF": b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "HTML": b"<!DOCTYPE html>\n<html><p>hello, world</p>\n</html>\n",
}

APART = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}  # click before 8.2


def ask(path, *options):
    """Return the finished command and its error line, if it ended with an error."""
    done = CliRunner(**APART).invoke(main, ["kappa", str(path), "--json", *options])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    notes = done.stderr.splitlines()
    if done.exit_code == 1:
        assert done.stdout == ""
        assert len(notes) == 1
        assert notes[0].startswith("kappamax: ")
        return None, notes[0]
    assert done.exit_code == 0
    assert all(note.startswith("note: ") for note in notes)
    return json.loads(done.stdout), None


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("layout", ["wide", *(pytest.param(one, marks=pytest.mark.slow) for one in LAYOUTS[1:])])
@pytest.mark.parametrize("name", HOPELESS)
def test_files_that_cannot_be_read_give_one_error_line(tmp_path, name, layout, whole, monkeypatch):
    """Truncated, binary, too wide, unclosed and empty files are errors, split by Python or by DuckDB."""
    if not whole:
        monkeypatch.setattr("kappamax.io.text_files.WHOLE", 1000)
    path = tmp_path / "file"
    path.write_bytes(HOPELESS[name])
    answer, error = ask(path, "--layout", layout)
    assert answer is None
    assert str(path) in error or "rater" in error or "rating" in error or "column" in error or "labels" in error


def test_the_check_of_one_line_can_fail(monkeypatch, tmp_path):
    """The function that checks a command fails on a traceback and on a second error line."""
    monkeypatch.setattr("kappamax.io.read_ratings", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        ask(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("options", [[], ["--raters", "a,b"]])
def test_a_million_categories_give_an_error_or_a_warning(tmp_path, options):
    """Columns of identifiers raise an error, or a warning if the caller names them."""
    path = tmp_path / "file.csv"
    path.write_text("a,b\n" + "".join(f"x{i},x{i}\n" for i in range(10**6)), encoding="utf-8")
    _, error = ask(path, *options)
    assert any(words in error for words in ("a different value", "different labels", "distinct values", "patterns"))


def test_a_million_raters_or_ratings_in_long_layout_are_an_error(tmp_path):
    """The error names the column that was probably confused with another."""
    path = tmp_path / "file.csv"
    path.write_text("subject,rater,rating\n" + "".join(f"1,{i},2\n" for i in range(300_000)), encoding="utf-8")
    assert "more than 200,000 distinct pairs" in ask(path, "--layout", "long")[1]
    path.write_text("subject,rater,rating\n" + "".join(f"1,{i},2\n" for i in range(2000)), encoding="utf-8")
    assert "at most 1,000 raters; column 'rater' names 2,000" in ask(path, "--layout", "long")[1]


@FIXTURES
@given(content=st.binary(max_size=300), layout=st.sampled_from(LAYOUTS))
@example(content=b"a,b\n1,\xff\n", layout="wide")
def test_any_bytes_give_a_table_or_one_error_line(tmp_path, content, layout):
    """The command prints a table or one error line."""
    path = tmp_path / "file"
    path.write_bytes(content)
    ask(path, "--layout", layout)


labels = st.text(st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=["Cs"]), max_size=6)


def reading_of(text, delimiter):
    """Return the rows that Python's csv module reads, or None if the text is not a table."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True) if row]
    except csv.Error:
        return None
    if any(cell != cell.lstrip() and cell.lstrip().startswith('"') for row in rows for cell in row):
        return None  # spaces before a quotation mark are part of the text here, but kappamax ignores them
    width = len(rows[0]) if rows else 0
    rows = [row if any(row[width:]) else row[:width] for row in rows]
    return rows if rows and all(len(row) == len(rows[0]) for row in rows) else None


@FIXTURES
@given(
    rows=st.lists(st.tuples(labels, labels), min_size=1, max_size=8),
    delimiter=st.sampled_from([",", ";", "\t", "|", ":", "~"]),
    newline=st.sampled_from(["\n", "\r\n"]),
)
def test_text_that_python_writes_is_read_back(tmp_path, rows, delimiter, newline):
    """Labels may contain quotes, delimiters, line ends and any letters."""
    path = tmp_path / "file.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator=newline, quoting=csv.QUOTE_ALL).writerows(
            [("a", "b"), *rows]
        )
    try:
        expected = km.from_ratings([list(row) for row in rows], raters=["a", "b"])
    except km.errors.InputError:
        expected = None
    try:
        read = km.read_ratings(path, delimiter=delimiter, raters=["a", "b"])
    except km.errors.InputError:
        return
    assert read == expected or any("left out" in note for note in read.reading.notes)


PIECES = [b"", b",", b'"', b'""', b"\n", b"\r\n", b"\r", b"\t", b"\xff", b"\0", b"x", b"1", b" ", b"\xef\xbb\xbf"]


@FIXTURES
@example(cuts=[(0, 0, b"\n"), (18, 0, b" ")])
@given(cuts=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 3), st.sampled_from(PIECES)), min_size=1, max_size=3))
def test_damaged_text_is_an_error_or_read_correctly(tmp_path, cuts):
    """Text with removed and inserted bytes gives an error or the table that Python's csv module reads.

    The tables are not compared if the csv module rejects the text, since kappamax allows spaces around quotation marks.
    """
    content = b'a,b,c\nx,"y, z",x\n"say ""no""",x,y\nx,x,y\ny,,x\n'
    for start, length, piece in cuts:
        content = content[:start] + piece + content[start + length :]
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    try:
        read = km.read_ratings(path, delimiter=",")
    except km.errors.InputError:
        return
    seen = reading_of(content.decode("utf-8-sig", errors="replace"), ",")
    if seen is not None:
        header, *rows = seen
        try:
            expected = km.from_ratings(rows, raters=[name.strip() for name in header], accept_labels=True)
        except km.errors.InputError:
            expected = None
        assert read == expected or read.reading.notes
