"""Estimate the covariances of several coefficients of the same subjects, and the distribution of their differences.

The covariances come from the delta method, from the jackknife or from the bootstrap. The statistics of the first two
are compared with Student's t and the F distribution. The bootstrap compares each statistic with its distribution over
the resamples, in each of which it is divided by the standard error of that resample. A resample in which the statistic
is undefined, or its standard error is zero, counts as more extreme than the sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from kappamax._parallel import run_tasks
from kappamax._progress import Progress, ProgressLike, as_progress
from kappamax._typing import Array, Floats
from kappamax._validate import as_choice, as_generator, as_whole_number
from kappamax.cluster_resampling import resampled_units
from kappamax.hotelling import EqualityTest, Resampled, differences_of, equality_test, studentised
from kappamax.joint_coefficients import Deviations, JointCoefficients

METHODS = ("jackknife", "delta", "bootstrap")
_MOST_RESAMPLES = 10_000_000
_RESAMPLES_PER_BLOCK = 100
_MOST_LEFT_OUT = 1_000_000_000  # subjects; if there are more, one of them changes a coefficient too little for doubles
_SLOPES_AT_ONCE = 5_000_000  # largest number of slopes or units of resamples that are held together


class Settings(NamedTuple):
    """Method by which covariances are estimated, and how resamples are drawn."""

    method: str
    n_resamples: int
    rng: np.random.Generator
    n_jobs: int
    progress: Progress | None


def as_settings(
    method: str, n_resamples: int, rng: np.random.Generator | int | None, n_jobs: int, progress: ProgressLike
) -> Settings:
    """Return the checked settings of a public function."""
    return Settings(
        as_choice("method", method, METHODS),
        as_whole_number("n_resamples", n_resamples, 2, _MOST_RESAMPLES),
        as_generator(rng),
        n_jobs,
        as_progress(progress),
    )


@dataclass(frozen=True)
class JointEstimates:
    """Coefficients of the same subjects with their covariances.

    Attributes
    ----------
    joint : JointCoefficients
        The K coefficients.
    method : str
        Method by which the covariances were estimated.
    deviations : Deviations or None
        Deviations whose products are the covariances; None if there are none.
    studentising : Deviations or None
        Deviations that give the standard errors in the statistics, which are those of the delta method for the
        bootstrap and `deviations` otherwise.
    reason : str or None
        Why there are no covariances.
    resampled : Resampled or None
        Statistics of the resamples; None if the method is not the bootstrap.
    """

    joint: JointCoefficients
    method: str
    deviations: Deviations | None
    studentising: Deviations | None
    reason: str | None = None
    resampled: Resampled | None = None

    @property
    def values(self) -> Floats:
        """The coefficients, shape (K,)."""
        return self.joint.values

    @property
    def df(self) -> int:
        """Degrees of freedom of the standard errors."""
        return self.joint.n_units - 1

    @property
    def n_undefined(self) -> int | None:
        """Number of resamples in which a coefficient is undefined; None if the method is not the bootstrap."""
        return None if self.resampled is None else int(np.isnan(self.resampled.values).any(axis=1).sum())

    def equality(self) -> EqualityTest | None:
        """Return the test of whether all coefficients are equal, or None if there are no covariances."""
        if self.deviations is None or self.studentising is None:
            return None
        return _equality(self.values, self.studentising)


def joint_estimates(joint: JointCoefficients, settings: Settings) -> JointEstimates:
    """Return coefficients with their covariances by the method of the settings."""
    _ = joint.values  # raises an error if one of them is undefined
    method, unit = settings.method, "subject" if joint.table.clusters is None else "cluster"
    if joint.n_units < 2:
        reason = f"fewer than two {unit}s have ratings to compare, so there is no standard error"
        return JointEstimates(joint, method, None, None, reason)
    if method == "jackknife" and joint.table.n_subjects > _MOST_LEFT_OUT:
        method = "delta"
    if method == "jackknife":
        left_out = joint.jackknife_deviations()
        if left_out is None:
            reason = f"a coefficient is undefined without one {unit}, so there is no jackknife standard error"
            return JointEstimates(joint, method, None, None, reason)
        return JointEstimates(joint, method, left_out, left_out)
    slopes = joint.delta_deviations()
    if method == "delta":
        return JointEstimates(joint, method, slopes, slopes)
    resampled = _resampled(joint, slopes, settings)
    defined = resampled.values[~np.isnan(resampled.values).any(axis=1)]
    if len(defined) < 2:
        reason = "fewer than two resamples have all coefficients, so there is no bootstrap standard error"
        return JointEstimates(joint, method, None, slopes, reason, resampled)
    spread = Deviations(defined - defined.mean(axis=0), np.full(len(defined), 1 / (len(defined) - 1)))
    return JointEstimates(joint, method, spread, slopes, None, resampled)


def _equality(values: Array, deviations: Deviations) -> EqualityTest:
    from_first = np.vstack([np.ones(len(values) - 1), -np.eye(len(values) - 1)])
    return equality_test(values, *deviations, deviations.of(from_first).errors())


def _resampled(joint: JointCoefficients, slopes: Deviations, settings: Settings) -> Resampled:
    """Return the statistics of all resamples, which do not depend on the number of processes."""
    basis = _equality(joint.values, slopes).basis
    errors = slopes.of(differences_of(len(joint.values))).errors()
    n = settings.n_resamples
    sizes = [min(_RESAMPLES_PER_BLOCK, n - start) for start in range(0, n, _RESAMPLES_PER_BLOCK)]
    tasks = ((joint, basis, errors, size, settings.rng.spawn(1)[0]) for size in sizes)
    blocks, done = [], 0
    for block in run_tasks(_block, tasks, settings.n_jobs):
        blocks.append(block)
        done += len(block.values)
        if settings.progress is not None:
            settings.progress(done, n, "resampling")
    return _joined(blocks)


def _block(joint: JointCoefficients, basis: Array, errors: Array, size: int, rng: np.random.Generator) -> Resampled:
    """Return the statistics of a block of resamples, in parts if there are many patterns or clusters."""
    wide = max(len(joint.table.counts), 0 if joint.by_cluster is None else joint.by_cluster.shape[0])
    part = max(1, _SLOPES_AT_ONCE // (wide * len(joint.values)))
    by_pattern = None if joint.by_cluster is None else joint.by_cluster.T.tocsr()
    parts = []
    for start in range(0, size, part):
        units = resampled_units(joint.table, min(part, size - start), rng)
        counts = units if by_pattern is None else (by_pattern @ units.T).T
        values = joint.values_at(counts)
        covariances = joint.covariances_at(units, counts)
        parts.append(studentised(values, values - joint.values, covariances, basis, errors))
    return _joined(parts)


def _joined(parts: list[Resampled]) -> Resampled:
    return Resampled(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def share_beyond(resampled: Array, statistic: float) -> float:
    """Return the p-value of a statistic: the share of the resamples and the sample in which it is at least as large."""
    return (1 + int((resampled >= statistic).sum())) / (1 + len(resampled))


def quantile_beyond(resampled: Array, level: float) -> float:
    """Return the statistic above which the p-value by `share_beyond` is at most 1 - level; it may be infinite."""
    place = ceil(level * (len(resampled) + 1) * (1 - 1e-12))
    return inf if place > len(resampled) else float(np.partition(resampled, place - 1)[place - 1])
