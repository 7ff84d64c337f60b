"""Every item of the paper's page has a verdict that changes when the computation behind it does."""

from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest

import kappamax as km
from kappamax._rootsum import RootSum
from kappamax.fibers.fiber import Fiber
from kappamax.fibers.moves import Kind, Move
from kappamax.paper import check, definitions, maxima, moves, shared_kappa, statements
from kappamax.paper.study import comparison
from kappamax.paper.study.claims import claims_from
from kappamax.weights import Weights
from tests.support.stored_study import SECONDS, stored_cooling, stored_rows


def shifted(function, *names, by=0.01):
    """Return the function with some numbers of its result shifted."""

    def moved(*args, **options):
        found = function(*args, **options)
        return replace(found, **{name: getattr(found, name) + by for name in names})

    return moved


def growing(function, name="value"):
    """Return the function with a result that grows with every call."""
    calls = count(1)

    def moved(*args, **options):
        return SimpleNamespace(**{name: next(calls)} | {"exact": next(calls), "observed_agreement": next(calls)})

    return moved


def other_weights(monkeypatch, swapped):
    """Exchange the named weights."""
    own = Weights.from_scheme
    monkeypatch.setattr(definitions, "Weights", SimpleNamespace(from_scheme=lambda name, k: own(swapped[name], k)))


def swapped_weights(monkeypatch):
    swapped = {"quadratic": "linear", "linear": "quadratic", "unweighted": "sqrt", "sqrt": "unweighted"}
    other_weights(monkeypatch, swapped)


def broken_weights(monkeypatch):
    def broken(name, k):
        return SimpleNamespace(matrix=2 - 2 * np.eye(k), metric=False, additive=False)

    monkeypatch.setattr(definitions, "Weights", SimpleNamespace(from_scheme=broken))


def metric_weights(monkeypatch):
    other_weights(monkeypatch, dict.fromkeys(("quadratic", "linear", "sqrt", "unweighted"), "sqrt"))


def other_maximum(module):
    def mutate(monkeypatch):
        found = SimpleNamespace(maximum=1, exact_maximum=1, proven=True)
        monkeypatch.setattr(module, "max_kappa", lambda *args, **options: found)

    return mutate


def other_kappa(module):
    return lambda monkeypatch: monkeypatch.setattr(module, "kappa", shifted(module.kappa, "value"))


def rising_kappa(module):
    return lambda monkeypatch: monkeypatch.setattr(module, "kappa", growing(module.kappa))


def falling_kappa(monkeypatch):
    calls = count()
    monkeypatch.setattr(maxima, "kappa", lambda *args, **options: SimpleNamespace(value=-next(calls) % 2))


def other_agreement(monkeypatch):
    monkeypatch.setattr(definitions, "agreement", shifted(definitions.agreement, "value"))


def other_symbol(monkeypatch):
    monkeypatch.setitem(definitions._SYMBOLS, "linear", "kappa_l")


def other_example(module, counts=((1, 2), (3, 4))):
    return lambda monkeypatch: monkeypatch.setattr(module, "example", lambda name: km.from_counts(counts))


def no_kind(monkeypatch):
    monkeypatch.setattr(Move, "kind", Kind("?", 0, None, "none"))


def no_projection(monkeypatch):
    monkeypatch.setattr(Move, "project", lambda self, first, second: None)


def wrong_projection(monkeypatch):
    own = Move.project
    monkeypatch.setattr(Move, "project", lambda self, first, second: own(self, second, first))


def more_change(monkeypatch):
    own = Move.change
    monkeypatch.setattr(Move, "change", lambda self, weights: own(self, weights) + RootSum(10))


def always_lowers(monkeypatch):
    monkeypatch.setattr(Move, "effect", lambda self, weights: "lowers")


def no_step(monkeypatch):
    monkeypatch.setattr(Move, "after", lambda self, table: table)


def few_moves(module):
    def mutate(monkeypatch):
        own = module.basic_moves
        monkeypatch.setattr(module, "basic_moves", lambda k, r=2: list(own(k, r))[:2])

    return mutate


def all_exchanged(monkeypatch):
    monkeypatch.setattr(moves, "_exchanged", lambda first, second, kept: (first, second))


def more_tables(monkeypatch):
    own = moves.count_tables
    monkeypatch.setattr(moves, "count_tables", lambda *args: own(*args) + 1)


def no_maximizers(monkeypatch):
    monkeypatch.setattr(statements, "iter_maximizers", lambda *args, **options: iter(()))


