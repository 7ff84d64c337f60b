"""Read files of ratings, with one reader for each layout.

All layouts are read in the same way: DuckDB groups equal patterns, so that only distinct patterns are held in memory;
their values are turned into codes of categories; and the codes and counts become a table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, KappamaxError, NotSupportedError
from kappamax.io.arrays import table_of_rows
from kappamax.io.cluster_files import clusters_of_patterns, number_clusters
from kappamax.io.column_profiles import ColumnProfile, profiles_of, sample_size
from kappamax.io.column_roles import LEFT_OUT, NOT_CHOSEN, left_out_notes, raters_among, roles_of
from kappamax.io.count_matrices import table_of_matrix
from kappamax.io.file_formats import Source, open_file, sql_list
from kappamax.io.labels import as_count
from kappamax.io.layout_guess import long_columns, other_layout
from kappamax.io.long_files import MOST_CELLS, TOO_MANY_PATTERNS, read_long, with_joined_subject
from kappamax.io.read_spec import ReadSpec, as_column, joined_names
from kappamax.io.stray_rows import stray_rows
from kappamax.io.value_labels import require_labels_of_all
from kappamax.table import Label, Table

_MOST_GROUPS = 10_000
_MOST_MATRIX_ROWS = 300


def read_ratings(
    path: str | os.PathLike[str],
    *,
    layout: str | None = None,
    categories: Sequence[Label] | None = None,
    raters: Sequence[str] | None = None,
    subject: str | Sequence[str] | None = None,
    rater: str | None = None,
    rating: str | None = None,
    count: str | None = None,
    cluster: str | None = None,
    missing: Sequence[Any] = (),
    complete_only: bool = False,
    sheet: str | int | None = None,
    delimiter: str | None = None,
    skip_rows: int | None = None,
    no_header: bool = False,
    transpose: bool = False,
    fill_down: bool = False,
    encoding: str | None = None,
    decimal_comma: bool = False,
    ignore_case: bool = False,
    rename: Mapping[str, Any] | None = None,
    accept_labels: bool = False,
) -> Table:
    """Read ratings from a file: text with columns, Parquet (a file or a folder), JSON lines, Arrow, or a spreadsheet.

    Files of Stata, SPSS and SAS are read with their value labels and missing codes. A file may be compressed. Its
    content decides its format, not its name.

    Parameters
    ----------
    path : str or path
        File or folder to read; "-" is standard input.
    layout : str, optional
        Layout of the file. Default: the layout that its format prescribes, otherwise "wide".

        - "wide" has a header, one row per subject and one column per rater.
        - "long" has one row per rating, with the columns subject, rater and rating.
        - "counts" is a square matrix of counts for two raters. It has labels if its top-left cell is empty or not a
          number.
        - "patterns" has one column per rater and a column of counts.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default, the labels that occur; numbers are in increasing
        order, and text has no order.
    raters : sequence of str, optional
        Columns of the raters or, in the long layout, the raters to use, in this order, default all. In the counts
        layout, the names of the two raters, default "1" and "2".
    subject : str or sequence of str, optional
        Column that identifies the subjects, or columns that identify them together, as sites and the numbers of
        patients within them do. In the long layout the default is "subject". In the wide and patterns layouts these
        columns are not used as raters.
    rater, rating : str, optional
        Columns of the raters and ratings in the long layout, default "rater" and "rating".
    count : str, optional
        Column of counts in the patterns layout. By default a column called count, counts, n, freq or frequency,
        otherwise the last column.
    cluster : str, optional
        Column that names the cluster of each subject, such as the patient of a lesion. Clusters affect standard errors
        only. By default, subjects are not in clusters.
    missing : sequence of labels
        Codes that stand for a missing rating, in addition to empty cells and, in upper or lower case, the texts NA,
        N/A, NaN, null, missing, ".", ".a" to ".z", "-" (unless "+" is a label), "?", and error values of spreadsheets
        such as #N/A. By default there are no further codes.
    complete_only : bool
        Whether subjects with a missing rating are left out, default False. `Table.n_left_out` is their number.
    sheet : str or int, optional
        Sheet of a spreadsheet, by name or by position counted from one. It must be given if there are several sheets.
    delimiter : str, optional
        Character that separates the columns of text. By default a comma, tab, semicolon or bar, whichever splits the
        rows most evenly.
    skip_rows : int, optional
        Number of lines above the header of a text file or sheet. By default, titles and comments are recognised.
    no_header : bool
        Whether the first row of a text file or sheet is data, default False. The columns are then called "column 1",
        "column 2", and so on.
    transpose : bool
        Whether the rows of a text file or sheet are raters and its columns subjects, default False.
    fill_down : bool
        Whether empty cells in the columns subject and rater of the long layout, and in the column of clusters, repeat
        the cell above, as merged cells of a sheet do; default False.
    encoding : str, optional
        Encoding of a text file, such as "cp1252". By default it is detected.
    decimal_comma : bool
        Whether 1,5 is the number 1.5, default False.
    ignore_case : bool
        Whether labels that differ only in case are the same, default False.
    rename : mapping, optional
        Labels to be replaced, with their new labels. By default no label is replaced.
    accept_labels : bool
        Whether labels are taken as they stand even if they look like mistakes, default False.

    Returns
    -------
    Table
        The counts of all patterns of ratings.

    Raises
    ------
    UnreadableFileError
        If the file does not exist, is empty or damaged, or has rows of different lengths.
    InvalidRatingsError
        If a column is missing, a rating is not among the categories, fewer than two raters are left, or a subject does
        not belong to exactly one cluster.
    InvalidTableError
        If a count is not a whole number >= 0, or a matrix of counts is not square.
    InvalidOptionError
        If an argument does not fit the layout or the file.

    Examples
    --------
    >>> import kappamax as km
    >>> km.read_ratings(km.datasets.EXAMPLES["anxiety"].path).n_subjects
    20
    """
    spec = ReadSpec(
        layout=layout,
        categories=categories,
        raters=raters,
        subject=joined_names(subject),
        rater=rater,
        rating=rating,
        count=count,
        cluster=cluster,
        missing=missing,
        complete_only=complete_only,
        sheet=sheet,
        delimiter=delimiter,
        skip_rows=skip_rows,
        no_header=no_header,
        transpose=transpose,
        fill_down=fill_down,
        encoding=encoding,
        decimal_comma=decimal_comma,
        ignore_case=ignore_case,
        rename=rename or {},
        accept_labels=accept_labels,
    )
    with open_file(path, spec) as source:
        return table_of_source(source, spec)


def read_groups(
    path: str | os.PathLike[str], *, by: str, **options: Any
) -> Iterator[tuple[str, Table | KappamaxError]]:
    """Yield the table of every group of rows, or the error that reading the group raises.

    All groups have the categories of the whole file, including those that are not used in a group. The groups are in
    the order of their names.

    Parameters
    ----------
    path, **options
        As for `read_ratings`; the layout "counts" is not supported.
    by : str
        Column that names the group of each row. Rows without a name form the group "".

    Yields
    ------
    name : str
        Name of the group.
    found : Table or KappamaxError
        Table of the group, or the error that was raised.
    """
    spec = ReadSpec(**options)
    if spec.layout == "counts":
        raise InvalidOptionError("by needs a layout with rows of ratings; a matrix of counts has none.")
    with open_file(path, spec) as source:
        as_column("by", by, source.columns)
        source = replace(source, not_raters=source.not_raters | {by})
        whole = table_of_source(source, spec)
        shared = replace(spec, categories=list(whole.categories))
        name = f"coalesce(trim({source.texts[by]}), '')"
        names = [row[0] for row in source.rows(f"SELECT DISTINCT {name} AS own FROM file ORDER BY own")]
        if len(names) > _MOST_GROUPS:
            raise InvalidOptionError(
                f"by must name a column with at most {_MOST_GROUPS:,} different values; {by!r} has {len(names):,}."
            )
        source.rows("ALTER VIEW file RENAME TO whole_file")
        for own in names:
            source.rows(f"CREATE OR REPLACE VIEW file AS SELECT * FROM whole_file WHERE {name} = {sql_list([own])}")
            try:
                table = table_of_source(replace(source, unit="row of the group", first=1), shared)
            except KappamaxError as error:
                yield own, error
            else:
                table.ordered = whole.ordered
                yield own, table


def table_of_source(source: Source, spec: ReadSpec) -> Table:
    """Return the table of an open file, with a record of how it was read."""
    spec = replace(spec, layout=spec.layout or source.layout or "wide")
    source, rows = _sampled(source) if spec.layout != "counts" else (source, [])
    if spec.layout != "counts" and not rows:
        raise InvalidRatingsError(
            f"{source.name} contains no subject; there is no row after the header.", code="no-subject"
        )
    table, left_out = _READERS[spec.layout or ""](source, spec, rows)
    notes = (*source.notes, *left_out_notes(left_out), *table.reading.notes)
    table.reading = replace(
        table.reading, source=source.name, layout=spec.layout, columns_left_out=left_out, notes=notes
    )
    return table


Rows = Sequence[Sequence[Any]]


def _read_wide(source: Source, spec: ReadSpec, rows: Rows) -> tuple[Table, dict[str, str]]:
    """Read one row per subject and one column per rater; `rows` are the first rows."""
    header, left_out = source.columns, dict[str, str]()
    if spec.raters is None:
        unused = {*source.not_raters, *spec.columns_aside(header)}
        candidates = [profile for profile in profiles_of(header, rows, spec.rename) if profile.name not in unused]
        cells = [[row[header.index(profile.name)] for profile in candidates] for row in rows[:_MOST_MATRIX_ROWS]]
        if error := other_layout(candidates, cells, source.name, has_header=source.named_by_file):
            raise error
        _require_labels_of_both(source, spec, candidates, rows)
        names, left_out = raters_among(candidates, source.name, spec.categories)
    else:
        names = spec.rating_columns(header)
    return _read_columns(source, spec, names), _unused(header, names, spec) | left_out


def _read_patterns(source: Source, spec: ReadSpec, rows: Rows) -> tuple[Table, dict[str, str]]:
    """Read one row per pattern, with a column of counts."""
    names, count = spec.pattern_columns(source.columns, source.not_raters)
    if spec.raters is None:
        profiles = [profile for profile in profiles_of(source.columns, rows) if profile.name in names]
        names, left_out = raters_among(profiles, source.name, spec.categories)
        return _read_columns(source, spec, names, count), _unused(source.columns, [*names, count], spec) | left_out
    return _read_columns(source, spec, names, count), _unused(source.columns, [*names, count], spec)


def _read_long(source: Source, spec: ReadSpec, rows: Rows) -> tuple[Table, dict[str, str]]:
    """Read one row per rating."""
    guess = long_columns(profiles_of(source.columns, rows))
    together = spec.subject_columns(source.columns)
    left_out = [column for column in source.columns if column not in together]
    if len(together) > 1:
        source = with_joined_subject(source, spec.subject or "", together, fill_down=spec.fill_down)
    columns = spec.long_columns(source.columns, guess)
    return _with_notes(read_long(source, spec, columns), source, columns[2:]), _unused(left_out, columns, spec)


def _read_counts(source: Source, spec: ReadSpec, rows: Rows) -> tuple[Table, dict[str, str]]:
    """Read a square matrix of counts, whose first row and column may contain labels."""
    cells = [[*row] for row in source.rows(f"SELECT {', '.join(source.texts.values())} FROM file")]
    cells = [list(source.header), *cells] if source.header else _labels_first(source.columns, cells, source.name)
    source.require_text(cells)
    return table_of_matrix(cells, spec, source.name), {}


def _require_labels_of_both(
    source: Source, spec: ReadSpec, candidates: Sequence[ColumnProfile], rows: Sequence[Sequence[Any]]
) -> None:
    """Reject codes beside value labels if only two columns can be raters; of more, one may be no rater."""
    if source.labels:
        names = [role.name for role in roles_of(candidates, spec.categories) if role.role != LEFT_OUT]
        if len(names) == 2:
            places = [source.columns.index(name) for name in names]
            require_labels_of_all(names, [[row[i] for i in places] for row in rows], source.labels)


def _unused(columns: Sequence[str], used: Sequence[str], spec: ReadSpec) -> dict[str, str]:
    return {column: NOT_CHOSEN for column in columns if column not in used and column != spec.cluster}


def _sampled(source: Source) -> tuple[Source, Rows]:
    """Return the source without rows that are not data, and its first rows."""
    size = sample_size(len(source.columns))
    rows = source.rows(f"SELECT {', '.join(source.values.values())} FROM file LIMIT {size + 1}")
    if len(rows) > size:
        return source, rows[:size]
    stray = stray_rows(source.columns, rows)
    if not stray.positions:
        return source, rows
    dropped = set(stray.positions)
    kept = [row for i, row in enumerate(rows, start=1) if i not in dropped]
    return replace(source.without_rows(stray.positions), notes=(*source.notes, *stray.notes)), kept


def _read_columns(source: Source, spec: ReadSpec, names: Sequence[str], count: str | None = None) -> Table:
    """Read one column per rater; `count` is the column of the numbers of subjects, if there is one."""
    wanted = [*names, count] if count is not None else names
    columns = [source.values[name] for name in wanted]
    most = MOST_CELLS // len(columns)
    patterns = ", ".join(f"{column} AS v{i}" for i, column in enumerate(columns))
    query = f"SELECT {patterns}, count(*) AS n FROM file GROUP BY ALL LIMIT {most + 1}"
    cluster = None
    if spec.cluster is not None:
        (column,) = spec.cluster_columns(source.columns)
        cluster = number_clusters(source, column, fill_down=spec.fill_down)
        source.rows(f"CREATE OR REPLACE TEMP TABLE file_patterns AS {query}")
        query = "SELECT * FROM file_patterns ORDER BY rowid"
    rows = source.rows(query)
    if len(rows) > most:
        distinct = ", ".join(f"approx_count_distinct({column})" for column in columns)
        ((n_rows, *n_values),) = source.rows(f"SELECT count(*), {distinct} FROM file")
        spec.few_values_notes(wanted, n_values, n_rows)
        raise NotSupportedError(TOO_MANY_PATTERNS.format(most))
    source.require_text(rows)
    if spec.raters is not None:
        require_labels_of_all(names, rows, source.labels, spec.rename)
    clusters = None
    if cluster is not None:
        clusters = clusters_of_patterns(source, columns, [row[-1] for row in rows], cluster)
    if count is not None:
        numbers = [as_count(row[-2], lambda cell: f"column {count!r}{source.place(count, cell)}") for row in rows]
        rows = [(*ratings, times * number) for number, (*ratings, _, times) in zip(numbers, rows, strict=True)]
        if clusters is not None:
            times = 1 if clusters.counts is None else clusters.counts
            clusters = clusters._replace(counts=np.array(numbers, dtype=np.int64)[clusters.rows] * times)
    table = table_of_rows(
        rows,
        raters=names,
        spec=spec,
        declared=[source.declared.get(name) for name in names],
        locate=lambda i, value: source.place(names[i], value),
        clusters=clusters,
    )
    return _with_notes(table, source, names)


def _with_notes(table: Table, source: Source, columns: Sequence[str]) -> Table:
    """Return the table with notes about what was recognised in the columns of its ratings."""
    table.reading = replace(table.reading, notes=(*source.notes_on(columns), *table.reading.notes))
    return table


_READERS = {"wide": _read_wide, "long": _read_long, "counts": _read_counts, "patterns": _read_patterns}


def _labels_first(header: list[str], rows: list[list[Any]], name: str) -> list[list[Any]]:
    """Return named columns of counts as a matrix with labels in its first row and column."""
    if len(header) == len(rows):
        return [["", *header], *([label, *row] for label, row in zip(header, rows, strict=True))]
    for i in range(len(header)):
        others = [*header[:i], *header[i + 1 :]]
        if [str(row[i]) for row in rows] == others:
            return [["", *others], *([row[i], *row[:i], *row[i + 1 :]] for row in rows)]
    raise InvalidTableError(
        f"a matrix of counts must be square, or have one more column with the names of the others; {name} has "
        f"{len(rows)} rows and the columns {listing(header)}."
    )
