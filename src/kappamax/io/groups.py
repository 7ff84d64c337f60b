"""A file and one of its columns in, a table for every value of that column out.

All groups share the categories of the whole file, so that a category nobody used in one group still counts there.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kappamax._checks import columns as column_checks
from kappamax.errors import KappamaxError
from kappamax.io.duckdb_source import Source, sql_list
from kappamax.io.files import open_source, table_of_source
from kappamax.io.read_spec import Plan
from kappamax.table import Table

__all__ = ["read_groups"]

_MOST_GROUPS = 10_000


def read_groups(
    path: str | os.PathLike[str],
    *,
    by: str,
    sheet: str | int | None = None,
    delimiter: str | None = None,
    **options: Any,
) -> Iterator[tuple[str, Table | KappamaxError]]:
    """The table of every group, or the error that its ratings alone would raise, in the order of the groups' names.

    Parameters
    ----------
    path, sheet, delimiter, **options
        As for `read_ratings`; any layout but counts.
    by : str
        The column that names the groups; rows without a name are the group "".
    """
    plan = Plan(**options)
    column_checks.can_be_grouped(plan.layout)
    with open_source(path, headed=True, sheet=sheet, delimiter=delimiter) as source:
        column_checks.column_among("by", by, source.columns)
        source = replace(source, apart=source.apart | {by})
        whole = table_of_source(source, plan)
        shared = replace(plan, categories=list(whole.categories))
        name = f"coalesce(trim({source.texts[by]}), '')"
        names = [row[0] for row in source.rows(f"SELECT DISTINCT {name} AS own FROM file ORDER BY own")]
        column_checks.few_groups(len(names), _MOST_GROUPS, by)
        source.connection.execute("ALTER VIEW file RENAME TO whole_file")
        for own in names:
            source.connection.execute(
                f"CREATE OR REPLACE VIEW file AS SELECT * FROM whole_file WHERE {name} = {sql_list([own])}"
            )
            yield own, _group(replace(source, unit="row of the group", first=1), shared, whole)


def _group(source: Source, plan: Plan, whole: Table) -> Table | KappamaxError:
    try:
        table = table_of_source(source, plan)
    except KappamaxError as error:
        return error
    return Table(table.patterns, table.counts, whole.categories, table.raters, ordered=whole.ordered)
