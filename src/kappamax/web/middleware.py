"""Reject requests from other origins, and add security headers to every response.

Starlette's `TrustedHostMiddleware` rejects requests whose Host header is not in `OWN_HOSTS`.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kappamax.errors import InvalidRequestError
from kappamax.web.worker import Reply, bug_reply, error_reply

#: accepted Host headers; all others are rejected to prevent DNS rebinding
OWN_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_HEADERS = {
    b"content-security-policy": (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}


class OwnPageOnly:
    """Middleware that rejects requests from other origins and turns errors into responses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                # a new version of the page is loaded at once, and no data are cached
                cached = b"no-store" if scope["path"].startswith("/api/") else b"no-cache"
                own = [*_HEADERS.items(), (b"cache-control", cached)]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        try:
            headers = Headers(scope=scope)
            own_origin = f"http://{headers.get('host', '')}".lower()
            if headers.get("origin", own_origin).lower() != own_origin:
                raise InvalidRequestError("requests from other origins are not accepted.", status=403)
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # any other error is a bug, which is reported without the data
            if not started:
                reply = error_reply(error) if isinstance(error, InvalidRequestError) else bug_reply(error)
                await json_response(reply)(scope, receive, send_with_headers)


def json_response(reply: Reply) -> Response:
    """Return the HTTP response for a reply in JSON."""
    return Response(reply.body, status_code=reply.status, media_type="application/json")
