"""Data can be typed, pasted, loaded from examples and links, and restored after a reload."""

import pytest

import kappamax as km
from tests.support.browsing import paste, shown_counts, type_table

pytestmark = pytest.mark.browser


def test_a_typed_table_gives_kappa_by_hand(page, expect):
    """Observed agreement 35/50 and expected agreement 1/2 give 0.4, and the margins allow 45/50, which gives 0.8."""
    type_table(page, [[20, 5], [10, 15]])
    expect(page.locator("#kappa")).to_have_text("0.4000")
    expect(page.locator("#maximum")).to_contain_text("0.8000")
    expect(page.locator("#ratio")).to_contain_text("50.0%")
    expect(page.locator("#total-all")).to_have_text("50")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1200], indirect=True)
@pytest.mark.parametrize("separator", ["\t", ",", ";"], ids=["tab", "comma", "semicolon"])
def test_a_pasted_block_fills_and_resizes(page, expect, separator):
    """A block of three rows reduces the table to three categories; kappa is 1 - 2.5 / (171/20) = 0.7076."""
    rows = [["4", "1", "0"], ["2", "5", "1"], ["0", "1", "6"]]
    paste(page, "#cell-0-0", "\n".join(separator.join(row) for row in rows) + "\n")
    expect(page.locator("#size")).to_have_value("3")
    assert shown_counts(page) == rows
    expect(page.locator("#announce")).to_contain_text("linear: 0.7076")


@pytest.mark.slow
def test_a_block_with_labels_names_the_categories(page, expect):
    """A block can be pasted into any cell, and thousands separators are removed."""
    paste(page, "#cell-2-1", "\tmild\tgrave\nmild\t1,520\t20\ngrave\t30\t400")
    expect(page.locator("#category-0")).to_have_value("mild")
    expect(page.locator("#heading-1")).to_have_text("grave")
    assert shown_counts(page) == [["1520", "20"], ["30", "400"]]


@pytest.mark.slow
def test_a_block_in_the_middle_grows_the_table(page, expect):
    """A block at the last cell adds a category and keeps the other cells."""
    paste(page, "#cell-3-3", "7\t8\n9\t10")
    expect(page.locator("#size")).to_have_value("5")
    cells = shown_counts(page)
    assert (cells[0][:4], cells[3][3:], cells[4][3:]) == (["5", "3", "2", "1"], ["7", "8"], ["9", "10"])


@pytest.mark.slow
def test_a_block_with_more_categories_than_the_grid_is_read_like_a_file(page, expect):
    """A block of thirteen categories is shown as patterns."""
    paste(page, "#cell-0-0", "\n".join("\t".join("1" for _ in range(13)) for _ in range(13)))
    expect(page.locator("#patterns-summary")).to_contain_text("pasted text: 169 subjects, 2 raters, 13 categories")


@pytest.mark.slow
def test_two_to_twelve_categories_with_names(page, expect):
    """Names are shown in the results, and twelve categories fit by scrolling the table only."""
    page.get_by_label("Categories", exact=True).select_option("12")
    expect(page.locator("#cell-11-11")).to_have_count(1)
    page.get_by_label("Name of category 3").fill("severe")
    page.get_by_label("Rater in rows").fill("Ann")
    expect(page.locator("#heading-2")).to_have_text("severe")
    expect(page.locator("#heat-maps svg").first).to_contain_text("severe")
    expect(page.locator("#heat-maps svg").first).to_contain_text("Ann")
    options = page.locator("#size option").all_text_contents()
    assert options == [str(k) for k in range(2, 13)]


