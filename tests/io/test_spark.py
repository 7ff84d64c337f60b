"""A PySpark frame gives the same table as DuckDB; `make test-spark` runs this if pyspark and Java are installed."""

import shutil

import pytest

import kappamax as km
from tests.support.routes import CATEGORIES, CLUSTERED, EXPECTED_IN_CLUSTERS, LAYOUTS, RATERS, typed_rows, write_parts

pyspark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: make test-spark")
pytestmark = [
    pytest.mark.cluster,
    pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def spark():
    builder = pyspark_sql.SparkSession.builder.master("local[2]").appName("kappamax tests")
    session = builder.config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_spark_frame_gives_the_table_of_duckdb(spark, tmp_path, layout):
    """Spark counts 20,000 subjects and returns only the patterns."""
    write_parts(tmp_path)
    frame = spark.read.parquet(str(tmp_path / layout))
    expected = km.read_ratings(tmp_path / layout, layout=layout, raters=RATERS)
    assert expected.n_missing > 0
    assert km.from_ratings(frame, layout=layout, raters=RATERS) == expected
    if layout == "wide":
        assert km.kappa(frame, weights="linear").value == km.kappa(expected, weights="linear").value


@pytest.mark.parametrize("layout", LAYOUTS)
def test_clusters_in_spark(spark, layout):
    """Spark groups by the column of clusters as well."""
    rows = typed_rows(CLUSTERED[layout])
    names = ", ".join(f"{name} {'string' if isinstance(rows[0][name], str) else 'bigint'}" for name in rows[0])
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], names)
    asked = {"layout": layout, "raters": RATERS, "categories": CATEGORIES}
    assert km.from_ratings(frame, cluster="patient", **asked) == EXPECTED_IN_CLUSTERS


def test_text_and_double_ratings_in_spark(spark):
    """Text, missing ratings and a subject that was rated twice are handled."""
    rows = [("s1", "zoe", "mild"), ("s1", "amy", None), ("s2", "zoe", "none"), ("s2", "amy", "mild")]
    columns = ["subject", "rater", "rating"]
    table = km.from_ratings(spark.createDataFrame(rows, columns), layout="long", categories=["none", "mild"])
    assert table.labels() == [[None, "mild"], ["mild", "none"]]
    again = spark.createDataFrame([*rows, rows[0]], columns)
    with pytest.raises(km.errors.InvalidRatingsError, match="'zoe' rated 's1' more than once"):
        km.from_ratings(again, layout="long")
