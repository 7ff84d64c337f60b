"""Compile kernels with numba if the work is large enough.

Importing numba takes longer than solving most small problems. Numba is an optional dependency: without it, large
problems are still solved, more slowly, and a warning says once how to install it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from threading import Thread
from typing import Any

from kappamax.errors import KappamaxWarning

STEPS_WITHOUT_COMPILER = 1_000_000  # limit of the steps of a search in plain Python if numba is absent
_WAIT = 0.02  # seconds between two looks at the clock while a function is compiled

_compiled: dict[Callable[..., Any], Callable[..., Any]] = {}


class CompilationStopped(Exception):  # noqa: N818  # signals a reached limit, not an error
    """The time was over before a function was compiled."""


def kernel(
    source: Callable[..., Any], *, work: float, worth: float, stopped: Callable[[], bool] | None = None
) -> Callable[..., Any]:
    """Return a function, compiled if `work` exceeds `worth`.

    Parameters
    ----------
    source : callable
        Function that numba can compile.
    work : float
        Amount of work, in any unit.
    worth : float
        Amount of work, in the same unit, above which compiling saves time.
    stopped : callable, optional
        Returns whether the time is over. Compiling takes some seconds when a function is first used on a machine. If
        the time is over before that, the call raises `CompilationStopped`, and compiling goes on in the background.
        Default: the call waits.

    Returns
    -------
    callable
        The function itself or its compiled form.
    """
    if work <= worth:
        return source
    if source not in _compiled:
        _compiled[source] = _Compiled(source) if _has_numba() else source
    compiled = _compiled[source]
    if stopped is None or not isinstance(compiled, _Compiled) or compiled.ready:
        return compiled
    return lambda *arguments: compiled.in_time(arguments, stopped)


@cache
def _has_numba() -> bool:
    """Return whether numba can be imported; warn once if it cannot."""
    try:
        import numba  # noqa: F401  # an installed numba may still not support the installed numpy
    except ImportError:
        message = 'numba would make this much faster. Install it with: pip install "kappamax[fast]"'
        warnings.warn(message, KappamaxWarning, stacklevel=4)
        return False
    return True


class _Compiled:
    """A function that is compiled for the types of its arguments when it is first called."""

    def __init__(self, source: Callable[..., Any]) -> None:
        self.source = source
        self.ready = False
        self._function: Callable[..., Any] | None = None
        self._thread: Thread | None = None

    def __call__(self, *arguments: Any) -> Any:
        function = self._numba_function()
        try:
            result = function(*arguments)
        except OSError:  # the disk is full: it was compiled, but not stored
            result = function(*arguments)
        self.ready = True
        return result

    def in_time(self, arguments: tuple[Any, ...], stopped: Callable[[], bool]) -> Any:
        """Compile the function in another thread, and call it unless the time is over before it is compiled."""
        if not self.ready and self._thread is None:
            self._thread = Thread(target=self._compile_for, args=(arguments,), name=f"compiles {self.source.__name__}")
            self._thread.start()
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(_WAIT)
            if stopped() and self._thread.is_alive():
                raise CompilationStopped
        return self(*arguments)

    def _compile_for(self, arguments: tuple[Any, ...]) -> None:
        import numba

        with suppress(OSError):  # the disk is full: it was compiled, but not stored
            self._numba_function().compile(tuple(map(numba.typeof, arguments)))  # type: ignore[attr-defined]

    def _numba_function(self) -> Callable[..., Any]:
        if self._function is None:
            import numba

            try:
                self._function = numba.njit(cache=True, nogil=True)(self.source)
            except RuntimeError:  # there is no writable folder for the cache
                self._function = numba.njit(cache=False, nogil=True)(self.source)
        assert self._function is not None
        return self._function
