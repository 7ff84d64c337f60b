"""Apply the value labels and missing codes that a statistical file declares for its variables.

A statistical file stores ratings as codes and says separately what the codes mean. Here codes become their labels, in
the order of the codes, and declared missing codes become missing ratings. Two variables that are coded alike are
treated alike, since the same code must become the same category for every rater.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, time
from typing import Any, NamedTuple

import numpy as np

from kappamax._typing import Array, Integers
from kappamax.display.text import listing, plural
from kappamax.errors import Advice, InvalidRatingsError
from kappamax.io.declared_categories import UnorderedCategories
from kappamax.io.frame_columns import kept_label
from kappamax.table import Label

#: function from the names of the raters' columns to sentences about what was recognised in them
NotesOn = Callable[[Sequence[str]], tuple[str, ...]]


class Variable(NamedTuple):
    """A variable of a statistical file, before its labels are applied.

    Attributes
    ----------
    name : str
        Name of the variable.
    values : list
        Distinct values; None is a missing value.
    codes : array of int
        Position in `values` for each row.
    labels : dict of str
        Value labels, by the value that they stand for, without those of missing codes.
    missing : dict of str
        Values that the file declares as missing, and how they are shown in notes.
    measure : str
        Level of measurement: "nominal", "ordinal", "scale" or "unknown".
    """

    name: str
    values: list[Any]
    codes: Integers
    labels: dict[Any, str]
    missing: dict[Any, str]
    measure: str


class LabelledColumns(NamedTuple):
    """The columns of a statistical file, with labels instead of codes.

    Attributes
    ----------
    columns : dict of arrays
        Values of each column: numbers with NaN, or text with None.
    declared : dict
        Categories that columns declare, by the name of the column.
    labels : dict
        Labels by code of the columns whose codes were replaced by labels.
    notes_on : callable
        Function that returns notes on some of the columns.
    """

    columns: dict[str, Array]
    declared: dict[str, tuple[Label, ...]]
    labels: dict[str, dict[Any, str]]
    notes_on: NotesOn


def labelled_columns(variables: Sequence[Variable]) -> LabelledColumns:
    """Return the columns of variables; the labels of a variable are used if every one of its values has its own."""
    reasons = _reasons_for_numbers(variables)
    columns, declared, sentences = dict[str, Array](), dict[str, tuple[Label, ...]](), dict[str, str]()
    applied: dict[str, dict[Any, str]] = {}
    for variable in variables:
        name, labels = variable.name, {} if variable.name in reasons else variable.labels
        columns[name] = _column(variable, labels)
        if labels:
            declared[name], sentences[name] = _declared(variable)
            applied[name] = labels
        elif name in reasons:
            sentences[name] = f"The codes of {{}} were kept instead of their value labels, since {reasons[name]}."
    missing = {variable.name: _missing_codes(variable) for variable in variables}
    return LabelledColumns(columns, declared, applied, lambda names: tuple(_notes(names, sentences, missing)))


def require_labels_of_all(
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    labels: Mapping[str, Mapping[Any, str]],
    renamed: Collection[Any] = (),
) -> None:
    """Require that no rater's column has codes without labels if another column has labels for these codes.

    Parameters
    ----------
    names : sequence of str
        Columns of the raters.
    rows : iterable of sequences
        Rows whose first entries are the values of these columns.
    labels : mapping
        Labels by code of the columns that have labels.
    renamed : collection
        Labels that the caller renames.
    """
    labelled = [name for name in names if name in labels]
    if not labelled or len(labelled) == len(names):
        return
    known = {code: label for name in reversed(labelled) for code, label in labels[name].items()}
    plain = [i for i, name in enumerate(names) if name not in labels]
    codes = sorted({row[i] for row in rows for i in plain if isinstance(row[i], int | float) and row[i] in known})
    rename = {code_text(code): known[code] for code in codes}
    if rename.keys() <= set(map(str, renamed)):
        return
    raise InvalidRatingsError(
        f"the ratings of {listing(labelled)} have value labels, but {listing([names[i] for i in plain])} "
        f"{'contains' if len(plain) == 1 else 'contain'} the codes {', '.join(rename)} without labels.",
        code="codes-without-labels",
        fields={"labelled": labelled, "unlabelled": [names[i] for i in plain]},
        advice=[Advice({"raters": list(names), "rename": rename}, "if the codes mean the same for all raters")],
    )


def _column(variable: Variable, labels: Mapping[Any, str]) -> Array:
    """Return the values of a variable for every row: numbers with NaN, or text with None."""
    meaning = [
        None if value is None or value in variable.missing else labels.get(value, value) for value in variable.values
    ]
    if all(value is None or isinstance(value, int | float) for value in meaning):
        return np.array([np.nan if value is None else value for value in meaning], dtype=float)[variable.codes]
    texts = np.empty(len(meaning), dtype=object)
    texts[:] = [value.isoformat() if isinstance(value, date | time) else value for value in meaning]
    return np.asarray(texts[variable.codes])


def _declared(variable: Variable) -> tuple[tuple[Label, ...], str]:
    """Return the categories that a variable with value labels declares, and the note on their order."""
    codes = list(variable.labels)
    if not all(isinstance(code, int | float) for code in codes):
        categories = UnorderedCategories(kept_label(label) for label in variable.labels.values())
        return categories, "The value labels of {} have no order, since their codes are not numbers."
    in_order = tuple(kept_label(variable.labels[code]) for code in sorted(codes))
    shown = listing(in_order)
    if variable.measure == "nominal":
        return UnorderedCategories(in_order), (
            f"The value labels of {{}} have no order, since the file gives their measurement level as nominal: {shown}."
        )
    if variable.measure in ("ordinal", "scale"):
        return in_order, (
            "The value labels of {} are in the order of their codes, since the file gives their measurement level as "
            f"{variable.measure}: {shown}."
        )
    return in_order, (
        f"The value labels of {{}} were taken in the order of their codes: {shown}. The file does not say whether they "
        "are ordered; unweighted coefficients do not depend on the order."
    )


def _reasons_for_numbers(variables: Iterable[Variable]) -> dict[str, str]:
    """Return why the codes of a variable are kept, by the name of the variable.

    Codes are kept if some of them have no label or if several have the same label, and in every variable that is coded
    like such a variable.
    """
    alike: dict[frozenset[tuple[Any, str]], list[Variable]] = {}
    for variable in variables:
        if variable.labels:
            alike.setdefault(frozenset(variable.labels.items()), []).append(variable)
    reasons = {key: reason for key, group in alike.items() if (reason := _reason(group))}
    spreading = list(reasons)
    while spreading:
        cause = spreading.pop()
        reached = [key for key in alike if key not in reasons and _are_compatible(dict(cause), dict(key))]
        reasons |= dict.fromkeys(reached, reasons[cause])
        spreading += reached
    return {variable.name: reason for key, reason in reasons.items() for variable in alike[key]}


def _reason(group: Sequence[Variable]) -> str | None:
    """Return why the codes of variables with the same labels are kept, or None if their labels are used."""
    labels = group[0].labels
    twice = next((label for label, times in Counter(labels.values()).items() if times > 1), None)
    if twice is not None:
        return f"several codes have the label {twice!r}"
    without = dict.fromkeys(
        value
        for variable in group
        for value in variable.values
        if value is not None and value not in variable.missing and value not in labels
    )
    if not without:
        return None
    shown = ", ".join(map(code_text, list(without)[:5])) + (", ..." if len(without) > 5 else "")
    return f"{shown} {'has' if len(without) == 1 else 'have'} no label"


def _are_compatible(first: Mapping[Any, str], second: Mapping[Any, str]) -> bool:
    """Return whether two sets of value labels probably belong to one scale: they share labels and do not differ."""
    shared = first.keys() & second.keys()
    return len(shared) >= min(2, len(first), len(second)) and all(first[code] == second[code] for code in shared)


def _missing_codes(variable: Variable) -> Counter[str]:
    """Return the number of missing ratings of a variable by declared missing code."""
    if not variable.missing:
        return Counter()
    counts = np.bincount(variable.codes, minlength=len(variable.values)).tolist()
    times = zip(variable.values, counts, strict=True)
    return Counter({variable.missing[value]: n for value, n in times if value in variable.missing and n})


def _notes(names: Sequence[str], sentences: Mapping[str, str], missing: Mapping[str, Counter[str]]) -> Iterable[str]:
    """Yield sentences about the labels and missing codes of some columns; columns with equal sentences share one."""
    together: dict[str, list[str]] = {}
    for name in names:
        if name in sentences:
            together.setdefault(sentences[name], []).append(name)
    for sentence, columns in together.items():
        start, _, end = sentence.partition("{}")
        yield start + listing(columns) + end
    found = sum((missing[name] for name in names if name in missing), Counter[str]())
    if found:
        n = found.total()
        shown = ", ".join(f"{code} ({times:,})" for code, times in sorted(found.items()))
        yield f"{plural(n, 'rating')} {'is' if n == 1 else 'are'} missing by the file's own missing codes: {shown}."


def code_text(code: Any) -> str:
    """Return a code as text; whole numbers have no decimal point."""
    if isinstance(code, float) and code.is_integer():
        return str(int(code))
    return repr(code) if isinstance(code, str) else str(code)
