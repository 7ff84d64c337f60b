"""Inputs are checked before they are read, streams have a limit, and changes during the reading are noticed."""

import errno
import os
import socket
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from threading import Thread
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kappamax as km
from kappamax.errors import UnreadableFileError
from kappamax.io import input_files
from kappamax.io.file_formats import open_file
from kappamax.io.input_files import files_in, local_input, parquet_files, whole_text
from kappamax.io.read_spec import ReadSpec

ROWS = "a,b\n1,1\n1,2\n2,2\n2,1\n3,3\n"
DEVICE = pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no /dev/zero")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def changed_after(path, change):
    """Open a file for reading, change it, and end the reading."""
    with open_file(path, ReadSpec()) as source:
        change()
        source.rows("SELECT 1")


@DEVICE
@pytest.mark.parametrize("read", [km.read_ratings, km.inspect, whole_text, km.verify])
def test_devices_are_refused_by_name(read):
    """A device that never ends is not read at all."""
    with pytest.raises(UnreadableFileError, match="/dev/zero must be a file, a folder or a pipe; it is a device"):
        read("/dev/zero")


@DEVICE
@pytest.mark.parametrize("read", [km.read_ratings, km.inspect])
def test_standard_input_that_is_a_device_is_refused(read, monkeypatch):
    """The null device is an empty file."""
    for device, message in [("/dev/zero", "standard input must be .* it is a device"), ("/dev/null", "input is empty")]:
        with open(device, encoding="utf-8") as stream, monkeypatch.context() as patched:  # noqa: PTH123
            patched.setattr(sys, "stdin", stream)
            with pytest.raises(UnreadableFileError, match=message):
                read("-")


@pytest.mark.parametrize("read", [km.read_ratings, whole_text])
def test_sockets_are_refused_by_name(tmp_path, monkeypatch, read):
    """A socket cannot be opened as a file."""
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("here")
        with pytest.raises(UnreadableFileError, match="here must be a file, a folder or a pipe; it is a socket"):
            read("here")


