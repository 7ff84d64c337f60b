"""Output files are checked before they are computed, and are written completely or not at all."""

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import kappamax as km
from kappamax import _atomic_write
from kappamax._atomic_write import require_output, write_by_ending, write_whole
from kappamax.errors import InvalidOptionError, UnwritableFileError
from tests.support.command_line import run

ROWS = "a,b\n1,1\n1,2\n2,2\n2,1\n3,3\n"
NAMELESS = pytest.mark.parametrize("nameless", [True, False], ids=["without a name", "hidden"])


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


@pytest.fixture
def no_reading(monkeypatch):
    """Fail if ratings are read or a study is run."""

    def read(*_, **__):
        raise AssertionError("the output was not checked before the computation")

    monkeypatch.setattr("kappamax.io.read_ratings", read)
    monkeypatch.setattr("kappamax.paper.check.check_paper", read)
    monkeypatch.setattr("kappamax.paper.study.run.run_study", read)


def named_only(monkeypatch, nameless):
    if not nameless:
        monkeypatch.setattr(_atomic_write, "_nameless", lambda _: None)


OUTPUTS = {
    "report": ["report", "{input}", "-o"],
    "batch": ["report", "{input}", "--batch", "-o"],
    "certificate": ["max", "{input}", "--certificate"],
    "paper": ["paper", "-o"],
    "study": ["study", "-o"],
    "checkpoint": ["study", "--checkpoint"],
}


@pytest.mark.parametrize("command", OUTPUTS)
@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("no/folder.csv", "there is no folder '.*no' to write 'folder.csv' into"),
        ("folder.csv", "the path must name a file; .*folder.csv' is a folder"),
        ("loop.csv", "loop.csv' (is a link to itself|cannot be written: .*[Ss]ymlink loop|.*Too many levels)"),
        ("ratings.csv/x.csv", "there is no folder"),
    ],
)
def test_every_command_checks_its_output_first(ratings, no_reading, command, output, message):
    """Nothing is read or computed if the output cannot be written."""
    (ratings.parent / "folder.csv").mkdir()
    (ratings.parent / "loop.csv").symlink_to(ratings.parent / "loop.csv")
    arguments = [word.format(input=ratings) for word in OUTPUTS[command]]
    done = run(*arguments, str(ratings.parent / output))
    assert done.returncode == 1
    assert done.stdout == ""
    with pytest.raises(AssertionError, match=message):
        raise AssertionError(done.stderr)


@pytest.mark.parametrize("command", ["report", "batch", "study"])
def test_every_command_checks_the_ending_first(ratings, no_reading, command):
    """A table of groups has no page."""
    arguments = [word.format(input=ratings) for word in OUTPUTS[command]]
    done = run(*arguments, str(ratings.parent / ("report.html" if command == "batch" else "report.doc")))
    assert "the file must end in ." in done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize("command", ["report", "batch", "certificate"])
@pytest.mark.parametrize("link", [False, True])
def test_no_output_replaces_an_input(ratings, no_reading, command, link):
    """An output that is a link to the input would replace it too, and so would the matrix of weights."""
    output = ratings
    if link:
        output = ratings.parent / "link.csv"
        output.symlink_to(ratings)
    matrix = ratings.parent / "weights.csv"
    matrix.write_text("0,1\n1,0\n", encoding="utf-8")
    arguments = [word.format(input=ratings) for word in OUTPUTS[command]]
    for file in (output, matrix):
        done = run(*arguments, str(file), "--weights-matrix", str(matrix), "--kind", "disagreement")
        assert f"the output must not be an input file, which it would replace; got '{file.name}'" in done.stderr
    assert ratings.read_text(encoding="utf-8") == ROWS


def test_a_study_replaces_neither_its_scenarios_nor_its_output(ratings, no_reading):
    """The checkpoint is an output too."""
    same = str(ratings)
    for options in (["--scenarios", same, "-o", same], ["--scenarios", same, "--checkpoint", same]):
        assert "the output must not be an input file" in run("study", *options).stderr
    assert "the output must not be an input file" in run("study", "-o", same, "--checkpoint", same).stderr


def test_the_paper_is_written_and_printed_as_json(ratings, monkeypatch):
    """The option --json does not discard the file."""

    class Found:
        changed = not_reproduced = ()

        def to_dict(self):
            return {"items": []}

        def to_markdown(self):
            return "# Paper\n"

    monkeypatch.setattr("kappamax.paper.check.check_paper", lambda **_: Found())
    page = ratings.parent / "paper.md"
    assert '"items": []' in run("paper", "-o", str(page), "--json").stdout
    assert page.read_text(encoding="utf-8") == "# Paper\n"


