"""Finished blocks in, one JSON line each in a file; the same blocks out when a study is resumed.

A line is written, flushed and synced before the next block is counted, so a study killed at any moment loses at most
the blocks it was at. A last line cut short is dropped and its block done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from kappamax._checks import study as checks
from kappamax.paper.study.block import Block

__all__ = ["Checkpoint"]

Place = tuple[int, int]  # scenario and first table

_START = b'{"study": "kappamax"'


class Checkpoint:
    """A file of finished blocks, open for more.

    Parameters
    ----------
    path : Path
        Made if it does not exist.
    header : mapping
        What study this is; a file with another header is refused.
    """

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self.path = path
        wanted = json.loads(json.dumps({"study": "kappamax", **header}))
        lines, whole = _whole_lines(path)
        if lines:
            found = lines[0]
            if not isinstance(found, dict) or found.get("study") != "kappamax":
                checks.not_a_checkpoint(path)
            checks.same_study(found, wanted, path)
        elif path.exists() and path.read_bytes()[: len(_START)] != _START[: path.stat().st_size]:
            checks.not_a_checkpoint(path)
        self.blocks: dict[Place, Block] = {}
        for line in lines[1:]:
            place = (line.pop("scenario"), line["start"])
            line |= {"steps": tuple(line["steps"]), "below": tuple(map(bool, line["below"]))}
            self.blocks[place] = Block(**line)
        self._file: BinaryIO = path.open("r+b" if path.exists() else "x+b")
        self._file.truncate(whole)
        self._file.seek(whole)
        if not lines:
            self._append(wanted)

    def add(self, scenario: int, block: Block) -> None:
        """Keep one more block."""
        plain = asdict(block) | {"below": [int(short) for short in block.below]}
        self._append({"scenario": scenario, **plain})
        self.blocks[scenario, block.start] = block

    def _append(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()


def _whole_lines(path: Path) -> tuple[list[Any], int]:
    """Every line that was written to its end, and how many bytes they take."""
    if not path.exists():
        return [], 0
    lines, whole = [], 0
    for raw in path.read_bytes().splitlines(keepends=True):
        if not raw.endswith(b"\n"):
            break
        try:
            lines.append(json.loads(raw))
        except ValueError:
            checks.not_a_checkpoint(path)
        whole += len(raw)
    return lines, whole
