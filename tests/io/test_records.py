"""Lists of dicts, dicts of lists and datasets of Hugging Face are ratings."""

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import kappamax as km
from tests.support import exports

ROWS = [{"anna": "x", "ben": "x"}, {"anna": "y", "ben": ["x"]}, {"ben": "y"}]
LABELS = [[None, "y"], ["x", "x"], ["y", "x"]]


def test_rows_and_columns_give_the_same_table():
    """A key that a dict lacks is a missing rating, and a list of one label is that label."""
    columns = {"anna": ["x", "y", None], "ben": np.array(["x", "x", "y"])}
    for data in (ROWS, tuple(ROWS), columns):
        assert km.from_ratings(data).labels() == LABELS
        assert km.kappa(data).value == km.kappa(["x", "y", None], ["x", "x", "y"]).value


def test_layouts_of_rows():
    """Long and patterns are read like frames."""
    long = [
        {"item": item, "who": who, "grade": grade}
        for item, grades in enumerate([(1, 1), (2, 3), (3, 3)])
        for who, grade in zip(("anna", "ben"), grades, strict=True)
    ]
    table = km.from_ratings(long, subject="item", rater="who", rating="grade")
    assert table.labels() == [[1, 1], [2, 3], [3, 3]]
    patterns = {"anna": [1, 2], "ben": [1, 3], "count": [5, 2]}
    assert km.from_ratings(patterns, layout="patterns").counts.tolist() == [5, 2]


def test_truth_values_are_labels():
    """True and 1 are different labels."""
    with pytest.warns(km.errors.KappamaxWarning, match="may mean the same"):
        assert km.from_ratings([{"a": True, "b": 1}, {"a": 1, "b": 1}]).labels() == [[1, 1], ["True", 1]]


def test_the_tasks_of_an_annotation_tool_are_ratings():
    """The table says how it was read."""
    found = exports.ratings()
    table = km.from_ratings(exports.label_studio(found, users=True))
    assert dict(zip(map(tuple, table.labels()), table.counts.tolist(), strict=True)) == exports.patterns(found)
    assert table.reading.layout == "long"
    assert table.reading.notes[0].startswith("The list is a Label Studio export: 12 tasks, 3 annotators; ")
    two = exports.label_studio(
        found, more=lambda task, one: [{"from_name": "b", "type": "rating", "value": {"rating": 1}}]
    )
    with pytest.raises(km.errors.InvalidRatingsError, match="2 controls: 'sentiment', 'b'"):
        km.from_ratings(two)
    assert km.from_ratings(two, rating="b").categories == (1,)


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ({"a": ["x"], "b": ["x", "y"]}, {}, "same length; 'a' has 1, 'b' has 2"),
        ({"a": "xy", "b": "xy"}, {}, "one list per column; the value of 'a' has type str"),
        ({"train": {"a": 1}}, {}, "the value of 'train' has type dict"),
        ([{"a": ["x", "y"], "b": "x"}], {}, "an entry of column 'a' is a list of 2 labels"),
        ([{"a": {"x": 1}, "b": "x"}], {}, "an entry of column 'a' is an object with the keys 'x'"),
        ([{"a": 1, "b": 1}], {"layout": "counts"}, "layout 'counts' is for files only"),
        ([{"a": 1, "b": 1, "count": "x"}], {"layout": "patterns"}, "column 'count' is 'x'"),
        ({}, {}, "at least two raters; got 0"),
        (
            [{"subject": 1, "rater": rater, "rating": 1} for rater in "aab"],
            {"layout": "long"},
            "only once",
        ),
    ],
)
def test_wrong_records_are_errors(data, options, message):
    """The errors are those of frames and files."""
    with pytest.raises(km.errors.InputError, match=message):
        km.from_ratings(data, **options)


@pytest.fixture
def dataset(monkeypatch):
    """A stand-in for `datasets.Dataset` with the parts of its interface that are used."""
    module = ModuleType("datasets")

    class Dataset:
        def __init__(self, table, features):
            self.table, self.features, self.num_rows = table, features, table.num_rows

        def with_format(self, kind):
            assert kind == "arrow"
            return self

        def __getitem__(self, key):
            assert key == slice(None)
            return self.table

    class DatasetDict:
        pass

    Dataset.__module__ = DatasetDict.__module__ = "datasets.arrow_dataset"
    module.Dataset, module.DatasetDict = Dataset, DatasetDict
    monkeypatch.setitem(sys.modules, "datasets", module)
    return module


def test_a_dataset_of_hugging_face_is_a_frame(dataset):
    """Class labels have their names, and the code -1 is a missing label."""
    table = pa.table({"anna": [0, 1, -1, None], "ben": [0, 0, 1, 1], "text": ["p", "q", "r", "s"]})
    names = SimpleNamespace(names=["bad", "good"])
    data = dataset.Dataset(table, {"anna": names, "ben": names, "text": SimpleNamespace()})
    found = km.from_ratings(data, raters=["anna", "ben"])
    assert found.labels() == [[None, "good"], ["bad", "bad"], ["good", "bad"]]
    assert found.counts.tolist() == [2, 1, 1]
    with pytest.raises(km.errors.InvalidRatingsError, match=r"one dataset.*got DatasetDict. Choose a split"):
        km.from_ratings(dataset.DatasetDict())


def test_a_dataset_of_the_installed_library_is_a_frame():
    """The same ratings through the library itself, where it is installed."""
    datasets = pytest.importorskip("datasets")
    names = datasets.ClassLabel(names=["bad", "good"])
    features = datasets.Features({"anna": names, "ben": names})
    data = datasets.Dataset.from_dict({"anna": [0, 1, -1], "ben": [0, 0, 1]}, features=features)
    assert km.from_ratings(data).labels() == [[None, "good"], ["bad", "bad"], ["good", "bad"]]
