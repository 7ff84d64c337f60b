"""Draw random tables, ratings and weights with hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, settings
from hypothesis import strategies as st

from kappamax import Table, Weights
from kappamax.moves import basic_moves, minimal_moves
from kappamax.weights.schemes import SCHEMES


def examples(n: int) -> int:
    """Return the number of examples of a test that asks for n; the quick set tries one fifth of them."""
    return max(n * settings.default.max_examples // 100, 5)


@st.composite
def tables(draw, *, min_raters=2, max_raters=4, min_categories=2, max_categories=4, missing=False, max_rows=8):
    """Draw a small table with at least two used categories and two raters who rated the same subject."""
    r = draw(st.integers(min_raters, max_raters))
    k = draw(st.integers(min_categories, max_categories))
    lowest = -1 if missing else 0
    row = st.lists(st.integers(lowest, k - 1), min_size=r, max_size=r)
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    counts = draw(st.lists(st.integers(1, 5), min_size=len(rows), max_size=len(rows)))
    codes = np.array(rows)
    assume(((codes >= 0).sum(axis=1) >= 2).any())
    assume((codes >= 0).any(axis=0).all())
    assume(len(np.unique(codes[codes >= 0])) > 1)
    return Table(codes, counts, tuple(range(1, k + 1)), ordered=True)


#: inexact weights for three categories that differ from unweighted only by a rounding error
NEARLY_FLAT = Weights.from_matrix(
    [[0, 1, 1 - 2**-45], [1, 0, 1 - 2**-45], [1 - 2**-45, 1 - 2**-45, 0]], kind="disagreement"
)

scheme_names = st.sampled_from([*SCHEMES, "power(1.5)", "power(0.3)"])


@st.composite
def matrices(draw, n_categories):
    """Draw weights from a symmetric matrix of whole numbers with positive off-diagonal entries."""
    entry = st.integers(1, 9)
    u = [[0] * n_categories for _ in range(n_categories)]
    for i in range(n_categories):
        for j in range(i):
            u[i][j] = u[j][i] = draw(entry)
    return Weights.from_matrix(u, kind="disagreement")


@st.composite
def drawn_moves(draw, *, most_categories=5, most_raters=6):
    """Draw a set of moves and an index into it."""
    k, r = draw(st.integers(2, most_categories)), draw(st.integers(2, most_raters))
    moves = draw(st.sampled_from([basic_moves, minimal_moves]))(k, r)
    return moves, draw(st.integers(0, moves.n_moves - 1))
