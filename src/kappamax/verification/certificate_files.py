"""Read certificates from files and take them from results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

from kappamax.errors import KappamaxError, UnreadableFileError
from kappamax.io.input_files import whole_text
from kappamax.verification import parse


class Certified(Protocol):
    """A result that has a certificate."""

    def certificate(self) -> dict[str, Any]:
        """Return the claims and their proof as plain data."""


def read_certificate(path: str | Path) -> Any:
    """Return the JSON document in a file.

    Parameters
    ----------
    path : str or Path
        Path of the file.

    Returns
    -------
    object
        Content of the file as plain data.

    Raises
    ------
    UnreadableFileError
        If the file cannot be read, is not a JSON document, or repeats a key in one object.
    """
    try:
        return json.loads(whole_text(path), object_pairs_hook=_mapping)
    except UnreadableFileError:
        raise
    except _Repeated as error:
        raise UnreadableFileError(f"{path} repeats the key {parse.shown(error.args[0])} in one object.") from None
    except (ValueError, RecursionError):
        raise UnreadableFileError(f"{path} is not a JSON document.") from None


def document_of(claim: Any) -> Any:
    """Return the certificate of a claim as plain data; inconsistent results get a document that no check accepts."""
    if isinstance(claim, str | Path):
        return read_certificate(claim)
    if not hasattr(claim, "certificate"):
        return claim
    try:
        return claim.certificate()
    except (KappamaxError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        return {"format": f"none: {error}"}


class _Repeated(Exception):  # noqa: N818  # becomes an UnreadableFileError
    """Raised when a key occurs twice, because JSON readers differ in which of the two values they use."""


def _mapping(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dictionary; its keys must be distinct."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _Repeated(key)
        found[key] = value
    return found
