"""Run the page on a port of this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

import uvicorn

from kappamax.errors import NotSupportedError
from kappamax.web.app import create_app

_ADDRESS = "127.0.0.1"
_PORTS_TRIED = 20


def bound_socket(port: int) -> tuple[socket.socket, int]:
    """Return a socket of this machine on a port, or on the next free one, and its port; port 0 is any free port."""
    tried = range(port, min(port + _PORTS_TRIED, 2**16)) if port else [0]
    for one in tried:
        # TCP by name: asyncio tells no other socket to send small packets at once, and an answer would take 40 ms more
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            found.bind((_ADDRESS, one))
            found.listen(128)  # so that a second page finds the port taken
            return found, int(found.getsockname()[1])
        except OSError:
            found.close()
    raise NotSupportedError(f"the ports {port} to {tried[-1]} of 127.0.0.1 are all taken; choose one with --port.")


def server_for(when_ready: Callable[[], None] | None = None) -> Server:
    """Return the server of the page, which logs nothing and serves no proxies or websockets."""
    config = uvicorn.Config(
        create_app(),
        log_config=None,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    return Server(config, when_ready)


class Server(uvicorn.Server):
    """A server that sets `ready` and calls a function, in a thread of its own, as soon as it answers."""

    def __init__(self, config: uvicorn.Config, when_ready: Callable[[], None] | None = None) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self._when_ready = when_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        self.ready.set()
        if self._when_ready is not None:
            threading.Thread(target=self._when_ready, daemon=True).start()
