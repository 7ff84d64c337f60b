"""Moves can be applied, undone and followed to the maximum, and annealing is shown."""

import pytest

pytestmark = pytest.mark.browser


def counts(page, container):
    """Return the numbers in a heat map, row by row."""
    return [int(words.split()[0]) for words in page.locator(f"{container} .cell").all_text_contents()]


def margins(cells):
    """Return the row and column sums of 4 x 4 counts."""
    rows = [cells[4 * i : 4 * i + 4] for i in range(4)]
    return [sum(row) for row in rows], [sum(column) for column in zip(*rows, strict=True)]


@pytest.mark.slow
def test_two_cells_make_a_move_that_keeps_the_margins(page, expect):
    """Cells (1, 1) and (2, 2) gain a subject, (1, 2) and (2, 1) lose one, and the move can be undone and redone."""
    before = counts(page, "#moves-table")
    page.get_by_role("button", name="rater 1 1, rater 2 1: 5").click()
    expect(page.locator("#moves-said")).to_contain_text("second cell")
    page.get_by_role("button", name="rater 1 2, rater 2 2: 4").click()
    expect(page.locator("#moves-said")).to_contain_text("raises kappa to 0.5520")
    page.get_by_role("button", name="Apply the move").click()
    expect(page.locator("#moves-value")).to_have_text("0.5520")
    after = counts(page, "#moves-table")
    assert after != before
    assert margins(after) == margins(before)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#moves-value")).to_have_text("0.5023")
    assert counts(page, "#moves-table") == before
    page.get_by_role("button", name="Redo").click()
    expect(page.locator("#moves-value")).to_have_text("0.5520")
    assert counts(page, "#moves-table") == after
    assert page.locator("#kappa").text_content() == "0.5023"


@pytest.mark.slow
def test_a_move_that_does_not_apply_says_why(page, expect):
    """An empty cell cannot lose a subject, and the two cells must be in different rows."""
    page.locator("#moves-table-0-0").click()
    page.locator("#moves-table-2-2").click()
    expect(page.locator("#moves-said")).to_contain_text("cannot be applied")
    expect(page.locator("#moves-apply")).to_have_attribute("aria-disabled", "true")
    page.locator("#moves-table-0-0").click()
    page.locator("#moves-table-0-1").click()
    expect(page.locator("#moves-said")).to_contain_text("different rows and columns")


@pytest.mark.slow
def test_ranked_moves_are_applied_from_the_list(page, expect):
    """The best move is first, and the list is updated after a move."""
    first = page.locator("#moves-list tbody tr").first
    expect(first).to_contain_text("0.6018")
    first.get_by_role("button").click()
    expect(page.locator("#moves-value")).to_have_text("0.6018")
    expect(first).not_to_contain_text("0.6018")


@pytest.mark.slow
def test_a_path_leads_to_the_maximum_step_by_step(page, expect):
    """One step and all steps can be taken and undone."""
    page.get_by_role("button", name="Next step to the maximum").click()
    expect(page.locator("#moves-value")).to_have_text("0.6018")
    expect(page.locator("#path [aria-current=step]")).to_have_count(1)
    page.get_by_role("button", name="All steps to the maximum").click()
    expect(page.locator("#moves-value")).to_have_text("0.7511")
    expect(page.locator("#moves-path")).to_contain_text("It ends at the maximum")
    expect(page.locator("#moves-step")).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#moves-value")).not_to_have_text("0.7511")
    page.get_by_role("button", name="Reset to the observed table").click()
    expect(page.locator("#moves-value")).to_have_text("0.5023")


@pytest.mark.slow
def test_annealing_runs_to_its_end_and_the_seed_decides(page, expect):
    """The same seed gives the same search, and a message appears beside a wrong seed."""
    page.get_by_role("button", name="Start").click()
    expect(page.locator("#anneal-said")).to_contain_text("with kappa 0.7511, which is the maximum.")
    first = page.locator("#anneal-said").text_content()
    assert margins(counts(page, "#anneal-table")) == ([11, 8, 7, 7], [6, 9, 12, 6])
    expect(page.locator("#anneal-chart polyline")).to_have_count(2)
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Restart").click()
    expect(page.locator("#anneal-said")).to_contain_text("ended after")
    page.get_by_label("Seed").fill("1")
    page.get_by_role("button", name="Restart").click()
    expect(page.locator("#anneal-said")).to_have_text(first)
    page.get_by_label("Seed").fill("-1")
    page.get_by_role("button", name="Restart").click()
    expect(page.locator("#seed-problem")).to_contain_text("Enter a whole number from 0")


@pytest.mark.slow
def test_annealing_pauses_and_goes_on(page, expect):
    """A paused search does not advance, and a resumed one runs to its end."""
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_label("Proposal").select_option("swaps")
    page.evaluate(
        """() => {
            const draw = window.requestAnimationFrame.bind(window);
            window.held = [];
            window.requestAnimationFrame = (work) => (window.open_gate ? draw(work) : window.held.push(work));
        }"""
    )
    page.get_by_role("button", name="Start").click()
    page.wait_for_function("window.held.length > 0")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_be_visible()
    page.evaluate("() => { window.open_gate = true; window.held.splice(0).forEach((work) => work()); }")
    expect(page.locator("#anneal-step")).to_have_text("–")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("#anneal-said")).to_contain_text("ended after")
    expect(page.locator("#anneal-step")).not_to_have_text("–")