def test_save_methods_check_before_they_render(tmp_path):
    """The writer is not called for a file that cannot be written."""

    def render():
        raise AssertionError("the content was computed")

    with pytest.raises(InvalidOptionError, match="there is no folder"):
        write_by_ending(tmp_path / "no" / "report.csv", {".csv": render})
    best = km.max_kappa([1, 2, 3, 3], [1, 2, 3, 2])
    with pytest.raises(InvalidOptionError, match="there is no folder"):
        best.save_certificate(tmp_path / "no" / "proof.json")


def test_a_file_that_may_not_be_written_is_named(ratings, monkeypatch):
    """The administrator may write everything, so the answer of the system is replaced here."""
    denied = {str(ratings)}
    monkeypatch.setattr(os, "access", lambda path, _: str(path) not in denied)
    with pytest.raises(UnwritableFileError, match="ratings.csv' cannot be written: Permission denied"):
        require_output(ratings)
    denied = {str(ratings.parent)}
    for name in ("new.csv", "ratings.csv"):
        with pytest.raises(UnwritableFileError, match=f"{name}' cannot be written: Permission denied"):
            require_output(ratings.parent / name)


@NAMELESS
def test_permissions_of_an_older_file_are_kept(ratings, monkeypatch, nameless):
    """A new file has the usual ones."""
    named_only(monkeypatch, nameless)
    ratings.chmod(0o640)
    write_whole(ratings, "new")
    assert stat.S_IMODE(ratings.stat().st_mode) == 0o640
    assert ratings.read_bytes() == b"new"
    fresh, plain = ratings.parent / "fresh", ratings.parent / "plain"
    write_whole(fresh, b"new")
    plain.touch()
    assert fresh.stat().st_mode == plain.stat().st_mode
    assert {file.name for file in ratings.parent.iterdir()} == {"ratings.csv", "fresh", "plain"}


@NAMELESS
def test_links_are_followed(ratings, tmp_path, monkeypatch, nameless):
    """The link stays a link; a link to a file that does not exist yet creates that file."""
    named_only(monkeypatch, nameless)
    inner = tmp_path / "inner"
    inner.mkdir()
    link, dangling = inner / "link", inner / "dangling"
    link.symlink_to(ratings)
    dangling.symlink_to(Path("..") / "made")
    write_whole(link, "x")
    write_whole(dangling, "y")
    assert link.is_symlink()
    assert dangling.is_symlink()
    assert ratings.read_text(encoding="utf-8") == "x"
    assert (tmp_path / "made").read_text(encoding="utf-8") == "y"


@NAMELESS
def test_an_error_leaves_the_older_file_and_nothing_else(ratings, monkeypatch, nameless):
    """The error names the file and the reason."""
    named_only(monkeypatch, nameless)

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnwritableFileError, match="ratings.csv' cannot be written: No space left on device"):
        write_whole(ratings, "new")
    assert ratings.read_text(encoding="utf-8") == ROWS
    assert list(ratings.parent.iterdir()) == [ratings]


@NAMELESS
def test_file_and_folder_are_flushed_in_order(ratings, monkeypatch, nameless):
    """The content is on the disk before it replaces the older file, and the folder afterwards."""
    named_only(monkeypatch, nameless)
    seen = []
    sync, replace = os.fsync, Path.replace

    def noted_sync(descriptor):
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        seen.append("folder" if is_folder else os.fstat(descriptor).st_size)
        sync(descriptor)

    def noted_replace(path, target):
        seen.append("replace")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    write_whole(ratings, b"12345")
    assert seen == [5, "replace", "folder"]


def test_a_killed_process_leaves_nothing(tmp_path):
    """The process is killed at the latest moment before the file has a name."""
    if _atomic_write._nameless(tmp_path) is None:
        pytest.skip("the file system has no files without a name")
    code = (
        "import os, signal, sys; from pathlib import Path; from kappamax._atomic_write import write_whole; "
        f"os.fsync = lambda _: os.kill(os.getpid(), signal.{signal.SIGKILL.name}); "
        "write_whole(Path(sys.argv[1]), b'x' * 100000)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "report.html")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []


def test_hidden_files_of_killed_processes_are_removed(tmp_path):
    """Those of running processes and of other machines are kept."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    here = socket.gethostname()
    stale = tmp_path / f".{here}.{ended.pid}.0123abcd.kappamax-tmp"
    kept = [tmp_path / f".{here}.{os.getpid()}.x.kappamax-tmp", tmp_path / f".other-{here}.{ended.pid}.x.kappamax-tmp"]
    for file in (stale, *kept):
        file.touch()
    write_whole(tmp_path / "report.txt", "x")
    assert set(tmp_path.iterdir()) == {*kept, tmp_path / "report.txt"}


def test_a_device_is_written_to_and_not_replaced(tmp_path):
    """Before, a file took the place of a pipe or a device such as /dev/stdout."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "proof")
    assert os.read(reader, 10) == b"proof"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
