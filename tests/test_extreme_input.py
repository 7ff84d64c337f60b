"""Every public call ends in a result or in an error of kappamax, whatever legal input it gets."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.maximum import maximizers
from kappamax.verification import budget, search
from tests.support.extreme_input import cases
from tests.support.public_calls import CALLS, WITHOUT_RATINGS, outcome
from tests.support.strategies import examples

#: calls that may take seconds; they are in the slow test
_LONG = {
    "maximum.bootstrap_ratio",
    "maximum.share_of_maximum",
    "paper.run_study",
    "plot.study",
    "report",
    "report_groups",
    "verify",
}
_RANKS = tuple(range(1, 26))


@pytest.fixture(scope="module", autouse=True)
def short_checks():
    """Let `verify` and the list of maximisers give up early, since many raters or huge counts take minutes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "MOST_WORK", 20_000)
        patch.setattr(search, "PATTERN_STEPS", 2_000_000)
        patch.setattr(maximizers, "MOST_STEPS", 100_000)
        yield


@pytest.mark.attack
@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(cases(), st.sampled_from(sorted(set(CALLS) - _LONG)))
def test_a_public_call_ends_in_a_result_or_in_our_error(case, name):
    """Any other exception is a bug; so is a warning."""
    outcome(CALLS[name], case)


@pytest.mark.slow
@pytest.mark.attack
@pytest.mark.parametrize("name", CALLS)
@settings(max_examples=examples(4), suppress_health_check=[HealthCheck.too_slow])
@given(cases())
def test_each_public_call_ends_in_a_result_or_in_our_error(name, case):
    """Every call is tried, however long the list is."""
    outcome(CALLS[name], case)


