"""Reject requests from other origins, and add the headers that keep the page to itself.

Starlette's own `TrustedHostMiddleware` rejects requests to other names of this machine.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kappamax.errors import InvalidRequestError
from kappamax.web.worker import Reply, bug_reply, error_reply

#: the names under which the page is answered, so that no name from elsewhere leads here
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
    """Pass on the requests that the page itself makes, and answer those from other origins and all errors itself."""

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
                # a new version of the page shows at once, and no data stays in a cache
                cached = b"no-store" if scope["path"].startswith("/api/") else b"no-cache"
                own = [*_HEADERS.items(), (b"cache-control", cached)]
                message = {**message, "headers": [*message["headers"], *own]}
            await send(message)

        try:
            headers = Headers(scope=scope)
            own_origin = f"http://{headers.get('host', '')}".lower()
            if headers.get("origin", own_origin).lower() != own_origin:
                raise InvalidRequestError(
                    "this page answers requests from itself only, not from other sites.", status=403
                )
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # what is not ours is a bug, which is reported without any of the data
            if not started:
                reply = error_reply(error) if isinstance(error, InvalidRequestError) else bug_reply(error)
                await json_response(reply)(scope, receive, send_with_headers)


def json_response(reply: Reply) -> Response:
    """Return a reply in JSON as a response."""
    return Response(reply.body, status_code=reply.status, media_type="application/json")
