"""Draw results with matplotlib.

Every function draws on the axes given as `ax`, or on new axes, and returns them.
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
    from kappamax.maximum.maximum_result import Maximum
    from kappamax.paper.study.run import Study
    from kappamax.table import Table

__all__ = ["distribution", "maximum", "study", "table", "trace"]


def table(*ratings: Ratings, ax: Any = None, title: str | None = None) -> Any:
    """Draw the table of two raters as a heat map.

    Parameters
    ----------
    *ratings : Table, frame, or two arrays of labels
        Complete ratings of two raters.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default new axes are made.
    title : str, optional
        Title of the axes. By default the axes have no title.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    NotSupportedError
        If there are more than two raters, if ratings are missing, or if matplotlib is not installed.

    Examples
    --------
    >>> import kappamax as km
    >>> ax = km.plot.table(km.example("rapallo2022"))
    >>> ax.get_xlabel()
    'rater 2'
    """
    table = as_table(*ratings)
    _require_two_complete_raters(table)
    return _heat_map(table, _axes(ax), title)


def maximum(result: Maximum, *, ax: Any = None) -> Any:
    """Draw the observed table and a table with the largest agreement as two heat maps.

    The cells in which the tables differ are framed.

    Parameters
    ----------
    result : Maximum
        Result of `max_kappa` for complete ratings of two raters.
    ax : sequence of two matplotlib.axes.Axes, optional
        Axes to draw on. By default new axes are made.

    Returns
    -------
    sequence of two matplotlib.axes.Axes
        The axes.

    Raises
    ------
    NotSupportedError
        If there are more than two raters, if ratings are missing, or if matplotlib is not installed.
    """
    observed = result.objective.table
    _require_two_complete_raters(observed)
    pyplot = import_pyplot()
    if ax is None:
        _, ax = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
    before, after = observed.dense(), result.table.dense()
    _heat_map(observed, ax[0], f"observed table: {numbers.decimal(result.value)}")
    proven = "" if result.proven else " (not proven)"
    _heat_map(result.table, ax[1], f"largest agreement, {result.weights}: {numbers.decimal(result.maximum)}{proven}")
    for i, j in np.argwhere(before != after).tolist():
        frame = pyplot.Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, linestyle="--", linewidth=1.5)
        ax[1].add_patch(frame)
    return ax


def distribution(distribution: Distribution, *, ax: Any = None) -> Any:
    """Draw the distribution of a coefficient under chance, with the observed value marked.

    Parameters
    ----------
    distribution : Distribution
        Distribution over a fiber, as returned by ``fiber(...).distribution(...)``.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default new axes are made.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    NotSupportedError
        If matplotlib is not installed.
    """
    ax = _axes(ax)
    ax.vlines(distribution.values, 0, distribution.probabilities, linewidth=2)
    ax.axvline(distribution.value, color="C1", linestyle="--")
    ax.annotate(
        f"observed {numbers.decimal(distribution.value)}",
        (distribution.value, ax.get_ylim()[1]),
        xytext=(4, -12),
        textcoords="offset points",
    )
    ax.set_xlabel(text.printable(f"kappa, {distribution.weights}"), parse_math=False)
    ax.set_ylabel("probability under chance")
    ax.set_ylim(bottom=0)
    return ax


def trace(result: Annealing, *, ax: Any = None) -> Any:
    """Draw the agreement and the acceptance rate during an annealing search.

    Parameters
    ----------
    result : Annealing
        Result of `anneal`, called with the argument `trace`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default new axes are made.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    InvalidOptionError
        If the search recorded no trace.
    NotSupportedError
        If matplotlib is not installed.
    """
    if result.trace is None:
        raise InvalidOptionError(
            "this search recorded no trace; call anneal with trace=100 to record every hundredth step."
        )
    return result.trace.plot(_axes(ax))


def study(study: Study, *, ax: Any = None) -> Any:
    """Draw the differences between the means of a study and the published means in percent.

    The error bars show two standard errors. If there are no published means, the mean stopping times are drawn.

    Parameters
    ----------
    study : Study
        Result of `paper.run_study`.
    ax : matplotlib.axes.Axes, optional
        Axes to draw on. By default new axes are made.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    NotSupportedError
        If matplotlib is not installed.
    """
    return study.plot(_axes(ax))


def __dir__() -> list[str]:
    """List the public names only."""
    return __all__


def _heat_map(table: Table, ax: Any, title: str | None) -> Any:
    """Draw the counts of two raters on the axes, and return the axes."""
    counts = table.dense()
    ax.imshow(counts, cmap="Blues", vmin=0, vmax=1.6 * max(1, int(counts.max())))
    for (i, j), n in np.ndenumerate(counts):
        ax.text(j, i, numbers.count(int(n)), ha="center", va="center")
    labels = [text.printable(str(label)) for label in table.categories]
    ax.set_xticks(range(len(labels)), labels, parse_math=False)  # dollar signs in labels are not formulas
    ax.set_yticks(range(len(labels)), labels, parse_math=False)
    ax.set_ylabel(text.printable(text.rater(table.raters[0])), parse_math=False)
    ax.set_xlabel(text.printable(text.rater(table.raters[1])), parse_math=False)
    if title is not None:
        ax.set_title(title)
    return ax


def _axes(ax: Any) -> Any:
    """Return the given axes, or new ones if there are none."""
    return import_pyplot().subplots(layout="constrained")[1] if ax is None else ax


def _require_two_complete_raters(table: Table) -> None:
    """Require complete ratings of two raters."""
    if table.n_raters != 2 or table.n_missing:
        missing = f" and {text.plural(table.n_missing, 'missing rating')}" if table.n_missing else ""
        raise NotSupportedError(
            f"a heat map needs two raters with complete ratings; got {table.n_raters} raters{missing}."
        )
