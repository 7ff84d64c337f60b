"""Files of every format are opened for queries; their tables are compared in `test_routes`."""

import json

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
