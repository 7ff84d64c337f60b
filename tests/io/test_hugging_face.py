"""Datasets of the Hugging Face library `datasets` are read like frames.

The library is large and is not among the requirements of the tests. Where it is installed, its own class is used too;
everywhere, a class with the same interface stands for it.
"""

import pyarrow as pa
import pytest

import kappamax as km

CLASSES = ["negative", "positive", "neutral"]
CODES = {"anna": [0, 1, 1, 2, -1], "ben": [0, 1, 0, 2, 1]}
LABELS = [
    ["negative", "negative"],
    ["positive", "positive"],
    ["positive", "negative"],
    ["neutral"] * 2,
    [None, "positive"],
]


class ClassLabel:
    """Stands for datasets.ClassLabel."""

    def __init__(self, names):
        self.names = names


class StandIn:
    """Stands for datasets.Dataset: `with_format("arrow")[:]` is a pyarrow table, and `features` describes columns."""

    __module__ = "datasets.arrow_dataset"

    def __init__(self, table, features):
        self.table, self.features = table, features

    def __len__(self):
        return len(self.table)

    def with_format(self, kind):
        assert kind == "arrow"
        return self

    def __getitem__(self, rows):
        assert rows == slice(None)
        return self.table


class Streamed:
    """Stands for datasets.IterableDataset, which has no length."""

    __module__ = "datasets.iterable_dataset"

    def with_format(self, kind):
        return self


class Splits(dict):
    """Stands for datasets.DatasetDict."""

    __module__ = "datasets.dataset_dict"

    def with_format(self, kind):
        return self


def stand_ins():
    chunks = {name: pa.chunked_array([codes[:2], codes[2:]]) for name, codes in CODES.items()}
    features = {"anna": ClassLabel(CLASSES), "ben": ClassLabel(CLASSES), "text": object()}
    data = StandIn(pa.table(chunks | {"text": list("vwxyz")}), features)
    return data, Splits(train=data), Streamed()


def originals():
    datasets = pytest.importorskip("datasets")
    label = datasets.ClassLabel(names=CLASSES)
    features = datasets.Features({"anna": label, "ben": label, "text": datasets.Value("string")})
    data = datasets.Dataset.from_dict(CODES | {"text": list("vwxyz")}, features=features)
    return data, datasets.DatasetDict(train=data), data.to_iterable_dataset()


@pytest.mark.parametrize("make", [stand_ins, originals])
def test_class_labels_become_names_without_an_order(make):
    """The integer -1 is a missing label."""
    data, _, _ = make()
    table = km.from_ratings(data, raters=["anna", "ben"])
    assert table == km.from_ratings(LABELS, raters=["anna", "ben"])
    assert not table.ordered
    assert table.n_missing == 1


@pytest.mark.parametrize("make", [stand_ins, originals])
def test_a_dataset_must_be_one_split_with_a_length(make):
    """The errors say how to get such a dataset."""
    _, splits, streamed = make()
    with pytest.raises(km.errors.InvalidRatingsError, match=r"has the splits 'train'. Choose one .* data\['train'\]"):
        km.kappa(splits)
    with pytest.raises(km.errors.InvalidRatingsError, match="Load the dataset without streaming=True"):
        km.kappa(streamed)
