"""Describe the layout of ratings, the columns that contain them, and the meaning of their values.

Files and frames have columns with names. The arguments that describe them are checked once, by `ReadSpec`, and passed
on as one object. The rules that files and frames share are in this module as well.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, NoReturn

from kappamax._validate import as_choice, as_list_of_names, did_you_mean
from kappamax.display.text import listing
from kappamax.errors import Advice, InvalidOptionError, InvalidRatingsError, NotSupportedError
from kappamax.table import Label

LAYOUTS = ("wide", "long", "counts", "patterns")
_COUNT_NAMES = ("count", "counts", "n", "freq", "frequency")
_MANY_VALUES = 100
_FEW_ROWS = 20
_MOST_RATERS_READ = 1000


@dataclass(frozen=True)
class ReadSpec:
    """The layout of ratings and the meaning of their values; the fields are arguments of `read_ratings`."""

    layout: str | None = None
    categories: Sequence[Label] | None = None
    raters: Sequence[str] | None = None
    subject: str | None = None
    rater: str | None = None
    rating: str | None = None
    count: str | None = None
    cluster: str | None = None
    missing: Sequence[Any] = ()
    complete_only: bool = False
    sheet: str | int | None = None
    delimiter: str | None = None
    skip_rows: int | None = None
    no_header: bool = False
    transpose: bool = False
    fill_down: bool = False
    encoding: str | None = None
    decimal_comma: bool = False
    ignore_case: bool = False
    rename: Mapping[str, Any] = field(default_factory=dict)
    accept_labels: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "subject", joined_names(self.subject))
        if self.layout is not None:
            object.__setattr__(self, "layout", as_choice("layout", self.layout, LAYOUTS))
        elif self.rater is not None or self.rating is not None:
            object.__setattr__(self, "layout", "long")
        elif self.count is not None:
            object.__setattr__(self, "layout", "patterns")
        for argument, column, layouts in (
            ("rater", self.rater, ("long",)),
            ("rating", self.rating, ("long",)),
            ("count", self.count, ("patterns",)),
            ("subject", self.subject, ("wide", "long", "patterns")),
            ("cluster", self.cluster, ("wide", "long", "patterns")),
        ):
            if column is None:
                continue
            if not isinstance(column, str):
                raise InvalidOptionError(f"{argument} must be the name of a column; got {type(column).__name__}.")
            if (self.layout or "wide") not in layouts:
                raise InvalidOptionError(
                    f"{argument} can be given for layout {' or '.join(layouts)} only; got layout {self.layout!r}."
                )
        for role in ("rater", "rating", "count"):
            if self.cluster is not None and getattr(self, role) == self.cluster:
                raise InvalidOptionError(
                    f"cluster and {role} must be different columns; got {self.cluster!r} for both."
                )
        for argument, values in (("raters", self.raters), ("missing", self.missing)):
            if isinstance(values, str) or not (values is None or hasattr(values, "__iter__")):
                raise InvalidOptionError(f"{argument} must be a list; got {values!r}.")
        if "" in self.rename and self.layout in ("long", "counts"):
            raise InvalidOptionError(
                "rename can name empty cells for layout wide or patterns only, in which every subject has a cell for "
                f"every rater; got layout {self.layout!r}."
            )
        if self.missing and self.layout == "counts":
            raise InvalidOptionError("missing cannot be given for layout 'counts', which has no missing ratings.")

    def rating_columns(self, present: Sequence[str], not_raters: Collection[str] = ()) -> list[str]:
        """Return the raters' columns: those that the caller names, or all that have no other role."""
        if self.raters is not None:
            if self.cluster is not None and self.cluster in self.raters:
                raise InvalidOptionError(f"raters must not name the column of clusters; got {self.cluster!r}.")
            return _chosen_raters(self.raters, present, "column")
        unused = {*not_raters, *self.columns_aside(present)}
        return _chosen_raters([name for name in present if name not in unused], present, "column")

    def subject_columns(self, present: Sequence[str]) -> list[str]:
        """Return the columns that identify the subjects together, of which the caller may name none, one or more."""
        if self.subject is None:
            return []
        several = self.subject not in present and "," in self.subject
        names = as_list_of_names("subject", self.subject) if several else [self.subject]
        return [as_column("subject", one, present) for one in names]

    def subject_names(self, joined: str) -> list[str]:
        """Return the columns that identify the subjects, given the column of a long layout that joins them."""
        return as_list_of_names("subject", joined) if joined == self.subject and "," in joined else [joined]

    def cluster_columns(self, present: Sequence[str]) -> list[str]:
        """Return the column of clusters, if the caller names one."""
        return [] if self.cluster is None else [as_column("cluster", self.cluster, present)]

    def columns_aside(self, present: Sequence[str]) -> list[str]:
        """Return the columns of subjects and clusters, which are no raters."""
        return [*self.subject_columns(present), *self.cluster_columns(present)]

    def pattern_columns(self, present: Sequence[str], not_raters: Collection[str] = ()) -> tuple[list[str], str]:
        """Return the raters' columns and the column of counts, by default one called count or the last one."""
        if self.count is not None:
            count = as_column("count", self.count, present)
        else:
            others = [name for name in present if name not in self.cluster_columns(present)] or list(present)
            by_lower = {name.lower(): name for name in reversed(others)}
            count = next((by_lower[name] for name in _COUNT_NAMES if name in by_lower), others[-1])
        names = self.rating_columns(present, {count, *not_raters})
        if count in names:
            raise InvalidRatingsError(f"raters must not name the column of counts; got {count!r}.")
        return names, count

    def long_columns(self, present: Sequence[str], guess: tuple[str, str, str] | None = None) -> tuple[str, str, str]:
        """Return the columns subject, rater and rating: those named by the caller, or those with these names.

        `guess` are the columns that look like subject, rater and rating, for the advice.
        """
        roles = ("subject", "rater", "rating")
        chosen: dict[str, str] = {}
        for role, name in zip(roles, (self.subject, self.rater, self.rating), strict=True):
            found = [column for column in present if column.strip().lower() == role]
            if name is not None:
                chosen[role] = as_column(role, name, present)
            elif len(found) > 1:
                raise InvalidRatingsError(
                    f"layout long needs exactly one column {role}; got {listing(found)}.", code="several-columns"
                )
            elif found:
                chosen[role] = found[0]
        absent = [role for role in roles if role not in chosen]
        if absent:
            likely = {role: name for role, name in zip(roles, guess or (), strict=False) if role in absent}
            likely = {role: name for role, name in likely.items() if name not in chosen.values()}
            told = {role: likely.get(role, f"{role.upper()}_COLUMN") for role in absent}
            raise InvalidRatingsError(
                f"layout long needs the columns subject, rater and rating; {listing(absent)} "
                f"{'is' if len(absent) == 1 else 'are'} missing from the columns {listing(present, most=20)}.",
                code="missing-columns",
                fields={"missing": absent, "columns": list(present)},
                advice=[Advice({"layout": "long", **told})],
            )
        columns = [chosen[role] for role in roles]
        if self.cluster in columns[1:]:
            raise InvalidOptionError(
                f"cluster must be another column than rater and rating; got {self.cluster!r}.",
                code="columns-not-different",
            )
        if len(set(columns)) < 3:
            raise InvalidOptionError(
                f"subject, rater and rating must be three different columns; got {listing(columns)}.",
                code="columns-not-different",
            )
        subject, rater, rating = columns
        return subject, rater, rating

    def long_raters(self, found: Iterable[str], column: str) -> list[str]:
        """Return the raters of a long layout: those that the caller names, or all that were found in the column."""
        present = list(found)
        names = _chosen_raters(present if self.raters is None else self.raters, present, "rater")
        if len(names) > _MOST_RATERS_READ:
            raise NotSupportedError(
                f"a table can have at most {_MOST_RATERS_READ:,} raters; column {column!r} names {len(names):,}. "
                "Choose some of them.",
                code="too-many-raters",
            )
        return names

    def few_values_notes(self, columns: Sequence[str], n_values: Sequence[int], n_rows: int) -> list[str]:
        """Require that columns have few distinct values, as ratings do.

        A column that the caller named is accepted with a note, which is returned.
        """
        chosen = (self.rating if self.layout == "long" else self.raters) is not None or self.accept_labels
        notes = []
        for name, n in zip(columns, n_values, strict=True):
            if not chosen and ((n > _MANY_VALUES and n > n_rows / 2) or (n == n_rows > _FEW_ROWS)):
                others = [other for other in columns if other != name]
                raise InvalidRatingsError(
                    f"column {name!r} has {n} distinct values in {n_rows} rows, so it is probably not a rating.",
                    code="too-many-values",
                    fields={"column": name},
                    advice=[Advice({"raters": others})] if len(others) > 1 else [Advice({"accept_labels": True})],
                )
            if n > _MANY_VALUES:
                notes.append(f"Column {name!r} has {n} distinct values, so it is probably not a rating.")
        return notes


