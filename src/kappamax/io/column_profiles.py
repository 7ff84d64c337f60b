"""Describe each column of a file or frame by the labels in its first rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from kappamax.io.labels import label_of
from kappamax.table import Label

#: largest numbers of rows and of cells from which columns are described
MOST_ROWS = 20_000
MOST_CELLS = 1_000_000
_NEARLY_UNIQUE = 0.9
_FEW_VALUES = 20


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """The labels in the first rows of a column.

    Attributes
    ----------
    name : str
        Name of the column.
    labels : list of labels
        Label of each row; None if it is missing.
    counts : Counter
        Number of rows with each label.
    """

    name: str
    labels: list[Label | None]
    counts: Counter[Label]

    @cached_property
    def n_present(self) -> int:
        """Number of rows that are not missing."""
        return self.counts.total()

    @cached_property
    def n_distinct(self) -> int:
        """Number of different labels."""
        return len(self.counts)

    @cached_property
    def numeric(self) -> bool:
        """Whether all labels are numbers."""
        return bool(self.counts) and not any(isinstance(label, str) for label in self.counts)

    @cached_property
    def whole(self) -> bool:
        """Whether all labels are whole numbers >= 0."""
        return bool(self.counts) and all(isinstance(label, int) and label >= 0 for label in self.counts)

    @cached_property
    def unique(self) -> bool:
        """Whether the labels of all rows differ, or nearly all of many rows."""
        if self.n_distinct == self.n_present:
            return self.n_present > 1
        return self.n_distinct > _FEW_VALUES and self.n_distinct >= _NEARLY_UNIQUE * self.n_present

    @cached_property
    def numbers_rows(self) -> bool:
        """Whether the labels are increasing numbers, as the numbers of rows are."""
        numbers = [label for label in self.labels if isinstance(label, int | float)]
        return len(numbers) == len(self.labels) > 1 and all(a < b for a, b in pairwise(numbers))

    def share_in(self, others: Sequence[ColumnProfile]) -> float:
        """Return the share of the labels that also occur in other columns."""
        known = {label for other in others if other is not self for label in other.counts}
        return sum(label in known for label in self.counts) / max(self.n_distinct, 1)


def profiles_of(
    names: Sequence[str], rows: Sequence[Sequence[Any]], rename: Mapping[str, Any] | None = None
) -> list[ColumnProfile]:
    """Return the profiles of columns from their first rows; the text None is a label here.

    `rename` gives labels that the caller replaces, with their new labels.
    """
    profiles = []
    renamed = {label_of(old): label_of(new) for old, new in (rename or {}).items()}
    for i, name in enumerate(names):
        known: dict[Any, Label | None] = {}
        labels = []
        for row in rows:
            value = row[i]
            if not isinstance(value, str | int | float | type(None)):
                value = str(value)
            if value not in known or isinstance(value, bool):
                label = label_of(value)
                known[value] = renamed.get(label, label)
            labels.append(known[value])
        profiles.append(ColumnProfile(name, labels, Counter(label for label in labels if label is not None)))
    return profiles


def sample_size(n_columns: int) -> int:
    """Return the number of rows from which this many columns are described."""
    return max(100, min(MOST_ROWS, MOST_CELLS // max(n_columns, 1)))
