"""Sheets that extend too far are refused before memory is allocated for all of their cells."""

import re
import zipfile

import openpyxl
import pytest
from openpyxl.styles import Font

import kappamax as km
from kappamax.errors import UnreadableFileError
from kappamax.io import sheet_bounds
from kappamax.io.sheet_bounds import Extent, column_letters, require_small_sheets
from tests.support.opendocument import opendocument

ROWS = [["a", "b"], [1, 1], [2, 2], [1, 2]]


@pytest.fixture
def book():
    book = openpyxl.Workbook()
    book.active.title = "ratings"
    for row in ROWS:
        book.active.append(row)
    return book


@pytest.fixture
def path(tmp_path):
    return tmp_path / "book.xlsx"


def rewritten(path, part, change):
    """Write an archive again with another content of one part."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def test_a_cell_in_the_last_row_and_column_is_refused(book, path):
    """The file has less than 5 kB; the message names the sheet, the row and the column."""
    book.active["XFD1048576"] = 5
    book.save(path)
    assert path.stat().st_size < 6000
    message = (
        r"at most 10,000,000 cells .* sheet 'ratings' in .*book.xlsx are in row 1,048,576 and in column XFD, "
        r"which makes 17,179,869,184 cells"
    )
    for sheet in (None, "ratings", 1):
        with pytest.raises(UnreadableFileError, match=message):
            km.read_ratings(path, sheet=sheet)


def test_a_format_far_away_is_no_cell(book, path):
    """A cell without a value has no label."""
    book.active["XFD1048576"].font = Font(bold=True)
    book.save(path)
    assert km.read_ratings(path).n_subjects == 3


def test_only_the_chosen_sheet_must_be_small(book, path):
    """A far cell on another sheet does no harm if a sheet is chosen."""
    book.create_sheet("other")["XFD1048576"] = 5
    book.save(path)
    assert km.read_ratings(path, sheet="ratings").n_subjects == 3
    with pytest.raises(UnreadableFileError, match="of sheet 'other' in"):
        km.read_ratings(path)


def test_the_sheets_together_must_be_small(book, path, monkeypatch):
    """All sheets are read if none is chosen."""
    book.copy_worksheet(book.active).title = "again"
    book.save(path)
    monkeypatch.setattr(sheet_bounds, "MOST_CELLS", 12)
    with pytest.raises(UnreadableFileError, match="at most 12 cells in all; 'ratings', 'again' have more"):
        km.read_ratings(path)
    assert km.read_ratings(path, sheet="again").n_subjects == 3


def test_cells_without_positions_follow_each_other(book, path, monkeypatch):
    """A row may have a position although its cells have none."""
    book.save(path)
    part = "xl/worksheets/sheet1.xml"
    rewritten(path, part, lambda xml: re.sub(rb'<c r="[A-Z]+\d+"', b"<c", xml).replace(b'row r="4"', b'row r="900"'))
    assert km.read_ratings(path).n_subjects == 3
    monkeypatch.setattr(sheet_bounds, "MOST_CELLS", 1799)
    with pytest.raises(UnreadableFileError, match="in row 900 and in column B, which makes 1,800 cells"):
        km.read_ratings(path)


def test_repeated_cells_of_opendocument_are_counted(tmp_path):
    """Repeated empty cells below the table, as every file has them, are not."""
    path = tmp_path / "book.ods"
    path.write_bytes(opendocument({"ratings": [[str(cell) for cell in row] for row in ROWS]}))
    row = b'<table:table-row table:number-rows-repeated="%d">%s</table:table-row>'
    empty = b'<table:table-cell table:number-columns-repeated="16384"/>'
    end = b"</table:table>"
    rewritten(path, "content.xml", lambda xml: xml.replace(end, row % (1048000, empty) + end))
    assert km.read_ratings(path).n_subjects == 3
    full = b'<table:table-cell office:value-type="string"><text:p>x</text:p></table:table-cell>'
    rewritten(path, "content.xml", lambda xml: xml.replace(end, row % (1, empty.replace(b"384", b"383") + full) + end))
    with pytest.raises(UnreadableFileError, match="sheet 'ratings' .* in row 1,048,005 and in column XFD"):
        km.read_ratings(path)


def test_binary_workbooks_are_measured_too(path):
    """A record of a row gives its number, and records of cells give their columns; empty cells are not counted."""

    def record(kind, content):
        return bytes([kind, len(content)]) + content

    cells = [record(0, (1048575).to_bytes(4, "little") + bytes(8)), record(5, (16383).to_bytes(4, "little") + bytes(8))]
    empty = record(1, (16383).to_bytes(4, "little") + bytes(4))
    long = bytes([0x81, 0x01, 0x80, 0x01]) + bytes(128)  # a type and a length of two bytes each
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.bin", long + cells[0] + empty)
    require_small_sheets(path, "book", [])
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("xl/worksheets/sheet1.bin", long + b"".join(cells) + bytes([0x85]))
    with pytest.raises(UnreadableFileError, match="in row 1,048,576 and in column XFD"):
        require_small_sheets(path, "book", [])


def test_spreadsheets_that_unpack_to_too_much_are_refused(book, path, monkeypatch):
    """Nothing is unpacked before the declared sizes are known, and a size that is forged is noticed."""
    book.save(path)
    monkeypatch.setattr(sheet_bounds, "MOST_UNPACKED_BYTES", 1 << 20)
    rewritten(path, "xl/styles.xml", lambda xml: b" " * (2 << 20) + xml)
    with pytest.raises(UnreadableFileError, match="at most 1 MB when it is unpacked; .*book.xlsx has 2 MB"):
        km.read_ratings(path)
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("xl/styles.xml").file_size.to_bytes(4, "little")
    assert content.count(size) == 2
    path.write_bytes(content.replace(size, (1000).to_bytes(4, "little")))
    with pytest.raises(UnreadableFileError, match="book.xlsx cannot be read as a spreadsheet: Bad CRC-32"):
        km.read_ratings(path)


def test_sheets_that_are_no_xml_are_refused(book, path):
    """Numbers of thousands of digits, as positions or repetitions, are refused too."""
    book.save(path)
    rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b'r="A1"', b'r="A' + b"1" * 5000 + b'"'))
    with pytest.raises(UnreadableFileError, match="cannot be read as a spreadsheet: Exceeds the limit"):
        km.read_ratings(path)
    rewritten(path, "xl/worksheets/sheet1.xml", lambda xml: xml[:-20])
    with pytest.raises(UnreadableFileError, match="cannot be read as a spreadsheet: "):
        km.read_ratings(path)


@pytest.mark.parametrize(
    ("number", "letters"), [(1, "A"), (26, "Z"), (27, "AA"), (702, "ZZ"), (703, "AAA"), (16384, "XFD")]
)
def test_letters_of_columns(number, letters):
    """The letters are those that spreadsheets show, and a position is read back."""
    assert column_letters(number) == letters
    assert sheet_bounds._position(f"{letters}7", 0, 0) == (7, number)
    assert Extent(7, 1).with_cell(3, number) == Extent(7, number)
