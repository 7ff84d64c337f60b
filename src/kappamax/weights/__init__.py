"""Provide disagreement weights by name, from positions on a scale or from a matrix."""

from __future__ import annotations

from kappamax.weights.pair_weights import PairWeights, WeightsLike, as_weights
from kappamax.weights.schemes import KRIPPENDORFF_ORDINAL, SCHEMES, as_scheme, spelled, terms_of
from kappamax.weights.weights import Weights, from_terms

__all__ = [
    "KRIPPENDORFF_ORDINAL",
    "SCHEMES",
    "PairWeights",
    "Weights",
    "WeightsLike",
    "as_scheme",
    "as_weights",
    "from_terms",
    "spelled",
    "terms_of",
]
