"""The real server on a free port of this machine, once for all tests of the page."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The base address of the running page."""
    from kappamax.web.server import bound_socket, server_for

    socket, port = bound_socket(0)
    running = server_for()
    thread = threading.Thread(target=running.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    running.ready.wait(timeout=30)
    yield f"http://127.0.0.1:{port}"
    running.should_exit = True
    thread.join(timeout=30)
    socket.close()


@pytest.fixture
def apart() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Gives a coroutine's result, run in a thread: a browser test in this process may have a loop of its own."""

    def result_of(work: Coroutine[Any, Any, Any]) -> Any:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, work).result()

    return result_of


@pytest.fixture(scope="session")
def client() -> Iterator[object]:
    """The application itself, without a network; an error inside it is an answer, as for a browser."""
    from starlette.testclient import TestClient

    from kappamax.web.app import create_app

    with TestClient(create_app(), base_url="http://127.0.0.1:8737", raise_server_exceptions=False) as talking:
        yield talking
