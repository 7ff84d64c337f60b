"""Tasks in, answers out: hands work to processes, waits without blocking, and stops what takes too long or is unwanted.

Small tables go to processes of their own kind, so that no long job makes them wait.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Any, NamedTuple

import anyio

from kappamax._checks import web as checks
from kappamax.errors import InvalidRequestError
from kappamax.web.handlers import Reply, error_reply

__all__ = ["Desk", "Part", "Staff", "opened_desk"]

_LONG_WORKERS = 2
_MOST_QUICK_WORKERS = 6
_REMEMBERED = 64


class Part(NamedTuple):
    """A piece of an answer: progress, a line of a stream, or the reply that ends it."""

    kind: str
    reply: Reply


@asynccontextmanager
async def opened_desk(quick_seconds: float, long_seconds: float) -> AsyncIterator[Desk]:
    """A desk whose processes start now and end with it; each kind of work has its limit of time."""
    desk = Desk(quick_seconds, long_seconds)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(desk.quick.warm_up)
            yield desk
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await desk.close()


class Desk:
    """Where work is handed in."""

    def __init__(self, quick_seconds: float, long_seconds: float) -> None:
        # two more than there are cores, so that none idles while an answer is sent and the next request handed over
        self.quick = Staff(min(_MOST_QUICK_WORKERS, 2 + (os.cpu_count() or 1)), quick_seconds)
        self.long = Staff(_LONG_WORKERS, long_seconds, "--long")
        self._known: OrderedDict[tuple[str, str], Reply] = OrderedDict()

    async def reply(self, task: str, request: dict[str, Any], payload: bytes = b"", *, long: bool) -> Reply:
        """The answer to a task, from memory if the same was asked a moment ago."""
        key = (task, json.dumps(request))
        if not payload and key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        async for part in self._parts(task, key[1], payload, long=long):
            if part.kind == "reply":
                if not payload and part.reply.status == 200:
                    self._known[key] = part.reply
                    if len(self._known) > _REMEMBERED:
                        self._known.popitem(last=False)
                return part.reply
        raise AssertionError("every answer ends with a reply")

    def parts(self, task: str, request: dict[str, Any], payload: bytes = b"", *, long: bool) -> AsyncIterator[Part]:
        """An answer piece by piece; closing the iterator stops the work."""
        return self._parts(task, json.dumps(request), payload, long=long)

    async def _parts(self, task: str, asked: str, payload: bytes, *, long: bool) -> AsyncIterator[Part]:
        staff = self.long if long else self.quick
        try:
            async with staff.worker(asked) as worker:
                await worker.send(task, asked, payload)
                ends = anyio.current_time() + staff.seconds
                while True:
                    part = await worker.part(ends, staff.seconds)
                    yield part
                    if part.kind == "reply":
                        return
        except InvalidRequestError as error:
            yield Part("reply", error_reply(error))

    async def close(self) -> None:
        """End all processes."""
        await self.quick.close()
        await self.long.close()


class Staff:
    """Processes for one kind of work: at most so many, each replaced at once when it is stopped."""

    def __init__(self, most: int, seconds: float, *options: str) -> None:
        self.seconds = seconds
        self._most = most
        self._options = options
        self._open = True
        self._places = anyio.Semaphore(most)
        self._idle: list[_Worker] = []
        self._all: set[_Worker] = set()

    async def warm_up(self) -> None:
        """Start all processes before they are needed, and let them import what they will need.

        One after the other, so that the first is ready as soon as can be; requests wait for it and start none.
        """
        async with anyio.create_task_group() as group:
            turn = None
            for _ in range(self._most):
                before, turn = turn, anyio.Event()
                group.start_soon(self._rehearse, before, turn)

    @asynccontextmanager
    async def worker(self, asked: str) -> AsyncIterator[_Worker]:
        """A process for one job, if it can be one that knows the request.

        One whose job did not end is stopped, and another begins to get ready.
        """
        async with self._places:
            worker = self._taken(asked) if self._idle else await self._started()
            try:
                yield worker
            finally:
                if worker.free:
                    self._idle.append(worker)
                else:
                    with anyio.CancelScope(shield=True):
                        self._all.discard(worker)
                        await worker.stop()
                        if self._open:
                            self._idle.append(await self._started())

    async def close(self) -> None:
        """End all processes."""
        self._open = False
        for worker in list(self._all):
            await worker.stop()

    def _taken(self, asked: str) -> _Worker:
        """The idle process that did the same request before, or else the longest idle, which is ready."""
        place = next((i for i, worker in enumerate(self._idle) if worker.asked == asked), 0)
        return self._idle.pop(place)

    async def _rehearse(self, before: anyio.Event | None, ready: anyio.Event) -> None:
        """Start a process when another is ready."""
        async with self._places:
            if before is not None:
                await before.wait()
            worker = await self._started()
            with suppress(InvalidRequestError):  # then the first request meets the same trouble, and says so
                await worker.send("ready", "{}")
                await worker.part(inf, self.seconds)
            self._idle.append(worker)
            ready.set()

    async def _started(self) -> _Worker:
        command = [sys.executable, "-P", "-m", "kappamax.web.worker", *self._options]
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        worker = _Worker(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=nothing))
        self._all.add(worker)
        return worker


class _Worker:
    """One process and the talk with it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.free = True
        self.asked = ""
        self._process = process

    async def send(self, task: str, asked: str, payload: bytes = b"") -> None:
        """Hand a job in: a task and its request as JSON."""
        assert self._process.stdin is not None
        self.free = False
        self.asked = asked
        job = f'{{"task": {json.dumps(task)}, "size": {len(payload)}, "request": {asked}}}\n'
        self._process.stdin.write(job.encode() + payload)
        try:
            await self._process.stdin.drain()
        except ConnectionError:
            checks.refuse_death()

    async def part(self, ends: float, seconds: float) -> Part:
        """The next piece of the answer, if it comes in time."""
        assert self._process.stdout is not None
        try:
            with anyio.fail_after(ends - anyio.current_time()):
                header = json.loads(await self._process.stdout.readline() or b"null")
                if header is None:
                    checks.refuse_death()
                body = await self._process.stdout.readexactly(header["size"])
        except TimeoutError:
            checks.out_of_time(seconds)
        except asyncio.IncompleteReadError:
            checks.refuse_death()
        self.free = header["kind"] == "reply"
        return Part(header["kind"], Reply(header["status"], body))

    async def stop(self) -> None:
        """End the process at once."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        if self._process.returncode is None:
            self._process.kill()
        await self._process.stdout.read()
        await self._process.wait()
