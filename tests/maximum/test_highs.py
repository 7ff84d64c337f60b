"""Tests of linear and integer programs with HiGHS."""

import numpy as np
import pytest

from kappamax.maximum.highs import LinearProgram, solve_integer, solve_linear
from kappamax.maximum.problem import Watch

ROWS = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 2.0]])
SIDES = np.array([2.0, 3.0])


def test_a_linear_program_by_hand():
    """x = (0, 2, 1/2) costs 1.5, x = (2, 0, 3/2) costs 3.5: the first is the least, with prices (1/2, 1/2)."""
    amounts, prices = solve_linear(np.array([1.0, 0.5, 1.0]), ROWS, SIDES, Watch())
    assert amounts == pytest.approx([0, 2, 0.5])
    assert prices @ SIDES == pytest.approx(1.5)
    assert (np.array([1.0, 0.5, 1.0]) - prices @ ROWS >= -1e-9).all()


def test_whole_amounts():
    """With whole amounts, only (1, 1, 1) is possible."""
    assert solve_integer(np.array([1.0, 0.5, 1.0]), ROWS, SIDES, Watch()) == pytest.approx([1, 1, 1])
    assert solve_integer(np.array([1.0]), np.array([[2.0]]), np.array([3.0]), Watch()) is None


def test_added_columns_change_the_optimum():
    """A cheaper column that is added later enters the solution, whatever the sizes of costs and sides."""
    from scipy.sparse import csc_array

    program = LinearProgram(SIDES * 1e9, 1e6)
    program.add(np.array([1e6, 1e6]), csc_array(np.eye(2)))
    assert program.solve(Watch())[0] == pytest.approx([2e9, 3e9])
    program.add(np.array([1.0]), csc_array(np.array([[1.0], [1.0]])))
    assert program.solve(Watch())[0] == pytest.approx([0, 1e9, 2e9])


def test_a_time_limit_counts_from_now():
    """A program that has already run may still use the time that is left."""
    from scipy.sparse import csc_array

    program = LinearProgram(SIDES, 1.0)
    program.add(np.ones(3), csc_array(ROWS))
    for _ in range(3):
        assert program.solve(Watch(10)) is not None
