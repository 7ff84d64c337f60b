"""The site is complete, builds without warnings, and loads nothing from other hosts."""

import re

import pytest

from tests.support.page_blocks import ROOT

LOOKED_AT = [
    "index",
    "tutorials/clinician",
    "howto/order-of-categories",
    "reference/agreement",
    "reference/command-line",
    "glossary",
    "faq",
    "study",
]
ELSEWHERE = re.compile(
    r"""<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\bsrc\s*=\s*["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel\s*=\s*["']?[^>]*(?:stylesheet|preload|preconnect|icon|font))[^>]*\bhref\s*=\s*["']?(?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(\s*["']?(?:https?:)?//""",
    re.IGNORECASE,
)


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_has_every_page(site):
    """There is one HTML file per page."""
    pages = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert all((site / page.with_suffix(".html")).exists() for page in pages if not page.parts[0].startswith("_"))


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere(site):
    """No script, picture, font or style sheet has another host's address."""
    files = [path for ending in ("html", "css", "svg") for path in site.rglob(f"*.{ending}")]
    assert len(files) > 20
    assert not [path.name for path in files if ELSEWHERE.search(path.read_text(encoding="utf-8"))]


@pytest.mark.slow
def test_formulas_are_mathml_on_the_site(site):
    """Fractions and sums are elements of the page, and no script draws them."""
    assert "<mfrac>" in (site / "coefficients.html").read_text(encoding="utf-8")
    assert "<munderover>" in (site / "moves.html").read_text(encoding="utf-8")
    scripts = [
        re.findall(r"<script.*?</script>", page.read_text(encoding="utf-8"), re.DOTALL) for page in site.rglob("*.html")
    ]
    assert not [script for found in scripts for script in found if "mathjax" in script.lower()]


@pytest.mark.parametrize(
    ("formula", "drawn"),
    [
        (r"\frac{a}{b}", ["<mfrac>"]),
        (r"\sum_{i=1}^{n} x_i", ['<munderover><momovablelimits="true">∑</mo>', "<msub><mi>x</mi><mi>i</mi></msub>"]),
        (r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}", ["<mtable>", "<mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn>"]),
        (r"\hat{p}_i^2", ['<msub><moveraccent="true"><mi>p</mi>', "<mi>i</mi></msub><mn>2</mn>"]),
        (r"1, \dots, k \iff x \implies \operatorname{argmin} y", ["…", "⟺", "⟹", "argmin"]),
    ],
)
def test_a_formula_becomes_the_elements_it_needs(formula, drawn, mathml):
    """Fractions, sums, matrices, an accent with an index, and commands that docutils does not know are converted."""
    written = "".join(mathml(formula).split())
    assert all(piece in written for piece in drawn)
    assert "&" not in written


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1200, "light")])
def test_pages_fit_and_are_accessible(site, browser, width, scheme):
    """Pages fit the width of a phone and of a desktop, request nothing from other hosts, and pass axe."""
    from axe_playwright_python.sync_playwright import Axe

    asked = []
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    page.on("request", lambda request: asked.append(request.url))
    for name in LOOKED_AT:
        page.goto((site / f"{name}.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0, name
        faults = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
        assert not [(name, fault["id"], fault["nodes"][0]["html"]) for fault in faults]
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize(
    "loads",
    [
        '<script src="https://example.org/x.js"></script>',
        "<script defer src=//example.org/x.js></script>",
        '<img alt="" src="http://example.org/x.png">',
        '<link rel="stylesheet" href="https://example.org/x.css">',
        '<link href="https://example.org/x.css" rel="stylesheet">',
        "@import url(https://example.org/x.css)",
        "src: url('//example.org/x.woff2')",
    ],
)
def test_loading_from_another_host_is_found(loads):
    """The regular expression finds each way to load something."""
    assert ELSEWHERE.search(loads)


def test_links_and_local_files_are_accepted():
    """Links to other hosts and files of the site do not match."""
    assert not ELSEWHERE.search('<a href="https://example.org">x</a> <script src="_static/x.js"></script>')
    assert not ELSEWHERE.search('<svg xmlns="http://www.w3.org/2000/svg"><link rel="stylesheet" href="_static/x.css">')
