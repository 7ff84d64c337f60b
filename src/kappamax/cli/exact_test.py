"""`kappamax test FILE`: how surprising the agreement is by chance alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.completion import ALTERNATIVES, METHODS, TWO_SIDED, name_option
from kappamax.cli.input_options import (
    Reading,
    measuring_options,
    memory_option,
    notes_to_stderr,
    read_table,
    reading_options,
)
from kappamax.cli.progress import progress_bar
from kappamax.cli.weightings import each_weighting

if TYPE_CHECKING:
    from kappamax.fibers.exact_test import ExactTest
    from kappamax.table import Table

__all__ = ["test"]

_FIELDS = ("value", "pvalue", "alternative", "method", "se", "n_draws", "two_sided", "null_mean")


@click.command(short_help="Test for more agreement than by chance.")
@reading_options
@measuring_options()
@name_option(
    "--alternative",
    among=ALTERNATIVES,
    metavar="A",
    help="greater (more agreement than by chance), less or two-sided.",
)
@name_option(
    "--two-sided",
    among=TWO_SIDED,
    metavar="D",
    help="Definition of the two-sided p-value: distance (values at least as far from the mean) or probability (values "
    "no more probable than the observed one, as R's fisher.test).",
)
@name_option("--method", among=METHODS, metavar="M", help="auto, exact or monte-carlo.")
@click.option("--draws", type=int, metavar="N", help="Random tables for Monte Carlo.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Of the random tables.")
@memory_option
@click.option(
    "--jobs", type=int, default=1, show_default=True, metavar="N", help="Processes; the result does not depend on it."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def test(
    reading: Reading,
    weights: tuple[str, ...],
    coefficient: str,
    alternative: str,
    two_sided: str,
    method: str,
    draws: int | None,
    seed: int | None,
    memory_limit: float,
    jobs: int,
    as_json: bool,
) -> None:
    """Test whether the raters in FILE agree more than by chance, given their margins and who rated whom."""
    options: dict[str, Any] = {"alternative": alternative, "two_sided": two_sided, "method": method, "n_draws": draws}
    options |= {"n_jobs": jobs, "coefficient": coefficient, "rng": seed, "memory_limit": 1e9 * memory_limit}
    with notes_to_stderr():
        table = read_table(reading)
        found, interrupted = each_weighting(weights, lambda scheme: _tested(table, scheme, options))
    if as_json:
        from kappamax.cli.output import echo_json

        echo_json(table, [plain for plain, _ in found])
    else:
        _show(table, found)
    if interrupted:
        raise KeyboardInterrupt


def _tested(table: Table, scheme: str, options: dict[str, Any]) -> tuple[dict[str, Any], ExactTest | None]:
    """One weighting's test as plain data, with the result itself where the coefficient is defined."""
    from kappamax.cli.output import undefined_result
    from kappamax.errors import UndefinedKappaError
    from kappamax.fibers.exact_test import exact_test

    try:
        with progress_bar(f"{scheme} test") as tell:
            result = exact_test(table, weights=scheme, progress=tell, **options)
    except UndefinedKappaError as error:
        return undefined_result(table, options["coefficient"], scheme, _FIELDS, error.reason), None
    return result.to_dict(), result


def _show(table: Table, found: list[tuple[dict[str, Any], ExactTest | None]]) -> None:
    from kappamax.cli.output import data_line, echo_table
    from kappamax.display import numbers, text

    header = ["weights", "value", "mean by chance", "p-value", "std. error", "method"]
    rows, notes = [], [data_line(table)]
    for plain, result in found:
        if result is None:
            rows.append([plain["weights"], "undefined", *[""] * 4])
            notes.append(f"{plain['weights']}: undefined: {plain['reason']}.")
            continue
        se = "" if result.se is None else f"{result.se:.1g}"
        value, mean = numbers.decimal(result.value), numbers.decimal(result.null_mean)
        rows.append([result.weights, value, mean, numbers.pvalue(result.pvalue), se, result.method])
        if result.n_draws is not None:
            why = f" ({result.reason.split('. ')[0].rstrip('.')})" if result.reason else ""
            notes.append(f"{result.weights}: {numbers.count(result.n_draws)} random tables{why}.")
    notes += _definition(found)
    fixed = text.limits(table.complete).removeprefix("the ")
    echo_table(f"Test of {found[0][0]['title']} against chance, {fixed} given", header, rows, notes)


def _definition(found: list[tuple[dict[str, Any], ExactTest | None]]) -> list[str]:
    """Which values count as extreme, once."""
    words = {
        "greater": "One-sided: values at least as large as the observed one.",
        "less": "One-sided: values at most as large as the observed one.",
        "distance": "Two-sided: values at least as far from the mean as the observed one.",
        "probability": "Two-sided: values no more probable than the observed one.",
    }
    used = {result.two_sided or result.alternative for _, result in found if result is not None}
    return [words[name] for name in words if name in used]
