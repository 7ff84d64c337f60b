"""Turn JSON lists without names, one per row, into text with columns.

Such a list of lists has no names of columns, unless its first list contains them, like the first row of a text file.
The rows are therefore read like those of a text file, by the same rules.
"""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

from kappamax.io.structured_labels import is_structured
from kappamax.io.text_files import opened

_START = 100
_LARGEST = 100_000_000


def lists_as_text(path: Path) -> bytes | None:
    """Return the rows of a JSON file as comma-separated text, or None if they are not lists of labels.

    The file holds one list of lists, or one list per line.
    """
    with opened(path) as file:
        start = file.read(_START)
        if re.match(rb'(\xef\xbb\xbf)?\s*\[\s*[\["]', start) is None:
            return None
        content = start + file.read(_LARGEST)
    rows = _rows(content) if len(content) <= _LARGEST else None
    if not rows or not all(isinstance(row, list) and row and not any(map(is_structured, row)) for row in rows):
        return None
    out = StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def _rows(content: bytes) -> list[Any] | None:
    """Return the entries of a list, or those of all lines; None if the content is not JSON."""
    try:
        text = content.decode("utf-8-sig").strip()
        try:
            rows = json.loads(text)
        except ValueError:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError):
        return None
    return rows if isinstance(rows, list) else None
