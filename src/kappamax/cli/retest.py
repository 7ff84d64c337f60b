"""Define `kappamax retest FILE`, which measures the agreement of each rater over several occasions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kappamax.cli.command import command
from kappamax.cli.options import INPUT, INTERVAL, JSON, LEVEL, OCCASIONS, WEIGHTS, seed
from kappamax.cli.runner import (
    Finding,
    Findings,
    echo_answer,
    echo_table,
    measure_weightings,
    notes_to_stderr,
    read_table,
)
from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.intra_rater import IntraRaterAgreement
    from kappamax.table import Table

_SHIFT_FIELDS = ("statistic", "df", "pvalue", "method", "title", "n_subjects", "n_different", "reason")


@command(
    "kappamax retest ratings.csv --occasions 1,2",
    "kappamax retest ratings.csv --occasions CO=CO_test,CO_retest -w linear",
    Input=[*INPUT, OCCASIONS],
    Weights=WEIGHTS,
    Output=[LEVEL, INTERVAL, seed("random permutations in the tests of a shift", default=0), JSON],
)
def retest(occasions: Any, level: float, interval: str, seed: int, **options: Any) -> None:
    """Measure the agreement of each rater over several occasions.

    FILE has one column per rater and occasion. The coefficient of each rater, its confidence interval and standard
    error, and the p-value of a shift between the occasions are printed for each weighting; for several raters also the
    mean, the test of equal coefficients, and the agreement between the raters on each occasion. If FILE is "-",
    standard input is read.
    """
    from kappamax.intra_rater import table_with_occasions

    def read(columns: list[str] | None) -> Table:
        chosen = columns is not None and options["raters"] is None and options["layout"] != "counts"
        return read_table(options | {"raters": columns} if chosen else options)

    settings = {"occasions": occasions, "level": level, "interval": interval, "rng": seed}
    with notes_to_stderr():
        table = table_with_occasions(read, occasions, again=options["file"] != "-")
        found, _ = measure_weightings(table, options, partial(_measure, **settings))
    echo_answer(options, table, found, _show)


def _measure(table: Table, **settings: Any) -> Finding:
    from kappamax.intra_rater import intra_rater_agreement

    found = intra_rater_agreement(table, **settings)
    return Finding(_plain(found), found)


def _plain(found: IntraRaterAgreement) -> dict[str, Any]:
    """Return the result as plain data with lists of raters and occasions, whose names are fields."""
    raters = []
    for rater, one in found.raters.items():
        shift = found.shifts[rater].to_dict()
        raters.append({"rater": rater, **one.to_dict(), "shift": {name: shift[name] for name in _SHIFT_FIELDS}})
    occasions = [{"occasion": occasion, **one.to_dict()} for occasion, one in found.occasions.items()]
    test = found.equality and found.equality.to_dict()
    equality = test and {name: test[name] for name in ("statistic", "df", "pvalue", "method", "reason")}
    shown = found.to_dict() | {"raters": raters, "occasions": occasions, "equality": equality}
    return {name: value for name, value in shown.items() if name != "shifts"}


def _show(table: Table, found: Findings) -> None:
    for place, finding in enumerate(found):
        _show_weighting(finding.result, table.data.sentences() if place == 0 else [])


def _show_weighting(result: IntraRaterAgreement, notes: list[str]) -> None:
    header = ["rater", "value", f"{100 * result.level:g}% interval", "std. error", "subjects", "shift"]
    rows, notes = [], list(notes)
    for rater, one in result.raters.items():
        shift = result.shifts[rater]
        shown = [numbers.decimal(one.value), numbers.interval(one.ci), numbers.decimal(one.se)]
        if one.value is None:
            shown = ["undefined", "", ""]
            notes.append(f"{rater}: undefined: {one.reason}.")
        rows.append([rater, *shown, numbers.count(one.n_subjects), shift.pvalue_text])
    mean = result.mean
    if mean is not None and mean.value is not None:
        interval, se = numbers.interval(mean.ci), numbers.decimal(mean.se)
        rows.append(["mean of the raters", numbers.decimal(mean.value), interval, se, "", ""])
    notes.append("The column shift has the p-values of tests of whether a rater uses the categories equally often.")
    if mean is not None:
        notes.append(f"Test of whether the raters have the same value: {result.equality_in_words}.")
    notes += [f"Between the raters on occasion {name}: {one.in_words}." for name, one in result.occasions.items()]
    notes += [f"{text.capitalized(note)}." for note in result.notes]
    weighting = text.weighting(result.weights)
    echo_table(f"{result.title} of each rater over the occasions, {weighting}", header, rows, notes)
