"""A checkpoint never changes the numbers of a study: what is not as it was written is ignored or refused."""

import errno
import json
import os
import re
import subprocess
import sys
from io import FileIO

import pytest

import kappamax as km
from kappamax.paper.study import checkpoint as storing
from kappamax.paper.study import run as running
from kappamax.paper.study.batch_records import checksum_of
from kappamax.paper.study.file_lock import process_with_lock
from tests.support.command_line import run

ROWS = [km.paper.Scenario(3, n_subjects=10, weights=weights) for weights in ("linear", "sqrt")]


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(running, "BATCH_SIZE", 5)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.jsonl"


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the numbers of the study of this module, and the lines of its checkpoint with batches of 5 tables."""
    path = tmp_path_factory.mktemp("undisturbed") / "study.jsonl"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "BATCH_SIZE", 5)
        return numbers(stored(path)), lines_of(path)


def numbers(study):
    return [(row.to_dict(), row.steps.tolist(), row.below.tolist()) for row in study]


def stored(path, **settings):
    """Run the study of this module with a checkpoint."""
    return km.paper.run_study(ROWS, n_tables=15, checkpoint=path, **settings)


def lines_of(path):
    return path.read_bytes().splitlines(keepends=True)


def changed(line, **values):
    """Return a line whose fields were changed without a new checksum."""
    return json.dumps(json.loads(line) | values).encode() + b"\n"


def signed(line, header, **values):
    """Return a line whose fields were changed, with a new checksum."""
    record = json.loads(line) | values
    return json.dumps(record | {"checksum": checksum_of(record, json.loads(header)["checksum"])}).encode() + b"\n"


NOT_JSON, NO_RECORD = "it is not JSON", "it is not a record with a checksum"
WRONG_CHECKSUM = "its checksum does not match its content and this study"
NO_BATCH = "it does not hold a batch of tables of this study"
DAMAGE = {
    "a changed number": (lambda line, _: changed(line, steps=[1] * 5), WRONG_CHECKSUM),
    "a changed place": (lambda line, _: changed(line, start=0), WRONG_CHECKSUM),
    "a flipped bit": (lambda line, _: line.replace(b'"seconds": 0.', b'"seconds": 1.'), WRONG_CHECKSUM),
    "a cut line": (lambda line, _: line[:40] + b"\n", NOT_JSON),
    "empty blocks": (lambda line, _: b"\0" * (len(line) - 1) + b"\n", NOT_JSON),
    "an empty line": (lambda line, _: b"\n", NOT_JSON),
    "deep brackets": (lambda line, _: b"[" * 100_000 + b"\n", NOT_JSON),
    "bytes": (lambda line, _: b"\xff\xfe{\n", NOT_JSON),
    "a list": (lambda line, _: b"[1, 2]\n", NO_RECORD),
    "a record without a checksum": (lambda line, _: b'{"scenario": 0, "start": 0}\n', NO_RECORD),
    "another shape": (lambda line, header: signed(line, header, steps=[1] * 4), NO_BATCH),
    "another batch": (lambda line, header: signed(line, header, start=3), NO_BATCH),
    "a scenario that is not there": (lambda line, header: signed(line, header, scenario=2), NO_BATCH),
    "steps of another type": (lambda line, header: signed(line, header, steps="12345"), NO_BATCH),
    "a negative step": (lambda line, header: signed(line, header, steps=[1, 2, 3, 4, -5]), NO_BATCH),
    "steps that are fractions": (lambda line, header: signed(line, header, steps=[1, 2, 3, 4, 5.5]), NO_BATCH),
    "a truth that is neither": (lambda line, header: signed(line, header, below=[0, 0, 0, 0, 2]), NO_BATCH),
    "more repairs than tables": (lambda line, header: signed(line, header, repaired=6), NO_BATCH),
    "no time": (lambda line, header: signed(line, header, seconds=float("nan")), NO_BATCH),
    "a time of another type": (lambda line, header: signed(line, header, seconds=None), NO_BATCH),
    "another field": (lambda line, header: signed(line, header, more=1), NO_BATCH),
    "a list as the place": (lambda line, header: signed(line, header, start=[]), NO_BATCH),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_record_is_reported_and_computed_again(small_batches, undisturbed, path, damage):
    """The warning names the file, the line and the reason, and the numbers are those of an undisturbed study."""
    whole, written = undisturbed
    damaged, why = DAMAGE[damage]
    lines = [*written[:3], damaged(written[3], written[0]), *written[4:]]
    path.write_bytes(b"".join(lines))
    told = f"the checkpoint {path}: line 4 was ignored because {why}. Batches that are missing are simulated again."
    with pytest.warns(km.errors.KappamaxWarning, match=f"^{re.escape(told)}$"):
        again = stored(path)
    assert numbers(again) == whole
    assert lines_of(path)[:7] == lines
    assert len(lines_of(path)) == 1 + 6 + 1


def test_records_of_another_study_are_ignored(small_batches, path, tmp_path):
    """If a checkpoint of another seed is appended, its header and its six records are not taken."""
    other = tmp_path / "other.jsonl"
    whole = stored(path)
    stored(other, rng=2)
    path.write_bytes(path.read_bytes() + other.read_bytes())
    with pytest.warns(km.errors.KappamaxWarning) as told:
        assert numbers(stored(path)) == numbers(whole)
    (told,) = (str(one.message) for one in told)
    assert f": lines 8, 9, 10, 11, 12 and 2 more were ignored because {WRONG_CHECKSUM}." in told


def test_batches_of_another_size_are_ignored(path, monkeypatch):
    """Batches of 5 tables are not mixed with batches of 15 tables."""
    whole = stored(path)
    monkeypatch.setattr(running, "BATCH_SIZE", 5)
    with pytest.warns(km.errors.KappamaxWarning, match=f"lines 2, 3 were ignored because {NO_BATCH}"):
        assert numbers(stored(path)) == numbers(whole)


def test_line_ends_of_windows_are_accepted(path):
    """A file that an editor saved with other line ends has the same records."""
    whole = stored(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert numbers(stored(path)) == numbers(whole)
    assert len(lines_of(path)) == 3


def without_checksums(header):
    """Return the header of the first format."""
    return {name: value for name, value in header.items() if name not in ("format", "checksum")}


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (lambda header: without_checksums(header), "was written by an earlier version of kappamax without checksums"),
        (lambda header: header | {"format": 3}, "has format 3, but this version of kappamax reads format 2"),
        (lambda header: header | {"seed": 2}, "line 1 of .* is damaged: its checksum does not match its content"),
        (lambda header: header | {"scenarios": []}, "line 1 of .* is damaged: its checksum does not match"),
        (lambda header: header | {"checksum": None}, "line 1 of .* is damaged: its checksum does not match"),
        (lambda header: [header], "is not a checkpoint of a study"),
    ],
)
def test_a_damaged_or_older_header_is_refused(path, first, message):
    """The file is left as it is."""
    stored(path)
    header, *records = lines_of(path)
    content = json.dumps(first(json.loads(header))).encode() + b"\n" + b"".join(records)
    path.write_bytes(content)
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        stored(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("cut", [slice(0, 50), slice(0, 500)])
def test_a_first_line_that_runs_into_the_second_is_refused(path, cut):
    """A header without its end is not taken for one that was cut short."""
    stored(path)
    header, record, _ = lines_of(path)
    for content, message in (
        (header[cut] + record, "line 1 of .* is damaged: it is not JSON"),
        (header.rstrip() + record.rstrip(), "is not a checkpoint of a study"),
    ):
        path.write_bytes(content)
        with pytest.raises(km.errors.InvalidOptionError, match=message):
            stored(path)
        assert path.read_bytes() == content


def test_the_place_of_the_checkpoint_is_checked(tmp_path):
    """A folder, a missing folder and a pipe are refused by name."""
    with pytest.raises(km.errors.InvalidOptionError, match="checkpoint must be a file; .* is a folder or a device"):
        stored(tmp_path)
    with pytest.raises(
        km.errors.UnwritableFileError, match="cannot open the checkpoint .*c: No such file or directory"
    ):
        stored(tmp_path / "a" / "c")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(km.errors.InvalidOptionError, match="pipe is a folder or a device"):
            stored(tmp_path / "pipe")


def test_two_studies_of_one_process_cannot_share_a_checkpoint(path):
    """The second one is refused, and the first one is not disturbed."""
    refused = []

    def again(_done, _total, _message):
        with pytest.raises(
            km.errors.InvalidOptionError, match=f"checkpoint {path} is in use by another study"
        ) as found:
            stored(path)
        refused.append(found.value)

    assert numbers(stored(path, progress=again)) == numbers(km.paper.run_study(ROWS, n_tables=15))
    assert len(refused) == 3
    assert refused[0].code == "checkpoint-in-use"
    assert len(lines_of(path)) == 3
    stored(path)


HOLDER = """
import sys
import kappamax as km
rows = [km.paper.Scenario(3, n_subjects=10, weights=weights) for weights in ("linear", "sqrt")]
def wait(done, total, message):
    print("locked", flush=True)
    sys.stdin.readline()
