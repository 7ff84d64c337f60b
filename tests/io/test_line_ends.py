"""Lines end in LF, CR LF or CR, also in one file; other characters do not end a line."""

import gzip
import io

import numpy as np
import pytest

import kappamax as km
from kappamax.io import line_ends
from kappamax.io.line_ends import lines_of, rows_end_in_cr_lf, rows_end_in_lf, uniform_chunks

ROWS = [("none", "mild"), ("mild", "mild"), ("severe", "mild"), ("none", "none"), ("mild", "severe"), ("none", "none")]
ENDS = ["\n", "\r\n", "\r"]


def mixed(rows, ends):
    return "".join(f"{','.join(row)}{ends[i % len(ends)]}" for i, row in enumerate(rows))


@pytest.mark.parametrize("ends", [ENDS, ENDS[::-1], ["\r\n", "\n"], ["\r"], ["\r\n", "\r"]])
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("packed", [False, True])
def test_files_with_any_line_ends_give_the_same_table(tmp_path, monkeypatch, ends, whole, packed):
    """Files that Python splits and files that DuckDB splits, compressed or not, are read alike."""
    if not whole:
        monkeypatch.setattr("kappamax.io.text_files.WHOLE", 50)
    rows = ROWS * 5
    text = mixed([("anna", "ben"), *rows], ends).encode()
    path = tmp_path / "ratings.csv"
    path.write_bytes(gzip.compress(text) if packed else text)
    assert km.read_ratings(path) == km.from_ratings(rows, raters=["anna", "ben"])


@pytest.mark.parametrize("whole", [True, False])
def test_line_ends_within_a_cell_are_kept(tmp_path, monkeypatch, whole):
    """A quoted cell may contain every line end while the rows end differently."""
    if not whole:
        monkeypatch.setattr("kappamax.io.text_files.WHOLE", 50)
    path = tmp_path / "ratings.csv"
    path.write_bytes(b'a,b\r\n"x\ry",z\n"x\ry",z\rz,z\r\n"x\ry","x\ry"\n' + b"z,z\r\n" * 10)
    table = km.read_ratings(path, accept_labels=True)
    assert table.n_subjects == 14
    assert {str(label).split()[0] for label in table.categories} == {"x", "z"}


def test_form_feeds_and_separators_do_not_end_a_line(tmp_path):
    """Characters at which Python's splitlines cuts are part of a label."""
    assert lines_of("a\x0bb\x0c\x1c\x85\u2028c\nd\r\ne\rf") == ["a\x0bb\x0c\x1c\x85\u2028c\n", "d\r\n", "e\r", "f"]
    path = tmp_path / "ratings.csv"
    path.write_text("a,b\nx\u2028y,z\nz,z\nx\u2028y,x\u2028y\n", encoding="utf-8")
    assert km.read_ratings(path, accept_labels=True).n_subjects == 3


def test_chunks_do_not_change_the_result(monkeypatch):
    """Pairs of CR and LF and quotation marks may be cut anywhere."""
    rng = np.random.default_rng(0)
    text = bytes(rng.choice(list(b'a,"\r\n'), size=300))
    expected = b"".join(uniform_chunks(io.BytesIO(text)))
    for size in (1, 2, 3, 7):
        monkeypatch.setattr(line_ends, "_BYTES_PER_CHUNK", size)
        assert b"".join(uniform_chunks(io.BytesIO(text))) == expected
    inside, plain = False, b""
    for line in io.StringIO(text.decode(), newline="").readlines():
        body = line.rstrip("\r\n")
        inside ^= body.count('"') % 2 == 1
        plain += line.encode() if inside else (body + "\n" * (body != line)).encode()
    assert expected == plain


@pytest.mark.parametrize(
    ("text", "lf", "cr_lf"),
    [
        (b"a\nb\n", True, False),
        (b'a\n"b\r\nc\r"\n', True, False),
        (b"a\r\nb\r\n", False, True),
        (b'a\r\n"b"\r\n', False, True),
        (b'a\r\n"b\nc"\r\n', False, False),
        (b'a\r\n"b\r\nc"\r\n', False, False),
        (b"a\r\nb\n", False, False),
        (b"a\rb\r", False, False),
        (b"a\nb\r", False, False),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 100])
def test_texts_that_duckdb_reads_as_they_are(monkeypatch, size, text, lf, cr_lf):
    """Rows end all in LF, or all in CR LF and no cell has a line end; other texts are copied."""
    monkeypatch.setattr(line_ends, "_BYTES_PER_CHUNK", size)
    assert rows_end_in_lf(io.BytesIO(text)) is lf
    assert rows_end_in_cr_lf(io.BytesIO(text)) is cr_lf


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("inner", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("whole", [True, False])
def test_cells_with_line_ends_never_swallow_rows(tmp_path, monkeypatch, end, inner, whole):
    """DuckDB is told how rows end, since it would take the first line end of a file for it, even one in a cell."""
    if not whole:
        monkeypatch.setattr("kappamax.io.text_files.WHOLE", 50)
    path = tmp_path / "ratings.csv"
    path.write_bytes(f'"a{inner}x",b{end}'.encode() + f'"x{inner}y",z{end}z,z{end}'.encode() * 20)
    table = km.read_ratings(path, accept_labels=True)
    assert table.n_subjects == 40
    assert table.n_categories == 2
