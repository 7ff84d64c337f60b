"""Results with rows and columns are converted to data frames of the user's library."""

import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kappamax as km
from kappamax import _frames
from kappamax._result import TableResult

THREE = {"ann": ["a", "b", "a", "c"], "bob": ["a", "b", "b", "c"], "eve": ["a", "a", "a", None]}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
TYPES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}


def results():
    """Return one result of every class that has rows and columns."""
    two, three = km.example("rapallo2022"), km.from_ratings(pd.DataFrame(THREE))
    fiber = km.fiber(km.from_counts([[2, 1], [1, 2]]))
    scenario = km.paper.Scenario(3, n_subjects=10)
    return [
        km.pairwise_kappas(three),
        km.category_kappas(three),
        km.leave_one_out(three),
        km.specific_agreement(three),
        km.two_by_two_indices(km.from_counts([[2, 1], [0, 0]])),
        km.benchmark(km.kappa(two)),
        km.icc(two),
        km.intra_rater_agreement(three, occasions={"A": [0, 1]}),
        km.compare_dependent(three),
        fiber.distribution("linear"),
        fiber.joint_distribution("linear", "quadratic"),
        km.moves.rank_moves(two, weights="linear"),
        km.anneal(two, weights="linear", trace=100, rng=1).trace,
        km.maximum.disagreement_split(two, weights="linear"),
        km.paper.run_study([scenario], n_tables=2),
        km.results.PaperCheck((km.results.Verdict("Table 1", "mean", "1", "1", "reproduced", None),), 2),
        km.report(two, weights=["unweighted", "linear"]),
        km.compare_groups({"A": two, "B": two}, method="welch"),
        km.report_groups([("A", two), ("B", three)], weights="unweighted"),
    ]


RESULTS = {type(result).__name__: result for result in results()}


def test_every_result_with_rows_is_tried_below():
    """A new class with `to_frame` needs an example in this file."""
    assert {one.__name__ for one in TableResult.__subclasses__()} == set(RESULTS)


@pytest.mark.parametrize("library", TYPES)
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_gives_a_frame_of_any_library(name, library):
    """The columns and the number of rows are the same in all libraries."""
    frame = RESULTS[name].to_frame(library)
    assert isinstance(frame, TYPES[library])
    ours = nw.from_native(frame, eager_only=True)
    assert ours.columns == list(RESULTS[name].to_frame("pandas").columns)
    assert len(ours) == len(RESULTS[name].to_frame("pandas")) > 0


@pytest.mark.parametrize("library", KINDS)
def test_the_frame_is_of_the_library_the_ratings_came_from(library):
    """For example, ratings in a polars frame give polars frames."""
    table = km.from_ratings(KINDS[library](THREE))
    made = [table, km.pairwise_kappas(table), km.category_kappas(table), km.leave_one_out(table)]
    complete = km.from_ratings(KINDS[library]({name: THREE[name] for name in ("ann", "bob")}))
    made += [km.moves.rank_moves(complete), km.report(complete), km.fiber(complete).distribution()]
    assert all(isinstance(one.to_frame(), TYPES[library]) for one in made)
    assert isinstance(km.pairwise_kappas(KINDS[library](THREE)).to_frame("pandas"), pd.DataFrame)


def test_series_name_their_library_too():
    """Two polars series give polars frames, and lists give frames of pandas, the default."""
    first, second = pl.Series([1, 2, 2]), pl.Series([1, 2, 1])
    assert isinstance(km.report(first, second).to_frame(), pl.DataFrame)
    assert isinstance(km.report([1, 2, 2], [1, 2, 1]).to_frame(), pd.DataFrame)


