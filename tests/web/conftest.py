"""The real server on a free port of this machine, once for all tests of the page."""

import threading
from collections.abc import Iterator

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


@pytest.fixture(scope="session")
def client() -> Iterator[object]:
    """The application itself, without a network; an error inside it is an answer, as for a browser."""
    from starlette.testclient import TestClient

    from kappamax.web.app import create_app

    with TestClient(create_app(), base_url="http://127.0.0.1:8737", raise_server_exceptions=False) as talking:
        yield talking
