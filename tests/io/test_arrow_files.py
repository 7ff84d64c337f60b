"""Arrow files, Feather files and Arrow streams are read."""

import sys

import pyarrow as pa
import pytest
from pyarrow import feather, ipc

import kappamax as km
from kappamax.io.file_formats import open_bytes
from kappamax.io.read_spec import ReadSpec
from tests.support.routes import CATEGORIES, EXPECTED, FRAMES


def write(path, table, kind, batch=2):
    """Write a table in batches, as an Arrow file, a stream or a Feather file."""
    if kind == "feather":
        feather.write_feather(table, str(path), chunksize=batch)
        return path
    opener = ipc.new_file if kind == "file" else ipc.new_stream
    with opener(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=batch)
    return path


KINDS = ["file", "stream", "feather"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_ordered_dictionary_keeps_its_order(tmp_path, kind):
    """Unused categories are kept, and an unordered dictionary is text."""
    ordered, _ = FRAMES["pyarrow ordered dictionary"]("wide")
    table = km.read_ratings(write(tmp_path / "a", ordered, kind))
    assert table == EXPECTED
    assert table.categories == tuple(CATEGORIES)
    unordered, _ = FRAMES["pyarrow dictionary"]("wide")
    assert km.read_ratings(write(tmp_path / "a", unordered, kind)).categories == (1, 2, 10)


@pytest.mark.parametrize("kind", KINDS)
def test_values_keep_their_types(tmp_path, kind):
    """Truth values are labels, and names of columns may be any text; bytes are read like a file."""
    data = pa.table({"a b": [True, False, None], 'c"d': ["True", "x", "True"]})
    path = write(tmp_path / "a", data, kind)
    expected = km.from_ratings([["True", "True"], ["False", "x"], [None, "True"]], raters=["a b", 'c"d'])
    assert km.read_ratings(path) == expected
    with open_bytes(path.read_bytes(), "the file", ReadSpec()) as source:
        assert source.columns == ["a b", 'c"d']


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_errors(tmp_path, kind):
    """A file that was cut cannot be read."""
    path = write(tmp_path / "a", pa.table({"a": [1, 2, 1] * 500, "b": [1, 1, 2] * 500}), kind, batch=100)
    content = path.read_bytes()
    for length in (len(content) // 2, 20):
        path.write_bytes(content[:length])
        with pytest.raises(km.errors.UnreadableFileError, match="cannot be read as an Arrow file"):
            km.read_ratings(path)


def test_arrow_files_need_the_extra_arrow(tmp_path, monkeypatch):
    """The error gives the command that installs the extra."""
    path = write(tmp_path / "a", pa.table({"a": [1, 2], "b": [1, 1]}), "file")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(km.errors.UnreadableFileError, match=r'pip install "kappamax\[arrow\]"'):
        km.read_ratings(path)


@pytest.mark.parametrize("kind", ["stream", "file"])
def test_offsets_beyond_the_file_are_refused(tmp_path, kind):
    """Pyarrow does not check them when it reads; DuckDB would read memory that is not its own and end the process."""
    path = write(tmp_path / "ratings.arrow", pa.table({"anna": ["a", "b", "c"], "ben": ["a", "b", "c"]}), kind, batch=3)
    content = path.read_bytes()
    offsets, beyond = (b"".join(number.to_bytes(4, "little") for number in (0, 1, 2, last)) for last in (3, 10**9))
    assert offsets in content
    path.write_bytes(content.replace(offsets, beyond))
    with pytest.raises(km.errors.UnreadableFileError, match="cannot be read as an Arrow file"):
        km.read_ratings(path)
