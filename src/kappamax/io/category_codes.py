"""Turn the distinct raw values of the raters into codes of categories.

Which text is missing, which labels are the same and which are doubtful is decided here for all values together, since
it depends on the other labels: a dash is a category beside a plus sign, and None is a word beside other words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np

from kappamax._typing import Codes
from kappamax.display.text import listing, plural
from kappamax.errors import ORDER_TO_GIVE, Advice, InvalidRatingsError
from kappamax.io.declared_categories import DeclaredCategories, found_categories, without
from kappamax.io.labels import as_named_categories, clean_text, label_of, named_label, require_few_categories
from kappamax.io.read_spec import ReadSpec
from kappamax.io.suspicious_labels import Doubt, doubts_about, is_one_edit_apart, possibly_missing
from kappamax.patterns import MISSING
from kappamax.table import Label

#: function from a rater's position and a raw value to the place where it first occurs, such as ", line 7"
Locate = Callable[[int, Any], str]

_DECIMAL_COMMA = re.compile(r"([+-]?\d+),(\d+)")
_DASHES = frozenset({"-", "--", "\u2013", "\u2014"})
_TRAILING_ZERO = re.compile(r"\d+\.\d*[1-9]0+")
_MOST_DOUBTS = 5


def encode(
    columns: Sequence[Sequence[Hashable]],
    *,
    n_ratings: Sequence[Sequence[int]],
    raters: Sequence[str],
    spec: ReadSpec,
    declared: Sequence[DeclaredCategories],
    locate: Locate | None = None,
) -> Encoded:
    """Return the codes of raw values and the categories.

    Parameters
    ----------
    columns : sequence of sequences
        Distinct raw values of each rater.
    n_ratings : sequence of sequences of int
        Number of subjects with each of these values.
    raters : sequence of str
        Names of the raters, for messages.
    spec : ReadSpec
        If it names categories, any other rating raises an error.
    declared : sequence
        Categories that the column of each rater declares, or None.
    locate : callable, optional
        Function that returns the place where a raw value of a rater first occurs, for messages.
    """
    missing = frozenset(named_label(label) for label in spec.missing)
    renamed = {named_label(old): named_label(new) for old, new in spec.rename.items() if old != ""}
    empty = named_label(spec.rename[""]) if "" in spec.rename else None
    given = None if spec.categories is None else as_named_categories(spec.categories)
    both = next((label for label in given or () if label in missing), None)
    if both is not None:
        raise InvalidRatingsError(
            f"a label must not be both in categories and in missing; {both!r} is.", code="label-is-category-and-missing"
        )
    declared = [without(own, missing) for own in declared]
    settled = (given, *declared, tuple(renamed), tuple(renamed.values()))
    kept = frozenset(label for named in settled for label in named or () if isinstance(label, str))
    kept |= _labels_in_context(value for column in columns for value in column)
    sections = _section_numbers(columns)
    labels = [
        [
            empty
            if empty is not None and _is_empty(value)
            else str(value)
            if value in sections
            else _rating(value, kept, spec.decimal_comma)
            for value in column
        ]
        for column in columns
    ]
    tally = _tally(labels, n_ratings)
    own_case = _one_case(tally, given) if spec.ignore_case else {}
    meaning = {label: renamed.get(own_case.get(label, label), own_case.get(label, label)) for label in tally}
    if _numbers_beside_none(meaning.values()) and "None" not in kept:
        missing |= {"None"}
    unreadable = {label for label, meant in meaning.items() if meant in missing or label in missing}
    used = Counter[Label]()
    for label, n in tally.items():
        if label not in unreadable:
            used[meaning[label]] += n
    if not used:
        raise InvalidRatingsError("there must be at least one rating; every value is missing.", code="no-rating")
    require_few_categories(len(used))
    recognised = _missing_text(columns, labels, n_ratings, unreadable)
    if locate is not None and given is None and not spec.accept_labels and spec.layout != "long":
        _require_no_marks(used, recognised, spec)
    if given is None and not spec.accept_labels:
        declares = {label for own in declared for label in own or ()}
        by_rater = [_tally([column], [numbers]) for column, numbers in zip(labels, n_ratings, strict=True)]
        _require_no_doubts({label: n for label, n in used.items() if label not in declares}, by_rater, spec)
    categories, ordered = (given, True) if given is not None else found_categories(used, declared)
    position: dict[Label | None, int] = {label: i for i, label in enumerate(categories)} | {None: MISSING}
    unknown = [label for label in used if label not in position]
    if unknown:
        _raise_unknown_labels(
            unknown, used, categories, spec, _first_place(unknown[0], labels, columns, raters, locate)
        )
    codes = [
        [MISSING if label is None or label in unreadable else position[meaning[label]] for label in column]
        for column in labels
    ]
    doubtful = [] if given is not None or spec.accept_labels else possibly_missing(used)
    return Encoded(
        [np.array(column, dtype=np.int32) for column in codes],
        categories,
        ordered,
        recognised,
        (*_notes(columns, labels, recognised, own_case, renamed, tally), *_possibly_missing_notes(doubtful)),
    )


class Encoded(NamedTuple):
    """The codes of raw values, and what the values mean.

    Attributes
    ----------
    codes : list of arrays
        For each rater, the code of every raw value; -1 for a missing rating.
    categories : tuple of labels
        All categories.
    ordered : bool
        Whether the categories are ordered.
    missing : dict of int
        Number of missing ratings by the text that was recognised as missing; "" stands for empty values.
    notes : tuple of str
        Sentences about what was recognised.
    """

    codes: list[Codes]
    categories: tuple[Label, ...]
    ordered: bool
    missing: dict[str, int]
    notes: tuple[str, ...]


def _tally(labels: Sequence[Sequence[Label | None]], n_ratings: Sequence[Sequence[int]]) -> Counter[Label]:
    """Return the number of ratings of each label."""
    tally = Counter[Label]()
    for column, numbers in zip(labels, n_ratings, strict=True):
        for label, n in zip(column, numbers, strict=True):
            if label is not None:
                tally[label] += n
    return tally


def _section_numbers(columns: Sequence[Sequence[Hashable]]) -> set[Any]:
    """Return text such as 1.10 if a rater used 1.1 as well, since these are then numbers of sections, not decimals."""
    found = set[Any]()
    for column in columns:
        texts = {value for value in column if isinstance(value, str)}
        found |= {text for text in texts if _TRAILING_ZERO.fullmatch(text) and text.rstrip("0") in texts}
    return found


def _labels_in_context(values: Iterable[Any]) -> frozenset[str]:
    """Return dashes as labels if plus signs occur as well, since + and - are then the categories."""
    texts = {clean_text(value) for value in values if isinstance(value, str)}
    return frozenset(texts & _DASHES) if any(text[:1] in ("+", "\u00b1") for text in texts) else frozenset()


def _numbers_beside_none(labels: Iterable[Label]) -> bool:
    """Return whether the text None occurs beside numbers only, where it is Python's None written as text."""
    found = set(labels)
    words = {label for label in found if isinstance(label, str)}
    return words == {"None"}


