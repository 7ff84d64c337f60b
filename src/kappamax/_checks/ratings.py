"""What came as ratings in, a clear error out."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

from kappamax._validate import did_you_mean
from kappamax.display.text import listing, plural
from kappamax.errors import InvalidRatingsError, KappamaxWarning, NotSupportedError

_MANY_VALUES = 100
_FEW_ROWS = 20
_MOST_CATEGORIES = 2_000
_IDENTIFIERS = {"id", "subject", "subject_id", "subjectid", "patient", "patient_id", "patientid", "case_id", "item_id"}


def refuse_bare_array(shape: tuple[int, ...]) -> NoReturn:
    """A 2-D array does not say what it is."""
    raise InvalidRatingsError(
        f"a bare {' x '.join(map(str, shape))} array could be counts or ratings. "
        "Say which: km.from_counts(a) for a table of counts, km.from_ratings(a) for subjects x raters."
    )


def refuse_type(value: object) -> NoReturn:
    """Something that is no kind of ratings."""
    raise InvalidRatingsError(
        f"ratings must be a Table, a frame, or two or more label arrays; got {type(value).__name__}."
    )


def equal_lengths(lengths: Sequence[int]) -> None:
    """Label arrays of one length."""
    if len(lengths) < 2:
        raise InvalidRatingsError(f"agreement needs at least two raters; got {len(lengths)}.")
    if len(set(lengths)) > 1:
        raise InvalidRatingsError(f"label arrays must have one length; got {', '.join(map(str, lengths))}.")
    if lengths[0] == 0:
        raise InvalidRatingsError("there is no subject to compare: the label arrays are empty.")


def known_label(label: object, labels: Sequence[Any], place: str) -> NoReturn:
    """A rating outside `categories`."""
    raise InvalidRatingsError(f"rating {label!r} ({place}) is not in categories {listing(labels)}.")


def no_rating() -> NoReturn:
    """Nothing but missing values."""
    raise InvalidRatingsError("there is no rating: every value is missing.")


def missing_category(label: object) -> NoReturn:
    """None or NaN named as a category."""
    raise InvalidRatingsError(f"categories must be labels; {label!r} is a missing value.")


def one_order(orders: Sequence[Sequence[Any]]) -> NoReturn:
    """Two raters whose ordered categoricals differ."""
    raise InvalidRatingsError(
        f"the raters' columns declare different ordered categories: {listing(orders[0])} and {listing(orders[1])}. "
        "Pass categories=[...] with all labels in order."
    )


def one_label(value: object, place: str) -> NoReturn:
    """A list where a label should be."""
    raise InvalidRatingsError(f"a rating must be one label; {place} is {value!r}.")


def one_dimension(shape: tuple[int, ...]) -> NoReturn:
    """A label array of two dimensions."""
    raise InvalidRatingsError(
        f"each label array must have one dimension; got {' x '.join(map(str, shape)) or 'a single value'}."
    )


def two_dimensions(shape: tuple[int, ...]) -> NoReturn:
    """Ratings that are not subjects x raters."""
    raise InvalidRatingsError(f"ratings must be a 2-D array, subjects x raters; got shape {shape}.")


def rows_of_one_length(rows: Sequence[Any]) -> None:
    """Nested lists of ratings."""
    if not rows:
        no_subject()
    for i, row in enumerate(rows):
        if row is None:
            raise InvalidRatingsError(f"ratings must be rows of labels, one row per subject; row {i + 1} is no row.")
        if len(row) != len(rows[0]):
            raise InvalidRatingsError(
                f"every subject must have one entry per rater; row {i + 1} has {len(row)} and row 1 has {len(rows[0])}."
            )


def no_subject() -> NoReturn:
    """No row at all."""
    raise InvalidRatingsError("there is no subject to compare.")


def raters_among(names: Sequence[str], present: Sequence[str], what: str) -> list[str]:
    """Two or more raters, each once, each among the columns (or raters) there are."""
    there = set(present)
    for name in names:
        if name not in there:
            hint = did_you_mean(str(name), present)
            raise InvalidRatingsError(f"there is no {what} {name!r}; the {what}s are {listing(present)}.{hint}")
    if len(names) < 2:
        raise InvalidRatingsError(
            f"agreement needs at least two raters; got {len(names)} of the {what}s {listing(present)}."
        )
    return different(list(names))


def refuse_bytes() -> NoReturn:
    """Text in an unknown encoding."""
    raise InvalidRatingsError("labels are bytes; text must be decoded first, as in a.astype(str).")


def say_missing(texts: Sequence[str]) -> None:
    """Text such as None or NA may be a category; say how it was read."""
    if texts:
        read = "was read as a missing rating" if len(texts) == 1 else "were read as missing ratings"
        warnings.warn(
            f"{listing(texts)} {read}; name a category in categories=[...], or confirm with missing=[...] (on the "
            "command line --categories and --missing).",
            KappamaxWarning,
            stacklevel=2,
        )


def few_values(names: Sequence[str], n_values: Sequence[int], n_rows: int, *, chosen: bool) -> None:
    """Columns of ratings repeat few values and are not called id; a column the caller chose is only remarked on."""
    for name, n in zip(names, n_values, strict=True):
        identifier = (n > _MANY_VALUES and n > n_rows / 2) or (n == n_rows > _FEW_ROWS)
        if not chosen and (identifier or name.strip().lower() in _IDENTIFIERS):
            raise InvalidRatingsError(
                f"column {name!r} has {n} distinct values in {n_rows} rows, so it is probably not a rating. "
                "Choose the raters' columns: raters=[...] (on the command line --raters a,b)."
            )
        if n > _MANY_VALUES:
            warnings.warn(
                f"column {name!r} has {n} distinct values, so it is probably not a rating.",
                KappamaxWarning,
                stacklevel=2,
            )


def few_patterns(n_patterns: int) -> NoReturn:
    """More patterns than come into memory."""
    raise NotSupportedError(
        f"the ratings have more than {n_patterns:,} distinct patterns; a table of them does not fit into memory."
    )


def few_categories(n_categories: int) -> None:
    """Weights are a matrix, categories x categories."""
    if n_categories > _MOST_CATEGORIES:
        raise NotSupportedError(
            f"the ratings have {n_categories:,} different labels; a table holds up to {_MOST_CATEGORIES:,} categories."
        )


def alike(labels: Sequence[Any], n_ratings: Sequence[int]) -> None:
    """Labels in use that a reader would take for one."""
    by_look: dict[str, list[int]] = {}
    for i, label in enumerate(labels):
        if n_ratings[i]:
            by_look.setdefault(_look(label), []).append(i)
    twins = [same for same in by_look.values() if len(same) > 1]
    if twins:
        shown = " and ".join(f"{labels[i]!r} ({plural(n_ratings[i], 'rating')})" for i in twins[0])
        spelled = len({_bare(labels[i]) for i in twins[0]}) == 1
        why = "differ only in case or spaces" if spelled else "may mean the same"
        more = f" {len(twins) - 1} more labels have such twins." if len(twins) > 1 else ""
        warnings.warn(f"labels {shown} {why}; they count as different categories.{more}", KappamaxWarning, stacklevel=2)


def some_complete(complete: Any) -> None:
    """At least one subject rated by everyone."""
    if not complete.any():
        raise InvalidRatingsError("complete_only leaves no subject: none has a rating by every rater.")


def no_missing_category(categories: Collection[Any], missing: Collection[Any]) -> None:
    """A label is a category or means missing, not both."""
    both = [label for label in categories if label in missing]
    if both:
        raise InvalidRatingsError(f"a label cannot be a category and missing; {both[0]!r} is in both lists.")


def different(names: list[str]) -> list[str]:
    """Column names, none twice."""
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise InvalidRatingsError(f"columns must have different names; {twice!r} occurs twice.")
    return names


def _look(label: Any) -> str:
    """What a reader sees in a label: without case, spaces and leading zeros, and True is 1."""
    bare = _bare(label)
    number = bare.lstrip("0") or "0" if bare.isdigit() else bare
    return {"true": "1", "false": "0"}.get(number, number)


def _bare(label: Any) -> str:
    return " ".join(str(label).split()).casefold()
