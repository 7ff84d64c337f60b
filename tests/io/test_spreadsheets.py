"""Sheets of spreadsheets are chosen by name or position, and their cells become labels."""

import sys
import zipfile
from datetime import date

import openpyxl
import pytest

import kappamax as km
from tests.support.opendocument import opendocument


@pytest.fixture
def book(tmp_path):
    book = openpyxl.Workbook()
    book.active.title = "notes"
    sheet = book.create_sheet("ratings")
    for row in ([], [None, "a", "b"], [None, 1, True], [None, 2.5, date(2020, 1, 1)], [None, "=NA()", 1]):
        sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    return tmp_path / "book.xlsx"


@pytest.mark.parametrize("sheet", ["ratings", 2, "2"])
def test_a_sheet_is_chosen_by_name_or_position(book, sheet):
    """Empty rows and columns around the cells are ignored; numbers, truth values and dates are labels."""
    t = km.read_ratings(book, sheet=sheet, accept_labels=True)
    assert t.raters == ("a", "b")
    assert t.categories == (1, 2.5, "2020-01-01", "True")
    with pytest.raises(km.errors.InvalidRatingsError, match="'True' .* is not among .* by rater 'b', row 3"):
        km.read_ratings(book, sheet=sheet, categories=[1, 2.5, "2020-01-01"])


def test_opendocument_sheets_are_read(tmp_path):
    """Text and empty cells are read, and a sheet is chosen among several."""
    path = tmp_path / "book.ods"
    rows = [["anna", "ben"], ["x & y", "x & y"], ["none", None], ["x & y", "none"], ["none", "none"]]
    path.write_bytes(opendocument({"ratings": rows}))
    table = km.read_ratings(path)
    assert table == km.from_ratings(rows[1:], raters=rows[0])
    path.write_bytes(opendocument({"notes": [["none"]], "ratings": rows}))
    assert km.read_ratings(path, sheet="ratings") == table
    with pytest.raises(km.errors.InvalidOptionError, match="sheet must be given, since .* 'notes', 'ratings'"):
        km.read_ratings(path)


@pytest.mark.parametrize("part", ["[Content_Types].xml", "mimetype"])
def test_archives_that_are_no_spreadsheets_are_errors(tmp_path, part):
    """An archive with the files of a text document is not unpacked as a file of ratings."""
    path = tmp_path / "book"
    with zipfile.ZipFile(path, "w") as archive:
        for name in (part, "content.xml", "word/document.xml"):
            archive.writestr(name, "text")
    with pytest.raises(km.errors.UnreadableFileError, match="cannot be read as a spreadsheet"):
        km.read_ratings(path)


def test_unknown_sheets_are_errors(book):
    """The only sheet with cells is read; otherwise the error lists the sheets and advises the largest table."""
    assert km.read_ratings(book, accept_labels=True).n_subjects == 3
    more = openpyxl.load_workbook(book)
    more["notes"].append(["a remark"])
    more.save(book)
    with pytest.raises(
        km.errors.InvalidOptionError, match="since .* has the sheets 'notes', 'ratings'. Pass sheet='ratings'."
    ):
        km.read_ratings(book)
    with pytest.raises(km.errors.InvalidOptionError, match="no sheet 'rating' .*Did you mean 'ratings'"):
        km.read_ratings(book, sheet="rating")


def test_spreadsheets_need_the_extra_excel(book, monkeypatch):
    """The error gives the command that installs the extra."""
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(km.errors.UnreadableFileError, match=r'pip install "kappamax\[excel\]"'):
        km.read_ratings(book, sheet="ratings")


def test_line_ends_in_cells_do_not_end_rows(tmp_path):
    """A carriage return alone is part of a label, like a line feed."""
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["x_x000D_y", "z"], ["z", "z"], ["x_x000D_y", "x\ny"]):
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    table = km.read_ratings(tmp_path / "book.xlsx", accept_labels=True)
    assert table.n_subjects == 3
    assert set(table.categories) == {"x y", "z"}
