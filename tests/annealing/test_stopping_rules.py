"""Stopping rules have the right patience and are restored from plain data."""

import pytest

import kappamax as km
from kappamax.annealing.stopping_rules import STOPPINGS, stopping_from

RULES = [
    km.annealing.StaleAgreement(),
    km.annealing.StaleAgreement(7),
    km.annealing.StaleMoves(30),
    km.annealing.FixedSteps(12),
]


def test_patience_of_the_paper():
    """The default patience is c = max(10 #M, 1000), where #M is the number of moves."""
    assert [km.annealing.StaleAgreement().patience_for(n) for n in (18, 200, 9_000)] == [1_000, 2_000, 90_000]
    assert km.annealing.StaleAgreement(5).patience_for(9_000) == 5
    assert km.annealing.StaleMoves().patience_for(9_000) == 1_000
    assert (km.annealing.FixedSteps(9).patience_for(3), km.annealing.FixedSteps(9).limit) == (0, 9)


@pytest.mark.parametrize("rule", RULES)
def test_stopping_rules_are_restored_from_plain_data(rule):
    """Converting a rule to a dictionary and back gives an equal rule."""
    assert stopping_from(rule.to_dict()) == rule
    assert rule.to_dict()["kind"] in STOPPINGS


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: km.annealing.StaleAgreement(0), r"patience must be a whole number >= 1; got 0"),
        (lambda: stopping_from("fixed"), r"stopping must be a mapping whose kind is one of 'stale-agreement'"),
    ],
)
def test_parameters_of_stopping_rules_are_checked(make, message):
    """Each error names the argument and the rule."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        make()
