"""The page shows what a file or pasted text contains, and a button applies the advice of a refusal."""

import re

import pytest

from kappamax.web.advice import BOXES, CONTROLS, LAYOUTS
from tests.support.browsing import choose_file, paste, shown_counts

pytestmark = pytest.mark.browser

LONG = "case,who,said\n1,ann,1\n1,bob,1\n2,ann,2\n2,bob,1\n3,ann,2\n3,bob,2\n4,ann,1\n4,bob,1\n"
PEOPLE = "id,age,ann,bob\n" + "".join(
    f"p{i},{30 + i % 7},{'Yes' if i == 3 else ('yes', 'no')[i % 2]},{('yes', 'no')[i % 3 > 0]}\n" for i in range(30)
)


def test_a_refusal_is_settled_by_one_button_each(page, expect):
    """The message names controls, and Apply sets them; a second question is asked after the first is settled."""
    choose_file(page, "people.csv", PEOPLE)
    problem = page.locator("#map-file-problem")
    expect(problem).to_contain_text("Otherwise, tick the columns of raters 'ann', 'bob'.")
    page.get_by_role("button", name="Apply these options").click()
    expect(problem).to_contain_text("Otherwise, tick Ignore upper and lower case.")
    page.get_by_role("button", name="Apply these options").click()
    expect(page.locator("#headline")).to_contain_text("30 subjects, 2 raters, 2 categories")
    expect(problem).to_have_text("")
    expect(page.get_by_label("Ignore upper and lower case")).to_be_checked()
    expect(page.get_by_label("age")).not_to_be_checked()
    expect(page.get_by_role("button", name="Apply these options")).to_have_count(0)
    expect(page.locator("#reading")).to_contain_text("'Yes' was read as 'yes'")


@pytest.mark.slow
def test_the_content_of_a_file_is_shown(page, expect):
    """Columns with what they contain and why, the first five rows, doubtful labels, and the layout."""
    choose_file(page, "people.csv", PEOPLE)
    shown = page.locator("#inspection")
    expect(shown.locator("summary")).to_have_text("What people.csv contains")
    expect(shown).to_contain_text("30 rows, 4 columns; layout wide, with one column per rater.")
    rows = shown.locator(".inspected tbody tr")
    expect(rows).to_have_count(4)
    assert rows.nth(1).locator("th, td").all_text_contents() == [
        "age",
        "left out",
        "has a name that is unusual for a rater",
    ]
    expect(shown.locator(".preview tbody tr")).to_have_count(5)
    assert shown.locator(".preview thead th").all_text_contents() == ["id", "age", "ann", "bob"]
    expect(shown).to_contain_text("'Yes' (1 rating)")
    shown.locator("summary").click()
    expect(shown.locator(".inspected")).to_be_hidden()


@pytest.mark.slow
def test_a_long_file_is_read_by_one_click(page, expect):
    """The layout and the three columns are set at once."""
    choose_file(page, "long.csv", LONG)
    expect(page.locator("#map-file-problem")).to_contain_text("Set Layout to one row per rating")
    page.get_by_role("button", name="Apply these options").click()
    expect(page.locator("#kappa")).to_have_text("0.5000")
    expect(page.get_by_label("Layout")).to_have_value("long")
    expect(page.get_by_label("Column of ratings")).to_have_value("said")
    expect(page.locator("#inspection .inspected")).to_contain_text("was chosen")


@pytest.mark.slow
def test_a_pasted_crosstab_is_read_without_its_totals(page, expect):
    """With labels and totals, and without labels; kappa is (25/30 - 462/900) / (1 - 462/900) = 0.6575."""
    paste(page, "#cell-1-1", "\tx\ty\tTotal\nx\t10\t2\t12\ny\t3\t15\t18\nTotal\t13\t17\t30\n")
    expect(page.locator("#category-1")).to_have_value("y")
    assert shown_counts(page) == [["10", "2"], ["3", "15"]]
    expect(page.locator("#reading")).to_contain_text("The last row contains totals and was left out.")
    expect(page.locator("#kappa")).to_have_text("0.6575")
    paste(page, "#cell-0-0", "10\t2\t12\n3\t15\t18\n13\t17\t30\n")
    expect(page.locator("#category-0")).to_have_value("1")
    assert shown_counts(page) == [["10", "2"], ["3", "15"]]
    expect(page.locator("#reading")).to_contain_text("totals")


@pytest.mark.slow
def test_pasted_columns_of_labels_are_ratings(page, expect):
    """Two columns with names are read at once; without names the page asks whether the first row is data."""
    rows = "yes\tyes\nno\tyes\nno\tno\nyes\tyes\nno\tno\n"
    paste(page, "#cell-0-0", f"ann\tbob\n{rows}")
    expect(page.get_by_label("Rater in columns")).to_have_value("bob")
    expect(page.locator("#total-all")).to_have_text("5")
    assert shown_counts(page) == [["2", "1"], ["0", "2"]]
    expect(page.locator("#inspection summary")).to_have_text("What pasted text contains")
    paste(page, "#cell-0-0", rows * 2)
    expect(page.locator("#map-file-problem")).to_contain_text("tick The first row is data")
    page.get_by_role("button", name="Apply these options").click()
    expect(page.locator("#total-all")).to_have_text("10")
    numbers = "1\t1\n2\t1\n2\t2\n1\t1\n2\t2\n1\t1\n"
    paste(page, "#cell-0-0", f"ann\tbob\n{numbers}")
    expect(page.locator("#total-all")).to_have_text("6")


@pytest.mark.slow
def test_an_example_in_place_of_a_file_hides_what_is_about_the_file(page, expect):
    """The options and the inspection belong to the file."""
    choose_file(page, "people.csv", PEOPLE)
    expect(page.locator("#inspection")).to_be_visible()
    expect(page.locator("#map-apply")).to_be_visible()
    page.get_by_label("Example").select_option("cohen1968")
    expect(page.locator("#headline")).to_contain_text("200 subjects")
    for place in ("#inspection", "#mapping", "#map-apply"):
        expect(page.locator(place)).to_be_hidden()


@pytest.mark.slow
def test_many_columns_and_hostile_names_are_shown_as_text(page, expect):
    """Names are never markup, and the columns beyond thirty are counted."""
    names = [f"<img src=x onerror=alert({i})>" for i in range(40)]
    rows = "\n".join(",".join("ab"[(i + j) % 2] for j in range(40)) for i in range(50))
    choose_file(page, "many.csv", f"{','.join(names)}\n{rows}\n")
    expect(page.locator("#inspection")).to_contain_text("… and 10 more columns.")
    expect(page.locator("#inspection img")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("width", [1200], indirect=True)
def test_every_control_that_messages_name_is_on_the_page(page, expect):
    """The names of controls, boxes and layouts in messages are those of the page."""
    choose_file(page, "long.csv", LONG)
    page.get_by_role("button", name="Apply these options").click()
    expect(page.locator("#kappa")).to_have_text("0.5000")
    page.get_by_text("Advanced options").click()
    here = page.locator("#mapping").inner_text()
    page.get_by_label("Layout").select_option("patterns")
    expect(page.get_by_label("Column of counts")).to_have_count(1)
    here += page.locator("#mapping").inner_text()
    for name in [*CONTROLS.values(), *BOXES.values(), *LAYOUTS.values()]:
        assert re.search(re.escape(name), here), name