km.paper.run_study(rows, n_tables=15, checkpoint=sys.argv[1], progress=wait)
"""


@pytest.mark.slow
def test_a_second_process_is_refused_until_the_first_is_gone(path):
    """The command exits with 1 and names the file and the process; the lock of a killed process does not remain."""
    (path.parent / "rows.toml").write_text(
        '[[scenario]]\nn_categories = 3\nn_subjects = 10\nweights = "linear"\n'
        '[[scenario]]\nn_categories = 3\nn_subjects = 10\nweights = "sqrt"\n',
        encoding="utf-8",
    )
    command = ["study", "--scenarios", str(path.parent / "rows.toml"), "--tables", "15", "--checkpoint", str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], **pipes) as first:
        assert first.stdout.readline() == "locked\n"
        refused = run(*command, "--jobs", "1")
        first.kill()
    assert (refused.returncode, refused.stdout) == (1, "")
    named = "" if process_is_unknown(path) else f" (process {first.pid})"
    assert refused.stderr == (
        f"kappamax: the checkpoint {path} is in use by another study{named}. Wait until that study ends, or choose "
        "another file.\n"
    )
    assert run(*command, "--jobs", "1").returncode == 0


def process_is_unknown(path):
    """Return whether the system does not tell which process has locked a file."""
    with FileIO(path, "r+") as file:
        storing.lock(file)
        return process_with_lock(file) != os.getpid()


def test_the_process_with_a_lock_is_read_from_the_list_of_locks(path, monkeypatch, tmp_path):
    """Locks of other files, waiting processes and processes of other containers are not named."""
    path.write_bytes(b"")
    found = path.stat()
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    listed = tmp_path / "locks"
    monkeypatch.setattr("kappamax.paper.study.file_lock._PROC_LOCKS", listed)
    with FileIO(path, "r+") as file:
        assert process_with_lock(file) is None
        for line, process in (
            (f"1: FLOCK  ADVISORY  WRITE 41 {place} 0 EOF", 41),
            (f"1: POSIX  ADVISORY  WRITE 41 {place} 0 EOF", None),
            (f"1: FLOCK  ADVISORY  WRITE 41 {place}1 0 EOF", None),
            (f"1: -> FLOCK  ADVISORY  WRITE 41 {place} 0 EOF", None),
            (f"1: FLOCK  ADVISORY  WRITE 0 {place} 0 EOF", None),
        ):
            listed.write_text(f"{line}\n", encoding="ascii")
            assert process_with_lock(file) == process


def test_a_file_system_without_locks_is_reported(path, monkeypatch):
    """The study runs, and a warning says what the user has to take care of."""

    def no_locks(_file):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(storing, "lock", no_locks)
    with pytest.warns(km.errors.KappamaxWarning, match="cannot be locked .No locks available.; do not run another"):
        assert len(stored(path)) == 2


class FullDisk(FileIO):
    """A file on a disk with room for some more bytes, as the operating system shows it."""

    room = 0
    shortens = True

    def truncate(self, size):
        if self.room == 0 and not self.shortens:
            raise OSError(errno.EIO, "Input/output error")
        return super().truncate(size)

    def write(self, content):
        if self.room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = super().write(content[: self.room])
        FullDisk.room -= written
        return written


@pytest.mark.parametrize("room", [0, 10, 100, 1300])
def test_a_full_disk_is_named_and_leaves_whole_records(small_batches, undisturbed, path, monkeypatch, room):
    """Only the records that fit remain, and the study continues when there is room."""
    monkeypatch.setattr(storing, "FileIO", FullDisk)
    monkeypatch.setattr(FullDisk, "room", room)
    said = f"cannot write the checkpoint {path}: No space left on device. It keeps the batches"
    with pytest.raises(km.errors.UnwritableFileError, match=re.escape(said)):
        stored(path)
    kept = lines_of(path)
    assert all(line.endswith(b"\n") for line in kept)
    assert len(b"".join(kept)) <= room
    assert bool(kept) == (room == 1300)
    monkeypatch.undo()
    monkeypatch.setattr(running, "BATCH_SIZE", 5)
    assert numbers(stored(path)) == undisturbed[0]
    assert lines_of(path)[: len(kept)] == kept


def test_a_disk_that_cannot_even_shorten_the_file_leaves_a_checkpoint(small_batches, path, monkeypatch):
    """The incomplete line is dropped by the next study."""
    monkeypatch.setattr(storing, "FileIO", FullDisk)
    monkeypatch.setattr(FullDisk, "room", 1300)
    monkeypatch.setattr(FullDisk, "shortens", False)
    with pytest.raises(km.errors.UnwritableFileError, match="No space left on device"):
        stored(path)
    assert path.stat().st_size == 1300
    assert not path.read_bytes().endswith(b"\n")
    monkeypatch.undo()
    monkeypatch.setattr(running, "BATCH_SIZE", 5)
    assert numbers(stored(path)) == numbers(km.paper.run_study(ROWS, n_tables=15))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit of the size of files")
def test_the_command_names_a_limit_of_the_size_of_files(path):
    """A real write that the system refuses ends with one line, and the next run gives the whole study."""
    command = ["study", "--raters", "2", "--categories", "3", "--subjects", "20", "--weights", "linear"]
    command += ["--tables", "60", "--jobs", "1", "--checkpoint", str(path)]
    code = "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))\n"
    code += "from kappamax.cli import main\nmain(sys.argv[1:])"
    given = {"capture_output": True, "text": True, "check": False}
    limited = subprocess.run([sys.executable, "-c", code, *command], **given)
    assert (limited.returncode, limited.stdout) == (1, "")
    assert f"kappamax: cannot write the checkpoint {path}: File too large. It keeps" in limited.stderr
    kept = lines_of(path)
    assert 2 <= len(kept) < 5
    assert all(line.endswith(b"}\n") for line in kept)
    done = run(*command, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["results"] == json.loads(run(*command[:-2], "--json").stdout)["results"]
