"""Clusters of subjects are read with the ratings; what is doubtful is refused."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax import Table
from kappamax.coefficients import COEFFICIENTS, as_objective
from kappamax.errors import InvalidOptionError, InvalidRatingsError, InvalidTableError, UndefinedKappaError
from kappamax.io import as_table
from kappamax.io.files import read_groups
from tests.support.strategies import tables

WIDE = pd.DataFrame(
    {
        "patient": ["p1", "p1", "p2", "p2", "p2", "p3"],
        "lesion": [1, 2, 1, 2, 3, 1],
        "ann": ["x", "x", "y", "x", "y", "y"],
        "bob": ["x", "y", "y", "y", "y", "x"],
    }
)
LONG = WIDE.melt(["patient", "lesion"], var_name="rater", value_name="rating").rename(columns={"lesion": "subject"})
READERS = {
    "file": lambda frame, folder, **options: km.read_ratings(_csv(frame, folder), **options),
    "pandas": lambda frame, _, **options: km.from_ratings(frame, **options),
    "polars": lambda frame, _, **options: km.from_ratings(pl.from_pandas(frame), **options),
    "lazy": lambda frame, _, **options: km.from_ratings(pl.from_pandas(frame).lazy(), **options),
    "records": lambda frame, _, **options: km.from_ratings(frame.to_dict("records"), **options),
}
every_reader = pytest.mark.parametrize("read", READERS.values(), ids=READERS)


def _csv(frame, folder):
    frame.to_csv(folder / "ratings.csv", index=False)
    return folder / "ratings.csv"


def _sizes(table):
    """Return the number of subjects of each cluster."""
    return np.bincount(table.clusters.codes, table.clusters.counts).astype(int).tolist()


@every_reader
def test_subjects_numbered_within_clusters_are_not_guessed(tmp_path, read):
    """The same subject in two clusters is an error, whose advice reads the data."""
    with pytest.raises(InvalidRatingsError, match="'1' is in 'p1' and in 'p[23]'") as error:
        read(LONG, tmp_path, layout="long", cluster="patient")
    (advice,) = error.value.advice
    assert advice.options == {"subject": ["patient", "subject"]}
    assert error.value.code == "subject-in-two-clusters"
    table = read(LONG, tmp_path, layout="long", cluster="patient", raters=["ann", "bob"], **advice.options)
    assert _sizes(table) == [2, 3, 1]
    assert table == km.from_ratings(WIDE, cluster="patient", subject="lesion")


def test_a_file_names_the_lines_of_a_subject_in_two_clusters(tmp_path):
    """Lines are counted with the header; the first subject of the file is named."""
    with pytest.raises(InvalidRatingsError, match="'1' is in 'p1' and in 'p2', in lines 2 and 4"):
        km.read_ratings(_csv(LONG, tmp_path), layout="long", cluster="patient")
    one = LONG.assign(subject=[*"abcdef"] * 2)
    one.loc[9, "patient"] = "p4"
    with pytest.raises(InvalidRatingsError, match="'d' is in 'p2' and in 'p4', in lines 5 and 11"):
        km.read_ratings(_csv(one, tmp_path), layout="long", cluster="patient")


@every_reader
@pytest.mark.parametrize("text", [None, "NA", " ", "n/a"])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_rows_without_a_cluster_are_refused(tmp_path, read, text, layout):
    """The error names the number of rows and, if rows have an order, the first of them."""
    frame = (WIDE if layout == "wide" else LONG).copy()
    frame.loc[[1, 4], "patient"] = text
    options = {"layout": layout, "cluster": "patient"} | ({"subject": "lesion"} if layout == "wide" else {})
    with pytest.raises(InvalidRatingsError, match="column 'patient' is empty, or a missing value such as NA, in 2 row"):
        read(frame, tmp_path, **options)
    if read in (READERS["file"], READERS["pandas"], READERS["records"]):
        place = "line 3" if read is READERS["file"] else "row 2"
        with pytest.raises(InvalidRatingsError, match=f"first in {place}"):
            read(frame, tmp_path, **options)


def test_merged_cells_of_clusters_are_filled_down(tmp_path):
    """The error about empty cells advises it; it works in the wide and in the long layout."""
    merged = WIDE.assign(patient=["p1", None, "p2", None, None, "p3"])
    with pytest.raises(InvalidRatingsError, match="fill_down=True"):
        km.read_ratings(_csv(merged, tmp_path), cluster="patient", subject="lesion")
    wide = km.read_ratings(_csv(merged, tmp_path), cluster="patient", subject="lesion", fill_down=True)
    assert wide == km.from_ratings(WIDE, cluster="patient", subject="lesion")
    long = LONG.assign(subject=[*"abcdef"] * 2).sort_values(["subject", "rater"])
    expected = km.from_ratings(long, layout="long", cluster="patient")
    again = long.duplicated("patient")
    long["patient"] = long["patient"].mask(again)
    assert km.read_ratings(_csv(long, tmp_path), layout="long", cluster="patient", fill_down=True) == expected


def test_numbers_and_text_name_the_same_cluster():
    """1, 1.0 and "1" are one cluster, and spaces around names are ignored; 01 is another name."""
    ratings = [[1, 2], [2, 2], [1, 1], [2, 1], [1, 2]]
    table = km.from_ratings(ratings, cluster=[1, 1.0, "1", " 1 ", "01"])
    assert _sizes(table) == [1, 4]
    assert km.from_ratings(ratings, cluster=np.array([1.5, 1.5, 2, 3, 3])).clusters.n_clusters == 3
    assert km.from_ratings(ratings, cluster=[True, False, True, True, False]).clusters.n_clusters == 2
    assert km.from_ratings(ratings, cluster=np.array([2**63, 0, 5, 0, 2**63], dtype=np.uint64)).clusters.n_clusters == 3


def test_whole_numbers_order_clusters_by_value(tmp_path):
    """Files, frames and arrays number clusters alike, so that random draws of clusters are the same."""
    names = ["10", "b", "9", "-3", "a", "9"]
    frame = WIDE.assign(patient=names)
    made = [read(frame, tmp_path, cluster="patient", subject="lesion") for read in READERS.values()]
    made.append(km.from_ratings(WIDE[["ann", "bob"]].to_numpy(), raters=["ann", "bob"], cluster=names))
    for table in made:
        assert _sizes(table) == [1, 2, 1, 1, 1]  # -3, 9, 10, a, b
        assert table.clusters.patterns.tolist() == made[0].clusters.patterns.tolist()


def test_wrong_columns_of_clusters_are_refused(tmp_path):
    """The column must exist, must be no rater, and the layout must have rows of ratings."""
    path = _csv(WIDE, tmp_path)
    lazy = pl.from_pandas(WIDE).lazy()
    for read, data in ((km.read_ratings, path), (km.from_ratings, WIDE), (km.from_ratings, lazy)):
        with pytest.raises(InvalidRatingsError, match="there is no column 'patent' for cluster.* mean 'patient'"):
            read(data, cluster="patent")
        with pytest.raises(InvalidOptionError, match="raters must not name the column of clusters; got 'patient'"):
            read(data, cluster="patient", raters=["ann", "patient"])
        with pytest.raises(InvalidOptionError, match="cluster can be given for layout wide or long or patterns only"):
            read(data, cluster="patient", layout="counts")
        with pytest.raises(InvalidOptionError, match="cluster must be the name of a column; got list"):
            read(data, cluster=["patient"])
        with pytest.raises(InvalidOptionError, match="cluster and count must be different columns; got 'patient'"):
            read(data, cluster="patient", count="patient")
    with pytest.raises(InvalidOptionError, match="cluster must be another column than rater and rating; got 'rater'"):
        km.from_ratings(LONG, layout="long", cluster="rater")


def test_the_last_column_is_not_the_count_if_it_names_the_clusters(tmp_path):
    """The default column of counts is the last of the others."""
    frame = WIDE[["ann", "bob"]].assign(times=[1, 2, 3, 4, 5, 6], patient=WIDE["patient"])
    for read in READERS.values():
        assert _sizes(read(frame, tmp_path, layout="patterns", cluster="patient")) == [3, 12, 6]


def test_clusters_of_arrays_are_arrays():
    """There must be one entry per subject; the rows of series must correspond."""
    ratings = WIDE[["ann", "bob"]].to_numpy()
    with pytest.raises(InvalidOptionError, match="an array with one entry per subject.*got 'patient'"):
        km.from_ratings(ratings, cluster="patient")
    with pytest.raises(InvalidOptionError, match="an array with one entry per subject.*got 5"):
        km.from_ratings(ratings, cluster=5)
    with pytest.raises(InvalidRatingsError, match="one entry for each of the 6 subjects; got 2"):
        km.from_ratings(ratings.tolist(), cluster=[1, 2])
    with pytest.raises(InvalidRatingsError, match=r"cluster is empty, or a missing.* in 1 row \(entry 3"):
        km.from_ratings(ratings, cluster=[1, 2, np.nan, 4, 5, 6])
    ann, bob, patient = (WIDE[name] for name in ("ann", "bob", "patient"))
    table = as_table(ann, bob, cluster=patient)
    assert (_sizes(table), table.clusters.name) == ([2, 3, 1], "patient")
    assert as_table(WIDE, cluster="patient").clusters.name == "patient"
    assert as_objective(ann, bob, cluster=patient).table == table
    with pytest.raises(InvalidRatingsError, match="series must have the same index in the same order"):
        as_table(ann, bob, cluster=patient[::-1])


def test_a_table_takes_no_clusters():
    """Its subjects have no order, and it may have clusters already."""
    table = km.from_ratings(WIDE[["ann", "bob"]])
    with pytest.raises(InvalidOptionError, match="does not keep the order of its subjects; pass cluster= to km"):
        as_table(table, cluster=WIDE["patient"])
    clustered = km.from_ratings(WIDE, cluster="patient", subject="lesion")
    with pytest.raises(InvalidOptionError, match=r"already \(6 subjects in 3 clusters \(patient\)\)"):
        as_table(clustered, cluster=WIDE["patient"])
    with pytest.raises(InvalidOptionError, match="cluster must be left out for an Objective"):
        as_objective(as_objective(table), cluster=WIDE["patient"])


def test_other_categories_keep_clusters():
    """The order of the categories changes, and the clusters stay."""
    table = km.from_ratings(WIDE, cluster="patient", subject="lesion")
    again = as_table(table, categories=["z", "y", "x"])
    assert again.categories == ("z", "y", "x")
    assert again == km.from_ratings(WIDE, cluster="patient", subject="lesion", categories=["z", "y", "x"])
    assert again.reading == table.reading


def test_groups_of_a_file_keep_clusters(tmp_path):
    """Each group has the clusters of its rows."""
    path = _csv(WIDE.assign(site=[*"ababab"]), tmp_path)
    found = dict(read_groups(path, by="site", cluster="patient", subject="lesion"))
    assert [_sizes(found[site]) for site in "ab"] == [[1, 2], [1, 1, 1]]
    assert not found["a"].ordered


def test_inspection_names_the_column_of_clusters(tmp_path):
    """The role of the column is shown, and the call reads it."""
    found = km.inspect(_csv(WIDE, tmp_path), cluster="patient")
    assert {column.name: column.role for column in found.columns}["patient"] == "clusters"
    assert "cluster='patient'" in found.call


def test_exports_of_annotation_tools_have_no_clusters():
    """Only tasks, annotators and labels are read from them."""
    task = {
        "id": 1,
        "annotations": [
            {"completed_by": who, "result": [{"from_name": "l", "type": "choices", "value": {"choices": ["a"]}}]}
            for who in (1, 2)
        ],
        "data": {"text": "t", "doc": 1},
    }
    with pytest.raises(InvalidOptionError, match="cluster cannot be given for the Label Studio export"):
        km.from_ratings([task], cluster="doc")


@every_reader
def test_counts_of_patterns_in_clusters_are_exact(tmp_path, read):
    """Counts near 2^61 keep their last digit, and a larger total is refused."""
    n = 2**60
    frame = pd.DataFrame({"a": [*"xxxy"], "b": [*"xyxy"], "n": [n, 3, n + 1, 1], "doc": [1, 1, 2, 2]})
    table = read(frame, tmp_path, layout="patterns", cluster="doc")
    found = zip(table.clusters.codes.tolist(), table.clusters.counts.tolist(), strict=True)
    assert list(found) == [(0, n), (0, 3), (1, n + 1), (1, 1)]
    with pytest.raises(InvalidTableError, match="add up to less than 2"):
        read(pd.concat([frame] * 5), tmp_path, layout="patterns", cluster="doc")


@given(tables(missing=True), st.integers(0, 2**32))
def test_values_do_not_depend_on_clusters(table, seed):
    """Every coefficient has the same value, or is undefined for the same reason."""
    codes = np.repeat(table.patterns, table.counts, axis=0)
    belongs = np.random.default_rng(seed).integers(0, 4, size=len(codes))
    clustered = Table(codes, None, table.categories, table.raters, ordered=True, clusters=belongs)
    for name in COEFFICIENTS:
        if name != "cohen" or table.n_raters == 2:
            assert _value(clustered, name) == _value(table, name)


def _value(table, coefficient):
    """Return the exact value of a coefficient, or the reason why it is undefined."""
    try:
        objective = as_objective(table, weights="linear", coefficient=coefficient)
        return objective.exact_value(objective.score)
    except (UndefinedKappaError, InvalidRatingsError) as error:
        return str(error)


@given(tables(missing=True), st.integers(0, 2**32))
def test_arrays_and_frames_give_the_same_clusters(table, seed):
    """One row per subject in an array, a frame in memory and a lazy frame."""
    codes = np.repeat(table.patterns, table.counts, axis=0)
    rng = np.random.default_rng(seed)
    belongs = rng.integers(0, 4, size=len(codes))
    labels = np.where(codes < 0, None, np.array([*table.categories, None])[codes])
    expected = Table(codes, None, table.categories, table.raters, ordered=True, clusters=belongs)
    options = {"categories": table.categories}
    assert km.from_ratings(labels, cluster=belongs, **options) == expected
    order = rng.permutation(len(codes))
    frame = pd.DataFrame(labels[order].astype(float), columns=table.raters).assign(where=belongs[order])
    assert km.from_ratings(frame, cluster="where", **options) == expected
    assert km.from_ratings(pl.from_pandas(frame).lazy(), cluster="where", **options) == expected


def test_few_large_clusters_of_many_subjects_are_counted_together():
    """The subjects of a cluster with the same ratings are one row, unless most rows would be single subjects."""
    rng = np.random.default_rng(5)
    ratings, belongs = rng.integers(0, 3, size=(50_000, 2)), rng.integers(0, 40, size=50_000)
    table = km.from_ratings(ratings, cluster=belongs)
    assert len(table.clusters.counts) == 9 * 40
    assert table == Table(ratings, None, [0, 1, 2], ordered=True, clusters=belongs)
    single = km.from_ratings(ratings, cluster=np.arange(50_000) // 2)
    assert len(single.clusters.counts) == 50_000
    assert single == Table(ratings, None, [0, 1, 2], ordered=True, clusters=np.arange(50_000) // 2)


def test_a_million_rows_in_clusters_take_little_memory():
    """Each subject takes at most 100 bytes beside the ratings: its codes, its cluster and copies of them."""
    rng = np.random.default_rng(6)
    n = 1_000_000
    ratings, belongs = rng.integers(0, 4, size=(n, 2)), rng.integers(0, n // 4, size=n)
    tracemalloc.start()
    try:
        table = km.from_ratings(ratings, cluster=belongs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert table.clusters.n_clusters == len(np.unique(belongs))
    assert peak < 100 * n
