"""Schedules give the right temperatures and are restored from plain data."""

import numpy as np
import pytest

import kappamax as km
from kappamax.annealing.schedules import SCHEDULES, schedule_from

ALL = [
    km.annealing.Geometric(5, 0.75),
    km.annealing.Linear(2, 50),
    km.annealing.Logarithmic(0.3),
    km.annealing.Constant(0.1),
]


@pytest.mark.parametrize("schedule", ALL)
def test_temperatures_do_not_depend_on_where_blocks_start(schedule):
    """Temperatures computed in parts equal those computed at once, and they never increase."""
    whole = schedule.temperatures(0, 20_000)
    parts = [schedule.temperatures(start, 8_000) for start in (0, 8_000, 16_000)]
    assert (np.concatenate(parts)[:20_000] == whole).all()
    assert (np.diff(whole) <= 0).all()
    assert (whole >= 0).all()


def test_temperatures_by_hand():
    """The first step has the first temperature, as in the pseudo-code."""
    assert km.annealing.Geometric(4, 0.5).temperatures(1, 3).tolist() == [2, 1, 0.5]
    assert km.annealing.Linear(3, 3).temperatures(0, 5).tolist() == [3, 2, 1, 0, 0]
    assert km.annealing.Constant(0.2).temperatures(5, 2).tolist() == [0.2, 0.2]
    assert km.annealing.Logarithmic(2).temperatures(2, 1).tolist() == [1.0]  # 2 log 2 / log 4
    assert km.annealing.Geometric(1, 1).temperatures(9, 2).tolist() == [1, 1]


def test_geometric_temperatures_are_powers():
    """Temperatures equal start * factor^b, however the steps are divided into blocks."""
    steps = np.arange(700.0, 1_500.0)
    assert km.annealing.Geometric(3, 0.94).temperatures(700, 800) == pytest.approx(3 * 0.94**steps, rel=1e-14)


@pytest.mark.parametrize("schedule", ALL)
def test_schedules_are_restored_from_plain_data(schedule):
    """Converting a schedule to a dictionary and back gives an equal schedule."""
    assert schedule_from(schedule.to_dict()) == schedule
    assert schedule.to_dict()["kind"] in SCHEDULES


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: km.annealing.Geometric(0), r"start must be > 0; got 0"),
        (lambda: km.annealing.Geometric(1, 1.5), r"factor must be above 0 and at most 1; got 1\.5"),
        (lambda: km.annealing.Linear(1, 0), r"steps must be a whole number >= 1; got 0"),
        (lambda: km.annealing.Constant(-1), r"temperature must be >= 0; got -1"),
        (lambda: schedule_from({"kind": "geometrical"}), r"schedule\.kind must be one of .* Did you mean 'geometric'"),
        (
            lambda: schedule_from({"kind": "linear", "stop": 3}),
            r"'linear' has no parameter 'stop'; it has 'start', 'steps'",
        ),
    ],
)
def test_parameters_of_schedules_are_checked(make, message):
    """Each error names the argument and the rule."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        make()
