"""Provide small tables whose fibers can be listed, the probabilities of their tables, and a test of frequencies."""

from collections import Counter
from fractions import Fraction
from math import factorial, prod

import numpy as np
from scipy.stats import chisquare

import kappamax as km
from tests.support.strategies import tables

SCHEMES = ["unweighted", "linear", "quadratic", "sqrt", "power(1.5)", "bipolar", "ordinal"]
SMALL = {
    "two raters": km.from_counts([[2, 1, 0], [0, 2, 1], [1, 0, 1]]),
    "three raters": km.from_ratings([[1, 1, 2], [1, 2, 2], [2, 2, 1], [2, 1, 1], [1, 1, 1]]),
}
small_tables = tables(max_raters=3, max_categories=3, max_rows=3).filter(lambda table: table.n_subjects <= 7)


def chance_of(table):
    """Return the hypergeometric probability of a table, N!^(1-r) prod(margins!) / prod(counts!)."""
    n = factorial(table.n_subjects)
    margins = prod(factorial(int(count)) for count in table.margins.ravel())
    return Fraction(margins, n ** (table.n_raters - 1) * prod(factorial(int(count)) for count in table.counts))


def expected_counts(table, n):
    """Return the expected number of times that each table of the fiber occurs among n draws."""
    return {member: float(chance_of(member)) * n for member in km.fiber(table).tables()}


def tally(drawn, table_of):
    """Return how often each table was drawn; `table_of` converts each distinct array of counts to a table."""
    distinct, times = np.unique(np.asarray(drawn), axis=0, return_counts=True)
    return Counter({table_of(counts): int(n) for counts, n in zip(distinct, times, strict=True)})


def chi_square_pvalue(drawn, expected):
    """Return the p-value of the observed frequencies; at the level 1e-4, one seed in 10,000 fails."""
    assert set(drawn) <= set(expected)
    return chisquare([drawn[member] for member in expected], list(expected.values())).pvalue
