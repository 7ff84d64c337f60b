"""Assumed tables have the given margins and the given value."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.planning.margin_tables import MarginTables
from kappamax.planning.population import from_margins, tables_through
from tests.support.flat_settings import sample_size
from tests.support.strategies import examples

COEFFICIENTS = ["kappa", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent"]


def formula(*pilot, **options):
    """Return a plan without simulated studies."""
    return sample_size(*pilot, n_draws=0, **options)


@given(
    st.integers(2, 4).flatmap(lambda k: st.lists(st.tuples(*[st.integers(1, 9)] * k), min_size=2, max_size=3)),
    st.sampled_from(COEFFICIENTS),
    st.sampled_from(["unweighted", "linear", "quadratic"]),
    st.integers(0, 20),
)
@settings(max_examples=examples(60))
@example(
    [(1, 5, 5), (4, 4, 6)], "kappa", "unweighted", 14
)  # the largest value is 7/10, which is above its nearest double
def test_the_mixture_has_exactly_the_margins_and_the_value(rows, coefficient, weights, twentieths):
    """For rational weights the assumed table has exactly the requested value, or the margins do not allow it."""
    shares = [[Fraction(n, sum(row)) for n in row] for row in rows]
    chosen = {"coefficient": coefficient, "weights": weights}
    value = Fraction(twentieths, 20)
    categories, raters = range(len(rows[0])), [str(a) for a in range(len(rows))]
    tables = MarginTables(np.array(shares, dtype=object), categories, raters, ordered=True, chosen=chosen)
    if not tables.smallest.value <= value <= tables.largest.value:
        with pytest.raises(km.errors.InvalidOptionError, match="kappa must be at"):
            from_margins(shares, value, None, None, chosen)
        return
    assumed = from_margins(shares, value, None, None, chosen)
    table = assumed.objective.table
    assert (table.margins * np.array([sum(row) for row in rows])[:, None] == np.array(rows) * table.n_subjects).all()
    if coefficient != "krippendorff":
        assert assumed.objective.exact_value(assumed.objective.score) == value
    assert assumed.value == pytest.approx(float(value), abs=1e-9)
    assert assumed.maximum >= float(value)  # both are nearest doubles, and rounding keeps the order


def test_roots_keep_the_value_up_to_rounding():
    """The largest kappa is irrational; the mixture has the value within the rounding of its shares."""
    plan = formula(margins=[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], kappa=0.4, weights="sqrt", width=0.2)
    assert km.kappa(plan.table, weights="sqrt").value == pytest.approx(0.4, abs=1e-12)


def test_the_maximum_is_that_of_max_kappa():
    """The maximum is the largest value over tables with the margins, and it limits the assumed value."""
    pilot = km.example("rapallo2022")
    assert formula(pilot, weights="linear", width=0.3).maximum == km.max_kappa(pilot, weights="linear").maximum
    with pytest.raises(
        km.errors.InvalidOptionError, match=r"kappa must be at most 0.7511, the largest Cohen's kappa with linear"
    ):
        formula(pilot, kappa=0.8, weights="linear", width=0.3)


def test_a_pilot_with_another_value_keeps_its_margins():
    """The table lies between independence and the pilot, or between the pilot and the table of largest agreement."""
    pilot = km.example("rapallo2022")
    for value in (0.2, 0.7):
        table = formula(pilot, kappa=value, weights="linear", width=0.3).table
        assert km.kappa(table, weights="linear").value == pytest.approx(value, abs=1e-12)
        assert (table.margins * 33 == pilot.margins * table.n_subjects).all()


def test_values_below_chance_are_mixed_with_the_smallest():
    """A negative kappa is possible, down to the smallest value that the margins allow."""
    plan = formula(margins=[0.5, 0.5], kappa=-0.5, width=0.2)
    assert km.kappa(plan.table).value == -0.5
    with pytest.raises(
        km.errors.InvalidOptionError, match=r"kappa must be at least -0.4286, the smallest Cohen's kappa that these"
    ):
        formula(margins=[0.7, 0.3], kappa=-0.5, width=0.2)


def test_the_smallest_value_of_many_patterns_is_that_of_the_maximum_problem():
    """Above 64 possible patterns the smallest value is found in doubles, and the table still has the margins."""
    rng = np.random.default_rng(2)
    for weights in ("unweighted", "linear", "circular"):
        pilot = km.from_ratings(rng.integers(0, 4, size=(24, 4)), categories=range(4))
        tables = tables_through(pilot, {"weights": weights, "coefficient": "kappa"})
        smallest = tables.smallest
        # a table of whole counts for 24 subjects cannot be below the smallest value of a population
        assert float(smallest.value) <= km.max_kappa(pilot, weights=weights).minimum + 1e-9
        population = tables.population(smallest)
        assert population.value(population.score) == pytest.approx(float(smallest.value), abs=1e-12)
        assert population.table.margins / population.table.n_subjects == pytest.approx(pilot.margins / 24, abs=1e-9)
        assert float(smallest.value) < float(tables.independent.value)


def test_pilot_margins_are_not_rounded():
    """A category with one rating in a million million subjects stays as it is."""
    pilot = km.from_counts([[10**12, 0], [1, 1]])
    tables = tables_through(pilot, {"weights": "unweighted", "coefficient": "kappa"})
    assert (tables.shares == np.array([[Fraction(int(n), 10**12 + 2) for n in row] for row in pilot.margins])).all()
