"""The exceptions and the warning kappamax raises.

Everything a caller can cause is a `KappamaxError`; anything else that escapes is a bug.

::

    KappamaxError
    ├── InputError (also a ValueError)
    │   ├── InvalidTableError       counts or patterns that cannot be a table
    │   ├── InvalidRatingsError     labels or columns that cannot be ratings
    │   ├── InvalidWeightsError     weights that do not fit the table or the rules
    │   ├── InvalidOptionError      an unknown name or a value out of range
    │   ├── UnreadableFileError     a file that cannot be read as asked
    │   └── InvalidRequestError     a request to the local page that breaks a rule
    ├── UndefinedKappaError         the coefficient is 0/0; `.reason` says why
    └── NotSupportedError           a question without an answer, or beyond a limit of size or work

    Interrupted (a KeyboardInterrupt)   Ctrl-C during long work; `.best` is the best so far
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "InputError",
    "Interrupted",
    "InvalidOptionError",
    "InvalidRatingsError",
    "InvalidRequestError",
    "InvalidTableError",
    "InvalidWeightsError",
    "KappamaxError",
    "KappamaxWarning",
    "NotSupportedError",
    "UndefinedKappaError",
    "UnreadableFileError",
]


class KappamaxError(Exception):
    """Root of every error kappamax raises on purpose."""


class InputError(KappamaxError, ValueError):
    """Something the caller passed breaks a rule; the message names it."""


class InvalidTableError(InputError):
    """Counts or patterns that cannot be a table."""


class InvalidRatingsError(InputError):
    """Labels or columns that cannot be ratings."""


class InvalidWeightsError(InputError):
    """Weights that do not fit the table or break a rule of weights."""


class InvalidOptionError(InputError):
    """An unknown name, or a value outside its range."""


class UnreadableFileError(InputError):
    """A file that cannot be read as asked."""


class InvalidRequestError(InputError):
    """A request to the local page that breaks a rule.

    Attributes
    ----------
    status : int
        HTTP status of the answer.
    field : str or None
        Which part of the request, such as "counts".
    cell : list of int or None
        Where in it, counted from 0.
    columns : list of str or None
        The columns of the file it is about, to choose from.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 422,
        field: str | None = None,
        cell: list[int] | None = None,
        columns: list[str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.field, self.cell, self.columns = status, field, cell, columns


class NotSupportedError(KappamaxError, ValueError):
    """A question that has no answer for these ratings, or whose answer is beyond a limit; the message says why."""


class UndefinedKappaError(KappamaxError, ZeroDivisionError):
    """The coefficient is 0/0: chance alone leaves no disagreement to expect.

    Attributes
    ----------
    reason : str
        The case in words, such as "both raters used only 'x'".
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"undefined: {reason}")


class Interrupted(KeyboardInterrupt):  # an interruption, not an error
    """Ctrl-C during long work; `.best` holds the best result so far, marked unproven."""

    def __init__(self, best: Any) -> None:
        self.best = best
        super().__init__("interrupted")


class KappamaxWarning(UserWarning):
    """A result stands, but the caller should know how it came about."""


def __dir__() -> list[str]:
    """List the public names only."""
    return __all__
