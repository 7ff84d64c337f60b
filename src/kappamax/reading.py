"""Record how ratings were read, and describe the data in words, so that every result can say what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from kappamax.display import numbers, text

_MOST_LISTED = 8
_LONGEST_FILE_NAME = 80
_LONGEST_CLUSTER_NAME = 40


@dataclass(frozen=True)
class Reading:
    """How ratings were read from a file, a frame or arrays.

    Attributes
    ----------
    source : str or None
        Name of the file; None for ratings that were not read from a file.
    layout : str or None
        Layout of the file or frame: "wide", "long", "counts" or "patterns"; None for arrays.
    missing : dict
        Number of missing ratings by the text that was recognised as missing; empty cells have the key "". Ratings for
        which there is no row in the long layout are not included.
    columns_left_out : dict
        Reason why a column was not used, by the name of the column.
    notes : tuple of str
        Sentences about everything that was recognised or left out.
    """

    source: str | None = None
    layout: str | None = None
    missing: Mapping[str, int] = field(default_factory=dict)
    columns_left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataSummary:
    """Description of the ratings that a result is about; ``str(summary)`` is a sentence.

    Attributes
    ----------
    n_subjects : int
        Number of subjects.
    raters : tuple of str
        Names of the raters.
    categories : tuple of labels
        All categories, in their order if they are ordered.
    ordered : bool
        Whether the categories are ordered.
    n_missing : int
        Number of missing ratings of these subjects.
    n_incomplete : int
        Number of subjects that lack the rating of at least one rater.
    n_left_out : int
        Number of subjects that were left out, because they have no rating or because only complete ones were requested.
    reading : Reading
        Record of how the ratings were read: file, layout, what counts as missing, columns left out, and notes.
    n_clusters : int or None
        Number of clusters of subjects; None if the subjects are not in clusters.
    cluster : str or None
        Name of the column that gives the clusters, if it has a name.
    """

    n_subjects: int
    raters: tuple[str, ...]
    categories: tuple[Any, ...]
    ordered: bool
    n_missing: int
    n_incomplete: int
    n_left_out: int
    reading: Reading
    n_clusters: int | None = None
    cluster: str | None = None

    @property
    def file(self) -> str | None:
        """Name of the file without its folder; None for ratings that were not read from a file."""
        source = self.reading.source
        return None if source is None else PurePath(source).name or source

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about everything that was recognised or left out when the ratings were read."""
        return self.reading.notes

    @property
    def noteworthy(self) -> bool:
        """Whether a result should say what was read: the ratings come from a file, or there are notes."""
        return self.reading.source is not None or bool(self.reading.notes)

    @property
    def origin(self) -> str:
        """The file and its layout, such as "Read from ratings.csv (wide layout)"; empty if there is no file."""
        if self.file is None:
            return ""
        layout = f" ({self.reading.layout} layout)" if self.reading.layout else ""
        return f"Read from {text.label(self.file, _LONGEST_FILE_NAME, ending=True)}{layout}"

    @property
    def subjects(self) -> str:
        """The numbers of subjects and of clusters, such as "27 subjects in 12 clusters (patient)"."""
        subjects = text.plural(self.n_subjects, "subject")
        if self.n_clusters is None:
            return subjects
        name = "" if self.cluster is None else f" ({text.label(self.cluster, _LONGEST_CLUSTER_NAME)})"
        return f"{subjects} in {text.plural(self.n_clusters, 'cluster')}{name}"

    @property
    def left_out(self) -> str:
        """The number of subjects that were left out, in words; empty if there are none."""
        if not self.n_left_out:
            return ""
        # without missing ratings in the table, incomplete subjects may have been left out on request
        all_missing = sum(self.reading.missing.values()) == self.n_left_out * len(self.raters)
        lack = "without a rating" if self.n_missing or all_missing else "with missing ratings"
        return f"{text.plural(self.n_left_out, 'subject')} {lack} left out"

    def sentences(self) -> list[str]:
        """Return the sentence about the ratings, and the notes."""
        return [str(self), *(f"Note: {note}" for note in self.notes)]

    def sentences_beside_table(self) -> list[str]:
        """Return sentences about how the ratings were read, without the numbers that a table itself shows."""
        read = "; ".join(part for part in (self.origin, self.left_out) if part)
        return ([f"{read}."] if self.origin else []) + [f"Note: {note}" for note in self.notes]

    def __str__(self) -> str:
        shown = f"{self.subjects}, {self._raters()}, {self._categories()}"
        start = f"{self.origin}: {shown}" if self.origin else shown
        return "; ".join(part for part in (start, self._missing(), self.left_out) if part) + "."

    def _raters(self) -> str:
        return f"raters {_listed([_name(rater) for rater in self.raters], ', ', last=' and ')}"

    def _categories(self) -> str:
        one = len(self.categories) == 1
        signs = _listed([_name(category) for category in self.categories], " < " if self.ordered else ", ")
        order = "" if self.ordered or len(self.categories) <= 2 else " (no order)"
        return f"{'category' if one else 'categories'} {signs}{order}"

    def _missing(self) -> str:
        if not self.n_missing:
            return ""
        total, subjects = self.n_subjects * len(self.raters), text.plural(self.n_incomplete, "subject")
        return f"{numbers.count(self.n_missing)} of {numbers.count(total)} ratings missing, in {subjects}"


def _name(label: Any) -> str:
    """Return a label as it is written in a list: numbers without quotes, and long text shortened."""
    return str(label) if not isinstance(label, str) or label.isdigit() else text.shortened(repr(label))


def _listed(names: Sequence[str], separator: str, *, last: str | None = None) -> str:
    """Return names in a list, of which at most eight are shown; `last` separates the last one if all are shown."""
    if len(names) > _MOST_LISTED:
        return f"{separator.join(names[:_MOST_LISTED])}{separator}... ({numbers.count(len(names))} in all)"
    if last is None or len(names) == 1:
        return separator.join(names)
    return f"{separator.join(names[:-1])}{last}{names[-1]}"
