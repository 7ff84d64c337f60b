"""The built site: complete, without warnings, and with nothing loaded from elsewhere."""

import re

import pytest
from page_blocks import ROOT

ELSEWHERE = re.compile(
    r"""<(?:script|img|iframe|source|audio|video|embed)\b[^>]*\bsrc\s*=\s*["']?(?:https?:)?//"""
    r"""|<link\b(?=[^>]*\brel\s*=\s*["']?[^>]*(?:stylesheet|preload|preconnect|icon|font))[^>]*\bhref\s*=\s*["']?(?:https?:)?//"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//|url\(\s*["']?(?:https?:)?//""",
    re.IGNORECASE,
)


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_every_page_is_there(site):
    """One HTML file per page."""
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
    """Fractions and sums, with no script to draw them."""
    assert "<mfrac>" in (site / "coefficients.html").read_text(encoding="utf-8")
    assert "<munderover>" in (site / "moves.html").read_text(encoding="utf-8")
    scripts = [
        re.findall(r"<script.*?</script>", page.read_text(encoding="utf-8"), re.DOTALL) for page in site.rglob("*.html")
    ]
    assert not [script for found in scripts for script in found if "mathjax" in script.lower()]


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
def test_what_would_be_loaded_is_noticed(loads):
    """The pattern finds each way to load something."""
    assert ELSEWHERE.search(loads)


def test_links_and_local_files_are_not_loading():
    """Readers may follow a link; the site's own files are fine."""
    assert not ELSEWHERE.search('<a href="https://example.org">x</a> <script src="_static/x.js"></script>')
    assert not ELSEWHERE.search('<svg xmlns="http://www.w3.org/2000/svg"><link rel="stylesheet" href="_static/x.css">')
