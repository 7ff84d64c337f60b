"""Suggestions for misspelt names."""

import pytest

import kappamax as km
from kappamax._validate import as_choice, did_you_mean
from kappamax.annealing.methods import METHODS as PROPOSALS
from kappamax.annealing.methods import MOVE_SETS
from kappamax.coefficients import COEFFICIENTS
from kappamax.fibers.distribution import ALTERNATIVES, TWO_SIDED
from kappamax.weights.weights import KINDS


@pytest.mark.parametrize(
    ("name", "known", "suggested"),
    [
        ("twosided", ALTERNATIVES, "two-sided"),
        ("graeter", ALTERNATIVES, "greater"),
        ("agree", KINDS, "agreement"),
        ("disagree", KINDS, "disagreement"),
        ("dissagreement", KINDS, "disagreement"),
        ("minmal", tuple(MOVE_SETS), "minimal"),
        ("krippendorf", tuple(COEFFICIENTS), "krippendorff"),
        ("probabilty", TWO_SIDED, "probability"),
        ("swap", tuple(PROPOSALS), "swaps"),
    ],
)
def test_the_closest_name_is_suggested(name, known, suggested):
    """A misspelt name is answered by the name that was meant."""
    with pytest.raises(km.errors.InvalidOptionError, match=f"Did you mean '{suggested}'"):
        as_choice("argument", name, known)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("one-sided", ALTERNATIVES),
        ("onesided", ALTERNATIVES),
        ("maximal", tuple(MOVE_SETS)),
        ("weighted", ("unweighted",)),
        ("unweighted", ("weighted",)),
        ("squared", ("sqrt",)),
        ("sqrt", ("squared",)),
        ("agreement", ("disagreement",)),
        ("disagreement", ("agreement",)),
        ("nonlinear", ("linear",)),
        ("exact", ("inexact",)),
    ],
)
def test_the_opposite_is_not_suggested(name, known):
    """A name that is close in spelling and opposite in meaning is no suggestion."""
    assert did_you_mean(name, known) == ""
