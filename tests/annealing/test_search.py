"""Simulated annealing reaches the expected values and states how far they may be from the maximum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kappamax as km
from kappamax.annealing import move_walk as walks
from kappamax.annealing.diagonal_sweep import sweep_counts, sweep_rows
from kappamax.annealing.methods import METHODS
from kappamax.annealing.move_walk import MoveWalk, Neighbours
from kappamax.coefficients import as_objective
from kappamax.fibers import swap_walk
from kappamax.fibers.swap_walk import SwapWalk
from kappamax.table import Table
from tests.support.strategies import examples, tables

METHOD_SETTINGS = {"moves", "schedule", "stopping", "max_steps", "temperature_unit", "sweep"}
PAPER = {"linear": 0.7511, "quadratic": 0.8703, "sqrt": 0.7528}


def anneal(*ratings, proposal="moves", **options):
    """Call `km.anneal` with the settings of the method and all other options as keyword arguments."""
    method = METHODS[proposal](**{name: options.pop(name) for name in METHOD_SETTINGS & options.keys()})
    return km.anneal(*ratings, method=method, **options)


@pytest.mark.parametrize("proposal", ["moves", "swaps"])
@pytest.mark.parametrize("weights", PAPER)
def test_the_papers_examples_reach_the_proven_maximum(weights, proposal):
    """The values are those of figure 6 in section 5 of the paper, and the exact solver proves that they are maxima."""
    found = anneal(km.example("rapallo2022"), weights=weights, proposal=proposal, rng=1)
    assert round(found.reached, 4) == PAPER[weights]
    three = anneal(km.example("rapallo2022-three"), weights=weights, proposal=proposal, rng=1)
    for one in (found, three):
        assert one.proven
        assert (one.bound, one.gap) == (one.reached, 0.0)


@settings(max_examples=examples(40))
@given(tables(missing=True), st.sampled_from(["linear", "sqrt", "unweighted"]), st.integers(0, 99))
def test_the_end_is_a_table_of_the_fiber(table, weights, seed):
    """The final table has the observed margins and the reported value, between the minimum and the maximum."""
    try:
        limits = km.max_kappa(table, weights=weights)
    except (km.errors.UndefinedKappaError, km.errors.NotSupportedError, km.errors.InputError):
        return
    for proposal in ("moves", "swaps") if table.complete else ("swaps",):
        found = anneal(table, weights=weights, proposal=proposal, max_steps=1500, rng=seed)
        assert (found.table.margins == table.margins).all()
        assert found.reached == km.kappa(found.table, weights=weights).value
        assert limits.minimum <= found.reached <= limits.maximum
        assert found.proven == (found.reached == limits.maximum)
        assert found.bound == limits.maximum


def test_a_search_stops_after_c_steps_without_a_change():
    """The number of steps T includes all c steps without a change, and fixed steps give exactly that number."""
    table = km.example("rapallo2022")
    found = anneal(table, weights="sqrt", rng=3)
    assert (found.n_moves, found.patience, found.stopped) == (72, 1000, "stale")
    assert found.steps == found.settled + 1000
    assert anneal(table, stopping=km.annealing.FixedSteps(777), rng=3).steps == 777
    assert anneal(table, max_steps=50, rng=3).stopped == "max_steps"
    patient = anneal(table, weights="linear", stopping=km.annealing.StaleAgreement(5), rng=3)
    assert patient.steps == patient.settled + 5


def test_moves_that_keep_agreement_are_changes_for_stale_moves_only():
    """A single move back and forth changes the table at every step but never changes agreement."""
    table = km.from_counts([[0, 3, 0], [0, 0, 3], [0, 0, 0]])  # linear: (1,2)+(2,3) and (1,3)+(2,2) score alike
    by_agreement = anneal(table, weights="linear", stopping=km.annealing.StaleAgreement(60), sweep="none", rng=1)
    assert by_agreement.accepted > 0
    assert (by_agreement.steps, by_agreement.settled) == (60, 0)
    by_moves = anneal(
        table, weights="linear", stopping=km.annealing.StaleMoves(60), max_steps=5_000, sweep="none", rng=1
    )
    assert by_moves.steps > 60


def test_temperatures_in_proportions_are_those_in_counts_divided_by_the_subjects():
    """A temperature of 0.02 of 50 subjects is a temperature of one subject."""
    table = km.from_counts([[20, 5], [10, 15]])
    as_counts = anneal(table, schedule=km.annealing.Constant(1.0), stopping=km.annealing.FixedSteps(500), rng=2)
    as_shares = anneal(
        table,
        schedule=km.annealing.Constant(0.02),
        temperature_unit="proportions",
        stopping=km.annealing.FixedSteps(500),
        rng=2,
    )
    assert as_counts.table == as_shares.table
    assert as_counts.accepted == as_shares.accepted


def test_acceptance_follows_the_temperature():
    """At a constant temperature the walk by moves has probabilities proportional to exp(agreement / temperature).

    The three 2 x 2 tables with margins (2, 2) have agreement 4, 2 and 0 in counts and are one step apart. Both moves
    have probability 1/2, so the proposal is symmetric and the limit is the Boltzmann distribution.
    """
    table = km.from_counts([[1, 1], [1, 1]])
    neighbours = Neighbours(as_objective(table, weights="linear"), km.moves.basic_moves(2))
    counts = table.dense().ravel()
    walk = MoveWalk(neighbours, counts, np.random.default_rng(5), work=1e9)
    seen = np.zeros(3)
    for _ in range(20_000):
        walk.advance(np.full(5, 2.0), patience=0, by_agreement=True)
        seen[counts[0]] += 1
    expected = np.exp([0, 1, 2])
    expected *= 20_000 / expected.sum()
    # five steps between looks: neighbouring looks are correlated, by at most 1/(1 - 0.62^5) = 1.1 in variance
    assert (np.abs(seen - expected) < 4 * np.sqrt(1.5 * expected)).all()


@pytest.mark.parametrize("trace", [None, 1, 7, 1000])
@pytest.mark.parametrize("proposal", ["moves", "swaps"])
def test_tracing_changes_nothing(proposal, trace):
    """However steps are divided into calls, the walk is the same; a trace ends where the search does."""
    settings = {
        "weights": "sqrt",
        "schedule": km.annealing.Geometric(3, 0.99),
        "stopping": km.annealing.FixedSteps(1_500),
    }
    table = km.example("rapallo2022-three")
    plain = anneal(table, proposal=proposal, rng=4, **settings)
    traced = anneal(table, proposal=proposal, rng=4, trace=trace, **settings)
    assert traced.table == plain.table
    assert (traced.steps, traced.accepted) == (plain.steps, plain.accepted)
    if trace is not None:
        record = traced.trace
        assert record.steps[-1] == 1_500
        per_entry = np.diff(record.steps, prepend=0)
        assert round(float(per_entry @ record.acceptance)) == traced.accepted
        if not traced.swept:
            assert record.agreements[-1] == pytest.approx(
                km.agreement(traced.table, weights="sqrt").observed_agreement, abs=1e-12
            )


def test_restarts_do_not_depend_on_processes():
    """The best of three searches is the same with one or two processes; the first is the search without restarts."""
    table = km.example("rapallo2022-three")
    here = anneal(table, weights="sqrt", max_steps=40, restarts=3, rng=1)
    there = anneal(table, weights="sqrt", max_steps=40, restarts=3, rng=1, n_jobs=2)
    alone = anneal(table, weights="sqrt", max_steps=40, rng=1)
    assert here.restarts == there.restarts
    assert here.table == there.table
    assert here.reached == max(one["reached"] for one in here.restarts)
    assert here.restarts[0]["reached"] == alone.reached


def test_compiled_and_plain_walks_are_the_same(monkeypatch):
    """Both kernels give the same walk with and without compilation."""
    table = km.example("rapallo2022-three")
    ends = []
    for worth in (0, 1e12):
        monkeypatch.setattr(walks, "_UNCOMPILED_MOVE_WORK", worth)
        monkeypatch.setattr(swap_walk, "_WORTH_COMPILING", worth)
        ends.append([anneal(table, weights="sqrt", proposal=one, max_steps=900, rng=8) for one in ("moves", "swaps")])
    for compiled, plain in zip(*ends, strict=True):
        assert compiled.to_dict() == plain.to_dict()


@settings(max_examples=examples(60))
@given(tables(missing=True), st.sampled_from(["linear", "sqrt", "unweighted"]), st.integers(0, 99))
def test_swaps_keep_an_exact_score(table, weights, seed):
    """The sum of the changes of all swaps is the difference of the scores of the two tables."""
    try:
        objective = as_objective(table, weights=weights)
    except (km.errors.KappamaxError, km.errors.InputError):
        return
    walker = SwapWalk(objective, np.random.default_rng(seed))
    trace, taken, _ = walker.advance(np.full(60, 0.3))
    ones = np.ones(len(walker.codes), dtype=np.int64)
    after = as_objective(
        Table(walker.codes, ones, table.categories, table.raters, ordered=table.ordered), weights=weights
    )
    assert (after.table.margins == table.margins).all()
    change = after.score - objective.score
    assert [change.terms.get(f, 0) for f in objective.radicands] == trace[-1].tolist()
    assert taken == 60


def test_equal_weights_for_every_pair_give_the_same_walk_as_common_weights():
    """Giving the same weights for every pair of raters gives the same steps and the same table as giving them once."""
    table = km.example("rapallo2022-three")
    pairs = dict.fromkeys(((0, 1), (0, 2), (1, 2)), "linear")
    shared, per_pair = (anneal(table, weights=one, proposal="swaps", rng=1) for one in ("linear", pairs))
    assert shared.table == per_pair.table
    assert (shared.steps, shared.accepted) == (per_pair.steps, per_pair.accepted)
    assert per_pair.proven


def test_swaps_work_for_incomplete_and_large_designs():
    """Swaps work with missing ratings, and with 20 raters, who have 10^33 moves."""
    rng = np.random.default_rng(2)
    rows = rng.integers(4, size=(30, 3)).astype(object)
    rows[rng.random(rows.shape) < 0.2] = None
    table = km.from_ratings(rows, categories=[0, 1, 2, 3])
    found = anneal(table, weights="linear", proposal="swaps", max_steps=50_000, rng=1)
    assert found.value < found.reached <= km.max_kappa(table, weights="linear").maximum
    with pytest.raises(km.errors.NotSupportedError, match="22 ratings are missing. The method 'swaps' accepts"):
        anneal(table, weights="linear")
    many = km.from_ratings(rng.integers(5, size=(40, 20)), categories=list(range(5)))
    with pytest.raises(km.errors.NotSupportedError, match=r"limited to 5,000,000 of them; there are 2\.9e\+32"):
        anneal(many, weights="linear")
    assert anneal(many, weights="linear", proposal="swaps", max_steps=20_000, rng=1).gap < 0.1


def test_the_sweep_makes_diagonal_moves():
    """Three subjects with (1,2) and two with (2,1) allow one diagonal move, which is made once or twice."""
    table = km.from_counts([[0, 3, 0], [2, 0, 1], [0, 0, 0]])
    neighbours = Neighbours(as_objective(table, weights="linear"), km.moves.basic_moves(3))
    for sweep, made in (("once", 1), ("all", 2), ("none", 0)):
        counts = table.dense().reshape(1, -1).copy()
        assert sweep_counts(counts, neighbours.diagonal(), sweep).tolist() == [made]
        assert counts[0].tolist() == [made, 3 - made, 0, 2 - made, made, 1, 0, 0, 0]
        rows = np.repeat(table.patterns.astype(np.int64), table.counts, axis=0)
        assert sweep_rows(rows, sweep) == made
        ends = Table(rows, np.ones(6, dtype=np.int64), table.categories, ordered=True)
        assert ends.dense().ravel().tolist() == counts[0].tolist()


@settings(max_examples=examples(60))
@given(tables(), st.sampled_from(["once", "all"]))
def test_sweeps_of_counts_and_of_subjects_agree(table, sweep):
    """Both give the same table for any number of raters, and agreement never falls."""
    moves = km.moves.basic_moves(table.n_categories, table.n_raters) if table.n_categories > 1 else None
    if moves is None or moves.n_moves > 20_000:
        return
    try:
        objective = as_objective(table, weights="unweighted")
    except km.errors.KappamaxError:
        return
    neighbours = Neighbours(objective, moves)
    counts = table.dense().reshape(1, -1).copy()
    made = sweep_counts(counts, neighbours.diagonal(), sweep)
    rows = np.repeat(table.patterns.astype(np.int64), table.counts, axis=0)
    assert sweep_rows(rows, sweep) == made[0]
    ends = Table(rows, np.ones(len(rows), dtype=np.int64), table.categories, table.raters, ordered=table.ordered)
    assert (ends.dense().ravel() == counts[0]).all()
    assert sum(neighbours.score(counts[0])) <= sum(neighbours.score(table.dense().ravel()))


def test_ctrl_c_returns_the_current_table():
    """The result is not proven, and its only bound is zero disagreement."""

    def stop(*_now):
        raise KeyboardInterrupt

    with pytest.raises(km.errors.Interrupted) as caught:
        anneal(km.example("rapallo2022"), weights="linear", rng=1, progress=stop)
    best = caught.value.best
    assert (best.stopped, best.proven, best.bound) == ("interrupted", False, 1.0)
    assert (best.table.margins == km.example("rapallo2022").margins).all()


def test_ctrl_c_keeps_the_searches_before():
    """The first of two searches is complete when the second is stopped."""
    seen = []

    def stop(done, _total, _message):
        seen.append(done)
        if len(seen) > 1 and done <= seen[-2]:
            raise KeyboardInterrupt

    with pytest.raises(km.errors.Interrupted) as caught:
        anneal(km.example("rapallo2022"), weights="linear", restarts=2, trace=100, rng=1, progress=stop)
    alone = anneal(km.example("rapallo2022"), weights="linear", rng=1)
    assert caught.value.best.reached >= alone.reached
    assert len(caught.value.best.restarts) == 2


@pytest.mark.parametrize("proposal", ["moves", "swaps"])
@pytest.mark.parametrize("weights", ["circular", "power(0.3)", "ordinal", "ratio"])
def test_weights_that_are_not_exact_are_supported(weights, proposal):
    """The maximum is attained within the tolerance of the solver, or the gap is reported."""
    table = km.example("rapallo2022-three")
    found = anneal(table, weights=weights, proposal=proposal, restarts=3, rng=2)
    best = km.max_kappa(table, weights=weights)
    assert found.reached <= best.maximum + 1e-9
    assert found.proven == (found.reached >= best.maximum - 1e-9)
    assert found.bound >= best.maximum - 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"moves": "all"}, "moves must be one of 'basic', 'minimal'; got 'all'"),
        ({"moves": km.moves.basic_moves(3)}, "moves must be for 4 categories and 2 raters; got MoveSet"),
        ({"schedule": 0.94}, r"schedule must be an object such as Geometric\(1, 0.94\); got 0.94"),
        ({"stopping": km.annealing.StaleMoves}, r"stopping must be an object such as StaleAgreement\(\)"),
        ({"temperature_unit": "degrees"}, "temperature_unit must be one of 'counts', 'proportions'"),
        ({"sweep": "twice"}, "sweep must be one of 'once', 'all', 'none'; got 'twice'"),
        ({"restarts": 0}, "restarts must be a whole number >= 1; got 0"),
        ({"max_steps": 0}, "max_steps must be a whole number >= 1; got 0"),
        ({"rng": -1}, "rng must be a whole number >= 0, a Generator or None; got -1"),
        ({"bound_time": -1}, "bound_time must be a number of seconds > 0; got -1"),
    ],
)
def test_options_are_checked(arguments, message):
    """Each error names the argument and the rule."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        anneal(km.example("rapallo2022"), weights="linear", **arguments)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("jumps", "method must be one of 'moves', 'swaps'; got 'jumps'"),
        (0.5, "method must be 'moves', 'swaps', a MoveMethod or a SwapMethod; got 0.5"),
        (km.annealing.SwapMethod, "method must be 'moves', 'swaps', a MoveMethod or a SwapMethod; got <class"),
    ],
)
def test_the_method_is_checked(method, message):
    """The error names the methods."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        km.anneal(km.example("rapallo2022"), method=method)


def test_the_name_of_a_method_stands_for_its_default_settings():
    """A name and the object without settings give the same search."""
    table = km.example("rapallo2022")
    for name in METHODS:
        assert km.anneal(table, method=name, rng=1).table == km.anneal(table, method=METHODS[name](), rng=1).table


def test_traces_can_be_plotted():
    """The plot shows two lines against the number of steps."""
    import matplotlib as mpl

    mpl.use("agg")
    found = anneal(km.example("rapallo2022"), weights="linear", trace=20, rng=1)
    axes = found.trace.plot()
    assert [line.get_label() for line in axes.get_lines()] == ["observed agreement", "share of steps accepted"]
    assert axes.get_lines()[0].get_xdata()[-1] == found.steps


def test_without_matplotlib_the_error_says_how_to_install_it(monkeypatch):
    """The message contains the pip command that installs the extra."""
    import sys

    found = anneal(km.example("rapallo2022"), weights="linear", trace=20, rng=1)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(km.errors.NotSupportedError, match=r'pip install "kappamax\[plot\]"'):
        found.trace.plot()


def test_a_search_of_very_many_subjects_needs_a_maximum_number_of_steps():
    """A step moves two subjects, so a search without a maximum would take years."""
    table = km.from_counts([[10**9, 5], [3, 10**9]])
    with pytest.raises(
        km.errors.InvalidOptionError, match=r"a search of 2e\+09 subjects, .* without max_steps, anneal is"
    ):
        km.anneal(table)
    found = km.anneal(table, method=km.annealing.MoveMethod(max_steps=100), rng=1)
    assert found.steps == 100
    with pytest.raises(
        km.errors.NotSupportedError, match=r"2e\+09 single subjects would take .*; the limit is 1 GB\. With"
    ):
        km.anneal(table, method="swaps")
