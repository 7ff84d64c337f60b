"""List the questions every package is asked, with our answer, a second opinion and other known answers.

Our answer is kappamax's, in fractions where there are any. The second opinion is `by_hand`, which shares no code with
it. The other answers are conventions in `conventions`; each is put into words.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from math import sqrt
from typing import Any

import kappamax as km
from benchmarks import by_hand, conventions
from benchmarks.question import (
    BY_HAND,
    Convention,
    Number,
    Question,
    Rows,
    categories_of,
    coefficient,
    linear,
    numbered,
    rows_of,
    table_of,
)

__all__ = ["GROUPS", "questions"]

GROUPS = {
    "A table of counts": "Cohen's kappa of two raters. The scale of the weights must not matter.",
    "Order and unused categories": (
        "Linear kappa depends on the order of the categories and on those nobody used. "
        "'Told' means that the package is given the list of categories in the way it provides for. nltk and PyCM take "
        "the weights from the caller, who knows the order."
    ),
    "Missing ratings": (
        "There is no single right answer: by Gwet's definition a rating counts in its rater's margin even where the "
        "other rater is missing. A different number is a different convention, or a mistake."
    ),
    "Three raters": "Four coefficients go by the name of kappa for several raters. Each is asked for by its own name.",
    "One category only": (
        "Expected agreement is 1, so kappa is 0/0. The right answer is that it is undefined; kappamax also says why."
    ),
    "Standard error and interval": "The large-sample standard error of Fleiss, Cohen and Everitt (1969).",
    "The largest kappa": (
        "Given how often each rater used each category. Whoever gives less than a kappa that occurs is wrong."
    ),
    "How many tables": "All tables with the margins of the example.",
}


@cache
def questions() -> tuple[Question, ...]:
    """All of them, in the order of the page."""
    return (
        *_tables(),
        *_order(),
        *_missing(),
        *_three(),
        *_undefined(),
        *_errors(),
        *_maxima(),
        *_counts(),
    )


def _tables() -> list[Question]:
    group = "A table of counts"
    found = []
    for name in ("rapallo2022", "fleiss1969"):
        table = numbered(km.example(name))
        for weights in ("unweighted", "linear", "quadratic"):
            found.append(coefficient(f"{name}-{weights}", group, f"{name}, {weights}", "kappa", table, weights))
    table = km.example("rapallo2022")
    rows, k = by_hand.coded(rows_of(table), categories_of(table)), table.n_categories
    found.append(
        coefficient(
            "rapallo2022-scaled",
            group,
            "rapallo2022, linear, weights of largest 1 given by the caller",
            "scaled kappa",
            table,
            "linear",
            conventions=lambda: [
                Convention(
                    "divides the expected disagreement by `max_distance`, the observed not",
                    conventions.scaled_once(rows, k, "linear"),
                ),
                Convention(
                    "takes whole numbers only: returns the unweighted kappa (and warns)",
                    by_hand.conger(rows, k, "unweighted"),
                ),
            ],
        )
    )
    return found


def _order() -> list[Question]:
    group = "Order and unused categories"
    scores = [(1, 1), (2, 2), (3, 4), (4, 3), (5, 5), (6, 7), (7, 6), (8, 8), (9, 10), (10, 10), (10, 9), (2, 1)]
    text = tuple((str(a), str(b)) for a, b in scores)
    ten = tuple(str(i) for i in range(1, 11))
    degrees = ("none", "mild", "moderate", "severe")
    pairs = "none none|none mild|mild mild|mild mild|severe severe|severe mild|none none|mild severe"
    felt = tuple(tuple(pair.split()) for pair in pairs.split("|"))
    four = (1, 2, 3, 4)
    uneven = ((1, 1), (2, 2), (3, 4), (4, 4), (3, 2), (1, 1))
    gaps = tuple(zip((1, 2, 5, 5, 4, 2, 1, 5), (1, 2, 4, 5, 4, 1, 1, 4), strict=True))

    renamed = Convention(
        "takes the categories of the rater with fewer for the first ones of the scale",
        by_hand.conger([(a - 1, (1, 2, 4).index(b)) for a, b in uneven], 4, "linear"),
    )
    sorted_text = Convention("sorts the labels as text", conventions.as_text(text, "linear"))

    def dropped(rows: Rows, categories: tuple[Any, ...]) -> Convention:
        return Convention("leaves out categories nobody used", conventions.used_only(rows, categories, "linear"))

    return [
        linear("text-untold", group, "scores '1' to '10' as text, not told", text, ten, [sorted_text], "text", False),
        linear("text-told", group, "scores '1' to '10' as text, told", text, ten, [sorted_text], "text", True),
        linear("uneven", group, "scores 1 to 4, one rater never 3, not told", uneven, four, [renamed], told=False),
        linear(
            "factor",
            group,
            "an ordered categorical none < mild < moderate < severe, nobody moderate",
            felt,
            degrees,
            [
                Convention("sorts the labels as text, leaves out the unused", conventions.as_text(felt, "linear")),
                dropped(felt, degrees),
            ],
            "factor",
            False,
        ),
        linear(
            "gap-told", group, "scores 1 to 5, nobody 3, told", gaps, (1, 2, 3, 4, 5), [dropped(gaps, (1, 2, 3, 4, 5))]
        ),
    ]


def _missing() -> list[Question]:
    group = "Missing ratings"
    two = ((1, 1), (2, 2), (3, 3), (4, 3), (None, 4), (2, 2), (1, None), (3, 4))
    gwet = km.example("gwet2014")

    def others(table: km.Table, weights: str, by: Callable[..., Number]) -> Callable[[], list[Convention]]:
        rows, k = by_hand.coded(rows_of(table), categories_of(table)), table.n_categories
        return lambda: [
            Convention(
                "leaves out every subject with a missing rating",
                conventions.listwise(rows, k, weights, by),
            ),
            Convention(
                "takes a missing rating for a category of its own",
                conventions.missing_as_category(rows, k, weights, by),
            ),
        ]

    pair = km.from_ratings([list(row) for row in two], categories=[1, 2, 3, 4])
    asked = [
        ("missing-two", "two raters, 8 subjects, two ratings missing", "kappa", pair, "unweighted"),
        ("gwet2014-conger", "gwet2014, four raters, Conger", "conger", gwet, "unweighted"),
        ("gwet2014-fleiss", "gwet2014, Fleiss", "fleiss", gwet, "unweighted"),
        ("gwet2014-alpha", "gwet2014, Krippendorff's alpha, nominal", "alpha", gwet, "unweighted"),
        ("gwet2014-alpha-interval", "gwet2014, Krippendorff's alpha, interval", "alpha", gwet, "quadratic"),
    ]
    return [
        coefficient(name, group, text, quantity, table, weights, others(table, weights, BY_HAND[quantity]), told=False)
        for name, text, quantity, table, weights in asked
    ]


def _three() -> list[Question]:
    group = "Three raters"
    table = km.example("rapallo2022-three")
    asked = [
        ("conger", "Conger (also Davies and Fleiss)", "unweighted"),
        ("conger", "Conger", "linear"),
        ("fleiss", "Fleiss", "unweighted"),
        ("light", "Light: mean over pairs of raters", "unweighted"),
        ("light", "Light: mean over pairs of raters", "linear"),
        ("alpha", "Krippendorff's alpha", "unweighted"),
        ("alpha", "Krippendorff's alpha", "quadratic"),
    ]
    n, r = table.n_subjects, table.n_raters
    rows, k = by_hand.coded(rows_of(table), categories_of(table)), table.n_categories

    def irr_alpha(weights: str) -> list[Convention]:
        fleiss = by_hand.fleiss(rows, k, weights)
        assert fleiss is not None
        value = 1 - (1 - fleiss) * (1 - Fraction(1, n * r * (r - 1)))
        return [Convention("counts r(r - 1) matchable values per subject where Krippendorff counts r", value)]

    return [
        coefficient(
            f"three-{quantity}-{weights}",
            group,
            f"rapallo2022-three, {text}, {weights}",
            quantity,
            table,
            weights,
            (lambda weights=weights: irr_alpha(weights)) if quantity == "alpha" else tuple,
        )
        for quantity, text, weights in asked
    ]


def _undefined() -> list[Question]:
    group = "One category only"
    same = tuple((1, 1) for _ in range(5))
    three = tuple((1, 1, 1) for _ in range(5))
    half = ((1, 1), (1, 2), (1, 1), (1, 2))

    def guess() -> list[Convention]:
        return [Convention("calls full agreement 1 although chance gives the same", Fraction(1))]

    asked = [
        ("one", "two raters, all ratings 1, unweighted, not told", "kappa", same, (1,), "unweighted", False),
        (
            "one-of-two",
            "two raters, all ratings 1, unweighted, told that 2 exists",
            "kappa",
            same,
            (1, 2),
            "unweighted",
            True,
        ),
        ("one-linear", "two raters, all ratings 1, linear, told that 2 exists", "kappa", same, (1, 2), "linear", True),
        ("one-fleiss", "three raters, all ratings 1, Fleiss", "fleiss", three, (1,), "unweighted", False),
        ("one-alpha", "three raters, all ratings 1, Krippendorff's alpha", "alpha", three, (1,), "unweighted", False),
    ]
    found = [
        coefficient(name, group, text, quantity, table_of(rows, categories), weights, guess, told=told)
        for name, text, quantity, rows, categories, weights, told in asked
    ]
    text = "one rater has one category only, the other two: kappa is 0"
    return [*found, coefficient("constant", group, text, "kappa", table_of(half, (1, 2)), "unweighted")]


def _errors() -> list[Question]:
    table = numbered(km.example("fleiss1969"))
    rows, k = by_hand.coded(rows_of(table), categories_of(table)), table.n_categories
    found = []
    for weights in ("unweighted", "quadratic"):
        value, error = by_hand.conger(rows, k, weights), sqrt(by_hand.variance(rows, k, weights))
        result = km.kappa(table, weights=weights, interval="normal")  # the interval of the other packages
        for quantity, ours, second in (
            ("standard error", result.se, error),
            ("lower end", result.ci[0], conventions.normal_lower(value, error)),
        ):
            found.append(
                Question(
                    f"fleiss1969-{quantity.replace(' ', '-')}-{weights}",
                    "Standard error and interval",
                    f"fleiss1969, {weights}, {quantity}{' of the 95% interval' if quantity == 'lower end' else ''}",
                    quantity,
                    rows_of(table),
                    categories_of(table),
                    weights,
                    lambda ours=ours: ours,
                    lambda second=second: second,
                    partial(_other_errors, rows, k, value, error, quantity),
                    proof="variance of kappa's slopes, in fractions",
                )
            )
    return found


def _other_errors(rows: by_hand.Rows, k: int, value: Fraction, error: float, quantity: str) -> list[Convention]:
    """Other standard errors, or the lower ends of the intervals they make."""
    n = len(rows)
    simple, gwet, slip = (
        conventions.simple_error(rows, k),
        error * sqrt(n / (n - 1)),
        conventions.psych_weighted_error(rows, k),
    )
    slipped = "a slip in its formula for weights (release 2.5.3 agrees: tests/data/reference.json)"
    if quantity == "standard error":
        return [
            Convention("Cohen's (1960) formula, which takes expected agreement for known", simple),
            Convention("Gwet's, which divides by n - 1", gwet),
            Convention(slipped, slip),
        ]
    return [
        Convention("Cohen's (1960) formula, and 1.96 for the normal quantile", float(value) - 1.96 * simple),
        Convention("Gwet's, which divides by n - 1, and Student's t", conventions.gwet_lower(value, gwet, n)),
        Convention(slipped, conventions.normal_lower(value, slip)),
    ]


def _maxima() -> list[Question]:
    paper, vassar, three = km.example("rapallo2022"), km.example("vassarstats"), km.example("rapallo2022-three")
    best = km.max_kappa(paper, weights="quadratic").table
    reached = km.kappa(best, weights="quadratic").value
    asked = [
        *(("rapallo2022", "rapallo2022", paper, weights) for weights in ("unweighted", "linear", "quadratic")),
        ("best", f"the table of that maximum, where kappa is {reached:.4f}", best, "quadratic"),
        ("vassarstats", "vassarstats", vassar, "linear"),
        ("three", "rapallo2022-three", three, "unweighted"),
        ("three", "rapallo2022-three", three, "linear"),
    ]
    return [
        _largest(f"{name}-max-{weights}", f"{text}, {weights}", table, weights) for name, text, table, weights in asked
    ]


def _largest(name: str, text: str, table: km.Table, weights: str) -> Question:
    margins = table.margins.tolist()
    unweighted = "gives the maximum of unweighted kappa whatever the weights"
    return Question(
        name,
        "The largest kappa",
        text,
        "maximum",
        rows_of(table),
        categories_of(table),
        weights,
        lambda: km.max_kappa(table, weights=weights).exact_maximum,
        lambda: by_hand.maximum(margins, weights),
        lambda: [] if weights == "unweighted" else [Convention(unweighted, by_hand.maximum(margins, "unweighted"))],
        proof=f"every one of {km.fiber(table).count():,} tables",
    )


def _counts() -> list[Question]:
    table = km.example("rapallo2022")
    return [
        Question(
            "rapallo2022-tables",
            "How many tables",
            "rapallo2022",
            "tables",
            rows_of(table),
            categories_of(table),
            "unweighted",
            lambda: Fraction(km.fiber(table).count()),
            lambda: Fraction(by_hand.extremes(table.margins.tolist(), "unweighted").n_tables),
            proof="going through them",
        )
    ]
