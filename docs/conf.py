"""Configure the site that `make docs` builds from this folder, with warnings as errors.

Nothing on the site is loaded from elsewhere: maths becomes MathML while building, and fonts are the reader's own.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

from kappamax._version import __version__

project = "kappamax"
author = "The kappamax developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "accessible",
    "command_line",
    "json_fields",
    "mathml",
    "names",
    "pictures",
]
exclude_patterns = ["_build", "_extensions"]
nitpicky = True

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.strikethrough"]

default_role = "name"
add_module_names = False
python_use_unqualified_type_names = True
autodoc_typehints = "none"  # docstrings give the types, in words
autodoc_member_order = "bysource"
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False
napoleon_custom_sections = [("Attributes", "params_style")]

html_theme = "furo"
html_title = "kappamax"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["kappamax.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5fbf", "color-brand-content": "#1f5fbf"},
    "dark_css_variables": {"color-brand-primary": "#7fb0ff", "color-brand-content": "#7fb0ff"},
}


def setup(app: Sphinx) -> None:
    """Files that readers are asked to save are shown as they are."""
    app.add_lexer("csv", TextLexer)
