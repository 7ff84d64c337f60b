"""Reports, figures, the methods paragraph and the calls can be exported."""

import json
from pathlib import Path

import pytest

import kappamax as km

pytestmark = pytest.mark.browser


def saved(page, name):
    """Click a button and return the name and content of the saved file."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_text(encoding="utf-8")


@pytest.mark.slow
def test_reports_are_saved_in_every_format(page, expect):
    """The HTML, JSON and CSV files contain the results."""
    name, text = saved(page, "HTML report")
    assert name == "kappamax.html"
    assert text.startswith("<!doctype html>")
    assert "0.7511" in text
    name, text = saved(page, "JSON")
    assert name == "kappamax.json"
    assert [one["weights"] for one in json.loads(text)["results"]] == ["unweighted", "linear", "quadratic", "sqrt"]
    name, text = saved(page, "CSV")
    assert name == "kappamax.csv"
    assert "linear" in text
    expect(page.locator("#out-state")).to_have_text("Saved as kappamax.csv.")


@pytest.mark.slow
def test_pictures_are_saved_as_svg(page):
    """The saved files are SVG."""
    for button in ("Observed table", "Largest agreement", "Distribution under chance", "Margins"):
        name, text = saved(page, button)
        assert name.endswith(".svg")
        assert text.startswith("<svg")


@pytest.mark.slow
def test_the_methods_paragraph_is_copied(page, expect):
    """The copied text is the paragraph on the page."""
    page.get_by_role("button", name="Copy the paragraph").click()
    expect(page.locator("#out-state")).to_have_text("Copied.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#methods").text_content()
    assert "Cohen's kappa" in copied


@pytest.mark.slow
def test_the_python_call_gives_the_same_result(page):
    """Running the call gives the value on the page."""
    call = page.locator("#python").text_content()
    scope = {"km": km}
    *before, last = [line for line in call.strip().splitlines() if line and not line.startswith("import")]
    exec("\n".join(before), scope)
    result = eval(last.partition(" = ")[2] if last.startswith("report = ") else last, scope)
    assert f"{result.results[0].agreement.value:.4f}" == page.locator("#kappa").text_content()
    assert "kappamax report" in page.locator("#terminal").text_content()
