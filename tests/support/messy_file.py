"""A file in which something of every kind is recognised or left out when it is read."""

from __future__ import annotations

from pathlib import Path

__all__ = ["MESSY", "SAID", "write_messy"]

#: an identifier, a blank column, missing ratings in two spellings, and a subject without a rating
MESSY = """\
id,ann,bob,empty
101,yes,no,
102,no,no,
103,NA,yes,
104,,maybe,
105,,,
106,maybe,maybe,
107,yes,yes,
"""
#: words about this file that every output contains
SAID = ("messy.csv", "2 of 12 ratings missing, in 2 subjects", "Column 'id' was left out")


def write_messy(folder: Path) -> Path:
    """Write the file into a folder and return its path."""
    path = folder / "messy.csv"
    path.write_text(MESSY, encoding="utf-8")
    return path
