"""Provide disagreement weights by name, from positions on a scale or from a matrix."""

from __future__ import annotations

from kappamax.weights.pair_weights import PairWeights, WeightsLike, as_weights
from kappamax.weights.schemes import SCHEMES
from kappamax.weights.weights import Weights

__all__ = ["SCHEMES", "PairWeights", "Weights", "WeightsLike", "as_weights"]