def joined_names(names: Any) -> Any:
    """Return a list of names as one text, separated by commas; anything else is returned as it is."""
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        return names
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()


def as_column(argument: str, name: str, present: Sequence[str]) -> str:
    """Return the name of a column, which must exist."""
    if name not in present:
        raise InvalidRatingsError(
            f"there is no column {name!r} for {argument}; the columns are {listing(present, most=20)}."
            f"{did_you_mean(name, present)}",
            code="no-such-column",
            fields={"column": name, "columns": list(present)},
        )
    return name


def as_different_names(names: list[str]) -> list[str]:
    """Return the names of columns, which must all be different."""
    twice = next((name for name, times in Counter(names).items() if times > 1), None)
    if twice is not None:
        raise InvalidRatingsError(f"columns must have different names; {twice!r} occurs twice.", code="repeated-column")
    return names


def require_named_rows(n_nameless: int, source: str, *, fill_down: bool = False) -> None:
    """Require that every row of a long layout names a subject and a rater; `fill_down` says whether to advise that."""
    if n_nameless:
        raise InvalidRatingsError(
            f"{source}: every row must name a subject and a rater; {n_nameless:,} rows do not.",
            code="rows-without-names",
            fields={"n_rows": n_nameless},
            advice=[Advice({"fill_down": True}, "if empty cells repeat the cell above, as merged cells do")]
            if fill_down
            else [],
        )


def raise_rated_twice(subject: object, rater: object, places: str = "", advice: Sequence[Advice] = ()) -> NoReturn:
    """Raise the error about a rater who rated a subject twice in a long layout."""
    raise InvalidRatingsError(
        f"a rater must rate a subject only once; {rater!r} rated {subject!r} more than once{places}.",
        code="rated-twice",
        fields={"subject": subject, "rater": rater},
        advice=advice,
    )


def _chosen_raters(names: Sequence[str], present: Sequence[str], noun: str) -> list[str]:
    """Return two or more different raters, which must be among those that are present; `noun` is column or rater."""
    there = set(present)
    for name in names:
        if name not in there:
            hint = did_you_mean(str(name), present)
            raise InvalidRatingsError(
                f"there is no {noun} {name!r}; the {noun}s are {listing(present, most=20)}.{hint}",
                code=f"no-such-{noun}",
                fields={noun: name, f"{noun}s": list(present)},
            )
    if len(names) < 2:
        raise InvalidRatingsError(
            f"agreement needs at least two raters; got {len(names)} of the {noun}s {listing(present, most=20)}.",
            code="fewer-than-two-raters",
            fields={f"{noun}s": list(present)},
        )
    return as_different_names(list(names))
