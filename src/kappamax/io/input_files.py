"""Check an input before it is read, copy streams within limits, and notice a file that changes while it is read."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import IO

from kappamax.display.text import shortened
from kappamax.errors import KappamaxError, UnreadableFileError

MOST_FOLDER_ENTRIES = 100_000
MOST_STREAM_BYTES = 4 << 30
MOST_TEXT_BYTES = 200_000_000
_BYTES_PER_CHUNK = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)
_State = dict[str, tuple[int, int, int, int]]


@contextmanager
def local_input(path: str | os.PathLike[str]) -> Iterator[tuple[Path, Path]]:
    """Yield the path of a file or folder that can be read more than once, and a folder for temporary files.

    Standard input ("-") and pipes are copied into the temporary folder. An error is raised if the input is a device, or
    if it changes before the context ends. Errors of the operating system are raised as `UnreadableFileError`.
    """
    name = name_of_input(path)
    try:
        with TemporaryDirectory(prefix="kappamax-") as made:
            folder = Path(made)
            local = (
                _copied_stream(path, name, folder) if str(path) == "-" or not _is_lasting(Path(path)) else Path(path)
            )
            before = _state(local)
            try:
                yield local, folder
            except (KappamaxError, OSError):
                _require_unchanged(local, name, before)  # the likely cause
                raise
            _require_unchanged(local, name, before)
    except OSError as error:
        raise unreadable(error, name) from None


def name_of_input(path: str | os.PathLike[str]) -> str:
    """Return the name of an input for messages."""
    return "standard input" if str(path) == "-" else str(path)


def whole_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file in UTF-8, which is read as a whole; a UnicodeDecodeError is left to the caller."""
    try:
        _is_lasting(Path(path))
        with Path(path).open("rb") as file:
            content = file.read(MOST_TEXT_BYTES + 1)
    except OSError as error:
        raise unreadable(error, str(path)) from None
    if len(content) > MOST_TEXT_BYTES:
        raise UnreadableFileError(
            f"{path} must have at most {MOST_TEXT_BYTES // 1_000_000:,} MB; it has more.", code="file-too-large"
        )
    return content.decode("utf-8")


def stream_bytes(stream: IO[bytes], name: str, most_bytes: int) -> bytes:
    """Return the content of a stream, or its beginning if it is longer than `most_bytes`; devices are refused."""
    _require_no_device(stream, name)
    try:
        return stream.read(most_bytes)
    except OSError as error:
        raise unreadable(error, name) from None


def files_in(folder: Path) -> list[Path]:
    """Return all files in a folder and its subfolders, sorted; links to folders are not followed."""
    found: list[Path] = []
    n_entries = 0
    for where, folders, names in os.walk(folder, onerror=_raise):
        n_entries += len(folders) + len(names)
        if n_entries > MOST_FOLDER_ENTRIES:
            raise UnreadableFileError(
                f"a folder must have at most {MOST_FOLDER_ENTRIES:,} files and subfolders; {folder} has more.",
                code="folder-too-large",
            )
        found += [Path(where) / name for name in names]
    return sorted(file for file in found if file.is_file())


def parquet_files(folder: Path) -> list[Path]:
    """Return the Parquet files in a folder and its subfolders; hidden files and metadata files are left out."""
    return [file for file in files_in(folder) if file.suffix == ".parquet" and file.name[0] not in "._"]


def unreadable(error: OSError, name: str) -> UnreadableFileError:
    """Return the error that says which file could not be read, and why."""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        return UnreadableFileError(
            f"{name} cannot be read: the temporary folder {gettempdir()} is full. Free some space, or set TMPDIR to "
            "another folder.",
            code="temporary-folder-full",
        )
    failed = error.filename if isinstance(error.filename, str) else ""
    part = f" ({shortened(failed)})" if failed and failed != name else ""
    return UnreadableFileError(f"{shortened(name)} cannot be read: {reason}{part}.")


