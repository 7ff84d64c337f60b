"""Read the parts of a certificate from plain data and reject everything that does not have the required form.

Only this module reads the format, and only `kappamax.maximum.certificate_document` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from kappamax._rootsum import LARGEST_FACTORED, RootSum, square_free
from kappamax._tolerances import DOUBLE_TOLERANCE
from kappamax._validate_table import LARGEST_TOTAL
from kappamax.display import text
from kappamax.errors import KappamaxError
from kappamax.verification.bounds import ClaimedPrices
from kappamax.verification.budget import Unknown
from kappamax.verification.definitions import Design, PairMatrix, Rows
from kappamax.weights import SCHEMES, Weights

FORMAT = "kappamax certificate"
VERSION = 1

_MOST_RADICANDS = 500  # certificates with more different roots are not checked
_LONG_NUMBER = 10**60  # numbers from this size on are not shown in messages
_FRACTION = re.compile(r"-?[0-9]{1,2000}(/[1-9][0-9]{0,1999})?")
_RADICAND = re.compile(r"[1-9][0-9]{0,10}")


class Malformed(Exception):  # noqa: N818  # becomes a fault of the certificate
    """Raised when a part of a certificate does not have the required form."""


def item(mapping: Any, key: str) -> Any:
    """Return the value of a required key."""
    if not isinstance(mapping, Mapping) or key not in mapping:
        raise Malformed(f"{key!r} is missing")
    return mapping[key]


def whole(value: Any, what: str, *, least: int | None = None, below: int | None = None) -> int:
    """Return a whole number within limits."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise Malformed(f"{what} must be a whole number; got {shown(value)}")
    if (least is not None and value < least) or (below is not None and value >= below):
        raise Malformed(f"{what} is out of range: {shown(value)}")
    return value


def shown(value: Any) -> str:
    """Return a short description of a value from a document, which may be nested or have very many digits."""
    if isinstance(value, int) and abs(value) >= _LONG_NUMBER:
        return "a number with very many digits"
    plain = value is None or isinstance(value, bool | int | float | str)
    return text.shortened(repr(value)) if plain else f"a {type(value).__name__}"


def listing(value: Any, what: str, length: int | None = None) -> list[Any]:
    """Return a value that must be a list, of the given length unless that is None."""
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise Malformed(f"{what} must be a list{'' if length is None else f' of length {length}'}")
    return value


def labels(mapping: Any, key: str) -> list[Any]:
    """Return distinct labels, each of them text or a number."""
    found = listing(item(mapping, key), key)
    if not found or not all(isinstance(label, str | int | float) for label in found):
        raise Malformed(f"{key} must be text or numbers")
    if len({(type(label), label) for label in found}) < len(found):
        raise Malformed(f"{key} must be distinct")
    return found


def rows(table: Any, n_raters: int, n_categories: int) -> Rows:
    """Return the number of subjects with each pattern."""
    patterns = listing(item(table, "patterns"), "patterns")
    counts = listing(item(table, "counts"), "counts", len(patterns))
    found: dict[tuple[int, ...], int] = {}
    for pattern, count in zip(patterns, counts, strict=True):
        codes = tuple(
            whole(code, "a code", least=-1, below=n_categories) for code in listing(pattern, "a pattern", n_raters)
        )
        if max(codes) < 0:
            raise Malformed("every pattern must have a rating")
        found[codes] = found.get(codes, 0) + whole(count, "a count", least=1, below=LARGEST_TOTAL)
    if not found or sum(found.values()) >= LARGEST_TOTAL:
        raise Malformed("a table must have at least one subject, and fewer than 2^62")
    return found


def number(value: Any) -> RootSum:
    """Return an exact number from a mapping of square-free numbers to the coefficients of their roots."""
    if not isinstance(value, Mapping):
        raise Malformed("an exact number must be a mapping from radicands to fractions")
    if len(value) > _MOST_RADICANDS:
        raise Unknown
    terms = {}
    for f, c in value.items():
        if not isinstance(f, str) or not _RADICAND.fullmatch(f):
            raise Malformed(f"an exact number must be a mapping from radicands to fractions; got {shown(f)}")
        terms[radicand(int(f))] = fraction(c)
    return RootSum(terms)


def fraction(value: Any) -> Fraction:
    """Return a fraction from text in lowest terms."""
    if isinstance(value, str) and _FRACTION.fullmatch(value) and str(found := Fraction(value)) == value:
        return found
    raise Malformed(f"a fraction must be text in lowest terms; got {shown(value)}")


def radicand(value: Any) -> int:
    """Return a square-free number."""
    number = whole(value, "a radicand", least=1, below=LARGEST_FACTORED + 1)
    if square_free(number)[0] != 1:
        raise Malformed(f"the radicand {number} is not square-free")
    return number


