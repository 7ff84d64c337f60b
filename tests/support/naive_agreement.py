"""Compute agreement coefficients by loops over subjects and pairs of raters from the published definitions.

Nothing here is shared with the library: numbers are fractions, and irrational weights are fractions that agree with
the true number to some 50 digits. A table is a dictionary from patterns (category codes, -1 for missing) to counts.
Weights are a dictionary from pairs of raters (a < b) to matrices of disagreement.

Sources: Cohen (1960, 1968), Conger (1980), Scott (1955), Fleiss (1971), Brennan and Prediger (1981), Gwet (2008, 2014:
AC1, AC2 and the treatment of missing ratings), Krippendorff (2011).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial, prod

Pattern = tuple[int, ...]
Naive = Mapping[Pattern, int]
Matrix = list[list[Fraction]]
ByPair = dict[tuple[int, int], Matrix]

getcontext().prec = 70
_DIGITS = 10**45  # numbers that agree to 45 decimal places are equal


class UndefinedError(Exception):
    """Raised if the coefficient is 0/0, or no two raters rated the same subject."""


# --- weights ---------------------------------------------------------------------------------------------------------


def named_weights(name: str, k: int) -> Matrix:
    """Return named disagreement weights over the ranks 1, ..., k, scaled so that the largest is 1."""
    raw = [[Fraction(0) if i == j else _raw(name, i, j, k) for j in range(1, k + 1)] for i in range(1, k + 1)]
    return scaled(raw)


def scaled(matrix: Sequence[Sequence[Fraction | int]]) -> Matrix:
    """Return a matrix divided by its largest entry."""
    largest = max(Fraction(entry) for row in matrix for entry in row)
    return [[Fraction(entry) / largest if largest else Fraction(0) for entry in row] for row in matrix]


def _raw(name: str, i: int, j: int, k: int) -> Fraction:
    distance = abs(i - j)
    if name == "unweighted":
        return Fraction(1)
    if name == "linear":
        return Fraction(distance)
    if name == "quadratic":
        return Fraction(distance**2)
    if name == "sqrt":
        return Fraction(Decimal(distance).sqrt())
    if name == "gwet-ordinal":
        return Fraction(comb(distance + 1, 2))
    if name == "ratio":
        return Fraction(i - j, i + j) ** 2
    if name == "bipolar":
        return Fraction((i - j) ** 2, (i + j - 2) * (2 * k - i - j))
    if name == "circular":
        return _sine_of_pi_times(Fraction(distance, k)) ** 2
    assert name.startswith("power("), name
    exponent = Fraction(name[len("power(") : -1])
    return Fraction(Decimal(distance) ** (Decimal(exponent.numerator) / Decimal(exponent.denominator)))


def _sine_of_pi_times(x: Fraction) -> Fraction:
    """Return sin(pi x) to some 60 digits, by its Taylor series and Machin's formula for pi."""
    pi = 4 * (4 * _arctan_of_inverse(5) - _arctan_of_inverse(239))
    angle = pi * x
    terms = ((-1) ** n * angle ** (2 * n + 1) / factorial(2 * n + 1) for n in range(35))
    return Fraction(round(sum(terms) * 10**60), 10**60)


def _arctan_of_inverse(x: int) -> Fraction:
    total = sum(Fraction((-1) ** n, (2 * n + 1) * x ** (2 * n + 1)) for n in range(48))
    return Fraction(round(total * 10**65), 10**65)


def for_all_pairs(matrix: Matrix, n_raters: int) -> ByPair:
    """Return the same weights for every pair of raters."""
    return dict.fromkeys(combinations(range(n_raters), 2), matrix)


# --- coefficients ----------------------------------------------------------------------------------------------------


def value(name: str, table: Naive, u: ByPair, k: int, group_size: int = 2) -> Fraction:
    """Return one minus observed over expected disagreement."""
    observed, expected = disagreement(name, table, u, k, group_size)
    if expected == 0:
        raise UndefinedError
    return 1 - observed / expected


