"""Files of every format are opened for queries; their tables are compared in `test_routes`."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kappamax as km


@pytest.fixture
def write(tmp_path):
    def write(content):
        path = tmp_path / "file"
        path.write_text(content, encoding="utf-8")
        return path

    return write


def test_json_keys_are_case_sensitive_and_keep_their_order(write):
    """Keys are case-sensitive, a late key is a rater too, and an array of objects is read like lines."""
    lines = [{"b": 1, "B": 2, "a/~": 1}, {"B": 2, "b": 2, "late": 1}]
    for content in ("".join(json.dumps(line) + "\n" for line in lines), json.dumps(lines)):
        t = km.read_ratings(write(content))
        assert t.raters == ("b", "B", "a/~", "late")
        assert t.labels() == [[1, 2, 1, None], [2, 2, None, 1]]
    truth = write('{"a": true, "b": "True"}\n{"a": false, "b": null}\n')
    assert km.read_ratings(truth).labels() == [["False", None], ["True", "True"]]


def test_typed_files_with_too_many_columns_are_refused(tmp_path):
    """The limit is that of text files."""
    path = tmp_path / "ratings.parquet"
    pq.write_table(pa.table({f"k{i}": [1, 2] for i in range(2001)}), path)
    with pytest.raises(km.errors.UnreadableFileError, match="at most 2,000 columns; .*parquet has 2,001"):
        km.read_ratings(path)