def _one_case(tally: Mapping[Label, int], given: Sequence[Label] | None) -> dict[Label, Label]:
    """Return the spelling that stands for each label if case is ignored: a given category, or the most frequent one."""
    best: dict[str, str] = {}
    words = [label for label in tally if isinstance(label, str)]
    for label in [*sorted(words, key=lambda label: -tally[label]), *(given or ())]:
        if isinstance(label, str) and (given is None or label in given or label.casefold() not in best):
            best.setdefault(label.casefold(), label)
    for label in given or ():
        if isinstance(label, str):
            best[label.casefold()] = label
    return {label: best[label.casefold()] for label in words}


def _require_no_marks(used: Mapping[Label, int], missing: Mapping[str, int], spec: ReadSpec) -> None:
    """Reject a file with a single label and many empty cells, which probably mean that the label does not apply."""
    ((label, n), *others) = used.items()
    if not others and 5 * missing.get("", 0) > n + missing.get("", 0):
        raise InvalidRatingsError(
            f"the only label is {label!r}, and {plural(missing[''], 'cell')} are empty. Kappa is undefined unless "
            "empty cells are a category.",
            code="one-label-and-empty-cells",
            fields={"label": label, "n_empty": missing[""]},
            advice=[
                Advice({"accept_labels": True}, "if empty cells are missing ratings"),
                Advice({"rename": {**spec.rename, "": "no"}}, "if they mean that the label does not apply"),
            ],
        )


def _is_empty(value: Any) -> bool:
    return label_of(value) is None and (not isinstance(value, str) or not clean_text(value))


def _require_no_doubts(used: Mapping[Label, int], by_rater: Sequence[Mapping[Label, int]], spec: ReadSpec) -> None:
    """Reject labels that are probably mistakes; the advice says how to settle each of them."""
    doubts = doubts_about(used, by_rater)
    if not doubts:
        return
    said = [doubt.statement for doubt in doubts[:_MOST_DOUBTS]]
    more = f" and {len(doubts) - _MOST_DOUBTS} more doubts" if len(doubts) > _MOST_DOUBTS else ""
    raise InvalidRatingsError(
        f"some labels are doubtful: {'; '.join(said)}{more}.",
        code="doubtful-labels",
        fields={"doubts": [{"kind": doubt.kind, "statement": doubt.statement} for doubt in doubts]},
        advice=[
            Advice({"accept_labels": True}, "if all labels are meant as they stand"),
            Advice(_settling(doubts, spec), "otherwise"),
        ],
    )


def _settling(doubts: Sequence[Doubt], spec: ReadSpec) -> dict[str, Any]:
    """Return the options that settle doubts in the most likely way, in addition to those that the caller gave."""
    options: dict[str, Any] = {}
    rename: dict[Any, Any] = dict(spec.rename)
    missing: list[Any] = list(spec.missing)
    for doubt in doubts:
        if doubt.kind == "case":
            options["ignore_case"] = True
        elif doubt.kind == "decimal-comma":
            options["decimal_comma"] = True
        else:
            rename |= {str(old): str(new) for old, new in doubt.rename.items()}
            missing += doubt.missing
    if len(rename) > len(spec.rename):
        options["rename"] = rename
    if len(missing) > len(spec.missing):
        options["missing"] = missing
    return options


