"""Sheets of spreadsheets are chosen by name or position, and their cells become labels."""

import sys
from datetime import date

import openpyxl
import pytest

import kappamax as km


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
