"""Files of Stata, SPSS and SAS are read with their value labels and missing codes."""

import sys
from datetime import date
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import kappamax as km
from kappamax.io import statistical_files
from kappamax.io.file_formats import open_bytes, open_file
from kappamax.io.read_spec import ReadSpec
from tests.support.statistical import write_dta, write_por, write_sas7bdat, write_sav, write_xpt

GRADES = {1: "mild", 2: "moderate", 3: "severe"}
MORE_GRADES = GRADES | {4: "critical"}
RATINGS = {"anna": [1, 2, 3, 1, 2], "ben": [1, 2, 2, 1, 3]}
#: writers of formats that keep the names of columns
WRITERS = {"dta": write_dta, "sav": write_sav, "xpt": write_xpt, "sas7bdat": write_sas7bdat}


def opened(path, **options):
    """Return the columns of a file and their notes."""
    with open_file(path, ReadSpec(**options)) as source:
        values = source.rows(f"SELECT {', '.join(source.values.values())} FROM file")
        columns = dict(zip(source.columns, map(list, zip(*values, strict=True)), strict=True))
        return columns, (*source.notes, *source.notes_on(source.columns))


@pytest.mark.parametrize("kind", WRITERS)
def test_every_format_is_read_by_its_content(tmp_path, kind):
    """The name of the file does not matter, and bytes are read like a file."""
    path = WRITERS[kind](tmp_path / "data", RATINGS)
    expected = km.from_ratings(np.column_stack(list(RATINGS.values())), raters=list(RATINGS))
    assert km.read_ratings(path) == expected
    with open_bytes(path.read_bytes(), "the file", ReadSpec()) as source:
        assert source.rows(f"SELECT {', '.join(source.values.values())} FROM file")[2] == (3, 2)


def test_other_versions_of_the_formats_are_read(tmp_path):
    """These are compressed and portable files of SPSS, old files of Stata and new transport files of SAS."""
    expected = km.from_ratings(np.column_stack(list(RATINGS.values())), raters=list(RATINGS))
    assert km.read_ratings(write_sav(tmp_path / "a", RATINGS, compress=True)) == expected
    assert km.read_ratings(write_xpt(tmp_path / "a", RATINGS, version=8)) == expected
    for version in (8, 12, 14):
        assert km.read_ratings(write_dta(tmp_path / "a", RATINGS, version=version)) == expected
    portable = km.read_ratings(write_por(tmp_path / "a", RATINGS))
    assert portable.raters == ("ANNA", "BEN")
    assert portable.labels() == expected.labels()


def test_pandas_reads_the_same_values_from_a_sas_file(tmp_path):
    """The file that the tests write is a file of SAS for another reader too."""
    path = write_sas7bdat(tmp_path / "a.sas7bdat", {"r": [1, 2.5, None], "s": ["x", "yy", "é"]})
    frame = pd.read_sas(path, encoding="utf-8")
    columns, _ = opened(path)
    assert columns["r"][:2] == frame["r"].tolist()[:2] == [1, 2.5]
    assert columns["r"][2] is None
    assert columns["s"] == frame["s"].tolist() == ["x", "yy", "é"]


def test_value_labels_are_categories_in_the_order_of_their_codes(tmp_path):
    """Stata does not say whether labels are ordered, so there is a note; labels without ratings are categories."""
    labels = dict.fromkeys(RATINGS, MORE_GRADES)
    table = km.read_ratings(write_dta(tmp_path / "a.dta", RATINGS, labels=labels))
    assert table.categories == ("mild", "moderate", "severe", "critical")
    assert table.ordered
    assert any("'anna', 'ben' were taken in the order of their codes" in note for note in table.reading.notes)
    expected = km.kappa(*RATINGS.values(), weights="linear", categories=[1, 2, 3, 4])
    assert km.kappa(table, weights="linear").exact == expected.exact


