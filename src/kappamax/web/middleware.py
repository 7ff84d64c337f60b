"""Reject requests from other origins, and add security headers to every response.

Starlette's `TrustedHostMiddleware` rejects requests whose Host header is not in `OWN_HOSTS`.
"""

from __future__ import annotations

import anyio
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kappamax.errors import InvalidRequestError
from kappamax.web.limits import SENDING_SECONDS
from kappamax.web.pool import LOGGER
from kappamax.web.worker import Reply, bug_reply, error_reply, logged_error

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
    """Middleware that rejects requests from other origins and turns errors into responses.

    A client that does not read its answer for `sending_seconds` is treated as disconnected.
    """

    def __init__(self, app: ASGIApp, sending_seconds: float = SENDING_SECONDS) -> None:
        self._app = app
        self._sending_seconds = sending_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = stalled = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started, stalled
            if message["type"] == "http.response.start":
                started = True
                # a new version of the page is loaded at once, and no data are cached
                cached = b"no-store" if scope["path"].startswith("/api/") else b"no-cache"
                own = [*_HEADERS.items(), (b"cache-control", cached)]
                message = {**message, "headers": [*message["headers"], *own]}
            with anyio.move_on_after(self._sending_seconds) as waiting:
                await send(message)
            if waiting.cancelled_caught:
                stalled = True
                raise TimeoutError

        try:
            headers = Headers(scope=scope)
            own_origin = f"http://{headers.get('host', '')}".lower()
            if headers.get("origin", own_origin).lower() != own_origin:
                raise InvalidRequestError("requests from other origins are not accepted.", status=403)
            await self._app(scope, receive, send_with_headers)
        except InvalidRequestError as error:
            if not started:
                await json_response(error_reply(error))(scope, receive, send_with_headers)
        except Exception as error:  # any other error is a bug, which is reported without the data
            if stalled:
                return
            LOGGER.error("A request failed:\n%s", logged_error(error).rstrip())
            if not started:
                await json_response(bug_reply(error))(scope, receive, send_with_headers)


def json_response(reply: Reply) -> Response:
    """Return the HTTP response for a reply in JSON."""
    # the rest of a request that did not arrive in time is not waited for
    headers = {"connection": "close"} if reply.status == 408 else None
    return Response(reply.body, status_code=reply.status, media_type="application/json", headers=headers)
