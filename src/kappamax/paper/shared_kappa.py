"""Check the statements of section 4 of the paper about tables with the same kappa (figures 3 and 4)."""

from __future__ import annotations

from collections.abc import Iterator

from kappamax.datasets import example
from kappamax.display import numbers
from kappamax.fibers.fiber import Fiber
from kappamax.fibers.joint_distribution import SameValue
from kappamax.io import from_counts
from kappamax.kappas import kappa
from kappamax.paper.verdict import NAMED_WEIGHTS, Check, Verdict, corrected, holds, same
from kappamax.table import Table


def two_raters() -> Iterator[Verdict]:
    """Check figure 3."""
    table = example("rapallo2022")
    fiber = Fiber(table)
    yield same("Figure 3(a)", "tables in the fiber", 644_850, fiber.count())
    found = fiber.same_kappa("linear", other="quadratic")
    yield same("Figure 3(a)", "linear kappa", "0.5023", numbers.decimal(found.value))
    why = (
        "rounding errors in sums of thirds separate tables with equal kappa; the same rounding gives the paper's number"
    )
    yield corrected("Figure 3", "tables with the same linear kappa", 1527, found.n_tables, 1654, why)
    (quadratic,) = found.other
    yield same("Figure 3", "range of quadratic kappa over these tables", "0.3774 to 0.7406", _range(found))
    what = "tables with the smallest quadratic kappa among them"
    yield corrected("Figure 3(b)", what, 3, quadratic.n_at_minimum, 4, why)
    yield corrected(
        "Figure 3(c)", "tables with the largest quadratic kappa among them", 3, quadratic.n_at_maximum, 15, why
    )
    least = from_counts([[6, 0, 1, 4], [0, 8, 0, 0], [0, 0, 7, 0], [0, 1, 4, 2]])
    most = from_counts([[6, 5, 0, 0], [0, 3, 5, 0], [0, 1, 2, 4], [0, 0, 5, 2]])
    for letter, one, end in (("b", least, quadratic.minimum), ("c", most, quadratic.maximum)):
        fits = [_shares(one, table, "linear"), kappa(one, weights="quadratic").value == end]
        yield holds(
            f"Figure 3({letter})",
            "the table has these margins, this linear kappa and the extreme quadratic kappa",
            fits,
        )


def three_raters() -> Iterator[Verdict]:
    """Check figure 4."""
    table = example("rapallo2022-three")
    size = f"{table.n_subjects} subjects, {table.n_categories**table.n_raters} cells"
    yield same("Figure 4", "size of the table", "16 subjects, 27 cells", size)
    found = Fiber(table).same_kappa("linear", other="quadratic")
    yield same("Figure 4", "linear kappa", "0.4872", numbers.decimal(found.value))
    yield same("Figure 4", "tables with the same linear kappa", 2324, found.n_tables)
    yield same("Figure 4", "range of quadratic kappa over these tables", "0.3364 to 0.6313", _range(found))


def uniqueness() -> Iterator[Verdict]:
    """Check the number of tables with the observed kappa for each weighting (section 4)."""
    known = {
        "rapallo2022": "unweighted 3,048, linear 1,654, quadratic 1,540, sqrt 110",
        "rapallo2022-three": "quadratic 3,180, linear 2,324, unweighted 2,139, sqrt 479",
    }
    for place, name in (("Figure 3", "rapallo2022"), ("Figure 4", "rapallo2022-three")):
        fiber = Fiber(example(name))
        shared = {weights: fiber.same_kappa(weights).n_tables for weights in NAMED_WEIGHTS}
        yield holds(place, "other tables have the observed kappa, for all weights", [n > 1 for n in shared.values()])
        most_first = sorted(shared, key=lambda weights: -shared[weights])
        ours = ", ".join(f"{weights} {numbers.count(shared[weights])}" for weights in most_first)
        why = "linear kappa has the second largest number of such tables; among quadratic, linear and sqrt it is "
        why += "first in figure 3 and second in figure 4"
        yield corrected(place, "the weights for which this matters most", "linear", ours, known[name], why)


CHECKS: tuple[Check, ...] = (two_raters, three_raters, uniqueness)


def _range(found: SameValue) -> str:
    (other,) = found.other
    return f"{numbers.decimal(other.minimum)} to {numbers.decimal(other.maximum)}"


def _shares(one: Table, table: Table, weights: str) -> bool:
    same_margins = bool((one.margins == table.margins).all())
    return same_margins and kappa(one, weights=weights).value == kappa(table, weights=weights).value
