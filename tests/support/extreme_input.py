"""Draw extreme but legal input with hypothesis: huge counts and weights, many raters, odd labels."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

import kappamax as km
from kappamax.coefficients import COEFFICIENTS
from kappamax.weights.schemes import SCHEMES

_COUNTS = (1, 1, 1, 2, 7, 1_000, 10**6 + 3, 10**9 + 7, 8 * 10**9, 2**53 + 1, 10**18, 2**62 - 1)
_TEXTS = (
    "",
    " ",
    "a,b",
    "<b>&amp;",
    "line\nbreak",
    "nan",
    "-1",
    "Ω",
    "\u202eright to left",
    "0",
    "None",
    "'",
    '"',
    "1e400",
)
_NUMBERS = (0, 1, -1, 0.5, -3.25, 10**30, 1e300, 5e-324, Fraction(1, 3), 2**63, 7, 8, 9, 10)
_NAMED_WEIGHTS = (*SCHEMES, "power(0.5)", "power(1.5)", "power(100)", "power(0.001)", "power(1000)")
_ENTRIES = (0, 1, 3, 10**40, Fraction(1, 10**30), Fraction(1, 7), 0.1, 1e-300, 1e300, 5e-324, 2**64)


@dataclass(frozen=True)
class Case:
    """Arguments of a public function: ratings, weights, a coefficient and a seed."""

    table: km.Table
    weights: Any
    coefficient: str
    seed: int

    @property
    def options(self) -> dict[str, Any]:
        """Weights and coefficient as arguments."""
        return {"weights": self.weights, "coefficient": self.coefficient}


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw ratings with weights that fit them."""
    table = draw(tables())
    chosen = draw(weights(table.n_categories, table.n_raters))
    uniform = isinstance(chosen, str) or (isinstance(chosen, km.Weights) and chosen.symmetric)
    coefficient = draw(st.just("kappa") | st.sampled_from(sorted(COEFFICIENTS))) if uniform else "kappa"
    return Case(table, chosen, coefficient, draw(st.integers(0, 99)))


@st.composite
def tables(draw: st.DrawFn) -> km.Table:
    """Draw a table of few patterns, with up to 40 raters or 25 categories; a seed determines its codes."""
    r = draw(st.sampled_from([2, 2, 2, 3, 3, 4, 7, 40]))
    k = draw(st.sampled_from([3, 2, 4, 13, 25, 1] if r <= 3 else [3, 2, 5, 1]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    used = rng.permutation(k)[: draw(st.sampled_from([k, 2, 3, 1]))]
    rows = rng.choice(used, size=(draw(st.sampled_from([5, 2, 9, 30, 1])), r))
    if draw(st.booleans()):
        rows[rng.random(rows.shape) < draw(st.sampled_from([0.1, 0.4, 0.8]))] = -1
        rows[0] = np.where(rows[0] < 0, used[0], rows[0])  # every rater rated a subject
    sizes = draw(st.sampled_from([(1,), (1, 2, 7), _COUNTS, _COUNTS[5:]]))
    left, counts = 2**62 - 1 - len(rows), []
    for size in rng.choice(np.array(sizes, dtype=np.int64), size=len(rows)).tolist():
        counts.append(1 + min(size - 1, left))
        left -= counts[-1] - 1
    return km.Table(rows, counts, draw(labels(k)), ordered=draw(st.sampled_from([True, True, True, False])))


def labels(k: int) -> st.SearchStrategy[tuple[Any, ...]]:
    """Draw k different labels: ranks, odd texts or odd numbers."""
    choices = [st.just(tuple(range(1, k + 1)))]
    for odd in (_TEXTS, _NUMBERS):
        if k <= len(odd):
            choices.append(st.permutations(odd).map(lambda order: tuple(order[:k])))
    return st.one_of(choices)


@st.composite
def weights(draw: st.DrawFn, k: int, r: int) -> Any:
    """Draw the name of a weighting, a matrix, positions, or weights of each pair of raters."""
    kind = draw(st.sampled_from(["name", "name", "name", "matrix", "positions", "pairs"]))
    if kind == "matrix" and k > 1:
        return draw(matrices(k, symmetric=r > 2))
    if kind == "positions" and k > 1:
        steps = draw(st.lists(st.sampled_from([1, Fraction(1, 3), 0.1, 10**20, 1e-9]), min_size=k, max_size=k))
        positions = [sum(steps[: i + 1]) for i in range(k)]
        if len(set(positions)) == k:
            return km.Weights.from_positions(positions, draw(st.sampled_from(["linear", "quadratic", "sqrt"])))
    if kind == "pairs" and r <= 4:
        names = st.sampled_from(_NAMED_WEIGHTS)
        return {pair: draw(names) for pair in combinations(range(r), 2)}
    return draw(st.sampled_from(_NAMED_WEIGHTS))


@st.composite
def matrices(draw: st.DrawFn, k: int, *, symmetric: bool) -> km.Weights:
    """Draw disagreement weights with entries of very different sizes, many of them zero."""
    matrix: list[list[Any]] = [[0] * k for _ in range(k)]
    n = draw(st.integers(1, 4))
    for _ in range(n):
        i, j = draw(st.tuples(st.integers(0, k - 1), st.integers(0, k - 1)).filter(lambda cell: cell[0] != cell[1]))
        matrix[i][j] = draw(st.sampled_from(_ENTRIES[1:]))
        if symmetric:
            matrix[j][i] = matrix[i][j]
    try:
        return km.Weights.from_matrix(matrix, kind="disagreement")
    except km.errors.InvalidWeightsError:  # entries that differ by too many orders of magnitude
        reject()