@pytest.mark.parametrize(("measure", "ordered"), [("ordinal", True), ("scale", True), ("nominal", False)])
def test_the_measurement_level_of_spss_decides_on_the_order(tmp_path, measure, ordered):
    """Linear weights need an order, which a nominal variable does not have."""
    path = write_sav(
        tmp_path / "a.sav", RATINGS, labels=dict.fromkeys(RATINGS, GRADES), measure=dict.fromkeys(RATINGS, measure)
    )
    table = km.read_ratings(path)
    assert table.ordered is ordered
    assert set(table.categories) == {"mild", "moderate", "severe"}
    if not ordered:
        with pytest.raises(km.errors.InvalidWeightsError, match="linear weights need ordered categories"):
            km.kappa(table, weights="linear")


@pytest.mark.parametrize("measure", ["nominal", "ordinal"])
def test_a_label_that_looks_missing_is_a_category(tmp_path, measure):
    """The file declares a code with the label None, so it is not a missing rating, and there is no warning."""
    labels = {name: {1: "None", 2: "NA", 3: "severe"} for name in RATINGS}
    path = write_sav(tmp_path / "a.sav", RATINGS, labels=labels, measure=dict.fromkeys(RATINGS, measure))
    table = km.read_ratings(path)
    assert sorted(table.categories) == ["NA", "None", "severe"]
    assert table.n_missing == 0


def test_missing_codes_of_spss_are_missing_ratings(tmp_path):
    """Single codes, ranges and codes of text are declared; the note names them and counts them."""
    columns = {
        "a": [1, 2, 98, 99, None],
        "b": [2, 1, -1, -7, 3],
        "c": ["x", "y", "refused", "x", "y"],
    }
    path = write_sav(
        tmp_path / "a.sav",
        columns,
        labels={"a": {98: "refused"}},
        missing={"a": [98, 99], "b": [{"lo": -99, "hi": -1}], "c": ["refused"]},
    )
    found, notes = opened(path)
    assert found["a"] == [1, 2, None, None, None]
    assert found["b"] == [2, 1, None, None, 3]
    assert found["c"] == ["x", "y", None, "x", "y"]
    assert notes == (
        "5 ratings are missing by the file's own missing codes: 'refused' (1), -1 (1), -7 (1), 98 'refused' (1), "
        "99 (1).",
    )


def test_missing_codes_of_stata_and_sas_are_missing_ratings(tmp_path):
    """The codes are .a to .z in Stata and .A to .Z in SAS."""
    path = write_dta(
        tmp_path / "a.dta", {"r": [1, "a", "z", 2]}, labels={"r": {"a": "refused"}}, missing={"r": ["a", "z"]}
    )
    columns, notes = opened(path)
    assert columns["r"] == [1, None, None, 2]
    assert notes == ("2 ratings are missing by the file's own missing codes: .a 'refused' (1), .z (1).",)
    columns, notes = opened(write_sas7bdat(tmp_path / "a.sas7bdat", {"r": [1, ".A", None, 2]}))
    assert columns["r"] == [1, None, None, 2]
    assert notes == ("1 rating is missing by the file's own missing codes: .A (1).",)


def test_different_value_labels_of_raters_are_refused_with_an_order(tmp_path):
    """The order in the advice gives the right table; labels in reverse order need the caller's order."""
    labels = {"anna": GRADES, "ben": MORE_GRADES}
    path = write_dta(tmp_path / "a.dta", RATINGS, labels=labels)
    with pytest.raises(km.errors.InvalidRatingsError, match="declare different ordered categories") as raised:
        km.read_ratings(path)
    (advice,) = raised.value.advice
    table = km.read_ratings(path, **advice.options)
    assert table.categories == ("mild", "moderate", "severe", "critical")
    reverse = {1: "severe", 2: "moderate", 3: "mild"}
    write_dta(path, RATINGS, labels={"anna": GRADES, "ben": reverse})
    with pytest.raises(km.errors.InvalidRatingsError, match=r"Pass categories=\[LOW, ..., HIGH\]"):
        km.read_ratings(path)
    assert km.read_ratings(path, categories=["mild", "moderate", "severe"]).labels()[0] == ["mild", "severe"]


