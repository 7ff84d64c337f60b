"""Results of coefficients are shown rounded and converted to plain data unrounded."""

import json

import kappamax as km


def test_results_are_shown_rounded():
    """The text and HTML representations have rounded values, and `to_dict` has unrounded ones."""
    result = km.kappa(km.example("rapallo2022"), weights="linear")
    assert "Cohen's kappa, linear  0.5023" in repr(result)
    assert "0.2753 to 0.7058" in repr(result)
    assert "<td>0.5023</td>" in result._repr_html_()
    assert result.to_dict()["exact"] == "111/221"
    assert result.to_dict()["value"] == 111 / 221
    noted = km.kappa(
        km.from_counts([[4, 1], [2, 3]]), weights=km.Weights.from_matrix([[1, 0.5], [0.5, 1]], kind="agreement")
    )
    assert "nearest simple fractions" in " ".join(repr(noted).split())
    assert "x" in repr(km.category_kappas(["x", "y"], ["x", "x"]))


def test_undefined_numbers_are_null_in_plain_data():
    """Undefined numbers are null, because strict JSON has no NaN."""
    plain = km.jackknife([1, 1, 2], [1, 1, 1]).to_dict()
    assert None in plain["values"]
    json.dumps(plain, allow_nan=False)


def test_a_standard_error_of_zero_has_a_note():
    """A note is attached if all ratings agree, and none after one disagreement."""
    (note,) = km.kappa([1, 2, 3], [1, 2, 3]).notes
    assert note.startswith("the estimated standard error is 0, which does not mean certainty")
    assert km.kappa([1, 2, 3, 1], [1, 2, 3, 2]).notes == ()
