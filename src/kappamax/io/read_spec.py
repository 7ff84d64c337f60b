"""What the caller asked for in, which columns to read and how to understand them out.

Files and frames hold columns by name; everything said about them is checked once, here, and travels as one object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kappamax._checks import columns as checks
from kappamax._checks import ratings as rating_checks
from kappamax._validate import as_choice
from kappamax.table import Label

__all__ = ["LAYOUTS", "Plan"]

LAYOUTS = ("wide", "long", "counts", "patterns")
_COUNT_NAMES = ("count", "counts", "n", "freq", "frequency")


@dataclass(frozen=True)
class Plan:
    """How ratings are laid out and what their values mean; the fields are arguments of `read_ratings`."""

    layout: str = "wide"
    categories: Sequence[Label] | None = None
    raters: Sequence[str] | None = None
    subject: str | None = None
    rater: str | None = None
    rating: str | None = None
    count: str | None = None
    missing: Sequence[Any] = ()
    complete_only: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "layout", as_choice("layout", self.layout, LAYOUTS))
        checks.fits_layout("rater", self.rater, self.layout, ("long",))
        checks.fits_layout("rating", self.rating, self.layout, ("long",))
        checks.fits_layout("count", self.count, self.layout, ("patterns",))
        checks.fits_layout("subject", self.subject, self.layout, ("wide", "long", "patterns"))
        checks.list_of_names("raters", self.raters)
        checks.list_of_names("missing", self.missing)
        checks.no_codes_in_counts(self.missing, self.layout)

    def rating_columns(self, present: Sequence[str], apart: Collection[str] = ()) -> list[str]:
        """The raters' columns: those asked for, or all but the subject, the counts and those known to be apart."""
        if self.raters is not None:
            return rating_checks.raters_among(self.raters, present, "column")
        left = [name for name in present if name not in apart and name != self.subject_column(present)]
        return rating_checks.raters_among(left, present, "column")

    def subject_column(self, present: Sequence[str]) -> str | None:
        """The column that names the subjects, where one was named."""
        return None if self.subject is None else checks.column_among("subject", self.subject, present)

    def count_column(self, present: Sequence[str]) -> str:
        """The column that holds the counts of patterns: the one named, one called count or n, or the last."""
        if self.count is not None:
            return checks.column_among("count", self.count, present)
        by_lower = {name.lower(): name for name in reversed(present)}
        return next((by_lower[name] for name in _COUNT_NAMES if name in by_lower), present[-1])

    def long_columns(self, present: Sequence[str]) -> tuple[str, str, str]:
        """The columns subject, rater and rating."""
        asked = {"subject": self.subject, "rater": self.rater, "rating": self.rating}
        found = (
            checks.long_column(present, role) if name is None else checks.column_among(role, name, present)
            for role, name in asked.items()
        )
        subject, rater, rating = checks.different_roles(tuple(found))
        return subject, rater, rating

    def raters_of(self, found: Iterable[str]) -> list[str]:
        """The raters of a long layout: those asked for, or all that were found."""
        present = list(found)
        return rating_checks.raters_among(present if self.raters is None else self.raters, present, "rater")
