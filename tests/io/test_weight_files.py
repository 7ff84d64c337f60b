"""Matrices of weights in files, with and without labels."""

from fractions import Fraction

import pytest

import kappamax as km
from kappamax.errors import InvalidOptionError, InvalidWeightsError, UnreadableFileError
from kappamax.io.weight_files import read_weights

PLAIN = "0,1,3\n1,0,2\n3,2,0\n"


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write(text, name="costs.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace("\n", "\r\n"),
        "\ufeff" + PLAIN,
        "\n" + PLAIN + "\n\n",
        "0, 1, 3\n1, 0, 2\n3, 2, 0",
        "0,1.0,3e0\n+1,0,4/2\n3,2.,0\n",
        '"0","1","3"\n"1","0","2"\n"3","2","0"\n',
    ],
)
def test_a_matrix_without_labels_is_in_the_order_of_the_categories(written, text):
    """Delimiters, ends of lines, blank lines, quotes and fractions are read like those of other files."""
    weights = read_weights(written(text), kind="disagreement")
    assert (
        weights.matrix.tolist()
        == km.Weights.from_matrix([[0, 1, 3], [1, 0, 2], [3, 2, 0]], kind="disagreement").matrix.tolist()
    )
    assert (weights.name, weights.labels, weights.exact) == ("costs.csv", None, True)


def test_labels_may_be_in_any_order(written):
    """Columns are arranged like the rows, and the corner may be empty or a word."""
    for corner in ("", "cost", " "):
        text = f"{corner},severe,none,mild\nnone,4,0,1\nmild,2,1,0\nsevere,0,4,2\n"
        weights = read_weights(written(text), kind="disagreement")
        assert weights.labels == ("none", "mild", "severe")
        assert weights.matrix.tolist() == [[0, 0.25, 1], [0.25, 0, 0.5], [1, 0.5, 0]]


def test_labels_that_are_numbers_are_the_labels_of_ratings(written):
    """A column 1 of a file with labels stands for the category 1."""
    weights = read_weights(written(",2,1.0\n1,1/3,1\n2.0,1,0.5\n"), kind="agreement")
    assert weights.labels == (1, 2)
    assert weights.entry(0, 1).rational == Fraction(2, 3)
    assert weights.entry(1, 0).rational == Fraction(1, 2)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("0,1,2\n1,0,1\n", "disagreement", "must be square; .*costs.csv has 2 rows and 3 columns of weights"),
        ("a,b\n0,1\n1,0\n", "disagreement", "same labels on rows and columns; .* rows are 0, 1 and columns 'b'"),
        (",a,b\na,0,1\nc,1,0\n", "disagreement", "rows are 'a', 'c' and columns 'a', 'b'"),
        (",a,\na,0,1\nb,1,0\n", "disagreement", "must name every column; column 3 of .*costs.csv has no name"),
        (",a,b\n,0,1\nb,1,0\n", "disagreement", "must name every row; row 2 of .*costs.csv has no name"),
        (",a,a\na,0,1\nb,1,0\n", "disagreement", "must differ; in .*costs.csv, 'a' names two columns"),
        ("0;0,5;1\n0,5;0;1\n1;1;0\n", "disagreement", "numbers with a decimal point.*; row 1, column 2 of .* is '0,5'"),
        (",a,b\na,0,x\nb,1,0\n", "disagreement", "row 2, column 3 of .*costs.csv is 'x'"),
        (",a,b\na,0,\nb,1,0\n", "disagreement", "row 2, column 3 of .*costs.csv is ''"),
        ("0,1/0\n1,0\n", "disagreement", "row 1, column 2 of .*costs.csv is '1/0'"),
        ("0,1e999999999\n1,0\n", "disagreement", "row 1, column 2 of .*costs.csv is '1e999999999'"),
        ("0,inf\n1,0\n", "disagreement", "row 1, column 2 of .*costs.csv is 'inf'"),
        ("0,-1\n1,0\n", "disagreement", r"must be >= 0; entry \(1, 2\) is -1"),
        ("0,1\n1,0\n", "agreement", r"the diagonal of agreement weights must be 1; entry \(1, 1\) is 0"),
    ],
)
def test_what_cannot_be_a_matrix_of_weights(written, text, kind, message):
    """Every rule names the file and the place."""
    with pytest.raises(InvalidWeightsError, match=message):
        read_weights(written(text), kind=kind)


def test_files_that_cannot_be_read(written, tmp_path):
    """A missing or empty file, rows of different lengths, named columns and an unknown kind are refused."""
    with pytest.raises(UnreadableFileError, match="there is no file"):
        read_weights(tmp_path / "nothing.csv", kind="disagreement")
    with pytest.raises(UnreadableFileError, match="is empty"):
        read_weights(written(""), kind="disagreement")
    with pytest.raises(UnreadableFileError, match="every row must have 2 columns"):
        read_weights(written("0,1\n1,0,2\n"), kind="disagreement")
    with pytest.raises(InvalidWeightsError, match="must be a text file or a spreadsheet; .* has named columns"):
        read_weights(written('{"a": 0, "b": 1}\n{"a": 1, "b": 0}\n', "costs.json"), kind="disagreement")
    with pytest.raises(InvalidOptionError, match="kind must be one of 'disagreement', 'agreement'; got 'cost'"):
        read_weights(written(PLAIN), kind="cost")


def test_a_spreadsheet_holds_a_matrix(tmp_path):
    """The only sheet of a workbook is read like a text file."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in ([None, "yes", "no"], ["no", 0.5, 1], ["yes", 1, 0.5]):
        book.active.append(row)
    path = tmp_path / "costs.xlsx"
    book.save(path)
    weights = read_weights(path, kind="agreement")
    assert weights.labels == ("no", "yes")
    assert weights.matrix.tolist() == [[0, 0.5], [0.5, 0]]
