"""Compressed files are unpacked, whatever they contain."""

import bz2
import gzip
import io
import lzma
import sys
import zipfile

import openpyxl
import pyarrow as pa
import pytest

import kappamax as km
from kappamax.io import compression
from kappamax.io.compression import damage_reported
from kappamax.io.file_formats import open_bytes, open_file
from kappamax.io.read_spec import ReadSpec
from tests.support.statistical import write_dta, write_sav

TEXT = b"anna,ben\n1,1\n2,1\n2,2\n"
ROWS = [("1", "1"), ("2", "1"), ("2", "2")]


def zst(content):
    stream = pa.BufferOutputStream()
    with pa.CompressedOutputStream(stream, "zstd") as file:
        file.write(content)
    return stream.getvalue().to_pybytes()


def zipped(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return stream.getvalue()


PACKERS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "Zstandard": zst,
    "zip": lambda content: zipped({"ratings.csv": content}),
}


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "ratings.dat"
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize("packer", PACKERS)
def test_compressed_text_is_read(write, packer):
    """It is read from a path and from bytes, and the delimiter can be given."""
    packed = PACKERS[packer](TEXT.replace(b",", b":"))
    for source in (open_file(write(packed), ReadSpec(delimiter=":")), open_bytes(packed, "x", ReadSpec(delimiter=":"))):
        with source as opened:
            assert opened.columns == ["anna", "ben"]
            assert opened.rows(f"SELECT {', '.join(opened.texts.values())} FROM file") == ROWS


@pytest.mark.parametrize("packer", PACKERS)
def test_files_of_other_formats_may_be_compressed_too(tmp_path, write, packer):
    """The format of the content is recognised after it was unpacked."""
    expected = km.from_ratings([[1, 1], [2, 1], [2, 2]], raters=["anna", "ben"])
    columns = {"anna": [1, 2, 2], "ben": [1, 1, 2]}
    book = openpyxl.Workbook()
    for row in (["anna", "ben"], [1, 1], [2, 1], [2, 2]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    for path in (write_sav(tmp_path / "a.sav", columns), write_dta(tmp_path / "a.dta", columns), tmp_path / "a.xlsx"):
        assert km.read_ratings(write(PACKERS[packer](path.read_bytes()))) == expected


def test_a_file_may_be_compressed_several_times(write):
    """More than three times is an error."""
    packed = zipped({"ratings.csv.xz.bz2": bz2.compress(lzma.compress(TEXT))})
    assert km.read_ratings(write(packed)).n_subjects == 3
    with pytest.raises(km.errors.UnreadableFileError, match="must not be compressed more than 3 times"):
        km.read_ratings(write(bz2.compress(packed)))


def test_the_only_file_in_an_archive_is_read(write):
    """Folders and hidden files do not count; a note names the file, and several files are an error."""
    packed = zipped({"study/": b"", "study/ratings.csv": TEXT, "__MACOSX/ratings.csv": b"x", "study/.DS_Store": b"x"})
    table = km.read_ratings(write(packed))
    assert table.n_subjects == 3
    assert "The file 'study/ratings.csv' in the archive was read." in table.reading.notes
    with pytest.raises(
        km.errors.UnreadableFileError, match=r"must contain one file; .* contains 2: 'a.csv', 'b.csv'. Extract one of"
    ):
        km.read_ratings(write(zipped({"a.csv": TEXT, "b.csv": TEXT})))
    with pytest.raises(km.errors.UnreadableFileError, match="must contain one file; .* contains none"):
        km.read_ratings(write(zipped({})))


@pytest.mark.parametrize("packer", PACKERS)
def test_damaged_files_are_errors(write, packer):
    """A file that was cut cannot be read, nor one with other bytes, unless it has no checksum as Zstandard here."""
    packed = PACKERS[packer](b"anna,ben\n" + b"".join(b"%d,%d\n" % (i % 7, i % 11) for i in range(9_000)))
    middle = len(packed) // 2
    changed = packed[:middle] + b"\xff" * 40 + packed[middle + 40 :]
    for content in [packed[:middle], *([changed] if packer != "Zstandard" else [])]:
        with pytest.raises(km.errors.UnreadableFileError, match="cannot be read: "):
            km.read_ratings(write(content))


def test_archives_with_a_password_are_errors(write):
    """The flag of encryption is set by hand, since Python does not write encrypted archives."""
    packed = bytearray(zipped({"ratings.csv": TEXT}))
    packed[6] |= 1
    packed[packed.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(km.errors.UnreadableFileError, match="cannot be read: .*password required"):
        km.read_ratings(write(bytes(packed)))


def test_zstandard_needs_the_extra_arrow(write, monkeypatch):
    """The error gives the command that installs the extra."""
    path = write(zst(TEXT))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(km.errors.UnreadableFileError, match=r'Zstandard .*pip install "kappamax\[arrow\]"'):
        km.read_ratings(path)


def test_content_in_memory_is_limited(monkeypatch):
    """A small file may have a very large content; files on disk are unpacked to disk without a limit."""
    monkeypatch.setattr(compression, "_MOST_BYTES_IN_MEMORY", 1 << 20)
    packed = bz2.compress(b"anna,ben\n" + b"1,1\n" * (1 << 19))
    with (
        pytest.raises(km.errors.UnreadableFileError, match="the file must have at most 1 MB when it is unpacked"),
        open_bytes(packed, "the file", ReadSpec()),
    ):
        pass


def test_an_archive_with_a_damaged_directory_is_an_error(tmp_path):
    """The recogniser of annotators' files, which opens every archive first, raises it."""
    path = tmp_path / "ratings.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ratings.csv", "a,b\n1,1\n2,2\n1,2\n")
    path.write_bytes(path.read_bytes().replace(b"PK\x01\x02", b"PK\x01\x03"))
    with pytest.raises(km.errors.UnreadableFileError, match="ratings.zip cannot be read: Bad magic number"):
        km.read_ratings(path)


def test_a_full_temporary_folder_is_not_taken_for_damage():
    """Errors of the system keep their reason."""
    with (
        pytest.raises(km.errors.UnreadableFileError, match="x cannot be read: the temporary folder .* is full"),
        damage_reported("x"),
    ):
        raise OSError(28, "No space left on device")
