"""Hold the number of subjects that a study needs, with the assumptions behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kappamax._result import Result
from kappamax.planning import text
from kappamax.planning.goals import SimulatedStudies
from kappamax.table import Table


@dataclass(frozen=True, repr=False)
class SampleSize(Result):
    """Number of subjects that a study needs, and the assumptions behind it, with unrounded numbers.

    Attributes
    ----------
    coefficient, title : str
        Short name of the coefficient, and its name as a title.
    weights : str
        Name of the weights.
    n_subjects : int
        Number of subjects.
    n_subjects_se : float or None
        Monte Carlo standard error of `n_subjects`; None for the method "formula".
    n_formula : int
        Number of subjects by the formula.
    n_range : tuple of two ints, or None
        Smallest and largest number of subjects that the formula gives for the assumed table and for the tables with the
        smallest and the largest standard errors that the assumed margins and value allow; None for pilot ratings or if
        there are more than 4,000 possible patterns.
    method : {"formula", "simulation"}
        Method by which `n_subjects` was found.
    joint : {"mixture", "widest", "pilot"}
        Assumed table; "pilot" stands for the table of the pilot ratings.
    assumed : float
        Assumed value of the coefficient.
    maximum : float or None
        Largest value that the assumed margins allow; None if ratings are missing or too many patterns are possible.
    width, level : float or None
        Width and confidence level of the interval; None for a test.
    expected_width : float or None
        Width, before truncation, of the interval of a study with `n_subjects` and the proportions of the assumed table;
        None for a test, or if less than one subject with ratings to compare is expected.
    expected_ci : tuple of two floats, or None
        Limits of this interval, truncated to the range of the coefficient; None if `expected_width` is None.
    assurance : float or None
        Requested probability that the interval is no wider than `width`; None for a mean width and for a test.
    expected_assurance : float or None
        Probability that the formula expects with `n_subjects`; None unless `assurance` is given.
    power, null, alternative, alpha, variance : float or str, or None
        Power, null value, alternative hypothesis, significance level and standard error of the test; None for an
        interval.
    expected_power : float or None
        Power that the formula expects with `n_subjects`; None for an interval.
    sd : float
        Square root of N times the large-sample standard error at the assumed table.
    null_sd : float or None
        The same at the table with the null value; None for an interval or if there is no such table.
    critical_value : float or None
        Critical value of the coefficient. A study with `n_subjects` rejects if its value is above it (or below it, if
        the assumed value is below the null value). None unless the test uses the standard error under the null value.
    n_raters, n_categories : int
        Numbers of raters and of categories.
    studies : SimulatedStudies or None
        Results of simulated studies with `n_subjects`; None if no studies were simulated.
    notes : tuple of str
        Reasons why the result may be inaccurate.
    table : Table
        Assumed table, of which only the proportions are meaningful. `to_dict` returns them as shares.
    n_clusters : int or None
        Number of clusters of the subjects; None if subjects are independent.
    cluster_size, cluster_cv : float or None
        Mean number of subjects per cluster, and the coefficient of variation of these numbers; None if subjects are
        independent.
    icc : float or None
        Correlation of the contributions of two subjects of a cluster to the coefficient; None if subjects are
        independent.
    design_effect : float or None
        Variance of the coefficient divided by its variance if subjects were independent; None if they are.
    pilot_design_effect : float or None
        Design effect in the pilot ratings if `icc` was estimated from them, otherwise None.
    """

    coefficient: str
    title: str
    weights: str
    n_subjects: int
    n_subjects_se: float | None
    n_formula: int
    n_range: tuple[int, int] | None
    method: str
    joint: str
    assumed: float
    maximum: float | None
    width: float | None
    level: float | None
    expected_width: float | None
    expected_ci: tuple[float, float] | None
    assurance: float | None
    expected_assurance: float | None
    power: float | None
    null: float | None
    alternative: str | None
    alpha: float | None
    variance: str | None
    expected_power: float | None
    sd: float
    null_sd: float | None
    critical_value: float | None
    n_raters: int
    n_categories: int
    studies: SimulatedStudies | None
    notes: tuple[str, ...]
    table: Table = field(repr=False)
    n_clusters: int | None = None
    cluster_size: float | None = None
    cluster_cv: float | None = None
    icc: float | None = None
    design_effect: float | None = None
    pilot_design_effect: float | None = None

    def sentences(self) -> list[str]:
        """Return sentences that give the number of subjects, the results of simulated studies and the assumptions.

        Returns
        -------
        list of str
        """
        return text.sentences(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain data for JSON, where the assumed table has shares instead of counts.

        Returns
        -------
        dict
        """
        table = self.table.to_dict()
        table["shares"] = [count / self.table.n_subjects for count in self.table.counts.tolist()]
        del table["counts"]
        return super().to_dict() | {"sentences": self.sentences(), "table": table}

    def _rows(self) -> list[tuple[str, str]]:
        return text.rows(self)
