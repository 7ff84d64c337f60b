"""The bytes of a file and how to read it in, its table out; nothing is written to disk where memory serves (Linux)."""

from __future__ import annotations

import warnings
from typing import Any

from kappamax._checks import web as checks
from kappamax._validate import as_list_of_names
from kappamax.errors import KappamaxError, KappamaxWarning
from kappamax.io.file_formats import open_bytes
from kappamax.io.files import table_of_source
from kappamax.io.read_spec import LAYOUTS, ReadSpec
from kappamax.reporting.formats.json import data_of
from kappamax.reporting.sentences import of_table
from kappamax.web.schemas import plain_table

__all__ = ["file_table"]

_LISTS = ("raters", "categories", "missing")
_NAMES = ("subject", "rater", "rating", "count")
_NAME = "the file"


def file_table(asked: dict[str, str], content: bytes) -> dict[str, Any]:
    """What a file holds, as the page's table; the names of its columns come with an error too."""
    given = {name: text for name, text in asked.items() if text != ""}
    checks.known_names(given, ("layout", "sheet", "complete_only", *_LISTS, *_NAMES))
    plain: dict[str, Any] = {name: given[name] for name in _NAMES if name in given}
    lists: dict[str, Any] = {name: as_list_of_names(name, given[name]) for name in _LISTS if name in given}
    spec = ReadSpec(
        layout=checks.one_of("layout", given.get("layout", "wide"), LAYOUTS),
        complete_only=checks.flag("complete_only", given.get("complete_only", "false")),
        sheet=given.get("sheet"),
        **plain,
        **lists,
    )
    columns: list[str] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", KappamaxWarning)
        try:
            with open_bytes(content, _NAME, spec) as source:
                columns = source.columns
                table = table_of_source(source, spec)
        except KappamaxError as error:
            checks.refuse_file(error, columns)
    notes = [str(warning.message) for warning in said if issubclass(warning.category, KappamaxWarning)]
    return {
        "table": plain_table(table),
        "data": data_of(table),
        "columns": columns,
        "notes": [*notes, *of_table(table)],
    }
