"""Turn formulas in LaTeX into MathML, which browsers draw without a script or a font from elsewhere.

docutils has the converter; Sphinx only knows scripts and pictures. What docutils does not know is a warning, hence an
error, and never a formula that is silently wrong.
"""

import re
from html import escape
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

_log = logging.getLogger(__name__)
_SPACE = "{http://www.w3.org/1998/Math/MathML}"
_SYNONYMS = {"dots": r"\ldots ", "iff": r"\Longleftrightarrow ", "implies": r"\Longrightarrow "}
_SYNONYM = re.compile(rf"\\({'|'.join(_SYNONYMS)})(?![a-zA-Z])")
ElementTree.register_namespace("", _SPACE[1:-1])


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the renderer; `html_math_renderer = "mathml"` chooses it."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(converted(node, as_block=False))
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    number = node["number"]
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    writer.body.append(converted(node, as_block=True))
    if number:
        writer.body.append(f'<span class="eqno">({number})</span>')
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def converted(node: nodes.Element, *, as_block: bool) -> str:
    """The formula of a node as MathML; a warning, and the formula as it is, if it cannot be read."""
    formula = node.astext()
    try:
        written = tex2mathml(_SYNONYM.sub(lambda found: _SYNONYMS[found[1]], formula), as_block=as_block)
    except MathError as error:
        _log.warning("formula %r is not understood: %s", formula, error, location=node)
        return f"<code>{escape(formula)}</code>"
    tree = ElementTree.fromstring(str(written).replace("&ApplyFunction;", "\u2061"))
    _lower_indices(tree)
    return ElementTree.tostring(tree, encoding="unicode")


def _lower_indices(tree: ElementTree.Element) -> None:
    r"""Put the index of \hat{p}_i beside the letter; docutils puts it below, as it should for a sum only."""
    for node in tree.iter(f"{_SPACE}munderover"):
        base, index, accent = node
        if base.tag != f"{_SPACE}mo" and accent.tag == f"{_SPACE}mo":
            letter = ElementTree.Element(f"{_SPACE}mover", accent="true")
            letter.extend([base, accent])
            node[:] = [letter, index]
            node.tag = f"{_SPACE}msub"
