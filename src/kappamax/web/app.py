"""Define the web application: its routes and their responses.

Computations run in worker processes (`pool`), and the work for a request stops when its client disconnects. A request
is received, and if it would have to wait also checked, before it waits for a process. No part of a request is logged
or, on Linux, written to disk.
"""

from __future__ import annotations

import mimetypes
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kappamax.display.text import shortened
from kappamax.errors import InvalidRequestError
from kappamax.web import schemas
from kappamax.web.access import Access, TokenRequired
from kappamax.web.bodies import Bodies
from kappamax.web.limits import LONG_SECONDS, MAX_FILE_BYTES, MAX_REQUEST_BYTES, QUICK_SECONDS
from kappamax.web.middleware import OWN_HOSTS, OwnPageOnly, json_response
from kappamax.web.pool import WorkerPool
from kappamax.web.schemas import LONG, REQUESTS, TableRequest, as_request, decoded
from kappamax.web.worker import Mode, Reply, error_reply

_REPORT_TYPES = {
    "html": "text/html",
    "json": "application/json",
    "csv": "text/csv",
    "md": "text/markdown",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain",
}
_JSON_LINES = "application/x-ndjson"
_STATIC = Path(__file__).parent / "static"
_LONG_WORKERS, _MAX_QUICK_WORKERS = 2, 6
_CHECK_SECONDS = 5.0

# some systems define another type for these files, with which browsers do not run them
mimetypes.add_type("text/javascript", ".js")


def create_app(
    access: Access, *, quick_seconds: float = QUICK_SECONDS, long_seconds: float = LONG_SECONDS
) -> Starlette:
    """Return the application: the page, its assets and the JSON API.

    Parameters
    ----------
    access : Access
        Token that requests need.
    quick_seconds, long_seconds : float
        Time limits in seconds for requests about small tables of two raters and for all other requests, default 15 and
        60. The two kinds of requests have separate processes, so small tables never wait for long computations.

    Returns
    -------
    Starlette
        The application, which starts and stops its worker processes with its lifespan.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        # two processes more than cores, so that no core is idle while answers and requests are transferred
        quick = WorkerPool(min(_MAX_QUICK_WORKERS, 2 + (os.cpu_count() or 1)), quick_seconds)
        long = WorkerPool(_LONG_WORKERS, long_seconds, "--long")
        checks = WorkerPool(1, _CHECK_SECONDS)
        async with quick.running(warm=True), long.running(warm=False), checks.running(warm=False):
            pools = {"quick": quick, "long": long, "checks": checks}
            yield {**pools, "bodies": Bodies(), "uploads": anyio.Semaphore(_LONG_WORKERS)}

    posted = [name for name, kind in REQUESTS.items() if issubclass(kind, TableRequest)]
    routes = [
        Route("/", _index),
        Mount("/static", StaticFiles(directory=_STATIC)),
        Route("/api/examples", _examples),
        *(Route(f"/api/{name}", _uploaded(name), methods=["POST"]) for name in ("file", "inspect")),
        *(Route(f"/api/{name}", _posted(name), methods=["POST"]) for name in posted),
    ]
    handlers: Any = {HTTPException: _http_error}
    guards = [
        Middleware(OwnPageOnly),
        Middleware(TrustedHostMiddleware, allowed_hosts=OWN_HOSTS),
        Middleware(TokenRequired, access=access),
    ]
    return Starlette(routes=routes, middleware=guards, exception_handlers=handlers, lifespan=lifespan)


async def _index(request: Request) -> Response:
    return FileResponse(_STATIC / "index.html")


async def _examples(request: Request) -> Response:
    return json_response(await _answer(request, _replies(request, "examples", schemas.Request())))


def _uploaded(name: str) -> Callable[[Request], Awaitable[Response]]:
    """Return a route whose request is the content of a file, with options in the address."""

    async def respond(request: Request) -> Response:
        _require_content_type(request, "application/octet-stream")
        async with request.state.bodies.received(request, MAX_FILE_BYTES) as content:
            options = {name: text for name, text in request.query_params.items() if text != ""}
            asked = as_request(name, options | {"content": content}, strict=False)
            if refusal := await _refusal(request, name, asked):
                return json_response(refusal)
            async with request.state.uploads:
                return json_response(await _answer(request, _replies(request, name, asked)))

    return respond


def _posted(name: str) -> Callable[[Request], Awaitable[Response]]:
    """Return a route whose request is a JSON object."""

    async def respond(request: Request) -> Response:
        _require_content_type(request, "application/json")
        async with request.state.bodies.received(request, MAX_REQUEST_BYTES) as body:
            content = decoded(body)
        if name == "report":
            content["format"] = form = request.query_params.get("format", "html")
        by_line = name == "anneal" or _JSON_LINES in request.headers.get("accept", "")
        asked = as_request(name, content)
        if refusal := await _refusal(request, name, asked):
            return json_response(refusal)
        replies = _replies(request, name, asked, "lines" if by_line else "whole")
        reply = await _answer(request, replies, by_line=by_line)
        if reply.status != 200 or not (by_line or name == "report"):
            return json_response(reply)
        if name == "report":
            headers = {"content-disposition": f'attachment; filename="kappamax.{form}"'}
            return Response(reply.body, media_type=_REPORT_TYPES[form], headers=headers)
        return StreamingResponse(_bodies(reply, replies), media_type=_JSON_LINES)

    return respond


def _pool(request: Request, name: str, asked: schemas.Request) -> WorkerPool:
    found: WorkerPool = request.state.long if name in LONG or not asked.is_small() else request.state.quick
    return found


def _replies(request: Request, name: str, asked: schemas.Request, mode: Mode = "whole") -> AsyncIterator[Reply]:
    return _pool(request, name, asked).replies(name, asked, mode=mode)


async def _refusal(request: Request, name: str, asked: schemas.Request) -> Reply | None:
    """Return the answer to an invalid request that would have to wait for a process, and None for all others."""
    checks: WorkerPool = request.state.checks
    return await checks.refusal(name, asked.to_check()) if _pool(request, name, asked).full else None


async def _answer(request: Request, replies: AsyncIterator[Reply], *, by_line: bool = False) -> Reply:
    """Return the last reply, or the first if `by_line`; the work is stopped if the client disconnects."""
    reply = Reply(499, b"", more=True)  # not sent to any client

    async def leave() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(leave)
        reply = await anext(replies)
        while reply.more and not by_line:
            reply = await anext(replies)
        group.cancel_scope.cancel()
    return reply


async def _bodies(first: Reply, replies: AsyncIterator[Reply]) -> AsyncIterator[bytes]:
    yield first.body
    async for reply in replies:
        yield reply.body


def _require_content_type(request: Request, expected: str) -> None:
    """Require the content type of a route, which a form on another site cannot send."""
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given != expected:
        raise InvalidRequestError(
            f"the Content-Type of the request must be {expected}; got {shortened(given or 'none')!r}.", status=415
        )


async def _http_error(request: Request, error: HTTPException) -> Response:
    """Answer a request for an unknown address or with a method that the address does not support."""
    refusal = InvalidRequestError(f"there is no page {shortened(request.url.path)!r}.", status=404)
    if error.status_code == 405:
        refusal = InvalidRequestError(
            f"this address does not support the method {shortened(request.method)!r}.", status=405
        )
    return json_response(error_reply(refusal))
