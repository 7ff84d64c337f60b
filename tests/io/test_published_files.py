"""Files that other projects published are read as pandas or pyreadstat reads them.

The files are not in this repository; tests/data/published/README.md says where they come from and where they are put.
"""

import hashlib
import os
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

import kappamax as km
from kappamax.io.file_formats import open_file
from kappamax.io.read_spec import ReadSpec

FOLDER = Path(os.environ.get("KAPPAMAX_PUBLISHED_FILES") or Path(__file__).parents[1] / "data" / "published")
HAVEN, PYREADSTAT, PANDAS = "tidyverse+haven", "Roche+pyreadstat", "pandas-dev+pandas/pandas/tests/io"
#: SHA-256 of each file
CHECKSUMS = {
    f"{HAVEN}/inst/examples/iris.sav": "38dc8f29dc62c0f562b568d83f5d713ec98ef80cb4092425563ea91350e5bf92",
    f"{HAVEN}/tests/testthat/sas/hadley.sas7bdat": "0a70000745211fbf3ed1b1fa88e2fba5c68e8250d55eb53f99903c55fc2ffeb4",
    f"{HAVEN}/tests/testthat/sas/formats.sas7bcat": "0f28065fe6e05a6b0eef81a99b4cc0b10b5dbc9879b3b46177cb84b4818bc5b9",
    f"{HAVEN}/tests/testthat/stata/tagged-na-int.dta": (
        "fe0386fb2bf62979f74d002224c5e902ada0cdc800fa6a66e0f78d6579ae0d89"
    ),
    f"{PYREADSTAT}/test_data/basic/sample.por": "24fd9a2b0af74b434b451bc6e85a15615dbdd56cf88b64cd490e91a5e25ae99c",
    f"{PYREADSTAT}/test_data/basic/sample.zsav": "8bd82278d40876b60890fa31facd4c65a2a8d75ec98c7359fc628ed979e21d4b",
    f"{PYREADSTAT}/test_data/basic/sample_missing.sav": (
        "0d37be11c128ed614fa715bd1cf4cd1c3b1883854fa693ae91aa5cd28ef278c4"
    ),
    f"{PANDAS}/data/stata/stata10_117.dta": "8fa25032d891e5db99e0a76a6739498cfee66b6874ad5139202041048d8c8630",
    f"{PANDAS}/data/stata/stata11_115.dta": "dd07bdf44ac520a556cf32743d386d367f9909892e60ab1e58ad85490de5ba26",
    f"{PANDAS}/data/stata/stata4_117.dta": "7866673f6251897522817c9d6e51c886a5c6c0f685fa7c1a8d800de43324cc5b",
    f"{PANDAS}/data/stata/stata1_encoding_118.dta": "d6917c236651b1f5c0c529cd48001370524a0b88fc2778dc9ab8a420f8b06a0f",
    f"{PANDAS}/sas/data/DEMO_G.xpt": "eaf0525d1952626885af3e935415a1f66ad62c18698080e7354789c125af252d",
    f"{PANDAS}/sas/data/paxraw_d_short.xpt": "35d00962342ee5ca6040d0cb3d5f0b2928983fa4f53011e15fac554f3110437e",
    f"{PANDAS}/data/excel/test_types.ods": "2f90eb0409c74fb0d6a9f1744a03c172a329bcb89719dd85d2ff87c5c17c8503",
}


def published(name):
    """Return the path of a published file, after its checksum was compared."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"{name} is not here; see tests/data/published/README.md")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == CHECKSUMS[name], f"{name} is another version"
    return path


def opened(path, **options):
    return open_file(path, ReadSpec(**options))


def cohen(first, second):
    """Return Cohen's kappa of two columns of pandas, by its definition, over the rows where both are given."""
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if not (pd.isna(a) or pd.isna(b))]
    n, labels = len(pairs), {label for pair in pairs for label in pair}
    observed = Fraction(sum(a == b for a, b in pairs), n)
    expected = sum(
        Fraction(sum(a == label for a, _ in pairs), n) * Fraction(sum(b == label for _, b in pairs), n)
        for label in labels
    )
    return (observed - expected) / (1 - expected)


