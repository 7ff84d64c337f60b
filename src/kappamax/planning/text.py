"""Describe a planned study in sentences, in notes and in the rows of its printed summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kappamax.display import numbers, text
from kappamax.planning.goals import SimulatedStudies

if TYPE_CHECKING:
    from kappamax.planning.sample_size_result import SampleSize

_FEW_RATINGS = 5
_FEW_SUBJECTS = 20
_FEW_CLUSTERS = 20
_CLOSE_TO_MAXIMUM = 0.95
_OFF = 0.03  # a note is added if a simulated share differs from the requested one by more than this
_OFF_WIDTH = 0.05
_UNUSABLE = 0.01


def sentences(plan: SampleSize) -> list[str]:
    """Return sentences that give the number of subjects, the results of simulated studies, assumptions and notes."""
    about = (_answer, _clusters, _simulated, _found_by, _critical, _table, _maximum)
    found = [sentence_of(plan) for sentence_of in about]
    return [sentence for sentence in found if sentence is not None] + [f"Note: {note}." for note in plan.notes]


def rows(plan: SampleSize) -> list[tuple[str, str]]:
    """Return the names and formatted values of the printed summary."""
    shown = [
        ("subjects needed", numbers.count(plan.n_subjects)),
        (f"assumed {_coefficient(plan)}", _short(plan.assumed)),
    ]
    if plan.n_clusters is not None:
        shown[1:1] = [
            ("clusters needed", f"{numbers.count(plan.n_clusters)}, of {plan.cluster_size:.4g} subjects on average"),
            ("design effect", f"{plan.design_effect:.4g}"),
        ]
    if plan.maximum is not None:
        shown.append(("largest the margins allow", numbers.decimal(plan.maximum)))
    shown.append(("goal", _goal(plan)))
    shown.append(("found by", plan.method))
    if plan.method == "simulation":
        shown.append(("formula", text.plural(plan.n_formula, "subject")))
    studies = plan.studies
    if studies is not None and plan.assurance is not None and studies.share_within is not None:
        shown.append(("simulated studies no wider", numbers.percent(studies.share_within)))
    elif studies is not None and plan.width is not None:
        shown.append(("mean width in simulated studies", numbers.decimal(studies.mean_width)))
    elif studies is not None and studies.power is not None:
        shown.append(("power in simulated studies", numbers.percent(studies.power)))
    if plan.n_range is not None and plan.n_range[0] != plan.n_range[1]:
        ends = f"{numbers.count(plan.n_range[0])} to {numbers.count(plan.n_range[1])}"
        shown.append(("range over all such tables", ends))
    return shown + [("note", note) for note in plan.notes]


def notes(plan: SampleSize) -> tuple[str, ...]:
    """Return the reasons why the result may be inaccurate."""
    found = []
    if plan.n_subjects < _FEW_SUBJECTS:
        found.append(f"the formula is inaccurate for as few as {plan.n_subjects} subjects")
    if plan.n_clusters is not None and plan.n_clusters < _FEW_CLUSTERS:
        found.append(f"standard errors over as few as {plan.n_clusters} clusters are inaccurate")
    if plan.pilot_design_effect is not None and plan.pilot_design_effect < 1:
        found.append(
            f"the variance over the clusters of the pilot is {_short(plan.pilot_design_effect)} times that over its "
            "subjects; a ratio below 1 is most likely due to chance, so the correlation is assumed to be 0"
        )
    rare = _rarest(plan)
    if rare is not None:
        found.append(rare)
    if plan.maximum is not None and 0 < _CLOSE_TO_MAXIMUM * plan.maximum < plan.assumed < 1:
        found.append(
            f"the assumed value {_short(plan.assumed)} is close to {_short(plan.maximum)}, the largest value that the "
            "margins allow; there the distribution of the coefficient is skewed, and the formula can be inaccurate"
        )
    if plan.studies is not None:
        found += _surprises(plan, plan.studies)
    return tuple(found)


def _answer(plan: SampleSize) -> str:
    rated = f"each rated by {plan.n_raters} raters" if plan.table.complete else "rated as in the pilot"
    clusters = "" if plan.n_clusters is None else f" in {text.plural(plan.n_clusters, 'cluster')}"
    subjects = f"{numbers.count(plan.n_subjects)} subjects{clusters}, {rated},"
    study = f"If {_coefficient(plan)} is {_short(plan.assumed)}, {subjects}"
    if plan.width is not None and plan.level is not None:
        if plan.assurance is not None:
            give = "would give, by the formula," if plan.method == "formula" and _misses_assurance(plan) else "give"
            chance = f"with a probability of {100 * plan.assurance:g}%"
            return f"{study} {give} a {100 * plan.level:g}% interval no wider than {plan.width:g} {chance}."
        limits = "" if plan.expected_ci is None else f" ({numbers.interval(plan.expected_ci, 2)})"
        how = f"about {plan.width:g} wide{limits}"
        return f"{study} give a {100 * plan.level:g}% interval {how}."
    assert plan.power is not None
    give = "would give, by the formula," if plan.method == "formula" and _misses_power(plan) else "give"
    chance = f"a probability of {100 * plan.power:g}% of showing that it {_claim(plan)}"
    return f"{study} {give} {chance} ({_sides(plan)})."


def _clusters(plan: SampleSize) -> str | None:
    if plan.design_effect is None or plan.cluster_size is None or plan.icc is None:
        return None
    source = "assumed to have" if plan.pilot_design_effect is None else "taken from the pilot, with"
    return (
        f"The contributions of two subjects of a cluster are {source} a correlation of {_short(plan.icc)}; with "
        f"{_short(plan.cluster_size)} subjects per cluster on average, the variance is {_short(plan.design_effect)} "
        "times that of independent subjects (design effect)."
    )


def _simulated(plan: SampleSize) -> str | None:
    studies = plan.studies
    if studies is None:
        return None
    start = f"In {numbers.count(studies.n_draws)} simulated studies of that size"
    if plan.width is not None and plan.level is not None:
        assert studies.mean_width is not None
        assert studies.share_within is not None
        assert studies.coverage is not None
        without = numbers.count(studies.n_unusable)
        counted = f", counting a width of 2 for the {without} without an interval" if studies.n_unusable else ""
        return (
            f"{start}, the mean width of the interval was {numbers.decimal(studies.mean_width, 3)}{counted}; the "
            f"interval was no wider than {plan.width:g} in {numbers.percent(studies.share_within)} of them, and it "
            f"contained {_short(plan.assumed)} in {numbers.percent(studies.coverage)}."
        )
    assert studies.power is not None
    wrong = ""
    if studies.false_positives is not None and plan.null is not None:
        share = numbers.percent(studies.false_positives)
        wrong = f"; if the true value were {_short(plan.null)}, {share} of them would wrongly reject it"
    return f"{start}, the power was {numbers.percent(studies.power)}{wrong}."


def _found_by(plan: SampleSize) -> str | None:
    if plan.method != "simulation":
        return None
    error = plan.n_subjects_se
    within = "" if error is None else f", with a Monte Carlo error of about {numbers.count(max(1, round(error)))}"
    formula = numbers.count(plan.n_formula)
    return f"The number was found by simulation{within}; the formula gives {formula}."


def _critical(plan: SampleSize) -> str | None:
    value = plan.critical_value
    if value is None or plan.null is None:
        return None
    side = "above" if plan.assumed > plan.null else "below"
    return (
        f"The test uses the standard error at the null value {_short(plan.null)}, so with "
        f"{numbers.count(plan.n_subjects)} subjects a value {side} {numbers.decimal(value, 3)} is significant."
    )


def _table(plan: SampleSize) -> str | None:
    if plan.joint == "pilot":
        return "The proportions are taken from the pilot ratings, which can be inaccurate if the pilot is small."
    if plan.n_range is None or plan.n_range[0] != plan.n_range[1]:
        how = {
            "mixture": "a mixture of independence and the table with the largest agreement",
            "widest": "the one with the largest standard error",
        }[plan.joint]
        others = ""
        if plan.n_range is not None:
            low, high = map(numbers.count, plan.n_range)
            others = (
                " With the smallest and the largest standard errors that these margins and this value allow, the "
                f"formula gives {low} to {high} subjects."
            )
        return f"The margins do not determine which categories are confused; the assumed table is {how}.{others}"
    return None


def _maximum(plan: SampleSize) -> str | None:
    if plan.maximum is None or plan.maximum >= 1:
        return None
    return f"With these margins, {_coefficient(plan)} is at most {numbers.decimal(plan.maximum, 3)}."


def _rarest(plan: SampleSize) -> str | None:
    """Return a note on the rater and category with the fewest expected ratings, if these are few."""
    table = plan.table
    shares = table.margins / table.margins.sum(axis=1, keepdims=True)
    expected = [(float(shares[a, i]) * plan.n_subjects, a, i) for a, i in zip(*shares.nonzero(), strict=True)]
    least, rater, category = min(expected)
    if least >= _FEW_RATINGS:
        return None
    return (
        f"{text.rater(table.raters[rater])} is expected to use category {table.categories[category]!r} only "
        f"{numbers.decimal(least, 1)} times, so standard errors are based on few ratings, and simulated studies are "
        "more reliable than the formula"
    )


def _misses_power(plan: SampleSize) -> bool:
    """Return whether the power of simulated studies differs from the requested power."""
    if plan.power is None or plan.studies is None or plan.studies.power is None:
        return False
    return abs(plan.studies.power - plan.power) > _OFF


def _misses_assurance(plan: SampleSize) -> bool:
    """Return whether the share of simulated studies with a narrow interval differs from the requested assurance."""
    if plan.assurance is None or plan.studies is None or plan.studies.share_within is None:
        return False
    return abs(plan.studies.share_within - plan.assurance) > _OFF


def _surprises(plan: SampleSize, studies: SimulatedStudies) -> list[str]:
    """Return notes on the differences between simulated studies and the formula."""
    found = []
    if studies.n_unusable > _UNUSABLE * studies.n_draws:
        share = numbers.percent(studies.n_unusable / studies.n_draws)
        why = "show no disagreement or a single category" if plan.variance == "estimate" else "show a single category"
        missing = "" if plan.table.complete else " or have no ratings to compare"
        found.append(f"{share} of the simulated studies have no result, because they {why}{missing}")
    if studies.coverage is not None and plan.level is not None and abs(studies.coverage - plan.level) > _OFF:
        share = numbers.percent(studies.coverage)
        found.append(f"{share} of the simulated intervals contain the assumed value, not {100 * plan.level:g}%")
    if plan.method == "simulation":
        return found
    if studies.power is not None and _misses_power(plan):
        power = numbers.percent(studies.power)
        found.append(
            f"the power in simulated studies is {power}; method 'simulation' finds the number of subjects for the "
            "requested power"
        )
    if studies.share_within is not None and plan.assurance is not None:
        if _misses_assurance(plan):
            share = numbers.percent(studies.share_within)
            found.append(
                f"the interval is narrow enough in {share} of the simulated studies; method 'simulation' finds the "
                "number of subjects for the requested assurance"
            )
    elif studies.mean_width is not None and plan.width and abs(studies.mean_width / plan.width - 1) > _OFF_WIDTH:
        found.append(
            "the mean width in simulated studies differs from the requested width; method 'simulation' finds the "
            "number of subjects for the requested width"
        )
    return found


def _goal(plan: SampleSize) -> str:
    if plan.width is not None and plan.level is not None:
        sure = "" if plan.assurance is None else f" at most, with a probability of {100 * plan.assurance:g}%"
        return f"a {100 * plan.level:g}% interval {plan.width:g} wide{sure}"
    assert plan.power is not None
    return f"{100 * plan.power:g}% power to show that it {_claim(plan)}, {_sides(plan)}"


def _claim(plan: SampleSize) -> str:
    assert plan.null is not None
    verb = {"greater": "is above", "less": "is below", "two-sided": "differs from"}[str(plan.alternative)]
    return f"{verb} {_short(plan.null)}"


def _sides(plan: SampleSize) -> str:
    kind = "two-sided" if plan.alternative == "two-sided" else "one-sided"
    return f"{kind} test, alpha {plan.alpha:g}"


def _coefficient(plan: SampleSize) -> str:
    """Return the name of the coefficient with its weights, for a sentence."""
    return plan.title if plan.weights == "unweighted" else f"{plan.title} with {plan.weights} weights"


def _short(value: float) -> str:
    """Return a value with at most four significant digits."""
    return f"{value:.4g}"
