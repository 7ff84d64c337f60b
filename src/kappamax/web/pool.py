"""Pass requests to worker processes, and stop work that takes too long or whose client has disconnected."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from math import inf

import anyio
import msgspec

from kappamax.errors import InvalidRequestError
from kappamax.web.schemas import Request
from kappamax.web.worker import BEGUN, Mode, Reply, error_reply

LOGGER = logging.getLogger("kappamax.web")
_ATTEMPTS = 3
#: one thread of the numerical libraries in each process, since threads reserve much address space on large machines
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}


class WorkerPool:
    """Pool of a limited number of worker processes, in which a process that was stopped or ended is replaced at once.

    Parameters
    ----------
    most : int
        Largest number of processes.
    seconds : float
        Time limit in seconds for a request.
    *options : str
        Options of the command that starts a worker.
    """

    def __init__(self, most: int, seconds: float, *options: str) -> None:
        self._most = most
        self._seconds = seconds
        self._options = options
        self._open = True
        self._free = anyio.Semaphore(most)
        self._idle: list[Worker] = []
        self._all: set[Worker] = set()
        self._watching: set[asyncio.Task[None]] = set()

    @property
    def full(self) -> bool:
        """Whether a request would have to wait for another one to end."""
        return self._free.value == 0

    @asynccontextmanager
    async def running(self, *, warm: bool) -> AsyncIterator[WorkerPool]:
        """Run the pool in a context: start all processes now if `warm`, otherwise on demand, and end them on exit."""
        try:
            async with anyio.create_task_group() as group:
                if warm:
                    group.start_soon(self.warm_up)
                yield self
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                await self.close()

    async def replies(self, name: str, request: Request, *, mode: Mode = "whole") -> AsyncIterator[Reply]:
        """Yield the answer to a request, in several parts if `mode` is "lines"; closing the iterator stops the work."""
        try:
            for _ in range(_ATTEMPTS):
                async with self.worker(request.table_key()) as worker:
                    more = await worker.send(name, request, mode=mode)
                    ends = anyio.current_time() + self._seconds
                    while more:
                        reply = await worker.reply(ends, self._seconds)
                        more = reply.more
                        yield reply
                        if not more:
                            return
            raise _ended_unexpectedly()
        except InvalidRequestError as error:
            yield error_reply(error)

    async def refusal(self, name: str, request: Request) -> Reply | None:
        """Return the answer to a request that is invalid; None if it is valid or checking it takes too long."""
        with suppress(InvalidRequestError):
            async with self.worker(b"") as worker:
                if await worker.send(name, request, mode="check"):
                    reply = await worker.reply(anyio.current_time() + self._seconds, self._seconds)
                    return None if reply.status == 200 or reply.log else reply
        return None

    async def warm_up(self) -> None:
        """Start all processes and let them import their modules before the first request.

        The processes start one after the other, so that the first one is ready as soon as possible. Requests that
        arrive earlier wait for it and do not start another process.
        """
        async with anyio.create_task_group() as group:
            ready = None
            for _ in range(self._most):
                before, ready = ready, anyio.Event()
                group.start_soon(self._start_after, before, ready)

    @asynccontextmanager
    async def worker(self, table_key: bytes) -> AsyncIterator[Worker]:
        """Reserve a process for one request, if possible the one that answered the last request about the same table.

        A process that has not completed its answer is stopped and replaced.
        """
        async with self._free:
            known = (i for i, worker in enumerate(self._idle) if worker.table_key == table_key)
            worker = self._idle.pop(next(known, 0)) if self._idle else await self._started()
            if worker.has_ended:
                self._all.discard(worker)
                await worker.stop()
                worker = await self._started()
            worker.table_key = table_key
            try:
                yield worker
            finally:
                if not worker.idle:
                    with anyio.CancelScope(shield=True):
                        self._all.discard(worker)
                        await worker.stop()
                        worker = await self._started() if self._open else worker
                self._idle.append(worker)

    async def close(self) -> None:
        """End all processes."""
        self._open = False
        for task in self._watching:
            task.cancel()
        for worker in list(self._all):
            await worker.stop()

    async def _start_after(self, before: anyio.Event | None, ready: anyio.Event) -> None:
        """Start a process as soon as the previous one is ready."""
        async with self._free:
            if before is not None:
                await before.wait()
            worker = await self._started()
            with suppress(InvalidRequestError):  # the first request fails for the same reason and reports it
                if await worker.send("ready", Request()):
                    await worker.reply(inf, self._seconds)
            self._idle.append(worker)
            ready.set()

    async def _started(self) -> Worker:
        """Start a process."""
        command = [sys.executable, "-P", "-m", "kappamax.web.worker", *self._options]
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            *command, stdin=pipe, stdout=pipe, stderr=nothing, env=_ENVIRONMENT | os.environ
        )
        worker = Worker(process)
        self._all.add(worker)
        watching = asyncio.create_task(self._replace_when_ended(worker))
        self._watching.add(watching)
        watching.add_done_callback(self._watching.discard)
        return worker

    async def _replace_when_ended(self, worker: Worker) -> None:
        """Replace a process that ends while it is idle, unless it has never worked."""
        await worker.wait()
        if worker in self._idle:
            self._idle.remove(worker)
            self._all.discard(worker)
            await worker.stop()
            async with self._free:
                if self._open and worker.has_worked and len(self._all) < self._most:
                    self._idle.append(await self._started())


class Worker:
    """Worker process, with the key of the table of its last request."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.idle = True
        self.has_worked = False
        self.table_key = b""
        self._process = process
        self._jobs, self._replies = process.stdin, process.stdout

    @property
    def has_ended(self) -> bool:
        """Whether the process is known to have ended."""
        return self._process.returncode is not None

    async def send(self, name: str, request: Request, *, mode: Mode = "whole") -> bool:
        """Send a request to the process, and return whether the process began to answer it before it ended."""
        self.idle = False
        self._jobs.write(msgspec.json.encode((name, mode, request)) + b"\n")
        try:
            await self._jobs.drain()
            await self._replies.readexactly(len(BEGUN))
        except (asyncio.IncompleteReadError, ConnectionError):
            return False
        self.has_worked = True
        return True

    async def reply(self, ends: float, seconds: float) -> Reply:
        """Wait for the next part of the answer, at most until the time `ends` of the event loop's clock."""
        try:
            with anyio.fail_after(ends - anyio.current_time()):
                await anyio.sleep(0)  # so that a time that is over has an effect even if an answer is there
                header = await self._replies.readuntil(b"\n")
                status, more, size, log_size = map(int, header.split())
                body = await self._replies.readexactly(size)
                log = (await self._replies.readexactly(log_size)).decode()
        except TimeoutError:
            raise InvalidRequestError(
                f"the computation exceeded the time limit of the page ({seconds:g} s); the command line and Python "
                "have no limit.",
                code="time-limit",
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise _ended_unexpectedly() from None
        if log:
            LOGGER.error("A computation failed:\n%s", log.rstrip())
        self.idle = not more
        return Reply(status, body, bool(more), log)

    async def wait(self) -> None:
        """Wait until the process has ended."""
        await self._process.wait()

    async def stop(self) -> None:
        """End the process at once."""
        self._jobs.close()
        if self._process.returncode is None:
            with suppress(ProcessLookupError):
                _kill(self._process)
        await self._replies.read()
        await self._process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    if sys.platform == "win32":
        process.kill()
    else:  # `process.kill` would also collect the exit code of a process that has ended, for which asyncio waits
        os.kill(process.pid, signal.SIGKILL)


def _ended_unexpectedly() -> InvalidRequestError:
    return InvalidRequestError(
        "the worker process ended unexpectedly; it may have run out of memory.", code="process-ended"
    )
