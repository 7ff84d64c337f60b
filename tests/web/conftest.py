"""Fixtures that start the server on a free port and return clients of the application."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest


@pytest.fixture(scope="session")
def access() -> Any:
    """Return the token that all servers of these tests ask for."""
    from kappamax.web.access import Access

    return Access()


@pytest.fixture(scope="session")
def token_header(access) -> dict[str, str]:
    """Return the header with which programs are admitted."""
    return {"authorization": f"Bearer {access.token}"}


@pytest.fixture(scope="session")
def server(access) -> Iterator[str]:
    """Start the server and return its base address."""
    from kappamax.web.server import bound_socket, server_for

    socket, port = bound_socket(0)
    running = server_for(access)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    running.ready.wait(timeout=30)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(timeout=30)
    socket.close()


@pytest.fixture
def apart() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Return a function that runs a coroutine in a thread, because browser tests may already run an event loop."""

    def result_of(work: Coroutine[Any, Any, Any]) -> Any:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, work).result()

    return result_of


@pytest.fixture(scope="session")
def client(access, token_header) -> Iterator[object]:
    """Return a client of the application without a network; errors of the application are answers."""
    from starlette.testclient import TestClient

    from kappamax.web.app import create_app

    options = {"base_url": "http://127.0.0.1:8737", "headers": token_header, "raise_server_exceptions": False}
    with TestClient(create_app(access), **options) as talking:
        yield talking
