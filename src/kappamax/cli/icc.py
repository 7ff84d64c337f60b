"""Define `kappamax icc FILE`, which prints the intraclass correlations of the raters beside quadratic kappa."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, LEVEL, as_positions
from kappamax.cli.runner import echo_json, echo_table, notes_to_stderr, read_table
from kappamax.display import numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kappamax.intraclass_correlation import IntraclassCorrelations

_SCALES = {
    "values": "The categories stand for the values of their labels.",
    "ranks": "The categories stand for their ranks 1, 2, ...",
    "positions": "The categories stand for the positions given by --positions.",
}


@command(
    "kappamax icc scores.csv",
    "kappamax icc ratings.csv --categories none,mild,severe --positions 0,1,3",
    Input=INPUT,
    Scale=[
        Option(
            "--positions NUMBER,NUMBER",
            "Positions of the categories on a scale, such as 0,1,3,10. Default: the values of categories that are "
            "numbers, otherwise the ranks 1, 2, ... of ordered categories.",
            callback=as_positions,
        )
    ],
    Output=[LEVEL, JSON],
)
def icc(positions: list[Any] | None, level: float, as_json: bool, **options: Any) -> None:
    """Compute the intraclass correlations of the raters in FILE.

    The six coefficients of Shrout and Fleiss are printed with their confidence intervals and F tests, and with
    quadratic kappa and Krippendorff's interval alpha on the same scale. All raters must have rated all subjects. If
    FILE is "-", standard input is read.
    """
    from kappamax.intraclass_correlation import icc as intraclass_correlations

    with notes_to_stderr():
        table = read_table(options)
        found = intraclass_correlations(table, positions=positions, level=level)
    if as_json:
        from kappamax.reporting.formats.json import document

        rest = found.to_dict()
        echo_json(document(table, rest.pop("coefficients")) | {"analysis": rest})
    else:
        header, *rows = found.shown()
        echo_table("Intraclass correlations", header, rows, [*table.data.sentences(), *_notes(found)])


def _notes(found: IntraclassCorrelations) -> Iterator[str]:
    """Yield sentences about undefined numbers, the meaning of the coefficients, and kappa and alpha."""
    yield from (f"{reason}." for reason in found.reasons())
    yield _SCALES[found.scale]
    yield (
        "ICC(1,1) and ICC(2,1) measure the absolute agreement of single ratings. ICC(3,1) measures their consistency, "
        "which differences between the means of the raters do not lower."
    )
    yield f"ICC(1,k), ICC(2,k) and ICC(3,k) are about the mean of the {found.n_raters} ratings of a subject."
    yield "The p-value is that of a coefficient of zero; the alternative is greater."
    kappa, alpha = numbers.decimals(found.quadratic_kappa, found.interval_alpha)
    yield f"On the same scale, quadratic kappa is {kappa} and Krippendorff's interval alpha is {alpha}."
