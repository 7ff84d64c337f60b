"""A port in, the running page on this machine only out."""

from __future__ import annotations

import socket
import threading

import uvicorn

from kappamax._checks import web as checks
from kappamax.web.app import create_app

__all__ = ["bound_socket", "server_for"]

_ADDRESS = "127.0.0.1"
_PORTS_TRIED = 20


def bound_socket(port: int) -> tuple[socket.socket, int]:
    """A socket of this machine on a port, or on the next one that is free; port 0 is any."""
    tried = range(port, min(port + _PORTS_TRIED, 2**16)) if port else [0]
    for one in tried:
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            found.bind((_ADDRESS, one))
            found.listen(128)  # so that a second page finds the port taken
            return found, int(found.getsockname()[1])
        except OSError:
            found.close()
    return checks.some_port(port, tried)


class Server(uvicorn.Server):
    """A server that says when it answers."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then say so."""
        await super().startup(sockets)
        self.ready.set()


def server_for() -> Server:
    """The server of the page: quiet, without proxies or websockets."""
    config = uvicorn.Config(
        create_app(),
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    return Server(config)
