"""The limits of the page are the same for tables that are typed, pasted and read from files."""

import re
from pathlib import Path

import pytest

import kappamax as km
from kappamax.errors import InvalidRequestError
from kappamax.web import limits
from kappamax.web.handlers import file_table
from kappamax.web.limits import require_within_limits
from kappamax.web.schemas import as_request


def typed(content):
    """Read a table as the page sends it."""
    as_request("table", content).table()


def opened(rows, **options):
    """Read a table as a file or a pasted text."""
    content = "\n".join(",".join(map(str, row)) for row in rows).encode()
    file_table(as_request("file", {"content": content, **options}, strict=False))


def square(k, count=1):
    """Return counts with k categories, on the diagonal."""
    return [[count if i == j else 0 for j in range(k)] for i in range(k)]


def patterns(n, n_raters):
    """Return n different patterns of 100 categories."""
    return [[i % 100, i // 100 % 100, i // 10_000, *([0] * (n_raters - 3))] for i in range(n)]


def patterns_request(rows, n_categories=100):
    """Return a request with patterns that occur once."""
    raters = [f"r{i}" for i in range(len(rows[0]))]
    return {"patterns": rows, "counts": [1] * len(rows), "categories": list(range(n_categories)), "raters": raters}


def wide(rows):
    """Return the rows of a file with one column per rater."""
    return [[f"r{i}" for i in range(len(rows[0]))], *rows]


MANY = patterns(20_001, 3)
CASES = {
    "subjects": (
        lambda n: typed({"counts": [[n - 1, 0], [0, 1]]}),
        lambda n: opened([[n - 1, 0], [0, 1]], layout="counts"),
        limits.MAX_SUBJECTS,
    ),
    "categories": (
        lambda n: typed({"counts": square(n)}),
        lambda n: opened(square(n), layout="counts"),
        limits.MAX_CATEGORIES,
    ),
    "raters": (
        lambda n: as_request("table", patterns_request([[0] * n, [1] * n], 2)),
        lambda n: opened(wide([[0] * n, [1] * n] * 100), layout="wide"),
        limits.MAX_RATERS,
    ),
    "different patterns": (
        lambda n: as_request("table", patterns_request(MANY[:n])),
        lambda n: opened(wide(MANY[:n]), layout="wide", categories=",".join(map(str, range(100)))),
        limits.MAX_PATTERNS,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", CASES)
def test_limits_are_the_same_however_a_table_is_given(what):
    """A table of the largest size is accepted, and one more is refused, with the same status and a rule."""
    by_typing, by_file, most = CASES[what]
    for read in (by_typing, by_file):
        read(most)
        with pytest.raises(InvalidRequestError, match=rf"at most {most:,}|a list of 1 to {most:,} ") as caught:
            read(most + 1)
        assert caught.value.status == 413


def test_many_raters_have_fewer_patterns():
    """The number of ratings in the patterns is limited, too."""
    require_within_limits(n_subjects=2_000, n_categories=2, n_raters=100, n_patterns=2_000)
    with pytest.raises(InvalidRequestError, match="at most 2,000 different patterns; got 2,001. The command line"):
        require_within_limits(n_subjects=2_001, n_categories=2, n_raters=100, n_patterns=2_001)


def test_a_request_has_at_most_eight_weightings():
    """The rule names the number."""
    asked = {"counts": [[1, 2], [3, 4]]}
    as_request("table", asked | {"weights": ["linear"] * limits.MAX_WEIGHTINGS})
    with pytest.raises(InvalidRequestError, match="a list of 1 to 8 names or JSON objects; got a list of length 9"):
        as_request("table", asked | {"weights": ["linear"] * (limits.MAX_WEIGHTINGS + 1)})


def test_the_grid_of_the_page_has_the_documented_size():
    """The script of the page has the same number."""
    script = (Path(km.__file__).parent / "web" / "static" / "state.js").read_text(encoding="utf-8")
    assert int(re.search(r"MOST = (\d+)", script)[1]) == limits.MAX_GRID_CATEGORIES
