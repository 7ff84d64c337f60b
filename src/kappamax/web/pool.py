"""Pass requests to worker processes, and stop work that takes too long or whose client has disconnected."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from math import inf

import anyio
import msgspec

from kappamax.errors import InvalidRequestError
from kappamax.web.schemas import Request
from kappamax.web.worker import Reply, error_reply


class WorkerPool:
    """Pool of a limited number of worker processes, in which a stopped process is replaced at once.

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

    async def replies(self, name: str, request: Request, *, by_line: bool = False) -> AsyncIterator[Reply]:
        """Yield the answer to a request, in several parts if `by_line`; closing the iterator stops the work."""
        try:
            async with self.worker(request.table_key()) as worker:
                await worker.send(name, request, by_line=by_line)
                ends = anyio.current_time() + self._seconds
                more = True
                while more:
                    reply = await worker.reply(ends, self._seconds)
                    more = reply.more
                    yield reply
        except InvalidRequestError as error:
            yield error_reply(error)

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
        for worker in list(self._all):
            await worker.stop()

    async def _start_after(self, before: anyio.Event | None, ready: anyio.Event) -> None:
        """Start a process as soon as the previous one is ready."""
        async with self._free:
            if before is not None:
                await before.wait()
            worker = await self._started()
            with suppress(InvalidRequestError):  # the first request fails for the same reason and reports it
                await worker.send("ready", Request())
                await worker.reply(inf, self._seconds)
            self._idle.append(worker)
            ready.set()

    async def _started(self) -> Worker:
        """Start a process."""
        command = [sys.executable, "-P", "-m", "kappamax.web.worker", *self._options]
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        worker = Worker(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=nothing))
        self._all.add(worker)
        return worker


class Worker:
    """Worker process, with the key of the table of its last request."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.idle = True
        self.table_key = b""
        self._process = process
        self._jobs, self._replies = process.stdin, process.stdout

    async def send(self, name: str, request: Request, *, by_line: bool = False) -> None:
        """Send a request to the process."""
        self.idle = False
        self._jobs.write(msgspec.json.encode((name, by_line, request)) + b"\n")
        with suppress(ConnectionError):  # the process has ended, which `reply` reports
            await self._jobs.drain()

    async def reply(self, ends: float, seconds: float) -> Reply:
        """Wait for the next part of the answer, at most until the time `ends` of the event loop's clock."""
        try:
            with anyio.fail_after(ends - anyio.current_time()):
                header = await self._replies.readuntil(b"\n")
                status, more, size = map(int, header.split())
                body = await self._replies.readexactly(size)
        except TimeoutError:
            raise InvalidRequestError(
                f"the computation exceeded the time limit of the page ({seconds:g} s); the command line and Python "
                "have no limit."
            ) from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise InvalidRequestError("the worker process ended unexpectedly; it may have run out of memory.") from None
        self.idle = not more
        return Reply(status, body, bool(more))

    async def stop(self) -> None:
        """End the process at once."""
        self._jobs.close()
        if self._process.returncode is None:
            self._process.kill()
        await self._replies.read()
        await self._process.wait()
