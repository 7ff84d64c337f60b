"""Write batches as records with checksums, and accept only records that are as they were written.

The checksum of a record covers the settings of its study, so that a record of another study is not accepted either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from math import isfinite
from typing import Any

from kappamax.paper.study.batch import BatchKey, TableBatch

CHECKSUM = "checksum"
_DIGITS = 16


def checksum_of(record: Mapping[str, Any], study: str = "") -> str:
    """Return the checksum of a record without its own checksum, for a study whose header has the checksum `study`."""
    content = {name: value for name, value in record.items() if name != CHECKSUM}
    return sha256((study + json.dumps(content, sort_keys=True)).encode()).hexdigest()[:_DIGITS]


def record_of(key: BatchKey, batch: TableBatch, study: str) -> dict[str, Any]:
    """Return a batch as a record, which is plain data for JSON."""
    record = {"scenario": key[0], **asdict(batch), "below": [int(short) for short in batch.below]}
    return record | {CHECKSUM: checksum_of(record, study)}


def batch_from(line: bytes, study: str, sizes: Mapping[BatchKey, int]) -> tuple[BatchKey, TableBatch]:
    """Return the key and the batch of a line of a checkpoint.

    Parameters
    ----------
    line : bytes
        The record as JSON.
    study : str
        Checksum of the header of the study.
    sizes : mapping
        Number of tables of every batch of the study.

    Raises
    ------
    ValueError
        If the line is not a record of this study; the message is the reason, for use after "because".
    """
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("it is not JSON") from None
    if not isinstance(record, dict) or CHECKSUM not in record:
        raise ValueError("it is not a record with a checksum")
    if record[CHECKSUM] != checksum_of(record, study):
        raise ValueError("its checksum does not match its content and this study")
    content = {name: value for name, value in record.items() if name != CHECKSUM}
    if not _has_batch(content, sizes):
        raise ValueError("it does not hold a batch of tables of this study")
    number = content.pop("scenario")
    content |= {"steps": tuple(content["steps"]), "below": tuple(map(bool, content["below"]))}
    return (number, content["start"]), TableBatch(**content)


def _has_batch(content: Mapping[str, Any], sizes: Mapping[BatchKey, int]) -> bool:
    """Return whether all fields of a record have the right types, and whether its tables are a batch of the study."""
    names = {"scenario", *TableBatch.__dataclass_fields__}
    if set(content) != names or not all(_is_count(content[name]) for name in ("scenario", "start", "repaired")):
        return False
    size = sizes.get((content["scenario"], content["start"]))
    steps, below = content["steps"], content["below"]
    if not isinstance(steps, list) or not isinstance(below, list) or not len(steps) == len(below) == size:
        return False
    seconds = [content["seconds"], content["seconds_maximum"]]
    return (
        all(map(_is_count, steps))
        and all(_is_count(short) and short <= 1 for short in below)
        and content["repaired"] <= len(steps)
        and all(isinstance(time, float | int) and isfinite(time) and time >= 0 for time in seconds)
    )


def _is_count(value: Any) -> bool:
    """Return whether a value is a whole number >= 0."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