def test_a_pipe_is_read_up_to_a_limit(tmp_path, monkeypatch):
    """Named pipes and standard input have the same limit, which the message names."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    expected = km.from_ratings([[1, 1], [1, 2], [2, 2], [2, 1], [3, 3]], raters=["a", "b"])
    for limit in (1000, 10):
        monkeypatch.setattr(input_files, "MOST_STREAM_BYTES", limit)
        writer = Thread(target=lambda: pipe.write_text(ROWS, encoding="utf-8"))
        writer.start()
        if limit == 1000:
            assert km.read_ratings(pipe) == expected
        else:
            with pytest.raises(UnreadableFileError, match="a stream must have at most 1e-08 GB; .*pipe has more"):
                km.read_ratings(pipe)
        writer.join()
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(ROWS.encode())))
    with pytest.raises(UnreadableFileError, match="standard input has more. Save it to a file"):
        km.read_ratings("-")


def test_a_stream_fills_at_most_half_of_the_temporary_folder(tmp_path, monkeypatch):
    """The message names the folder."""
    monkeypatch.setattr(input_files.shutil, "disk_usage", lambda _: SimpleNamespace(free=20))
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(ROWS.encode())))
    with pytest.raises(UnreadableFileError, match=r"1e-08 GB \(half of the free space of the temporary folder /"):
        km.read_ratings("-")


def test_the_inspection_of_an_endless_stream_reads_its_beginning(monkeypatch):
    """A stream is held in memory up to a limit; of a longer text the first rows are inspected."""
    monkeypatch.setattr("kappamax.io.inspected_files._MOST_STREAM_BYTES", 2000)
    monkeypatch.setattr("kappamax.io.inspected_files._MOST_BYTES", 1000)

    class Endless(BytesIO):
        def read(self, size=-1):
            assert size >= 0, "the whole of an endless stream is asked for"
            return (ROWS[:8] + "1,2\n" * size).encode()[:size]

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Endless()))
    assert [column.name for column in km.inspect("-").columns] == ["a", "b"]


def test_a_folder_has_a_largest_number_of_entries(tmp_path, monkeypatch):
    """The walk ends at the limit, so that the path / does not walk the whole disk."""
    for i in range(5):
        (tmp_path / f"folder {i}").mkdir()
    monkeypatch.setattr(input_files, "MOST_FOLDER_ENTRIES", 4)
    for read in (km.read_ratings, files_in):
        with pytest.raises(UnreadableFileError, match="a folder must have at most 4 files and subfolders; .* has more"):
            read(tmp_path)


def test_a_subfolder_that_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    """Files in it would be left out otherwise."""
    (tmp_path / "inner").mkdir()
    scan = os.scandir

    def refusing(path):
        if str(path).endswith("inner"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(UnreadableFileError, match=r"cannot be read: Permission denied \(.*inner\)"):
        km.read_ratings(tmp_path)


def test_hidden_and_metadata_files_are_no_data(tmp_path):
    """Links to folders are not followed."""
    for name in ("b.parquet", ".c.parquet", "_d.parquet", "e.csv"):
        (tmp_path / name).touch()
    (tmp_path / "loop").symlink_to(tmp_path)
    assert parquet_files(tmp_path) == [tmp_path / "b.parquet"]


def test_a_file_that_grows_or_shrinks_while_it_is_read_is_noticed(file):
    """The message gives both sizes."""
    longer = lambda: file.write_text(ROWS + "1,1\n", encoding="utf-8")  # noqa: E731
    with pytest.raises(UnreadableFileError, match="ratings.csv changed while .*: it had 24 bytes and now has 28. Read"):
        changed_after(file, longer)
    with pytest.raises(UnreadableFileError, match="it had 28 bytes and now has 0"):
        changed_after(file, lambda: file.write_text("", encoding="utf-8"))


def test_a_file_that_is_replaced_by_one_of_the_same_size_is_noticed(file):
    """The time of the last change and the inode are compared too."""
    with pytest.raises(UnreadableFileError, match="ratings.csv changed while it was read"):
        changed_after(file, lambda: os.utime(file, ns=(1, 1)))
    assert km.read_ratings(file).n_subjects == 5


def test_a_file_that_vanishes_while_it_is_read_is_named(file):
    """The message replaces the error that the reader raised."""

    def vanish_and_fail():
        file.unlink()
        raise UnreadableFileError("something else")

    with pytest.raises(UnreadableFileError, match="ratings.csv vanished while it was read"):
        changed_after(file, vanish_and_fail)
    with pytest.raises(UnreadableFileError, match="there is no file .*ratings.csv"):
        km.read_ratings(file)


def test_a_file_of_a_folder_that_changes_is_named(tmp_path):
    """So is a file that is added."""
    pq.write_table(pa.table({"a": [1, 2], "b": [1, 1]}), tmp_path / "one.parquet")
    with pytest.raises(UnreadableFileError, match=r"changed while it was read \(.*two.parquet\): it is new"):
        changed_after(tmp_path, lambda: (tmp_path / "two.parquet").write_bytes(b"x"))
    (tmp_path / "two.parquet").unlink()
    with pytest.raises(UnreadableFileError, match=r"vanished while it was read \(.*one.parquet\)"):
        changed_after(tmp_path, (tmp_path / "one.parquet").unlink)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "ratings.csv cannot be read: the temporary folder /.* full"),
        (PermissionError(errno.EACCES, "Permission denied"), "ratings.csv cannot be read: Permission denied"),
        (OSError(errno.EIO, "Input/output error", "other"), r"cannot be read: Input/output error \(other\)"),
    ],
)
def test_errors_of_the_system_name_the_file_and_the_reason(file, error, message):
    """A full temporary folder is named, since another one can be chosen."""
    with pytest.raises(UnreadableFileError, match=message), local_input(file):
        raise error


def test_a_spill_that_finds_no_space_names_the_temporary_folder(file):
    """DuckDB moves data to the temporary folder."""
    with open_file(file, ReadSpec()) as source, pytest.raises(UnreadableFileError, match="temporary folder is full"):
        source.rows("SELECT error('Could not write file: No space left on device')")


def test_documents_that_are_read_as_a_whole_have_a_limit(file, monkeypatch):
    """Certificates and scenarios are such documents."""
    monkeypatch.setattr(input_files, "MOST_TEXT_BYTES", 10)
    for read in (whole_text, km.verify):
        with pytest.raises(UnreadableFileError, match="ratings.csv must have at most 0 MB; it has more"):
            read(file)
    with pytest.raises(UnreadableFileError, match="cannot be read: Is a directory"):
        whole_text(file.parent)


def test_names_that_no_file_can_have_are_errors():
    """A zero byte in a name is not an error of Python."""
    with pytest.raises(UnreadableFileError, match="cannot be read: .*null"):
        km.read_ratings("a\0b")
