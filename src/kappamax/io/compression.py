"""Unpack compressed files, so that a file of any format is read whether it is compressed or not.

Text that is compressed by gzip is left as it is, since DuckDB reads it directly. Everything else is unpacked into a
temporary file, by which checksums are verified as well.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, cast

from kappamax.display.text import listing
from kappamax.errors import KappamaxError, UnreadableFileError
from kappamax.io.file_signatures import N_SIGNATURE_BYTES, format_of, format_of_bytes
from kappamax.io.input_files import unreadable
from kappamax.io.temporary_files import new_file

_COMPRESSIONS = ("gzip", "bzip2", "xz", "Zstandard")
#: errors of damaged files; a RuntimeError is raised for a password or an unknown method of compression
_DAMAGE = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError, struct.error, ValueError)
_BYTES_PER_CHUNK = 1 << 20
_MOST_BYTES_IN_MEMORY = 1 << 29
_MOST_LAYERS = 3


def unpacked(stack: ExitStack, path: Path, name: str, folder: Path | None) -> tuple[Path, str, tuple[str, ...]]:
    """Return the path of the unpacked content of a file, the format of the content, and notes.

    Parameters
    ----------
    stack : ExitStack
        Stack with which temporary files are removed.
    path : Path
        File, which need not be compressed.
    name : str
        Name of the file, for messages.
    folder : Path or None
        Folder for temporary files. If it is None, at most 512 MB are unpacked, and on Linux they stay in memory.
    """
    notes: tuple[str, ...] = ()
    for _ in range(_MOST_LAYERS + 1):
        kind = format_of(path)
        with damage_reported(name):
            if kind == "zip":
                with zipfile.ZipFile(path) as archive:
                    if _is_spreadsheet(archive):
                        return path, "spreadsheet", notes
                    member = _only_member(archive, name)
                    notes = (*notes, f"The file {member!r} in the archive was read.")
                    with archive.open(member) as content:
                        path = copied_chunks(stack, chunks_of(content), name, folder)
                continue
            if kind not in _COMPRESSIONS:
                return path, kind, notes
            if kind == "gzip" and _is_compressed_text(path):
                return path, "text", notes
            with _decompressed(path, kind) as content:
                path = copied_chunks(stack, chunks_of(content), name, folder)
    raise UnreadableFileError(
        f"{name} must not be compressed more than {_MOST_LAYERS} times; unpack it first.", code="nested-compression"
    )


@contextmanager
def damage_reported(name: str, as_what: str = "") -> Iterator[None]:
    """Raise errors about damaged content as an `UnreadableFileError`; `as_what` says how the file was read."""
    try:
        yield
    except KappamaxError:
        raise
    except OSError as error:
        if error.errno is not None:  # an error of the system, not of the content
            raise unreadable(error, name) from None
        raise UnreadableFileError(f"{name} cannot be read{as_what}: {error}.", code="damaged-file") from None
    except _DAMAGE as error:
        reason = str(error).rstrip(".") or type(error).__name__
        raise UnreadableFileError(f"{name} cannot be read{as_what}: {reason}.", code="damaged-file") from None


def _is_compressed_text(path: Path) -> bool:
    """Return whether a file is text, compressed by gzip."""
    with gzip.open(path) as content:
        return format_of_bytes(content.read(N_SIGNATURE_BYTES)) == "text"


def _decompressed(path: Path, kind: str) -> IO[bytes]:
    """Open the content of a file that is compressed by gzip, bzip2, xz or Zstandard."""
    if kind == "gzip":
        return cast(IO[bytes], gzip.open(path))
    if kind == "bzip2":
        return bz2.open(path)
    if kind == "xz":
        return lzma.open(path)
    try:
        import pyarrow
    except ImportError:
        raise UnreadableFileError(
            'Zstandard files need the extra arrow. Run pip install "kappamax[arrow]", or unpack the file first.',
            code="extra-needed",
        ) from None
    return cast(IO[bytes], pyarrow.input_stream(str(path), compression="zstd"))


def copied_chunks(stack: ExitStack, chunks: Iterable[bytes], name: str, folder: Path | None) -> Path:
    """Return the path of a temporary file with some content."""
    file, path = stack.enter_context(new_file(folder))
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if folder is None and size > _MOST_BYTES_IN_MEMORY:
            raise UnreadableFileError(
                f"{name} must have at most {_MOST_BYTES_IN_MEMORY >> 20} MB when it is unpacked; unpack it first."
            )
        file.write(chunk)
    file.flush()
    return path


def chunks_of(content: IO[bytes]) -> Iterator[bytes]:
    """Yield the content of a file in parts."""
    while chunk := content.read(_BYTES_PER_CHUNK):
        yield chunk


def _is_spreadsheet(archive: zipfile.ZipFile) -> bool:
    """Return whether an archive is a spreadsheet: Office Open XML and OpenDocument have a file with a fixed name."""
    names = archive.namelist()
    return "[Content_Types].xml" in names or ("mimetype" in names and "content.xml" in names)


def _only_member(archive: zipfile.ZipFile, name: str) -> str:
    """Return the name of the only file in an archive, apart from hidden files."""
    members = [
        member.filename for member in archive.infolist() if not member.is_dir() and not _is_hidden(member.filename)
    ]
    if len(members) != 1:
        held = f"{len(members)}: {listing(members)}. Extract one of them" if members else "none"
        raise UnreadableFileError(
            f"an archive must contain one file; {name} contains {held}.",
            code="several-files-in-archive",
            fields={"files": members},
        )
    return members[0]


def _is_hidden(member: str) -> bool:
    return any(part.startswith(".") or part == "__MACOSX" for part in PurePosixPath(member).parts)
