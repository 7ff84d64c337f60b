"""Pairs, categories, and leaving one rater out."""

import json

import numpy as np
import pytest
from hypothesis import given

import kappamax as km
from tests.support.strategies import tables


@given(tables(min_raters=3, missing=True))
def test_pairwise_kappas_are_the_kappas_of_two_columns(table):
    """Each entry is Cohen's kappa of the two raters over the subjects both rated."""
    result = km.pairwise_kappas(table, weights="linear")
    for a in range(table.n_raters):
        for b in range(table.n_raters):
            pair = table.pair(a, b)
            if a == b:
                assert result.values[a, b] == 1
            elif np.isnan(result.values[a, b]):
                assert ", ".join(table.raters[i] for i in sorted((a, b))) in result.reasons
            else:
                assert result.values[a, b] == km.kappa(km.from_counts(pair), weights="linear").value


def test_pairwise_kappas_say_why_one_is_undefined():
    """Two raters who share no subject, and two who used one category."""
    t = km.from_ratings(
        [["x", "x", None], ["x", "x", None], [None, "y", "y"], [None, "x", "y"]], raters=["a", "b", "c"]
    )
    result = km.pairwise_kappas(t)
    assert result.reasons == {"a, b": "both raters used only 'x'", "a, c": "no subject was rated by both"}
    assert np.isnan(result.light)
    assert result.to_dict()["values"][0][1] is None
    assert "no subject was rated by both" in repr(result)


def test_pairwise_kappas_take_weights_per_pair():
    """Each pair keeps its own weights."""
    t = km.example("rapallo2022-three")
    pairs = {(0, 1): "linear", (0, 2): "quadratic", (1, 2): "unweighted"}
    result = km.pairwise_kappas(t, weights=pairs)
    for (a, b), name in pairs.items():
        assert result.values[a, b] == km.kappa(t.select([a, b]), weights=name).value
    assert km.leave_one_out(t, weights=pairs).without["X1"] == km.kappa(t.select([1, 2])).value


def test_each_category_alone_by_hand():
    """Category 1 against the rest in the paper's table: 5 both, 6 first only, 1 second only, 21 neither."""
    result = km.category_kappas(km.example("rapallo2022"))
    assert result.values[1] == km.kappa(km.from_counts([[5, 6], [1, 21]])).value
    unused = km.category_kappas([1, 1, 2], [1, 2, 2], categories=[1, 2, 3])
    assert unused.values[3] is None
    assert unused.reasons == {3: "both raters used only 'not 3'"}


def test_leaving_one_rater_out():
    """The coefficient of the other raters, and the difference each one makes."""
    t = km.example("diagnoses")
    result = km.leave_one_out(t)
    assert result.value == km.kappa(t).value
    for i, rater in enumerate(t.raters):
        rest = [j for j in range(6) if j != i]
        assert result.without[rater] == km.kappa(t.select(rest)).value
        assert result.effects[rater] == result.value - result.without[rater]
    with pytest.raises(km.NotSupportedError, match="at least three raters; got 2"):
        km.leave_one_out(km.example("rapallo2022"))
    alone = km.leave_one_out(km.from_ratings([[1, 1, 2], [1, 1, 1]]))
    assert alone.without["3"] is None
    assert alone.reasons == {"3": "both raters used only 1"}
    assert alone.effects["3"] is None


def test_results_show_themselves():
    """Repr and HTML hold the rounded value, to_dict the full one."""
    result = km.kappa(km.example("rapallo2022"), weights="linear")
    assert "Cohen's kappa, linear  0.5023" in repr(result)
    assert "0.2851 to 0.7194" in repr(result)
    assert "<td>0.5023</td>" in result._repr_html_()
    assert result.to_dict()["exact"] == "111/221"
    assert result.to_dict()["value"] == 111 / 221
    noted = km.kappa(
        km.from_counts([[4, 1], [2, 3]]), weights=km.Weights.from_matrix([[1, 0.5], [0.5, 1]], kind="agreement")
    )
    assert "nearest simple fractions" in repr(noted)
    assert "x" in repr(km.category_kappas(["x", "y"], ["x", "x"]))


def test_leaving_out_the_rater_who_links_the_others():
    """Without the third rater no two ratings of a subject are left."""
    result = km.leave_one_out([1, 2, None, None], [None, None, 1, 2], [1, 2, 2, 1])
    assert result.without["3"] is None
    assert "no subject was rated by two raters" in result.reasons["3"]


def test_undefined_numbers_are_null_in_plain_data():
    """Strict JSON has no NaN."""
    plain = km.jackknife([1, 1, 2], [1, 1, 1]).to_dict()
    assert None in plain["values"]
    json.dumps(plain, allow_nan=False)


def test_a_standard_error_of_zero_comes_with_a_warning():
    """Three subjects on whom all agree prove little; one disagreement gives an interval."""
    (note,) = km.kappa([1, 2, 3], [1, 2, 3]).notes
    assert note.startswith("the standard error is 0 because these ratings show no variation")
    assert km.kappa([1, 2, 3, 1], [1, 2, 3, 2]).notes == ()
