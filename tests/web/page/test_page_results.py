"""The page shows numbers, sentences, figures, maximising tables and other weights."""

import pytest

from tests.support.browsing import type_table

pytestmark = pytest.mark.browser


@pytest.mark.slow
def test_the_numbers_of_the_paper(page, expect):
    """The page shows the values of the library for figure 3(a) with linear weights."""
    facts = {
        "#kappa": "0.5023",
        "#ci": "0.2753 to 0.7058",
        "#maximum": "0.7511proven",
        "#minimum": "-0.5430proven",
        "#ratio": "66.9%of the maximum",
        "#tables": "5",
    }
    for selector, words in facts.items():
        expect(page.locator(selector)).to_have_text(words)
    expect(page.locator("#pvalue")).to_contain_text("0.000")
    expect(page.locator("#sentence")).to_contain_text("The raters reached 66.9% of the largest value")
    expect(page.locator("#announce")).to_contain_text("0.5023")


@pytest.mark.slow
def test_a_negative_value_is_not_shown_as_a_share(page, expect):
    """Both places that show the share of the maximum have "-" for a negative value."""
    type_table(page, [[1, 6], [5, 1]])
    expect(page.locator("#kappa")).to_have_text("-0.6824")
    expect(page.locator("#ratio")).to_have_text("-a negative value is not a share of the maximum")
    expect(page.locator("#comparison tbody tr").first.locator("td").nth(4)).to_have_text("-")