def plain_weights(monkeypatch):
    monkeypatch.setattr(statements, "_METRIC", (1 - np.eye(4)).tolist())


def one_more_table(monkeypatch):
    own = Fiber.count
    monkeypatch.setattr(Fiber, "count", lambda self: own(self) + 1)


def other_sharing(monkeypatch):
    own = Fiber.same_kappa
    ends = ("minimum", "maximum", "n_at_minimum", "n_at_maximum")

    def same_kappa(self, weights, other=()):
        found = own(self, weights, other=other)
        others = tuple(replace(one, **{name: getattr(one, name) + 1 for name in ends}) for one in found.other)
        return replace(found, value=found.value + 0.01, n_tables=1, other=others)

    monkeypatch.setattr(Fiber, "same_kappa", same_kappa)


def other_maximizers(monkeypatch):
    spread = maxima.maximizer_range
    monkeypatch.setattr(maxima, "maximizer_range", shifted(spread, "minimum", "maximum"))
    monkeypatch.setattr(maxima, "count_maximizers", lambda *args, **options: SimpleNamespace(n=4))
    far = km.from_counts([[0, 0, 0, 33], *[[0] * 4] * 3])
    monkeypatch.setattr(maxima, "iter_maximizers", lambda *args, **options: iter([far]))


def never_made(monkeypatch):
    monkeypatch.setattr(maxima, "move_walk", lambda *args: (1, 0, 0, 0))


def always_made(monkeypatch):
    monkeypatch.setattr(maxima, "move_walk", lambda *args: (1, 1, 0, 0))


def no_cooling(monkeypatch):
    monkeypatch.setattr(maxima, "Geometric", lambda start, factor: km.annealing.Constant(start))


def whole_sweep(monkeypatch):
    own = maxima.sweep_counts
    monkeypatch.setattr(maxima, "sweep_counts", lambda counts, cells, sweep: own(counts, cells, "all"))


def restless_search(monkeypatch):
    own = maxima.anneal
    monkeypatch.setattr(maxima, "anneal", lambda *args, **options: replace(own(*args, **options), settled=0))


def same_moves_everywhere(monkeypatch):
    own = maxima.basic_moves
    monkeypatch.setattr(maxima, "basic_moves", lambda k, r=2: own(3, 2))


def same_share_everywhere(monkeypatch):
    monkeypatch.setattr(maxima, "_applicable", lambda k, r, n: 0.5)


MUTATIONS = {
    definitions.largest_value: [other_maximum(definitions)],
    definitions.independence: [other_kappa(definitions)],
    definitions.two_forms: [other_kappa(definitions)],
    definitions.weights: [swapped_weights, broken_weights, metric_weights],
    definitions.interpretations: [other_kappa(definitions)],
    definitions.symbols: [other_symbol, other_example(definitions)],
    definitions.more_raters: [other_kappa(definitions), other_agreement],
    moves.kinds: [no_kind],
    moves.definition: [few_moves(moves), no_projection, all_exchanged],
    moves.bases: [few_moves(moves), more_tables],
    statements.two_raters: [more_change],
    statements.other_kinds: [always_lowers],
    statements.example_move: [no_step, rising_kappa(statements), other_kappa(statements)],
    statements.diagonal: [no_maximizers, plain_weights],
    statements.more_raters: [no_projection, wrong_projection, more_change],
    shared_kappa.two_raters: [one_more_table, other_sharing],
    shared_kappa.three_raters: [other_example(shared_kappa)],
    shared_kappa.uniqueness: [other_sharing],
    maxima.largest: [other_maximum(maxima), other_maximizers],
    maxima.three_tables: [other_kappa(maxima), rising_kappa(maxima), other_maximizers],
    maxima.transitions: [never_made, always_made, no_cooling],
    maxima.last_step: [falling_kappa, whole_sweep, restless_search],
    maxima.large_tables: [same_moves_everywhere, same_share_everywhere],
}


def verdicts(items):
    """Return the verdict of every item by its place and subject, which must be unique."""
    found = [((item.where, item.what), item.status) for item in items]
    assert len(dict(found)) == len(found)
    return dict(found)


def unmoved(usual, others):
    """Return the items whose verdict is the same in all other lists."""
    return [key for key, status in usual.items() if all(other.get(key) == status for other in others)]


