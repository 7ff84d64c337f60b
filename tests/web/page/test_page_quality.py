"""The page is accessible, can be used with the keyboard only, and never interprets data as markup."""

import pytest

import kappamax as km
from tests.support.browsing import choose_file, type_table

pytestmark = pytest.mark.browser


def assert_accessible(page):
    """Assert that axe-core finds no violation in light and dark mode, with all details open."""
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_assert_accessible_fails_where_it_should(browser, server, access):
    """An input without a label is found."""
    page = browser.new_context(bypass_csp=True).new_page()
    page.goto(f"{server}/?token={access.token}")
    page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    with pytest.raises(AssertionError, match="label"):
        assert_accessible(page)
    page.context.close()


@pytest.mark.slow
def test_the_page_with_results_is_accessible(page, expect):
    """The page with all panels filled has no violation."""
    expect(page.locator("#moves-list tbody tr").first).to_be_visible()
    page.get_by_role("button", name="Next step to the maximum").click()
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#anneal-said")).to_contain_text("ended after")
    assert_accessible(page)


@pytest.mark.slow
def test_the_page_with_errors_and_own_weights_is_accessible(page, expect):
    """The page with error messages, with a matrix and with an empty table has no violation."""
    page.get_by_label("Weighting").select_option("custom")
    page.get_by_label("a matrix").check()
    page.get_by_label("Weight of 1 against 2").fill("x")
    page.locator("#cell-0-1").fill("x")
    expect(page.locator("#cell-0-1-problem")).not_to_be_empty()
    assert_accessible(page)
    page.get_by_role("button", name="Clear").click()
    assert_accessible(page)


@pytest.mark.slow
def test_the_page_with_a_file_of_three_raters_is_accessible(page, expect):
    """The page with the options of a file, pairs and patterns has no violation."""
    table = km.example("rapallo2022-three")
    lines = [",".join(map(str, row)) + f",{n}" for row, n in zip(table.labels(), table.counts.tolist(), strict=True)]
    choose_file(page, "patterns.csv", "X1,X2,X3,n\n" + "\n".join(lines))
    page.get_by_label("Layout").select_option("patterns")
    expect(page.locator("#pairs svg")).to_have_count(1)
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")
    assert_accessible(page)


@pytest.mark.slow
def test_the_page_at_work_is_accessible(page, expect):
    """Faded results of the previous table are hidden from screen readers."""
    page.route("**/api/chance", lambda route: None)
    page.locator("#cell-0-0").fill("12")
    expect(page.locator("#chance")).to_have_attribute("inert", "")
    assert_accessible(page)
    page.unroute_all(behavior="ignoreErrors")


def tab_to(page, selector, most=200):
    """Press Tab until an element has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never reached {selector}")


@pytest.mark.slow
def test_the_main_path_needs_the_keyboard_only(page, expect):
    """A table is typed, weights are chosen, the maximum is reached and the report is saved."""
    tab_to(page, ".skip")
    tab_to(page, "#size")
    page.keyboard.type("2")
    expect(page.locator("#cell-1-1")).to_be_visible()
    expect(page.locator("#cell-2-2")).to_have_count(0)
    tab_to(page, "#cell-0-0")
    for i, j, count in ((0, 0, "20"), (0, 1, "5"), (1, 0, "10"), (1, 1, "15")):
        tab_to(page, f"#cell-{i}-{j}") if (i, j) != (0, 0) else None
        page.keyboard.press("Control+a")
        page.keyboard.type(count)
    expect(page.locator("#kappa")).to_have_text("0.4000")
    tab_to(page, "#weighting")
    page.keyboard.type("unw")
    expect(page.locator("#weighting")).to_have_value("unweighted")
    expect(page.locator("#pvalue")).not_to_be_empty()
    expect(page.locator("#results-state")).to_have_text("")
    expect(page.locator("#moves-list tbody tr").first).to_be_visible()
    tab_to(page, "#moves-all")
    page.keyboard.press("Enter")
    expect(page.locator("#moves-value")).to_have_text("0.8000")
    tab_to(page, "[data-format=html]")
    with page.expect_download() as waiting:
        page.keyboard.press("Enter")
    assert waiting.value.suggested_filename == "kappamax.html"


@pytest.mark.slow
def test_the_focus_can_be_seen(page):
    """Every kind of control has an outline of at least two pixels."""
    for selector in ("#cell-0-0", "#size", "#clear", "#ordered", "#moves-table-0-0", "#maximizers button", "summary"):
        page.locator(selector).first.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        wide = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
        style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert (wide >= 2, style) == (True, "solid"), selector


@pytest.mark.slow
def test_names_are_shown_as_text(page, expect):
    """Markup in the name of a category is shown as text, also in the figures."""
    type_table(page, [[20, 5], [10, 15]])
    page.get_by_label("Name of category 1").fill("<img src=x onerror=alert(1)>")
    expect(page.locator("#heat-maps svg").first).to_contain_text("<img src=x")
    assert page.locator("main img").count() == 0


@pytest.mark.slow
def test_a_server_that_is_gone_is_named(page, expect):
    """The page says that the server does not respond."""
    page.route("**/api/**", lambda route: route.abort())
    page.locator("#cell-0-0").fill("9")
    expect(page.locator("#results-state")).to_contain_text("does not respond")
