"""The page shows what was read from a file, and reports saved from the page contain it."""

from pathlib import Path

import pytest

from tests.support.browsing import choose_file

pytestmark = pytest.mark.browser

MESSY = "id,ann,bob,empty\n1,no,yes,\n2,yes,yes,\n3,no,no,\n4,maybe,no,\n5,maybe,maybe,\n6,,,\n"


def saved(page, form):
    """Return the text of a report that is saved from the page."""
    with page.expect_download() as started:
        page.locator(f'[data-format="{form}"]').click()
    return Path(started.value.path()).read_text(encoding="utf-8")


def test_notes_are_shown_and_saved(page, expect):
    """The file, its layout and the columns left out are on the page, after a reload too, and in a saved report."""
    choose_file(page, "messy.csv", MESSY)
    shown = page.locator("#reading")
    expect(shown).to_contain_text("Read from messy.csv (wide layout).")
    expect(shown).to_contain_text("Column 'id' was left out")
    page.reload()
    expect(shown).to_contain_text("Column 'id' was left out")
    expect(page.locator("#headline")).to_contain_text("5 subjects, 2 raters")
    report = saved(page, "md")
    for said in ("Read from messy.csv (wide layout)", "Column 'id' was left out", "1 subject without a rating"):
        assert said in report
    assert "Weighted coefficients are not reported because the categories are text" in report


def test_a_changed_table_is_not_passed_off_as_the_file(page, expect):
    """A note says that the table was changed on the page; a cleared table was not read from a file."""
    choose_file(page, "messy.csv", MESSY)
    shown = page.locator("#reading")
    expect(shown).to_contain_text("Read from messy.csv")
    page.locator("#cell-0-0").fill("7")
    expect(shown).to_contain_text("The table was changed on the page after it had been read.")
    expect(page.locator("#headline")).to_contain_text("11 subjects")
    assert "The table was changed on the page" in saved(page, "md")
    page.locator("#clear").click()
    expect(shown).to_be_hidden()


def test_a_report_is_about_the_table_whose_numbers_are_shown(page, expect):
    """A report that is saved before the test against chance has ended contains the new table, not the former one."""
    page.route("**/api/chance*", lambda route: None)  # no answer
    page.locator("#cell-0-0").fill("600")
    expect(page.locator("#headline")).to_contain_text("628 subjects")
    assert "628 subjects" in saved(page, "md")
