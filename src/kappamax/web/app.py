"""Nothing in, the application behind the page out: its routes, and who does the work behind each.

The server itself computes nothing: work is done by processes (`desk`), and stops when the client that asked for it
leaves. Nothing of a request is written to disk or logged.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kappamax._checks import web as checks
from kappamax.errors import InvalidRequestError
from kappamax.web.handlers import Reply, bug_reply, error_reply
from kappamax.web.middleware import Guard
from kappamax.web.pool import Desk, Part, opened_desk

__all__ = ["FORMATS", "create_app"]

FORMATS = {
    "html": "text/html; charset=utf-8",
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}
_JSON = "application/json"
_LINES = "application/x-ndjson"
_STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": _JSON,
}
_MOST_BYTES = 1_000_000
_MOST_FILE_BYTES = 20_000_000
_DRAINED = 100_000_000
_MOMENT = 0.2
_SMALL_CATEGORIES, _SMALL_SUBJECTS = 8, 2_000


def create_app(*, quick_seconds: float = 15.0, long_seconds: float = 60.0) -> ASGIApp:
    """The application: the page, its assets and the JSON API.

    Parameters
    ----------
    quick_seconds, long_seconds : float
        How long work on small tables of two raters, and any other work, may take.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        async with opened_desk(quick_seconds, long_seconds) as desk:
            yield {"desk": desk, "uploads": anyio.Semaphore(2)}

    tasks = ("table", "chance", "pictures", "weights", "maximizers", "moves", "path", "anneal", "report")
    routes = [
        Route("/", _static),
        Route("/static/{name:path}", _static),
        Route("/api/examples", _examples),
        Route("/api/file", _file, methods=["POST"]),
        *(Route(f"/api/{task}", _posted(task), methods=["POST"]) for task in tasks),
    ]
    handlers: Any = {InvalidRequestError: _refused, HTTPException: _http_error, Exception: _bug}
    return Guard(Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan))


async def _static(request: Request) -> Response:
    """The page and its assets, by their names in the package; no path is put together from the request."""
    files = {path.relative_to(_STATIC).as_posix(): path for path in _STATIC.rglob("*") if path.suffix in _TYPES}
    path = files.get(request.path_params.get("name", "index.html"))
    if path is None:
        checks.refuse_page(request.url.path)
    return Response(path.read_bytes(), media_type=_TYPES[path.suffix], headers={"cache-control": "no-cache"})


async def _examples(request: Request) -> Response:
    return _response(await request.state.desk.reply("examples", {}, long=False))


async def _file(request: Request) -> Response:
    checks.content_type(request.headers.get("content-type"), "application/octet-stream")
    async with request.state.uploads:
        content = await _body(request, _MOST_FILE_BYTES)
        work = _last_of(request.state.desk.parts("file", dict(request.query_params), content, long=True))
        return _response(await _attended(request, work))


def _posted(task: str) -> Callable[[Request], Awaitable[Response]]:
    """A route that takes a JSON object and answers a task."""

    async def answer(request: Request) -> Response:
        desk: Desk = request.state.desk
        checks.content_type(request.headers.get("content-type"), _JSON)
        asked = checks.json_object(await _body(request, _MOST_BYTES))
        long = task in ("path", "anneal", "report") or not _small(asked)
        if task == "report":
            form = checks.one_of("format", request.query_params.get("format", "html"), FORMATS)
            reply = await _attended(request, desk.reply(task, asked | {"format": form}, long=long))
            return _download(reply, form)
        if task == "anneal" or _LINES in request.headers.get("accept", ""):
            return _Stream(desk.parts(task, asked, long=long))
        return _response(await _attended(request, desk.reply(task, asked, long=long)))

    return answer


def _small(asked: dict[str, Any]) -> bool:
    """Whether a request is a table of two raters that takes milliseconds; what is wrong with it is found later."""
    counts = asked.get("counts")
    if "patterns" in asked or not isinstance(counts, list) or len(counts) > _SMALL_CATEGORIES:
        return False
    cells = [cell for row in counts if isinstance(row, list) for cell in row]
    return sum(cell for cell in cells if isinstance(cell, int | float)) <= _SMALL_SUBJECTS


async def _attended(request: Request, work: Awaitable[Reply]) -> Reply:
    """Some work's reply; work that takes longer than a moment stops if the client leaves."""
    reply = Reply(499, b"")  # which nobody will read
    watching: list[asyncio.Task[None]] = []

    async def leave() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        scope.cancel()

    def watch() -> None:
        watching.append(asyncio.create_task(leave()))

    with anyio.CancelScope() as scope:
        later = asyncio.get_running_loop().call_later(_MOMENT, watch)
        try:
            reply = await work
        finally:
            later.cancel()
            for task in watching:
                task.cancel()
    return reply


async def _last_of(parts: AsyncIterator[Part]) -> Reply:
    async for part in parts:
        last = part
    return last.reply


class _Stream(Response):
    """Lines of JSON as they come; an error before the first line is an answer like any other."""

    def __init__(self, parts: AsyncIterator[Part]) -> None:
        self._parts = parts
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send line by line until the answer ends or the client leaves, which stops the work."""
        started = False

        async def leave() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(leave)
            async with aclosing(self._parts) as parts:  # type: ignore[type-var]  # a generator, which can be closed
                async for part in parts:
                    if not started and part.reply.status != 200:
                        await _response(part.reply)(scope, receive, send)
                        break
                    if not started:
                        headers = [(b"content-type", _LINES.encode())]
                        await send({"type": "http.response.start", "status": 200, "headers": headers})
                        started = True
                    more = part.kind != "reply"
                    await send({"type": "http.response.body", "body": part.reply.body, "more_body": more})
            group.cancel_scope.cancel()


async def _body(request: Request, most: int) -> bytes:
    """The whole body; one that is too long is read on, keeping nothing, so that the answer to it is heard."""
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > _DRAINED:
                break
            if size <= most:
                parts.append(part)
            else:
                parts.clear()
    except ClientDisconnect:
        checks.refuse_half()
    checks.body_size(size, most)
    return b"".join(parts)


def _response(reply: Reply) -> Response:
    return Response(reply.body, status_code=reply.status, media_type=_JSON)


def _download(reply: Reply, form: str) -> Response:
    if reply.status != 200:
        return _response(reply)
    headers = {"content-disposition": f'attachment; filename="kappamax.{form}"'}
    return Response(reply.body, media_type=FORMATS[form], headers=headers)


async def _refused(request: Request, error: InvalidRequestError) -> Response:
    return _response(error_reply(error))


async def _http_error(request: Request, error: HTTPException) -> Response:
    try:
        if error.status_code == 405:
            checks.refuse_method(request.method)
        checks.refuse_page(request.url.path)
    except InvalidRequestError as refusal:
        return _response(error_reply(refusal))


async def _bug(request: Request, error: Exception) -> Response:
    return _response(bug_reply(error))
