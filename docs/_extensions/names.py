"""Turn `name` in docstrings into a link if it is a public name of kappamax, and into plain code otherwise.

Also shows what a function returns if that is a class of ours, and leaves the constructor's arguments out of result
classes, which are made by functions, not by readers; where their docstring has no Attributes, the fields are named.
"""

import inspect
import re
from dataclasses import fields
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

import kappamax as km
from kappamax._result import Result


def _public() -> dict[str, tuple[str, Any]]:
    """Return where every public name is: functions and classes at the top, and those of the namespaces.

    A name of a namespace can be written with it ("moves.rank_moves") or, where the name alone says which one is meant,
    without it ("rank_moves").
    """
    top = {name: getattr(km, name) for name in dir(km) if not name.startswith("_")}
    found = {name: (f"kappamax.{name}", thing) for name, thing in top.items() if not inspect.ismodule(thing)}
    for space, module in top.items():
        for name in dir(module) if inspect.ismodule(module) else ():
            if not name.startswith("_"):
                place = (f"kappamax.{space}.{name}", getattr(module, name))
                found[f"{space}.{name}"] = place
                found.setdefault(name, place)
    return found


_PUBLIC = _public()


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the role `name`; `default_role = "name"` gives it to single backticks."""
    app.add_role("name", _Name())
    app.connect("autodoc-process-signature", _signature)
    app.connect("autodoc-process-docstring", _docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _Name(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        words = nodes.literal(self.text, self.text)
        if self.text not in _PUBLIC:
            return [words], []
        target = {"refdomain": "py", "reftype": "obj", "reftarget": _PUBLIC[self.text][0], "refdoc": self.env.docname}
        return [addnodes.pending_xref(self.text, words, **target, refexplicit=True, refwarn=True)], []


def _signature(
    _app: Sphinx, what: str, _name: str, thing: Any, _options: Any, arguments: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    if what == "class" and issubclass(thing, Result):
        return "", None
    function = getattr(thing, "__func__", thing)
    returns = getattr(function, "__globals__", {}).get(getattr(function, "__annotations__", {}).get("return"))
    if isinstance(returns, type) and re.match(r"kappamax\.(?!_)", returns.__module__):
        public = next((path for path, item in _PUBLIC.values() if item is returns), None)
        return arguments, public or f"{returns.__module__}.{returns.__qualname__}"
    return arguments, returned


def _docstring(_app: Sphinx, what: str, _name: str, thing: Any, _options: Any, lines: list[str]) -> None:
    """Napoleon has run: it turned Attributes into a field, and "text: more text" of a property into a type."""
    if what == "property":
        lines[:] = (inspect.getdoc(thing) or "").splitlines()
    elif what == "class" and issubclass(thing, Result) and not any(line.startswith(":Attributes:") for line in lines):
        names = ", ".join(f"``{field.name}``" for field in fields(thing) if not field.name.startswith("_"))
        lines += ["", f"Fields: {names}."]
