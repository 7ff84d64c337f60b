"""Reject requests from other hosts and origins, and add the headers that keep the page to itself."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kappamax.errors import InvalidRequestError
from kappamax.web.worker import Reply, bug_reply, error_reply

_OWN_HOSTS = ("127.0.0.1", "localhost", "[::1]")
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
    """Pass on the requests that this machine's own page makes, and answer all others and all errors itself.

    Starlette's `TrustedHostMiddleware` answers other hosts with status 400 and plain text; the page answers everything
    it refuses in JSON, and other hosts and origins alike with 403.
    """

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
            _require_own_page(Headers(scope=scope))
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # what is not ours is a bug, which is reported without any of the data
            if not started:
                reply = error_reply(error) if isinstance(error, InvalidRequestError) else bug_reply(error)
                await json_response(reply)(scope, receive, send_with_headers)


def json_response(reply: Reply) -> Response:
    """Return a reply in JSON as a response."""
    return Response(reply.body, status_code=reply.status, media_type="application/json")


def _require_own_page(headers: Headers) -> None:
    """Require a name of this machine, so that no name from elsewhere leads here, and no origin but the page."""
    host = headers.get("host", "").lower()
    if (host if host.endswith("]") else host.rpartition(":")[0] or host) not in _OWN_HOSTS:
        raise InvalidRequestError("this page answers requests to 127.0.0.1 and localhost only.", status=403)
    if headers.get("origin", f"http://{host}").lower() != f"http://{host}":
        raise InvalidRequestError("this page answers requests from itself only, not from other sites.", status=403)