def _raise_unknown_labels(
    unknown: Sequence[Label], used: Mapping[Label, int], categories: Sequence[Label], spec: ReadSpec, place: str
) -> NoReturn:
    """Raise the error about all ratings that are not among the categories."""
    shown = ", ".join(f"{label!r} ({plural(used[label], 'rating')})" for label in unknown[:8])
    more = f" and {len(unknown) - 8} more" if len(unknown) > 8 else ""
    verb = "is" if len(unknown) == 1 else "are"
    advice: dict[str, Any]
    by_case = {str(label).casefold(): label for label in categories}
    if all(str(label).casefold() in by_case for label in unknown):
        advice = {"ignore_case": True}
    else:
        near = {
            str(label): str(category)
            for label in unknown
            for category in categories
            if is_one_edit_apart(str(label).casefold(), str(category).casefold()) and min(len(str(label)), 4) == 4
        }
        if len(near) == len(unknown):
            advice = {"rename": dict(spec.rename) | near}
        else:
            advice = {"missing": [*spec.missing, *unknown]}
    told = [Advice({"categories": ORDER_TO_GIVE}, "if they are categories")]
    raise InvalidRatingsError(
        f"{shown}{more} {verb} not among the categories {listing(categories)}{place}.",
        code="rating-not-among-categories",
        fields={"labels": list(unknown), "categories": list(categories)},
        advice=[*told, Advice(advice, "otherwise")],
    )


def _first_place(
    label: Label,
    labels: Sequence[Sequence[Label | None]],
    columns: Sequence[Sequence[Hashable]],
    raters: Sequence[str],
    locate: Locate | None,
) -> str:
    """Return where a label occurs: its rater and, if it is known, the place in the file."""
    for i, column in enumerate(labels):
        if label in column:
            place = "" if locate is None else locate(i, columns[i][column.index(label)])
            return f"; the first is by rater {raters[i]!r}{place}"
    return ""


def _missing_text(
    columns: Sequence[Sequence[Hashable]],
    labels: Sequence[Sequence[Label | None]],
    n_ratings: Sequence[Sequence[int]],
    unreadable: set[Label],
) -> dict[str, int]:
    """Return the number of missing ratings by the text that was recognised as missing."""
    found = Counter[str]()
    for values, column, numbers in zip(columns, labels, n_ratings, strict=True):
        for value, label, n in zip(values, column, numbers, strict=True):
            if label is None:
                found[clean_text(value) if isinstance(value, str) else ""] += n
            elif label in unreadable:
                found[str(label)] += n
    return dict(sorted(found.items()))


def _notes(
    columns: Sequence[Sequence[Hashable]],
    labels: Sequence[Sequence[Label | None]],
    missing: Mapping[str, int],
    own_case: Mapping[Label, Label],
    renamed: Mapping[Label, Label],
    tally: Mapping[Label, int],
) -> Iterable[str]:
    """Yield sentences about missing ratings and about labels that were merged."""
    if any(missing.values()):
        kinds = [f"{n:,} {'empty' if text == '' else repr(text)}" for text, n in missing.items() if n]
        yield f"Values read as missing ratings: {', '.join(kinds)}."
    spellings: dict[Label, set[str]] = {}
    for values, column in zip(columns, labels, strict=True):
        for value, label in zip(values, column, strict=True):
            if isinstance(value, str) and label is not None:
                spellings.setdefault(label, set()).add(value)
    merged = [label for label, raw in spellings.items() if isinstance(label, str) and len(raw) > 1]
    if merged:
        yield f"Spaces around labels, and the way in which accents are encoded, were ignored: {listing(merged)}."
    if cases := {old: new for old, new in own_case.items() if old != new}:
        yield f"Upper and lower case were ignored: {_pairs(cases)}."
    if used := {old: new for old, new in renamed.items() if old in tally}:
        yield f"Labels were renamed: {_pairs(used)}."


def _possibly_missing_notes(labels: Sequence[Label]) -> list[str]:
    """Return a sentence about labels that were read as categories but may stand for missing ratings."""
    if not labels:
        return []
    one = len(labels) == 1
    return [
        f"{'Label' if one else 'Labels'} {listing(labels)} {'was' if one else 'were'} read as "
        f"{'a category' if one else 'categories'}; name {'it' if one else 'them'} in missing if "
        f"{'it stands' if one else 'they stand'} for missing ratings."
    ]


def _pairs(names: Mapping[Label, Label]) -> str:
    return ", ".join(f"{old!r} was read as {new!r}" for old, new in list(names.items())[:8])


def _rating(value: Any, kept: frozenset[str], decimal_comma: bool) -> Label | None:
    """Return a raw value as a label, or None if it is missing."""
    if decimal_comma and isinstance(value, str) and (comma := _DECIMAL_COMMA.fullmatch(value.strip())):
        value = ".".join(comma.groups())
    return label_of(value, kept)