def test_a_survey_in_a_transport_file_gives_the_kappa_of_pandas():
    """The columns are two codings of ethnicity in NHANES 2011-2012, whose last categories differ."""
    path = published(f"{PANDAS}/sas/data/DEMO_G.xpt")
    frame = pd.read_sas(path)
    table = km.read_ratings(path, raters=["RIDRETH1", "RIDRETH3"])
    assert table.n_subjects == len(frame) == 9756
    assert km.kappa(table).exact == cohen(frame["RIDRETH1"], frame["RIDRETH3"])
    education = km.read_ratings(path, raters=["DMDEDUC2", "DMDHREDU"], complete_only=True)  # own, and of the household
    assert km.kappa(education).exact == cohen(frame["DMDEDUC2"], frame["DMDHREDU"])


def test_a_measurement_in_a_transport_file_is_read_whole():
    """Labels of variables are available, and values are those of pandas."""
    path = published(f"{PANDAS}/sas/data/paxraw_d_short.xpt")
    frame = pd.read_sas(path)
    table = km.read_ratings(path, raters=["PAXSTAT", "PAXCAL", "PAXDAY"])
    assert table.n_subjects == len(frame)
    assert table.labels() == [[1, 1, 1]]


def test_questions_in_a_file_of_sas_give_the_kappa_of_pandas():
    """The answers have no labels, and one of them is missing."""
    path = published(f"{HAVEN}/tests/testthat/sas/hadley.sas7bdat")
    frame = pd.read_sas(path, encoding="utf-8")
    table = km.read_ratings(path, raters=["q1", "q2"])
    assert km.kappa(table).exact == cohen(frame["q1"], frame["q2"])
    assert km.read_ratings(path, raters=["q1", "q3"]).n_missing == int(frame["q3"].isna().sum()) == 1


def test_a_catalog_of_sas_has_the_labels():
    """The catalog formats.sas7bcat lies beside the file in haven."""
    path = published(f"{HAVEN}/tests/testthat/sas/hadley.sas7bdat")
    catalog = published(f"{HAVEN}/tests/testthat/sas/formats.sas7bcat")
    frame, _ = pyreadstat.read_sas7bdat(str(path), catalog_file=str(catalog))
    with opened(path) as source:
        assert source.notes == ("Value labels were taken from formats.sas7bcat in the same folder.",)
        for name in ("workshop", "gender"):
            found = [row[0] or "" for row in source.rows(f"SELECT {source.values[name]} FROM file")]
            assert found == [label if isinstance(label, str) else "" for label in frame[name]]
        assert source.declared["workshop"] == ("R", "SAS")


def test_value_labels_of_stata_give_the_kappa_of_pandas():
    """Pandas makes ordered categoricals of them, with the same order of categories."""
    path = published(f"{PANDAS}/data/stata/stata10_117.dta")
    frame = pd.read_stata(path)
    table = km.read_ratings(path, raters=["ordered", "floating", "float_missing"])
    assert table.categories == tuple(frame["ordered"].cat.categories) == ("a", "b", "c", "d", "e")
    assert table.ordered
    assert table.n_missing == int(frame["float_missing"].isna().sum()) == 2
    assert "1 rating is missing by the file's own missing codes: .a (1)." in table.reading.notes
    pair = km.read_ratings(path, raters=["ordered", "noorder"])
    assert km.kappa(pair).exact == cohen(frame["ordered"].astype(str), frame["noorder"].astype(str))


def test_a_scale_with_two_codings_is_refused_and_read_with_an_order():
    """Self-rated health is coded from poor to excellent in one column and from excellent to poor in the other."""
    path = published(f"{PANDAS}/data/stata/stata11_115.dta")
    with pytest.raises(km.errors.InvalidRatingsError, match="declare different ordered categories: 'Poor', 'Fair'"):
        km.read_ratings(path)
    frame = pd.read_stata(path)
    order = ["Poor", "Fair", "Good", "Very good", "Excellent"]
    table = km.read_ratings(path, categories=order)
    assert km.kappa(table).exact == cohen(frame["srh"].astype(str), frame["srh_rev"].astype(str)) == 1


