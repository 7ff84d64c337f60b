"""Columns of the design of a study are recognised, and the refusals say what to do."""

import pandas as pd
import polars as pl
import pytest

import kappamax as km
from kappamax.io.column_designs import agrees_with_others, columns_of_other_items, crossed_columns, numbers_within
from kappamax.io.column_profiles import profiles_of

SITES = [
    (site, patient, rater, label)
    for site in ("A|", "B")
    for patient, labels in enumerate(["xx", "xy", "yy", "yx", "xx"], 1)
    for rater, label in zip(("Ann", "Bob"), labels if site == "B" else labels[::-1], strict=True)
]
LONG = ["site", "patient", "rater", "rating"]


def profiles(**columns):
    return profiles_of(list(columns), list(zip(*columns.values(), strict=True)))


def test_numbers_within_subjects_differ_in_all_their_rows():
    """Ten patients with two eyes are no coincidence; two patients, or ratings that repeat, may be one."""
    patient, eye, rating = profiles(patient=[i // 2 for i in range(20)], eye=[1, 2] * 10, rating=[1, 2, 2, 2] * 5)
    assert numbers_within(eye, patient)
    assert not numbers_within(rating, patient)
    few, numbers = profiles(patient=[1, 1, 2, 2], eye=[1, 2, 1, 2])
    assert not numbers_within(numbers, few)


def test_crossed_columns_have_every_combination_once():
    """Three plots on four days are crossed; ratings are not."""
    days, plots, rating = profiles(day=[1, 2, 3, 4] * 3, plot=[1] * 4 + [2] * 4 + [3] * 4, rating=[1, 2] * 6)
    assert crossed_columns([days, plots, rating]) == [days, plots]
    assert crossed_columns([days, rating]) == []
    assert crossed_columns([]) == []


def test_a_rater_agrees_with_another_beyond_chance():
    """Eight equal rows suffice; alternating numbers agree with nothing."""
    one, other, third = profiles(a=[0, 1] * 6, b=[0, 1] * 5 + [1, 0], c=[0, 0, 1, 1] * 3)
    assert agrees_with_others(one, [other])
    assert not agrees_with_others(one, [third])
    few = profiles(a=[0, 1], b=[0, 1])
    assert not agrees_with_others(few[0], few[1:])


@pytest.mark.parametrize(
    ("names", "main", "others"),
    [
        (["pain_A", "pain_B", "fever_A", "fever_B"], "pain", ["fever_A", "fever_B"]),
        (["A_t1", "A_t2", "B_t1", "B_t2"], "t 1", ["A_t2", "B_t2"]),
        (["human_1", "human_2", "model_1", "model_2"], "", []),
        (["rater1", "rater2", "rater3", "rater4"], "", []),
        (["pain_A", "pain_B", "fever_A"], "", []),
    ],
)
def test_names_that_combine_items_with_raters(names, main, others):
    """Every item occurs with every rater, and words for raters are no items."""
    found, items = columns_of_other_items(profiles(**{name: [1, 2] for name in names}))
    assert (found, list(items)) == (main, others)


def test_the_refusal_names_the_reason_of_each_column(tmp_path):
    """Columns of the design, of other items, and with names of ratings are refused for different reasons."""
    ratings = {"A": [0, 1, 1, 0, 1] * 4, "B": [0, 1, 0, 0, 1] * 4}
    eyes = pd.DataFrame({"patient": [i // 2 for i in range(20)], "k": [0, 1] * 10, **ratings})
    with pytest.raises(
        km.errors.InvalidRatingsError, match="'k' has a different value in each row of the same 'patien"
    ):
        km.from_ratings(eyes)
    crossed = pd.DataFrame({"u": [i // 5 for i in range(20)], "v": list(range(5)) * 4, **ratings})
    with pytest.raises(km.errors.InvalidRatingsError, match="'u' is combined with another column in every way"):
        km.from_ratings(crossed)
    items = pd.DataFrame({"p_A": ratings["A"], "p_B": ratings["B"], "q_A": ratings["A"], "q_B": ratings["A"]})
    with pytest.raises(km.errors.InvalidRatingsError, match="'q_A' is about 'q', whereas others are about 'p'"):
        km.from_ratings(items)
    classes = pd.DataFrame({"class": [0, 1] * 10, "teacher 1": ratings["A"], "teacher 2": ratings["B"]})
    with pytest.raises(km.errors.InvalidRatingsError, match="'class' has the name of a rating, whereas other"):
        km.from_ratings(classes)


def test_several_columns_identify_subjects_together(tmp_path):
    """Files, records, frames in memory and lazy frames give the table of the ten patients of two sites."""
    path = tmp_path / "sites.csv"
    pd.DataFrame(SITES, columns=LONG).to_csv(path, index=False)
    records = [dict(zip(LONG, row, strict=True)) for row in SITES]
    how = {"layout": "long", "subject": ["site", "patient"]}
    table = km.read_ratings(path, **how)
    assert table.n_subjects == 10
    assert table == km.read_ratings(path, layout="long", subject="site,patient")
    for data in (records, pd.DataFrame(records), pl.DataFrame(records), pl.DataFrame(records).lazy()):
        assert km.from_ratings(data, **how) == table
    with pytest.raises(km.errors.InvalidOptionError, match="fill_down can be used with one column of subjects"):
        km.read_ratings(path, fill_down=True, **how)
    with pytest.raises(km.errors.InvalidRatingsError, match="no column 'centre' for subject"):
        km.read_ratings(path, layout="long", subject=["centre", "patient"])


def test_a_subject_rated_twice_is_identified_by_a_further_column(tmp_path):
    """The advice names the column that completes the key, if there is one."""
    path = tmp_path / "sites.csv"
    pd.DataFrame(SITES, columns=LONG).to_csv(path, index=False)
    with pytest.raises(km.errors.InvalidRatingsError, match="rated '1' more than once") as caught:
        km.read_ratings(path, layout="long", subject="patient")
    assert caught.value.advice[-1].options["subject"] == ["site", "patient"]
    assert km.read_ratings(path, **caught.value.advice[-1].options).n_subjects == 10
    with pytest.raises(
        km.errors.InvalidRatingsError, match="columns 'site' and 'patient' together name subjects|'patie"
    ):
        km.read_ratings(path)


def test_empty_cells_may_be_a_category(tmp_path):
    """A file with one label and many empty cells is refused, and the advice names the empty cells."""
    path = tmp_path / "marks.csv"
    path.write_text("id,A,B\n" + "".join(f"{i},{'x' * (i % 2)},{'x' * (i % 3 > 0)}\n" for i in range(12)))
    with pytest.raises(km.errors.InvalidRatingsError, match="only label is 'x', and 10 cells are empty") as caught:
        km.read_ratings(path)
    table = km.read_ratings(path, **caught.value.advice[-1].options)
    assert (table.n_subjects, table.n_missing, table.categories) == (12, 0, ("no", "x"))
    assert km.read_ratings(path, accept_labels=True).categories == ("x",)
    with pytest.raises(km.errors.InvalidOptionError, match="rename can name empty cells for layout wide or patterns"):
        km.read_ratings(path, layout="long", rename={"": "no"})


def test_codes_and_words_of_two_raters_are_matched(tmp_path):
    """The advice renames 0 and 1, or initials; codes beside the words of the same rater have no advice."""
    path = tmp_path / "codes.csv"
    path.write_text("id,A,B\n" + "".join(f"{i},{i % 2},{'no' if i % 3 else 'yes'}\n" for i in range(12)))
    with pytest.raises(km.errors.InvalidRatingsError, match="at least two raters") as caught:
        km.read_ratings(path)
    assert caught.value.advice[-1].options == {"rename": {"0": "no", "1": "yes"}}
    assert km.read_ratings(path, **caught.value.advice[-1].options).categories == ("no", "yes")
    path.write_text("id,A,B\n" + "".join(f"{i},{i % 2},{'yes' if i % 2 else 'no'}\n" for i in range(12)))
    with pytest.raises(km.errors.InvalidRatingsError, match="at least two raters|repeats") as caught:
        km.read_ratings(path)
    assert not caught.value.advice


def test_a_matrix_of_percentages_is_refused(tmp_path):
    """Kappa needs the counts."""
    path = tmp_path / "shares.csv"
    path.write_text(",no,yes\nno,40%,10%\nyes,5%,45%\n")
    with pytest.raises(km.errors.InvalidRatingsError, match="percentages or proportions.* Kappa needs the counts"):
        km.read_ratings(path)


def test_categories_that_may_be_missing_are_noted(tmp_path):
    """The note names them; a single other label, or categories that the caller names, need none."""
    path = tmp_path / "labels.csv"
    path.write_text("A,B\n" + "yes,no\nno,no\nyes,yes\nunknown,no\nyes,unknown\nno,yes\n")
    assert any("Label 'unknown' was read as a category" in note for note in km.read_ratings(path).reading.notes)
    named = km.read_ratings(path, categories=["no", "unknown", "yes"])
    assert not any("was read as a category" in note for note in named.reading.notes)
