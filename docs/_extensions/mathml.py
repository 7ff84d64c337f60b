"""Formulas in LaTeX in, MathML out, which browsers draw without a script or a font from elsewhere.

docutils has the converter; Sphinx only knows scripts and pictures.
"""

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_log = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer; `html_math_renderer = "mathml"` chooses it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(_converted(node, as_block=False))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    number = node["number"]
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(_converted(node, as_block=True))
    if number:
        writer.body.append(f'<span class="eqno">({number})</span>')
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def _converted(node: nodes.Element, *, as_block: bool) -> str:
    formula = node.astext()
    try:
        return str(tex2mathml(formula.replace("'", r"^\prime "), as_block=as_block))
    except MathError as error:
        _log.warning("formula %r is not understood: %s", formula, error, location=node)
        return f"<code>{nodes.unescape(formula)}</code>"
