"""Provide disagreement weights: the named schemes, positions on a scale and weights of your own, all exact."""

from __future__ import annotations

from kappamax.weights.pair_weights import PairWeights, WeightsLike, as_weights
from kappamax.weights.schemes import SCHEMES
from kappamax.weights.weights import Weights

__all__ = ["SCHEMES", "PairWeights", "Weights", "WeightsLike", "as_weights"]
