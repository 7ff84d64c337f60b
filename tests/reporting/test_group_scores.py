"""The scores of ordered groups are read from their names."""

import pytest

from kappamax.reporting.group_scores import scores_of


@pytest.mark.parametrize(
    ("names", "scores", "unit"),
    [
        (["1", "2", "10"], [1, 2, 10], "unit"),
        (["-1.5", "+2"], [-1.5, 2], "unit"),
        (["week 2", "week 10"], [2, 10], "unit"),
        (["site-1", "site-2"], [1, 2], "unit"),  # a hyphen is no sign
        (["data/w1.csv", "data/w12.csv"], [1, 12], "unit"),
        (["2026/week08.csv", "2026/week10.csv"], [8, 10], "unit"),
        (["v1.25", "v1.5"], [1.25, 1.5], "unit"),
        (["part.1", "part.10"], [1, 10], "unit"),
        (["3rd round", "4th round"], [1, 2], "group"),
        (["3a", "13a"], [3, 13], "unit"),
        (["2026-01-31", "2026-03-01"], [0, 29], "day"),
        (["2025-W52", "2026-W01", "2026-W10"], [0, 1, 10], "week"),
        (["2026W1", "2026W2"], [0, 1], "week"),
        (["2025-11", "2026-02"], [0, 3], "month"),
        (["2025-Q4", "2026-Q1"], [0, 1], "quarter"),
        (["2026", "2024"], [2026, 2024], "unit"),
        (["before", "after"], [1, 2], "group"),
        (["week 1", "month 2"], [1, 2], "group"),
        (["2026-02-30", "2026-03-01"], [1, 2], "group"),  # there is no such day
        (["2026-W54", "2026-W01"], [54, 1], "unit"),  # nor such a week
        (["1", "x"], [1, 2], "group"),
        (["9" * 400, "1"], [1, 2], "group"),
    ],
)
def test_scores_by_name(names, scores, unit):
    """Dates are counted from the first one, numbers are taken as they are, and other names have positions."""
    found = scores_of(names)
    assert found.values == pytest.approx(scores)
    assert found.unit == unit
