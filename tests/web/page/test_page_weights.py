"""Custom weights are entered as positions or a matrix, and the page shows whether they are a metric."""

import pytest

import kappamax as km

pytestmark = pytest.mark.browser


def choose_own(page, kind):
    """Choose custom weights from positions or a matrix."""
    page.get_by_label("Weighting").select_option("custom")
    page.get_by_label(kind).check()


@pytest.mark.slow
def test_named_weights_are_described(page, expect):
    """Linear weights are a metric, and quadratic weights violate the triangle inequality."""
    expect(page.locator("#metric")).to_have_text("The weights are a metric.")
    page.get_by_label("Weighting").select_option("quadratic")
    expect(page.locator("#metric")).to_contain_text(
        "The weights are not a metric; the categories 1, 2, 3 violate the triangle inequality"
    )
    expect(page.locator("#weights-words")).to_contain_text(
        "two smaller disagreements can count less than one large one"
    )


@pytest.mark.slow
def test_positions_change_the_result(page, expect):
    """Positions 1 to 4 give linear weights, and another last position changes kappa."""
    choose_own(page, "positions of the categories")
    expect(page.locator("#kappa")).to_have_text("0.5023")
    page.locator("#position-3").fill("10")
    expect(page.locator("#kappa")).not_to_have_text("0.5023")
    expect(page.locator("#metric")).to_have_text("The weights are a metric.")
    expect(page.locator("#comparison tbody tr")).to_have_count(5)


@pytest.mark.slow
def test_a_matrix_that_breaks_a_triangle_says_which(page, expect):
    """The page names the categories that violate the triangle inequality."""
    choose_own(page, "a matrix")
    expect(page.locator("#metric")).to_have_text("The weights are a metric.")
    page.get_by_label("Weight of 1 against 4").fill("9")
    expect(page.locator("#weight-3-0")).to_have_value("9")
    expect(page.locator("#metric")).to_contain_text("The weights are not a metric; the categories 1,")
    expect(page.locator("#metric")).to_contain_text("4 violate the triangle inequality")


@pytest.mark.slow
def test_the_two_sides_of_a_matrix_can_differ(page, expect):
    """Weights can be asymmetric; if they are made symmetric again, those above the diagonal are used."""
    choose_own(page, "a matrix")
    page.get_by_label("symmetric weights").uncheck()
    page.get_by_label("Weight of 1 against 4").fill("9")
    expect(page.locator("#weight-3-0")).to_have_value("3")
    expect(page.locator("#metric")).to_have_text(
        "The weights are not symmetric; the categories 1, 2, 4 violate the triangle inequality."
    )
    matrix = [[0, 1, 2, 9], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]
    weights = km.Weights.from_matrix(matrix, kind="disagreement")
    expected = km.max_kappa(km.example("rapallo2022"), weights=weights)
    expect(page.locator("#kappa")).to_have_text(f"{expected.value:.4f}")
    expect(page.locator("#maximum")).to_contain_text(f"{expected.maximum:.4f}")
    page.reload()
    expect(page.locator("#kappa")).to_have_text(f"{expected.value:.4f}")
    page.get_by_label("symmetric weights").check()
    expect(page.locator("#weight-3-0")).to_have_value("9")


@pytest.mark.slow
def test_a_weight_that_is_no_number_is_marked_at_its_place(page, expect):
    """The message is beside the weight or the position."""
    choose_own(page, "a matrix")
    page.get_by_label("Weight of 1 against 2").fill("much")
    expect(page.locator("#weight-0-1-problem")).to_have_text("Enter a number of at least 0.")
    page.get_by_label("Weight of 1 against 2").fill("2")
    expect(page.locator("#weight-0-1-problem")).to_have_text("")
    page.get_by_label("positions of the categories").check()
    page.locator("#position-1").fill("x")
    expect(page.locator("#position-1-problem")).to_have_text("Enter a number.")


@pytest.mark.slow
def test_own_weights_survive_a_reload(page, expect):
    """The positions are restored."""
    choose_own(page, "positions of the categories")
    page.locator("#position-3").fill("10")
    expect(page.locator("#kappa")).not_to_have_text("0.5023")
    shown = page.locator("#kappa").text_content()
    page.reload()
    expect(page.locator("#kappa")).to_have_text(shown)
    expect(page.locator("#position-3")).to_have_value("10")
