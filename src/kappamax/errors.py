"""Define the exceptions and the warning of kappamax.

Every error that a caller can cause is a `KappamaxError`; any other exception is a bug.

::

    KappamaxError
    ├── InputError (also a ValueError)
    │   ├── InvalidTableError       counts or patterns that cannot be a table
    │   ├── InvalidRatingsError     labels or columns that cannot be ratings
    │   ├── InvalidWeightsError     weights that break a rule or do not match the table
    │   ├── InvalidOptionError      an unknown name or a value out of range
    │   ├── UnreadableFileError     a file that cannot be read in the requested way
    │   └── InvalidRequestError     a request to the local page that breaks a rule
    ├── UndefinedKappaError         the coefficient is 0/0; `.reason` says why
    └── NotSupportedError           a result that is not defined or exceeds a limit of size or work

    Interrupted (a KeyboardInterrupt)   Ctrl-C during long work; `.best` is the best result so far
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
    """Base class of all errors that kappamax raises on purpose."""


class InputError(KappamaxError, ValueError):
    """Raised when an argument breaks a rule; the message names the argument and the rule."""


class InvalidTableError(InputError):
    """Raised when counts or patterns do not form a table."""


class InvalidRatingsError(InputError):
    """Raised when labels or columns do not form ratings."""


class InvalidWeightsError(InputError):
    """Raised when weights break a rule or do not match the table."""


class InvalidOptionError(InputError):
    """Raised when an option has an unknown name or a value outside its range."""


class UnreadableFileError(InputError):
    """Raised when a file cannot be read in the requested way."""


class InvalidRequestError(InputError):
    """Raised when a request to the local page breaks a rule.

    Attributes
    ----------
    status : int
        HTTP status of the response, default 422.
    field : str or None
        Part of the request that breaks the rule, such as "counts".
    cell : list of int or None
        Position in that part, counted from 0.
    columns : list of str or None
        Columns of the file in question, from which the user can choose.
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
    """Raised when a result is not defined for these ratings or exceeds a limit; the message says why."""


class UndefinedKappaError(KappamaxError, ZeroDivisionError):
    """Raised when the coefficient is 0/0 because the expected disagreement is zero.

    Attributes
    ----------
    reason : str
        Description of the case, such as "both raters used only 'x'".
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"undefined: {reason}")


class Interrupted(KeyboardInterrupt):  # an interruption, not an error
    """Raised on Ctrl-C during long work.

    Attributes
    ----------
    best : object
        Best result so far, marked as not proven.
    """

    def __init__(self, best: Any) -> None:
        self.best = best
        super().__init__("interrupted")


class KappamaxWarning(UserWarning):
    """Warning that a result is valid but was obtained in a way that the caller should know about."""


def __dir__() -> list[str]:
    """Return the public names only."""
    return __all__