def name_of(part):
    return f"{part.__module__.rpartition('.')[2]}.{part.__name__}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "part",
    [pytest.param(part, id=name_of(part)) for part in check.CHECKS],
)
def test_every_item_has_a_mutation_that_changes_its_verdict(part, monkeypatch):
    """Every part has mutations, and every item is affected by at least one of them."""
    usual = verdicts(part())
    assert usual
    assert set(usual.values()) <= {"reproduced", "corrected"}, usual
    others = []
    for mutate in MUTATIONS[part]:
        with monkeypatch.context() as patched:
            mutate(patched)
            others.append(verdicts(part()))
    assert unmoved(usual, others) == []


@pytest.mark.slow
def test_proposition_5_needs_the_projections(monkeypatch):
    """The proposition is not reproduced without projections or with wrong ones."""
    for mutate in (no_projection, wrong_projection):
        with monkeypatch.context() as patched:
            mutate(patched)
            found = verdicts(statements.more_raters())
        (status,) = (status for (where, _), status in found.items() if where == "Proposition 5")
        assert status == "changed"


def test_every_row_of_the_study_has_a_mutation_that_changes_its_verdict():
    """Longer times, a larger spread or other settings change the verdicts."""
    usual = verdicts(comparison.compare_rows(stored_rows()))
    assert len(usual) == 180
    assert set(usual.values()) == {"reproduced", "not determined"}
    others = [{"scale": 1.2}, {"spread": 2.0}, {"determined": True}]
    assert unmoved(usual, [verdicts(comparison.compare_rows(stored_rows(**one))) for one in others]) == []


def test_every_item_about_the_design_has_a_mutation_that_changes_its_verdict(monkeypatch):
    """Another patience and equal margins change the verdicts."""
    usual = verdicts(comparison.compare_design(stored_rows()))
    assert set(usual.values()) == {"reproduced"}
    scenarios = [replace(row.scenario, stopping=km.annealing.StaleAgreement(7)) for row in stored_rows()]
    rows = [replace(row, scenario=scenario) for row, scenario in zip(stored_rows(), scenarios, strict=True)]
    others = [verdicts(comparison.compare_design(rows))]
    monkeypatch.setattr(comparison, "_drawn_margins", lambda row: np.ones((20, 2, 3)))
    others.append(verdicts(comparison.compare_design(stored_rows())))
    assert unmoved(usual, others) == []


def turned(rows):
    """Return rows with the times of large and small designs exchanged."""
    means = sorted(row.mean for row in rows)
    largest_first = sorted(rows, key=lambda row: -row.mean)
    turned = {id(row): mean for row, mean in zip(largest_first, means, strict=True)}
    return [replace(row, mean=turned[id(row)]) for row in rows]


def alike(rows):
    """Return rows with equal times."""
    return [replace(row, mean=5000.0) for row in rows]


def test_every_sentence_about_the_study_has_a_mutation_that_changes_its_verdict():
    """Each claim has a changed study that changes its verdict."""
    rows, cooling = stored_rows(), stored_cooling()

    def found(rows, cooling, seconds):
        return verdicts(comparison.compare_claims(claims_from(rows, cooling, seconds)))

    usual = found(rows, cooling, SECONDS)
    assert len(usual) == 9
    assert sorted(set(usual.values())) == ["corrected", "reproduced"]
    others = [
        found(turned(rows), cooling, SECONDS),
        found(alike(rows), cooling, SECONDS),
        found(stored_rows(short=False), stored_cooling(apart=1.5), dict.fromkeys(SECONDS, 100.0)),
    ]
    assert unmoved(usual, others) == []


def test_rows_that_are_not_determined_say_nothing_about_the_sentences():
    """The times of these rows do not affect the claims."""
    rows = stored_rows()
    wild = [row if row.determined else replace(row, mean=1.0, below_maximum=1.0, n_below=1000) for row in rows]
    assert claims_from(wild, stored_cooling(), SECONDS) == claims_from(rows, stored_cooling(), SECONDS)


def test_all_items_of_the_page_are_covered_here(monkeypatch):
    """The page has the items of the parts above and no others."""
    assert list(check.CHECKS) == list(MUTATIONS)
    rows = stored_rows()
    claims = claims_from(rows, stored_cooling(), SECONDS)
    study = SimpleNamespace(rows=rows, n_tables=1000, seed=1)
    monkeypatch.setattr(check, "CHECKS", (maxima.transitions,))
    monkeypatch.setattr(check, "run_study", lambda *args, **options: study)
    monkeypatch.setattr(check, "check_claims", lambda *args, **options: claims)
    simulated = [*comparison.compare_claims(claims), *comparison.compare_design(rows), *comparison.compare_rows(rows)]
    assert list(check.check_paper(n_tables=1000).items) == [*maxima.transitions(), *simulated]
