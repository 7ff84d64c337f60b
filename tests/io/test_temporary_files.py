"""Content is held in files that exist only while it is read."""

import pytest

from kappamax.io.temporary_files import bytes_as_file, new_file


def test_bytes_can_be_read_as_a_file_more_than_once():
    """The path does not exist afterwards."""
    with bytes_as_file(b"abc") as path:
        assert path.read_bytes() == path.read_bytes() == b"abc"
        assert path.is_file()
    assert not path.exists()


@pytest.mark.parametrize("in_memory", [True, False])
def test_a_file_can_be_read_while_it_is_open(tmp_path, monkeypatch, in_memory):
    """Without a folder, and where files cannot be in memory, it is in a temporary folder."""
    monkeypatch.delattr("os.memfd_create", raising=False)
    with new_file(None if in_memory else tmp_path) as (file, path):
        file.write(b"abc")
        file.flush()
        assert path.read_bytes() == b"abc"
        assert path.is_relative_to(tmp_path) is not in_memory
    assert not path.exists()
    assert not list(tmp_path.iterdir())
