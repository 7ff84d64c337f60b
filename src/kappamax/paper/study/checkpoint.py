"""Store the finished batches of a study in a file, so that the study can be resumed.

The first line is a header with the settings of the study, and every batch is a further line of JSON with a checksum. A
line is written and synced before the next batch is counted. A study that is killed loses only the batches that were
running. An incomplete last line is dropped, a line that is not as it was written is ignored with a warning, and the
batches of both are run again. The file is locked, so that two studies cannot write to it.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, NoReturn

from kappamax.errors import InvalidOptionError, KappamaxWarning, UnwritableFileError
from kappamax.paper.study.batch import BatchKey, TableBatch
from kappamax.paper.study.batch_records import CHECKSUM, batch_from, checksum_of, record_of
from kappamax.paper.study.file_lock import lock, process_with_lock

FORMAT = 2  # format 1 had neither this number nor checksums
_START = b'{"study": "kappamax"'
_ELSEWHERE = "Remove it, or choose another file."
_LINES_SHOWN = 5


class Checkpoint:
    """File of finished batches, to which further ones are appended.

    Parameters
    ----------
    path : Path
        File to read and continue; it is created if it does not exist.
    header : mapping
        Version, seed, number of tables and scenarios of the study.
    sizes : mapping
        Number of tables of every batch of the study, by its key.

    Attributes
    ----------
    batches : dict
        Finished batches by their keys.

    Raises
    ------
    InvalidOptionError
        If the file is not a checkpoint, is damaged in its first line, belongs to another study, or is in use.
    UnwritableFileError
        If the file cannot be opened or written.

    Warns
    -----
    KappamaxWarning
        If lines of the file are ignored, or if the file system has no locks.
    """

    def __init__(self, path: Path, header: Mapping[str, Any], sizes: Mapping[BatchKey, int]) -> None:
        self.path = path
        self.batches: dict[BatchKey, TableBatch] = {}
        wanted = json.loads(json.dumps({"study": "kappamax", "format": FORMAT, **header}))
        self._study = checksum_of(wanted)
        first = _as_line(wanted | {CHECKSUM: self._study})
        self._file = _opened(path)
        try:
            _lock(self._file, path)
            lines, self._end = _whole_lines(self._file, path, first)
            if lines:
                _require_same_study(lines[0], wanted, path)
                self._read(lines[1:], sizes)
            self._file.truncate(self._end)
            self._file.seek(self._end)
            if not lines:
                self._append(first)
        except BaseException:
            self._file.close()
            raise

    def add(self, key: BatchKey, batch: TableBatch) -> None:
        """Store a batch.

        Raises
        ------
        UnwritableFileError
            If the file cannot be written, for example because the disk is full. The earlier batches remain stored.
        """
        self._append(_as_line(record_of(key, batch, self._study)))

    def close(self) -> None:
        """Close the file, which ends the lock."""
        self._file.close()

    def _read(self, lines: list[bytes], sizes: Mapping[BatchKey, int]) -> None:
        """Take the batches of all lines after the first, and warn about lines that are ignored."""
        ignored: dict[str, list[int]] = {}
        for number, line in enumerate(lines, start=2):
            try:
                key, batch = batch_from(line, self._study, sizes)
            except ValueError as reason:
                ignored.setdefault(str(reason), []).append(number)
            else:
                self.batches[key] = batch
        for why, numbers in ignored.items():
            warnings.warn(
                f"the checkpoint {self.path}: {_which_lines(numbers)} ignored because {why}. Batches that are missing "
                "are simulated again.",
                KappamaxWarning,
                stacklevel=4,
            )

    def _append(self, line: bytes) -> None:
        """Write a line and sync the file; if that fails, the file is as before."""
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            with suppress(OSError):  # an incomplete last line would be dropped by the next study
                self._file.truncate(self._end)
            raise UnwritableFileError(
                f"cannot write the checkpoint {self.path}: {error.strerror or error}. It keeps the batches that were "
                "stored before; run the study again to continue."
            ) from error
        self._end += len(line)


def _which_lines(numbers: list[int]) -> str:
    """Return the numbers of ignored lines, with the verb."""
    if len(numbers) == 1:
        return f"line {numbers[0]} was"
    more = f" and {len(numbers) - _LINES_SHOWN} more" if len(numbers) > _LINES_SHOWN else ""
    return f"lines {', '.join(map(str, numbers[:_LINES_SHOWN]))}{more} were"


def _as_line(record: Mapping[str, Any]) -> bytes:
    """Return a record as a line of JSON."""
    return json.dumps(record).encode() + b"\n"


def _opened(path: Path) -> FileIO:
    """Open a file for reading and writing without a buffer; it is created if it does not exist."""
    if path.exists() and not path.is_file():
        raise InvalidOptionError(f"the checkpoint must be a file; {path} is a folder or a device.")
    try:
        return FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666), "r+")
    except OSError as error:
        raise UnwritableFileError(f"cannot open the checkpoint {path}: {error.strerror or error}.") from None


def _lock(file: FileIO, path: Path) -> None:
    """Lock the checkpoint until it is closed."""
    try:
        lock(file)
    except BlockingIOError:
        process = process_with_lock(file)
        who = "another study" if process is None else f"another study (process {process})"
        raise InvalidOptionError(
            f"the checkpoint {path} is in use by {who}. Wait until that study ends, or choose another file.",
            code="checkpoint-in-use",
            fields={"path": str(path), "process": process},
        ) from None
    except OSError as error:
        warnings.warn(
            f"the checkpoint {path} cannot be locked ({error.strerror or error}); do not run another study with it.",
            KappamaxWarning,
            stacklevel=4,
        )


def _whole_lines(file: FileIO, path: Path, first: bytes) -> tuple[list[bytes], int]:
    """Return all complete lines and their total number of bytes; `first` is the first line of the current study."""
    start = file.read(len(_START))
    if start != _START[: len(start)]:
        _raise_not_a_checkpoint(path)
    content = start + file.readall()
    if b"\n" not in content and not first.startswith(content):  # not the beginning of a header either
        _raise_not_a_checkpoint(path)
    whole = content.rfind(b"\n") + 1
    return content[:whole].split(b"\n")[:-1], whole


def _require_same_study(line: bytes, wanted: Mapping[str, Any], path: Path) -> None:
    """Require that the first line is the header of the current study."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        _raise_damaged(path, "it is not JSON")
    if not isinstance(found, dict) or found.get("study") != "kappamax":
        _raise_not_a_checkpoint(path)
    if "format" not in found:
        raise InvalidOptionError(
            f"the checkpoint {path} was written by an earlier version of kappamax without checksums, so its numbers "
            f"cannot be verified. {_ELSEWHERE}"
        )
    if found["format"] != FORMAT:
        raise InvalidOptionError(
            f"the checkpoint {path} has format {found['format']!r}, but this version of kappamax reads format "
            f"{FORMAT}. {_ELSEWHERE}"
        )
    if found.get(CHECKSUM) != checksum_of(found):
        _raise_damaged(path, "its checksum does not match its content")
    for name, what in (("version", "version of kappamax"), ("seed", "seed"), ("n_tables", "number of tables")):
        if found.get(name) != wanted[name]:
            raise InvalidOptionError(
                f"the checkpoint {path} belongs to another study: its {what} is {found.get(name)!r}, not "
                f"{wanted[name]!r}. {_ELSEWHERE}"
            )
    if found.get("scenarios") != wanted["scenarios"]:
        raise InvalidOptionError(f"the checkpoint {path} belongs to another study: its scenarios differ. {_ELSEWHERE}")


def _raise_damaged(path: Path, why: str) -> NoReturn:
    """Raise the error for a checkpoint whose header is damaged."""
    raise InvalidOptionError(
        f"line 1 of the checkpoint {path}, which says to which study it belongs, is damaged: {why}. {_ELSEWHERE}"
    )


def _raise_not_a_checkpoint(path: Path) -> NoReturn:
    """Raise the error for a file that is not a checkpoint."""
    raise InvalidOptionError(f"{path} is not a checkpoint of a study; choose another file.")
