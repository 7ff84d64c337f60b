"""Admit only requests that know the token of the server, so that other users of the machine cannot use it.

The printed address contains the token. Opening it sets a cookie and leads to the page without the token, which is then
neither in the address nor in the history of the browser. Programs send the token in the header Authorization.
"""

from __future__ import annotations

from hmac import compare_digest
from secrets import token_urlsafe

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from kappamax.errors import InvalidRequestError

_REFUSAL = "open the address that kappamax serve printed, which contains a token; this request has none or another one."


class Access:
    """Secrets of one run of the server.

    Attributes
    ----------
    token : str
        Token that admits as often as it is used, until the server ends.
    """

    def __init__(self) -> None:
        self.token = token_urlsafe(32)
        self._session = token_urlsafe(32)
        self._unused: set[str] = set()

    def single_use_token(self) -> str:
        """Return a token that admits once.

        It is for commands that open a browser, because other users can see the arguments of a command.
        """
        made = token_urlsafe(32)
        self._unused.add(made)
        return made

    def admits_token(self, given: str) -> bool:
        """Return whether a token admits; one for a single use is then used up."""
        if _same(given, self.token):
            return True
        used = next((one for one in self._unused if _same(given, one)), None)
        self._unused.discard(used or "")
        return used is not None

    def admits(self, connection: HTTPConnection) -> bool:
        """Return whether a request has the cookie, or the token in the header Authorization."""
        scheme, _, given = connection.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return _same(given.strip(), self.token)
        return _same(connection.cookies.get(_cookie_name(connection.scope), ""), self._session)

    def cookie(self, scope: Scope) -> str:
        """Return the header that sets the cookie, which is sent only by the page itself and is hidden from scripts."""
        return f"{_cookie_name(scope)}={self._session}; Path=/; HttpOnly; SameSite=Strict"


class TokenRequired:
    """Middleware that rejects requests without the token, and exchanges a token in the address for the cookie."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        connection = HTTPConnection(scope)
        given = connection.query_params.get("token")
        if given is not None and scope["path"] == "/" and scope["method"] == "GET" and self._access.admits_token(given):
            headers = {"set-cookie": self._access.cookie(scope)}
            await RedirectResponse("/", status_code=303, headers=headers)(scope, receive, send)
        elif self._access.admits(connection):
            await self._app(scope, receive, send)
        elif scope["path"].startswith("/api/"):
            raise InvalidRequestError(_REFUSAL, status=403, code="no-token")
        else:
            await PlainTextResponse(f"{_REFUSAL[0].upper()}{_REFUSAL[1:]}\n", status_code=403)(scope, receive, send)


def _cookie_name(scope: Scope) -> str:
    """Return the name of the cookie, with the port, because browsers send a cookie to all ports of a machine."""
    return f"kappamax-{scope['server'][1]}"


def _same(given: str, secret: str) -> bool:
    """Compare in a time that does not depend on how many characters are right."""
    return compare_digest(given.encode("utf-8", "replace"), secret.encode())
