"""Label arrays of any type give the same table."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax.io import arrays
from kappamax.io.arrays import column_of
from kappamax.io.read_spec import ReadSpec

CODES = [[1, 2, 3, 3, 10, 1], [1, 2, 3, 1, 10, 2]]
EXPECTED = km.from_counts(
    [[1, 1, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]], categories=[1, 2, 3, 10], raters=["1", "2"]
)


@pytest.mark.parametrize(
    "dtype",
    ["int8", "uint8", "int16", "uint16", "int32", "int64", "uint64", "float32", "float64", "object", "U2", "U5"],
)
def test_every_dtype_gives_the_same_table(dtype):
    """Whole numbers may be integers, floats, objects or text."""
    a, b = (np.array(codes).astype(dtype) for codes in CODES)
    assert arrays.table_of_columns([column_of(a), column_of(b)], spec=ReadSpec()) == EXPECTED
    assert km.from_ratings(np.stack([a, b], axis=1)) == EXPECTED


def test_lists_of_numbers_and_text_give_the_same_table():
    """Python lists of numbers, of text, and of both give the same table."""
    text = [[str(code) for code in codes] for codes in CODES]
    for a, b in [CODES, text, (CODES[0], text[1]), (tuple(CODES[0]), np.array(CODES[1]))]:
        assert arrays.table_of_columns([column_of(a), column_of(b)], spec=ReadSpec()) == EXPECTED
    assert km.from_ratings([list(row) for row in zip(*CODES, strict=True)]) == EXPECTED


def test_missing_values_in_arrays():
    """NaN in floats, None in lists and empty text are missing."""
    expected = km.Table([[0, 0], [1, -1], [-1, 1]], [1, 1, 1], [1, 2], ordered=True)
    assert km.from_ratings(np.array([[1, 1], [2, np.nan], [np.nan, 2]])) == expected
    assert km.from_ratings([[1, 1], [2, None], [None, 2]]) == expected
    assert km.from_ratings(np.array([["1", "1"], ["2", ""], [" ", "2"]])) == expected
    assert km.from_ratings(np.array([[1, 1], [2, None], [None, 2]], dtype=object)) == expected


def test_numbers_that_do_not_occur_are_not_categories():
    """1 and 1,000,000 are two categories; so are -5 and 5; decimals and huge numbers sort."""
    assert km.from_ratings([[1, 10**6], [10**6, 1]]).categories == (1, 10**6)
    assert km.from_ratings(np.array([[-5, 5], [5, 5]])).categories == (-5, 5)
    assert km.from_ratings(np.array([[0.5, 1.5], [0.25, 1.5]])).categories == (0.25, 0.5, 1.5)
    assert km.from_ratings(np.array([[2**63, 2**64 - 1]], dtype=np.uint64)).categories == (2**63, 2**64 - 1)
    assert km.from_ratings(np.array([[True, False], [True, True]])).categories == ("False", "True")


@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), min_size=1, max_size=50))
def test_hashed_text_is_the_same_as_objects(pairs):
    """Fixed-width text and Python objects give the same columns."""
    first = [a.rstrip("\0") for a, _ in pairs]  # numpy cannot hold trailing NULs
    text = column_of(np.array(first))
    objects = column_of(np.array(first, dtype=object))
    whole = slice(None)
    assert [text.values[i] for i in text.codes(whole)] == [objects.values[i] for i in objects.codes(whole)]


def test_labels_that_first_occur_in_a_late_block_are_found():
    """Text is processed in blocks, and each block may contain new labels."""
    values = np.array(["a"] * 70_000 + ["b"] * 10 + ["c"])
    column = column_of(values)
    assert [column.values[i] for i in column.codes(slice(None))] == values.tolist()


def test_colliding_hashes_fall_back_to_sorting(monkeypatch):
    """The result is correct even if all texts have the same hash."""
    monkeypatch.setattr(arrays, "_hash", lambda rows, multipliers: np.zeros(len(rows), dtype=np.uint64))
    values = np.array(["x", "y", "x", "z"])
    column = column_of(values)
    assert [column.values[i] for i in column.codes(slice(None))] == values.tolist()


def test_many_patterns_go_through_the_sparse_group_by():
    """Ten raters and five categories make 10^7 cells, too many for a dense count."""
    rng = np.random.default_rng(0)
    codes = rng.integers(1, 6, size=(500, 10))
    t = km.from_ratings(codes)
    patterns, counts = np.unique(codes - 1, axis=0, return_counts=True)
    assert np.array_equal(t.patterns, patterns)
    assert np.array_equal(t.counts, counts)


def test_counts_of_two_and_three_raters():
    """Arrays of two and three axes keep the order of the categories."""
    t = km.from_counts([[5, 0], [2, 3]], categories=["yes", "no"], raters=["A", "B"])
    assert t.categories == ("yes", "no")
    assert t.ordered
    assert t.raters == ("A", "B")
    cube = np.zeros((3, 3, 3), dtype=int)
    cube[0, 1, 2] = 4
    cube[1, 1, 1] = 1
    assert km.from_counts(cube).patterns.tolist() == [[0, 1, 2], [1, 1, 1]]


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 2], [3, -1]], r"whole numbers >= 0; cell \(2, 2\) is -1"),
        ([[1, 2], [3, 1.5]], r"whole numbers >= 0; cell \(2, 2\) is 1.5"),
        ([[1, float("nan")], [3, 1]], r"cell \(1, 2\) is nan"),
        ([[1, float("inf")], [3, 1]], r"cell \(1, 2\) is inf"),
        ([[1, "x"], [3, 1]], r"cell \(1, 2\) is 'x'"),
        ([[1, 2, 3], [3, 1, 1]], "must be square, one axis of k categories per rater; got 2 x 3"),
        ([[1, 2], [3]], "rows have different lengths"),
        ([1, 2], "must be square"),
        (5, "got a number"),
        ([[0, 0], [0, 0]], "every cell is zero"),
    ],
)
def test_wrong_counts_are_errors(counts, message):
    """The error gives the place of the first wrong cell, counted from one."""
    with pytest.raises(km.errors.InvalidTableError, match=message):
        km.from_counts(counts)


def test_labels_of_counts_are_checked():
    """There must be as many categories as rows."""
    with pytest.raises(km.errors.InvalidOptionError, match="one label for each of the 2 rows of counts; got 3"):
        km.from_counts([[1, 2], [3, 4]], categories=["a", "b", "c"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: km.kappa(np.ones((3, 2))),
            r"bare 3 x 2 array could be counts or ratings.*km.from_counts.*km.from_ratings",
        ),
        (lambda: km.kappa([[1, 2], [3, 4]]), "could be counts or ratings"),
        (lambda: km.kappa([1, 2, 3]), "could be counts or ratings"),
        (lambda: km.kappa("ratings.csv"), "got str"),
        (lambda: km.kappa(5), "got int"),
        (lambda: km.kappa(), "at least two raters; got 0"),
        (lambda: km.kappa([1, 2], [1]), "same length; got 2, 1"),
        (lambda: km.kappa([], []), "label arrays are empty"),
        (lambda: km.kappa("ab", "ab"), "got str"),
        (lambda: km.kappa([[1], [2]], [1, 2]), "one-dimensional|one label"),
        (lambda: km.kappa(np.ones((2, 2)), np.ones((2, 2))), "one-dimensional; got 2 x 2"),
        (lambda: km.kappa([{1}, {2}], [1, 2]), "one label; entry 1 is"),
        (lambda: km.from_ratings([]), "no subject"),
        (lambda: km.from_ratings([[1, 2], [1]]), "row 2 has 1 and row 1 has 2"),
        (lambda: km.from_ratings([1, 2]), "row 1 has type int"),
        (lambda: km.from_ratings(np.ones(3)), "2-D array, subjects x raters"),
        (lambda: km.from_ratings([[1], [2]]), "at least two raters; got 1"),
        (lambda: km.from_ratings("text"), "got str"),
    ],
)
def test_wrong_ratings_are_errors(call, message):
    """Each error says what to do instead."""
    with pytest.raises(km.errors.InputError, match=message):
        call()


def test_masked_ratings_are_missing():
    """A masked rating is missing, and a masked count is an error."""
    a = np.ma.masked_array([1, 2, 3, 1], mask=[0, 0, 0, 1])
    b = np.ma.masked_array([1, 2, 3, 2], mask=[0, 0, 0, 1])
    assert km.kappa(a, b).value == 1
    assert km.from_ratings(np.ma.stack([a, b], axis=1)).n_subjects == 3
    with pytest.raises(km.errors.InvalidTableError, match=r"cell \(1, 2\) is nan"):
        km.from_counts(np.ma.masked_array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]]))


def test_a_crosstab_keeps_its_labels():
    """A category that only one of the raters used is one of the table; rows and columns must share some."""
    whole = pd.crosstab(pd.Series(list("aabb")), pd.Series(list("abab")))
    assert km.from_counts(whole).categories == ("a", "b")
    one, other = pd.Series(list("aabc")), pd.Series(list("abbb"))
    partial = km.from_counts(pd.crosstab(one, other))
    assert partial == km.from_ratings(pd.DataFrame({"1": one, "2": other}))
    assert any("only one of the raters used: 'c'" in note for note in partial.reading.notes)
    apart = pd.crosstab(pd.Series(list("aabb")), pd.Series(list("ccdd")))
    with pytest.raises(km.errors.InvalidTableError, match="rows are 'a', 'b' and columns 'c', 'd'"):
        km.from_counts(apart)


def test_totals_of_counts_are_left_out():
    """A crosstab with margins, and an array whose last row and column are sums, give the table without totals."""
    one, other = pd.Series(list("aabbab")), pd.Series(list("abbbaa"))
    truth = km.from_counts(pd.crosstab(one, other))
    with_margins = km.from_counts(pd.crosstab(one, other, margins=True))
    assert with_margins == truth
    assert any("totals" in note for note in with_margins.reading.notes)
    sums = km.from_counts([[20, 5, 25], [10, 15, 25], [30, 20, 50]], categories=["no", "yes"])
    assert sums == km.from_counts([[20, 5], [10, 15]], categories=["no", "yes"])
    assert any("totals" in note for note in sums.reading.notes)
    assert km.from_counts([[20, 5, 25], [10, 15, 25], [30, 20, 50]], categories=[1, 2, 3]).n_subjects == 200


def test_counts_of_groups_may_have_empty_cells():
    """The cells of an unstacked frame that are missing are counts of zero."""
    ratings = pd.DataFrame({"one": list("aabb"), "other": list("aabb")})
    unstacked = ratings.groupby(["one", "other"]).size().unstack()
    assert km.from_counts(unstacked) == km.from_counts(pd.crosstab(ratings.one, ratings.other))


def test_series_in_another_order_are_refused():
    """Series are compared row by row, so an index in another order, or with other rows, is an error."""
    one = pd.Series(list("aabb"))
    with pytest.raises(km.errors.InvalidRatingsError, match="same index in the same order"):
        km.kappa(one, one[::-1])
    with pytest.raises(km.errors.InvalidRatingsError, match=r"pass a\.to_numpy\(\)"):
        km.kappa(one, pd.Series(list("aabb"), index=[1, 2, 3, 4]))
    assert km.kappa(one, pd.Series(list("aabb"), index=list("wxyz"))).value == 1


@pytest.mark.parametrize(("turned", "call"), [(np.asarray, "ratings.T"), (list, r"list\(zip\(\*ratings\)\)")])
def test_arrays_with_raters_in_rows_are_refused(turned, call):
    """A table of few rows and very many columns is probably transposed; naming the raters accepts it."""
    rows = [tuple("abab" * 4), tuple("abaa" * 4)]
    with pytest.raises(km.errors.InvalidRatingsError, match=rf"rows are probably raters.*km\.from_ratings\({call}"):
        km.from_ratings(turned(rows))
    assert km.from_ratings(turned(rows), raters=[f"r{i}" for i in range(16)]).n_raters == 16


def test_missing_ratings_of_many_subjects_are_counted_exactly():
    """The number of missing ratings may exceed 64 bits."""
    t = km.Table([[0] * 10 + [-1] * 10, [1] * 20], [10**18, 10**18], [1, 2], ordered=True)
    assert t.n_missing == 10**19


def test_a_crosstab_keeps_its_labels_and_follows_the_categories():
    """Labels in alphabetical order are not ordered categories, and `categories` rearranges rows and columns."""
    anna = ["none", "mild", "severe", "none", "mild", "none"]
    ben = ["none", "mild", "severe", "mild", "mild", "none"]
    crossed = pd.crosstab(pd.Series(anna), pd.Series(ben))
    alone = km.from_counts(crossed)
    assert (alone.categories, alone.ordered) == (("mild", "none", "severe"), False)
    with pytest.raises(km.errors.InvalidWeightsError, match="ordered categories"):
        km.kappa(alone, weights="linear")
    with pytest.raises(km.errors.InvalidRatingsError, match=r"looks like a table of counts\. Use km\.from_counts"):
        km.kappa(crossed)
    order = ["none", "mild", "severe", "extreme"]
    table = km.from_counts(crossed, categories=order)
    assert (
        table.pair(0, 1).tolist() == km.from_ratings(pd.DataFrame([anna, ben]).T, categories=order).pair(0, 1).tolist()
    )
    one_sided = pd.crosstab(pd.Series(["none", "none"]), pd.Series(["none", "mild"]))
    assert km.from_counts(one_sided, categories=order).n_subjects == 2
    assert km.from_counts(one_sided).categories == ("none", "mild")
    with pytest.raises(km.errors.InvalidOptionError, match="'severe' is not among 'none', 'mild'"):
        km.from_counts(crossed, categories=["none", "mild"])
    plain = pd.DataFrame([[1, 2], [3, 4]])
    assert km.from_counts(plain, categories=["no", "yes"]) == km.from_counts([[1, 2], [3, 4]], categories=["no", "yes"])


def test_several_tables_are_refused():
    """A Table has all raters, so one is enough."""
    table = km.from_counts([[1, 2], [3, 4]])
    with pytest.raises(km.errors.InvalidRatingsError, match="give one Table, or two or more arrays of labels"):
        km.kappa(table, table)
    with pytest.raises(km.errors.InvalidRatingsError, match="a bare 2 x 3 array could be counts or ratings"):
        km.kappa([[1, 2, 1], [2, 1, 1]])
