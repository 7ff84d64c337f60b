"""Recognise tables that were read as wide but have another layout.

Each function returns the error to raise, with the options that read the table in its own layout, or None.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any, NamedTuple

from kappamax.display.text import listing
from kappamax.errors import Advice, InvalidRatingsError
from kappamax.io import column_names as names
from kappamax.io.column_designs import numbers_within
from kappamax.io.column_profiles import ColumnProfile
from kappamax.io.count_matrices import looks_like_counts, looks_like_percentages
from kappamax.io.labels import label_of

_FEWEST_COLUMNS_TRANSPOSED = 12
_MOST_ROWS_TRANSPOSED = 8
_MOST_COLUMNS_TRIED = 40
_MOST_LABELS = 100
_FEWEST_ROWS_LONG = 4
_FEWEST_RATINGS_EACH = 1.5
_FEWEST_ROWS_TALLIES = 6


class LongColumns(NamedTuple):
    """Names of the columns of a table with one row per rating."""

    subject: str
    rater: str
    rating: str


class _FurtherColumns(NamedTuple):
    """Columns of a long table in which two columns identify the subjects together."""

    subject: list[str]
    rater: str
    rating: str


def other_layout(
    profiles: Sequence[ColumnProfile], rows: Sequence[Sequence[Any]], source: str, *, has_header: bool
) -> InvalidRatingsError | None:
    """Return the error about a table that was read as wide but has another layout, or None if it is wide.

    `rows` are the first rows of the table.
    """
    columns = [profile.name for profile in profiles]
    if counts := _as_counts([columns, *rows[:_MOST_LABELS]], source):
        return counts
    if tally := _tallies(profiles, source):
        return tally
    if has_header and (no_header := _without_header(profiles, source)):
        return no_header
    count = next((profile for profile in profiles if _is_count(profile, profiles)), None)
    if count is not None:
        return InvalidRatingsError(
            f"column {count.name!r} of {source} looks like the number of subjects with each pattern of ratings. The "
            f"columns are {listing(columns, most=20)}.",
            code="patterns-read-as-wide",
            fields={"columns": columns, "count": count.name},
            advice=[Advice({"layout": "patterns", "count": count.name})],
        )
    filled = [_filled_down(profile) for profile in profiles]
    long: LongColumns | _FurtherColumns | None
    long, fill_down = long_columns(profiles), {}
    if long is None and any(one is not profile for one, profile in zip(filled, profiles, strict=True)):
        long, fill_down = long_columns(filled), {"fill_down": True}
    if long is None:
        long = _with_two_columns_of_subjects(profiles)
    if long is not None:
        subject = f"column {long.subject!r} names" if isinstance(long.subject, str) else _together(long.subject)
        return InvalidRatingsError(
            f"{source} has one row per rating: {subject} subjects, {long.rater!r} raters and {long.rating!r} ratings. "
            f"The columns are {listing(columns, most=20)}.",
            code="long-table-read-as-wide",
            fields={"columns": columns, **long._asdict()},
            advice=[Advice({"layout": "long", **long._asdict(), **fill_down})],
        )
    return _transposed(profiles, source)


def long_columns(profiles: Sequence[ColumnProfile]) -> LongColumns | None:
    """Return the columns subject, rater and rating of a table with one row per rating, or None.

    In such a table, subjects repeat, a subject and a rater together occur once, and there is only one column of
    ratings: no two of the other columns share categories.
    """
    by_name = {profile.name.strip().lower(): profile.name for profile in reversed(profiles)}
    if {"subject", "rater", "rating"} <= set(by_name):
        return LongColumns(by_name["subject"], by_name["rater"], by_name["rating"])
    usable = [profile for profile in profiles if profile.n_present and not _is_constant(profile)]
    n_rows = len(usable[0].labels) if usable else 0
    if n_rows < _FEWEST_ROWS_LONG or not 3 <= len(usable) <= _MOST_COLUMNS_TRIED:
        return None
    found = []
    for subject, rater in permutations(usable, 2):
        if subject.unique or rater.unique or (names.names_rating(rater.name) and not names.names_rater(rater.name)):
            continue
        score = _long_score(subject, rater, usable, n_rows)
        if score is not None:
            rating = _rating_column(usable, subject, rater)
            about = names.names_other(subject.name) and not names.names_identifier(subject.name)
            if rating is not None and not about and not _are_two_raters(rater, rating, subject):
                found.append((score, LongColumns(subject.name, rater.name, rating.name)))
    return max(found, key=lambda one: one[0])[1] if found else None


def advice_for_frames(advice: Sequence[Advice]) -> list[Advice]:
    """Return advice in terms of frames: a matrix of counts and a transposed table have no option of their own."""
    calls = {"layout": "km.from_counts(frame)", "transpose": "km.from_ratings(frame.T)"}
    found = []
    for one in advice:
        special = "transpose" in one.options or one.options.get("layout") == "counts"
        found.append(replace(one, call=calls[next(iter(one.options))]) if special else one)
    return found


def _filled_down(profile: ColumnProfile) -> ColumnProfile:
    """Return a column with the label above in empty rows, if it begins with a label and has many gaps."""
    if profile.labels[:1] in ([], [None]) or len(profile.labels) - profile.n_present < len(profile.labels) / 3:
        return profile
    labels = list(profile.labels)
    for i, label in enumerate(labels):
        labels[i] = labels[i - 1] if label is None else label
    return ColumnProfile(profile.name, labels, Counter(label for label in labels if label is not None))


def _with_two_columns_of_subjects(profiles: Sequence[ColumnProfile]) -> _FurtherColumns | None:
    """Return the columns of a long table in which a rater rates the same subject repeatedly, as on several occasions.

    The columns of subjects, raters and ratings have usual names, and one further column makes every row unique.
    """
    usable = [profile for profile in profiles if profile.n_present == len(profile.labels) and not profile.unique]
    raters = [one for one in usable if names.names_rater(one.name) and not names.names_rating(one.name)]
    ratings = [one for one in profiles if names.names_rating(one.name) and not names.names_rater(one.name)]
    subjects = [one for one in usable if names.names_identifier(one.name) and one not in raters]
    if len(raters) != 1 or len(ratings) != 1 or raters[0].n_distinct < 2:
        return None
    for subject, other in permutations(usable, 2):
        if subject in subjects and other not in (*raters, *ratings):
            keys = set(zip(subject.labels, other.labels, raters[0].labels, strict=True))
            pairs = set(zip(subject.labels, other.labels, strict=True))
            if len(keys) == len(subject.labels) >= _FEWEST_RATINGS_EACH * len(pairs):
                return _FurtherColumns([subject.name, other.name], raters[0].name, ratings[0].name)
    return None


def _together(columns: Sequence[str]) -> str:
    return f"columns {' and '.join(map(repr, columns))} together name"


def _long_score(
    subject: ColumnProfile, rater: ColumnProfile, usable: Sequence[ColumnProfile], n_rows: int
) -> tuple[float, ...] | None:
    """Return how well two columns are the subjects and raters of a long table, or None if they cannot be."""
    n_subjects, n_raters = subject.n_distinct, rater.n_distinct
    if n_raters < 2 or n_subjects < 2 or n_rows < 1.2 * n_subjects:
        return None
    pairs = set(zip(subject.labels, rater.labels, strict=True))
    named = names.names_rater(rater.name)
    known_subject = names.names_identifier(subject.name)
    if len(pairs) < n_rows * (0.95 if named and known_subject else 1):
        return None
    crossed = n_rows == n_subjects * n_raters
    apart = rater.share_in([one for one in usable if one is not rater and one is not subject]) == 0
    usual = n_subjects >= n_raters
    if not (named or (crossed and (known_subject or usual)) or (apart and (known_subject or usual))):
        return None
    things = names.names_thing(subject.name) and not names.names_thing(rater.name)
    return named, things, usual, known_subject, not names.names_other(subject.name), crossed, n_subjects, -n_raters


def _rating_column(
    usable: Sequence[ColumnProfile], subject: ColumnProfile, rater: ColumnProfile
) -> ColumnProfile | None:
    """Return the column of ratings, or None if there is none or several columns could be ratings of raters."""
    rest = [
        profile
        for profile in usable
        if profile not in (subject, rater)
        and profile.n_distinct <= _MOST_LABELS
        and not _is_determined(profile, subject)
        and not _is_determined(profile, rater)
        and not (profile.unique and len(profile.labels) > 2)
    ]
    rated = [profile for profile in rest if names.names_rating(profile.name)]
    unnamed = [profile for profile in rest if not names.names_other(profile.name)]
    candidates = rated or unnamed or rest
    families = [one for one in rest if one.share_in([other for other in rest if other is not one]) >= 0.5]
    if len(families) > 1 and not (names.names_rater(rater.name) and len(rated) == 1):
        return None
    return min(candidates, key=lambda profile: profile.n_distinct, default=None)


def _are_two_raters(one: ColumnProfile, other: ColumnProfile, subject: ColumnProfile) -> bool:
    """Return whether two columns look like the ratings of two raters.

    They are alike in name, have words in common, or both rank the rows of each subject.
    """
    if not names.names_rater(one.name) and one.counts.keys() == other.counts.keys() and numbers_within(other, subject):
        return True
    stem = "" if names.is_made_up(one.name) else names.stem_of(one.name)
    if stem and stem == names.stem_of(other.name):
        return True
    return any(isinstance(label, str) and label in other.counts for label in one.counts)


def _is_determined(profile: ColumnProfile, by: ColumnProfile) -> bool:
    """Return whether a column has one value for each value of another column, as the text of an item has."""
    return len(set(zip(by.labels, profile.labels, strict=True))) == by.n_distinct + (by.n_present < len(by.labels))


def _is_constant(profile: ColumnProfile) -> bool:
    return profile.n_distinct == 1 and profile.n_present == len(profile.labels) > 1


def _is_count(count: ColumnProfile, profiles: Sequence[ColumnProfile]) -> bool:
    """Return whether a column contains the numbers of subjects with the patterns in the other columns.

    It has a usual name, or it is the last column and its numbers are not labels of the others.
    """
    if not count.whole or count.numbers_rows or not (names.names_count(count.name) or count is profiles[-1]):
        return False
    others = [
        profile
        for profile in profiles
        if profile is not count
        and not names.names_summary(profile.name)
        and not (profile.numbers_rows and (names.is_made_up(profile.name) or names.names_identifier(profile.name)))
    ]
    if len(others) < 2:
        return False
    rows = list(zip(*(other.labels for other in others), strict=True))
    if len(set(rows)) < len(rows):
        return False
    if names.names_count(count.name):
        return True
    if len(count.labels) < 3:
        return False
    shared = all(other.share_in([one for one in others if one is not other]) >= 0.5 for other in others)
    identifies = names.names_identifier(count.name) and count.unique
    last = count is profiles[-1] and not identifies and not names.names_rater(count.name)
    return shared and last and count.share_in(others) < 0.5


def _as_counts(grid: Sequence[Sequence[Any]], source: str) -> InvalidRatingsError | None:
    """Return the error about a matrix of counts, whose rows and columns have the same labels."""
    if len(grid[0]) > _MOST_LABELS:
        return None
    turned = [[[row[j], *row[:j], *row[j + 1 :]] for row in grid] for j in range(len(grid[0]))]
    if any(map(looks_like_percentages, turned)):
        return InvalidRatingsError(
            f"{source} looks like a matrix of percentages or proportions, since its rows and columns have the same "
            "labels. Kappa needs the counts: multiply every cell by the number of subjects, and round it.",
            code="percentages-read-as-wide",
        )
    if not any(map(looks_like_counts, turned)):
        return None
    return InvalidRatingsError(
        f"{source} looks like a matrix of counts, since its rows and columns have the same labels.",
        code="counts-read-as-wide",
        advice=[Advice({"layout": "counts"})],
    )


def _tallies(profiles: Sequence[ColumnProfile], source: str) -> InvalidRatingsError | None:
    """Return the error about a table with one column per category that counts the raters of each subject."""
    counts = [profile for profile in profiles if not (profile.unique or names.names_identifier(profile.name))]
    whole = len(counts) > 1 and all(profile.whole and profile.n_present == len(profile.labels) for profile in counts)
    if not whole or len(counts[0].labels) < _FEWEST_ROWS_TALLIES:
        return None
    rows = [tuple(row) for row in zip(*(profile.labels for profile in counts), strict=True)]
    sums = {sum(label for label in row if isinstance(label, int)) for row in rows}
    if len(sums) > 1 or max(sums) < 2 or len(set(rows)) < 3 or not any(0 in row for row in rows):
        return None
    return InvalidRatingsError(
        f"every row of {source} adds up to {max(sums)}, so its columns are probably categories and its cells count "
        "raters. Kappa needs to know which rater gave which rating: one column per rater, or one row per rating.",
        code="tallies-of-raters",
        fields={"n_raters": max(sums)},
    )


def _without_header(profiles: Sequence[ColumnProfile], source: str) -> InvalidRatingsError | None:
    """Return the error about a first row that is data: its cells are labels that occur below."""
    header = [label_of(profile.name.split(" (")[0]) for profile in profiles]
    rows = len(profiles[0].labels)
    all_labels = {label for profile in profiles for label in profile.counts}
    numbers = [label for label in header if isinstance(label, int | float)]
    advice: list[Advice] = []
    shown = listing([profile.name for profile in profiles])
    names_of_raters = Advice({"raters": [profile.name for profile in profiles]}, "if these are the names of the raters")
    if len(numbers) == len(header):
        if rows + 1 == len(header) and all(profile.whole for profile in profiles):
            advice = [
                Advice({"no_header": True}, "if each row is a subject"),
                Advice({"layout": "counts"}, "otherwise"),
            ]
        elif numbers == list(range(1, len(numbers) + 1)) or not set(numbers) & all_labels:
            if not set(numbers) & all_labels:
                return None
            advice = [Advice({"no_header": True}, "if the first row is data"), names_of_raters]
        else:
            advice = [names_of_raters, Advice({"no_header": True}, "if the first row is data")]
    else:
        ratings = [
            (label, profile) for label, profile in zip(header, profiles, strict=True) if not _like_identifier(profile)
        ]
        if len(ratings) < 2 or not all(label in all_labels for label, _ in ratings):
            return None
        cells = [str(label) for label, _ in ratings]
        sequence = cells in ([chr(65 + i) for i in range(len(cells))], [str(i + 1) for i in range(len(cells))])
        no_header = Advice({"no_header": True}, "if the first row is data")
        raters = Advice({"raters": [profile.name for _, profile in ratings]}, names_of_raters.condition)
        advice = [no_header, raters] if sequence else [raters, no_header]
    return InvalidRatingsError(
        f"the first row of {source} must name the columns, but its cells also occur as ratings: {shown}.",
        code="no-header",
        fields={"header": [profile.name for profile in profiles]},
        advice=advice,
    )


def _like_identifier(profile: ColumnProfile) -> bool:
    return profile.unique and len(profile.labels) > 2


def _transposed(profiles: Sequence[ColumnProfile], source: str) -> InvalidRatingsError | None:
    """Return the error about a table whose rows are raters: few rows, and very many columns with shared categories."""
    if sum(names.names_rater(profile.name) for profile in profiles[1:]) > len(profiles) / 2:
        return None
    return transposed_error(len(profiles[0].labels), [profile.name for profile in profiles], source)


def transposed_error(n_rows: int, columns: Sequence[str], source: str, call: str = "") -> InvalidRatingsError | None:
    """Return the error about a table with few rows and very many columns, or None if it has another shape.

    `call` is the call in Python that reads the rows as raters.
    """
    many = len(columns) >= max(_FEWEST_COLUMNS_TRANSPOSED, 3 * n_rows)
    if not many or not 2 <= n_rows <= _MOST_ROWS_TRANSPOSED:
        return None
    return InvalidRatingsError(
        f"{source} has {n_rows} rows and {len(columns)} columns, so its rows are probably raters and its columns are "
        "probably subjects.",
        code="transposed-table",
        fields={"n_rows": n_rows, "n_columns": len(columns)},
        advice=[
            Advice({"raters": list(columns)}, "if the columns are raters"),
            Advice({"transpose": True}, "otherwise", call=call),
        ],
    )
