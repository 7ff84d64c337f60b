"""Suggest public names in place of an unknown one such as `km.cohen_kappa`."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType

#: what people type who come from other packages, by parts of the name
_OTHER_WORDS = {
    "pabak": "two_by_two_indices",
    "prevalence": "two_by_two_indices",
    "bias": "two_by_two_indices",
    "positive": "two_by_two_indices or km.specific_agreement",
    "negative": "two_by_two_indices or km.specific_agreement",
    "specific": "specific_agreement",
    "f1": "specific_agreement",
    "percent": "agreement(..., coefficient='percent')",
    "brennan": "agreement(..., coefficient='brennan-prediger')",
    "retest": "intra_rater_agreement",
    "intra_": "intra_rater_agreement",
    "intrarater": "intra_rater_agreement",
    "landis": "benchmark",
    "altman": "benchmark",
    "benchmark": "benchmark",
    "interpret": "benchmark",
    "maximizer": "maximum.iter_maximizers",
    "dependent": "compare_dependent",
    "correlated": "compare_dependent",
    "hotelling": "compare_dependent",
    "strat": "compare_groups",
    "pooled": "compare_groups",
    "trend": "compare_groups",
    "compar": "compare",
    "tables": "fiber",
    "enumerat": "fiber",
    "best_move": "moves.rank_moves",
    "example": "example",
    "matrix": "from_counts or km.Weights.from_matrix",
    "cohen": "kappa",
    "conger": "kappa",
    "fleiss": "agreement(..., coefficient='fleiss')",
    "scott": "agreement(..., coefficient='scott')",
    "gwet": "agreement(..., coefficient='gwet')",
    "ac1": "agreement(..., coefficient='gwet')",
    "ac2": "agreement(..., coefficient='gwet')",
    "krippendorff": "agreement(..., coefficient='krippendorff')",
    "alpha": "agreement(..., coefficient='krippendorff')",
    "intraclass": "icc",
    "icc": "icc",
    "concordance": "icc",
    "light": "pairwise_kappas",
    "pair": "pairwise_kappas",
    "categor": "category_kappas",
    "largest": "max_kappa",
    "max": "max_kappa",
    "read_": "read_ratings",
    "load_": "example",
    "dataset": "example",
    "crosstab": "from_counts",
    "dataframe": "from_ratings",
    "from_frame": "from_ratings",
    "power": "sample_size",
    "n_subjects": "sample_size",
    "permutation": "exact_test",
    "homogen": "marginal_homogeneity",
    "mcnemar": "marginal_homogeneity",
    "stuart": "marginal_homogeneity",
    "bhapkar": "marginal_homogeneity",
    "cochran": "marginal_homogeneity",
    "odds_ratio": "exact_association",
    "fisher": "exact_test or km.exact_association",
    "association": "exact_association",
    "theta": "exact_association",
    "test": "exact_test or km.value_test",
    "chance": "exact_test",
    "confidence": "bootstrap",
    "margins": "fiber",
    "simulated": "anneal",
    "heatmap": "plot.table",
}


def message_for(name: str, names: Iterable[str]) -> str:
    """Return the message of the AttributeError for an unknown name of the package.

    Parameters
    ----------
    name : str
        Unknown name.
    names : iterable of str
        Public names of the package.
    """
    unknown = f"module 'kappamax' has no attribute {name!r}"
    known = list(names)
    if name.startswith("_"):
        return unknown
    places = _in_namespaces(known)
    if name in places:
        return f"{unknown}. It is km.{places[name]}."
    word = next((better for part, better in _OTHER_WORDS.items() if part in name.lower()), None)
    if word is None:
        nearby = {one: place for one, place in places.items() if not place.startswith("results.")}
        close = get_close_matches(name.lower(), [*known, *nearby], n=1, cutoff=0.6)
        word = nearby.get(close[0], close[0]) if close else None
    return unknown if word is None else f"{unknown}. Did you mean km.{word}?"


def _in_namespaces(names: Iterable[str]) -> dict[str, str]:
    """Return the full names of everything in the namespaces by their last parts."""
    found: dict[str, str] = {}
    for space in sorted(names):
        if not space.startswith("_"):
            try:
                module: ModuleType = import_module(f"kappamax.{space}")
            except ModuleNotFoundError:
                continue
            found |= {one: f"{space}.{one}" for one in dir(module) if not one.startswith("_") and one not in found}
    return found
