"""A bundled example and its weights in, pictures of its report drawn into the page out.

    ```{picture} maximum
    :example: rapallo2022
    :weights: linear
    ```

Drawn while building, by the code that draws reports: margins, maximum (the observed table beside the best) or null
(what chance would give).
"""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import kappamax as km
from kappamax.reporting.pictures import pictures_of


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directive."""
    app.add_directive("picture", _Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _Picture(SphinxDirective):
    required_arguments = 1
    has_content = True
    option_spec = {"example": directives.unchanged_required, "weights": directives.unchanged_required}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        weights = self.options["weights"]
        drawn = pictures_of(km.report(km.example(self.options["example"]), weights=[weights]))
        chosen = {
            "margins": [drawn["margins"]],
            "maximum": [drawn["by_weights"][weights][name] for name in ("observed", "maximum")],
            "null": [drawn["by_weights"][weights]["null"]],
        }[self.arguments[0]]
        figure = nodes.container(classes=["km-picture"])
        figure += nodes.raw("", f'<div class="km-side">{"".join(chosen)}</div>', format="html")
        if self.content:
            figure += self.parse_content_to_nodes()
        return [figure]
