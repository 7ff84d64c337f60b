"""Hold the number of subjects that a comparison of two coefficients needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kappamax._result import Result
from kappamax.planning import comparison_text


@dataclass(frozen=True, repr=False)
class ComparisonSampleSize(Result):
    """Number of subjects that a comparison of two coefficients needs, and the assumptions behind it.

    Attributes
    ----------
    coefficients, titles, weights : tuple of two strings
        Short names of the two coefficients, their names as titles, and the names of their weights.
    n_subjects : int
        Number of all subjects.
    n_first, n_second : int
        Numbers of subjects of the first and of the second coefficient, which are the same subjects if `paired` is true.
    paired : bool
        Whether both coefficients are computed from the same subjects. If not, they are those of independent groups.
    source : {"pilot", "assumed"}
        Whether the standard deviations are those of pilot ratings or of assumed tables.
    first, second : float
        Assumed values of the two coefficients.
    difference : float
        Assumed difference ``first - second``.
    first_sd, second_sd : float
        Square root of N times the large-sample standard error of each coefficient.
    correlation : float or None
        Correlation of the two estimates; None for independent groups, or if one of them does not vary.
    expected_se : float
        Standard error of the difference with this number of subjects.
    width, level : float or None
        Width and confidence level of the interval for the difference; None for a test.
    expected_width : float or None
        Width of the interval that the formula expects; None for a test.
    power : float or None
        Power of the test; None for an interval.
    alternative : {"two-sided", "non-inferiority", "equivalence"} or None
        Alternative hypothesis; None for an interval.
    margin : float or None
        Smallest difference that matters; None for a two-sided test and for an interval.
    alpha : float or None
        Significance level; None for an interval.
    expected_power : float or None
        Power that the formula expects; None for an interval.
    notes : tuple of str
        Reasons why the result may be inaccurate.
    """

    coefficients: tuple[str, str]
    titles: tuple[str, str]
    weights: tuple[str, str]
    n_subjects: int
    n_first: int
    n_second: int
    paired: bool
    source: str
    first: float
    second: float
    difference: float
    first_sd: float
    second_sd: float
    correlation: float | None
    expected_se: float
    width: float | None
    level: float | None
    expected_width: float | None
    power: float | None
    alternative: str | None
    margin: float | None
    alpha: float | None
    expected_power: float | None
    notes: tuple[str, ...]

    def sentences(self) -> list[str]:
        """Return sentences that give the number of subjects and the assumptions.

        Returns
        -------
        list of str
        """
        return comparison_text.sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields and the sentences as plain data for JSON.

        Returns
        -------
        dict
        """
        return super().to_dict() | {"sentences": self.sentences()}

    def _rows(self) -> list[tuple[str, str]]:
        return comparison_text.rows(self)
