"""End connections whose client neither sends a request nor reads its answer."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from kappamax.web.limits import IDLE_SECONDS, MAX_CONNECTIONS

_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
    b'{"error":"the server has too many connections; try again later.","code":"busy"}'
)


class TimedConnection(H11Protocol):
    """Connection that ends if nothing is being answered for `idle_seconds`.

    This covers clients that send no request or only a part of its header, that stop sending a body that nobody reads
    any more, and that do not read an answer which is complete. The times for receiving and sending while a request is
    being answered are limited elsewhere (`bodies`, `middleware`).
    """

    idle_seconds = IDLE_SECONDS
    max_connections = MAX_CONNECTIONS

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in uvicorn
        """Begin to measure the time, or close the connection if there are too many."""
        super().connection_made(transport)
        self._last_answering = self.loop.time()
        self._timer = self.loop.call_later(self.idle_seconds, self._end_if_idle)
        if len(self.connections) > self.max_connections:
            transport.write(_BUSY)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop measuring the time."""
        self._timer.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begin to measure the time again after an answer."""
        self._last_answering = self.loop.time()
        super().on_response_complete()

    def _end_if_idle(self) -> None:
        cycle: Any = self.cycle
        if cycle is not None and not cycle.response_complete and not self.transport.is_closing():
            self._last_answering = self.loop.time()
        ends = self._last_answering + self.idle_seconds
        if ends <= self.loop.time():
            self.transport.abort()  # unlike close, it does not wait until the client has read everything
        else:
            self._timer = self.loop.call_at(ends, self._end_if_idle)
