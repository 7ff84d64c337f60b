"""Own weights: positions or a matrix, and at once whether they are a distance."""

import pytest

import kappamax as km

pytestmark = pytest.mark.browser


def choose_own(page, kind):
    """Own weights, from positions or a matrix."""
    page.get_by_label("How much a disagreement counts").select_option("custom")
    page.get_by_label(kind).check()


def test_named_weights_say_what_they_imply(page, expect):
    """Linear is a distance; quadratic is none, and a triangle is named."""
    expect(page.locator("#metric")).to_have_text("A distance (metric).")
    page.get_by_label("How much a disagreement counts").select_option("quadratic")
    expect(page.locator("#metric")).to_contain_text("Not a distance: the triangle 1, 2, 3 breaks")
    expect(page.locator("#weights-words")).to_contain_text("two smaller disagreements can cost less than one large one")


@pytest.mark.slow
def test_positions_change_the_result(page, expect):
    """Positions 1 to 4 are linear weights; moving the last one changes kappa and stays a distance."""
    choose_own(page, "positions of the categories")
    expect(page.locator("#kappa")).to_have_text("0.5023")
    page.locator("#position-3").fill("10")
    expect(page.locator("#kappa")).not_to_have_text("0.5023")
    expect(page.locator("#metric")).to_have_text("A distance (metric).")
    expect(page.locator("#comparison tbody tr")).to_have_count(5)


@pytest.mark.slow
def test_a_matrix_that_breaks_a_triangle_says_which(page, expect):
    """From 1 to 4 dearer than by way of 2 or 3."""
    choose_own(page, "a matrix")
    expect(page.locator("#metric")).to_have_text("A distance (metric).")
    page.get_by_label("Weight of 1 against 4").fill("9")
    expect(page.locator("#weight-3-0")).to_have_value("9")
    expect(page.locator("#metric")).to_contain_text("Not a distance: the triangle 1,")
    expect(page.locator("#metric")).to_contain_text("4 breaks")


@pytest.mark.slow
def test_the_two_sides_of_a_matrix_can_differ(page, expect):
    """Saying 4 where the first rater says 1 may count more than the reverse; alike again, the upper side counts."""
    choose_own(page, "a matrix")
    page.get_by_label("both sides of the diagonal alike").uncheck()
    page.get_by_label("Weight of 1 against 4").fill("9")
    expect(page.locator("#weight-3-0")).to_have_value("3")
    expect(page.locator("#metric")).to_have_text("Not symmetric: the triangle 1, 2, 4 breaks.")
    matrix = [[0, 1, 2, 9], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]
    weights = km.Weights.from_matrix(matrix, kind="disagreement")
    expected = km.max_kappa(km.example("rapallo2022"), weights=weights)
    expect(page.locator("#kappa")).to_have_text(f"{expected.value:.4f}")
    expect(page.locator("#maximum")).to_contain_text(f"{expected.maximum:.4f}")
    page.reload()
    expect(page.locator("#kappa")).to_have_text(f"{expected.value:.4f}")
    page.get_by_label("both sides of the diagonal alike").check()
    expect(page.locator("#weight-3-0")).to_have_value("9")


@pytest.mark.slow
def test_a_weight_that_is_no_number_is_marked_at_its_place(page, expect):
    """In a matrix and among positions."""
    choose_own(page, "a matrix")
    page.get_by_label("Weight of 1 against 2").fill("much")
    expect(page.locator("#weight-0-1-problem")).to_have_text("A weight is a number, 0 or more.")
    page.get_by_label("Weight of 1 against 2").fill("2")
    expect(page.locator("#weight-0-1-problem")).to_have_text("")
    page.get_by_label("positions of the categories").check()
    page.locator("#position-1").fill("x")
    expect(page.locator("#position-1-problem")).to_have_text("A position is a number.")


@pytest.mark.slow
def test_own_weights_survive_a_reload(page, expect):
    """With everything else."""
    choose_own(page, "positions of the categories")
    page.locator("#position-3").fill("10")
    expect(page.locator("#kappa")).not_to_have_text("0.5023")
    shown = page.locator("#kappa").text_content()
    page.reload()
    expect(page.locator("#kappa")).to_have_text(shown)
    expect(page.locator("#position-3")).to_have_value("10")
