"""Read frames with one row per rating.

A lazy frame is grouped by subject and then by pattern in its own engine. The rows of a frame in memory are sorted by
subject instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kappamax.errors import InvalidRatingsError
from kappamax.io.arrays import Column, column_of, table_of_columns, table_of_rows, with_notes
from kappamax.io.declared_categories import DeclaredCategories
from kappamax.io.frame_columns import cluster_column, declared_by, fetched, fetched_columns, kept_label, with_text
from kappamax.io.read_spec import ReadSpec, raise_rated_twice, require_named_rows
from kappamax.io.row_names import (
    name_of,
    named_clusters,
    named_rows,
    raise_in_two_clusters,
    require_one_cluster,
    subjects_within,
)
from kappamax.io.structured_labels import SUPPORTED
from kappamax.patterns import MISSING
from kappamax.table import Table

_N, _NAMELESS, _CLUSTER = "kappamax_n", "kappamax_nameless", "kappamax_cluster"


def long_from_memory(
    found: Sequence[Column],
    labels_of_clusters: Sequence[Column],
    columns: tuple[str, str, str],
    spec: ReadSpec,
    declared: DeclaredCategories,
) -> Table:
    """Read one row per rating from columns in memory; raters keep the order of the rows.

    The columns found are those of the subjects, raters and ratings; there is one column of clusters or none. `declared`
    are the categories of the ratings.
    """
    if found[0].size == 0:
        raise InvalidRatingsError("there is no subject to compare.")
    (subject_names, subjects), (rater_names, raters) = map(named_rows, found[:2])
    rating = found[2]
    require_named_rows(int(((subjects == MISSING) | (raters == MISSING)).sum()), "the frame")
    clusters = None
    for column in labels_of_clusters:
        cluster_names, clusters = named_clusters(column, name=spec.cluster, place=lambda i: f"row {i + 1}")
        advice = subjects_within(spec.cluster or "", spec.subject_names(columns[0]))
        require_one_cluster((subject_names, subjects), (cluster_names, clusters.codes), advice)
    values = rating.codes(slice(None))
    known, seen = np.unique(raters, return_index=True)
    names = spec.long_raters((str(rater_names[code]) for code in known[np.argsort(seen)]), columns[1])
    place = {name: i for i, name in enumerate(names)}
    who = np.array([place.get(str(name), MISSING) for name in rater_names], dtype=np.intp)[raters]
    kept = who != MISSING
    who, values = who[kept], values[kept]
    present, first, what = np.unique(subjects[kept], return_index=True, return_inverse=True)
    if clusters is not None:
        clusters = clusters._replace(codes=clusters.codes[kept][first])
    pairs = what * len(names) + who
    order = np.argsort(pairs, kind="stable")
    again = order[1:][pairs[order][1:] == pairs[order][:-1]]
    if len(again):
        row = int(again.min())
        raise_rated_twice(str(subject_names[present[what[row]]]), names[who[row]])
    notes = list[str]()
    if spec.categories is None:
        notes = spec.few_values_notes([columns[2]], [len(np.unique(values))], len(values))
    missing = len(rating.values)  # the code of None, which is added to the values below
    patterns = np.full((len(names), len(present)), missing, dtype=np.intp)
    patterns[who, what] = values
    values_or_none = [*rating.values, None]
    table = table_of_columns(
        [Column(values_or_none, codes.__getitem__, len(present), declared) for codes in patterns],
        raters=names,
        spec=spec,
        clusters=clusters,
    )
    return with_notes(table, notes)


def long_from_engine(frame: Any, columns: tuple[str, str, str], spec: ReadSpec) -> Table:
    """Read one row per rating in the frame's own engine; raters are sorted."""
    import narwhals as nw

    subject, rater, rating = columns
    schema = frame.collect_schema()
    cluster = spec.cluster_columns(list(schema.names()))
    for name in (*columns, *cluster):
        if schema[name] in (nw.List, nw.Array, nw.Struct):
            raise InvalidRatingsError(
                f"a rating must be one label; column {name!r} has the type {schema[name]}. {SUPPORTED} A lazy frame "
                "must hold the labels themselves.",
                code="several-labels",
                fields={"column": name},
            )
    declared = declared_by(frame, rating)
    wanted = list(dict.fromkeys([*columns, *cluster]))
    frame = with_text(frame.select(wanted), wanted)
    nameless = nw.when(nw.col(subject).is_null()).then(nw.lit(1)).otherwise(nw.lit(0))
    tally = fetched(
        frame.with_columns(nameless.alias(_NAMELESS)).group_by(rater).agg(nw.col(_NAMELESS).sum(), nw.len().alias(_N))
    )
    if not tally:
        raise InvalidRatingsError("there is no subject to compare.")
    require_named_rows(sum(n if name_of(who) is None else missing for who, missing, n in tally), "the frame")
    # numbers in increasing order, then text
    found = sorted((row[0] for row in tally), key=lambda who: (isinstance(kept_label(who), str), kept_label(who)))
    raw = {str(name_of(who)): who for who in found}
    names = spec.long_raters(raw, rater)
    if cluster:
        frame = _with_clusters(frame, subject, cluster[0], spec)
    chosen = frame.filter(nw.col(rater).is_in([raw[name] for name in names]))
    double = fetched(
        chosen.group_by(subject, rater).agg(nw.len().alias(_N)).filter(nw.col(_N) > 1).sort(subject, rater).head(1)
    )
    if double:
        raise_rated_twice(*double[0][:2])
    keys = [f"kappamax_r{i}" for i in range(len(names))]
    wanted = [*keys, _CLUSTER] if cluster else keys
    grouped = (
        chosen.with_columns(
            nw.when(nw.col(rater) == raw[name]).then(nw.col(rating)).alias(key)
            for name, key in zip(names, keys, strict=True)
        )
        .group_by(subject)
        .agg(nw.col(key).max() for key in wanted)
        .group_by(wanted)
        .agg(nw.len().alias(_N))
    )
    notes = list[str]()
    if cluster:
        *cells, labels, n_subjects = fetched_columns(grouped)
        _, clusters = named_clusters(cluster_column(labels, f"an entry of column {cluster[0]!r}"), name=cluster[0])
        ratings = [column_of(column)._replace(declared=declared) for column in cells]
        if spec.categories is None:
            values = {column.values[i] for column in ratings for i in np.unique(column.codes(slice(None)))}
            notes = spec.few_values_notes([rating], [len(values)], len(names) * int(n_subjects.sum()))
        table = table_of_columns(ratings, counts=n_subjects, raters=names, spec=spec, clusters=clusters)
        return with_notes(table, notes)
    rows = fetched(grouped)
    if spec.categories is None:
        values = {value for row in rows for value in row[:-1]}
        notes = spec.few_values_notes([rating], [len(values)], len(names) * sum(row[-1] for row in rows))
    return with_notes(table_of_rows(rows, raters=names, spec=spec, declared=[declared] * len(names)), notes)


def _with_clusters(frame: Any, subject: str, cluster: str, spec: ReadSpec) -> Any:
    """Return a lazy frame with the column of clusters in a common form, of which each subject must have one."""
    import narwhals as nw

    own = nw.col(cluster)
    if frame.collect_schema()[cluster] == nw.String:
        own = own.str.strip_chars()
    frame = frame.with_columns(own.alias(_CLUSTER))
    labels, counts = fetched_columns(frame.group_by(_CLUSTER).agg(nw.len().alias(_N)))
    named_clusters(cluster_column(labels, f"an entry of column {cluster!r}"), counts, name=cluster)
    least, most = nw.col(_CLUSTER).min().alias("kappamax_least"), nw.col(_CLUSTER).max().alias("kappamax_most")
    several = frame.group_by(subject).agg(least, most).filter(nw.col("kappamax_least") != nw.col("kappamax_most"))
    for who, first, second in fetched(several.sort(subject).head(1)):
        advice = subjects_within(cluster, spec.subject_names(subject))
        raise_in_two_clusters(str(name_of(who)), str(name_of(first)), str(name_of(second)), advice=advice)
    return frame
