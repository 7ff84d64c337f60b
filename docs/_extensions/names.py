"""`name` in a docstring in, a link if it is a public name of kappamax and plain code otherwise out.

Also leaves the constructor's arguments out of result classes: they are made by functions, not by readers.
"""

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

import kappamax as km
from kappamax._result import Result


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the role `name`; `default_role = "name"` gives it to single backticks."""
    app.add_role("name", _Name())
    app.connect("autodoc-process-signature", _without_arguments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _Name(SphinxRole):
    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        words = nodes.literal(self.text, self.text)
        if self.text not in dir(km) or self.text.startswith("_"):
            return [words], []
        target = {"refdomain": "py", "reftype": "obj", "reftarget": f"kappamax.{self.text}", "refdoc": self.env.docname}
        return [addnodes.pending_xref(self.text, words, **target, refexplicit=True, refwarn=True)], []


def _without_arguments(_app: Sphinx, what: str, _name: str, thing: Any, *_: Any) -> tuple[str, None] | None:
    return ("", None) if what == "class" and issubclass(thing, Result) else None
