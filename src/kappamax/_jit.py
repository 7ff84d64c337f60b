"""Compile kernels with numba if the work is large enough.

Importing numba takes longer than solving most small problems. Numba is an optional dependency: without it, large
problems are still solved, more slowly, and a warning says once how to install it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from kappamax.errors import KappamaxWarning

STEPS_WITHOUT_COMPILER = 1_000_000  # limit of the steps of a search in plain Python if numba is absent

_compiled: dict[Callable[..., Any], Callable[..., Any]] = {}


def kernel(source: Callable[..., Any], *, work: float, worth: float) -> Callable[..., Any]:
    """Return a function, compiled if `work` exceeds `worth`.

    Parameters
    ----------
    source : callable
        Function that numba can compile.
    work : float
        Amount of work, in any unit.
    worth : float
        Amount of work, in the same unit, above which compiling saves time.

    Returns
    -------
    callable
        The function itself or its compiled form.
    """
    if work <= worth:
        return source
    if source not in _compiled:
        _compiled[source] = _compile(source)
    return _compiled[source]


def _compile(source: Callable[..., Any]) -> Callable[..., Any]:
    try:
        import numba
    except ImportError:
        message = 'numba would make this much faster. Install it with: pip install "kappamax[fast]"'
        warnings.warn(message, KappamaxWarning, stacklevel=4)
        return source
    try:
        return numba.njit(cache=True, nogil=True)(source)
    except RuntimeError:  # there is no writable folder for the cache
        return numba.njit(cache=False, nogil=True)(source)