def prices(value: Any, design: Design, sets: Mapping[tuple[int, ...], int], *, with_use: bool = False) -> ClaimedPrices:
    """Return the prices of ratings and of sets of raters, or prices of zero if the value is None.

    Prices of the use of categories are rejected unless `with_use` is set, because a bound that ignores them would not
    be valid.
    """
    r, k, n_roots = *design.shape, len(design.radicands)
    if value is None:
        zero = (0,) * n_roots
        return ClaimedPrices([[zero] * k for _ in range(r)], dict.fromkeys(sets, zero), 1, [zero] * k)
    if item(value, "radicands") != list(design.radicands):
        raise Malformed("the radicands of the prices must be those of the weights")
    ratings = [
        [_numerator(price, n_roots) for price in listing(row, "prices of a rater", k)]
        for row in listing(item(value, "ratings"), "prices of ratings", r)
    ]
    priced = {}
    for entry in listing(item(value, "sets"), "prices of sets of raters"):
        members = tuple(whole(a, "a rater", least=0, below=r) for a in listing(item(entry, "raters"), "raters"))
        priced[members] = _numerator(item(entry, "price"), n_roots)
    if priced.keys() != sets.keys():
        raise Malformed("there must be one price for every set of raters")
    denominator = whole(item(value, "denominator"), "the denominator of the prices", least=1)
    use = [(0,) * n_roots] * k
    if with_use:
        own = listing(item(value, "use"), "prices of the use of categories", k)
        use = [_numerator(price, n_roots) for price in own]
    elif "use" in value:
        raise Malformed("the use of categories can have prices only if the expected disagreement depends on the table")
    return ClaimedPrices(ratings, priced, denominator, use)


def _numerator(value: Any, n_roots: int) -> tuple[int, ...]:
    return tuple(whole(entry, "a price's numerator") for entry in listing(value, "a price", n_roots))


@dataclass(frozen=True)
class ParsedWeights:
    """Weights as a certificate states them.

    Attributes
    ----------
    name : str
        Name of the weights.
    exact : bool
        Whether they are claimed to be exact.
    pairs : dict
        The matrix of every pair of raters.
    one_symmetric : bool
        Whether all pairs have the same symmetric matrix.
    """

    name: str
    exact: bool
    pairs: dict[tuple[int, int], PairMatrix]
    one_symmetric: bool

    def faults(self) -> Iterator[str]:
        """Yield the faults of weights whose name is that of a scheme."""
        matrix = self.pairs[0, 1]
        try:
            own = Weights.from_scheme(self.name, len(matrix.multipliers))  # also accepts capitals and aliases
        except KappamaxError:
            if self.name.split("(")[0] in (*SCHEMES, "power"):
                yield f"there are no weights named {shown(self.name)}"
            return
        if not self.one_symmetric or own.exact != self.exact or not _alike(matrix, own):
            yield f"the matrix does not hold the {text.shortened(self.name.strip())} weights"


def weights(value: Any, n_raters: int, n_categories: int) -> ParsedWeights:
    """Return the weights of all pairs of raters."""
    name, exact = item(value, "name"), item(value, "exact")
    if not isinstance(name, str) or item(value, "label") != name or not isinstance(exact, bool):
        raise Malformed("the weights must have a name, a label that is equal to it, and a boolean 'exact'")
    matrices = [_matrix(one, n_categories) for one in listing(item(value, "matrices"), "matrices")]
    radicands = set().union(*(matrix.radicands.ravel().tolist() for matrix in matrices))
    if len(radicands) > _MOST_RADICANDS:
        raise Unknown
    for one in radicands:
        radicand(one)
    all_pairs = list(combinations(range(n_raters), 2))
    of_pair = listing(item(value, "of_pair"), "of_pair", len(all_pairs))
    chosen = [matrices[whole(index, "the number of a matrix", least=0, below=len(matrices))] for index in of_pair]
    first = chosen[0]
    symmetric = (first.multipliers == first.multipliers.T).all() and (first.radicands == first.radicands.T).all()
    one = symmetric and all(matrix is first for matrix in chosen)
    return ParsedWeights(name, exact, dict(zip(all_pairs, chosen, strict=True)), bool(one))


def _matrix(value: Any, k: int) -> PairMatrix:
    """Return a k x k matrix of disagreement weights with a zero diagonal."""
    multipliers, radicands = (
        np.array([listing(row, key, k) for row in listing(item(value, key), key, k)], dtype=object)
        for key in ("multipliers", "radicands")
    )
    for entry in multipliers.ravel().tolist():
        whole(entry, "a weight's multiplier", least=0)
    for entry in radicands.ravel().tolist():
        whole(entry, "a radicand", least=1, below=LARGEST_FACTORED + 1)
    if any(multipliers[i, i] for i in range(k)):
        raise Malformed("the weights must be zero on the diagonal")
    denominator = whole(item(value, "denominator"), "the weights' denominator", least=1)
    if (multipliers**2 * radicands > denominator**2).any() or (k > 1 and not multipliers.any()):
        raise Malformed("the weights must lie between 0 and 1, and at least one must be above 0")
    return PairMatrix(multipliers, radicands.astype(np.int64), denominator)


def _alike(matrix: PairMatrix, own: Weights) -> bool:
    """Return whether a matrix is equal to the given weights, up to rounding if they are not exact."""
    if own.exact:
        same = matrix.multipliers * own.denominator == own.multipliers.astype(object) * matrix.denominator
        return bool(
            ((same & (matrix.radicands == own.radicands)) | ((matrix.multipliers == 0) & (own.multipliers == 0))).all()
        )
    real = np.array([[m / matrix.denominator for m in row] for row in matrix.multipliers.tolist()])
    return bool((np.abs(real * np.sqrt(matrix.radicands.astype(float)) - own.matrix) <= DOUBLE_TOLERANCE).all())
