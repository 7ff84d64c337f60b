"""Provide disagreement weights: the named schemes, positions on a scale and weights of your own, all exact."""

from __future__ import annotations

from kappamax.weights.weights import SCHEMES, PairWeights, Weights, WeightsLike, as_weights

__all__ = ["SCHEMES", "PairWeights", "Weights", "WeightsLike", "as_weights"]
