"""Attack a running page for some minutes, and check that its memory, its answers and its processes stay in order.

    python -m tests.web.soak --minutes 30

A server of its own on 127.0.0.1 gets valid, hostile, cancelled, stalled and oversized requests from a fixed seed, while
its worker processes are killed at random. Afterwards no answer may have been a server error, none may have had a wrong
number, the memory of the server itself must be within 20 % of that in the first third of the time, and the memory of
the server and its processes together must not have grown by more than that. The time begins one minute after the
start (a fifth of the whole, if that is less). The memory of the processes may fall, because a process that replaces a
killed one is smaller; the server itself is never killed. The exit code is 1 if that does not hold. It needs Linux.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from urllib.parse import quote, urlsplit

import httpx2 as httpx

from tests.support.http_requests import Drawn, drawn_request, wrong_answer

MOST_REQUESTS = 50_000  # of each client
N_CLIENTS = 3
MOST_GROWTH = 0.2
_LONG = {"counts": [[300 + 10 * (i == j) for j in range(8)] for i in range(8)], "weight": "sqrt", "proposal": "swaps"}
_JSON, _OCTETS = {"content-type": "application/json"}, {"content-type": "application/octet-stream"}


@dataclass
class Record:
    """What was tried and found."""

    tried: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    n_lost: int = 0
    n_killed: int = 0
    server_memory: list[float] = field(default_factory=list)
    whole_memory: list[float] = field(default_factory=list)

    def add(self, other: Record) -> None:
        """Add what another thread tried."""
        self.tried += other.tried
        self.wrong += other.wrong
        self.n_lost += other.n_lost

    @property
    def holds(self) -> bool:
        """Whether no answer was wrong, memory did not grow, and requests ended only with killed processes."""
        steady = abs(_growth(self.server_memory)) <= MOST_GROWTH and _growth(self.whole_memory) <= MOST_GROWTH
        return steady and not self.wrong and self.n_lost <= self.n_killed and self.tried["valid 200"] > 0

    def __str__(self) -> str:
        answers = ", ".join(f"{n} {kind}" for kind, n in sorted(self.tried.items()))
        return (
            f"{sum(self.tried.values()):,} requests: {answers}\n"
            f"{self.n_killed} processes killed, {self.n_lost} requests ended with them\n"
            f"memory of the server {_in_words(self.server_memory)}\n"
            f"memory with its processes {_in_words(self.whole_memory)}\n"
            f"{len(self.wrong)} wrong answers" + "".join(f"\n  {one}" for one in self.wrong[:20])
        )


class Client:
    """Client that sends requests of one seed, one after the other, until a time or a number of them."""

    def __init__(self, address: str, seed: int) -> None:
        parts = urlsplit(address)
        self._port = parts.port or 0
        self._token = {"authorization": f"Bearer {parts.query.removeprefix('token=')}"}
        self._rng = Random(seed)
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{self._port}", headers=self._token, timeout=120)
        self._stalled: list[socket.socket] = []
        self.record = Record()

    def run(self, ends: float) -> None:
        """Send requests until a time of the monotonic clock."""
        deeds = (self._ask, self._cancel, self._stall, self._oversize)
        for _ in range(MOST_REQUESTS):
            self._rng.choices(deeds, (200, 4, 4, 1))[0]()
            if time.monotonic() > ends:
                break
        self._client.close()
        for one in self._stalled:
            one.close()

    def _ask(self) -> None:
        drawn = drawn_request(self._rng)
        parameters = {name: text.encode("utf-8", "replace") for name, text in drawn.parameters.items()}
        try:
            answer = self._client.post(
                quote(drawn.path, safe="/%"),
                content=drawn.body,
                headers={"content-type": drawn.content_type},
                params=parameters or None,
            )
        except httpx.HTTPError as error:
            self._note(drawn, 0, f"no answer: {error!r}")
            return
        if '"code":"process-ended"' in answer.text:
            self.record.n_lost += 1
            self.record.tried[f"{drawn.kind} process ended"] += 1
            return
        self._note(drawn, answer.status_code, wrong_answer(drawn, answer.status_code, answer.text))

    def _note(self, drawn: Drawn, status: int, wrong: str | None) -> None:
        self.record.tried[f"{drawn.kind} {status}"] += 1
        if wrong:
            self.record.wrong.append(f"{drawn.kind} {drawn.path} {drawn.body[:200]!r}: {wrong}")

    def _cancel(self) -> None:
        """Begin a long search and leave it."""
        with self._client.stream("POST", "/api/anneal", json=_LONG) as answer:
            self.record.tried[f"cancelled {answer.status_code}"] += 1
            next(answer.iter_lines(), None)

    def _stall(self) -> None:
        """Send a part of a request and leave the connection open; the oldest of many is closed."""
        begun = self._rng.choice(("GET / HT", "POST /api/file HTTP/1.1\r\nHost: 127.0.0.1\r\n", self._half_upload()))
        one = socket.create_connection(("127.0.0.1", self._port))
        one.sendall(begun.encode())
        self._stalled.append(one)
        if len(self._stalled) > 50:
            self._stalled.pop(0).close()
        self.record.tried["stalled"] += 1

    def _half_upload(self) -> str:
        return (
            f"POST /api/file HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: {self._token['authorization']}\r\n"
            "Content-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\na,b\n1,2\n"
        )

    def _oversize(self) -> None:
        """Send too many bytes, or a file whose content is far larger than the file."""
        if self._rng.random() < 0.5:
            answer = self._client.post("/api/file", content=b"1,2\n" * 6_000_000, headers=_OCTETS)
        else:
            table = {"counts": [[1] * 101] * 101}
            answer = self._client.post("/api/table", content=json.dumps(table).encode(), headers=_JSON)
        self.record.tried[f"oversized {answer.status_code}"] += 1
        if answer.status_code != 413:
            self.record.wrong.append(
                f"an oversized request was answered with {answer.status_code}: {answer.text[:200]}"
            )


def soak(minutes: float, seed: int) -> Record:
    """Attack a server of its own for some minutes, with several clients and a process killed every few seconds."""
    command = [sys.executable, "-m", "kappamax", "serve", "--port", "0", "--no-browser"]
    record, rng = Record(), Random(seed)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as page:
        assert page.stdout is not None
        address = page.stdout.readline().strip()
        begun = time.monotonic()
        warm, ends = begun + min(60, 12 * minutes), begun + 60 * minutes
        clients = [Client(address, 1000 * seed + i) for i in range(N_CLIENTS)]
        with ThreadPoolExecutor(N_CLIENTS) as threads:
            running = [threads.submit(client.run, ends) for client in clients]
            while not all(one.done() for one in running):
                time.sleep(1)
                if time.monotonic() > warm:
                    record.server_memory.append(_resident_bytes(page.pid))
                    record.whole_memory.append(sum(map(_resident_bytes, (page.pid, *_children(page.pid)))))
                if rng.random() < 0.1 and (children := _children(page.pid)):
                    os.kill(rng.choice(children), signal.SIGKILL)
                    record.n_killed += 1
            for one, client in zip(running, clients, strict=True):
                one.result()
                record.add(client.record)
        page.send_signal(signal.SIGTERM)
        _, errors = page.communicate(timeout=60)
    if page.returncode != 0 or errors != "Press Ctrl-C to stop.\n":
        record.wrong.append(f"the server ended with {page.returncode} and printed {errors[-2000:]!r}")
    return record


def _growth(memory: list[float]) -> float:
    """Return the median of the last third of the measurements relative to that of the first third, minus 1."""
    third = max(1, len(memory) // 3)
    first, last = (sorted(part)[len(part) // 2] for part in (memory[:third], memory[-third:]))
    return last / first - 1


def _in_words(memory: list[float]) -> str:
    first, last, most = (round(one / 1e6) for one in (memory[0], memory[-1], max(memory)))
    return f"{first} MB at first, {last} MB at last, {most} MB at most, growth {100 * _growth(memory):.1f} %"


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    return [int(child) for child in found.split()]


def _resident_bytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:  # it has just ended
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main() -> int:
    """Run the attack and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    record = soak(chosen.minutes, chosen.seed)
    print(record)
    return 0 if record.holds else 1


if __name__ == "__main__":
    sys.exit(main())