def test_labels_of_one_rater_only_are_refused(tmp_path):
    """The advice gives the codes their labels, with a column of identifiers as well and if the raters are named."""
    path = write_dta(tmp_path / "a.dta", {"id": list("vwxyz")} | RATINGS, labels={"anna": GRADES})
    expected = km.kappa(*RATINGS.values()).exact
    for options in ({}, {"raters": ["anna", "ben"]}):
        with pytest.raises(km.errors.InvalidRatingsError, match="'anna' have value labels, but 'ben' con") as raised:
            km.read_ratings(path, **options)
        (advice,) = raised.value.advice
        table = km.read_ratings(path, **advice.options)
        assert table.categories == ("mild", "moderate", "severe")
        assert km.kappa(table).exact == expected


def test_the_long_layout_has_labels_and_names(tmp_path):
    """Labels of raters are their names; numbers that identify raters have no decimal point."""
    columns = {"subject": [1, 1, 2, 2], "rater": [1, 2, 1, 2], "rating": [1, 1, 3, 2]}
    labels = {"rater": {1: "anna", 2: "ben"}, "rating": GRADES}
    table = km.read_ratings(write_sav(tmp_path / "a.sav", columns, labels=labels), layout="long")
    assert table.raters == ("anna", "ben")
    assert table.categories == ("mild", "moderate", "severe")
    assert any("The value labels of 'rating'" in note for note in table.reading.notes)
    assert km.read_ratings(write_sav(tmp_path / "b.sav", columns), layout="long").raters == ("1", "2")


def test_text_and_dates_are_texts(tmp_path):
    """Spaces around text are removed, empty text is missing, and dates are written as in ISO 8601."""
    path = write_dta(tmp_path / "a.dta", {"s": [" x ", "", "y"], "d": [date(2020, 1, 2), None, date(2021, 3, 4)]})
    columns, _ = opened(path)
    assert columns == {"s": ["x", None, "y"], "d": ["2020-01-02", None, "2021-03-04"]}


def test_dates_that_python_does_not_have_are_numbers(tmp_path):
    """A note says so."""
    path = write_sav(tmp_path / "a.sav", {"d": [1e15, 1.0], "r": [1.0, 2.0]}, formats={"d": "DATE11"})
    columns, notes = opened(path)
    assert columns == {"d": [1e15, 1.0], "r": [1.0, 2.0]}
    assert notes == ("Dates were read as numbers, since some of them are outside the years 1 to 9999.",)


@pytest.mark.parametrize("name", ["formats.sas7bcat", "A.SAS7BCAT"])
def test_labels_of_sas_are_in_a_catalog_beside_the_file(tmp_path, monkeypatch, name):
    """The catalog has SAS's default name or the name of the file; its content is faked, since nothing writes one."""
    path = write_sas7bdat(tmp_path / "a.sas7bdat", RATINGS, formats={"anna": "GRADE", "ben": "GRADE"})
    assert km.read_ratings(path).categories == (1, 2, 3)
    (tmp_path / "other.sas7bcat").touch()
    (tmp_path / name).touch()
    asked = []

    def read_sas7bcat(catalog, output_format):
        asked.append(catalog)
        return {}, SimpleNamespace(value_labels={"GRADE": GRADES, "$SEX": {"f": "female"}})

    monkeypatch.setattr(pyreadstat, "read_sas7bcat", read_sas7bcat)
    table = km.read_ratings(path)
    assert asked == [str(tmp_path / name)]
    assert table.categories == ("mild", "moderate", "severe")
    assert f"Value labels were taken from {name} in the same folder." in table.reading.notes


