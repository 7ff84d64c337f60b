"""Plain data from a browser in, tables and weights out; and tables as the page holds them."""

from __future__ import annotations

from typing import Any

from kappamax._checks import web as checks
from kappamax._result import plain
from kappamax.table import Table
from kappamax.weights import Weights

__all__ = ["MOST_CATEGORIES", "MOST_SUBJECTS", "plain_table", "table_of", "weighting_of", "weightings_of"]

MOST_CATEGORIES = 12
MOST_SUBJECTS = 1_000_000
_MOST_LABELS = 100
_MOST_RATERS = 100
_MOST_PATTERNS = 20_000
_MOST_CELLS = 200_000
_MOST_WEIGHTINGS = 8


def table_of(request: dict[str, Any]) -> Table:
    """The table a request holds: a square of counts, or patterns with counts."""
    ordered = checks.truth("ordered", request.get("ordered", True))
    if "patterns" in request:
        labels = checks.labels("categories", request.get("categories"), most=_MOST_LABELS)
        raters = checks.labels("raters", request.get("raters"), most=_MOST_RATERS)
        codes = checks.codes(request["patterns"], min(_MOST_PATTERNS, _MOST_CELLS // len(raters)), len(labels))
        counts = checks.pattern_counts(request.get("counts"), len(codes))
    else:
        square = checks.square_counts(request.get("counts"), MOST_CATEGORIES)
        k = len(square)
        given = request.get("categories")
        labels = list(range(1, k + 1)) if given is None else checks.labels("categories", given, least=k, most=k)
        raters = checks.labels("raters", request.get("raters", ["1", "2"]), least=2, most=2)
        codes = [[i, j] for i in range(k) for j in range(k)]
        counts = [count for row in square for count in row]
    checks.few_subjects(sum(counts), MOST_SUBJECTS)
    return Table(codes, counts, labels, [str(name) for name in raters], ordered=ordered)


def weightings_of(request: dict[str, Any], table: Table) -> list[Weights] | None:
    """The weightings asked for, each under its own name; None for the usual ones."""
    if request.get("weights") is None:
        return None
    asked = checks.list_of("weights", request["weights"], most=_MOST_WEIGHTINGS)
    chosen = [_weights("weights", one, table) for one in asked]
    checks.different_names([weights.name for weights in chosen])
    return chosen


def weighting_of(request: dict[str, Any], table: Table) -> Weights:
    """The one weighting asked for: linear if none is and the categories have an order."""
    usual = "linear" if table.ordered else "unweighted"
    return _weights("weight", request.get("weight", usual), table)


def plain_table(table: Table) -> dict[str, Any]:
    """A table as the page holds and posts it: a square of counts for two raters, patterns for more."""
    named = {"categories": plain(table.categories), "raters": list(table.raters), "ordered": table.ordered}
    if table.n_raters == 2 and table.complete and table.n_categories <= MOST_CATEGORIES:
        return {"counts": table.dense().tolist(), **named}
    most = min(_MOST_PATTERNS, _MOST_CELLS // table.n_raters)
    checks.few_patterns(len(table.counts), most)
    checks.few_subjects(table.n_subjects, MOST_SUBJECTS)
    codes = [[None if code < 0 else code for code in row] for row in table.patterns.tolist()]
    return {"patterns": codes, "counts": plain(table.counts), **named}


def _weights(field: str, asked: Any, table: Table) -> Weights:
    """Weights by name, from positions, or from a matrix."""
    if isinstance(asked, str):
        return Weights.from_scheme(checks.short_text(field, asked), table.n_categories)
    given = checks.mapping(field, asked)
    if "positions" in given:
        positions = checks.numbers("positions", given["positions"], table.n_categories)
        return Weights.from_positions(positions, checks.short_text("scheme", given.get("scheme", "linear")))
    matrix = checks.square_numbers("matrix", given.get("matrix"), table.n_categories)
    kind = checks.one_of("kind", given.get("kind", "disagreement"), ("disagreement", "agreement"))
    name = checks.short_text("name", given.get("name", "custom"))
    return Weights.from_matrix(matrix, kind=kind, name=name)
