"""Index the ways in which a rater may have used the categories after a number of subjects.

A state is a vector u with 0 <= u_j <= b_j, where b_j is the marginal total of category j. The states with a given sum,
the number of subjects placed, form a layer. They are indexed in lexicographic order without gaps. The index of a state
is the number of smaller states, which is a sum of k differences of cumulative counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from kappamax._jit import kernel
from kappamax._typing import Array, Floats, Integers

_UNCOMPILED_ENTRIES = 10_000


class RaterStates:
    """States of one rater.

    Parameters
    ----------
    caps : sequence of int
        Marginal totals of the rater's categories, all positive.
    """

    def __init__(self, caps: Sequence[int]) -> None:
        self.caps = np.array(caps, dtype=np.int64)
        self.n_subjects = sum(caps)
        counts = np.zeros(self.n_subjects + 1, dtype=np.int64)  # number of ways to reach each sum with no category
        counts[0] = 1
        #: entry [j, s + 1] is the number of ways to choose u_j, u_j+1, ... with a sum of at most s
        self._up_to = np.zeros((len(caps) + 1, self.n_subjects + 2), dtype=np.int64)
        for j in range(len(caps), -1, -1):
            self._up_to[j, 1:] = np.cumsum(counts)
            if j:
                counts = self._up_to[j, 1:].copy()
                counts[caps[j - 1] + 1 :] -= self._up_to[j, 1 : -caps[j - 1] - 1]
        self._n_states = np.diff(self._up_to[0])
        self._kernel = kernel(_fill_layer, work=int(self._up_to[0, -1]) * len(caps), worth=_UNCOMPILED_ENTRIES)

    def n_states(self, placed: int) -> int:
        """Return the number of states after a number of subjects."""
        return int(self._n_states[placed])

    def fill_layer(self, placed: int, uses: Integers, sources: Integers) -> None:
        """List the states after at least one subject, and the states that come before them.

        Parameters
        ----------
        placed : int
            Number of subjects.
        uses : integers, shape (at least n_states, at least k)
            Array to be filled with the states.
        sources : integers, shape (at least n_states, at least k)
            Array to be filled with the index, one subject before, of the state with one use of category j less. Entries
            of categories that the state does not use are left unchanged.
        """
        self._kernel(self.caps, self._up_to, placed, uses, sources)

    def chances(self, placed: int) -> Floats:
        """Return the (multivariate hypergeometric) probability of each state after a number of subjects.

        Binomial coefficients are rounded once and multiplied as fractions and exponents, so that nothing overflows. The
        relative error of a probability is at most 2 k + 1 roundings, unless it is below 1e-300.
        """
        shape = (self.n_states(placed), len(self.caps))
        uses = np.zeros(shape, dtype=np.int64)
        if placed:
            self.fill_layer(placed, uses, np.empty(shape, dtype=np.int64))
        fraction, exponent = np.ones(len(uses)), np.zeros(len(uses), dtype=np.int64)
        for column, cap in zip(uses.T, self.caps.tolist(), strict=True):
            fractions, exponents = _scaled([comb(cap, n) for n in range(cap + 1)])
            fraction *= fractions[column]
            exponent += exponents[column]
        (whole,), (bits,) = _scaled([comb(self.n_subjects, placed)])
        return np.asarray(np.ldexp(fraction / whole, exponent - bits))


def _scaled(numbers: Sequence[int]) -> tuple[Floats, Integers]:
    """Return positive integers as correctly rounded fractions from 1/2 to 1 and exponents of 2."""
    bits = [number.bit_length() for number in numbers]
    return np.array([number / (1 << own) for number, own in zip(numbers, bits, strict=True)]), np.array(bits)


def _fill_layer(caps: Array, up_to: Array, placed: int, uses: Array, sources: Array) -> None:
    """List the states with sum `placed` in lexicographic order, and the indices of their predecessors."""
    k = len(caps)
    n_states = up_to[0, placed + 1] - up_to[0, placed]
    use = np.zeros(k, dtype=np.int64)
    rest = placed
    for j in range(k - 1, -1, -1):
        use[j] = min(caps[j], rest)
        rest -= use[j]
    for x in range(n_states):
        # The index of the predecessor in category j counts the categories before j with one subject less, j with one
        # use less, and the categories after j as they are.
        after = 0
        left = placed
        for j in range(k):
            after += up_to[j + 1, left + 1] - up_to[j + 1, left - use[j] + 1]
            left -= use[j]
        before = 0
        left = placed
        for j in range(k):
            after -= up_to[j + 1, left + 1] - up_to[j + 1, left - use[j] + 1]
            uses[x, j] = use[j]
            if use[j] > 0:
                sources[x, j] = before + up_to[j + 1, left] - up_to[j + 1, left - use[j] + 1] + after
            before += up_to[j + 1, left] - up_to[j + 1, left - use[j]]
            left -= use[j]
        # the next state raises the last category that can be raised, and moves what follows to the end
        rest = 0
        for j in range(k - 1, -1, -1):
            if rest > 0 and use[j] < caps[j]:
                use[j] += 1
                rest -= 1
                for i in range(k - 1, j, -1):
                    use[i] = min(caps[i], rest)
                    rest -= use[i]
                break
            rest += use[j]
