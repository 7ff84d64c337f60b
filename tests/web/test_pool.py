"""Requests are passed to processes that are alive, have enough memory and do not block invalid requests."""

import asyncio
import logging
import os
import sys

import anyio
import pytest

from kappamax.web import pool as pools
from kappamax.web.limits import MAX_WORKER_BYTES
from kappamax.web.pool import Worker, WorkerPool
from kappamax.web.schemas import Request, as_request
from kappamax.web.worker import Reply


async def last_reply(pool, name="ready", request=None):
    """Return the last reply of a pool to a request."""
    return [reply async for reply in pool.replies(name, request or Request())][-1]


def test_a_process_that_ends_while_it_is_idle_is_replaced(apart):
    """The replacement is there before the next request, which is answered."""

    async def answers():
        pool = WorkerPool(1, 60.0)
        async with pool.running(warm=False):
            await last_reply(pool)
            (first,) = pool._idle
            first._process.kill()
            await asyncio.gather(*pool._watching)
            (second,) = pool._idle
            return await last_reply(pool), second is first, len(pool._all)

    assert apart(answers()) == ((200, b"null", False, ""), False, 1)


@pytest.mark.slow
def test_a_request_never_meets_a_process_that_has_just_ended(apart, monkeypatch):
    """Even if the end of the process is not yet known, the request is given to another process."""
    monkeypatch.setattr(Worker, "has_ended", False)

    async def answers():
        pool = WorkerPool(1, 60.0)
        async with pool.running(warm=False):
            await last_reply(pool)
            pool._idle[0]._process.kill()
            return await last_reply(pool)

    assert apart(answers()).status == 200


def test_processes_that_cannot_start_are_an_error(apart, monkeypatch, caplog):
    """Three processes are tried, each of which may be replaced once, and nothing is logged."""
    started = []
    original = WorkerPool._started

    async def counted(self):
        started.append(1)
        return await original(self)

    monkeypatch.setattr(WorkerPool, "_started", counted)
    monkeypatch.setattr(pools.sys, "executable", "/bin/false" if sys.platform != "win32" else sys.executable)

    async def answers():
        pool = WorkerPool(1, 60.0)
        async with pool.running(warm=False):
            return await last_reply(pool)

    reply = apart(answers())
    assert (reply.status, b"the worker process ended unexpectedly" in reply.body) == (422, True)
    assert len(started) <= 7
    assert caplog.messages == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited on Linux only")
def test_processes_have_a_limit_of_memory(apart):
    """The limit of the address space is the documented one, or a smaller one that the user has set."""
    import resource

    async def limit():
        pool = WorkerPool(1, 60.0)
        async with pool.running(warm=False):
            await last_reply(pool)
            return resource.prlimit(pool._idle[0]._process.pid, resource.RLIMIT_AS)[0]

    own = resource.getrlimit(resource.RLIMIT_AS)[1]
    assert apart(limit()) == (MAX_WORKER_BYTES if own == resource.RLIM_INFINITY else min(MAX_WORKER_BYTES, own))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited on Linux only")
def test_a_table_that_needs_too_much_memory_is_refused(apart, monkeypatch):
    """The answer is an error, and the process is replaced by one that answers."""
    import resource

    original = WorkerPool._started

    async def small(self):
        worker = await original(self)
        resource.prlimit(worker._process.pid, resource.RLIMIT_AS, (700_000_000, 700_000_000))
        return worker

    monkeypatch.setattr(WorkerPool, "_started", small)
    patterns = [[i // 5**j % 5 for j in range(10)] for i in range(0, 200_000, 11)]
    content = {"patterns": patterns, "counts": [1] * len(patterns), "categories": [1, 2, 3, 4, 5]}
    request = as_request("table", content | {"raters": list("abcdefghij"), "weights": ["linear"]})

    async def answers():
        pool = WorkerPool(1, 60.0)
        async with pool.running(warm=False):
            return await last_reply(pool, "table", request), await last_reply(pool)

    refused, answered = apart(answers())
    assert refused.status == 422
    assert b"memory" in refused.body
    assert answered.status == 200


@pytest.mark.slow
def test_invalid_requests_are_refused_without_computing(apart):
    """The rules of tables, weights and options are checked; a valid request is not refused."""
    square = {"counts": [[1, 2], [3, 4]]}
    cases = [
        ("table", square, None),
        ("table", square | {"weights": ["linaer"]}, b"linaer"),
        ("table", square | {"weights": [{"matrix": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]}]}, b"3"),
        ("anneal", {"counts": [[0, 0], [0, 0]]}, b"at least one subject"),
        ("path", square | {"weight": {"positions": [1, 1]}}, b"positions"),
        ("file", {"rename": "x", "content": b"a,b"}, b"OLD=NEW"),
    ]

    async def answers():
        pool = WorkerPool(1, 60.0)
        async with pool.running(warm=False):
            return [await pool.refusal(name, as_request(name, asked, strict=False)) for name, asked, _ in cases]

    for (_, _, words), reply in zip(cases, apart(answers()), strict=True):
        assert (reply is None) if words is None else (reply.status == 422 and words in reply.body)


def test_a_pool_is_full_when_a_request_would_wait(apart):
    """Checking takes place only then."""

    async def states():
        pool = WorkerPool(1, 60.0)
        async with pool.running(warm=False):
            before = pool.full
            async with pool.worker(b""):
                return before, pool.full

    assert apart(states()) == (False, True)


def test_a_failed_computation_is_logged(apart, caplog):
    """The log has the traceback that the process sends; the answer is passed on."""

    async def reply():
        read, write = os.pipe()
        os.write(write, b"422 0 2 15\n{}in f\nOverflow\n")
        os.close(write)
        stream = anyio.wrap_file(os.fdopen(read, "rb"))

        class Replies:
            async def readuntil(self, end):
                return await stream.readline()

            async def readexactly(self, n):
                return await stream.read(n)

        worker = Worker.__new__(Worker)
        worker._replies = Replies()
        try:
            return await worker.reply(anyio.current_time() + 60, 60.0)
        finally:
            await stream.aclose()

    with caplog.at_level(logging.ERROR, "kappamax.web"):
        assert apart(reply()) == Reply(422, b"{}", False, "in f\nOverflow\n")
    assert caplog.messages == ["A computation failed:\nin f\nOverflow"]