def _is_lasting(path: Path) -> bool:
    """Return whether a path is a file or a folder, which can be read more than once; a pipe cannot."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return True
        if stat.S_ISSOCK(mode):
            raise UnreadableFileError(f"{path} must be a file, a folder or a pipe; it is a socket.", code="not-a-file")
        if not stat.S_ISREG(mode):
            _require_no_device(path, str(path))
            return False
        with path.open("rb"):
            return True
    except FileNotFoundError:
        raise UnreadableFileError(f"there is no file {path}.") from None
    except ValueError as error:  # such as a zero byte in the name
        if isinstance(error, KappamaxError):
            raise
        raise UnreadableFileError(f"{shortened(str(path))} cannot be read: {error}.") from None


def _require_no_device(source: Path | IO[bytes], name: str) -> None:
    """Reject devices, which may never end, such as /dev/zero; a terminal and the null device are accepted."""
    try:
        status = source.stat() if isinstance(source, Path) else os.fstat(source.fileno())
    except OSError:  # also raised by streams that are not open files
        return
    if not (stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)):
        return
    if Path(os.devnull).exists() and status.st_rdev == Path(os.devnull).stat().st_rdev:
        return
    if not isinstance(source, Path) and source.isatty():
        return
    raise UnreadableFileError(f"{name} must be a file, a folder or a pipe; it is a device.", code="not-a-file")


def _copied_stream(path: str | os.PathLike[str], name: str, folder: Path) -> Path:
    """Return a file with the content of standard input or of a pipe."""
    copy = folder / "input"
    if str(path) != "-":
        with Path(path).open("rb") as stream, copy.open("wb") as target:
            _copy(stream, target, name, folder)
        return copy
    if sys.stdin is None:
        raise UnreadableFileError("standard input is closed.")
    _require_no_device(sys.stdin.buffer, name)
    with copy.open("wb") as target:
        _copy(sys.stdin.buffer, target, name, folder)
    return copy


def _copy(stream: IO[bytes], target: IO[bytes], name: str, folder: Path) -> None:
    """Copy a stream, which may have at most 4 GB and fill at most half of the free space of the temporary folder."""
    half = shutil.disk_usage(folder).free // 2
    size, most = 0, min(MOST_STREAM_BYTES, half)
    while chunk := stream.read(_BYTES_PER_CHUNK):
        size += len(chunk)
        if size > most:
            why = f" (half of the free space of the temporary folder {folder.parent})" if most == half else ""
            raise UnreadableFileError(
                f"a stream must have at most {most / 1e9:.3g} GB{why}; {name} has more. Save it to a file, and read "
                "that file.",
                code="stream-too-large",
            )
        target.write(chunk)


def _state(path: Path) -> _State:
    """Return the size, the time of the last change, the device and the inode of a file or of all files in a folder."""
    files = files_in(path) if path.is_dir() else [path]
    found = {str(file): file.stat() for file in files}
    return {name: (one.st_size, one.st_mtime_ns, one.st_dev, one.st_ino) for name, one in found.items()}


def _require_unchanged(path: Path, name: str, before: _State) -> None:
    """Reject an input that is no longer what it was when it was opened."""
    try:
        after = _state(path)
    except FileNotFoundError:
        after = {}
    if after == before:
        return
    changed = next(file for file in [*before, *after] if before.get(file) != after.get(file))
    inside = "" if changed == str(path) else f" ({shortened(changed)})"
    if changed not in after:
        raise UnreadableFileError(f"{name} vanished while it was read{inside}.", code="file-changed")
    sizes = (
        f"it had {before[changed][0]:,} bytes and now has {after[changed][0]:,}" if changed in before else "it is new"
    )
    raise UnreadableFileError(f"{name} changed while it was read{inside}: {sizes}. Read it again.", code="file-changed")


def _raise(error: OSError) -> None:
    raise error
