"""Columns are chosen by name, and errors name what does not fit."""

import json

import pandas as pd
import polars as pl
import pytest

import kappamax as km

LONG = "who,case,grade\nzoe,1,x\namy,1,y\nzoe,2,x\n"


@pytest.fixture
def write(tmp_path):
    def write(content, name="file.csv"):
        path = tmp_path / name
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_the_columns_of_a_long_layout_can_be_named(write):
    """The rule is the same for files and frames."""
    names = {"layout": "long", "subject": "case", "rater": "who", "rating": "grade"}
    t = km.read_ratings(write(LONG), **names)
    assert (t.raters, t.labels()) == (("zoe", "amy"), [["x", None], ["x", "y"]])
    assert km.from_ratings(pd.read_csv(write(LONG)), **names) == t
    assert km.from_ratings(pl.scan_csv(write(LONG)), raters=["zoe", "amy"], **names) == t


def test_the_column_of_counts_can_be_named(write):
    """Another column called n is then the column of a rater."""
    path = write("n,b,times\n1,1,5\n1,2,3\n")
    t = km.read_ratings(path, layout="patterns", count="times")
    assert (t.raters, t.counts.tolist()) == (("n", "b"), [5, 3])
    assert km.from_ratings(pd.read_csv(path), layout="patterns", count="times") == t


def test_the_subject_column_of_a_wide_layout_is_not_a_rater(write):
    """The column that the caller names as subject is not a rater."""
    path = write("case,a,b\n1,1,2\n2,1,1\n")
    assert km.read_ratings(path, subject="case").raters == ("a", "b")
    assert km.from_ratings(pd.read_csv(path), subject="case").raters == ("a", "b")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"layout": "long"},
            "'subject', 'rater', 'rating' are missing from the columns 'who', 'case'",
        ),
        ({"layout": "long", "subject": "cas"}, "no column 'cas' for subject.*Did you mean 'case'"),
        ({"layout": "long", "subject": "case", "rater": "case", "rating": "grade"}, "three different columns"),
        ({"layout": "wide", "rater": "who"}, "rater can be given for layout long only; got layout 'wide'"),
        ({"layout": "wide", "count": "grade"}, "count can be given for layout patterns only; got layout 'wide'"),
        ({"layout": "counts", "subject": "case"}, "subject can be given for layout wide or long or patterns only"),
        ({"layout": "counts", "missing": [9]}, "missing cannot be given for layout 'counts'"),
        ({"subject": 3}, "subject must be the name of a column; got int"),
        ({"raters": "who"}, "raters must be a list; got 'who'"),
        ({"sheet": "x"}, "sheet can be given for spreadsheets only"),
        ({"delimiter": ",,"}, "delimiter must be one ASCII character other than a quotation mark; got ',,'"),
    ],
)
def test_options_that_do_not_fit_the_columns_are_errors(write, options, message):
    """The error gives the argument, the rule and the nearest name."""
    with pytest.raises(km.errors.InputError, match=message):
        km.read_ratings(write(LONG), **options)


def test_options_that_do_not_fit_a_frame_or_an_array_are_errors(write):
    """Frames of counts need from_counts, and arrays have no names of columns."""
    with pytest.raises(km.errors.InvalidOptionError, match=r"km.from_counts\(frame\)"):
        km.from_ratings(pd.DataFrame({"a": [1]}), layout="counts")
    with pytest.raises(km.errors.InvalidOptionError, match="layout 'long' needs columns with names; pass a frame"):
        km.from_ratings([[1, 2, 3]], layout="long")
    with pytest.raises(km.errors.InvalidOptionError, match="subject needs columns with names"):
        km.from_ratings([[1, 2, 3]], subject="case")
    with pytest.raises(km.errors.InvalidTableError, match="whole numbers >= 0; column 'count' is '1.5'"):
        km.from_ratings(pd.DataFrame({"a": [1], "b": [1], "count": [1.5]}), layout="patterns")
    with pytest.raises(km.errors.InvalidRatingsError, match=r"one label; an entry of column 'a' is \[1\]"):
        km.from_ratings(pl.DataFrame({"a": [[1]], "b": [[1]]}))
    path = write("a,b\n1,1\n")
    pd.read_csv(path).to_parquet(path.with_suffix(".parquet"))
    with pytest.raises(km.errors.InvalidOptionError, match="delimiter can be given for text files only"):
        km.read_ratings(path.with_suffix(".parquet"), delimiter=",")


