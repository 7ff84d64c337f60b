"""Nothing in, the application behind the page out: routes, and what each of them runs where.

Short answers are computed in threads. Nothing of a request is written to disk or logged.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from kappamax._checks import web as checks
from kappamax.web.guard import Guard
from kappamax.web.tasks import Reply, as_bytes, reply_to

__all__ = ["create_app"]

_STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
}
_MOST_BYTES = 1_000_000
_DRAINED = 100_000_000
_THREADS = 4


def create_app() -> ASGIApp:
    """The application: the page, its assets and the JSON API."""
    files = {path.relative_to(_STATIC).as_posix(): path for path in sorted(_STATIC.rglob("*")) if path.is_file()}

    async def static(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        path = files.get(name)
        if path is None or path.suffix not in _TYPES:
            checks.refuse_page(request.url.path)
        return Response(path.read_bytes(), media_type=_TYPES[path.suffix], headers={"cache-control": "no-cache"})

    routes = [
        Route("/", static),
        Route("/static/{name:path}", static),
        Route("/api/examples", _examples),
        *(Route(f"/api/{task}", _posted(task), methods=["POST"]) for task in ("table", "weights", "maximizers")),
    ]
    handlers: Any = {HTTPException: _http_error}
    return Guard(Starlette(routes=routes, exception_handlers=handlers, lifespan=_lifespan))


@asynccontextmanager
async def _lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
    yield {"threads": anyio.CapacityLimiter(_THREADS)}


async def _examples(request: Request) -> Response:
    from kappamax.web.service import examples

    found = await anyio.to_thread.run_sync(examples, limiter=request.state.threads)
    return _response(Reply(200, as_bytes(found)))


def _posted(task: str) -> Callable[[Request], Awaitable[Response]]:
    """A route that takes a JSON object and answers a task."""

    async def answer(request: Request) -> Response:
        checks.content_type(request.headers.get("content-type"), "application/json")
        asked = checks.json_object(await _body(request, _MOST_BYTES))
        reply = await anyio.to_thread.run_sync(reply_to, task, asked, limiter=request.state.threads)
        return _response(reply)

    return answer


async def _body(request: Request, most: int) -> bytes:
    """The whole body; one that is too long is read on, keeping nothing, so that the answer to it is heard."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > _DRAINED:
            break
        if size <= most:
            parts.append(part)
        else:
            parts.clear()
    checks.body_size(size, most)
    return b"".join(parts)


def _response(reply: Reply) -> Response:
    return Response(reply.body, status_code=reply.status, media_type="application/json")


async def _http_error(request: Request, error: HTTPException) -> Response:
    if error.status_code == 405:
        checks.refuse_method(request.method)
    checks.refuse_page(request.url.path)
