"""Compile kernels with numba where the work is large enough to pay for it.

Importing numba takes longer than most small problems, and it is an extra: where it is absent large work still runs,
slower, and says once how to install it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from kappamax.errors import KappamaxWarning

STEPS_WITHOUT_COMPILER = 1_000_000  # steps of a search that plain Python takes where numba is absent

_compiled: dict[Callable[..., Any], Callable[..., Any]] = {}


def kernel(source: Callable[..., Any], *, work: float, worth: float) -> Callable[..., Any]:
    """The source itself, or its compiled form where `work` (in any unit) exceeds what compiling is `worth`."""
    if work <= worth:
        return source
    if source not in _compiled:
        _compiled[source] = _compile(source)
    return _compiled[source]


def _compile(source: Callable[..., Any]) -> Callable[..., Any]:
    try:
        import numba
    except ImportError:
        message = 'numba would make this much faster: pip install "kappamax[fast]"'
        warnings.warn(message, KappamaxWarning, stacklevel=4)
        return source
    try:
        return numba.njit(cache=True)(source)
    except RuntimeError:  # no folder to keep the compiled form in
        return numba.njit(cache=False)(source)
