"""Draw results with matplotlib, for papers.

Every function draws on the axes given as `ax`, or on new ones, and returns them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kappamax._validate import import_pyplot
from kappamax.display import numbers, text
from kappamax.errors import InvalidOptionError, NotSupportedError
from kappamax.io import Ratings, as_table

if TYPE_CHECKING:
    from kappamax.annealing.simulated_annealing import Annealing
    from kappamax.fibers.distribution import Distribution
    from kappamax.maximum.max_kappa import Maximum
    from kappamax.paper.study.run import Study
    from kappamax.table import Table

__all__ = ["agreement", "distribution", "maximum", "study", "trace"]


def agreement(*ratings: Ratings, ax: Any = None, title: str | None = None) -> Any:
    """Draw the crossed table of two raters as a heat map.

    Parameters
    ----------
    *ratings : a Table, a frame, or two label arrays
        Complete ratings of two raters.
    ax : matplotlib Axes, optional
        Axes to draw on; new ones if left out.
    title : str, optional
        Title of the axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import kappamax as km
    >>> ax = km.plot.agreement(km.example("rapallo2022"))
    >>> ax.get_xlabel()
    'rater 2'
    """
    table = as_table(*ratings)
    _require_two_complete_raters(table)
    return _heat_map(table, _axes(ax), title)


def maximum(result: Maximum, *, ax: Any = None) -> Any:
    """Draw the observed table beside one with the largest agreement, as two heat maps; cells that differ are framed.

    Parameters
    ----------
    result : Maximum
        Result of `max_kappa` for two raters.
    ax : sequence of two matplotlib Axes, optional
        Axes to draw on; new ones if left out.
    """
    observed = result.objective.table
    _require_two_complete_raters(observed)
    pyplot = import_pyplot()
    if ax is None:
        _, ax = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    before, after = observed.dense(), result.table.dense()
    _heat_map(observed, ax[0], f"observed: {numbers.decimal(result.value)}")
    proven = "" if result.proven else " (not proven)"
    _heat_map(result.table, ax[1], f"largest, {result.weights}: {numbers.decimal(result.maximum)}{proven}")
    for i, j in np.argwhere(before != after).tolist():
        frame = pyplot.Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, linestyle="--", linewidth=1.5)
        ax[1].add_patch(frame)
    return ax


def distribution(distribution: Distribution, *, ax: Any = None) -> Any:
    """Draw the probability by chance of every value of kappa over a fiber, with the observed value marked."""
    ax = _axes(ax)
    ax.vlines(distribution.values, 0, distribution.probabilities, linewidth=2)
    ax.axvline(distribution.value, color="C1", linestyle="--")
    ax.annotate(
        f"observed {numbers.decimal(distribution.value)}",
        (distribution.value, ax.get_ylim()[1]),
        xytext=(4, -12),
        textcoords="offset points",
    )
    ax.set_xlabel(f"kappa, {distribution.weights}")
    ax.set_ylabel("probability by chance")
    ax.set_ylim(bottom=0)
    return ax


def trace(result: Annealing, *, ax: Any = None) -> Any:
    """Draw agreement and acceptance along an annealing search made with `trace=`."""
    if result.trace is None:
        raise InvalidOptionError("this search kept no trace; anneal with trace=100 to keep every hundredth step.")
    return result.trace.plot(_axes(ax))


def study(study: Study, *, ax: Any = None) -> Any:
    """Draw the differences of a study's means from the published ones in percent, with two standard errors."""
    return study.plot(_axes(ax))


def __dir__() -> list[str]:
    """List the public names only."""
    return __all__


def _heat_map(table: Table, ax: Any, title: str | None) -> Any:
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
    return import_pyplot().subplots(layout="constrained")[1] if ax is None else ax


def _require_two_complete_raters(table: Table) -> None:
    """Require a table that can be shown as a crossed one."""
    if table.n_raters != 2 or table.n_missing:
        missing = f" and {table.n_missing} missing ratings" if table.n_missing else ""
        raise NotSupportedError(
            f"a crossed table shows two raters with complete ratings; got {table.n_raters}{missing}."
        )
