"""Decide which columns of a wide table are raters, and reject or leave out the others.

A column is left out with a note if there is only one reading of it: identifiers and columns without values. It is
refused if it could be a rater and would change the result: columns that share no category with the others, columns
whose names say that they are something else, a consensus, a summary of the others, and codes beside their own labels.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import isclose
from typing import NamedTuple

from kappamax.display.text import listing
from kappamax.errors import Advice, InvalidRatingsError
from kappamax.io import column_names as names
from kappamax.io.column_designs import agrees_with_others, columns_of_other_items, crossed_columns, numbers_within
from kappamax.io.column_profiles import ColumnProfile
from kappamax.io.suspicious_labels import doubts_about, meaning_of
from kappamax.table import Label

_FEWEST_ROWS = 5  # smaller tables are too small to say that columns share no category
_FEWEST_ROWS_OF_WORDS = 3  # the same if no column has numbers, of which raters share few in small tables
_FEWEST_ROWS_COMPUTED = 8
_IDENTIFIER_SHARE = 0.5

#: reason why a column is not used if the caller did not choose it
NOT_CHOSEN = "was not chosen"

#: labels by which a column says that the other columns agree
_AFFIRMATIVE = frozenset({1, "yes", "Yes", "YES", "y", "Y", "True", "true", "agree", "Agree", "same", "match"})

#: labels that are often coded as 0 and 1
_NO_YES = (("no", "yes"), ("false", "true"), ("absent", "present"), ("negative", "positive"), ("neg", "pos"),
           ("n", "y"), ("nein", "ja"), ("non", "oui"), ("no", "sí"), ("no", "si"), ("fail", "pass"))  # fmt: skip

RATER, LEFT_OUT, REFUSED = "rater", "left out", "refused"


class Role(NamedTuple):
    """The role of a column: rater, left out or refused, with the reason."""

    name: str
    role: str
    reason: str


def roles_of(profiles: Sequence[ColumnProfile], categories: Collection[Label] | None = None) -> list[Role]:
    """Return the role of each column of a wide table; `categories` are those that the caller names."""
    roles: dict[str, Role] = {}
    rest = list(profiles)
    for find in (_blank, _identifiers, _named_otherwise, _computed, _recoded, _of_other_items):
        for profile, role, reason in find(rest):
            roles[profile.name] = Role(profile.name, role, reason)
        rest = [profile for profile in rest if profile.name not in roles]
    for profile in _without_shared_category(rest, categories):
        roles[profile.name] = Role(profile.name, REFUSED, "shares no category with the other columns")
    for profile in profiles:
        roles.setdefault(profile.name, Role(profile.name, RATER, "shares categories with the other columns"))
    return [roles[profile.name] for profile in profiles]


def raters_among(
    profiles: Sequence[ColumnProfile], source: str, categories: Collection[Label] | None = None
) -> tuple[list[str], dict[str, str]]:
    """Return the names of the raters and the reasons why other columns are left out; doubtful columns are refused."""
    roles = roles_of(profiles, categories)
    raters = [role.name for role in roles if role.role == RATER]
    refused = [role for role in roles if role.role == REFUSED]
    columns = [profile.name for profile in profiles]
    fields = {"columns": columns, "refused": {role.name: role.reason for role in refused}}
    if len(raters) < 2:
        said = "; ".join(f"column {role.name!r} {role.reason}" for role in roles if role.role != RATER)
        raise InvalidRatingsError(
            f"agreement needs the columns of at least two raters; {source} has the columns {listing(columns, most=20)}"
            f"{f', of which {said}' if said else ''}.",
            code="fewer-than-two-raters",
            fields=fields,
            advice=_same_labels([one for one in profiles if one.name in fields["refused"]]),
        )
    if refused:
        said = "; ".join(f"column {role.name!r} {role.reason}" for role in refused)
        everything = [role.name for role in roles if role.role != LEFT_OUT]
        raise InvalidRatingsError(
            f"not all columns of {source} look like raters: {said}. The columns are {listing(columns, most=20)}.",
            code="columns-that-are-not-raters",
            fields=fields,
            advice=[
                Advice({"raters": everything}, "if all of them are raters"),
                Advice({"raters": raters}, "otherwise"),
            ],
        )
    return raters, {role.name: role.reason for role in roles if role.role == LEFT_OUT}


def left_out_notes(left_out: Mapping[str, str]) -> list[str]:
    """Return the sentences about columns that were left out, given the reason for each."""
    unused = [column for column, reason in left_out.items() if reason == NOT_CHOSEN]
    notes = [f"Columns that were not used: {listing(unused)}."] if unused else []
    others = [(column, reason) for column, reason in left_out.items() if reason != NOT_CHOSEN]
    return notes + [f"Column {column!r} was left out, since it {reason}." for column, reason in others[:8]]


_Found = list[tuple[ColumnProfile, str, str]]
_NO_VALUES = "has no values"


def _blank(profiles: Sequence[ColumnProfile]) -> _Found:
    return [(profile, LEFT_OUT, _NO_VALUES) for profile in profiles if not profile.n_present]


def _identifiers(profiles: Sequence[ColumnProfile]) -> _Found:
    """Return the columns that identify subjects, by their values or by usual names."""
    found: _Found = []
    for profile in profiles:
        others = [other for other in profiles if other is not profile]
        shares = profile.share_in(others) >= _IDENTIFIER_SHARE
        named = names.names_identifier(profile.name)
        if profile.numbers_rows and names.is_made_up(profile.name):
            found.append((profile, LEFT_OUT, "contains the numbers of the rows"))
            continue
        if names.shared_stem(profile.name, [other.name for other in others]) and (shares or not profile.unique):
            continue
        apart = profile is profiles[0] and not profile.numeric and profile.share_in(others) == 0
        if profile.unique and not shares and profile.n_present >= (3 if apart else _FEWEST_ROWS):
            found.append((profile, LEFT_OUT, "has a different value in (nearly) every row"))
        elif named and profile.unique:
            found.append((profile, LEFT_OUT, "has the name and the values of an identifier"))
        elif named and (not shares or _is_subject(profile, others)):
            found.append((profile, LEFT_OUT, "has the name of an identifier"))
    if len(profiles) - len(found) < 2:
        found = [one for one in found if names.names_identifier(one[0].name)]
    return found + _design([one for one in profiles if one not in [two[0] for two in found]], [one[0] for one in found])


def _is_subject(profile: ColumnProfile, others: Sequence[ColumnProfile]) -> bool:
    """Return whether a column names subjects by its whole name; a patient who agrees with others is a rater."""
    return names.names_subject_only(profile.name) and not agrees_with_others(profile, others)


def _design(profiles: Sequence[ColumnProfile], identifiers: Sequence[ColumnProfile]) -> _Found:
    """Return the columns that number the rows of each subject, or are crossed, if two or more others remain."""
    found: _Found = [
        (profile, REFUSED, f"has a different value in each row of the same {subject.name!r}")
        for subject in identifiers
        for profile in profiles
        if not subject.unique and numbers_within(profile, subject)
    ]
    if not found:
        found = [
            (one, REFUSED, "is combined with another column in every way, once each")
            for one in crossed_columns(profiles)
        ]
    return found if len(profiles) - len(found) >= 2 else []


def _named_otherwise(profiles: Sequence[ColumnProfile]) -> _Found:
    """Return the columns whose names say that they are no raters, if two or more others remain."""
    found: _Found = []
    n_raters = sum(names.names_rater(profile.name) for profile in profiles)
    for profile in profiles:
        if names.names_consensus(profile.name):
            found.append((profile, REFUSED, "may be a consensus or a reference, not a rater"))
        elif names.names_summary(profile.name):
            found.append((profile, REFUSED, "may be a summary of the others"))
        elif names.names_other(profile.name):
            found.append((profile, REFUSED, "has a name that is unusual for a rater"))
        elif n_raters > 1 and names.names_rating_only(profile.name):
            found.append((profile, REFUSED, "has the name of a rating, whereas other columns have names of raters"))
    return found if len(profiles) - len(found) >= 2 else []


def _computed(profiles: Sequence[ColumnProfile]) -> _Found:
    """Return the columns that can be computed from the others: whether these agree, and their sum or mean."""
    if len(profiles) < 3:
        return []
    found: _Found = []
    for profile in profiles:
        if len(profiles) > 3 and not profile.numeric:
            continue
        others = [other for other in profiles if other is not profile]
        rows = [
            (label, ratings)
            for label, *ratings in zip(profile.labels, *(other.labels for other in others), strict=True)
            if label is not None and None not in ratings
        ]
        if len(rows) < _FEWEST_ROWS_COMPUTED:
            continue
        if len(others) == 2 and profile.n_distinct == 2:
            agreed = {label for label, ratings in rows if len(set(ratings)) == 1}
            differed = {label for label, ratings in rows if len(set(ratings)) > 1}
            if differed and len(agreed) == 1 and not agreed & differed and agreed <= _AFFIRMATIVE:
                found.append((profile, REFUSED, "says whether the others agree"))
        elif profile.numeric and profile.n_distinct > 2 and all(other.numeric for other in others):
            sums = [(float(label), float(sum(ratings))) for label, ratings in rows]
            if all(label == total for label, total in sums):
                found.append((profile, REFUSED, "is the sum of the others"))
            elif all(isclose(label, total / len(others), abs_tol=0.006) for label, total in sums):
                found.append((profile, REFUSED, "is the mean of the others"))
            elif names.names_extreme(profile.name) and any(
                all(label == extreme(ratings) for label, ratings in rows) for extreme in (max, min)
            ):
                found.append((profile, REFUSED, "is the largest or smallest of the others"))
    return found[-1:]  # of three yes-or-no columns, each says whether the others agree


def _recoded(profiles: Sequence[ColumnProfile]) -> _Found:
    """Return the columns that repeat another column in words or codes.

    The numbers are kept, since they have an order, unless one of them may stand for a missing rating.
    """
    pairs = [
        (words, codes)
        for words in profiles
        for codes in profiles
        if codes.numeric and not words.numeric and codes.n_distinct > 1 and _is_recoding(words, codes)
    ]
    doubtful = any(doubts_about(codes.counts) for _, codes in pairs)
    found: _Found = []
    for words, codes in pairs:
        dropped, kept = (codes, words) if doubtful else (words, codes)
        if dropped not in [one[0] for one in found]:
            found.append((dropped, REFUSED, f"repeats column {kept.name!r} in {'numbers' if doubtful else 'words'}"))
    return found if len(profiles) - len(found) >= 2 else []


def _of_other_items(profiles: Sequence[ColumnProfile]) -> _Found:
    """Return the columns that are about other items or occasions than the first columns, by their names."""
    main, items = columns_of_other_items(profiles)
    return [
        (profile, REFUSED, f"is about {items[profile.name]!r}, whereas others are about {main!r}")
        for profile in profiles
        if profile.name in items
    ]


def _is_recoding(words: ColumnProfile, codes: ColumnProfile) -> bool:
    """Return whether each label of one column always occurs with the same label of the other, and vice versa."""
    if words.n_distinct != codes.n_distinct or words.n_present < _FEWEST_ROWS:
        return False
    pairs = {(a, b) for a, b in zip(words.labels, codes.labels, strict=True) if a is not None or b is not None}
    return len(pairs) == words.n_distinct


def _without_shared_category(
    profiles: Sequence[ColumnProfile], categories: Collection[Label] | None
) -> list[ColumnProfile]:
    """Return the columns outside the largest group of columns that are linked by shared categories."""
    fewest = _FEWEST_ROWS if any(profile.numeric for profile in profiles) else _FEWEST_ROWS_OF_WORDS
    if len(profiles) < 2 or max(profile.n_present for profile in profiles) < fewest:
        return []
    if categories is not None:
        known = {str(label) for label in categories}
        inside = [profile for profile in profiles if any(str(label) in known for label in profile.counts)]
        return [profile for profile in profiles if profile not in inside] if len(inside) > 1 else []
    groups = linked_groups(profiles)
    main = max(groups, key=lambda group: (len(group), any(names.names_rater(one.name) for one in group)))
    if len(main) == 1:
        return list(profiles) if len(profiles) > 1 else []
    family = [member.name for member in main]
    return [profile for profile in profiles if profile not in main and not (stem_in(profile.name, family))]


def _same_labels(profiles: Sequence[ColumnProfile]) -> list[Advice]:
    """Return the advice to rename the labels of one of two columns if they abbreviate or code those of the other."""
    if len(profiles) != 2 or _is_recoding(*profiles):
        return []
    for short, full in (profiles, profiles[::-1]):
        rename = _translation([*short.counts], [*full.counts])
        if rename:
            return [Advice({"rename": rename}, "if both are raters with the same categories")]
    return []


def _translation(short: Sequence[Label], full: Sequence[Label]) -> dict[str, str]:
    """Return the labels of one rater, each with the other's label for which it stands; empty if that is unclear."""
    words = {str(label).casefold(): str(label) for label in full}
    by_letter = {word[:1]: own for word, own in words.items()}
    letters = [str(label).casefold() for label in short]
    if len(short) == len(full) == len(by_letter) == len(words) and set(letters) == set(by_letter):
        return {str(label): by_letter[letter] for label, letter in zip(short, letters, strict=True)}
    no, yes = next((pair for pair in _NO_YES if set(pair) == set(words)), ("", ""))
    return {"0": words[no], "1": words[yes]} if set(short) == {0, 1} and no else {}


def linked_groups(profiles: Sequence[ColumnProfile]) -> list[list[ColumnProfile]]:
    """Return the groups of columns that are linked by shared categories."""
    groups: list[list[ColumnProfile]] = []
    for profile in profiles:
        looks = set(map(meaning_of, profile.counts))
        linked = [group for group in groups if any(looks & set(map(meaning_of, one.counts)) for one in group)]
        groups = [group for group in groups if group not in linked]
        groups.append([member for group in linked for member in group] + [profile])
    return groups


def stem_in(name: str, family: Sequence[str]) -> bool:
    """Return whether a column belongs to a family of columns by its name, as rater3 to rater1 and rater2."""
    stem = names.stem_of(name)
    return bool(stem) and stem in {names.stem_of(member) for member in family}
