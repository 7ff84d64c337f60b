"""Read the table in an uploaded file; on Linux nothing is written to disk."""

from __future__ import annotations

import warnings
from typing import Any

from kappamax._validate import as_list_of_names
from kappamax.errors import InvalidRequestError, KappamaxError, KappamaxWarning
from kappamax.io.duckdb_source import source_of
from kappamax.io.files import table_of_source
from kappamax.io.memory import held
from kappamax.io.read_spec import Plan
from kappamax.reporting.formats.json import data_of
from kappamax.reporting.sentences import of_table
from kappamax.web.schemas import FileRequest, plain_table

__all__ = ["file_table"]


def file_table(request: FileRequest) -> dict[str, Any]:
    """Return what a file holds as the page's table; the names of its columns come with an error too."""
    given = {name: getattr(request, name) for name in ("subject", "rater", "rating", "count")}
    lists = {name: getattr(request, name) for name in ("raters", "categories", "missing")}
    given |= {name: as_list_of_names(name, text) for name, text in lists.items() if text is not None}
    plan = Plan(
        layout=request.layout,
        complete_only=request.complete_only,
        **{name: value for name, value in given.items() if value is not None},
    )
    columns: list[str] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", KappamaxWarning)
        try:
            with (
                held(request.content) as path,
                source_of(
                    path,
                    "the file",
                    headed=plan.layout != "counts",
                    sheet=request.sheet,
                    delimiter=None,
                    spill=False,
                ) as source,
            ):
                columns = source.columns
                table = table_of_source(source, plan)
        except KappamaxError as error:
            raise InvalidRequestError(str(error), columns=columns) from None
    notes = [str(warning.message) for warning in said if issubclass(warning.category, KappamaxWarning)]
    return {
        "table": plain_table(table),
        "data": data_of(table),
        "columns": columns,
        "notes": [*notes, *of_table(table)],
    }
