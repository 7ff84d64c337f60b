"""Define `kappamax fiber FILE`, which counts all tables with the observed margins by their agreement."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from kappamax.cli.command import Option, command
from kappamax.cli.options import INPUT, JSON, MEMORY, WEIGHTS, seed
from kappamax.cli.runner import (
    Finding,
    Findings,
    coefficient_names,
    echo_answer,
    echo_pattern_table,
    echo_table,
    measure_weightings,
    name_of,
    notes_to_stderr,
    progress_bar,
    read_table,
    undefined_finding,
)
from kappamax.display import numbers, text
from kappamax.errors import NotSupportedError

if TYPE_CHECKING:
    from kappamax.fibers.distribution import Distribution
    from kappamax.fibers.fiber import Fiber
    from kappamax.table import Table
    from kappamax.weights import Weights

_FIELDS = ("value", "n_tables", "n_same_value", "distribution")
_LIST_LIMIT = 10_000
_MOST_SAMPLED = 100_000
_MOST_ROWS = 40


@command(
    "kappamax fiber ratings.csv",
    "kappamax fiber ratings.csv --sample 5 --seed 1",
    Input=INPUT,
    Weights=WEIGHTS,
    Limits=[MEMORY],
    Output=[
        Option("--list", f"Also list all tables, of which there may be at most {_LIST_LIMIT:,}.", dest="list_all"),
        Option(
            "--sample N",
            f"Also draw N random tables, at most {_MOST_SAMPLED:,}, each with its probability under the null "
            "distribution. Default: no table.",
            type=int,
            dest="n_sample",
        ),
        seed("the random tables"),
        JSON,
    ],
)
def fiber(list_all: bool, n_sample: int | None, seed: int | None, memory_limit: float, **options: Any) -> None:
    """Count all tables with the margins of FILE.

    The values of the coefficient are shown with their numbers of tables and with their probabilities if each rater's
    ratings fall on the subjects at random. If FILE is "-", standard input is read.
    """
    from kappamax.fibers.fiber import Fiber

    lists: dict[str, list[Table]] = {}
    with notes_to_stderr():
        table = read_table(options)
        tables = Fiber(table, memory_limit=1e9 * memory_limit)
        if list_all:
            lists["tables"] = _listed(tables)
        if n_sample is not None:
            lists["sample"] = list(tables.iter_sample(_sample_size(n_sample), rng=seed))
        found, _ = measure_weightings(table, options, partial(_measure, tables), _FIELDS)
    extra = {name: [one.to_dict() for one in listed] for name, listed in lists.items()}
    echo_answer(options, table, [one._replace(plain=one.plain | extra) for one in found], partial(_show, lists=lists))


def _sample_size(n_sample: int) -> int:
    if n_sample > _MOST_SAMPLED:
        raise NotSupportedError(
            f"--sample draws at most {_MOST_SAMPLED:,} tables; got {n_sample}. "
            "In Python, km.fiber(table).iter_sample draws any number, one at a time."
        )
    return n_sample


def _listed(tables: Fiber) -> list[Table]:
    if (n_tables := tables.count()) > _LIST_LIMIT:
        shown = f"{n_tables:,}" if n_tables < 10**9 else f"{numbers.rough(n_tables, 2)}"
        raise NotSupportedError(
            f"--list shows at most {_LIST_LIMIT:,} tables, but {shown} have these margins. Use --sample instead."
        )
    return list(tables.tables())


def _measure(tables: Fiber, table: Table, *, weights: str | Weights, coefficient: str) -> Finding:
    from kappamax._result import plain
    from kappamax.coefficients import as_objective

    try:
        with progress_bar(f"{name_of(weights)} distribution") as tell:
            result = tables.distribution(weights, coefficient=coefficient, progress=tell)
        return Finding(coefficient_names(result.objective) | result.to_dict(), result)
    except NotSupportedError as error:
        objective = as_objective(table, weights=weights, coefficient=coefficient)
        known = {"value": objective.value(objective.score), "n_tables": plain(_count(tables))}
        return undefined_finding(objective, _FIELDS, str(error), known)


def _count(tables: Fiber) -> int | None:
    """Return the number of tables, or None if they cannot be counted."""
    try:
        with progress_bar("counting tables") as tell:
            return tables.count(progress=tell)
    except NotSupportedError:
        return None


def _show(table: Table, found: Findings, lists: dict[str, list[Table]]) -> None:
    header = ["weights", "value", "tables", "same value", "smallest", "largest", "p-value"]
    rows, notes = [], table.data.sentences()
    for plain, result in found:
        value = numbers.decimal(plain["value"])
        if result is None:
            n_tables = plain["n_tables"]
            rows.append([plain["weights"], value, "" if n_tables is None else numbers.count(int(n_tables)), *[""] * 4])
            notes.append(f"{plain['weights']}: {plain['reason']}")
            continue
        ends = numbers.decimals(float(result.values[0]), float(result.values[-1]))
        counts = (sum(result.n_tables), result.n_same_value)
        rows.append([plain["weights"], value, *map(numbers.count, counts), *ends, numbers.pvalue(result.pvalue())])
    notes.append("The p-value is the probability of at least this value if the ratings fall on the subjects at random.")
    echo_table(f"{found[0].plain['title']} over all tables with these margins", header, rows, notes)
    for plain, result in found:
        if result is not None and len(result.values) <= _MOST_ROWS:
            _show_values(plain["weights"], result)
    for name, title in (("tables", "Table"), ("sample", "Random table")):
        shown = lists.get(name, [])
        for number, one in enumerate(shown, start=1):
            echo_pattern_table(f"{title} {number} of {len(shown)}", one)


def _show_values(weights: str, result: Distribution) -> None:
    """Print every value with its number of tables and its probability; the observed value is marked."""
    rows = [
        [
            f"{numbers.decimal(value)}{' observed' if score == result.observed_score else ''}",
            numbers.count(n),
            numbers.pvalue(chance),
        ]
        for value, n, chance, score in zip(
            result.values.tolist(), result.n_tables, result.probabilities.tolist(), result.scores, strict=True
        )
    ]
    echo_table(f"Values of the coefficient, {text.weighting(weights)}", ["value", "tables", "probability"], rows)
