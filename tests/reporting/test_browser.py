"""The HTML report in a browser is self-contained, accessible and readable on a narrow screen."""

import pytest

import kappamax as km

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Write reports on two raters, three raters, missing ratings and an undefined coefficient."""
    folder = tmp_path_factory.mktemp("reports")
    made = {
        "two": km.report(km.example("rapallo2022")),
        "three": km.report(km.example("rapallo2022-three"), weights=["unweighted", "linear"]),
        "gaps": km.report(km.example("gwet2014"), weights="linear"),
        "undefined": km.report([1, 1], [1, 1]),
    }
    for name, report in made.items():
        report.save(folder / f"{name}.html")
    return folder


@pytest.mark.parametrize("width", [400, 1200])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("two", marks=pytest.mark.slow),
        pytest.param("three", marks=pytest.mark.slow),
        pytest.param("gaps", marks=pytest.mark.slow),
        pytest.param("undefined", marks=pytest.mark.slow),
    ],
)
def test_the_page_is_quiet_accessible_and_fits(browser, pages, name, width):
    """The page logs nothing, loads nothing, has no axe-core violation and does not scroll horizontally."""
    from axe_playwright_python.sync_playwright import Axe

    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
    page = context.new_page()
    logged, requested = [], []
    page.on("console", lambda message: logged.append(message.text))
    page.on("pageerror", lambda error: logged.append(str(error)))
    page.on("request", lambda request: requested.append(request.url))
    address = (pages / f"{name}.html").as_uri()
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert (logged, requested) == ([], [address])
    assert page.title() == "Agreement between raters"
    context.close()


def test_tables_behind_pictures_open_with_the_keyboard(browser, pages):
    """The Enter key opens a focused summary."""
    page = browser.new_page()
    page.goto((pages / "two.html").as_uri())
    summary = page.locator("figure summary").first
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator("figure details").first.evaluate("one => one.open")
    page.close()
