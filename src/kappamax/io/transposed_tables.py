"""Turn a table with one row per rater into a table with one column per rater."""

from __future__ import annotations

from collections.abc import Sequence

from kappamax.display.text import listing
from kappamax.io import column_names as names
from kappamax.io.column_profiles import ColumnProfile, profiles_of
from kappamax.io.column_roles import linked_groups


def transposed(
    header: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[list[str], list[tuple[int, list[str]]], list[str]]:
    """Return the header and the rows of the transposed table, each row with its number, and notes.

    Subjects are the columns that share categories. The name of a rater is in the first of the other columns in which
    all cells differ.
    """
    columns = [name or f"column {i + 1}" for i, name in enumerate(header)]
    profiles = profiles_of([str(i) for i in range(len(columns))], rows)
    usable = [profile for profile in profiles if profile.n_present]
    main = max(linked_groups(usable), key=len, default=[])
    subjects = sorted(int(profile.name) for profile in main if not _is_about_raters(columns, profile))
    others = [i for i in range(len(columns)) if i not in subjects]
    naming = [i for i in others if profiles[i].unique and profiles[i].n_present == len(rows)]
    naming.sort(key=lambda i: not (names.names_rater(columns[i]) or names.names_identifier(columns[i])))
    raters = [f"rater {i + 1}" for i in range(len(rows))]
    notes = ["The rows of the file were read as raters and its columns as subjects."]
    if naming:
        raters = [row[naming[0]].strip() for row in rows]
    if left_out := [columns[i] for i in others if i not in naming[:1]]:
        notes.append(f"Columns that share no category with the others were left out: {listing(left_out)}.")
    turned = [(i + 1, [columns[i], *(row[i] for row in rows)]) for i in subjects]
    return ["subject", *raters], turned, notes


def _is_about_raters(columns: Sequence[str], profile: ColumnProfile) -> bool:
    """Return whether a column names the raters or says something about them, by its name."""
    name = columns[int(profile.name)]
    first = int(profile.name) == 0 and profile.unique
    return first and (names.names_rater(name) or names.names_identifier(name) or names.is_made_up(name))
