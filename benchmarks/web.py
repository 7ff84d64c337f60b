"""How soon the page answers many clients: 50 of them post ever new tables while one keeps the largest job running.

    python -m benchmarks web
    python -m benchmarks.web [--seconds 30] [--clients 50] [--pause 0] [--whole]   with other numbers, printed only

Each client posts a table of two raters, waits for the answer and posts another one, at once or after a pause as of a
person who types (`--pause`, on average). With `--whole` it asks for everything the page shows of the weights it is
opened with: the numbers, then what chance would give and the pictures. The load begins two seconds after the page has
answered once, when all its processes are up; server, its processes and clients share the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

if TYPE_CHECKING:
    from benchmarks.fibers import Figure

CLIENTS, SECONDS, PAUSE = 50, 30.0, 2.0
NUMBERS, WHOLE = ("/api/table",), ("/api/table", "/api/chance", "/api/pictures")
MOST = 0.2  # seconds within which 99 of 100 answers should come
_SETTLED = 2.0
_TABLES = 300  # of each client, made before the load begins: far more than the page remembers
WEIGHTINGS = ("unweighted", "linear", "quadratic", "sqrt")


@dataclass
class Load:
    """What came of it."""

    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    long_jobs: int = 0

    def percentile(self, share: float) -> float:
        """Seconds within which a share of the answers came."""
        return float(np.percentile(self.seconds, 100 * share)) if self.seconds else float("nan")

    def __str__(self) -> str:
        return (
            f"{len(self.seconds):,} answers {self.statuses}, median {1e3 * self.percentile(0.5):.0f} ms, "
            f"p99 {1e3 * self.percentile(0.99):.0f} ms, {self.long_jobs} long jobs beside them"
        )


def random_table(rng: np.random.Generator) -> dict[str, Any]:
    """Two raters, two to five categories, 20 to 200 subjects, mostly in agreement."""
    k = int(rng.integers(2, 6))
    chances = rng.dirichlet(np.ones(k * k)).reshape(k, k) + 2 * np.eye(k) / k
    counts = rng.multinomial(int(rng.integers(20, 201)), (chances / chances.sum()).ravel()).reshape(k, k)
    counts[0, 0] += 1
    counts[1, 1] += 1
    return {"counts": counts.tolist(), "weights": [str(rng.choice(WEIGHTINGS))]}


def largest_job(rng: np.random.Generator) -> dict[str, Any]:
    """A search by annealing over as many categories and subjects as the page takes."""
    counts = rng.multinomial(1_000_000 - 24, np.full(144, 1 / 144)).reshape(12, 12)
    return {"counts": counts.tolist(), "weight": "sqrt", "proposal": "swaps", "seed": int(rng.integers(2**32))}


async def run_load(
    port: int,
    token: str,
    *,
    clients: int,
    seconds: float,
    pause: float,
    paths: tuple[str, ...] = NUMBERS,
    seed: int = 0,
) -> Load:
    """Let clients post tables for some seconds, after a first answer."""
    generators = np.random.default_rng(seed).spawn(clients + 1)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    await post(reader, writer, port, token, "/api/table", json.dumps(random_table(generators[0])).encode())
    writer.close()
    await asyncio.sleep(_SETTLED)
    tables = [[json.dumps(random_table(rng)).encode() for _ in range(_TABLES)] for rng in generators[:-1]]
    load, ends = Load(), time.perf_counter() + seconds

    async def visitor(rng: np.random.Generator, bodies: list[bytes]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.sleep(float(rng.uniform(0, pause)))
        for body in cycle(bodies):
            if time.perf_counter() > ends:
                break
            for path in paths:
                begun = time.perf_counter()
                status, _ = await post(reader, writer, port, token, path, body)
                load.seconds.append(time.perf_counter() - begun)
                load.statuses[status] = load.statuses.get(status, 0) + 1
            await asyncio.sleep(float(rng.uniform(0, 2 * pause)))
        writer.close()

    async def long_worker(rng: np.random.Generator) -> None:
        while True:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                await post(reader, writer, port, token, "/api/anneal", json.dumps(largest_job(rng)).encode())
                load.long_jobs += 1
            finally:
                writer.close()

    beside = asyncio.create_task(long_worker(generators[-1]))
    await asyncio.gather(*map(visitor, generators[:-1], tables))
    load.long_jobs += not beside.done()
    beside.cancel()
    return load


async def post(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, token: str, path: str, body: bytes
) -> tuple[int, bytes]:
    """A bare HTTP client, so that clients cost next to nothing."""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
    lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
    status = int(lines[0].split()[1])
    if "content-length" in headers:
        return status, await reader.readexactly(int(headers["content-length"]))
    chunks = []
    while size := int(await reader.readline(), 16):
        chunks.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return status, b"".join(chunks)


def loads(*, quick: bool) -> list[Figure]:
    """What came of the load; `quick` is some seconds of few clients."""
    from benchmarks import peers
    from benchmarks.fibers import Figure  # needs what only the peers' environment has

    clients, lasting = (5, 3.0) if quick else (CLIENTS, SECONDS)
    peers.note(f"{clients} clients for {lasting:g} s, three times")
    at_once = served(clients=clients, seconds=lasting, pause=0)
    typing = served(clients=clients, seconds=lasting, pause=PAUSE, paths=WHOLE)
    whole = served(clients=clients, seconds=lasting, pause=0, paths=WHOLE)
    every = (at_once, typing, whole)
    errors = sum(count for one in every for status, count in one.statuses.items() if status != 200)
    jobs = min(one.long_jobs for one in every)
    case = f"{clients} clients that post again at once, {lasting:g} s"
    whole_case = f"{clients} clients that ask for all of the page, again at once"
    paused = f"{clients} clients that ask for all of the page and pause {PAUSE:g} s"
    return [
        Figure(f"errors among {sum(len(one.seconds) for one in every):,} answers", str(errors), "0", errors == 0),
        _within(case, at_once, asked=True),
        _rate(case, at_once, lasting),
        _within(paused, typing, asked=True),
        _within(whole_case, whole, asked=False),
        _rate(whole_case, whole, lasting),
        Figure("long jobs beside each of them", str(jobs), ">= 1", jobs >= 1),
    ]


def _within(case: str, load: Load, *, asked: bool) -> Figure:
    """How soon 99 of 100 answers came; a target where it is asked for."""
    from benchmarks.fibers import Figure

    slow = load.percentile(0.99)
    target, met = (f"< {1e3 * MOST:.0f} ms", slow < MOST) if asked else ("", True)
    return Figure(f"{case}: 99 of 100 answers within", f"{1e3 * slow:.0f} ms", target, met)


def _rate(case: str, load: Load, lasting: float) -> Figure:
    from benchmarks.fibers import Figure

    return Figure(f"{case}: answers a second", f"{len(load.seconds) / lasting:.0f}", "", True)


def served(*, clients: int, seconds: float, pause: float, paths: tuple[str, ...] = NUMBERS) -> Load:
    """A page of its own, asked by the clients and ended."""
    command = [sys.executable, "-m", "kappamax", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as page:
        assert page.stdout is not None
        address = urlsplit(page.stdout.readline().strip())
        port, token = address.port or 0, address.query.removeprefix("token=")
        try:
            return asyncio.run(run_load(port, token, clients=clients, seconds=seconds, pause=pause, paths=paths))
        finally:
            page.send_signal(signal.SIGINT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--clients", type=int, default=CLIENTS)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--whole", action="store_true")
    chosen = parser.parse_args()
    paths = WHOLE if chosen.whole else NUMBERS
    load = served(clients=chosen.clients, seconds=chosen.seconds, pause=chosen.pause, paths=paths)
    print(f"{chosen.clients} clients for {chosen.seconds:g} s, pausing {chosen.pause:g} s on average: {load}")


if __name__ == "__main__":
    main()
