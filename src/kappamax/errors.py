"""Define the exceptions and the warning of kappamax.

Every error that a caller can cause is a `KappamaxError`; any other exception is a bug. An error has a code, the facts
that it is about, and advice. Its message names arguments of Python functions; the command line and the page word the
advice for themselves.

::

    KappamaxError
    ├── InputError (also a ValueError)
    │   ├── InvalidTableError       counts or patterns that cannot be a table
    │   ├── InvalidRatingsError     labels or columns that cannot be ratings
    │   ├── InvalidWeightsError     weights that break a rule or do not match the table
    │   ├── InvalidOptionError      an unknown name or a value out of range
    │   ├── UnreadableFileError     a file that cannot be read in the requested way
    │   └── InvalidRequestError     a request to the local page that breaks a rule
    ├── UnwritableFileError (also an OSError)   a file that cannot be written
    ├── UndefinedKappaError         the coefficient is 0/0 or an association not identified; `.reason` says why
    └── NotSupportedError           a result that is not defined or exceeds a limit of size or work

    Interrupted (a KeyboardInterrupt)   Ctrl-C during long work; `.best` is the best result so far
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

__all__ = [
    "Advice",
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
    "UnwritableFileError",
]


#: value of the option `categories` in advice where the order of the categories is known to the caller only
ORDER_TO_GIVE = ("LOW", "...", "HIGH")
#: value of the option `positions` in advice where the positions of the categories are known to the caller only
POSITIONS_TO_GIVE = ("NUMBER", "...", "NUMBER")


@dataclass(frozen=True)
class Advice:
    """Options that settle the question that an error raises.

    Attributes
    ----------
    options : mapping
        Options to add, by the names of the arguments of `read_ratings`.
    condition : str
        Condition under which the advice applies, such as "if 'None' means that the rating is missing"; default "".
    call : str
        Python function to call with these options, such as "km.from_ratings(ratings, ...)", in which "..." stands for
        the options. Default "": the function that raised the error.
    """

    options: Mapping[str, Any]
    condition: str = ""
    call: str = ""

    def __str__(self) -> str:
        given = ", ".join(f"{name}={_python_literal(value)}" for name, value in self.options.items())
        words = f"use {self.call.replace('...', given)}" if self.call else f"pass {given}"
        said = f"{self.condition}, {words}." if self.condition else f"{words}."
        return f"{said[:1].upper()}{said[1:]}"


class KappamaxError(Exception):
    """Base class of all errors that kappamax raises on purpose.

    Parameters
    ----------
    statement : str
        Statement of the rule and of what broke it, without advice.
    code : str, optional
        Code of the error. Default: the code of its class.
    fields : mapping, optional
        Facts that the error is about, by name. By default there are none.
    advice : sequence of Advice
        Options that settle the question, the most likely last. By default there are none.

    Attributes
    ----------
    statement : str
        Statement of the rule and of what broke it, without advice.
    code : str
        Code of the error, such as "long-table-read-as-wide".
    fields : dict
        Facts that the error is about, by name, such as the columns of a file.
    advice : tuple of Advice
        Options that settle the question, the most likely last.
    """

    default_code: ClassVar[str] = "error"

    def __init__(
        self,
        statement: str,
        *,
        code: str | None = None,
        fields: Mapping[str, Any] | None = None,
        advice: Sequence[Advice] = (),
    ) -> None:
        super().__init__(" ".join([statement, *map(str, advice)]))
        self.statement = statement
        self.code = code or self.default_code
        self.fields = dict(fields or {})
        self.advice = tuple(advice)

    def with_advice(self, advice: Sequence[Advice]) -> KappamaxError:
        """Return the same error with other advice."""
        return type(self)(self.statement, code=self.code, fields=self.fields, advice=advice)


class InputError(KappamaxError, ValueError):
    """Raised when an argument breaks a rule; the message names the argument and the rule."""

    default_code = "invalid-input"


class InvalidTableError(InputError):
    """Raised when counts or patterns do not form a table."""

    default_code = "invalid-table"


class InvalidRatingsError(InputError):
    """Raised when labels or columns do not form ratings."""

    default_code = "invalid-ratings"


class InvalidWeightsError(InputError):
    """Raised when weights break a rule or do not match the table."""

    default_code = "invalid-weights"


class InvalidOptionError(InputError):
    """Raised when an option has an unknown name or a value outside its range."""

    default_code = "invalid-option"


class UnreadableFileError(InputError):
    """Raised when a file cannot be read in the requested way."""

    default_code = "unreadable-file"


class UnwritableFileError(KappamaxError, OSError):
    """Raised when a file cannot be opened for writing or written, for example because the disk is full."""

    default_code = "unwritable-file"


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

    default_code = "invalid-request"

    def __init__(
        self,
        message: str,
        *,
        status: int = 422,
        field: str | None = None,
        cell: list[int] | None = None,
        columns: list[str] | None = None,
        code: str | None = None,
        fields: Mapping[str, Any] | None = None,
        advice: Sequence[Advice] = (),
    ) -> None:
        super().__init__(message, code=code, fields=fields, advice=advice)
        self.status, self.field, self.cell, self.columns = status, field, cell, columns


class NotSupportedError(KappamaxError, ValueError):
    """Raised when a result is not defined for these ratings or exceeds a limit; the message says why."""

    default_code = "not-supported"


class UndefinedKappaError(KappamaxError, ZeroDivisionError):
    """Raised when the coefficient is 0/0 because the expected disagreement is zero, or an association not identified.

    Attributes
    ----------
    reason : str
        Description of the case, such as "both raters used only 'x'".
    """

    default_code = "undefined"

    def __init__(self, reason: str) -> None:
        super().__init__(f"undefined: {reason}")
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason,)


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


def _python_literal(value: Any) -> str:
    """Return a value as it is written in Python; an order or positions that the caller has to give are placeholders."""
    if value in (ORDER_TO_GIVE, POSITIONS_TO_GIVE):
        return f"[{', '.join(value)}]"
    return repr(list(value) if isinstance(value, tuple) else value)


def __dir__() -> list[str]:
    """Return the public names only."""
    return __all__
