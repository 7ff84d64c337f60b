"""Tables are canonical, immutable and exact at any size."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax import Table
from kappamax.display import text
from kappamax.patterns import group_patterns
from tests.support.strategies import tables


def test_equal_data_give_equal_tables_whatever_their_order():
    """Patterns are merged and sorted; empty ones and zero counts are dropped."""
    a = Table([[1, 0], [0, 0], [1, 0]], [1, 2, 3], ["x", "y"], ordered=True)
    b = Table([[0, 0], [1, 0], [-1, -1], [0, 1]], [2, 4, 9, 0], ["x", "y"], ordered=True)
    assert a == b
    assert hash(a) == hash(b)
    assert a.patterns.tolist() == [[0, 0], [1, 0]]
    assert a.counts.tolist() == [2, 4]
    assert a != Table([[0, 0], [1, 0]], [2, 4], ["x", "y"], ordered=False)
    assert (a == "a table") is False


def test_margins_and_pairs_by_hand():
    """The margins of three raters with one missing rating were computed by hand."""
    t = Table([[0, 1, -1], [1, 1, 0]], [2, 3], ["no", "yes"], ["a", "b", "c"], ordered=True)
    assert t.margins.tolist() == [[2, 3], [0, 5], [3, 0]]
    assert t.pair("a", "b").tolist() == [[0, 2], [0, 3]]
    assert t.pair(2, "a").tolist() == [[0, 3], [0, 0]]
    assert (t.n_subjects, t.n_raters, t.n_categories, t.n_missing, t.complete) == (5, 3, 2, 2, False)
    assert t.labels() == [["no", "yes", None], ["yes", "yes", "no"]]
    assert t.select(["c", "a"]).margins.tolist() == [[3, 0], [2, 3]]
    assert t.collapse("yes").margins.tolist() == [[3, 2], [5, 0], [0, 3]]


@given(tables(missing=True))
def test_margins_are_the_sums_of_pairs(table):
    """For a complete pair of raters, rows and columns of their table are their margins."""
    for a in range(table.n_raters):
        for b in range(table.n_raters):
            pair = table.pair(a, b)
            if a != b and table.complete:
                assert pair.sum(axis=1).tolist() == table.margins[a].tolist()
                assert pair.sum(axis=0).tolist() == table.margins[b].tolist()
            assert (pair == table.pair(b, a).T).all()


@given(tables())
def test_the_dense_array_holds_the_counts(table):
    """The dense array of a complete table holds the same counts."""
    again = km.from_counts(table.dense(), categories=table.categories)
    assert again == table


def test_counts_up_to_ten_to_the_twelve_are_exact():
    """Sums are computed in integers, not in doubles."""
    n = 10**12 + 1
    t = Table([[0, 0], [0, 1], [1, 1]], [n, 1, 3], [1, 2], ordered=True)
    assert t.n_subjects == n + 4
    assert t.margins.tolist() == [[n + 1, 3], [n, 4]]


def test_grouping_many_raters_beyond_64_bit_keys():
    """60 raters and 5 categories would give 6^60 keys, so the keys of prefixes are renumbered."""
    rng = np.random.default_rng(1)
    codes = rng.integers(-1, 5, size=(50, 60)).astype(np.int32)
    codes = codes[rng.integers(0, 50, size=400)]
    patterns, counts = group_patterns(codes, None, n_categories=5)
    expected, times = np.unique(codes, axis=0, return_counts=True)
    assert np.array_equal(patterns, expected)
    assert np.array_equal(counts, times)


def test_arrays_cannot_be_changed():
    """The arrays of a table are read-only."""
    t = Table([[0, 1]], [1], [1, 2], ordered=True)
    with pytest.raises(ValueError, match="read-only"):
        t.counts[0] = 2
    with pytest.raises(ValueError, match="read-only"):
        t.margins[0, 0] = 2


def test_to_dict_keeps_counts_beyond_doubles_as_text():
    """Integers above 2^53 are text, since many JSON readers would round them."""
    t = Table([[0, 1]], [2**60], ["a", "b"], ordered=True)
    assert t.to_dict() == {
        "categories": ["a", "b"],
        "raters": ["1", "2"],
        "patterns": [["a", "b"]],
        "counts": [str(2**60)],
    }


def test_html_shows_labels_escaped():
    """Labels are escaped in the square table and in the list of patterns."""
    two = Table([[0, 1]], [3], ["<b>", "y"], ordered=True)
    assert "&lt;b&gt;" in two._repr_html_()
    assert "<b>" not in two._repr_html_()
    three = Table([[0, 1, 1], [1, -1, 0]], [3, 1], ["<b>", "y"], ordered=True)
    assert "<b>" not in three._repr_html_()
    assert "1 missing rating)" in three._repr_html_()


def test_html_shows_totals_and_the_number_of_hidden_patterns():
    """The caption has the summary; names of raters, totals and the number of other patterns are shown."""
    two = Table([[0, 1], [1, 1]], [3, 4], ["x", "y"], ["anna", "ben"], ordered=True)._repr_html_()
    assert '<th scope="col">anna \\ ben</th>' in two
    assert '<th scope="row">total</th><td style="text-align:right">0</td>' in two
    assert '<td style="text-align:right">7</td></tr></tbody>' in two
    many = Table([[i, i, j] for i in range(6) for j in range(6)], range(1, 37), range(6), ordered=True)
    assert "... and 26 more patterns</caption>" in many._repr_html_()


def test_two_raters_print_as_a_square_table_with_totals():
    """The first line gives subjects, raters and categories; rows belong to the first rater."""
    table = Table([[0, 0], [0, 1], [1, 1]], [1200, 5, 30], ["no", "yes"], ["anna", "2"], ordered=True)
    assert repr(table).splitlines() == [
        "Table(1,235 subjects, 2 raters, categories 'no', 'yes')",
        "anna \\ rater 2     no  yes  total",
        "--------------  -----  ---  -----",
        "no              1,200    5  1,205",
        "yes                 0   30     30",
        "total           1,200   35  1,235",
    ]
    assert str(table) == repr(table)


def test_other_tables_print_their_most_frequent_patterns():
    """Patterns are in decreasing order of counts; "-" is a missing rating; at most ten patterns are shown."""
    table = Table([[0, 1, -1], [1, 1, 0]], [2, 3], ["no", "yes"], ["a", "b", "c"], ordered=True)
    assert repr(table).splitlines() == [
        "Table(5 subjects, 3 raters, categories 'no', 'yes'; 2 missing ratings)",
        "a      b   c  subjects",
        "---  ---  --  --------",
        "yes  yes  no         3",
        "no   yes   -         2",
    ]
    two = Table([[0, 1], [0, -1]], [1, 1], ["x", "y"], ordered=True)
    assert repr(two).splitlines()[1:] == [
        "rater 1  rater 2  subjects",
        "-------  -------  --------",
        "x              -         1",
        "x              y         1",
    ]
    many = Table([[i, i, j] for i in range(6) for j in range(6)], range(1, 37), range(6), ordered=True)
    lines = repr(many).splitlines()
    assert lines[3].split() == ["5", "5", "5", "36"]
    assert len(lines) == 14
    assert lines[-1] == "... and 26 more patterns"


def test_square_tables_too_wide_to_read_print_as_patterns():
    """With many categories, two raters print as patterns too."""
    table = Table([[i, i] for i in range(30)], range(1, 31), range(30), ordered=True)
    assert repr(table).splitlines()[1].split() == ["rater", "1", "rater", "2", "subjects"]
    assert repr(table).splitlines()[-1] == "... and 20 more patterns"


def test_the_number_of_raters_that_do_not_fit_is_shown():
    """Lines have at most 80 columns; the last line gives the number of raters that are not shown."""
    names = [f"observer number {i}" for i in range(60)]
    table = Table([[0] * 60, [1] * 60], [1, 2], ["category one", "category two"], names, ordered=True)
    lines = repr(table).splitlines()
    assert max(map(len, lines)) <= 80
    assert "ca...e" in lines[4]
    assert lines[-1].startswith("... and 5")
    assert lines[-1].endswith("more raters")


@pytest.mark.parametrize("hostile", ["a\nb", "\x1b[2J", "x" * 100_000, "日本" * 50, "\u202e<b>", "", " ", "\ud800"])
@pytest.mark.parametrize("n_raters", [2, 3])
def test_no_label_breaks_the_layout(hostile, n_raters):
    """Such labels give as many lines as plain ones, all printable and at most 80 columns wide."""
    patterns = [[0] * n_raters, [1] * n_raters]
    names = [f"{hostile}{i}" for i in range(n_raters)]
    tame = Table(patterns, [1, 2], ["x", "y"], ordered=True)
    table = Table(patterns, [1, 2], [hostile, "y"], names, ordered=True)
    lines = repr(table).splitlines()
    assert len(lines) == len(repr(tame).splitlines())
    assert all(line.isprintable() and text.width(line) <= 80 for line in lines)
    assert "<b>" not in table._repr_html_()
    assert len(table._repr_html_()) < 3000


def test_printing_many_subjects_is_quick():
    """Only the patterns that are shown are turned into labels."""

    class Counting(str):
        made = 0

        def __str__(self):
            Counting.made += 1
            return str.__str__(self)

    rng = np.random.default_rng(1)
    labels = [Counting(letter) for letter in "abcde"]
    table = Table(rng.integers(0, 5, size=(100_000, 10)), None, labels, ordered=True)
    assert repr(table).splitlines()[-1].endswith("more patterns")
    assert Counting.made < 100


def test_unknown_raters_and_categories_are_errors():
    """Raters and categories are chosen among those of the table."""
    t = Table([[0, 1]], [1], ["x", "y"], ordered=True)
    with pytest.raises(km.errors.InvalidOptionError, match="rater must be one of '1', '2'"):
        t.pair("a", "b")
    with pytest.raises(km.errors.InvalidOptionError, match="category must be one of 'x', 'y'; got 'z'"):
        t.collapse("z")


def test_a_dense_array_that_is_not_possible_is_an_error():
    """Missing ratings and too many cells are errors."""
    with pytest.raises(km.errors.NotSupportedError, match="missing ratings has no dense array"):
        Table([[0, 1], [0, -1]], [1, 1], ["x", "y"], ordered=True).dense()
    many = Table([[0] * 20, [4] * 20], [1, 1], range(5), ordered=True)
    with pytest.raises(
        km.errors.NotSupportedError, match="at most 10,000,000 cells, but 5 categories and 20 raters make 9.5e\\+13"
    ):
        many.dense()


def _clustered(patterns, clusters, **options):
    return Table(patterns, options.pop("counts", None), ["x", "y"], ordered=True, clusters=clusters, **options)


def test_clusters_hold_the_patterns_of_each_cluster():
    """Equal rows of a cluster are merged; rows without a rating or a subject, and their clusters, are dropped."""
    patterns = [[0, 1], [0, 1], [-1, -1], [1, 1], [0, 1], [0, 0]]
    table = _clustered(patterns, ["p", "p", "q", "r", "s", "t"], counts=[2, 3, 1, 4, 1, 0], cluster_name="patient")
    clusters = table.clusters
    assert clusters.n_clusters == 3
    assert clusters.patterns.tolist() == [[0, 1], [1, 1], [0, 1]]
    assert clusters.codes.tolist() == [0, 1, 2]
    assert clusters.counts.tolist() == [5, 4, 1]
    assert clusters.name == "patient"
    assert table.n_left_out == 1
    assert str(table.data).startswith("10 subjects in 3 clusters (patient), raters 1 and 2, ")
    assert repr(table).startswith("Table(10 subjects in 3 clusters (patient), 2 raters, ")
    assert (table.data.n_clusters, table.data.cluster) == (3, "patient")
    with pytest.raises(ValueError, match="read-only"):
        clusters.codes[0] = 2


def test_equality_depends_on_who_shares_a_cluster_but_not_on_its_label():
    """Tables with the same patterns differ if their subjects are in other clusters."""
    patterns = [[0, 0], [0, 1], [1, 1], [1, 1]]
    table = _clustered(patterns, [7, 7, 3, 4])
    again = _clustered(patterns[::-1], ["b", "c", "a", "a"], cluster_name="patient")
    assert table == again
    assert hash(table) == hash(again)
    assert table != _clustered(patterns, [7, 3, 7, 4])
    assert table != _clustered(patterns, [7, 7, 3, 3])
    assert table != _clustered(patterns, None)
    assert table.clusters is not None
    assert table.like(table.patterns, table.counts).clusters is None


@given(tables(missing=True), st.integers(0, 2**32))
def test_selected_and_collapsed_tables_keep_clusters(table, seed):
    """The clusters are those of the same subjects in a table that is made from scratch."""
    codes = np.repeat(table.patterns, table.counts, axis=0)
    belongs = np.random.default_rng(seed).integers(0, 5, size=len(codes)) * 10**9
    clustered = Table(codes, None, table.categories, table.raters, ordered=table.ordered, clusters=belongs)
    assert clustered.margins.tolist() == table.margins.tolist()
    assert clustered.clusters.n_clusters == len(set(belongs.tolist()))
    chosen = [table.n_raters - 1, 0]
    expected = Table(
        codes[:, chosen],
        None,
        table.categories,
        [table.raters[i] for i in chosen],
        ordered=table.ordered,
        clusters=belongs,
    )
    assert clustered.select(chosen) == expected
    assert clustered.select(chosen).n_left_out == table.select(chosen).n_left_out - table.n_left_out
    first = clustered.collapse(table.categories[0])
    assert first.clusters.counts.sum() == table.n_subjects
    assert first.clusters.n_clusters == clustered.clusters.n_clusters


def test_many_single_subjects_are_not_grouped():
    """Clusters share the arrays of the rows, and equal the clusters of grouped rows."""
    rng = np.random.default_rng(4)
    codes = rng.integers(-1, 2, size=(30_000, 3))
    belongs = rng.integers(0, 4_000, size=len(codes))
    large = _clustered(codes, belongs)
    assert large.clusters.patterns is large.rows.patterns
    assert large.clusters.counts is large.rows.counts
    grouped = _clustered(codes, belongs, counts=np.ones(len(codes), dtype=int))
    assert len(grouped.clusters.counts) < len(large.clusters.counts)
    assert large == grouped
    assert large.clusters.n_clusters == grouped.clusters.n_clusters
    rated = (codes >= 0).any(axis=1)
    assert large.clusters.n_clusters == len(set(belongs[rated].tolist()))
    assert large.select([0, 2]) == grouped.select([0, 2])


def test_clusters_of_60_raters_are_grouped_beyond_64_bit_keys():
    """The patterns of each cluster and their counts are those that a set of tuples gives."""
    rng = np.random.default_rng(2)
    codes = rng.integers(-1, 5, size=(20, 60))[rng.integers(0, 20, size=300)]
    belongs = rng.integers(0, 4, size=300)
    clusters = Table(codes, None, range(5), ordered=True, clusters=belongs).clusters
    expected = Counter((label, *pattern) for label, pattern in zip(belongs.tolist(), codes.tolist(), strict=True))
    rows = zip(clusters.codes.tolist(), clusters.patterns.tolist(), clusters.counts.tolist(), strict=True)
    found = {(code, *pattern): n for code, pattern, n in rows}
    assert found == expected
    assert list(found) == sorted(found)


def test_a_wrong_number_of_clusters_and_missing_clusters_are_rejected():
    """Every row has exactly one cluster."""
    with pytest.raises(km.errors.InvalidTableError, match=r"one entry per pattern \(2\); got shape \(3,\)"):
        _clustered([[0, 1], [1, 1]], [1, 2, 3])
    with pytest.raises(km.errors.InvalidTableError, match="1 of 2 rows have none, first row 2"):
        _clustered([[0, 1], [1, 1]], ["a", None])
    with pytest.raises(km.errors.InvalidTableError, match="2 of 3 rows have none, first row 1"):
        _clustered([[0, 1], [1, 1], [0, 0]], [float("nan"), 1.0, float("nan")])