@pytest.mark.slow
def test_all_weightings_are_compared_and_chosen_from_the_comparison(page, expect):
    """There are four rows, and choosing one makes it the main result."""
    rows = page.locator("#comparison tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(2)).to_contain_text("0.8703")
    expect(rows.nth(3)).to_contain_text("0.7528")
    page.locator("#comparison").get_by_role("button", name="quadratic").click()
    expect(page.locator("#kappa")).to_have_text("0.5849")
    expect(page.get_by_label("Weighting")).to_have_value("quadratic")


@pytest.mark.slow
def test_the_observed_and_the_maximising_table_stand_side_by_side(page, expect, width):
    """Both figures have a table, and on a narrow screen they are below each other."""
    pictures = page.locator("#heat-maps svg")
    expect(pictures).to_have_count(2)
    expect(pictures.first).to_have_attribute("role", "img")
    left, right = pictures.first.bounding_box(), pictures.last.bounding_box()
    assert (right["x"] > left["x"] + left["width"]) if width == 1200 else (right["y"] > left["y"] + left["height"])
    summary = page.locator("#heat-maps summary").last
    summary.click()
    expect(page.locator("#heat-maps table").last.locator("tbody tr").first).to_contain_text("6")


@pytest.mark.slow
def test_every_maximising_table_can_be_paged_through(page, expect):
    """There are five different tables with the observed margins."""
    place = page.locator("#maximizer-place")
    expect(place).to_have_text("Table 1 of 5")
    seen = set()
    for number in range(1, 6):
        expect(place).to_have_text(f"Table {number} of 5")
        cells = [int(words) for words in page.locator("#maximizer .cell").all_text_contents()]
        rows = [cells[4 * i : 4 * i + 4] for i in range(4)]
        assert [sum(row) for row in rows] == [11, 8, 7, 7]
        assert [sum(column) for column in zip(*rows, strict=True)] == [6, 9, 12, 6]
        seen.add(tuple(cells))
        if number < 5:
            page.get_by_role("button", name="Next table").click()
    assert len(seen) == 5
    expect(page.get_by_role("button", name="Next table")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Previous table").click()
    expect(place).to_have_text("Table 4 of 5")


@pytest.mark.slow
def test_a_single_maximising_table_needs_no_pages(page, expect):
    """With sqrt weights, exactly one table attains the maximum."""
    page.get_by_label("Weighting").select_option("sqrt")
    expect(page.locator("#tables")).to_have_text("1")
    expect(page.locator("#maximizers")).to_be_empty()


@pytest.mark.slow
def test_the_null_distribution_marks_observed_largest_and_smallest(page, expect):
    """The figure and its table show the three values."""
    picture = page.locator("#null svg")
    for words in ("observed 0.5023", "maximum 0.7511", "minimum -0.5430"):
        expect(picture).to_contain_text(words)
    page.locator("#null summary").click()
    expect(page.locator("#null table")).to_contain_text("-0.5430")


@pytest.mark.slow
def test_one_request_asks_for_the_numbers_of_all_weights(page, expect):
    """The chosen weights come first, and a change of custom weights requests only these."""
    asked = []
    page.on("request", lambda request: asked.append(request.post_data_json) if "/api/table" in request.url else None)
    type_table(page, [[9, 1], [1, 9]])
    expect(page.locator("#comparison tbody tr").last).to_contain_text("0.8000")
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")
    assert [one["weights"] for one in asked if one["counts"] == [[9, 1], [1, 9]]] == [
        ["linear", "unweighted", "quadratic", "sqrt"]
    ]
    asked.clear()
    page.get_by_label("Weighting").select_option("custom")
    expect(page.locator("#comparison tbody tr")).to_have_count(5)
    expect(page.locator("#comparison tbody tr").last).to_contain_text("0.8000")
    assert [one["weights"] for one in asked] == [[{"positions": [1, 2], "scheme": "linear"}]]


@pytest.mark.slow
def test_stale_answers_are_ignored(page, expect, server):
    """A late answer about an earlier table has no effect."""
    held = []

    def delay(route):
        if '"counts":[[9,1],[1,9]]' in (route.request.post_data or ""):
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/table", delay)
    with page.expect_request(lambda request: '"counts":[[9,1],[1,9]]' in (request.post_data or "")):
        type_table(page, [[9, 1], [1, 9]])
    page.locator("#cell-0-0").fill("19")
    expect(page.locator("#headline")).to_contain_text("30 subjects")
    for route in held:
        route.abort()
    expect(page.locator("#headline")).to_contain_text("30 subjects")
    page.unroute_all(behavior="ignoreErrors")


@pytest.mark.slow
def test_the_numbers_do_not_wait_for_the_test_against_chance(page, expect):
    """Numbers, tables and other weights are shown before the test, and the previous distribution is faded."""
    held = []
    page.route("**/api/chance", lambda route: held.append(route))
    type_table(page, [[9, 1], [1, 9]])
    expect(page.locator("#kappa")).to_have_text("0.8000")
    expect(page.locator("#maximum")).to_have_text("1.0000proven")
    expect(page.locator("#pvalue")).to_contain_text("computing…")
    expect(page.locator("#heat-maps")).to_contain_text("Observed table: 0.8000")
    expect(page.locator("#comparison tbody tr").last).to_contain_text("0.8000")
    expect(page.locator("#chance")).to_have_attribute("inert", "")
    expect(page.locator("#results")).to_have_attribute("aria-busy", "true")
    held[-1].continue_()  # earlier requests were cancelled because of a newer table
    page.unroute("**/api/chance")
    expect(page.locator("#pvalue")).to_contain_text("exact")
    expect(page.locator("#sentence")).to_contain_text("would rarely arise by chance")
    expect(page.locator("#chance")).not_to_have_attribute("inert", "")


@pytest.mark.slow
def test_a_test_that_fails_leaves_the_numbers(page, expect):
    """The reason is shown above the results, and the other panels work."""
    refusal = {"error": "the computation exceeded the time limit of the page."}
    page.route("**/api/chance", lambda route: route.fulfill(status=422, json=refusal))
    type_table(page, [[9, 1], [1, 9]])
    expect(page.locator("#pvalue")).to_have_text("not computed")
    expect(page.locator("#kappa")).to_have_text("0.8000")
    expect(page.locator("#results-state")).to_have_text(refusal["error"])
    expect(page.locator("#comparison tbody tr").first).to_contain_text("not computed")
    expect(page.locator("#methods")).to_contain_text("No test against chance was performed.")
    page.unroute_all(behavior="ignoreErrors")


@pytest.mark.slow
def test_results_do_not_jump_while_typing(page, expect):
    """The main result has the same position before, during and after a change."""
    top = "name => document.querySelector(name).getBoundingClientRect().top"
    distance = f"() => (({top})('#kappa')) - (({top})('#results'))"
    before = page.evaluate(distance)
    page.locator("#cell-0-0").press_sequentially("1")
    during = page.evaluate(distance)
    expect(page.locator("#kappa")).not_to_have_text("0.5023")
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")
    after = page.evaluate(distance)
    assert [during, after] == pytest.approx([before, before], abs=0.5)


@pytest.mark.slow
def test_categories_without_order_are_compared_unweighted_only(page, expect):
    """Unordered categories have no other weights."""
    page.get_by_label("Weighting").select_option("unweighted")
    page.get_by_label("The categories are ordered").uncheck()
    expect(page.locator("#comparison tbody tr")).to_have_count(1)
    expect(page.locator("#kappa")).to_have_text("0.4000")
