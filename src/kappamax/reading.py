"""Record how ratings were read, so that every result can say what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kappamax._result import Result


@dataclass(frozen=True, repr=False)
class Reading(Result):
    """How ratings were read from a file, a frame or arrays.

    Attributes
    ----------
    source : str or None
        Name of the file; None for ratings that were not read from a file.
    layout : str or None
        Layout of the file or frame: "wide", "long", "counts" or "patterns"; None for arrays.
    missing : dict
        Number of missing ratings by the text that was recognised as missing; empty cells have the key "". Ratings for
        which there is no row in the long layout are not included.
    columns_left_out : dict
        Reason why a column was not used, by the name of the column.
    notes : tuple of str
        Sentences about everything that was recognised or left out.
    """

    source: str | None = None
    layout: str | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    columns_left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