def test_incomplete_value_labels_are_not_used():
    """Values 4 to 9 have no label in one column, so all columns that are coded alike keep their codes."""
    path = published(f"{PANDAS}/data/stata/stata4_117.dta")
    frame = pd.read_stata(path, convert_categoricals=False)
    names = ["fully_labeled", "incompletely_labeled"]
    table = km.read_ratings(path, raters=names)
    assert table.categories == tuple(sorted(frame[names[0]]))
    assert any("4, 5, 6, 7, 8, ... have no label" in note for note in table.reading.notes)
    assert km.kappa(table).exact == cohen(frame[names[0]], frame[names[1]]) == 1


def test_tagged_missing_values_of_stata_are_named():
    """The labels of the missing values are those that pyreadstat reads."""
    path = published(f"{HAVEN}/tests/testthat/stata/tagged-na-int.dta")
    _, meta = pyreadstat.read_dta(str(path), user_missing=True)
    (labels,) = meta.variable_value_labels.values()
    with opened(path) as source:
        (note,) = source.notes_on(source.columns)
    shown = f".a {labels['a']!r} (1), .h (1), .z {labels['z']!r} (1)"
    assert note == f"3 ratings are missing by the file's own missing codes: {shown}."


def test_a_wrong_encoding_is_refused_and_the_advice_reads_the_file():
    """The file declares UTF-8 and is written in Windows-1252."""
    path = published(f"{PANDAS}/data/stata/stata1_encoding_118.dta")
    with pytest.raises(km.errors.UnreadableFileError, match="not text in the encoding that it declares") as raised:
        km.read_ratings(path)
    frame, _ = pyreadstat.read_dta(str(path), encoding="windows-1252")
    with opened(path, **raised.value.advice[0].options) as source:
        (column,) = source.columns
        found = [row[0] for row in source.rows(f"SELECT {source.values[column]} FROM file")]
    assert found == [text.strip() or None for text in frame[column]]


@pytest.mark.parametrize("name", ["sample.zsav", "sample.por"])
def test_files_of_spss_have_ordered_labels(name):
    """A compressed file and a portable file have the same ratings; the portable file has names in upper case."""
    path = published(f"{PYREADSTAT}/test_data/basic/{name}")
    columns = ["mylabl", "myord"] if name == "sample.zsav" else ["MYLABL", "MYORD"]
    with opened(path) as source:
        assert [source.declared[column] for column in columns] == [("Male", "Female"), ("low", "medium", "high")]
        assert source.rows(f"SELECT {source.values[columns[1]]} FROM file") == [
            ("low",), ("medium",), ("high",), ("low",), ("low",),
        ]  # fmt: skip


def test_missing_codes_of_spss_are_counted():
    """Single codes and a range are declared, and pyreadstat makes all of them missing."""
    path = published(f"{PYREADSTAT}/test_data/basic/sample_missing.sav")
    frame, _ = pyreadstat.read_sav(str(path))
    with opened(path) as source:
        cells = source.rows(f"SELECT {source.values['mynum']}, {source.values['myord']} FROM file")
        assert [sum(value is None for value in column) for column in zip(*cells, strict=True)] == [
            int(frame["mynum"].isna().sum()), int(frame["myord"].isna().sum()),
        ]  # fmt: skip
        assert (
            "4 ratings are missing by the file's own missing codes: -1 (1), -1 'missing' (1), -3 (1), 2500 (1)."
            in source.notes_on(["mynum", "myord"])
        )


def test_a_nominal_variable_of_spss_has_no_order():
    """The species of iris are declared as nominal."""
    path = published(f"{HAVEN}/inst/examples/iris.sav")
    frame, meta = pyreadstat.read_sav(str(path))
    assert meta.variable_measure["Species"] == "nominal"
    with opened(path) as source:
        found = [row[0] for row in source.rows(f"SELECT {source.values['Species']} FROM file")]
        assert found == [meta.variable_value_labels["Species"][code] for code in frame["Species"]]
        assert "have no order" in source.notes_on(["Species"])[0]


def test_a_sheet_of_opendocument_has_the_cells_that_it_shows():
    """Numbers, truth values and text are read."""
    path = published(f"{PANDAS}/data/excel/test_types.ods")
    with opened(path) as source:
        assert source.columns[:4] == ["IntCol", "FloatCol", "BoolCol", "StrCol"]
        assert source.rows("SELECT count(*) FROM file") == [(5,)]
        found = [row[0] for row in source.rows(f"SELECT {source.values['IntCol']} FROM file")]
        assert found == ["1", "2", "-3", "4", "0"]  # the values that the tests of pandas expect
