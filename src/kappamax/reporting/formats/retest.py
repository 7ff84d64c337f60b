"""Arrange the agreement of raters over several occasions as a table, as sentences and as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.intra_rater import IntraRaterAgreement

_SHIFT_FIELDS = ("statistic", "df", "pvalue", "method", "title", "n_subjects", "n_different", "reason")
_EQUALITY_FIELDS = ("statistic", "df", "pvalue", "method", "reason")


def retest_title(result: IntraRaterAgreement) -> str:
    """Return what the table is about."""
    return f"{result.title} of each rater over the occasions, {text.weighting(result.weights)}"


def retest_rows(result: IntraRaterAgreement) -> tuple[list[str], list[list[str]]]:
    """Return the header and one row per rater, and one for the mean if there are several raters."""
    header = ["rater", "value", f"{100 * result.level:g}% interval", "std. error", "subjects", "shift"]
    rows = []
    for rater, one in result.raters.items():
        shown = [numbers.decimal(one.value), numbers.interval(one.ci), numbers.decimal(one.se)]
        known = shown if one.value is not None else ["undefined", "", ""]
        rows.append([rater, *known, numbers.count(one.n_subjects), result.shifts[rater].pvalue_text])
    mean = result.mean
    if mean is not None and mean.value is not None:
        interval, se = numbers.interval(mean.ci), numbers.decimal(mean.se)
        rows.append(["mean of the raters", numbers.decimal(mean.value), interval, se, "", ""])
    return header, rows


def retest_sentences(result: IntraRaterAgreement) -> list[str]:
    """Return the sentences below the table."""
    said = [f"{rater}: undefined: {one.reason}." for rater, one in result.raters.items() if one.value is None]
    said.append("The column shift has the p-values of tests of whether a rater uses the categories equally often.")
    if result.mean is not None:
        said.append(f"Test of whether the raters have the same value: {result.equality_in_words}.")
    said += [f"Between the raters on occasion {name}: {one.in_words}." for name, one in result.occasions.items()]
    return said + [f"{text.capitalized(note)}." for note in result.notes]


def retest_document(result: IntraRaterAgreement) -> dict[str, Any]:
    """Return the result as plain data with lists of raters and occasions, whose names are fields."""
    raters = []
    for rater, one in result.raters.items():
        shift = result.shifts[rater].to_dict()
        raters.append({"rater": rater, **one.to_dict(), "shift": {name: shift[name] for name in _SHIFT_FIELDS}})
    occasions = [{"occasion": occasion, **one.to_dict()} for occasion, one in result.occasions.items()]
    test = None if result.equality is None else result.equality.to_dict()
    equality = None if test is None else {name: test[name] for name in _EQUALITY_FIELDS}
    shown = result.to_dict() | {"raters": raters, "occasions": occasions, "equality": equality}
    return {name: value for name, value in shown.items() if name != "shifts"}