def test_frames_hold_the_values_of_the_result():
    """Values are unrounded, and undefined ones are missing and have their reason."""
    frame = km.pairwise_kappas(km.from_ratings(pd.DataFrame(THREE))).to_frame("polars")
    assert frame["rater_1"].to_list() == ["ann", "ann", "bob"]
    assert frame["value"][0] == km.kappa(THREE["ann"], THREE["bob"]).value
    undefined = km.from_ratings([[1, 1, None], [2, 2, None], [None, 1, 1], [1, 2, None]])
    frame = km.pairwise_kappas(undefined).to_frame("polars")
    assert frame["value"].to_list()[1] is None
    assert frame["reason"].to_list()[:2] == [None, "no subject was rated by both"]
    found = km.icc([1, 2, 1], [2, 3, 2])
    frame = found.to_frame("polars")
    assert frame["coefficient"].to_list() == [one.name for one in found.coefficients]
    assert frame["upper"].to_list()[:3] == [found["ICC(1,1)"].ci[1], found["ICC(2,1)"].ci[1], None]
    report = km.report(km.example("rapallo2022"), weights="linear")
    assert report.to_frame()["maximum"].tolist() == [report.results[0].maximum.maximum]
    distribution = km.fiber(km.from_counts([[2, 1], [1, 2]])).distribution("linear")
    assert distribution.to_frame("polars")["probability"].to_list() == distribution.probabilities.tolist()


@pytest.mark.parametrize("library", KINDS)
def test_a_table_can_be_read_again_from_its_frame(library):
    """`Table.to_frame` writes the patterns layout."""
    for table in (km.from_ratings(KINDS[library](THREE)), km.from_ratings([["x", "y", None], ["y", "y", "x"]])):
        again = km.from_ratings(table.to_frame(library), layout="patterns", count="count", categories=table.categories)
        assert (again.patterns == table.patterns).all()
        assert (again.counts == table.counts).all()
    with pytest.raises(km.errors.InvalidOptionError, match="no rater can be called 'count'"):
        km.from_ratings([[1, 2]], raters=["count", "b"]).to_frame()


@pytest.mark.parametrize("library", KINDS)
def test_columns_that_libraries_cannot_hold_become_text(library):
    """Integers beyond 64 bits, and text in a column with numbers, become text."""
    frame = nw.from_native(_frames.frame_of({"n": [1, 2**70, None], "label": [1, "x", None]}, library), eager_only=True)
    assert frame["n"].to_list()[:2] == ["1", str(2**70)]
    assert frame["label"].to_list()[:2] == ["1", "x"]
    assert frame["n"].is_null().to_list() == frame["label"].is_null().to_list() == [False, False, True]


def test_a_library_that_is_unknown_or_not_installed_is_named(monkeypatch):
    """The error lists the known libraries, or gives the command that installs the library."""
    pairs = km.pairwise_kappas(km.from_ratings(pd.DataFrame(THREE)))
    with pytest.raises(km.errors.InvalidOptionError, match="library must be one of 'pandas', 'polars', 'pyarrow'"):
        pairs.to_frame("panda")
    with pytest.raises(km.errors.InvalidOptionError, match="library must be one of 'pandas', 'polars', 'pyarrow'"):
        pairs.to_frame(pd)
    monkeypatch.setattr(_frames, "find_spec", lambda name: None)
    with pytest.raises(
        km.errors.NotSupportedError, match="needs polars, which is not installed. Install it with: pip install polars"
    ):
        pairs.to_frame("polars")
    with pytest.raises(km.errors.NotSupportedError, match="needs pandas, polars or pyarrow"):
        _frames.frame_of({"a": [1]})
    monkeypatch.setattr(_frames, "find_spec", lambda name: name == "polars" or None)
    assert isinstance(_frames.frame_of({"a": [1]}), pl.DataFrame)


def test_one_value_is_a_float():
    """`float(result)` is the observed coefficient, or the standard error."""
    table = km.from_counts([[20, 5], [10, 15]])
    assert float(km.kappa(table)) == km.kappa(table).value
    assert float(km.bootstrap(table, n_resamples=10, rng=1)) == float(km.jackknife(table)) == km.kappa(table).value
    assert float(km.standard_error(table)) == km.standard_error(table).se
    assert float(km.standard_error([1], [2])) != float(km.standard_error([1], [2]))  # NaN
    with pytest.raises(TypeError, match=r"use \.maximum, \.minimum or \.value"):
        float(km.max_kappa(table))
