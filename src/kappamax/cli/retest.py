"""Define `kappamax retest FILE`, which measures the agreement of each rater over several occasions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kappamax.cli.command import command
from kappamax.cli.options import INPUT, INTERVAL, JSON, LEVEL, WEIGHTS, occasions_by_default, seed
from kappamax.cli.runner import (
    Finding,
    Findings,
    echo_answer,
    echo_table,
    measure_weightings,
    notes_to_stderr,
    read_occasions,
)

if TYPE_CHECKING:
    from kappamax.intra_rater import IntraRaterAgreement
    from kappamax.table import Table


@command(
    "kappamax retest ratings.csv --occasions 1,2",
    "kappamax retest ratings.csv --occasions CO=CO_test,CO_retest -w linear",
    Input=[*INPUT, occasions_by_default('a comma and a space, as in the name "A, 1"')],
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
    from kappamax.rater_occasions import SEPARATOR

    occasions = SEPARATOR if occasions is None else occasions
    settings = {"occasions": occasions, "level": level, "interval": interval, "rng": seed}
    with notes_to_stderr():
        table = read_occasions(options, occasions)
        found, _ = measure_weightings(table, options, partial(_measure, **settings))
    echo_answer(options, table, found, _show)


def _measure(table: Table, **settings: Any) -> Finding:
    from kappamax.intra_rater import intra_rater_agreement
    from kappamax.reporting.formats.retest import retest_document

    found = intra_rater_agreement(table, **settings)
    return Finding(retest_document(found), found)


def _show(table: Table, found: Findings) -> None:
    from kappamax.reporting.formats.retest import retest_rows, retest_sentences, retest_title

    for place, finding in enumerate(found):
        result: IntraRaterAgreement = finding.result
        read = table.data.sentences() if place == 0 else []
        echo_table(retest_title(result), *retest_rows(result), [*read, *retest_sentences(result)])
