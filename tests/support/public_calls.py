"""Call every public function with given ratings and weights, with settings that keep each call short."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from typing import Any

import kappamax as km
from kappamax.errors import KappamaxError
from tests.support.extreme_input import Case

_SECONDS = 0.2
_MEMORY = 50_000_000
_WORK = 100_000_000
_FORMULA = km.planning.Formula(variance="estimate", n_draws=0)


def outcome(call: Callable[[Case], Any], case: Case) -> Any:
    """Return what a call returns, shown in every way that results are shown, or the error of kappamax that it raises.

    Any other exception is passed on.
    """
    try:
        found = call(case)
    except KappamaxError as error:
        return error
    for shown in ("__repr__", "_repr_html_", "to_dict"):
        if hasattr(found, shown) and not isinstance(found, type):
            document = getattr(found, shown)()
            if isinstance(document, dict):
                json.dumps(document, default=str, allow_nan=True)
    return found


def _fiber(case: Case) -> Any:
    return km.fiber(case.table, memory_limit=_MEMORY)


def _maximum(case: Case) -> Any:
    return km.max_kappa(case.table, **case.options, time_limit=_SECONDS)


def _few_raters(case: Case) -> km.Table:
    """Return the ratings of at most four raters, for calls without a time limit."""
    return case.table.select(range(min(4, case.table.n_raters)))


def _first_move(case: Case) -> Any:
    ranked = km.moves.rank_moves(case.table, **case.options)
    return ranked[0].move if len(ranked) else None


def _plotted(draw: Callable[[Any], Any]) -> Callable[[Case], Any]:
    """Return a call that draws a picture and closes it."""

    def call(case: Case) -> None:
        import matplotlib as mpl

        mpl.use("Agg")
        from matplotlib import pyplot as plt

        try:
            draw(case)
        finally:
            plt.close("all")

    return call


def _explained(case: Case) -> Any:
    move = _first_move(case)
    return None if move is None else km.moves.explain_move(move, case.weights)


def _anneal(case: Case, method: str) -> Any:
    kind = {"moves": km.annealing.MoveMethod, "swaps": km.annealing.SwapMethod}[method]
    return km.anneal(
        case.table, **case.options, method=kind(max_steps=50), bound_time=_SECONDS, trace=10, rng=case.seed
    )


def _study(case: Case) -> Any:
    table = case.table
    name = case.weights if isinstance(case.weights, str) else "linear"
    scenario = km.paper.Scenario(
        table.n_categories, table.n_raters, n_subjects=table.n_subjects, weights=name, max_steps=20
    )
    return km.paper.run_study([scenario], n_tables=2, rng=case.seed, n_jobs=1)


def _rated(case: Case) -> Any:
    table = case.table
    rows = [[None if code < 0 else table.categories[code] for code in row] for row in table.patterns.tolist()]
    return km.from_ratings(rows)


#: calls by the name of the public function that they are about, with a word after a space where there are several
CALLS: dict[str, Callable[[Case], Any]] = {
    "Table": lambda c: [c.table.pair(0, 1), c.table.dense(), c.table.to_frame(), c.table.labels()],
    "Table.collapse": lambda c: c.table.collapse(c.table.categories[0]),
    "Table.select": lambda c: c.table.select([1, 0]),
    "Weights": lambda c: km.Weights.from_scheme(
        c.weights if isinstance(c.weights, str) else "linear", c.table.n_categories
    ),
    "agreement": lambda c: km.agreement(c.table, **c.options),
    "agreement groups": lambda c: km.agreement(c.table, **c.options, group_size=min(3, c.table.n_raters)),
    "anneal moves": lambda c: _anneal(c, "moves"),
    "anneal swaps": lambda c: _anneal(c, "swaps"),
    "benchmark": lambda c: km.benchmark(km.agreement(c.table, **c.options), scale="fleiss"),
    "bootstrap": lambda c: km.bootstrap(c.table, **c.options, n_resamples=20, rng=c.seed),
    "category_kappas": lambda c: km.category_kappas(c.table),
    "compare_groups": lambda c: km.compare_groups({"1": c.table, "2": c.table}, **c.options, trend=True, n_draws=100),
    "compare_dependent": lambda c: km.compare_dependent(
        c.table,
        kappas=[{"weights": c.weights}, {"weights": "unweighted"}, {"coefficient": "percent"}],
        method=("jackknife", "delta", "bootstrap")[c.seed % 3],
        n_resamples=20,
    ),
    "compare": lambda c: km.compare(c.table, first={"weights": c.weights}, second={"weights": "unweighted"}),
    "exact_association": lambda c: km.exact_association(c.table, **c.options, memory_limit=_MEMORY, work_limit=_WORK),
    "exact_association two-sided": lambda c: km.exact_association(
        c.table, **c.options, null=-0.5, alternative="two-sided", mid_p=True, memory_limit=_MEMORY, work_limit=_WORK
    ),
    "exact_test": lambda c: km.exact_test(c.table, **c.options, n_draws=40, rng=c.seed, memory_limit=_MEMORY),
    "exact_test sampled": lambda c: km.exact_test(
        c.table, **c.options, method="monte-carlo", alternative="two-sided", n_draws=40, rng=c.seed
    ),
    "fiber": lambda c: (repr(_fiber(c)), _fiber(c).table),
    "fiber.count": lambda c: _fiber(c).count(),
    "fiber.tables": lambda c: list(islice(_fiber(c).tables(), 3)),
    "fiber.distribution": lambda c: _fiber(c).distribution(c.weights, coefficient=c.coefficient),
    "fiber.joint_distribution": lambda c: _fiber(c).joint_distribution(c.weights, "unweighted"),
    "fiber.same_kappa": lambda c: _fiber(c).same_kappa(c.weights, other="unweighted"),
    "fiber.level_set": lambda c: _fiber(c).level_set(c.weights, excursion=2),
    "fiber.sample": lambda c: _fiber(c).sample(3, rng=c.seed),
    "fiber.iter_sample": lambda c: list(_fiber(c).iter_sample(2, rng=c.seed)),
    "fiber.walk": lambda c: _fiber(c).walk(40, weights=c.weights, rng=c.seed),
    "fiber.walk uniform": lambda c: _fiber(c).walk(40, weights=c.weights, target="uniform", tilt=-0.5, rng=c.seed),
    "fiber.walk held": lambda c: _fiber(c).walk(20, weights="unweighted", held=c.weights, excursion=2, rng=c.seed),
    "from_counts": lambda c: km.from_counts(c.table.dense(), categories=c.table.categories),
    "from_ratings": _rated,
    "icc": lambda c: km.icc(c.table),
    "icc positions": lambda c: km.icc(c.table, positions=[3 * i * i - i for i in range(c.table.n_categories)]),
    "intra_rater_agreement": lambda c: km.intra_rater_agreement(c.table, **c.options, occasions={"A": [0, 1]}, rng=1),
    "jackknife": lambda c: km.jackknife(c.table, **c.options),
    "kappa": lambda c: km.kappa(c.table, weights=c.weights),
    "leave_one_out": lambda c: km.leave_one_out(c.table, **c.options),
    "marginal_homogeneity": lambda c: km.marginal_homogeneity(c.table, n_draws=40, rng=c.seed),
    "marginal_homogeneity bhapkar": lambda c: km.marginal_homogeneity(c.table, method="bhapkar"),
    "marginal_homogeneity stuart-maxwell": lambda c: km.marginal_homogeneity(c.table, method="stuart-maxwell"),
    "marginal_homogeneity permutation": lambda c: km.marginal_homogeneity(
        c.table, method="permutation", n_draws=40, rng=c.seed
    ),
    "max_kappa": _maximum,
    "pairwise_kappas": lambda c: km.pairwise_kappas(c.table, weights=c.weights),
    "report": lambda c: km.report(c.table, **c.options, time_limit=_SECONDS),
    "report_groups": lambda c: km.report_groups([("only", c.table)], weights=c.weights, time_limit=_SECONDS),
    "sample_size": lambda c: km.sample_size(c.table, **c.options, width=0.1, method=_FORMULA),
    "sample_size power": lambda c: km.sample_size(c.table, **c.options, power=0.8, null=0.1, method=_FORMULA),
    "planning.compare_sample_size": lambda c: km.planning.compare_sample_size(
        c.table, first={}, second={"coefficient": "gwet"}, width=0.1
    ),
    "specific_agreement": lambda c: km.specific_agreement(c.table),
    "standard_error": lambda c: km.standard_error(c.table, **c.options),
    "two_by_two_indices": lambda c: km.two_by_two_indices(c.table.select([0, 1]).collapse(c.table.categories[0])),
    "value_test": lambda c: km.value_test(c.table, **c.options, null=0.25),
    "value_test zero": lambda c: km.value_test(c.table, **c.options, alternative="two-sided"),
    "equivalence_test": lambda c: km.equivalence_test(c.table, **c.options, low=-0.5, high=0.75),
    "verify": lambda c: km.verify(_maximum(c)),
    "maximum.bootstrap_ratio": lambda c: km.maximum.bootstrap_ratio(
        _few_raters(c), **c.options, n_resamples=2, rng=c.seed
    ),
    "maximum.share_of_maximum": lambda c: km.maximum.share_of_maximum(
        _few_raters(c), **c.options, n_resamples=2, rng=c.seed
    ),
    "maximum.count_maximizers": lambda c: km.maximum.count_maximizers(_maximum(c)),
    "maximum.disagreement_split": lambda c: km.maximum.disagreement_split(c.table, weights=c.weights),
    "maximum.iter_maximizers": lambda c: list(islice(km.maximum.iter_maximizers(_maximum(c)), 2)),
    "maximum.maximizer_range": lambda c: km.maximum.maximizer_range(_maximum(c)),
    "moves.basic_moves": lambda c: km.moves.basic_moves(c.table.n_categories, c.table.n_raters),
    "moves.minimal_moves": lambda c: km.moves.minimal_moves(c.table.n_categories, c.table.n_raters),
    "moves.explain_move": _explained,
    "moves.rank_moves": lambda c: km.moves.rank_moves(c.table, **c.options),
    "paper.run_study": _study,
    "plot.table": _plotted(lambda c: km.plot.table(c.table)),
    "plot.maximum": _plotted(lambda c: km.plot.maximum(_maximum(c))),
    "plot.distribution": _plotted(lambda c: km.plot.distribution(_fiber(c).distribution(c.weights))),
    "plot.trace": _plotted(lambda c: km.plot.trace(_anneal(c, "moves"))),
    "plot.study": _plotted(lambda c: km.plot.study(_study(c))),
}

#: public functions that do not take ratings: they read files, or have no argument that could be extreme
WITHOUT_RATINGS = {
    "example",
    "inspect",
    "read_ratings",
    "datasets.example",
    "paper.check_claims",
    "paper.check_paper",
    "paper.paper_scenarios",
    "paper.read_scenarios",
}