@pytest.mark.parametrize("lazy", [False, True])
def test_broken_long_frames_are_errors(lazy):
    """Subjects rated twice, rows without a name and empty frames raise the same error for all frames."""

    def table(rows):
        frame = pl.DataFrame(rows, schema=["subject", "rater", "rating"], orient="row")
        return km.from_ratings(frame.lazy() if lazy else frame, layout="long")

    with pytest.raises(km.errors.InvalidRatingsError, match="'b' rated '?2'? more than once"):
        table([(1, "a", 1), (1, "b", 1), (2, "b", 1), (2, "a", 1), (2, "b", None)])
    for nameless in [(None, "a", 1), (1, None, 1)]:
        with pytest.raises(km.errors.InvalidRatingsError, match="name a subject and a rater; 1 rows do not"):
            table([(1, "b", 1), nameless])
    with pytest.raises(km.errors.InvalidRatingsError, match="no subject"):
        km.from_ratings(pl.DataFrame({"subject": [], "rater": [], "rating": []}), layout="long")
    with pytest.raises(km.errors.NotSupportedError, match="column 'rater' names 1,001"):
        table([(1, f"r{i}", 1) for i in range(1001)])


def test_names_of_subjects_and_raters_do_not_depend_on_their_type():
    """1, 1.0 and "1" name one subject; an eager frame keeps its order of raters and a lazy one sorts them."""
    frame = pd.DataFrame(
        {"subject": pd.Series([1, "1", 1.0, 2], dtype=object), "rater": [10, 9, 2, 10], "rating": [1, 2, 3, 1]}
    )
    t = km.from_ratings(frame, layout="long")
    assert (t.raters, t.labels()) == (("10", "9", "2"), [[1, None, None], [1, 2, 3]])
    whole = pl.LazyFrame({"subject": [1, 1, 1, 2], "rater": [10, 9, 2, 10], "rating": [1, 2, 3, 1]})
    assert km.from_ratings(whole, layout="long").raters == ("2", "9", "10")
    assert km.from_ratings(whole, layout="long") == t.select(["2", "9", "10"])


def test_more_than_a_hundred_values_give_a_note(write):
    """Such columns are accepted with a note, and without one if categories are given."""
    rows = [(i % 101, i % 2) for i in range(1000)]
    path = write("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    note = "Column 'a' has 101 distinct values, so it is probably not a rating."
    assert note in km.read_ratings(path).reading.notes
    assert note in km.from_ratings(pd.read_csv(path)).reading.notes
    given = km.read_ratings(path, categories=range(101))
    assert given.n_categories == 101
    assert note not in given.reading.notes
    long = write(
        "subject,rater,rating\n" + "".join(f"{i},{who},{a}\n" for i, (a, _) in enumerate(rows) for who in "ab")
    )
    assert note.replace("'a'", "'rating'") in km.read_ratings(long, layout="long").reading.notes


def test_the_error_for_an_unknown_rating_gives_its_line(write):
    """Lines are counted with blank lines and the header, in every layout."""
    outside = {"categories": ["x", "y"]}
    with pytest.raises(
        km.errors.InvalidRatingsError,
        match=r"'z' .* is not among .* by rater 'b', line 4",
    ):
        km.read_ratings(write("\na,b\nx,y\nx,z\ny,z\n"), **outside)
    with pytest.raises(
        km.errors.InvalidRatingsError,
        match=r"'z' .* is not among .* by rater 'b', line 3",
    ):
        km.read_ratings(write("a,b,n\nx,y,1\nx,z,1\n"), layout="patterns", **outside)
    with pytest.raises(
        km.errors.InvalidRatingsError,
        match=r"'z' .* is not among .* by rater 'b', line 5",
    ):
        km.read_ratings(write("subject,rater,rating\n1,a,x\n1,b,y\n2,a,x\n2,b,z\n"), layout="long", **outside)
    lines = "".join(json.dumps({"a": "x", "b": b}) + "\n" for b in "yyz")
    with pytest.raises(
        km.errors.InvalidRatingsError,
        match=r"'z' .* is not among .* by rater 'b', line 3",
    ):
        km.read_ratings(write(lines), **outside)
