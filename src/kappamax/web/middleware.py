"""Requests in; those from this machine's own page let through, with the headers that keep the page to itself, out."""

from __future__ import annotations

from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kappamax._checks import web as checks
from kappamax.errors import InvalidRequestError
from kappamax.web.handlers import Reply, bug_reply, error_reply

__all__ = ["POLICY", "Guard"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


class Guard:
    """An application that answers this machine's own page only, and whose answers may load nothing from elsewhere."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        started = False

        async def send_guarded(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message = {**message, "headers": _with_headers(message["headers"])}
            await send(message)

        try:
            headers = Headers(scope=scope)
            checks.own_host(headers.get("host"))
            checks.own_origin(headers.get("origin"), headers.get("host"))
            await self._app(scope, receive, send_guarded)
        except InvalidRequestError as error:
            if not started:
                await _answer(error_reply(error), send_guarded)
        except Exception as error:  # a bug of ours: say so without a word of the data
            if not started:
                await _answer(bug_reply(error), send_guarded)


async def _answer(reply: Reply, send: Send) -> None:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(reply.body)).encode())]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


def _with_headers(given: Any) -> list[tuple[bytes, bytes]]:
    own = dict(_HEADERS)
    if not any(name.lower() == b"cache-control" for name, _ in given):
        own["cache-control"] = "no-store"
    return [*given, *((name.encode(), value.encode()) for name, value in own.items())]
