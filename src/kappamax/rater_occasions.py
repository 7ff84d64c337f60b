"""Find out which columns of a table are the same rater on different occasions.

In a study of test and retest, a table has one column per rater and occasion, such as "CO_1" and "CO_2". The caller
lists the columns of each rater, or says how their names are made of the rater and the occasion.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kappamax._validate import as_rater_index
from kappamax.display import text
from kappamax.errors import InvalidOptionError

#: columns by rater, endings of the names of columns, or what separates rater and occasion in these names
OccasionsLike = Mapping[str, Sequence[str | int]] | Sequence[str] | str

#: between the rater and the occasion in the names that reading the long layout with a column of occasions gives
SEPARATOR = ", "

_AROUND_ENDINGS = " _-.,:;/|"  # characters that may separate a rater from the ending of the name of a column


class RaterOccasions(NamedTuple):
    """Columns of a table by rater and occasion.

    Attributes
    ----------
    columns : dict
        Position of the column of each occasion, by rater; every rater has two or more occasions.
    left_out : tuple of str
        Names of the columns that belong to no such rater.
    """

    columns: dict[str, dict[str, int]]
    left_out: tuple[str, ...]

    @property
    def occasions(self) -> dict[str, dict[str, int]]:
        """Position of the column of each rater, by occasion, in the order in which the occasions first occur."""
        names = dict.fromkeys(name for own in self.columns.values() for name in own)
        return {name: {rater: own[name] for rater, own in self.columns.items() if name in own} for name in names}


def as_rater_occasions(occasions: OccasionsLike, columns: Sequence[str]) -> RaterOccasions:
    """Return the columns of each rater.

    Parameters
    ----------
    occasions : mapping, sequence of str, or str
        Names or positions of the columns of each rater, endings of the names of columns, or what separates the rater
        and the occasion in these names.
    columns : sequence of str
        Names of all columns.

    Raises
    ------
    InvalidOptionError
        If no rater has two columns, if a column belongs to several raters or occasions, or if there is no such column.
    """
    if isinstance(occasions, Mapping):
        found = _listed(occasions, columns)
    elif isinstance(occasions, str):
        found = _split(occasions, columns)
    elif isinstance(occasions, Sequence):
        found = _by_ending(occasions, columns)
    else:
        raise InvalidOptionError(
            "occasions must be a mapping such as {'A': ['A1', 'A2']}, endings such as ['1', '2'], or a separator "
            f"such as '_'; got {occasions!r}."
        )
    several = {rater: own for rater, own in found.items() if len(own) > 1}
    if not several:
        raise InvalidOptionError(
            f"occasions must give two or more columns of a rater; with {occasions!r} no rater has two of the columns "
            f"{text.listing(columns)}. List them, as in occasions={{'A': [COLUMN, COLUMN]}}."
        )
    used = {column for own in several.values() for column in own.values()}
    return RaterOccasions(several, tuple(name for i, name in enumerate(columns) if i not in used))


def _listed(occasions: Mapping[str, Sequence[str | int]], columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the columns that are listed by rater; the occasions are numbered from 1."""
    found: dict[str, dict[str, int]] = {}
    owners: dict[int, str] = {}
    for rater, own in occasions.items():
        if isinstance(own, str) or not isinstance(own, Sequence) or len(own) < 2:
            raise InvalidOptionError(
                f"occasions must list two or more columns of each rater; got {own!r} for {rater!r}."
            )
        places = [as_rater_index(one, columns) for one in own]
        for place in places:
            if place in owners:
                raise InvalidOptionError(
                    "every column must be one occasion of one rater; column "
                    f"{columns[place]!r} is listed for {owners[place]!r} and for {str(rater)!r}."
                )
            owners[place] = str(rater)
        found[str(rater)] = {str(number): place for number, place in enumerate(places, start=1)}
    return found


def _split(separator: str, columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the columns by the parts of their names before and after the last separator."""
    if not separator:
        raise InvalidOptionError("the separator in occasions must not be empty; use endings such as ['1', '2'].")
    parts = [name.rpartition(separator) for name in columns]
    return _collected([(rater.strip(), occasion.strip()) for rater, _, occasion in parts], columns)


def _by_ending(endings: Sequence[str], columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the columns by their endings; an empty ending is that of the names without any other ending."""
    if len(endings) < 2 or len(set(endings)) < len(endings) or not all(isinstance(one, str) for one in endings):
        raise InvalidOptionError(
            f"occasions must have two or more different endings, as in ['1', '2']; got {endings!r}."
        )
    labels = {ending: ending.strip(_AROUND_ENDINGS) for ending in endings}
    if not all(labels.values()):  # an empty ending is no name of an occasion, so the occasions are numbered
        labels = {ending: str(i) for i, ending in enumerate(endings, start=1)}
    if len(set(labels.values())) < len(labels):
        raise InvalidOptionError(f"the endings in occasions must differ in letters or digits; got {list(endings)!r}.")
    parts = []
    for name in columns:
        ending = max((one for one in endings if name.endswith(one)), key=len, default=None)
        stem = "" if ending is None else name[: len(name) - len(ending)].rstrip(_AROUND_ENDINGS)
        parts.append((stem, "" if ending is None else labels[ending]))
    found = _collected(parts, columns)
    order = list(labels.values())
    return {rater: dict(sorted(own.items(), key=lambda item: order.index(item[0]))) for rater, own in found.items()}


def _collected(parts: Sequence[tuple[str, str]], columns: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the columns by rater and occasion; columns without one of the two belong to no rater."""
    found: dict[str, dict[str, int]] = {}
    for place, (rater, occasion) in enumerate(parts):
        if not (rater and occasion):
            continue
        own = found.setdefault(rater, {})
        if occasion in own:
            raise InvalidOptionError(
                f"every column must be one occasion of one rater; columns {columns[own[occasion]]!r} and "
                f"{columns[place]!r} are both occasion {occasion!r} of {rater!r}."
            )
        own[occasion] = place
    return found
