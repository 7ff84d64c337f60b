"""Results in, matplotlib pictures for papers out; each takes `ax` and returns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax._checks import reports as checks
from kappamax._validate import import_pyplot
from kappamax.display import numbers, text
from kappamax.io import Ratings, as_table

if TYPE_CHECKING:
    from kappamax.annealing.anneal import Annealing
    from kappamax.fibers.distribution import Distribution
    from kappamax.maximum.max_kappa import Maximum
    from kappamax.paper.study.run import Study
    from kappamax.table import Table

__all__ = ["plot_agreement", "plot_distribution", "plot_maximum", "plot_study", "plot_trace"]


def plot_agreement(*ratings: Ratings, ax: Any = None, title: str | None = None) -> Any:
    """The crossed table of two raters as a heat map.

    Examples
    --------
    >>> import kappamax as km
    >>> ax = km.plot_agreement(km.example("rapallo2022"))
    >>> ax.get_xlabel()
    'rater 2'
    """
    table = as_table(*ratings)
    checks.two_to_cross(table.n_raters, table.n_missing)
    return _heat(table, _axes(ax), title)


def plot_maximum(result: Maximum, *, ax: Any = None) -> Any:
    """The observed table beside one with the largest agreement, as two heat maps; cells that differ are framed.

    Parameters
    ----------
    result : Maximum
        From `max_kappa`, of two raters.
    ax : two matplotlib Axes, optional
    """
    observed = result.objective.table
    checks.two_to_cross(observed.n_raters, observed.n_missing)
    if ax is None:
        _, ax = _pyplot().subplots(1, 2, figsize=(9, 4), layout="constrained")
    before, after = observed.dense(), result.table.dense()
    _heat(observed, ax[0], f"observed: {numbers.decimal(result.value)}")
    proven = "" if result.proven else " (not proven)"
    _heat(result.table, ax[1], f"largest, {result.weights}: {numbers.decimal(result.maximum)}{proven}")
    for i, j in np.argwhere(before != after).tolist():
        ax[1].add_patch(
            _pyplot().Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, linestyle="--", linewidth=1.5)
        )
    return ax


def plot_distribution(distribution: Distribution, *, ax: Any = None) -> Any:
    """Every value of kappa over a fiber as a line of its probability by chance, the observed one marked."""
    ax = _axes(ax)
    ax.vlines(distribution.values, 0, distribution.probabilities, linewidth=2)
    ax.axvline(distribution.observed, color="C1", linestyle="--")
    ax.annotate(
        f"observed {numbers.decimal(distribution.observed)}",
        (distribution.observed, ax.get_ylim()[1]),
        xytext=(4, -12),
        textcoords="offset points",
    )
    ax.set_xlabel(f"kappa, {distribution.weights}")
    ax.set_ylabel("probability by chance")
    ax.set_ylim(bottom=0)
    return ax


def plot_trace(result: Annealing, *, ax: Any = None) -> Any:
    """Agreement and acceptance along an annealing search made with `trace=`."""
    return checks.some_trace(result.trace).plot(_axes(ax))


def plot_study(study: Study, *, ax: Any = None) -> Any:
    """The difference of a study's means from the published ones in percent, with two standard errors."""
    return study.plot(_axes(ax))


def _heat(table: Table, ax: Any, title: str | None) -> Any:
    counts = table.dense()
    ax.imshow(counts, cmap="Blues", vmin=0, vmax=1.6 * max(1, int(counts.max())))
    for (i, j), n in np.ndenumerate(counts):
        ax.text(j, i, numbers.count(int(n)), ha="center", va="center")
    labels = [str(label) for label in table.categories]
    ax.set_xticks(range(len(labels)), labels)
    ax.set_yticks(range(len(labels)), labels)
    ax.set_ylabel(text.rater(table.raters[0]))
    ax.set_xlabel(text.rater(table.raters[1]))
    if title is not None:
        ax.set_title(title)
    return ax


def _axes(ax: Any) -> Any:
    return _pyplot().subplots(layout="constrained")[1] if ax is None else ax


def _pyplot() -> Any:
    return import_pyplot()
