"""Make the pages usable without a mouse.

Blocks of code and tables that scroll can be reached by the keyboard, and the menu's captions say which level of heading
they are. The theme does neither.
"""

from typing import Any

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, bool]:
    """After the theme, which makes the menu in the same event."""
    app.connect("html-page-context", _improve, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _improve(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    for part, plain, better in (
        ("body", "<pre>", '<pre tabindex="0">'),
        ("body", '<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
        ("furo_navigation_tree", 'role="heading"', 'role="heading" aria-level="2"'),
    ):
        if context.get(part):
            context[part] = context[part].replace(plain, better)