def test_other_exceptions_are_passed_on():
    """A fuzzer that swallowed every exception could not fail."""
    with pytest.raises(ZeroDivisionError):
        outcome(lambda case: 1 // 0, None)
    with pytest.raises(TypeError):
        outcome(lambda case: type("Shown", (), {"to_dict": lambda self: 1 + ""})(), None)


def test_every_public_function_is_called():
    """A new public function needs an entry in the list of calls."""
    public = set()
    for module in (km, *(one for name in dir(km) if isinstance(one := getattr(km, name), ModuleType))):
        prefix = "" if module is km else module.__name__.removeprefix("kappamax.") + "."
        public |= {
            prefix + name
            for name in dir(module)
            if callable(one := getattr(module, name)) and not isinstance(one, type) and not name.startswith("_")
        }
    called = {name.partition(" ")[0] for name in CALLS}
    assert public - called == WITHOUT_RATINGS
    assert {f"fiber.{name}" for name in dir(km.results.Fiber) if not name.startswith("_")} <= called


def _ratings(k, r, n, *, missing=False):
    codes = np.random.default_rng(1).integers(0, k, size=(n, r))
    if missing:
        codes[0, 0] = -1
    return km.Table(codes, [1] * n, _RANKS[:k], ordered=True)


@pytest.mark.parametrize(
    ("weights", "table"),
    [
        ("ratio", _ratings(13, 3, 30, missing=True)),
        ("bipolar", _ratings(25, 2, 40)),
        ("bipolar", _ratings(25, 3, 40, missing=True)),
        ("power(100)", _ratings(6, 2, 40)),
        ("power(100)", _ratings(6, 3, 30, missing=True)),
        pytest.param("linear", _ratings(3, 450, 3, missing=True), marks=pytest.mark.slow),
    ],
    ids=["ratio", "bipolar", "bipolar, missing", "power", "power, missing", "450 raters"],
)
def test_exact_weights_with_long_denominators_are_computed(weights, table):
    """The score of a category that nobody used is zero, although its weight exceeds 64 bits."""
    result = km.kappa(table, weights=weights)
    assert result.exact is not None
    assert km.agreement(table, weights=weights, coefficient="gwet").exact is not None
    assert km.exact_test(table, weights=weights, method="monte-carlo", n_draws=20, rng=1).value == result.value
    assert km.standard_error(table, weights=weights).se >= 0
    assert km.bootstrap(table, weights=weights, n_resamples=10, rng=1).value == result.value


def test_seventy_raters_of_whom_two_used_two_categories_have_an_exact_distribution():
    """Raters with one category have no axis in the arrays of scores, which have at most 64."""
    codes = np.zeros((4, 70), dtype=int)
    codes[0, 0] = codes[1, 1] = 1
    table = km.Table(codes, [2, 3, 4, 5], (1, 2), ordered=True)
    two = km.Table(codes[:, :2], [2, 3, 4, 5], (1, 2), ordered=True)
    many, few = (km.fiber(one).distribution("linear") for one in (table, two))
    assert many.n_tables == few.n_tables
    assert many.probabilities == pytest.approx(few.probabilities)
    assert km.exact_test(table).method == "exact"
    assert km.max_kappa(km.Table([[0] * 70], [5], ("a",), ordered=True), coefficient="percent").maximum == 1


def test_counts_may_add_up_to_one_less_than_the_limit():
    """The total is compared exactly, not as a double."""
    table = km.Table([[0, 0], [1, 1], [0, 1]], [2**61, 2**61 - 3, 2], (1, 2), ordered=True)
    assert table.n_subjects == 2**62 - 1
    assert km.exact_test(table, n_draws=20, rng=1).pvalue <= 1
    with pytest.raises(km.errors.InvalidTableError, match=r"less than 2\^62; got 4.61e\+18"):
        km.Table([[0, 0], [1, 1]], [2**61, 2**61], (1, 2), ordered=True)


@pytest.mark.parametrize("total", [8 * 10**9, 10**12, 4 * 10**18])
def test_two_raters_of_any_number_of_subjects_are_reported(total):
    """Neither sampling nor the test needs single subjects."""
    table = km.from_counts(np.array([[4, 1, 1], [0, 1, 1], [1, 0, 1]]) * (total // 10))
    made = km.report(table, weights="linear", time_limit=5)
    assert made.main.test.pvalue == km.exact_test(table, weights="linear", rng=0).pvalue
    drawn = km.fiber(table).sample(50, rng=1)
    assert (drawn.sum(axis=2) == table.margins[0]).all()
    assert (drawn.sum(axis=1) == table.margins[1]).all()


def test_whole_numbers_beyond_the_range_of_doubles_are_refused_in_words():
    """Python cannot convert them to a double, which is no reason for an OverflowError."""
    table = km.example("rapallo2022")
    with pytest.raises(km.errors.InvalidOptionError, match="n_resamples must be at most 10,000,000; got 100,0"):
        km.bootstrap(table, n_resamples=10**320)
    with pytest.raises(km.errors.InvalidOptionError, match="tilt must be a finite number; got 1000"):
        km.fiber(table).walk(10, tilt=10**320)
    with pytest.raises(km.errors.NotSupportedError, match=r"the record of the walk would take .* TB of memory"):
        km.fiber(table).walk(10**320)
    assert km.bootstrap(table, n_resamples=5, rng=10**320).n_resamples == 5


def test_designs_with_more_patterns_than_doubles_are_refused_in_words():
    """Numbers of patterns are written with a few digits, however large they are."""
    table = _ratings(5, 460, 4)
    with pytest.raises(km.errors.NotSupportedError, match=r"5 categories and 460 raters make 3.4e\+321"):
        table.dense()
    with pytest.raises(km.errors.NotSupportedError, match=r"e\+\d+ patterns are possible; counting"):
        km.fiber(table).count()


#: calls with a number that may be far too large
_NUMBERS = {
    "n_draws": lambda n: km.exact_test(_FEW, method="monte-carlo", n_draws=n),
    "restarts": lambda n: km.anneal(_FEW, restarts=n),
    "trace": lambda n: km.anneal(_FEW, trace=n),
    "n_resamples": lambda n: km.bootstrap(_FEW, n_resamples=n),
    "n_resamples of the ratio": lambda n: km.maximum.bootstrap_ratio(_FEW, n_resamples=n),
    "n_resamples of the share": lambda n: km.maximum.share_of_maximum(_FEW, n_resamples=n),
    "n_jobs": lambda n: km.bootstrap(_FEW, n_resamples=10, n_jobs=n),
    "n_raters": lambda n: km.sample_size(kappa=0.6, margins=[0.5, 0.5], width=0.3, n_raters=n),
    "simulated n_draws": lambda n: km.sample_size(
        kappa=0.6, margins=[0.5, 0.5], width=0.3, method=km.planning.Simulation(n_draws=n)
    ),
    "n_steps": lambda n: km.fiber(_FEW).walk(n),
    "thin": lambda n: km.fiber(_FEW).walk(n, thin=n),
    "excursion": lambda n: km.fiber(_FEW).walk(10, held="linear", excursion=n),
    "excursion of a level set": lambda n: km.fiber(_FEW).level_set("linear", excursion=n),
    "size": lambda n: km.fiber(_FEW).sample(n),
    "n_categories of a scenario": lambda n: km.paper.Scenario(n),
    "n_raters of a scenario": lambda n: km.paper.Scenario(3, n_raters=n),
    "n_tables": lambda n: km.paper.run_study([km.paper.Scenario(3)], n_tables=n),
}
_FEW = _ratings(3, 3, 6)


@pytest.mark.parametrize("number", [10**10, 10**20])
@pytest.mark.parametrize("name", _NUMBERS)
def test_a_number_that_is_far_too_large_is_refused(name, number):
    """The call neither allocates memory for it nor goes on without end."""
    with pytest.raises(km.errors.KappamaxError, match=r"at most|limit|would|more than|memory"):
        _NUMBERS[name](number)


@pytest.mark.parametrize("number", [10**6, 10**20])
def test_other_large_numbers_make_no_difference(number):
    """Where more than there is can be asked for, all of it is returned."""
    assert len(km.moves.rank_moves(_FEW, top=number)) == len(km.moves.rank_moves(_FEW, top=10**4))
    assert km.bootstrap(_FEW, n_resamples=10, rng=number).value == km.kappa(_FEW).value
