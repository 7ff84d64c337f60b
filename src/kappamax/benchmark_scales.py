"""Place a coefficient on a verbal scale such as that of Landis and Koch, with the probability of every band.

The probabilities are those of Gwet (2014): the coefficient of the population is taken to be normally distributed about
the estimate, with its standard error, within -1 and 1. The scales are conventions and not tests; the documentation,
under "How large is good?", says what is wrong with them and what to do instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from kappamax._result import Result, TableResult
from kappamax._tolerances import NO_SPREAD
from kappamax._validate import as_choice, as_finite_number, as_number_between, is_number
from kappamax.display import numbers
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.kappas import Agreement


class _Step(NamedTuple):
    """Band of a scale: its label, its lower limit, and whether the lower limit itself belongs to it."""

    label: str
    low: Fraction
    includes_low: bool = False


class _Scale(NamedTuple):
    """Scale of verbal labels: its source, and its bands from the highest to the lowest."""

    source: str
    steps: tuple[_Step, ...]


_TENTHS = [Fraction(tenths, 10) for tenths in (8, 6, 4, 2)]
_LOWEST, _HIGHEST = Fraction(-1), Fraction(1)

#: scales by name; a value on the border of two bands belongs to the lower one unless the source says otherwise
SCALES = {
    "landis-koch": _Scale(
        "Landis and Koch (1977)",
        (
            *map(_Step, ("almost perfect", "substantial", "moderate", "fair"), _TENTHS),
            _Step("slight", Fraction(0), includes_low=True),
            _Step("poor", _LOWEST, includes_low=True),
        ),
    ),
    "altman": _Scale(
        "Altman (1991)",
        (
            *map(_Step, ("very good", "good", "moderate", "fair"), _TENTHS),
            _Step("poor", _LOWEST, includes_low=True),
        ),
    ),
    "fleiss": _Scale(
        "Fleiss (1981)",
        (
            _Step("excellent", Fraction(3, 4)),
            _Step("fair to good", Fraction(2, 5), includes_low=True),
            _Step("poor", _LOWEST, includes_low=True),
        ),
    ),
}


def benchmark(
    result: Agreement | float, *, se: float | None = None, scale: str = "landis-koch", probability: float = 0.95
) -> Benchmark:
    """Place a coefficient on a verbal scale, with Gwet's probability that it is at least in each band.

    Parameters
    ----------
    result : Agreement or float
        Result of `kappa` or `agreement`; or the value of a coefficient, such as one from a publication.
    se : float, optional
        Standard error of a coefficient that is given by its value. Without it, there are no probabilities.
    scale : {"landis-koch", "altman", "fleiss"}
        Name of the scale, default "landis-koch": Landis and Koch (1977), Altman (1991) or Fleiss (1981).
    probability : float
        Cumulative probability that a band must have to be supported, default 0.95.

    Returns
    -------
    Benchmark
        Band of the estimate, bands of the limits of the confidence interval, band that is supported by Gwet's method,
        and the probability of every band.

    Raises
    ------
    NotSupportedError
        If the coefficient is percent agreement, which the scales are not meant for.
    InvalidOptionError
        If a value is not between -1 and 1, a standard error is negative, or both a result and `se` are given.

    See Also
    --------
    value_test : Test whether a coefficient is above a value that was required before the study.

    Notes
    -----
    Landis and Koch print the bands 0.41 to 0.60 and 0.61 to 0.80, and so does Altman. Here a band begins above the
    upper end of the band below it, so the borders are those of irrCAC: 0.60 is moderate, and 0.605 and 0.61 are
    substantial. Landis and Koch call 0 slight and only values below 0 poor. Fleiss calls values below 0.40 poor and
    values above 0.75 excellent, so 0.40 and 0.75 are both fair to good. Values that are known as fractions are compared
    exactly.

    With F the distribution function of the normal distribution and s the standard error, the probability of a band from
    l to u is (F((value - l) / s) - F((value - u) / s)) / (F((value + 1) / s) - F((value - 1) / s)). The supported band
    is the highest one for which the sum of the probabilities, from the highest band down to it, is at least
    `probability` (Gwet 2014, chapter 6).

    Examples
    --------
    >>> import kappamax as km
    >>> found = km.benchmark(km.kappa(km.from_counts([[40, 5], [5, 50]])))
    >>> round(found.value, 2), found.band, found.supported
    (0.8, 'substantial', 'substantial')

    A published kappa of 0.67 with a standard error of 0.15 is "good" for Altman, but only "at least moderate" is
    supported.

    >>> found = km.benchmark(0.67, se=0.15, scale="altman")
    >>> found.band, found.supported, round(found.supported_probability, 4)
    ('good', 'moderate', 0.9636)
    """
    scale = as_choice("scale", scale, SCALES)
    probability = as_number_between("probability", probability, 0, 1)
    known, error, ci = _as_estimate(result, se)
    steps = SCALES[scale].steps
    reason = _obstacle(error)
    sums: list[float | None] = [None] * len(steps)
    if error is not None and reason is None:
        sums = [*_cumulative(float(known), error, steps)]
    highs = [float(_HIGHEST), *(float(step.low) for step in steps)]
    bands = [
        BenchmarkBand(step.label, float(step.low), high, None if now is None else now - (before or 0.0), now)
        for step, high, before, now in zip(steps, highs, [0.0, *sums], sums, strict=False)
    ]
    supported = next((one for one in bands if one.cumulative is not None and one.cumulative >= probability), None)
    return Benchmark(
        scale=scale,
        source=SCALES[scale].source,
        value=result.value if isinstance(result, Agreement) else float(known),
        se=error,
        band=_band_of(known, steps),
        interval_bands=None if ci is None else (_band_of(ci[0], steps), _band_of(ci[1], steps)),
        supported=None if supported is None else supported.band,
        supported_probability=None if supported is None else supported.cumulative,
        probability=probability,
        bands=tuple(bands),
        reason=reason,
        _data=result.data if isinstance(result, Agreement) else None,
    )


@dataclass(frozen=True, repr=False)
class BenchmarkBand(Result):
    """Band of a verbal scale.

    Attributes
    ----------
    band : str
        Label of the band, such as "moderate".
    low, high : float
        Limits of the band.
    probability : float or None
        Probability that the coefficient of the population lies in the band; None if there is no standard error.
    cumulative : float or None
        Probability that it lies in this band or a higher one.
    """

    band: str
    low: float
    high: float
    probability: float | None
    cumulative: float | None


@dataclass(frozen=True, repr=False)
class Benchmark(TableResult):
    """Coefficient on a verbal scale.

    Attributes
    ----------
    scale : {"landis-koch", "altman", "fleiss"}
        Name of the scale.
    source : str
        Authors and year of the scale.
    value : float
        Observed coefficient.
    se : float or None
        Standard error of the coefficient.
    band : str
        Band of the observed coefficient.
    interval_bands : tuple of two str, or None
        Bands of the lower and of the upper limit of the confidence interval; None if there is no interval.
    supported : str or None
        Highest band such that the coefficient of the population lies in it or above it with at least the required
        probability (Gwet 2014); None if there is no usable standard error.
    supported_probability : float or None
        Probability that the coefficient of the population lies in the supported band or above it.
    probability : float
        Required probability.
    bands : tuple of BenchmarkBand
        All bands from the highest to the lowest, with their probabilities.
    reason : str or None
        Reason why there are no probabilities; None if there are.
    """

    scale: str
    source: str
    value: float
    se: float | None
    band: str
    interval_bands: tuple[str, str] | None
    supported: str | None
    supported_probability: float | None
    probability: float
    bands: tuple[BenchmarkBand, ...]
    reason: str | None = None

    @property
    def in_words(self) -> str:
        """The band of the value, the bands of its interval and the supported band, to follow "the value is"."""
        said = f"{self.band} on the scale of {self.source}"
        if self.interval_bands is not None:
            low, high = self.interval_bands
            reach = f"reaches from {low} to {high}" if low != high else f"is within {low}"
            said += f", and its confidence interval {reach}"
        if self.reason is not None:
            return f"{said}; {self.reason}"
        if self.supported == self.bands[-1].band:
            lacking = f"no band above {self.supported} has a cumulative probability of {self.probability:g}"
            return f"{said}; by Gwet's method, {lacking}"
        return f"{said}; by Gwet's method, the coefficient of the population is {self._supported_in_words}"

    @property
    def _supported_in_words(self) -> str:
        highest = self.supported == self.bands[0].band
        least = self.supported if highest else f"at least {self.supported}"
        return f"{least} with probability {numbers.decimal(self.supported_probability)}"

    def _columns(self) -> dict[str, Iterable[Any]]:
        names = ("band", "low", "high", "probability", "cumulative")
        return {name: [getattr(one, name) for one in self.bands] for name in names}

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("scale", self.source),
            ("value", numbers.decimal(self.value)),
            ("band", self.band),
            *([("interval", " to ".join(dict.fromkeys(self.interval_bands)))] if self.interval_bands else []),
        ]
        if self.reason is not None:
            return [*rows, ("reason", self.reason)]
        shown = [(one.band, "  ".join(numbers.decimals(one.probability, one.cumulative))) for one in self.bands]
        return [*rows, ("supported", self._supported_in_words), ("", "probability, cumulative"), *shown]


def _as_estimate(
    result: Agreement | float, se: float | None
) -> tuple[Fraction | float, float | None, tuple[float, float] | None]:
    """Return the value of a coefficient, exactly if it is known, with its standard error and its interval."""
    if isinstance(result, Agreement):
        if se is not None:
            raise InvalidOptionError("se is for a coefficient that is given as a number; this result has its own.")
        if result.coefficient == "percent":
            raise NotSupportedError(
                "these scales are for coefficients that are corrected for chance; percent agreement is not."
            )
        return result.value if result.exact is None else result.exact, result.se, result.ci
    if not is_number(result):
        raise InvalidOptionError(
            f"result must be a result of kappa or agreement, or a number; got the type {type(result).__name__}."
        )
    value = as_finite_number("the coefficient", result)
    if not -1 <= value <= 1:
        raise InvalidOptionError(f"the coefficient must lie between -1 and 1; got {value:g}.")
    if se is not None and as_finite_number("se", se) < 0:
        raise InvalidOptionError(f"se must be a number >= 0; got {se!r}.")
    return (result if isinstance(result, Fraction) else value), None if se is None else float(se), None


def _obstacle(se: float | None) -> str | None:
    """Return why a standard error gives no probabilities, or None if it does."""
    if se is None:
        return "there is no standard error, so the bands have no probabilities"
    if se <= NO_SPREAD:
        return "the estimated standard error is 0, which does not mean certainty, so the bands have no probabilities"
    return None


def _cumulative(value: float, se: float, steps: tuple[_Step, ...]) -> list[float]:
    """Return the probability of each band and all higher ones under the normal distribution within -1 and 1."""
    from scipy.special import ndtr  # imported here because the import takes 0.2 s

    edges = [_HIGHEST, *(step.low for step in steps)]
    beyond, *above = (float(ndtr((value - float(edge)) / se)) for edge in edges)
    whole = above[-1] - beyond
    if whole == 0:  # an estimate far below -1, which some coefficients can have
        return [0.0] * (len(steps) - 1) + [1.0]
    return [(one - beyond) / whole for one in above]


def _band_of(value: Fraction | float, steps: tuple[_Step, ...]) -> str:
    """Return the label of the band of a value; doubles are compared with the doubles nearest to the limits."""
    for step in steps[:-1]:
        low = step.low if isinstance(value, Fraction) else float(step.low)
        if value > low or (step.includes_low and value == low):  # the limits are decimals that users write as doubles
            return step.label
    return steps[-1].label
