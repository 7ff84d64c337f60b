"""Verify the largest and smallest coefficient claimed by a result, a document or a file.

No claim is trusted. The margins of tables are computed again, coefficients are computed again from their definitions,
and optima are proven by the prices in the certificate or by a separate search. No solver is imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from pathlib import Path
from typing import Any

from kappamax._result import Result
from kappamax._rootsum import RootSum, quotient
from kappamax.display import text
from kappamax.verification import parse
from kappamax.verification.bounds import Bounds
from kappamax.verification.budget import Budget, Unknown
from kappamax.verification.certificate_files import Certified, document_of
from kappamax.verification.definitions import TITLES, Design, margins_of, subjects_of
from kappamax.verification.parse import FORMAT, VERSION, Malformed
from kappamax.verification.remainders import least_score

_EXCHANGES = 500  # pairs of patterns whose ratings are exchanged to see whether the score changes
_EVALUATIONS = 5  # evaluations of each table, for its value, score and expected disagreement


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
    faults, unchecked = _checked(document_of(claim))
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


def _checked(document: Any) -> tuple[list[str], list[str]]:
    """Return the claims of a certificate that do not hold, and those that were not checked within the limits."""
    try:
        case = _ObservedClaims(document)
        faults, unchecked = [*case.faults()], list[str]()
        if faults:
            return faults, unchecked
        most, least = _ExtremeClaims(case, "maximum", 1), None
        if parse.item(document, "minimum") is not None:
            least = _ExtremeClaims(case, "minimum", -1)
        for name, end in (("maximum", most), ("minimum", least)):
            if end is None:
                continue
            left: list[str] = []
            faults += [f"{name}: {fault}" for fault in end.faults(left)]
            unchecked += [f"{name}: {reason}" for reason in left]
        return faults or [*case.ratio_faults(most, least)], unchecked
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

    def ratio_faults(self, most: _ExtremeClaims, least: _ExtremeClaims | None) -> Iterator[str]:
        """Yield the faults of the ratio of the value to the maximum."""
        reason = None
        proven = most.claim("proof") is not None
        if not proven:
            reason = "the maximum is not proven"
        elif least is None and most.as_far_as_observed() and not self._exchange_matters():
            yield "the minimum is missing, which shows whether more than one value is possible"
            return
        elif least is not None and least.claim("proof") is not None and most.as_far_as(least):
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

    def _exchange_matters(self) -> bool:
        """Return whether exchanging two ratings of one rater changes the score, so that several values are possible."""
        score = self.design.score
        if not self.design.fixed_chance(self.rows):
            return False
        for first, second in islice(combinations(self.rows, 2), _EXCHANGES):
            for rater in range(len(self.raters)):
                ours, theirs = first[rater], second[rater]
                if ours == theirs or min(ours, theirs) < 0:
                    continue
                before = {first: 1, second: 1}
                after = {_with(first, rater, theirs): 1, _with(second, rater, ours): 1}
                self.budget.spend(2 * self.design.work(before))
                if len(after) == len(before) and score(after) != score(before):
                    return True
        return False


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

    def as_far_as_observed(self) -> bool:
        """Return whether the table has exactly the observed value."""
        case = self.case
        return self._beyond(self.score, case.design.score(case.rows), case.design.expected(case.rows)) == 0

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
        if proof not in ("prices", "remainders", "search", None) or parse.item(self.inner, "proof") != proof:
            kinds = "'prices', 'remainders', 'search' or null"
            yield f"proof must be {kinds}, and must be the same in the claim and in its solution"
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
        if proof == "remainders":
            if not self._forced(bounds, limit):
                yield "the remainders of the use of categories do not prove the score"
            return
        if bounds.proves(limit * self.sign):
            return
        if proof is None:
            with suppress(Unknown):  # a search may still decide
                if self._forced(bounds, limit):
                    return
        if proof == "prices" and bounds.rounded:
            raise Unknown
        if proof == "prices":
            yield "the prices do not prove the score because a pattern costs less than the sum of its prices"
        elif bounds.refutes(limit * self.sign):
            yield "a table has a more extreme value" if proof else "a table has a value beyond the bound"

    def _forced(self, bounds: Bounds, limit: RootSum) -> bool:
        """Return whether the remainders of the use of categories show that no table has a lower score."""
        case = self.case
        if self.sign == -1 or case.complete or not case.weights.one_symmetric:
            return False
        return bounds.attainable(least_score(case.design, case.rows, case.budget)) >= limit

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


def _with(codes: tuple[int, ...], rater: int, code: int) -> tuple[int, ...]:
    """Return a pattern with the rating of one rater replaced."""
    return (*codes[:rater], code, *codes[rater + 1 :])


def _typed(labels: list[Any]) -> list[tuple[type, Any]]:
    """Return labels with their types, so that 1, 1.0 and True are different."""
    return [(type(label), label) for label in labels]


def _same(claimed: Any, value: float | None) -> bool:
    """Return whether a claimed number is exactly equal to the computed one."""
    if value is None or isinstance(claimed, bool) or not isinstance(claimed, int | float):
        return claimed is value
    return claimed == value  # both are correctly rounded from the same exact number
