"""Studies with artificial stopping times that have the published means and standard deviations."""

from dataclasses import replace

import numpy as np
from scipy.stats import gamma

import kappamax as km
from kappamax.annealing.schedules import Logarithmic
from kappamax.paper.study.batch import TableBatch
from kappamax.paper.study.claims import cooling_scenarios
from kappamax.paper.study.rows import row_of


def stored_rows(*, scale=1.0, spread=1.0, shift=0, determined=None, short=True):
    """Return one row per scenario of the paper, with times that exceed the patience by gamma quantiles."""
    rows = []
    for scenario in km.paper.paper_scenarios():
        published = scenario.published
        above = published.mean - scenario.patience
        shape = (above / published.sd) ** 2
        times = scenario.patience + gamma(shape, scale=above / shape).ppf((np.arange(1000) + 0.5) / 1000)
        times = shift + scale * (published.mean + spread * (times - published.mean))
        below = short and scenario.n_raters == 3 and scenario.weights == "sqrt"
        kept = scenario if determined is None else replace(scenario, determined=determined)
        rows.append(row_of(kept, [_batch(times, below)]))
    return rows


def stored_cooling(*, apart=1.0):
    """Return one row per scenario of the cooling study, the first of which take `apart` times as long."""
    scenarios = cooling_scenarios()
    rows = []
    for place, scenario in enumerate(scenarios):
        slow = isinstance(scenario.schedule, Logarithmic)
        time = scenario.limit if slow else 3000 * (apart if place < 6 else 1)
        rows.append(row_of(scenario, [_batch(np.full(20, time), False)]))
    return rows


def _batch(times, below):
    steps = tuple(int(time) for time in np.round(times))
    return TableBatch(0, steps, (below,) + (False,) * (len(steps) - 1), 0, 0.0, 0.0)


SECONDS = {64: 0.1, 100: 0.2, 216: 0.3, 289: 0.4}
