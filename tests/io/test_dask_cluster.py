"""A Dask scheduler with separate worker processes gives the same table as DuckDB."""

import os

import dask.dataframe as dd
import pytest
from distributed import Client, LocalCluster

import kappamax as km
from tests.support.routes import RATERS, write_parts

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ratings")
    write_parts(folder)
    return folder


def test_the_workers_are_other_processes(client):
    """The cluster has two processes other than this one."""
    assert len({os.getpid(), *client.run(os.getpid).values()}) == 3


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_frame_on_the_cluster_gives_the_table_of_duckdb(client, folder, layout):
    """The workers count 20,000 subjects in four partitions and return only the patterns."""
    frame = dd.read_parquet(folder / layout)
    assert frame.npartitions == 4
    expected = km.read_ratings(folder / layout, layout=layout, raters=RATERS)
    assert expected.n_subjects + expected.n_left_out == 20_000
    assert expected.n_missing > 0
    assert expected.categories == (9, 10, 11)
    before = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert km.from_ratings(frame, layout=layout, raters=RATERS) == expected
    after = client.run(lambda dask_worker: dask_worker.state.executed_count)
    assert sum(after.values()) > sum(before.values())


def test_the_error_for_a_double_rating_on_the_cluster_names_it(client, folder):
    """The first subject that was rated twice is found across partitions."""
    frame = dd.read_parquet(folder / "long")
    with pytest.raises(km.errors.InvalidRatingsError, match="'amy' rated 0 more than once"):
        km.from_ratings(dd.concat([frame, frame]), layout="long")
