"""Coefficients are placed on verbal scales as their sources say, with the probabilities of irrCAC."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kappamax as km
from kappamax.benchmark_scales import SCALES

#: membership probabilities that irrCAC 0.4.4 (Python), class Benchmark, gives for a coefficient and a standard error;
#: those of 0.67 and 0.15 are also in its documentation
IRRCAC = [
    (0.67, 0.15, "landis-koch", [0.18168, 0.67511, 0.96356, 0.99912, 1.0, 1.0], "moderate"),
    (0.67, 0.15, "altman", [0.18168, 0.67511, 0.96356, 0.99912, 1.0], "moderate"),
    (0.67, 0.15, "fleiss", [0.28699, 0.96356, 1.0], "fair to good"),
    (0.77544, 0.14295, "landis-koch", [0.39674, 0.88336, 0.99542, 0.99997, 1.0, 1.0], "moderate"),
    (0.77544, 0.14295, "fleiss", [0.54414, 0.99542, 1.0], "fair to good"),
    (0.92, 0.2, "landis-koch", [0.58156, 0.91639, 0.99289, 0.99976, 1.0, 1.0], "moderate"),
    (-0.1, 0.2, "landis-koch", [0.0, 0.00023, 0.00621, 0.06681, 0.30854, 1.0], "poor"),
]


@pytest.mark.parametrize(("value", "se", "scale", "cumulative", "supported"), IRRCAC)
def test_probabilities_of_irrcac(value, se, scale, cumulative, supported):
    """The cumulative probabilities are equal to five decimals, and so is the band that its manual would choose."""
    found = km.benchmark(value, se=se, scale=scale)
    assert [round(one.cumulative, 5) for one in found.bands] == cumulative
    assert found.supported == supported
    assert found.supported_probability == next(one.cumulative for one in found.bands if one.band == supported)


def test_the_example_of_gwets_vignette():
    """AC1 of his four raters is 0.775 with a standard error of 0.143, and "moderate" or "intermediate to good".

    Source: vignette "benchmarking" of the R package irrCAC by K. L. Gwet, which prints 0.77544 and 0.14295.
    """
    found = km.agreement(km.example("gwet2014"), coefficient="gwet", method="gwet")
    assert (round(found.value, 5), round(found.se, 5)) == (0.77544, 0.14295)
    placed = [km.benchmark(found, scale=scale) for scale in ("landis-koch", "altman", "fleiss")]
    assert [one.supported for one in placed] == ["moderate", "moderate", "fair to good"]
    assert [one.band for one in placed] == ["substantial", "good", "excellent"]


@pytest.mark.parametrize(
    ("scale", "bands"),
    [
        (
            "landis-koch",
            {
                "poor": (-1, -0.2, -0.0001),
                "slight": (0, -0.0, 0.1, 0.2),
                "fair": (0.2001, 0.205, 0.21, 0.4),
                "moderate": (0.4001, 0.405, 0.41, 0.6),
                "substantial": (0.6001, 0.605, 0.61, 0.8),
                "almost perfect": (0.8001, 0.805, 0.81, 1),
            },
        ),
        (
            "altman",
            {
                "poor": (-1, 0, 0.2),
                "fair": (0.2001, 0.205, 0.21, 0.4),
                "moderate": (0.405, 0.41, 0.6),
                "good": (0.605, 0.61, 0.8),
                "very good": (0.805, 0.81, 1),
            },
        ),
        ("fleiss", {"poor": (-1, 0, 0.3999), "fair to good": (0.4, 0.41, 0.75), "excellent": (0.7501, 0.76, 1)}),
    ],
)
def test_the_borders_of_the_bands(scale, bands):
    """A border belongs to the lower band; 0 is slight, and 0.40 is fair to good for Fleiss."""
    for band, values in bands.items():
        for value in values:
            assert km.benchmark(value, scale=scale).band == band
            assert km.benchmark(Fraction(str(value)), scale=scale).band == band
    assert [one.band for one in km.benchmark(0.5, scale=scale).bands] == [step.label for step in SCALES[scale].steps]
    assert {one.band for one in km.benchmark(0.5, scale=scale).bands} == set(bands)


def test_values_at_a_border_are_compared_as_fractions():
    """A kappa of exactly 4/5 and 3/5 is not moved by rounding, and the next larger fraction is above the border."""
    assert km.kappa(km.from_counts([[45, 5], [5, 45]])).exact == Fraction(4, 5)
    assert km.benchmark(km.kappa(km.from_counts([[45, 5], [5, 45]]))).band == "substantial"
    assert km.benchmark(km.kappa(km.from_counts([[40, 10], [10, 40]]))).band == "moderate"
    assert km.benchmark(Fraction(4 * 10**20 + 1, 5 * 10**20)).band == "almost perfect"
    assert km.benchmark(np.float64(0.6)).band == "moderate"


@given(
    st.floats(-1, 1), st.floats(1e-6, 10), st.sampled_from(sorted(SCALES)), st.sampled_from([0.5, 0.9, 0.95, 1 - 1e-9])
)
def test_probabilities_are_a_distribution_and_support_the_highest_band_that_they_can(value, se, scale, probability):
    """They are between 0 and 1, add up to 1, and every band above the supported one falls short."""
    found = km.benchmark(value, se=se, scale=scale, probability=probability)
    own, cumulative = ([getattr(one, name) for one in found.bands] for name in ("probability", "cumulative"))
    assert all(0 <= one <= 1 for one in own)
    assert cumulative == pytest.approx(np.cumsum(own))
    assert cumulative[-1] == 1
    place = [one.band for one in found.bands].index(found.supported)
    assert cumulative[place] >= probability
    assert all(one < probability for one in cumulative[:place])
    assert found.bands[0].high == 1
    assert found.bands[-1].low == -1
    assert [one.high for one in found.bands[1:]] == [one.low for one in found.bands[:-1]]


def test_probabilities_by_hand():
    """At 0.8 with a tiny standard error, half of the probability is above the border 0.8 and half below."""
    found = km.benchmark(0.8, se=0.01)
    assert [one.probability for one in found.bands[:2]] == pytest.approx([0.5, 0.5])
    assert found.supported == "substantial"
    wide = km.benchmark(0.3, se=1e6)  # nearly uniform between -1 and 1
    assert [one.probability for one in wide.bands] == pytest.approx([0.1] * 5 + [0.5], abs=1e-6)
    assert wide.supported == "poor"


def test_a_result_gives_its_standard_error_and_interval():
    """The bands of the limits are those of the interval, and nothing is computed again."""
    measured = km.kappa(km.example("rapallo2022"), weights="linear", level=0.9)
    found = km.benchmark(measured)
    assert (found.value, found.se) == (measured.value, measured.se)
    assert found.interval_bands == tuple(km.benchmark(limit).band for limit in measured.ci)
    assert found.data == measured.data
    assert (found.band, found.interval_bands) == ("moderate", ("fair", "substantial"))


def test_a_standard_error_of_zero_supports_nothing():
    """Perfect agreement of few subjects is no certainty; its interval still has bands."""
    found = km.benchmark(km.kappa(km.from_counts([[3, 0], [0, 3]])))
    assert (found.band, found.supported, found.supported_probability) == ("almost perfect", None, None)
    assert found.interval_bands == ("slight", "almost perfect")
    assert {one.probability for one in found.bands} == {None}
    assert "does not mean certainty" in found.reason
    assert km.benchmark(0.5, se=0).reason == found.reason


def test_without_a_standard_error_there_is_the_band_only():
    """A single subject has no standard error, and with the normal interval no interval either."""
    one = km.agreement([1], [2], coefficient="gwet", interval="normal")
    assert one.se is None
    found = km.benchmark(one)
    assert (found.band, found.supported, found.interval_bands) == ("poor", None, None)
    assert found.reason == "there is no standard error, so the bands have no probabilities"
    assert km.benchmark(0.7).reason == found.reason


def test_a_coefficient_below_minus_one_is_in_the_lowest_band():
    """Some coefficients can fall below -1, however far."""
    from dataclasses import replace

    measured = km.kappa(km.example("rapallo2022"))
    for value, se in ((-1.5, 0.3), (-30.0, 0.1)):
        found = km.benchmark(replace(measured, value=value, exact=None, se=se, ci=None))
        assert (found.band, found.supported) == ("poor", "poor")
        assert sum(one.probability for one in found.bands) == pytest.approx(1)


def test_the_card_and_the_words():
    """They say which band is supported, or why none is."""
    shown = repr(km.benchmark(0.67, se=0.15))
    assert "scale           Landis and Koch (1977)" in shown
    assert "supported       at least moderate with probability 0.9636" in shown
    assert "substantial     0.4934  0.6751" in shown
    assert "reason" in repr(km.benchmark(0.67))
    assert km.benchmark(0.67, se=0.15).in_words == (
        "substantial on the scale of Landis and Koch (1977); by Gwet's method, the coefficient of the population is at "
        "least moderate with probability 0.9636"
    )
    assert km.benchmark(0.95, se=0.01, scale="fleiss").in_words.endswith("is excellent with probability 1.0000")
    assert km.benchmark(0.3, se=0.5).in_words.endswith("no band above poor has a cumulative probability of 0.95")
    measured = km.kappa(km.from_counts([[400, 0], [0, 400]]))
    assert (
        "and its confidence interval is within almost perfect; the estimated standard"
        in km.benchmark(measured).in_words
    )


@pytest.mark.parametrize(
    ("result", "options", "error", "message"),
    [
        (0.5, {"scale": "landis"}, km.errors.InvalidOptionError, "scale must be one of .* Did you mean 'landis-koch'"),
        (0.5, {"se": -0.1}, km.errors.InvalidOptionError, "se must be a number >= 0; got -0.1"),
        (0.5, {"se": float("nan")}, km.errors.InvalidOptionError, "se must be a finite number"),
        (1.2, {}, km.errors.InvalidOptionError, "the coefficient must lie between -1 and 1; got 1.2"),
        (float("nan"), {}, km.errors.InvalidOptionError, "the coefficient must be a finite number"),
        ("0.5", {}, km.errors.InvalidOptionError, "result must be a result of kappa or agreement, or a number"),
        (0.5, {"probability": 1}, km.errors.InvalidOptionError, "probability must lie between 0 and 1"),
        (km.kappa([1, 2], [1, 2]), {"se": 0.1}, km.errors.InvalidOptionError, "this result has its own"),
        (
            km.agreement([1, 2], [1, 2], coefficient="percent"),
            {},
            km.errors.NotSupportedError,
            "percent agreement is not",
        ),
    ],
)
def test_other_input_is_refused(result, options, error, message):
    """Percent agreement is not corrected for chance, so the scales do not apply to it."""
    with pytest.raises(error, match=message):
        km.benchmark(result, **options)


def test_the_report_places_every_weighting_on_the_scale_when_asked():
    """The sentence is in the text, the page and the JSON; by default there is none."""
    table = km.example("rapallo2022")
    report = km.report(table, weights=["unweighted", "linear"], benchmark="altman")
    words = "The value is moderate on the scale of Altman (1991), and its confidence interval reaches from fair to good"
    unweighted, linear = (result.benchmark for result in report.results)
    assert (report.results[0].agreement.exact, unweighted.band, linear.band) == (Fraction(2, 5), "fair", "moderate")
    assert any(said.startswith(words) for said in report.results[1].sentences)
    assert any(said.startswith("The value is fair on") for said in report.results[0].sentences)
    assert words in " ".join(report.to_text().split())
    assert words in report.to_html()
    assert [one["benchmark"]["scale"] for one in report.to_dict()["results"]] == ["altman", "altman"]
    assert "Values were placed on the scale of Altman (1991), with the probabilities of Gwet" in report.methods()
    assert "Altman DG (1991)" in report.methods()
    plain = km.report(table, weights="linear")
    assert plain.results[0].benchmark is None
    assert "benchmark" not in plain.to_dict()["results"][0]
    assert "Altman" not in plain.to_text()


def test_every_scale_has_a_reference_in_the_methods_of_a_report():
    """The paragraph names the publication of the scale."""
    for scale, (source, _) in SCALES.items():
        year = source[-5:-1]
        assert f"({year})" in km.report([1, 2, 2], [1, 2, 1], benchmark=scale).methods().partition("References:")[2]


def test_a_report_with_an_undefined_coefficient_has_no_label():
    """A coefficient that is 0/0 has no place on a scale, and percent agreement is refused."""
    report = km.report([1, 1], [1, 1], benchmark="fleiss")
    assert report.results[0].benchmark is None
    with pytest.raises(km.errors.InvalidOptionError, match="benchmark must be one of"):
        km.report([1, 2], [1, 2], benchmark="cohen")
    with pytest.raises(km.errors.NotSupportedError, match="percent agreement"):
        km.report([1, 2], [1, 2], coefficient="percent", benchmark="fleiss")
