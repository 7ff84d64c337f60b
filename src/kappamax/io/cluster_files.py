"""Number the clusters in a file, and count the patterns of ratings in each of them.

DuckDB replaces the names of clusters by numbers, so that only numbers are held in memory.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kappamax.errors import Advice
from kappamax.io.arrays import RowClusters
from kappamax.io.file_formats import LINE, Source, sql_list
from kappamax.io.labels import MISSING_TEXT
from kappamax.io.row_names import WHOLE_NUMBER, raise_without_cluster

_WHOLE_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?")
SPACES = " \t\r\n\u00a0\u200b\ufeff"


class NumberedClusters(NamedTuple):
    """The clusters of a file in SQL, whose numbers are in the table `cluster_names` with the columns cell and code.

    Attributes
    ----------
    column : str
        Name of the column.
    cell : str
        Expression of the cell of a row, which may have surrounding spaces.
    name : str
        Expression of the name of the cluster of a row.
    file : str
        Table whose rows have these expressions.
    """

    column: str
    cell: str
    name: str
    file: str

    def with_codes(self, columns: str) -> str:
        """Return the table of some columns of the file, and the column `cluster` with the number of the cluster."""
        return (
            "(SELECT * EXCLUDE (own_cell, cell, code), code AS cluster "
            f"FROM (SELECT {columns}, {self.cell} AS own_cell FROM {self.file}) JOIN cluster_names ON own_cell = cell)"
        )


def sql_name(text: str) -> str:
    """Return the SQL expression of a name without surrounding spaces, NULL if it is empty."""
    return f"nullif(trim({text}, {sql_list([SPACES])}), '')"


def is_whole_number(source: Source, column: str) -> bool:
    """Return whether a column has a type of whole numbers, which are named by themselves."""
    ((_, kind, *_),) = source.rows(f"DESCRIBE SELECT {source.values[column]} FROM file")
    own_name = source.texts[column] == f"CAST({source.values[column]} AS VARCHAR)"
    return own_name and _WHOLE_NUMBERS.fullmatch(kind) is not None


def filled_down(source: Source, name: str) -> tuple[str, str]:
    """Return the SQL expression of a name that is repeated in the rows below if they have none, and the table of it."""
    file = "file" if source.line == LINE else f"(SELECT *, {source.line} AS {LINE} FROM file)"
    return f"last_value({name} IGNORE NULLS) OVER (ORDER BY {LINE} ROWS UNBOUNDED PRECEDING)", file


def number_clusters(source: Source, column: str, *, fill_down: bool) -> NumberedClusters:
    """Number the clusters of an open file, of which every row must have one.

    `fill_down` says whether empty cells repeat the cell above. Spaces are removed from distinct cells only, since this
    takes longer than to find them.
    """
    cell, name, file, line = source.texts[column], sql_name(source.texts[column]), "file", source.line
    order = f"CASE WHEN regexp_full_match(name, '{WHOLE_NUMBER}') THEN CAST(name AS BIGINT) END NULLS LAST, name"
    own_name = sql_name("cell")
    if fill_down:
        name, file = filled_down(source, name)
        cell, line, own_name = name, LINE, "cell"
    elif is_whole_number(source, column):
        cell, order, own_name = source.values[column], "cell", "CAST(cell AS VARCHAR)"
    source.rows(
        f"CREATE OR REPLACE TEMP TABLE cluster_names AS SELECT cell, name, (dense_rank() OVER (ORDER BY {order}) - 1)"
        f"::INTEGER AS code FROM (SELECT cell, {own_name} AS name FROM (SELECT DISTINCT {cell} AS cell FROM {file}))"
    )
    absent = f"name IS NULL OR lower(name) IN ({sql_list(sorted(MISSING_TEXT))})"
    ((n_absent, n_binary),) = source.rows(
        f"SELECT count(*) FILTER ({absent}), count(*) FILTER (contains(name, chr(0))) FROM cluster_names"
    )
    if n_binary:
        source.require_text([["\0"]])
    if n_absent:
        rows = f"(SELECT {name} AS name, {line} AS line FROM {file})"
        ((n_rows, first),) = source.rows(f"SELECT count(*), min(line) FROM {rows} WHERE {absent}")
        advice = [] if fill_down else [Advice({"fill_down": True}, "if empty cells repeat the cell above")]
        raise_without_cluster(n_rows, column, f"{source.unit} {source.number(first)}", advice)
    source.rows("ALTER TABLE cluster_names DROP COLUMN name")
    return NumberedClusters(column, cell, name, file)


def clusters_of_patterns(
    source: Source, columns: Sequence[str], counts: Sequence[int], clusters: NumberedClusters
) -> RowClusters:
    """Return how many rows of each cluster have each pattern in the table `file_patterns`.

    If there are more combinations of a cluster and a pattern than rows, the rows are not counted.

    Parameters
    ----------
    source : Source
        Open file.
    columns : sequence of str
        Expressions of the values that make up a pattern; `file_patterns` has them as v0, v1, and so on.
    counts : sequence of int
        Number of rows with each pattern.
    clusters : NumberedClusters
        Clusters of the rows.
    """
    named = ", ".join(f"{column} AS w{i}" for i, column in enumerate(columns))
    same = " AND ".join(f"w{i} IS NOT DISTINCT FROM v{i}" for i in range(len(columns)))
    keys = f"SELECT cluster::BIGINT * {len(counts)} + file_patterns.rowid AS key"
    rows = f"FROM {clusters.with_codes(named)} AS cells JOIN file_patterns ON {same}"
    ((n_clusters,),) = source.rows("SELECT max(code) + 1 FROM cluster_names")
    if n_clusters * len(counts) > sum(counts):
        key, n = source.arrays(f"{keys} {rows}")["key"], None
        key.sort()  # the order of the rows does not matter, and sums over them do not depend on it
    else:
        found = source.arrays(f"{keys}, count(*) AS n {rows} GROUP BY key ORDER BY key")
        key, n = found["key"], found["n"]
    return RowClusters(key // len(counts), clusters.column, key % len(counts), n)
