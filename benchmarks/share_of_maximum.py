"""Simulate the bias of the corrected share of the maximum and the coverage of its interval.

`python -m benchmarks.share_of_maximum` prints the tables of docs/howto/share-of-the-maximum.md and takes some minutes.
Two raters rate N subjects from a population in which kappa is a known share of its maximum: with that probability a
subject is drawn from a table of greatest agreement with the given margins, and otherwise the ratings are independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

import kappamax as km
from benchmarks.markdown import table as markdown_table
from kappamax.coefficients import as_objective
from kappamax.disagreement.evaluator import Evaluator
from kappamax.maximum.least_disagreements import least_disagreements, solve_margins
from kappamax.patterns import margins_of

SIZES = (20, 33, 50, 100, 200)
SHARES = (0.2, 0.4, 0.6, 0.9)
#: share of the subjects that the second rater moves from the first category to the last, per quarter of the first
SHIFTS = {"equal": 0.0, "slightly different": 0.08, "clearly different": 0.2}
DESIGNS = [(2, "unweighted"), *product((3, 4, 5), ("unweighted", "linear", "quadratic"))]
N_RESAMPLES = 200
_WHOLE = 10_000  # margins of populations are multiples of 1 / _WHOLE


@dataclass(frozen=True)
class Setting:
    """Population and number of subjects of a study."""

    n_categories: int
    weights: str
    skewed: bool
    margins: str
    share: float
    n_subjects: int

    def population(self) -> np.ndarray:
        """Return the probability of each cell, shape (k, k); kappa is `share` times its maximum."""
        k = self.n_categories
        first = 0.5 ** np.arange(k) if self.skewed else np.ones(k)
        rows = np.rint(_WHOLE * first / first.sum()).astype(int)
        rows[0] += _WHOLE - rows.sum()
        moved = round(SHIFTS[self.margins] * min(_WHOLE, 4 * rows[0]))
        columns = rows.copy()
        columns[[0, -1]] += [-moved, moved]
        objective = as_objective(km.from_counts(np.eye(k, dtype=int)), weights=self.weights)
        best = solve_margins(objective, np.stack([rows, columns])).table.dense() / _WHOLE
        return self.share * best + (1 - self.share) * np.outer(rows, columns) / _WHOLE**2

    def name(self) -> str:
        """Return the setting without the number of subjects, in words."""
        shape = "skewed" if self.skewed else "uniform"
        return f"k = {self.n_categories}, {self.weights}, {shape}, {self.margins}, share {self.share:g}"


@dataclass(frozen=True)
class Found:
    """Results of simulated studies of one setting.

    Attributes
    ----------
    setting : Setting
        Population and number of subjects.
    maxima, ratios, shares, lows, highs : arrays
        Maximum of the sample, plain ratio, corrected share and limits of the interval, in each study.
    n_undefined : int
        Number of studies without a share: kappa is undefined, or the margins allow one value only.
    """

    setting: Setting
    maxima: np.ndarray
    ratios: np.ndarray
    shares: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    n_undefined: int

    @property
    def covered(self) -> np.ndarray:
        """Whether the interval of each study contains the share of the population."""
        return (self.lows <= self.setting.share) & (self.setting.share <= self.highs)


def simulate(setting: Setting, n_studies: int, seed: int = 1) -> Found:
    """Return the results of simulated studies."""
    rng = np.random.default_rng([seed, *setting.name().encode(), setting.n_subjects])
    k = setting.n_categories
    rows, n_undefined = [], 0
    for counts in rng.multinomial(setting.n_subjects, setting.population().ravel(), size=n_studies):
        try:
            found = km.maximum.share_of_maximum(
                km.from_counts(counts.reshape(k, k)), weights=setting.weights, n_resamples=N_RESAMPLES, rng=rng
            )
        except km.errors.UndefinedKappaError:
            n_undefined += 1
            continue
        if found.ci is None:
            n_undefined += 1
            continue
        rows.append((found.maximum, found.ratio, found.share, *found.ci))
    return Found(setting, *np.array(rows).T, n_undefined)


def percentile_coverage(setting: Setting, n_studies: int, seed: int = 1) -> tuple[float, float, float]:
    """Return how often the percentile bootstrap of the plain ratio covers, lies above, and lies below the share."""
    rng = np.random.default_rng([seed, setting.n_subjects])
    k, n = setting.n_categories, setting.n_subjects
    every = km.from_counts(np.ones((k, k), dtype=int))
    objective = as_objective(every, weights=setting.weights)
    evaluator = Evaluator(objective)
    above = below = 0
    for counts in rng.multinomial(n, setting.population().ravel(), size=n_studies):
        resampled = rng.multinomial(n, counts / n, size=1000)
        totals = evaluator.totals(resampled)
        margins = np.array([margins_of(every.patterns, own, k) for own in resampled])
        maxima = 1 - least_disagreements(objective, margins) / evaluator.expected_of(totals.use)
        low, high = np.quantile(evaluator.value_of(totals) / maxima, [0.025, 0.975])
        above, below = above + (low > setting.share), below + (high < setting.share)
    return 1 - (above + below) / n_studies, above / n_studies, below / n_studies


def grid() -> list[Setting]:
    """Return all settings of the study."""
    shapes = product(DESIGNS, (False, True), SHIFTS, SHARES, SIZES)
    return [Setting(k, weights, skewed, margins, share, n) for (k, weights), skewed, margins, share, n in shapes]


EQUAL_MARGINS = Setting(4, "unweighted", False, "equal", 0.6, 33)


def summary(found: list[Found]) -> list[str]:
    """Return mean biases, mean coverage and mean width over settings, formatted."""
    plain = [one.ratios.mean() - one.setting.share for one in found]
    corrected = [one.shares.mean() - one.setting.share for one in found]
    return [
        f"{np.mean(plain):+.3f}",
        f"{np.mean(corrected):+.3f}",
        f"{_root_mean_square(plain):.3f}",
        f"{_root_mean_square(corrected):.3f}",
        f"{100 * np.mean([one.covered.mean() for one in found]):.1f} %",
        f"{np.mean([(one.highs - one.lows).mean() for one in found]):.2f}",
    ]


HEADER = ["bias, plain", "bias, corrected", "rms bias, plain", "rms bias, corrected", "coverage", "mean width"]


def _root_mean_square(values: list[float]) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


def main(n_studies: int = 100, n_again: int = 1000) -> None:
    """Print the tables in Markdown."""
    example = simulate(EQUAL_MARGINS, 4000)
    covered, above, below = percentile_coverage(EQUAL_MARGINS, 1000)
    print(f"{EQUAL_MARGINS.name()}, N = {EQUAL_MARGINS.n_subjects}")
    print(f"- mean maximum {example.maxima.mean():.3f}, mean plain ratio {example.ratios.mean():.3f}")
    print(f"- mean corrected share {example.shares.mean():.3f}, standard deviation {example.shares.std():.3f}")
    print(f"- coverage {100 * example.covered.mean():.1f} %, mean width {(example.highs - example.lows).mean():.2f}")
    print(f"- percentile bootstrap of the plain ratio: coverage {100 * covered:.1f} %, ", end="")
    print(f"above the share {100 * above:.1f} %, below {100 * below:.1f} %\n", flush=True)
    found = [simulate(setting, n_studies) for setting in grid()]
    rows = [
        [margins, str(n), *summary([o for o in found if (o.setting.margins, o.setting.n_subjects) == (margins, n)])]
        for margins, n in product(SHIFTS, SIZES)
    ]
    print(markdown_table(["margins", "N", *HEADER], [*rows, ["all", "all", *summary(found)]]), "\n")
    rows = [
        [str(k), weights, *summary([o for o in found if (o.setting.n_categories, o.setting.weights) == (k, weights)])]
        for k, weights in DESIGNS
    ]
    print(markdown_table(["k", "weights", *HEADER], rows), "\n", flush=True)
    worst = sorted((one for one in found if one.setting.n_subjects >= 33), key=lambda one: one.covered.mean())[:10]
    again = [simulate(one.setting, n_again, seed=2) for one in worst]
    rows = [
        [
            one.setting.name(),
            str(one.setting.n_subjects),
            f"{100 * one.covered.mean():.0f} %",
            f"{100 * more.covered.mean():.1f} %",
        ]
        for one, more in zip(worst, again, strict=True)
    ]
    print(markdown_table(["setting", "N", f"coverage, {n_studies} studies", f"again, {n_again} new ones"], rows))
    print(f"\nStudies without a share: {sum(one.n_undefined for one in found):,} of {n_studies * len(found):,}.")


if __name__ == "__main__":
    main()
