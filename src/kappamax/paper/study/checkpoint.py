"""Store the finished batches of a study in a file, so that the study can be resumed.

Every batch is a line of JSON, which is written, flushed and synced before the next batch is counted. A study that is
killed loses only the batches that were running. An incomplete last line is dropped, and its batch is run again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from kappamax.errors import InvalidOptionError
from kappamax.paper.study.batch import BatchKey, TableBatch

_START = b'{"study": "kappamax"'


class Checkpoint:
    """File of finished batches, to which further ones are appended.

    Parameters
    ----------
    path : Path
        File to read and continue; it is created if it does not exist.
    header : mapping
        Version, seed, number of tables and scenarios of the study.

    Raises
    ------
    InvalidOptionError
        If the file is not a checkpoint, or if its header is different.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        wanted = json.loads(json.dumps({"study": "kappamax", **header}))
        lines, whole = _whole_lines(path)
        if lines:
            found = lines[0]
            if not isinstance(found, dict) or found.get("study") != "kappamax":
                _raise_not_a_checkpoint(path)
            _require_same_study(found, wanted, path)
        elif path.exists() and path.read_bytes()[: len(_START)] != _START[: path.stat().st_size]:
            _raise_not_a_checkpoint(path)
        self.batches: dict[BatchKey, TableBatch] = {}
        for line in lines[1:]:
            key = (line.pop("scenario"), line["start"])
            line |= {"steps": tuple(line["steps"]), "below": tuple(map(bool, line["below"]))}
            self.batches[key] = TableBatch(**line)
        self._file: BinaryIO = path.open("r+b" if path.exists() else "x+b")
        self._file.truncate(whole)
        self._file.seek(whole)
        if not lines:
            self._append(wanted)

    def add(self, scenario: int, batch: TableBatch) -> None:
        """Store a batch."""
        plain = asdict(batch) | {"below": [int(short) for short in batch.below]}
        self._append({"scenario": scenario, **plain})

    def _append(self, line: Mapping[str, Any]) -> None:
        """Write a line and sync the file."""
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _whole_lines(path: Path) -> tuple[list[Any], int]:
    """Return all complete lines and their total number of bytes."""
    if not path.exists():
        return [], 0
    lines, whole = [], 0
    for raw in path.read_bytes().splitlines(keepends=True):
        if not raw.endswith(b"\n"):
            break
        try:
            lines.append(json.loads(raw))
        except ValueError:
            _raise_not_a_checkpoint(path)
        whole += len(raw)
    return lines, whole


def _require_same_study(found: Mapping[str, Any], wanted: Mapping[str, Any], path: Path) -> None:
    """Require the header of the current study."""
    for name, what in (("version", "version of kappamax"), ("seed", "seed"), ("n_tables", "number of tables")):
        if found.get(name) != wanted[name]:
            raise InvalidOptionError(
                f"the checkpoint {path} belongs to another study: its {what} is {found.get(name)!r}, not "
                f"{wanted[name]!r}. Remove it, or choose another file."
            )
    if found.get("scenarios") != wanted["scenarios"]:
        raise InvalidOptionError(
            f"the checkpoint {path} belongs to another study: its scenarios differ. Remove it, or choose another file."
        )


def _raise_not_a_checkpoint(path: Path) -> NoReturn:
    """Raise the error for a file that is not a checkpoint."""
    raise InvalidOptionError(f"{path} is not a checkpoint of a study; choose another file.")
