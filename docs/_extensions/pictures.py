"""Draw pictures of a bundled example's report into a page.

    ```{picture} maximum
    :example: rapallo2022
    :weights: linear
    ```

Drawn while building, by the code that draws reports: margins, maximum (the observed table beside the best) or null
(what chance would give).
"""

from html import escape

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import kappamax as km
from kappamax.reporting.figures_svg import crossed, margins_picture, null_picture
from kappamax.reporting.report_results import Report


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
        report = km.report(km.example(self.options["example"]), weights=[weights])
        figure = nodes.container(classes=["km-picture"])
        figure += nodes.raw("", f'<div class="km-side">{_DRAW[self.arguments[0]](report)}</div>', format="html")
        if self.content:
            figure += self.parse_content_to_nodes()
        return [figure]


def _maximum(report: Report) -> str:
    """The observed table and the best, each with its kappa below."""
    return "".join(
        f"<figure>{picture}<figcaption>{escape(title)}</figcaption></figure>"
        for title, picture, _ in crossed(report.results[0])
    )


_DRAW = {
    "margins": margins_picture,
    "maximum": _maximum,
    "null": lambda report: null_picture(report, report.results[0]),
}
