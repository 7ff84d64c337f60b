"""Tests that long files give the patterns that a dictionary of ratings gives, whatever order and names they have."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kappamax.errors import KappamaxError
from kappamax.io import long_files, read_ratings
from tests.support.strategies import examples

RATERS = ["ann", "bob", "cy", "d'Arc", "eve é"]
LABELS = ["low", "mid", "high", "very high", "it's"]


@st.composite
def long_tables(draw):
    """Draw the rows of a long table: subject, rater and rating, with odd spaces, gaps and repeated ratings."""
    n_raters, n_labels = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    numbered, spaced = draw(st.booleans()), draw(st.booleans())
    rows = []
    for subject in range(draw(st.integers(2, 12))):
        for rater in RATERS[:n_raters]:
            if draw(st.integers(0, 4)):
                name = str(subject) if numbered else f"case {subject}"
                name = draw(st.sampled_from([name, f" {name}", f"{name}\u00a0"])) if spaced else name
                rater_cell = draw(st.sampled_from([rater, f"{rater} "])) if spaced else rater
                rows.append((name, rater_cell, draw(st.sampled_from([*LABELS[:n_labels], ""]))))
    if rows and draw(st.integers(0, 9)) == 0:
        rows.append(draw(st.sampled_from(rows)))
    return draw(st.permutations(rows))


def _by_hand(rows):
    """Return the number of subjects with each pattern, or None if a rater rated a subject twice."""
    ratings = {}
    for subject, rater, label in rows:
        key = subject.strip(), rater.strip()
        if key in ratings:
            return None
        ratings[key] = label
    raters = sorted({rater for _, rater in ratings})
    subjects = {subject for subject, _ in ratings}
    return Counter(tuple(ratings.get((one, rater), "") for rater in raters) for one in subjects)


def _as_read(table):
    labels = [*table.categories, ""]  # the code -1 of a missing rating is the last position
    order = sorted(range(table.n_raters), key=lambda i: table.raters[i])
    return Counter(
        {
            tuple(labels[pattern[i]] for i in order): int(n)
            for pattern, n in zip(table.patterns.tolist(), table.counts, strict=True)
        }
    )


def _read(rows, kind):
    """Write the rows as a file of the given kind and read it."""
    with TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / f"ratings.{kind}"
        connection.execute("CREATE TABLE ratings (subject VARCHAR, rater VARCHAR, rating VARCHAR)")
        connection.executemany("INSERT INTO ratings VALUES (?, ?, ?)", rows)
        connection.execute(f"COPY ratings TO '{path}'")
        return read_ratings(path, layout="long", accept_labels=True, categories=LABELS)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@settings(max_examples=examples(60))
@given(rows=long_tables(), first_rows=st.sampled_from([1, 3, 10, 500_000]), rare=st.sampled_from([0, 2, 100_000]))
def test_the_patterns_are_those_of_a_dictionary(kind, rows, first_rows, rare):
    """Raters and labels that occur only after the first rows, and subjects with spaces, are not lost."""
    raters = {rater.strip() for _, rater, _ in rows}
    assume(len(raters) >= 2 and raters == {rater.strip() for _, rater, label in rows if label})
    expected = _by_hand(rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_files, "_FIRST_ROWS", first_rows)
        patch.setattr(long_files, "_MOST_RARE_RATINGS", rare)
        if expected is None:
            with pytest.raises(KappamaxError, match="twice|rated"):
                _read(rows, kind)
            return
        found = _as_read(_read(rows, kind))
    nothing = ("",) * len(next(iter(expected)))
    assert found - Counter({nothing: found[nothing]}) == expected - Counter({nothing: expected[nothing]})
