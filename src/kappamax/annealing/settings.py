"""Convert temperature schedules and stopping rules to plain data and back.

A study can therefore be described in a TOML file, and a checkpoint records the settings that it belongs to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from kappamax._validate import as_choice
from kappamax.display.text import listing
from kappamax.errors import InvalidOptionError


class Setting:
    """Base class of temperature schedules and stopping rules.

    Subclasses are frozen dataclasses, whose fields are the parameters of the setting.

    Attributes
    ----------
    kind : str
        Name of the kind of the setting, such as "geometric".
    """

    kind = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the kind and the parameters of the setting as plain data, without parameters that are None.

        Returns
        -------
        dict
            The key `kind` holds the name of the kind, such as "geometric".
        """
        numbers = {name: value for name, value in asdict(self).items() if value is not None}  # type: ignore[call-overload]  # subclasses are dataclasses
        return {"kind": self.kind} | numbers


def setting_from(argument: str, data: Any, kinds: Mapping[str, Any]) -> Any:
    """Return the setting that is described by its kind and parameters.

    Parameters
    ----------
    argument : str
        Name of the argument that holds the data, for error messages.
    data : mapping
        Kind and parameters of the setting.
    kinds : mapping of str to class
        Class of each kind.

    Returns
    -------
    Setting

    Raises
    ------
    InvalidOptionError
        If there is no such kind, or a parameter is unknown or out of range.
    """
    if not isinstance(data, Mapping):
        raise InvalidOptionError(f"{argument} must be a mapping whose kind is one of {listing(kinds)}; got {data!r}.")
    kind = kinds[as_choice(f"{argument}.kind", data.get("kind"), tuple(kinds))]
    numbers = {name: value for name, value in data.items() if name != "kind"}
    known = [field.name for field in fields(kind)]
    for name in numbers:
        if name not in known:
            raise InvalidOptionError(f"{argument} {kind.kind!r} has no parameter {name!r}; it has {listing(known)}.")
    return kind(**numbers)
