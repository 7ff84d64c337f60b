"""Describe the candidates of the coverage study: how they are computed, and what happens in samples without spread."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.interval_candidates import ADJUSTED, NORMAL


class Description(NamedTuple):
    """How an interval is computed, and its rule for samples in which something that it needs is zero or undefined."""

    computed: str
    rule: str


_POINT = "A single point, the estimate, if the standard error is 0, for example if the raters agree on all subjects."
_BEYOND = f"{_POINT} An estimate of -1 or less gives the single point -1."
_WIDTH = "It has a width in every sample in which kappa is defined."
_ZERO = f"{_WIDTH} Undefined tables are compatible with every kappa, so their statistic is 0."
_JACKKNIFE = "A subject without whom kappa is undefined counts as one whose omission changes nothing."
_RESAMPLES = "Undefined resamples are left out."

#: in the order of the tables
DESCRIPTIONS = {
    ADJUSTED: Description("Pseudo-subjects are added; see [Which interval?](intervals.md).", _WIDTH),
    "exact (kappamax)": Description(
        "Proven to cover; see [the proof](theory/exact-interval.md).",
        f"{_WIDTH} The interval from -1 to 1 of undefined samples is left out like the others.",
    ),
    NORMAL: Description(
        "Estimate -+ a quantile times the standard error. The quantile is normal for Cohen's kappa; otherwise it is "
        "that of Student's t with N - 1 degrees of freedom.",
        _POINT,
    ),
    "log transform": Description("The delta method for log(1 - kappa), with the same standard error.", _POINT),
    "Fisher transform": Description("The delta method for artanh(kappa).", _BEYOND),
    "arcsine transform": Description("The delta method for arcsin(kappa).", _BEYOND),
    "jackknife": Description(
        "Estimate -+ a quantile of Student's t with N - 1 degrees of freedom times the delete-one jackknife standard "
        "error; for designs with up to 27 possible patterns.",
        f"{_JACKKNIFE} {_POINT}",
    ),
    "jackknife, log transform": Description(
        "The log transform with the quantile and the standard error of the jackknife.", f"{_JACKKNIFE} {_POINT}"
    ),
    "jackknife, Fisher transform": Description("Fisher's transform, likewise.", f"{_JACKKNIFE} {_BEYOND}"),
    "jackknife, arcsine transform": Description("The arcsine transform, likewise.", f"{_JACKKNIFE} {_BEYOND}"),
    "Wilson, expected agreement fixed": Description(
        "Limits (A - E) / (1 - E), where A is each limit of Wilson's (1927) interval for observed agreement, and E is "
        "the expected agreement of the sample, as if it were known.",
        _WIDTH,
    ),
    "goodness of fit, equal margins (Donner and Eliasziw)": Description(
        "Inversion of Donner and Eliasziw's (1992) X2 test with one degree of freedom. It assumes that both raters use "
        "the categories equally often, and estimates this share without regard to the tested kappa.",
        "A kappa that is too small for the estimated share is rejected: a cell would be negative.",
    ),
    "score test, equal margins": Description(
        "Inversion of the efficient score test of the same model, which estimates the share by maximum "
        "likelihood under the tested kappa.",
        _WIDTH,
    ),
    "score test": Description(
        "Inversion of the efficient score test without assumptions about the margins: Pearson's X2, with one degree of "
        "freedom, at the maximum likelihood estimate of the cells under the tested kappa.",
        _WIDTH,
    ),
    "score test, exact p-value": Description(
        "The same statistic. The p-value is the probability, at that estimate, of all tables whose statistic is at "
        "least as large.",
        _ZERO,
    ),
    "profile likelihood": Description(
        "Inversion of the likelihood-ratio test with the chi-squared distribution with one degree of freedom.",
        _WIDTH,
    ),
    "likelihood ratio, exact p-value": Description(
        "The likelihood ratio, with a p-value like that of the score test with exact p-value.",
        _ZERO,
    ),
    "standard error at the null value": Description(
        'Inversion of `km.value_test` with method "null": the standard error is not estimated, but computed for the '
        "tested kappa at a table with the margins of the sample. For two categories and for the designs beside the "
        "bootstrap.",
        "A kappa that the margins do not allow is tested with the standard error at the nearest one that they allow. "
        "If the standard error is 0, the test accepts the estimate alone.",
    ),
    "bootstrap, percentile": Description(
        "Quantiles of kappa in resamples of the subjects.", f"{_RESAMPLES} A single point if all others are equal."
    ),
    "bootstrap, BCa": Description(
        "Efron's (1987) bias-corrected and accelerated quantiles of the same resamples.",
        f"{_RESAMPLES} The acceleration uses the subjects without whom kappa is defined. A single point, the estimate, "
        "if no resample is smaller or none is larger.",
    ),
    "bootstrap, studentised": Description(
        "Estimate - its standard error times quantiles of (resample - estimate) / standard error of the resample.",
        f"{_RESAMPLES} So are those whose standard error is 0. A single point if the standard error of the sample is "
        "0 or no resample is left.",
    ),
}
