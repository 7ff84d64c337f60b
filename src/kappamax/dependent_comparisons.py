"""Compare any number of coefficients of the same subjects, and test whether they are equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import expm1, inf, log1p
from typing import Any

import numpy as np

from kappamax._progress import ProgressLike
from kappamax._typing import Floats
from kappamax._validate import as_number_between
from kappamax.dependent_comparison_result import CoefficientDifference, ComparedCoefficient, DependentComparison
from kappamax.display import numbers, text
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.hotelling import all_pairs, differences_of, pvalue_by_f
from kappamax.io import Ratings, as_table
from kappamax.joint_coefficients import JointCoefficients, Spec, joint_coefficients
from kappamax.joint_inference import JointEstimates, as_settings, joint_estimates, quantile_beyond, share_beyond
from kappamax.standard_errors import one_sided_pvalues, quantile_of
from kappamax.table import Label, Table
from kappamax.weights import WeightsLike

MOST_COEFFICIENTS = 100
_MOST_NAMED = 4  # raters that the name of a coefficient lists


def compare_dependent(
    *ratings: Ratings,
    kappas: Mapping[str, Spec] | Sequence[Spec] | None = None,
    weights: WeightsLike = "unweighted",
    coefficient: str = "kappa",
    method: str = "jackknife",
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = 0,
    n_jobs: int = 1,
    progress: ProgressLike = None,
    cluster: Any = None,
    categories: Sequence[Label] | None = None,
) -> DependentComparison:
    """Compare two or more coefficients of the same subjects, and test whether they are equal.

    Coefficients of the same subjects are correlated. Their covariances are estimated together, so the test and the
    intervals of the differences account for the correlation. Each coefficient may have its own raters, two or more, and
    its own weights.

    Parameters
    ----------
    *ratings : Table, frame, or two or more arrays of labels
        Ratings of the subjects. A frame has one column per rater; arrays have one entry per subject.
    kappas : mapping or sequence, optional
        The coefficients: a mapping from names to specs, or a sequence of specs. A spec is a list of raters, or a
        mapping with `raters` (default: all) and with `weights`, `coefficient` or `group_size` where these differ from
        the others. By default, every pair of raters is one coefficient.
    weights : str, Weights or mapping
        Disagreement weights of the coefficients whose spec does not give others, default "unweighted".
    coefficient : str
        Name of the coefficients whose spec does not give another, default "kappa"; `agreement` lists the others.
    method : {"jackknife", "delta", "bootstrap"}
        Method by which the covariances are estimated, default "jackknife":

        - "jackknife": from the coefficients without each subject or cluster. Statistics are compared with Student's t
          and the F distribution. With more than 10^9 subjects, it is replaced by the delta method because of rounding;
        - "delta": the delta method (Vanbelle 2017), with the same distributions. It rejects true hypotheses too often
          if a category is rare or there are few clusters;
        - "bootstrap": from resamples of the subjects or clusters. The distributions of the statistics are those in the
          resamples, in each of which the statistic is divided by its standard error by the delta method.
    level : float
        Confidence level of each interval of a coefficient, and of all intervals of differences together, default 0.95.
    n_resamples : int
        Number of resamples of the bootstrap, default 2,000, at most 10 million. The smallest possible p-value is
        1 / (n_resamples + 1).
    rng : int, numpy.random.Generator or None
        Random generator of the bootstrap, or its seed, default 0, so that the same ratings have the same p-value. None
        draws a new seed.
    n_jobs : int
        Number of processes of the bootstrap, default 1. The result does not depend on it.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` with the
        number of finished resamples and the number of all resamples.
    cluster : str or array, optional
        Column of a frame that gives the cluster of each subject, such as the patient of a lesion, or an array with one
        entry per subject. Clusters are then regarded as the random sample. By default, the clusters that a Table has.
    categories : sequence of labels, optional
        All categories in order, including unused ones. By default they are taken from the ratings.

    Returns
    -------
    DependentComparison
        All coefficients with their covariances, all pairwise differences with simultaneous intervals, and Hotelling's
        test of equality.

    Raises
    ------
    InvalidOptionError
        If `kappas` has fewer than two specs, if a spec is neither a list of raters nor a mapping with known keys, or if
        an option is out of range.
    NotSupportedError
        If there are more than 100 coefficients.
    UndefinedKappaError
        If one of the coefficients is undefined.

    See Also
    --------
    compare : Compare two coefficients, also with a margin for non-inferiority or equivalence.
    pairwise_kappas : Kappa of every pair of raters without inference.

    Notes
    -----
    With the differences d of the coefficients from the first one, their covariance S and n subjects or clusters, the
    statistic of the test of equality is T2 = d' S^-1 d. The methods "jackknife" and "delta" compare
    (n - q) / (q (n - 1)) T2 with the F distribution with q and n - q degrees of freedom, where q is the rank of S. This
    is the number of coefficients minus one unless some coefficients determine others.

    The intervals of the differences hold together, and `adjusted_pvalue` corrects for the number of differences: by
    Sidak's inequality or, for the bootstrap, by the distribution of the largest of all absolute statistics.

    References
    ----------
    S. Vanbelle (2017), "Comparing dependent kappa coefficients obtained on multilevel data", Biometrical Journal 59,
    1016-1034. S. Vanbelle and A. Albert (2008), "A bootstrap method for comparing correlated kappa coefficients",
    Journal of Statistical Computation and Simulation 78, 1009-1015.

    Examples
    --------
    Compare two questionnaires with the diagnosis of depression.

    >>> import kappamax as km
    >>> table = km.example("depression")
    >>> c = km.compare_dependent(table, kappas={"BDI": ["diag", "BDI"], "GHQ": ["diag", "GHQ"]})
    >>> {one.name: round(one.value, 3) for one in c.coefficients}
    {'BDI': 0.538, 'GHQ': 0.746}
    >>> round(c.statistic, 3), c.df, round(c.pvalue, 3)
    (2.054, (1, 49), 0.158)
    """
    settings = as_settings(method, n_resamples, rng, n_jobs, progress)
    level = as_number_between("level", level, 0, 1)
    table = as_table(*ratings, categories=categories, cluster=cluster)
    specs = _as_specs(kappas, table)
    options: dict[str, Any] = {"weights": weights, "coefficient": coefficient}
    joint = joint_coefficients(
        table, list(specs.values()) if isinstance(specs, Mapping) else specs, "kappas", **options
    )
    names = list(specs) if isinstance(specs, Mapping) else _names(joint)
    estimates = joint_estimates(joint, settings)
    statistic, pvalue, df, reason = _equality_test(estimates)
    differences = _differences(estimates, names, level)
    covariance = None if estimates.deviations is None else estimates.deviations.covariance()
    return DependentComparison(
        coefficients=_coefficients(estimates, names, level),
        differences=differences,
        covariance=covariance,
        statistic=statistic,
        pvalue=pvalue,
        df=df,
        level=level,
        method=estimates.method,
        n_subjects=table.n_subjects,
        n_units=joint.n_units,
        n_resamples=None if estimates.resampled is None else settings.n_resamples,
        n_undefined=estimates.n_undefined,
        reason=reason,
        notes=_notes(estimates, differences, level),
        _library=table.frame_library,
        _data=table.data,
    )


def _as_specs(kappas: Any, table: Table) -> Mapping[str, Spec] | Sequence[Spec]:
    """Return the specs of two or more coefficients, which are all pairs of raters if none are given."""
    if kappas is None:
        kappas = list(combinations(table.raters, 2))
        if len(kappas) == 1:
            raise InvalidOptionError(
                "kappas must say which two or more coefficients are compared; the ratings have two raters only."
            )
    if isinstance(kappas, str) or not isinstance(kappas, Mapping | Sequence):
        raise InvalidOptionError(
            "kappas must be a list such as [['a', 'b'], ['a', 'c']], or a mapping from names to such lists or to "
            f"mappings such as {{'weights': 'linear'}}; got {kappas!r}."
        )
    if len(kappas) < 2:
        raise InvalidOptionError(f"kappas must have at least two coefficients; got {len(kappas)}.")
    if len(kappas) > MOST_COEFFICIENTS:
        raise NotSupportedError(f"at most {MOST_COEFFICIENTS} coefficients are compared; got {len(kappas):,}.")
    for name in kappas if isinstance(kappas, Mapping) else ():
        if not isinstance(name, str) or not name:
            raise InvalidOptionError(f"the names of kappas must be text; got {name!r}.")
    return kappas


def _names(joint: JointCoefficients) -> list[str]:
    """Return names of coefficients that say what differs between them; equal names are numbered."""
    raters = [_joined(objective.table.raters) for objective in joint.objectives]
    weights = [objective.weights.name for objective in joint.objectives]
    titles = [objective.coefficient.title for objective in joint.objectives]
    different = [column for column in (titles, raters, weights) if len(set(column)) > 1] or [raters]
    names = [", ".join(parts) for parts in zip(*different, strict=True)]
    seen: Counter[str] = Counter()
    for i, name in enumerate(names):
        seen[name] += 1
        if seen[name] > 1:
            names[i] = f"{name} ({seen[name]})"
    return names


def _joined(raters: Sequence[str]) -> str:
    """Return the names of raters in one line, or the first and the last of many."""
    if len(raters) > _MOST_NAMED:
        return f"{raters[0]} & ... & {raters[-1]} ({len(raters)} raters)"
    return " & ".join(raters)


def _equality_test(
    estimates: JointEstimates,
) -> tuple[float | None, float | None, tuple[int, int] | None, str | None]:
    """Return T2, its p-value and degrees of freedom, and the reason why there are none or fewer than expected."""
    test = estimates.equality()
    if test is None:
        return None, None, None, estimates.reason
    n, q, expected = estimates.joint.n_units, test.rank, len(estimates.values) - 1
    if n <= expected:
        units = text.plural(n, "subject" if estimates.joint.table.clusters is None else "cluster")
        return None, None, None, f"{units} are too few to test {expected} differences"
    if test.undetermined:
        return None, None, None, "a difference that is not zero has a standard error of zero"
    if test.statistic is None:
        return None, None, None, "all coefficients are equal, and the standard errors of their differences are zero"
    reason = None
    if q < expected:
        reason = f"the covariance of the {expected} differences from the first coefficient has rank {q}"
    if estimates.resampled is not None:
        return test.statistic, share_beyond(estimates.resampled.equality, test.statistic), None, reason
    return test.statistic, pvalue_by_f(test.statistic, q, n), (q, n - q), reason


def _coefficients(estimates: JointEstimates, names: Sequence[str], level: float) -> tuple[ComparedCoefficient, ...]:
    """Return each coefficient with its standard error and interval."""
    found = []
    errors = None if estimates.deviations is None else estimates.deviations.errors()
    for i, (name, objective, value) in enumerate(
        zip(names, estimates.joint.objectives, estimates.values.tolist(), strict=True)
    ):
        ci, se = None, None
        if errors is not None:
            se = float(errors[i])
            if estimates.resampled is not None:
                low, high = np.nanquantile(
                    estimates.resampled.values[:, i], [(1 - level) / 2, (1 + level) / 2]
                ).tolist()
                ci = (low, high)
            else:
                reach = quantile_of((1 + level) / 2, estimates.df) * se
                ci = (value - reach, min(1.0, value + reach))
        raters, kind = objective.table.raters, objective.coefficient.name
        found.append(ComparedCoefficient(name, raters, objective.weights.name, kind, value, se, ci))
    return tuple(found)


def _differences(estimates: JointEstimates, names: Sequence[str], level: float) -> tuple[CoefficientDifference, ...]:
    """Return the differences of all pairs of coefficients with simultaneous intervals and adjusted p-values."""
    contrasts = differences_of(len(names))
    firsts, seconds = all_pairs(len(names))
    differences = (estimates.values[firsts] - estimates.values[seconds]).tolist()
    found = []
    errors = None if estimates.deviations is None else estimates.deviations.of(contrasts).errors()
    own = None if errors is None or estimates.studentising is None else estimates.studentising.of(contrasts).errors()
    reach = 0.0 if own is None else _simultaneous_quantile(estimates, own > 0, level)
    for i, (a, b, difference) in enumerate(zip(firsts.tolist(), seconds.tolist(), differences, strict=True)):
        se = ci = statistic = pvalue = adjusted = None
        if errors is not None and own is not None:
            se = float(errors[i])
            ci = (difference, difference) if own[i] == 0 else None
            if own[i] > 0:
                statistic = difference / float(own[i])
                pvalue, adjusted = _pair_pvalues(estimates, i, statistic, own > 0)
                ci = None if reach == inf else (difference - reach * float(own[i]), difference + reach * float(own[i]))
        found.append(CoefficientDifference(names[a], names[b], difference, se, ci, statistic, pvalue, adjusted))
    return tuple(found)


def _notes(estimates: JointEstimates, differences: Sequence[CoefficientDifference], level: float) -> tuple[str, ...]:
    """Return the notes about resamples without a statistic."""
    if estimates.resampled is None:
        return ()
    notes = []
    if estimates.n_undefined:
        undefined, all_drawn = numbers.count(estimates.n_undefined), numbers.count(len(estimates.resampled.values))
        notes.append(
            f"in {undefined} of {all_drawn} resamples a coefficient is undefined; they count as more extreme than the "
            "sample"
        )
    if any(one.statistic is not None and one.ci is None for one in differences):
        notes.append(
            f"the differences have no intervals, since some difference has no standard error in more than "
            f"{100 * (1 - level):g}% of the resamples"
        )
    return tuple(notes)


def _simultaneous_quantile(estimates: JointEstimates, moves: Any, level: float) -> float:
    """Return the factor of the standard errors for intervals that hold together; it may be infinite."""
    if estimates.resampled is not None:
        return quantile_beyond(_largest(estimates, moves), level)
    return quantile_of((1 + level ** (1 / len(moves))) / 2, estimates.df)


def _pair_pvalues(estimates: JointEstimates, pair: int, statistic: float, moves: Any) -> tuple[float, float]:
    """Return the p-value of a difference, and the one that is corrected for the number of differences."""
    if estimates.resampled is not None:
        own = np.abs(estimates.resampled.differences[:, pair])
        largest = _largest(estimates, moves)
        return share_beyond(own, abs(statistic)), share_beyond(largest, abs(statistic))
    pvalue = 2 * min(one_sided_pvalues(statistic, estimates.df))
    return pvalue, 1.0 if pvalue >= 1 else -expm1(len(moves) * log1p(-pvalue))


def _largest(estimates: JointEstimates, moves: Any) -> Floats:
    """Return the largest absolute statistic of all differences with variance, in each resample."""
    assert estimates.resampled is not None
    return np.asarray(np.abs(estimates.resampled.differences[:, moves]).max(axis=1, initial=0.0))