@pytest.mark.slow
def test_an_entry_that_is_not_a_count_is_marked_at_its_cell(page, expect):
    """The message is at the cell, old results are marked, and a correction brings new results."""
    page.locator("#cell-1-2").fill("-3")
    expect(page.locator("#cell-1-2-problem")).to_have_text("Enter a whole number of at least 0 instead of -3.")
    expect(page.locator("#cell-1-2")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#results-state")).to_contain_text("belong to the previous table")
    page.locator("#cell-1-2").fill("4")
    expect(page.locator("#cell-1-2-problem")).to_have_text("")
    expect(page.locator("#results-state")).to_have_text("")


@pytest.mark.slow
def test_names_that_clash_are_marked_at_the_name(page, expect):
    """Duplicate names of categories and an empty name of a rater are marked."""
    page.get_by_label("Name of category 2").fill("1")
    expect(page.locator("#category-1-problem")).to_have_text("The name 1 is used twice.")
    page.get_by_label("Name of category 2").fill("2")
    expect(page.locator("#category-1-problem")).to_have_text("")
    page.get_by_label("Rater in columns").fill("")
    expect(page.locator("#grid-problem")).to_have_text("Enter a name for this rater.")
    expect(page.locator("#rater-1")).to_have_attribute("aria-invalid", "true")


@pytest.mark.slow
def test_what_the_server_refuses_is_shown(page, expect):
    """An undefined coefficient is shown with its reason."""
    type_table(page, [[7, 0], [0, 0]])
    expect(page.locator("#kappa")).to_have_text("undefined")
    expect(page.locator("#headline")).to_contain_text("Cohen's kappa is undefined because ")
    expect(page.locator("#moves-body")).to_contain_text("undefined")


@pytest.mark.slow
def test_bundled_examples_load_with_their_source(page, expect):
    """A changed example is no longer called an example."""
    page.get_by_label("Example").select_option("cohen1968")
    expect(page.locator("#category-1")).to_have_value("neurosis")
    expect(page.locator("#data-source")).to_contain_text("Cohen (1968)")
    expect(page.locator("#headline")).to_contain_text("200 subjects")
    page.locator("#cell-0-0").fill("1")
    expect(page.get_by_label("Example")).to_have_value("")
    expect(page.locator("#data-source")).to_have_text("")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rapallo2022-three", "diagnoses", "gwet2014", "vision"])
def test_examples_of_any_number_of_raters_are_shown(page, expect, name):
    """Examples with more raters, unordered categories, missing ratings and many subjects are shown."""
    table = km.example(name)
    page.get_by_label("Example").select_option(name)
    expect(page.locator("#headline")).to_contain_text(f"{table.n_subjects:,} subjects, {table.n_raters} raters")
    weights = "linear" if table.ordered else "unweighted"
    expect(page.locator("#kappa")).to_have_text(f"{km.kappa(table, weights=weights).value:.4f}")


@pytest.mark.slow
def test_an_empty_table_asks_for_data(page, expect):
    """Clear empties the cells and the results."""
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#headline")).to_contain_text("Enter or paste a table")
    expect(page.locator("#out-body")).to_contain_text("once there are results")


@pytest.mark.slow
def test_what_was_typed_survives_a_reload(page, expect):
    """The table, names and weights are restored from the session storage."""
    type_table(page, [[20, 5], [10, 15]])
    page.get_by_label("Name of category 1").fill("no")
    page.get_by_label("Weighting").select_option("unweighted")
    expect(page.locator("#kappa")).to_have_text("0.4000")
    page.reload()
    expect(page.locator("#kappa")).to_have_text("0.4000")
    assert shown_counts(page) == [["20", "5"], ["10", "15"]]
    expect(page.get_by_label("Name of category 1")).to_have_value("no")
    expect(page.get_by_label("Weighting")).to_have_value("unweighted")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1200], indirect=True)
def test_the_table_is_kept_in_its_tab_only(page, expect, context, server):
    """Nothing is in the local storage, where an entry of an earlier version is removed; another tab has no table."""
    page.evaluate("localStorage.setItem('kappamax', '{}')")
    page.reload()
    type_table(page, [[20, 5], [10, 15]])
    expect(page.locator("#kappa")).to_have_text("0.4000")
    kept = page.evaluate("[localStorage.length, Object.keys(sessionStorage), document.cookie]")
    assert kept == [0, ["kappamax"], ""]
    assert '"20"' in page.evaluate("sessionStorage.getItem('kappamax')")
    other = context.new_page()
    other.goto(server)
    expect(other.locator("#kappa")).to_have_text("0.5023")
    expect(other.get_by_role("contentinfo")).to_contain_text("keeps the table for this tab until you close the tab")


@pytest.mark.slow
def test_a_link_carries_the_table_to_another_browser(page, expect, browser, access):
    """Special characters are kept, and later changes survive a reload."""
    type_table(page, [[20, 5], [10, 15]])
    page.get_by_label("Name of category 2").fill("yes, & <b>maybe</b>")
    expect(page.locator("#kappa")).to_have_text("0.4000")
    expect(page.locator("#results")).to_have_attribute("aria-busy", "false")  # the new name causes a separate update
    page.get_by_role("button", name="Copy a link to this table").click()
    expect(page.locator("#out-state")).to_have_text("Copied.")
    link = page.evaluate("navigator.clipboard.readText()")
    other = browser.new_context().new_page()
    other.goto(link.replace("/#", f"/?token={access.token}#"))
    expect(other.locator("#kappa")).to_have_text("0.4000")
    assert shown_counts(other) == [["20", "5"], ["10", "15"]]
    expect(other.locator("#category-1")).to_have_value("yes, & <b>maybe</b>")
    assert "#" not in other.url
    assert "token" not in other.url
    other.locator("#cell-0-0").fill("21")
    other.reload()
    expect(other.locator("#cell-0-0")).to_have_value("21")
    other.context.close()


@pytest.mark.slow
@pytest.mark.parametrize("width", [1200], indirect=True)
@pytest.mark.parametrize(
    "fragment", ["table=1", "table=1,2;3", "table=1,2;3,4&categories=%5B1%5D", "table=1,2;3,4&custom={", "x=1"]
)
def test_a_broken_link_is_ignored(page, expect, server, fragment):
    """The page opens as without the link."""
    page.goto("about:blank")
    page.goto(f"{server.rstrip('/')}/#{fragment}")
    expect(page.locator("#kappa")).to_have_text("0.5023")