def disagreement(name: str, table: Naive, u: ByPair, k: int, group_size: int = 2) -> tuple[Fraction, Fraction]:
    """Return the observed disagreement and the disagreement that the coefficient expects."""
    if group_size > 2:
        expected = Fraction(1) if name == "percent" else groupwise_expected(table, k, group_size)
        return groupwise_observed(table, group_size), expected
    if name == "krippendorff":
        return krippendorff(table, _common(u), k)
    return mean_disagreement(table, u), expected_disagreement(name, table, u, k)


def expected_disagreement(name: str, table: Naive, u: ByPair, k: int) -> Fraction:
    """Return the expected disagreement by the definition of the coefficient."""
    if name == "percent":
        return Fraction(1)
    if name in ("cohen", "conger", "kappa"):
        shares = rater_shares(table, k)
        pairs = [_form(shares[a], matrix, shares[b]) for (a, b), matrix in u.items()]
        return sum(pairs, Fraction(0)) / len(pairs)
    matrix = _common(u)
    if name == "brennan-prediger":
        return 1 - sum((1 - entry for row in matrix for entry in row), Fraction(0)) / k**2
    p = pooled_shares(table, k)
    if name in ("fleiss", "scott"):
        return _form(p, matrix, p)
    assert name == "gwet", name
    if k == 1:
        raise UndefinedError
    all_agreement = sum((1 - entry for row in matrix for entry in row), Fraction(0))
    return 1 - all_agreement / (k * (k - 1)) * sum(share * (1 - share) for share in p)


def mean_disagreement(table: Naive, u: ByPair) -> Fraction:
    """Return the mean over subjects with two ratings or more of the mean over the subject's pairs (Gwet)."""
    total, n = Fraction(0), 0
    for row, count in table.items():
        pairs = list(combinations(_who(row), 2))
        if pairs:
            total += count * sum(u[a, b][row[a]][row[b]] for a, b in pairs) / len(pairs)
            n += count
    if n == 0:
        raise UndefinedError
    return total / n


def total_disagreement(table: Naive, u: ByPair) -> Fraction:
    """Return the sum of the disagreement over subjects and pairs of raters."""
    return sum(
        (count * u[a, b][row[a]][row[b]] for row, count in table.items() for a, b in combinations(_who(row), 2)),
        Fraction(0),
    )


def rater_shares(table: Naive, k: int) -> list[list[Fraction]]:
    """Return the share of each category among the ratings of each rater."""
    counts = margins(table, k)
    return [[Fraction(n) / sum(own) for n in own] for own in counts]


def pooled_shares(table: Naive, k: int) -> list[Fraction]:
    """Return the mean over rated subjects of the share of each category among the ratings of the subject (Gwet)."""
    total, n = [Fraction(0)] * k, 0
    for row, count in table.items():
        who = _who(row)
        n += count
        for a in who:
            total[row[a]] += Fraction(count) / len(who)
    return [part / n for part in total]


def krippendorff(table: Naive, matrix: Matrix, k: int) -> tuple[Fraction, Fraction]:
    """Return the observed and expected disagreement from the coincidences of pairable ratings."""
    coincidences = [[Fraction(0)] * k for _ in range(k)]
    for row, count in table.items():
        who = _who(row)
        for a, b in product(who, who):
            if a != b:
                coincidences[row[a]][row[b]] += Fraction(count) / (len(who) - 1)
    totals = [sum(line) for line in coincidences]
    n = sum(totals)
    if n == 0:
        raise UndefinedError
    cells = list(product(range(k), range(k)))
    observed = sum(coincidences[i][j] * matrix[i][j] for i, j in cells) / n
    return observed, sum(totals[i] * totals[j] * matrix[i][j] for i, j in cells) / (n * (n - 1))


