"""Verify the largest and smallest coefficient claimed by a result, a document or a file.

No claim is trusted. The margins of tables are computed again, coefficients are computed again from their definitions,
and optima are proven by the prices in the certificate or by a separate search. No solver is imported.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from kappamax._result import Result
from kappamax._rootsum import RootSum, quotient
from kappamax.display import text
from kappamax.errors import KappamaxError, UnreadableFileError
from kappamax.verification import parse
from kappamax.verification.bounds import Bounds
from kappamax.verification.budget import Budget, Unknown
from kappamax.verification.definitions import TITLES, Design, margins_of, subjects_of
from kappamax.verification.parse import FORMAT, VERSION, Malformed

_EVALUATIONS = 5  # evaluations of each table, for its value, score and expected disagreement


class Certified(Protocol):
    """A result that has a certificate."""

    def certificate(self) -> dict[str, Any]:
        """Return the claims and their proof as plain data."""


def verify(claim: Certified | Mapping[str, Any] | str | Path) -> Verification:
    """Check a maximum and a minimum without a solver, given only the observed ratings and the weights.

    Every claim is checked: the tables have the observed margins and the observed sets of raters, every number follows
    from its definition, and no table has a more extreme value. For the last claim, no pattern may have a negative
    reduced cost under the prices of the certificate. If the proof is a search, a separate search is made.

    Parameters
    ----------
    claim : Maximum, dict, str or Path
        Result of `max_kappa`, its `certificate()`, or the path of a file that contains a certificate as JSON.

    Returns
    -------
    Verification
        Object whose attribute `holds` is true if every claim was checked and holds.

    Raises
    ------
    UnreadableFileError
        If the file cannot be read or is not a JSON document.

    Examples
    --------
    >>> import kappamax as km
    >>> km.verify(km.max_kappa(km.example("rapallo2022"), weights="sqrt")).holds
    True
    """
    faults, unchecked = _checked(_document(claim))
    return Verification(not faults and not unchecked, tuple(faults), tuple(unchecked))


@dataclass(frozen=True, repr=False)
class Verification(Result):
    """Result of checking all claims of a certificate.

    Attributes
    ----------
    holds : bool
        Whether every claim was checked and holds. This is also the truth value of the object.
    faults : tuple of str
        Descriptions of the claims that do not hold.
    unchecked : tuple of str
        Descriptions of the claims that were not checked because this would take more work than the limits allow.
    """

    holds: bool
    faults: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.holds


def read_certificate(path: str | Path) -> Any:
    """Return the JSON document in a file.

    Parameters
    ----------
    path : str or Path
        Path of the file.

    Returns
    -------
    object
        Content of the file as plain data.

    Raises
    ------
    UnreadableFileError
        If the file cannot be read, is not a JSON document, or repeats a key in one object.
    """
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=_mapping)
    except OSError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror or error}.") from None
    except _Repeated as error:
        raise UnreadableFileError(f"{path} repeats the key {parse.shown(error.args[0])} in one object.") from None
    except (ValueError, RecursionError):
        raise UnreadableFileError(f"{path} is not a JSON document.") from None


class _Repeated(Exception):  # noqa: N818  # becomes an UnreadableFileError
    """Raised when a key occurs twice, because JSON readers differ in which of the two values they use."""


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dictionary; its keys must be distinct."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Repeated(key)
        found[key] = value
    return found


def _document(claim: Any) -> Any:
    """Return the certificate of a claim as plain data; inconsistent results get a document that no check accepts."""
    if isinstance(claim, str | Path):
        return read_certificate(claim)
    if not hasattr(claim, "certificate"):
        return claim
    try:
        return claim.certificate()
    except (KappamaxError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return {"format": f"none: {error}"}


def _checked(document: Any) -> tuple[list[str], list[str]]:
    """Return the claims of a certificate that do not hold, and those that were not checked within the limits."""
    try:
        case = _ObservedClaims(document)
        faults, unchecked = [*case.faults()], list[str]()
        if faults:
            return faults, unchecked
        ends = {"maximum": _ExtremeClaims(case, "maximum", 1), "minimum": _ExtremeClaims(case, "minimum", -1)}
        for name, end in ends.items():
            left: list[str] = []
            faults += [f"{name}: {fault}" for fault in end.faults(left)]
            unchecked += [f"{name}: {reason}" for reason in left]
        return faults or [*case.ratio_faults(*ends.values())], unchecked
    except Malformed as error:
        return [f"the certificate is malformed: {error}"], []
    except Unknown:
        return [], ["checking the values takes more work than the limits of the verification allow"]


class _ObservedClaims:
    """Observed ratings, weights and coefficient of a certificate."""

    def __init__(self, document: Any) -> None:
        self.document = document
        form = parse.item(document, "format")
        version = parse.whole(parse.item(document, "version"), "the version") if form == FORMAT else None
        if version != VERSION:
            given = "" if version is None else f", version {parse.shown(version)}"
            raise Malformed(f"its format must be {FORMAT!r}, version {VERSION}; got {parse.shown(form)}{given}")
        observed = parse.item(document, "observed")
        self.categories, self.raters = parse.labels(observed, "categories"), parse.labels(observed, "raters")
        r, k = len(self.raters), len(self.categories)
        if r < 2:
            raise Malformed("there must be two raters or more")
        self.rows = parse.rows(observed, r, k)
        self.complete = all(min(pattern) >= 0 for pattern in self.rows)
        coefficient = parse.item(document, "coefficient")
        group_size = parse.whole(parse.item(document, "group_size"), "group_size")
        if not isinstance(coefficient, str) or coefficient not in TITLES or (coefficient == "cohen" and r > 2):
            raise Malformed(f"the coefficient {parse.shown(coefficient)} is not known for {r} raters")
        if not all(map(any, margins_of(self.rows, r, k))):
            raise Malformed("every rater must have rated at least one subject")
        if not 2 <= group_size <= r or (group_size > 2 and coefficient not in ("conger", "percent")):
            size = parse.shown(group_size)
            raise Malformed(f"the group size {size} is not defined for {coefficient!r} and {r} raters")
        self.weights = parse.weights(parse.item(document, "weights"), r, k)
        self.design = Design(r, k, coefficient, group_size, self.weights.pairs)
        self.budget = Budget()
        self.budget.spend(_EVALUATIONS * self.design.work(self.rows))
        if coefficient not in ("cohen", "conger") and not self.weights.one_symmetric:
            raise Malformed(f"{TITLES[coefficient]} requires the same symmetric weights for all pairs of raters")
        if self.design.n_units(self.rows) == 0:
            raise Malformed("no subject was rated by enough raters to compare them")

    def faults(self) -> Iterator[str]:
        """Yield the faults of the names, the weights and the observed value."""
        design = self.design
        title = TITLES[design.coefficient]
        if design.group_size > 2:
            title += f", {design.group_size} raters at a time"
        if parse.item(self.document, "title") != title:
            yield f"the title must be {title!r}"
        if design.group_size > 2 and (self.weights.name != "unweighted" or any(self.weights.faults())):
            yield "the weights must be unweighted for agreement of more than two raters at a time"
        yield from self.weights.faults()
        value = design.value(self.rows)
        if value is None:
            yield "the coefficient is undefined for the observed ratings"
        elif not _same(parse.item(self.document, "value"), value):
            yield "the value is not the coefficient of the observed ratings"

    def ratio_faults(self, most: _ExtremeClaims, least: _ExtremeClaims) -> Iterator[str]:
        """Yield the faults of the ratio of the value to the maximum."""
        reason = None
        if most.claim("proof") is None:
            reason = "the maximum is not proven"
        elif least.claim("proof") is not None and most.as_far_as(least):
            reason = f"{text.limits(self.complete)} allow one value only"
        elif most.claim("value") <= 0:
            reason = f"the largest value that {text.limits(self.complete)} allow is not above zero"
        ratio = None if reason else parse.item(self.document, "value") / most.claim("value")
        if parse.item(self.document, "ratio_reason") != reason:
            yield (
                f"ratio_reason must be {reason!r}"
                if reason
                else "ratio_reason must be null because the ratio is defined"
            )
        if not _same(parse.item(self.document, "ratio"), ratio):
            yield "the ratio is not the value divided by the proven maximum"


class _ExtremeClaims:
    """Claims about the largest or the smallest value."""

    def __init__(self, case: _ObservedClaims, name: str, sign: int) -> None:
        self.case, self.sign = case, sign
        self.claims = parse.item(case.document, name)
        r, k = len(case.raters), len(case.categories)
        self.table = parse.item(self.claims, "table")
        self.rows = parse.rows(self.table, r, k)
        self.inner = parse.item(self.claims, "solution")
        case.budget.spend(_EVALUATIONS * case.design.work(self.rows))
        self.score = case.design.score(self.rows)

    def claim(self, key: str) -> Any:
        """Return the claim with the given key."""
        return parse.item(self.claims, key)

    def as_far_as(self, other: _ExtremeClaims) -> bool:
        """Return whether both tables have exactly the same value."""
        return self._beyond(self.score, other.score, self.case.design.expected(other.rows)) == 0

    def faults(self, unchecked: list[str]) -> Iterator[str]:
        """Yield the claims that do not hold; append those that would take too much work to `unchecked`."""
        case, design = self.case, self.case.design
        names = parse.labels(self.table, "categories"), parse.labels(self.table, "raters")
        if [*map(_typed, names)] != [_typed(case.categories), _typed(case.raters)]:
            yield "the table has different raters or categories from the observed table"
        if margins_of(self.rows, *design.shape) != margins_of(case.rows, *design.shape):
            yield "the table does not have the observed margins"
            return
        if subjects_of(self.rows) != subjects_of(case.rows):
            yield "the table does not have the observed sets of raters"
            return
        if parse.rows(parse.item(self.inner, "table"), *design.shape) != self.rows:
            yield "the proof is for a different table from the one shown"
        if parse.number(parse.item(self.inner, "score")) != self.score:
            yield "the score is not the score of the table"
        value = design.value(self.rows)
        if value is None:
            yield "the coefficient is undefined for the table"
            return
        if not _same(self.claim("value"), value):
            yield "the value is not the coefficient of the table"
        exact = design.exact_value(self.rows) if case.weights.exact else None
        claimed = self.claim("exact")
        if (None if claimed is None else parse.fraction(claimed)) != exact:
            yield "the exact value is not the coefficient of the table"
        if self._beyond(self.score, design.score(case.rows), design.expected(case.rows)) > 0:
            yield "the observed table has a more extreme value than the table shown"
        yield from self._proof_faults(unchecked)

    def _proof_faults(self, unchecked: list[str]) -> Iterator[str]:
        """Yield the faults of the bound and its proof."""
        design, proof = self.case.design, self.claim("proof")
        if proof not in ("prices", "search", None) or parse.item(self.inner, "proof") != proof:
            yield "proof must be 'prices', 'search' or null, and must be the same in the claim and in its solution"
            return
        if self.claim("proven") is not (proof is not None):
            yield "proven must be true if and only if there is a proof"
        limit = parse.number(parse.item(self.inner, "bound"))
        chance = design.expected(self.rows)
        if proof is not None and limit != self.score:
            yield "the bound of a proven optimum must be equal to its score"
            limit = self.score
        try:
            at_limit = quotient(chance - limit / design.n_units(self.rows), chance)
        except OverflowError:  # the value exceeds the largest double
            yield "the bound is out of range"
            return
        if not _same(self.claim("bound"), at_limit):
            yield "the bound is not the value of the coefficient at the bound of the score"
        try:
            fixed = design.fixed_chance(self.case.rows)
            yield from self._fixed_chance(limit) if fixed else self._varying_chance(limit)
        except Unknown:
            unchecked.append("checking the proof takes more work than the limits of the verification allow")

    def _fixed_chance(self, limit: RootSum) -> Iterator[str]:
        """Yield a fault if a table lies beyond a score, where all tables have the same expected disagreement."""
        proof, prices = self.claim("proof"), parse.item(self.inner, "prices")
        if prices is None and proof == "prices":
            yield "the certificate contains no prices"
            return
        bounds = self._bounds(prices)
        if bounds.proves(limit * self.sign):
            return
        if proof == "prices" and bounds.rounded:
            raise Unknown
        if proof == "prices":
            yield "the prices do not prove the score because a pattern costs less than the sum of its prices"
        elif bounds.refutes(limit * self.sign):
            yield "a table has a more extreme value" if proof else "a table has a value beyond the bound"

    def _varying_chance(self, limit: RootSum) -> Iterator[str]:
        """Yield a fault if a table lies beyond the value at a score, where the expected disagreement varies.

        A proof by search is checked for every table; otherwise a cut must exclude every use of categories.
        """
        design = self.case.design
        if self.claim("proof") == "search":
            for rows in self._bounds(None).all_tables():
                chance = design.expected(rows)
                if chance and self._beyond(limit, design.score(rows), chance) > 0:
                    yield "a table has a more extreme value"
                    return
            return
        cuts = [self._bounds(cut, with_use=True) for cut in parse.listing(parse.item(self.inner, "cuts"), "cuts")]
        if not cuts:
            yield "the certificate contains no prices"
            return
        budget, work = self.case.budget, design.work_at_use
        for use in cuts[0].uses():
            budget.spend(work)
            chance = design.expected_at([Fraction(n, cuts[0].use_unit) for n in use])
            if not chance:  # the coefficient is undefined at this use
                continue
            for place, cut in enumerate(cuts):
                budget.spend(len(design.radicands) * design.n_categories)
                if self._beyond(limit, cut.bound_at(use) * self.sign, chance) <= 0:
                    cuts.insert(0, cuts.pop(place))  # a cut that excludes one use often excludes the next
                    break
            else:
                if any(cut.rounded for cut in cuts):
                    raise Unknown
                yield f"the prices do not exclude a table beyond the bound for the use of categories {use}"
                return

    def _beyond(self, limit: RootSum, score: RootSum, chance: RootSum) -> int:
        """Compare the value at a score and expected disagreement with the value at `limit` and that of the table shown.

        Return 1 if it is more extreme, 0 if it is equal and -1 if it is less extreme.
        """
        own = self.case.design.expected(self.rows)
        return (limit * chance - score * own).sign() * self.sign

    def _bounds(self, prices: Any, *, with_use: bool = False) -> Bounds:
        design, rows = self.case.design, self.case.rows
        parsed = parse.prices(prices, design, subjects_of(rows), with_use=with_use)
        return Bounds(design, rows, self.sign, parsed, self.case.budget)


def _typed(labels: list[Any]) -> list[tuple[type, Any]]:
    """Return labels with their types, so that 1, 1.0 and True are different."""
    return [(type(label), label) for label in labels]


def _same(claimed: Any, value: float | None) -> bool:
    """Return whether a claimed number is exactly equal to the computed one."""
    if value is None or isinstance(claimed, bool) or not isinstance(claimed, int | float):
        return claimed is value
    return claimed == value  # both are correctly rounded from the same exact number
