"""Run the web application on a port of the local machine."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn

from kappamax.errors import NotSupportedError
from kappamax.web.access import Access
from kappamax.web.app import create_app
from kappamax.web.connections import TimedConnection

_ADDRESS = "127.0.0.1"
_PORTS_TRIED = 20


def bound_socket(port: int) -> tuple[socket.socket, int]:
    """Return a listening socket and its port, which is the given one or the next free one; 0 means any free port."""
    tried = range(port, min(port + _PORTS_TRIED, 2**16)) if port else [0]
    for one in tried:
        # asyncio sets TCP_NODELAY only if the protocol is named; without it, an answer takes 40 ms longer
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if sys.platform != "win32":  # there, two servers could then use one port
            # so that a port can be used again at once after a server has ended
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((_ADDRESS, one))
            found.listen(128)  # so that a second server finds the port in use
            return found, int(found.getsockname()[1])
        except OSError:
            found.close()
    raise NotSupportedError(f"the ports {port} to {tried[-1]} of 127.0.0.1 are all in use; choose another with --port.")


def server_for(access: Access, when_ready: Callable[[], None] | None = None) -> Server:
    """Return a server of the application for requests with the token of `access`.

    It has no log of requests, proxy headers and websockets. If `when_ready` is given, it is called as soon as the
    server accepts requests.
    """
    config = uvicorn.Config(
        create_app(access),
        http=TimedConnection,
        log_config=None,
        log_level="critical",  # the application logs its own errors, and the end of a connection is none
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        timeout_graceful_shutdown=1,
    )
    return Server(config, when_ready)


class Server(uvicorn.Server):
    """Server that sets the event `ready` and calls a function in a new thread as soon as it accepts requests.

    It ends normally after Ctrl-C and SIGTERM.
    """

    def __init__(self, config: uvicorn.Config, when_ready: Callable[[], None] | None = None) -> None:
        super().__init__(config)
        self.ready = threading.Event()
        self._when_ready = when_ready

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals as uvicorn does, but do not raise them again after the server has ended."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the server, then set `ready` and call the function."""
        await super().startup(sockets)
        self.ready.set()
        if self._when_ready is not None:
            threading.Thread(target=self._when_ready, daemon=True).start()