def krippendorff_ordinal(table: Naive, k: int) -> Fraction:
    """Return alpha with Krippendorff's ordinal metric, which depends on the number of pairable ratings per category."""
    used = [Fraction(0)] * k
    for row, count in table.items():
        for a in _who(row) if len(_who(row)) > 1 else ():
            used[row[a]] += count

    def squared(c: int, e: int) -> Fraction:
        low, high = min(c, e), max(c, e)
        return (sum(used[low : high + 1]) - (used[low] + used[high]) / 2) ** 2

    metric = [[squared(c, e) for e in range(k)] for c in range(k)]
    observed, expected = krippendorff(table, metric, k)
    if expected == 0:
        raise UndefinedError
    return 1 - observed / expected


def groupwise_observed(table: Naive, size: int) -> Fraction:
    """Return one minus the mean over subjects of the share of groups of raters who all agree."""
    total, n = Fraction(0), 0
    for row, count in table.items():
        groups = list(combinations(_who(row), size))
        if groups:
            agreeing = sum(1 for group in groups if len({row[a] for a in group}) == 1)
            total += count * Fraction(agreeing, len(groups))
            n += count
    if n == 0:
        raise UndefinedError
    return 1 - total / n


def groupwise_expected(table: Naive, k: int, size: int) -> Fraction:
    """Return one minus the mean over groups of raters of the probability that all choose the same category."""
    shares = rater_shares(table, k)
    groups = list(combinations(shares, size))
    return 1 - sum(prod(own[i] for own in group) for group in groups for i in range(k)) / len(groups)


def margins(table: Naive, k: int) -> list[list[int]]:
    """Return the number of times each rater used each category."""
    n_raters = len(next(iter(table)))
    counts = [[0] * k for _ in range(n_raters)]
    for row, count in table.items():
        for a in _who(row):
            counts[a][row[a]] += count
    return counts


def _who(row: Pattern) -> list[int]:
    return [a for a, code in enumerate(row) if code >= 0]


def _common(u: ByPair) -> Matrix:
    first, *others = u.values()
    assert all(other == first for other in others), "this coefficient cannot tell pairs of raters apart"
    return first


def _form(p: Sequence[Fraction], matrix: Matrix, q: Sequence[Fraction]) -> Fraction:
    cells = product(range(len(p)), range(len(q)))
    return sum((p[i] * matrix[i][j] * q[j] for i, j in cells), Fraction(0))


# --- all rearrangements ----------------------------------------------------------------------------------------------


def tables_of(rows: Sequence[Pattern]) -> dict[tuple[Pattern, ...], int]:
    """Return every table that arises by rearranging each rater's ratings, with the number of ways in which it arises.

    The ratings of a rater stay on the subjects that the rater rated. A table is given by its sorted rows. All ways are
    equally likely under the null hypothesis.
    """
    columns = [list(distinct_orders([row[a] for row in rows])) for a in range(len(rows[0]))]
    return Counter(tuple(sorted(zip(*chosen, strict=True))) for chosen in product(*columns))


def number_of_orders(rows: Sequence[Pattern]) -> int:
    """Return the number of ways that `tables_of` goes through."""
    ways = 1
    for column in zip(*rows, strict=True):
        ratings = Counter(code for code in column if code >= 0)
        ways *= factorial(ratings.total())
        for n in ratings.values():
            ways //= factorial(n)
    return ways


def distinct_orders(column: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield every distinct order of one rater's ratings; missing ratings keep their positions."""
    rated = [place for place, code in enumerate(column) if code >= 0]
    for order in _orders(Counter(column[place] for place in rated)):
        filled = list(column)
        for place, code in zip(rated, order, strict=True):
            filled[place] = code
        yield tuple(filled)


def _orders(left: Counter[int]) -> Iterator[tuple[int, ...]]:
    if not left.total():
        yield ()
    for code in sorted(left):
        if left[code]:
            left[code] -= 1
            for rest in _orders(left):
                yield (code, *rest)
            left[code] += 1


def key(number: Fraction) -> int:
    """Return an integer that is equal for equal numbers and ordered as the numbers are."""
    return round(number * _DIGITS)
