"""Disturb studies with a checkpoint, and compare their numbers with those of an undisturbed study.

python -m benchmarks.disturbed_studies            50 kills, about four minutes on two cores
python -m benchmarks.disturbed_studies 100 7      100 kills with the seed 7

A study is killed at a random moment and started again with the same options. Sometimes a second study is started with
the same checkpoint, the disk is full, or a byte of the checkpoint is changed in between. Every study has to end with
the undisturbed numbers, or with one line that names the cause, and no process may remain after a kill.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

COMMAND = ("study", "--raters", "2", "--categories", "3", "--subjects", "20", "--weights", "linear", "--json")
N_TABLES = 600
REFUSALS = (
    *("in use by another study", "cannot write the checkpoint", "is damaged", "is not a checkpoint of a study"),
    *("was written by an earlier version", "but this version of kappamax reads format"),
)
NOTE = "ignored because"
_LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
from kappamax.cli import main
main()
"""
_SECONDS = 120  # less than the five minutes after which joblib ends idle processes


@dataclass(frozen=True)
class Ended:
    """Exit code, rows and messages of a command."""

    code: int
    rows: Any
    errors: str


def disturb(n_kills: int, seed: int) -> Iterator[tuple[str, str, bool]]:
    """Yield what was done to each study, how the study ended, and whether that is allowed.

    Parameters
    ----------
    n_kills : int
        Number of kills in all. Every study is killed one to three times.
    seed : int
        Seed of the moments and of the further disturbances.
    """
    rng = random.Random(seed)
    began = perf_counter()
    undisturbed = finished(start(1, None)).rows
    seconds = perf_counter() - began
    kinds = (corrupt, second_study, full_disk, None)
    trial = 0
    while n_kills > 0:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "study.checkpoint"
            kind, n_jobs = kinds[trial % len(kinds)], rng.choice((1, 1, 2))
            done = [f"{n_jobs} processes" if n_jobs > 1 else "1 process"]
            for _ in range(min(n_kills, rng.randint(1, 3))):
                done.append(kill(start(n_jobs, path), rng.uniform(0, seconds)))
                n_kills -= done[-1].startswith("killed")
            if kind is not None:
                done.append(kind(path, rng, undisturbed))
            ended = finished(start(n_jobs, path))
            yield "; ".join(done), *verdict(ended, undisturbed)
            trial += 1


def verdict(ended: Ended, undisturbed: Any) -> tuple[str, bool]:
    """Return in words how a study ended, and whether it is allowed to end like this."""
    said = ended.errors.strip()
    if ended.code == 0:
        same = ended.rows == undisturbed
        note = f" after the note: {said}" if said else ""
        return ("the undisturbed numbers" if same else "OTHER NUMBERS") + note, same and (not said or NOTE in said)
    named = ended.code == 1 and len(said.splitlines()) == 1 and any(words in said for words in REFUSALS)
    return (f"refused: {said}" if named else f"FAILED with code {ended.code}: {said}"), named


def start(n_jobs: int, path: Path | None, *, most_bytes: int | None = None) -> subprocess.Popen[str]:
    """Start the study, with a checkpoint and with a largest size of files if they are given."""
    checkpoint = [] if path is None else ["--checkpoint", str(path)]
    python = ["-m", "kappamax"] if most_bytes is None else ["-c", _LIMITED.format(most_bytes)]
    command = [sys.executable, *python, *COMMAND, "--tables", str(N_TABLES), "--jobs", str(n_jobs), *checkpoint]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def finished(process: subprocess.Popen[str]) -> Ended:
    """Wait for the end of a study."""
    output, errors = process.communicate(timeout=_SECONDS)
    return Ended(process.returncode, json.loads(output)["results"] if output else None, errors)


def kill(process: subprocess.Popen[str], moment: float) -> str:
    """Kill a study after some seconds, and wait until all of its processes have closed their output."""
    try:
        process.wait(timeout=moment)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate(timeout=_SECONDS)
    return f"killed after {moment:.2f} s" if process.returncode == -signal.SIGKILL else f"ended within {moment:.2f} s"


def corrupt(path: Path, rng: random.Random, _undisturbed: Any) -> str:
    """Change a byte of the checkpoint."""
    content = bytearray(path.read_bytes()) if path.exists() else bytearray()
    if not content:
        return "nothing to corrupt"
    place = rng.randrange(len(content))
    content[place] ^= 1 << rng.randrange(8)
    path.write_bytes(content)
    return f"byte {place} of {len(content)} changed"


def second_study(path: Path, rng: random.Random, undisturbed: Any) -> str:
    """Run two studies with the same checkpoint at the same time."""
    first, second = start(1, path), start(1, path)
    told = [verdict(finished(process), undisturbed) for process in (first, second)]
    if not all(allowed for _, allowed in told):
        raise SystemExit(f"two studies: {told}")
    return "two studies at once, which ended with " + " and ".join(how for how, _ in told)


def full_disk(path: Path, rng: random.Random, undisturbed: Any) -> str:
    """Continue the study on a disk that has room for some more bytes."""
    room = (path.stat().st_size if path.exists() else 0) + rng.randrange(3000)
    ended = finished(start(1, path, most_bytes=room))
    told, allowed = verdict(ended, undisturbed)
    if not allowed:
        raise SystemExit(f"a full disk: {told}")
    return f"a disk for {room} bytes, which ended with {told}"


def main() -> None:
    n_kills, seed = (int(sys.argv[place]) if len(sys.argv) > place else usual for place, usual in ((1, 50), (2, 1)))
    failed = 0
    for number, (done, how, allowed) in enumerate(disturb(n_kills, seed), start=1):
        failed += not allowed
        print(f"{number}. {done}\n   {how}", flush=True)
    print(f"{n_kills} kills with seed {seed}, {failed} studies that did not end as they should")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
