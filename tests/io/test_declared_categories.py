"""Categories that columns declare are combined."""

import pytest

import kappamax as km
from kappamax.errors import ORDER_TO_GIVE
from kappamax.io.declared_categories import UnorderedCategories, found_categories, merged_order, without

GRADES = ("none", "mild", "severe")


def test_an_order_that_one_column_declares_holds_for_all():
    """Columns without an order, and unordered categories, do not matter."""
    declared = [None, GRADES, UnorderedCategories(("mild", "worst"))]
    assert found_categories(["mild"], declared) == (GRADES, True)


def test_without_a_declared_order_the_categories_are_those_found():
    """Numbers are in increasing order; text has no order, even if it is declared as unordered categories."""
    assert found_categories([2, 10, 1], [None, None]) == ((1, 2, 10), True)
    assert found_categories(["b", "a"], [UnorderedCategories("abc"), None]) == (("a", "b"), False)


@pytest.mark.parametrize(
    ("orders", "merged"),
    [
        ([("a", "b", "c"), ("a", "c")], ("a", "b", "c")),
        ([("a", "b"), ("b", "c"), ("c", "d")], ("a", "b", "c", "d")),
        ([("a", "b"), ("b", "a")], None),
        ([("a", "b"), ("a", "c")], None),
        ([("a", "x", "b"), ("b", "y", "a")], None),
    ],
)
def test_orders_are_merged_if_there_is_one_way(orders, merged):
    """Contradictory orders, and labels whose order is open, are not merged."""
    assert merged_order(orders) == merged


def test_different_orders_are_an_error_with_advice():
    """The advice is the merged order, or a placeholder if the orders contradict each other."""
    with pytest.raises(km.errors.InvalidRatingsError, match="declare different ordered categories") as raised:
        found_categories(["mild"], [GRADES, GRADES[:2]])
    assert [one.options for one in raised.value.advice] == [{"categories": GRADES}]
    with pytest.raises(
        km.errors.InvalidRatingsError, match=r"categories: .*Pass categories=\[LOW, ..., HIGH\]"
    ) as raised:
        found_categories(["mild"], [GRADES, GRADES[::-1]])
    assert [one.options for one in raised.value.advice] == [{"categories": ORDER_TO_GIVE}]


def test_missing_codes_are_removed():
    """Unordered categories stay unordered."""
    assert without(GRADES, {"none"}) == ("mild", "severe")
    assert isinstance(without(UnorderedCategories(GRADES), {"none"}), UnorderedCategories)
    assert without(None, {"none"}) is None
