"""Text files in every layout, and what is said when they are broken."""

import pytest

import kappamax as km

EXPECTED = km.Table([[0, 0], [0, 1], [1, 1], [2, -1]], [2, 1, 1, 1], ["no", "yes", "maybe"], ["a", "b"], ordered=True)
ORDER = ["no", "yes", "maybe"]

WIDE = "a,b\nno,no\nno,yes\nyes,yes\nno,no\nmaybe,NA\n"
LONG = "subject,rater,rating\n1,a,no\n1,b,no\n2,a,no\n2,b,yes\n3,b,yes\n3,a,yes\n4,a,no\n4,b,no\n5,a,maybe\n"
PATTERNS = "a,b,count\nno,no,2\nno,yes,1\nyes,yes,1\nmaybe,,1\n"


@pytest.fixture
def write(tmp_path):
    def write(content, name="file.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.mark.parametrize(("layout", "content"), [("wide", WIDE), ("long", LONG), ("patterns", PATTERNS)])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_layout_gives_the_same_table(write, layout, content, delimiter, newline):
    """Whatever separates columns and lines."""
    path = write(content.replace(",", delimiter).replace("\n", newline))
    assert km.read_ratings(path, layout=layout, categories=ORDER) == EXPECTED


def test_byte_order_mark_quotes_and_commas(write):
    """As spreadsheets write them."""
    path = write(b'\xef\xbb\xbf"a","b"\n"x, y","z ""q"""\n"x, y","x, y"\n')
    t = km.read_ratings(path)
    assert t.raters == ("a", "b")
    assert t.categories == ("x, y", 'z "q"')


def test_long_keeps_the_files_order_of_raters(write):
    """First seen, first listed; or as asked for."""
    path = write("Subject,Rater,Rating\n1,zoe,1\n1,amy,2\n2,bob,1\n2,zoe,1\n")
    assert km.read_ratings(path, layout="long").raters == ("zoe", "amy", "bob")
    assert km.read_ratings(path, layout="long", raters=["amy", "zoe"]).raters == ("amy", "zoe")
    quoted = write("subject,rater,rating\n1,o'neil,1\n1,amy,2\n2,o'neil,1\n2,amy,1\n")
    assert km.read_ratings(quoted, layout="long").raters == ("o'neil", "amy")


def test_counts_with_and_without_labels(write):
    """A number in the corner means no labels; categories are then 1 to k."""
    bare = km.read_ratings(write("5,1\n2,7\n"), layout="counts")
    assert bare == km.from_counts([[5, 1], [2, 7]])
    for corner in ("", "rater", "NA"):
        labelled = km.read_ratings(write(f"{corner},no,yes\nno,5,1\nyes,2,7\n"), layout="counts", raters=["A", "B"])
        assert labelled == km.from_counts([[5, 1], [2, 7]], categories=["no", "yes"], raters=["A", "B"])
    named = km.read_ratings(write("5,1\n2,7\n"), layout="counts", categories=["no", "yes"])
    assert named == km.from_counts([[5, 1], [2, 7]], categories=["no", "yes"])


def test_patterns_with_other_names_and_large_counts(write):
    """A column called n, or else the last one; equal patterns add up."""
    assert km.read_ratings(write("n,a,b\n2,1,1\n3,1,2\n4,1,1\n"), layout="patterns").counts.tolist() == [6, 3]
    large = km.read_ratings(write("a,b,times\n1,1,1000000000000\n2,1,1\n"), layout="patterns")
    assert large.n_subjects == 10**12 + 1


def test_columns_are_chosen_by_name(write):
    """An identifier stays out; a column that is probably not a rating is pointed at."""
    rows = "".join(f"{i},{i % 3},{i % 2}\n" for i in range(300))
    path = write("id,a,b\n" + rows)
    assert km.read_ratings(path, raters=["b", "a"]).raters == ("b", "a")
    with pytest.raises(km.InvalidRatingsError, match="column 'id' has 300 distinct values in 300 rows"):
        km.read_ratings(path)


def test_numbers_as_text_sort_as_numbers(write):
    """Everything is read as text, and '10' still comes after '9'."""
    path = write("a,b\n" + "".join(f"{i},{i}.0\n" for i in range(1, 11)))
    assert km.read_ratings(path).categories == tuple(range(1, 11))


BROKEN = [
    ("wide", "", "is empty"),
    ("wide", "\n\n\n", "is empty"),
    ("wide", "a,b\n", "no row after the header"),
    ("wide", "a,b\n1,2,3\n", "line 2: every row must have 2 columns like the first; got 3"),
    ("wide", "a,b\n1,2\n1\n", "line 3: every row must have 2 columns like the first; got 1"),
    ("wide", "a\n1\n", "at least two raters, one column each; .* has 1: 'a'"),
    ("wide", "a,a\n1,2\n", "columns must have different names; 'a' occurs twice"),
    ("wide", b"a,b\n\x00\x01\x02\n", "is a binary file"),
    ("wide", b"a,b\n\xff\xfe,1\n", "is not UTF-8 text: line 2 has the byte 0xff"),
    ("wide", 'a,b\n"x,1\n', "quotation mark is not closed"),
    ("wide", "a,b\nNA,NA\n", "every value is missing"),
    ("wide", "a,b\n1,NA\n2,NA\n", "'b' rated none"),
    ("wide", "a,b\nx,1\n", "rating 'x' .*is not in categories"),
    ("long", "a,b\n1,2\n", "needs columns subject, rater and rating; 'subject' is missing"),
    ("long", "subject,rater,rating\n1,a,1\n1,a,2\n", "'a' rated '1' more than once"),
    ("long", "subject,rater,rating\n1,a,1\n2,a,2\n", "at least two raters; got 'a'"),
    ("long", "subject,rater,rating\n", "no row after the header"),
    ("counts", "1,2\n3,4\n5,6\n", "must be square; .* has 3 rows and 2 columns"),
    ("counts", "1,2\n3,-4\n", "whole numbers >= 0; row 2, column 2 is '-4'"),
    ("counts", "1,2\n3,4.5\n", "whole numbers >= 0; row 2, column 2 is '4.5'"),
    ("counts", "1,2\n3,\n", "row 2, column 2 is ''"),
    ("counts", ",a,b\na,1,2\nc,3,4\n", "same labels in the same order on both sides"),
    ("counts", ",a,\na,1,2\nb,3,4\n", "column 3 has no name"),
    ("counts", "0,0\n0,0\n", "every cell is zero"),
    ("patterns", "a,b,count\n1,1,x\n", "line 2, column 'count' is 'x'"),
    ("patterns", "a,b,count\n1,1,1\n1,2,-3\n", "line 3, column 'count' is '-3'"),
    ("patterns", "a,b,count\n1,1,0\n", "every count is zero"),
    ("patterns", "a,count\n1,1\n", "at least two raters; got 1"),
]


@pytest.mark.parametrize(("layout", "content", "message"), BROKEN)
def test_broken_files(write, layout, content, message):
    """One line that names the file, the line and the rule."""
    categories = [1, 2] if "x,1" in str(content) and layout == "wide" else None
    with pytest.raises(km.InputError, match=message) as caught:
        km.read_ratings(write(content), layout=layout, categories=categories)
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    """Missing, a folder, or a layout that does not exist."""
    with pytest.raises(km.UnreadableFileError, match="there is no file"):
        km.read_ratings(tmp_path / "nothing.csv")
    with pytest.raises(km.UnreadableFileError, match="is a folder"):
        km.read_ratings(tmp_path)
    with pytest.raises(km.InvalidOptionError, match="layout must be one of 'wide', 'long', 'counts', 'patterns'"):
        km.read_ratings(tmp_path / "x", layout="tall")


def test_raters_that_are_not_there(write):
    """The nearest name is offered."""
    with pytest.raises(km.InvalidRatingsError, match="no column 'rater_1'.*Did you mean 'rater1'"):
        km.read_ratings(write("rater1,rater2\n1,2\n"), raters=["rater_1", "rater2"])
    with pytest.raises(km.InvalidRatingsError, match="no rater 'zoo'.*Did you mean 'zoe'"):
        km.read_ratings(write("subject,rater,rating\n1,zoe,1\n1,amy,1\n"), layout="long", raters=["zoo", "amy"])


def test_labelled_counts_have_their_own_order(write):
    """Another order beside it would be a guess about which is meant."""
    path = write(",a,b\na,1,2\nb,3,4\n")
    assert km.read_ratings(path, layout="counts", categories=["a", "b"]).categories == ("a", "b")
    with pytest.raises(km.InvalidOptionError, match="has its own order of categories, 'a', 'b'"):
        km.read_ratings(path, layout="counts", categories=["b", "a"])