def test_variables_may_differ_only_in_case(tmp_path):
    """Names of columns in SQL do not; the labels of variables are available."""
    path = write_dta(tmp_path / "a.dta", {"r": [1, 2], "R": [1, 1]})
    assert km.read_ratings(path).raters == ("r", "R")
    path = write_sav(tmp_path / "a.sav", RATINGS, descriptions={"anna": "How severe is it?"})
    with open_file(path, ReadSpec()) as source:
        assert source.descriptions == {"anna": "How severe is it?"}


def test_a_large_file_is_read_in_blocks_of_columns(tmp_path, monkeypatch):
    """Blocks give the same columns, labels and missing codes."""
    path = write_sav(tmp_path / "a.sav", RATINGS, labels=dict.fromkeys(RATINGS, GRADES), missing={"ben": [3]})
    whole = opened(path)
    monkeypatch.setattr(statistical_files, "_CELLS_AT_ONCE", 5)
    assert opened(path) == whole
    assert whole[0]["ben"] == ["mild", "moderate", "moderate", "mild", None]


def test_a_wrong_encoding_is_refused_with_advice(tmp_path):
    """The suggested encoding reads the file; an unknown encoding and one for a portable file are errors."""
    path = write_dta(tmp_path / "a.dta", {"a": ["mäßig", "x"], "b": ["x", "x"]})
    latin = path.read_bytes().replace("mäßig".encode(), "mäßig".encode("latin-1") + b"\0\0")
    path.write_bytes(latin)
    with pytest.raises(km.errors.UnreadableFileError, match="is not text in the encoding that it declares") as raised:
        km.read_ratings(path)
    (advice,) = raised.value.advice
    assert opened(path, **advice.options)[0]["a"] == ["mäßig", "x"]
    with pytest.raises(km.errors.InvalidOptionError, match="encoding must be the name of an encoding; got 'nonsense'"):
        opened(path, encoding="nonsense")
    with pytest.raises(
        km.errors.InvalidOptionError, match="encoding cannot be given for a file in the format SPSS por"
    ):
        opened(write_por(tmp_path / "a.por", RATINGS), encoding="latin-1")


@pytest.mark.parametrize("kind", WRITERS)
def test_damaged_files_are_errors(tmp_path, kind):
    """A file that was cut is not read as a shorter one."""
    path = WRITERS[kind](tmp_path / "data", {name: values * 40 for name, values in RATINGS.items()})
    content = path.read_bytes()
    for length in (len(content) - 33, len(content) // 2 + 1, 700):
        path.write_bytes(content[:length])
        with pytest.raises(km.errors.UnreadableFileError, match=r"cannot be read as a file in the format|is damaged"):
            km.read_ratings(path)


def test_files_without_ratings_are_errors(tmp_path):
    """A catalog has value labels only, and a file may have no rows."""
    path = tmp_path / "a"
    path.write_bytes(bytes(12) + b"\xc2\xea\x81\x63" + bytes(100))
    with pytest.raises(km.errors.UnreadableFileError, match="is a catalog of SAS, which contains value labels only"):
        km.read_ratings(path)
    with pytest.raises(km.errors.InvalidRatingsError, match="contains no subject"):
        km.read_ratings(write_sav(path, {"a": pd.Series(dtype=float), "b": pd.Series(dtype=float)}))


def test_options_for_other_files_are_errors(tmp_path):
    """Statistical files have no sheets and no delimiter."""
    path = write_sav(tmp_path / "a.sav", RATINGS)
    with pytest.raises(km.errors.InvalidOptionError, match="sheet can be given for spreadsheets only"):
        km.read_ratings(path, sheet=1)
    with pytest.raises(km.errors.InvalidOptionError, match="delimiter can be given for text files only"):
        km.read_ratings(path, delimiter=";")


def test_statistical_files_need_the_extra_stats(tmp_path, monkeypatch):
    """The error gives the command that installs the extra."""
    path = write_sav(tmp_path / "a.sav", RATINGS)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(km.errors.UnreadableFileError, match=r'pip install "kappamax\[stats\]"'):
        km.read_ratings(path)
