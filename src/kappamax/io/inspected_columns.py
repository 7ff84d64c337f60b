"""Say what each column of inspected data contains, and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kappamax._result import Result
from kappamax.display.text import plural
from kappamax.errors import KappamaxError
from kappamax.io.column_names import is_total, names_count
from kappamax.io.column_profiles import ColumnProfile, profiles_of
from kappamax.io.column_roles import RATER, roles_of
from kappamax.io.inspected_data import Options, Sample
from kappamax.io.layout_guess import long_columns
from kappamax.io.read_spec import ReadSpec
from kappamax.table import Label, Table

#: what a column can contain
ROLES = ("ratings", "subjects", "raters", "clusters", "counts", "labels", "left out")
_MOST_LABELS = 5
_CHOSEN = "was chosen"
_NOT_CHOSEN = "was not chosen"


@dataclass(frozen=True, repr=False)
class InspectedColumn(Result):
    """A column of inspected data.

    Attributes
    ----------
    name : str
        Name of the column.
    role : str
        Contents of the column: "ratings" of one or more raters, names of "subjects", "raters" or "clusters" of
        subjects, "counts" of subjects, "labels" of the rows of a matrix of counts, or "left out".
    reason : str
        Reason for this role, as a clause whose subject is the column.
    n_distinct : int
        Number of different labels in the rows that were inspected.
    n_missing : int
        Number of missing values in the rows that were inspected.
    labels : dict of int
        Number of rows with each of the most frequent labels, at most five.
    """

    name: str
    role: str
    reason: str
    n_distinct: int
    n_missing: int
    labels: dict[Label, int]


def inspected_columns(
    sample: Sample, options: Options, given: Collection[str], table: Table | None
) -> tuple[InspectedColumn, ...]:
    """Return the columns of a sample with their roles.

    Parameters
    ----------
    sample : Sample
        First rows, as they are read with the options.
    options : mapping
        Options with which the data are read.
    given : collection of str
        Names of the options that the caller gave; the others follow from advice.
    table : Table or None
        Table that the options lead to, if they lead to one.
    """
    profiles = profiles_of(sample.columns, sample.rows)
    find = {"long": _long, "counts": _matrix, "patterns": _patterns}.get(sample.layout or "", _wide)
    spec = ReadSpec(**options)
    roles = find(profiles, sample, spec, given, table)
    if spec.cluster is not None:
        roles[spec.cluster] = ("clusters", _CHOSEN)
    names = _headings(sample) if sample.layout == "counts" else sample.columns
    return tuple(
        InspectedColumn(
            name,
            *roles.get(profile.name, ("left out", _NOT_CHOSEN)),
            profile.n_distinct,
            len(profile.labels) - profile.n_present,
            dict(profile.counts.most_common(_MOST_LABELS)),
        )
        for name, profile in zip(names, profiles, strict=True)
    )


_Roles = dict[str, tuple[str, str]]


def _wide(
    profiles: Sequence[ColumnProfile], sample: Sample, spec: ReadSpec, given: Collection[str], table: Table | None
) -> _Roles:
    """Return the roles of columns of which some are raters."""
    if sample.layout is None:
        return {profile.name: ("ratings", "is an array of ratings") for profile in profiles}
    roles: _Roles = {}
    for column in spec.subject_columns(sample.columns):
        roles[column] = ("subjects", _CHOSEN)
    unused = {*roles, *sample.not_raters, spec.cluster}
    rest = [profile for profile in profiles if profile.name not in unused]
    guessed = {role.name: role for role in roles_of(rest, spec.categories)} if rest and sample.rows else {}
    used = [role.name for role in guessed.values() if role.role == RATER] if table is None else table.raters
    for profile in profiles:
        role = guessed.get(profile.name)
        if profile.name in used:
            chosen = "raters" in given or role is None or role.role != RATER
            roles[profile.name] = ("ratings", _CHOSEN if chosen or role is None else role.reason)
        elif role is not None and role.role != RATER:
            roles[profile.name] = ("left out", role.reason)
    return roles


def _patterns(
    profiles: Sequence[ColumnProfile], sample: Sample, spec: ReadSpec, given: Collection[str], table: Table | None
) -> _Roles:
    """Return the roles of columns of raters and of the column of counts."""
    try:
        _, count = spec.pattern_columns(sample.columns, sample.not_raters)
    except KappamaxError:
        return _wide(profiles, sample, spec, given, table)
    others = [profile for profile in profiles if profile.name != count]
    reason = "has a usual name of a column of counts" if names_count(count) else "contains whole numbers"
    return _wide(others, sample, spec, given, table) | {count: ("counts", _CHOSEN if "count" in given else reason)}


def _long(
    profiles: Sequence[ColumnProfile], sample: Sample, spec: ReadSpec, given: Collection[str], table: Table | None
) -> _Roles:
    """Return the roles of the columns subject, rater and rating."""
    try:
        together = spec.subject_columns(sample.columns)
        if len(together) > 1:
            _, *others = replace(spec, subject=together[0]).long_columns(sample.columns)
            parts = zip(("raters", "ratings"), others, strict=True)
            return dict.fromkeys(together, ("subjects", _CHOSEN)) | {name: (role, _CHOSEN) for role, name in parts}
        columns = spec.long_columns(sample.columns, long_columns(profiles))
    except KappamaxError:
        return {}
    known = {profile.name: profile for profile in profiles}
    subject, rater, rating = (known[name].n_distinct for name in columns)
    seen = {
        "subject": f"has {plural(subject, 'value')} in {plural(len(sample.rows), 'row')}, each in several rows",
        "rater": f"has {plural(rater, 'value')}, each at most once per subject",
        "rating": f"has {plural(rating, 'label')}",
    }
    reasons = {
        role: _CHOSEN if role in given else f"is called {role}" if name.strip().lower() == role else seen[role]
        for role, name in zip(seen, columns, strict=True)
    }
    return {name: (f"{role}s", reasons[role]) for role, name in zip(seen, columns, strict=True)}


def _matrix(
    profiles: Sequence[ColumnProfile], sample: Sample, spec: ReadSpec, given: Collection[str], table: Table | None
) -> _Roles:
    """Return the roles of the columns of a matrix of counts, whose first column may contain labels."""
    categories = set() if table is None else {str(label) for label in table.categories}
    roles: _Roles = {}
    for i, (profile, heading) in enumerate(zip(profiles, _headings(sample), strict=True)):
        labels = {str(label) for label in profile.counts}
        if i == 0 and (not profile.whole or (len(profiles) > len(categories) and labels >= categories)):
            roles[profile.name] = ("labels", "contains the labels of the rows")
        elif is_total(heading) and i == len(profiles) - 1:
            roles[profile.name] = ("left out", "contains totals")
        else:
            roles[profile.name] = ("counts", "belongs to a matrix of counts")
    return roles


def _headings(sample: Sample) -> list[str]:
    """Return the first row of a matrix of counts where it names columns, and the names of the columns elsewhere."""
    header: Sequence[Any] = sample.header or [""] * len(sample.columns)
    labelled = any(cell and not str(cell).strip().isdigit() for cell in header[1:]) or not str(header[0]).strip()
    return [
        str(cell).strip() if labelled and str(cell).strip() else column
        for cell, column in zip(header, sample.columns, strict=True)
    ]
