"""Receive the bodies of requests within limits of size and time.

Bodies are received before a request waits for a process, so a client that stalls delays nobody else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from starlette.requests import ClientDisconnect, Request

from kappamax.errors import InvalidRequestError
from kappamax.web.limits import MAX_BYTES_HELD, MAX_BYTES_READ, RECEIVING_SECONDS


class Bodies:
    """Bodies of all requests that are being received or answered, whose sizes are added up.

    Parameters
    ----------
    seconds : float
        Time limit in seconds for receiving a body.
    """

    def __init__(self, seconds: float = RECEIVING_SECONDS) -> None:
        self._seconds = seconds
        self._n_held = 0

    @asynccontextmanager
    async def received(self, request: Request, most: int) -> AsyncIterator[bytes]:
        """Receive a body of at most `most` bytes, which counts as held until the context ends."""
        held = _Held(self, most)
        try:
            await self._receive(request, held)
            yield held.content()
        finally:
            held.drop()

    async def _receive(self, request: Request, held: _Held) -> None:
        try:
            with anyio.fail_after(self._seconds):
                async for part in request.stream():
                    held.add(part)
                    if held.n_read > MAX_BYTES_READ:
                        break
        except TimeoutError:
            raise InvalidRequestError(
                f"the request did not arrive within {self._seconds:g} s.", status=408, code="time-limit"
            ) from None
        except ClientDisconnect:
            raise InvalidRequestError("the client disconnected before the end of the request.", status=400) from None

    def reserve(self, n_bytes: int) -> bool:
        """Return whether further bytes may be held, which then count; a negative number releases bytes."""
        if n_bytes > 0 and self._n_held + n_bytes > MAX_BYTES_HELD:
            return False
        self._n_held += n_bytes
        return True


class _Held:
    """Parts of one body; a body that is too long is read to its end, so that the client receives the error message."""

    def __init__(self, bodies: Bodies, most: int) -> None:
        self.n_read = 0
        self._bodies, self._most = bodies, most
        self._parts: list[bytes] = []
        self._refused = False

    def add(self, part: bytes) -> None:
        self.n_read += len(part)
        if self.n_read > self._most or self._refused:
            self.drop()
        elif self._bodies.reserve(len(part)):
            self._parts.append(part)
        else:
            self._refused = True
            self.drop()

    def content(self) -> bytes:
        if self.n_read > self._most:
            raise InvalidRequestError(f"the request must not be longer than {self._most / 1e6:g} MB.", status=413)
        if self._refused:
            raise InvalidRequestError(
                "the server is receiving too many requests at once; send this one again later.", status=503, code="busy"
            )
        return b"".join(self._parts)

    def drop(self) -> None:
        self._bodies.reserve(-sum(map(len, self._parts)))
        self._parts.clear()
