"""Draw small problems whose tables can all be listed, and list the tables."""

from itertools import permutations, product

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import kappamax as km
from tests.support.strategies import tables

SCHEMES = ["unweighted", "linear", "quadratic", "sqrt", "power(1.5)", "ordinal", "bipolar"]


def all_tables(margins):
    """Yield every table with the margins as a list of (pattern, count), with the patterns in order."""
    r, k = margins.shape
    cells = list(product(range(k), repeat=r))

    def extend(position, left, chosen):
        if not left.any():
            yield list(chosen)
            return
        if position == len(cells):
            return
        cell = cells[position]
        most = min(left[a][i] for a, i in enumerate(cell))
        for count in range(most + 1):
            for a, i in enumerate(cell):
                left[a][i] -= count
            if count:
                chosen.append((cell, count))
            yield from extend(position + 1, left, chosen)
            if count:
                chosen.pop()
            for a, i in enumerate(cell):
                left[a][i] += count

    yield from extend(0, margins.copy(), [])


def least_cost(problem):
    """Return the least cost, found by listing the whole fiber."""
    best = None
    for table in all_tables(problem.margins):
        patterns = np.array([pattern for pattern, _ in table], dtype=np.int32)
        cost = problem.total(patterns, np.array([count for _, count in table]))
        best = cost if best is None or cost < best else best
    return best


def small_tables(**options):
    """Return a strategy for tables whose fiber can be listed."""
    return tables(max_rows=4, **options).filter(lambda table: table.n_subjects <= 7)


@st.composite
def weights_for(draw, table):
    """Draw named weights, a random symmetric matrix, or a matrix per pair of raters."""
    k, r = table.n_categories, table.n_raters
    kind = draw(st.sampled_from(["scheme", "matrix", "pairs"]))
    if kind == "scheme":
        return draw(st.sampled_from(SCHEMES))
    entries = st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k)

    def matrix(symmetric):
        u = np.array(draw(entries)).reshape(k, k)
        u = u + u.T if symmetric else u
        np.fill_diagonal(u, 0)
        assume(u.any())
        return km.Weights.from_matrix(u, kind="disagreement")

    if kind == "matrix":
        return matrix(symmetric=True)
    return {(a, b): matrix(symmetric=False) for a in range(r) for b in range(a + 1, r)}


def rearrangements(table):
    """Yield every table in which each rater's ratings are rearranged over the subjects that the rater rated."""
    rows = np.repeat(table.patterns, table.counts, axis=0)
    orders = []
    for column in rows.T:
        rated = np.flatnonzero(column >= 0)
        orders.append([(rated, order) for order in set(permutations(column[rated].tolist()))])
    for choice in product(*orders):
        made = np.full(rows.shape, -1)
        for rater, (rated, order) in enumerate(choice):
            made[rated, rater] = order
        yield km.Table(made, np.ones(len(made), dtype=int), table.categories, ordered=True)


@st.composite
def incomplete(draw):
    """Draw a table of two to four subjects with missing ratings, in which at least two raters can be compared."""
    r, k = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    row = st.lists(st.integers(0, k - 1), min_size=r, max_size=r)
    codes = np.array(draw(st.lists(row, min_size=2, max_size=4)))
    gaps = draw(st.lists(st.integers(0, codes.size - 1), min_size=1, max_size=3))
    codes.ravel()[gaps] = -1
    assume(((codes >= 0).sum(axis=1) >= 2).any())
    assume((codes >= 0).any(axis=0).all())
    return km.Table(codes, np.ones(len(codes), dtype=int), tuple(range(1, k + 1)), ordered=True)
