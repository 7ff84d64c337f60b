"""Clients that stall are disconnected and do not delay others; the server ends quietly and frees its port."""

import json
import signal
import socket
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import anyio
import httpx2 as httpx
import pytest
from starlette.testclient import TestClient

from kappamax.errors import InvalidRequestError
from kappamax.web import bodies as receiving
from kappamax.web.app import create_app
from kappamax.web.bodies import Bodies
from kappamax.web.connections import TimedConnection
from kappamax.web.middleware import OwnPageOnly
from kappamax.web.pool import WorkerPool
from kappamax.web.server import Server, bound_socket
from kappamax.web.worker import Reply

OCTETS = {"content-type": "application/octet-stream"}
#: search that shows its first steps soon and takes much longer
LONG = {"counts": [[300 + 10 * (i == j) for j in range(8)] for i in range(8)], "weight": "sqrt", "proposal": "swaps"}


@contextmanager
def running(app, idle_seconds=0.2, max_connections=100):
    """Run an application with connections that end soon, and yield its port."""
    import uvicorn

    limits = {"idle_seconds": idle_seconds, "max_connections": max_connections}
    protocol = type("Soon", (TimedConnection,), limits)
    config = uvicorn.Config(app, http=protocol, log_config=None, log_level="critical", lifespan="off", ws="none")
    found, port = bound_socket(0)
    server = Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [found]}, daemon=True)
    thread.start()
    server.ready.wait(timeout=30)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        found.close()


def connected(port):
    """Return a connection that fails, and does not wait for ever, if the server does not end it."""
    return closing(socket.create_connection(("127.0.0.1", port), timeout=30))


async def echo(scope, receive, send):
    """Answer with a short text without reading the request."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def flood(scope, receive, send):
    """Answer with more than the buffers of a connection hold."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(200):
        await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})


@pytest.mark.parametrize(
    "sent",
    [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"],
    ids=["nothing", "half a line", "half a header"],
)
def test_a_client_that_sends_no_whole_request_is_disconnected(sent):
    """The connection ends without an answer."""
    with running(echo) as port, connected(port) as talk:
        talk.sendall(sent)
        assert talk.recv(1000) == b""


def test_a_kept_connection_without_a_further_request_is_disconnected():
    """It also ends if a part of a further request, or the rest of a body that nobody reads, arrives slowly."""
    whole = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nx"
    with running(echo) as port:
        for first, more in ((whole, b"y"), (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"GET / HT")):
            with connected(port) as talk:
                talk.sendall(first)
                assert talk.recv(1000).startswith(b"HTTP/1.1 200")
                talk.sendall(more)
                with_end = b"".join(iter(lambda talk=talk: talk.recv(1000), b""))
                assert with_end in (b"", b"ok")


def test_too_many_connections_are_refused():
    """The answer says so; the connections before are answered."""
    with running(echo, idle_seconds=30, max_connections=2) as port, connected(port) as first, connected(port):
        first.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert first.recv(1000).startswith(b"HTTP/1.1 200")
        with connected(port) as third:
            refused = b"".join(iter(lambda: third.recv(1000), b""))
    assert refused.startswith(b"HTTP/1.1 503")
    assert json.loads(refused.partition(b"\r\n\r\n")[2])["code"] == "busy"


def test_a_client_that_does_not_read_its_answer_is_disconnected():
    """The application is not kept waiting, and nothing is logged."""
    ended = threading.Event()

    async def watched(scope, receive, send):
        try:
            await flood(scope, receive, send)
        finally:
            ended.set()

    with running(OwnPageOnly(watched, sending_seconds=0.1)) as port, connected(port) as talk:
        talk.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert ended.wait(timeout=30)


class Stalling:
    """Request whose body stops after its first part."""

    def __init__(self, *parts, then=None):
        self._parts, self._then = parts, then

    async def stream(self):
        for part in self._parts:
            yield part
        if self._then is not None:
            await self._then


def received(apart, bodies, request, most=100):
    """Return the body of a request."""

    async def content():
        async with bodies.received(request, most) as body:
            return body

    return apart(content())


def test_a_body_that_stalls_is_an_error(apart):
    """The error says how long the server waited, and nothing of the body remains."""
    bodies = Bodies(seconds=0.05)
    with pytest.raises(InvalidRequestError, match=r"the request did not arrive within 0.05 s") as caught:
        received(apart, bodies, Stalling(b"abc", then=anyio.sleep_forever()))
    assert (caught.value.status, bodies._n_held) == (408, 0)


def test_the_bodies_of_all_requests_together_are_limited(apart, monkeypatch):
    """A request beyond the limit is refused, a later one is received, and small ones are not kept out."""
    monkeypatch.setattr(receiving, "MAX_BYTES_HELD", 10)
    bodies = Bodies()

    async def both():
        async with bodies.received(Stalling(b"12345", b"678"), 100) as first:
            with pytest.raises(InvalidRequestError, match="too many requests at once") as caught:
                async with bodies.received(Stalling(b"12", b"3"), 100):
                    pass
            async with bodies.received(Stalling(b"12"), 100) as third:
                return first, third, caught.value.status

    assert apart(both()) == (b"12345678", b"12", 503)
    assert received(apart, bodies, Stalling(b"1234567890")) == b"1234567890"
    assert bodies._n_held == 0


def test_a_body_that_is_too_long_is_not_held(apart):
    """It is read up to a limit and refused."""
    bodies = Bodies()
    with pytest.raises(InvalidRequestError, match="must not be longer than 0.0001 MB") as caught:
        received(apart, bodies, Stalling(b"x" * 60, b"x" * 60))
    assert (caught.value.status, bodies._n_held) == (413, 0)


@pytest.mark.slow
def test_stalled_uploads_do_not_block_others(server, token_header):
    """While more uploads stall than there are places for jobs, another file is read."""
    port = urlsplit(server).port
    head = (
        f"POST /api/file HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {token_header['authorization']}\r\n"
        "Content-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\na,b\n"
    )
    stalled = [socket.create_connection(("127.0.0.1", port)) for _ in range(4)]
    try:
        for one in stalled:
            one.sendall(head.encode())
        answer = httpx.post(f"{server}/api/file", content=b"a,b\n1,1\n1,2\n", headers=token_header | OCTETS, timeout=20)
        assert answer.status_code == 200
    finally:
        for one in stalled:
            one.close()


@pytest.mark.slow
def test_invalid_requests_do_not_wait_for_others(access, token_header, monkeypatch):
    """If all processes are busy, a wrong request is answered, and only a valid one is given to the queue."""

    async def queue(self, name, request, mode="whole"):
        yield Reply(418, b"{}")

    monkeypatch.setattr(WorkerPool, "full", True)
    monkeypatch.setattr(WorkerPool, "replies", queue)
    with TestClient(create_app(access), base_url="http://127.0.0.1:8737", headers=token_header) as talking:
        for path in ("/api/path", "/api/report", "/api/table", "/api/anneal"):
            answer = talking.post(path, json={"counts": [[0, 0], [0, 0]]})
            assert (answer.status_code, "at least one subject" in answer.json()["error"]) == (422, True)
            assert talking.post(path, json={"counts": [[1, 2], [3, 4]]}).status_code == 418
        wrong = talking.post("/api/file?rename=x", content=b"a,b", headers=OCTETS)
        assert (wrong.status_code, wrong.json()["field"]) == (422, "rename")
        assert talking.post("/api/file", content=b"a,b", headers=OCTETS).status_code == 418


def test_a_port_can_be_used_again_at_once():
    """A connection that the server closed first does not occupy the port."""
    found, port = bound_socket(0)
    with found, connected(port) as talk:
        accepted, _ = found.accept()
        accepted.close()
        assert talk.recv(10) == b""
    again, moved = bound_socket(port)
    again.close()
    assert moved == port


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent differently there")
def test_the_server_ends_quietly_during_a_request():
    """The exit code is 0 or 130, nothing but the hint is printed, and the same port serves again at once."""
    port = 0
    for signals in ([signal.SIGTERM], [signal.SIGINT], [signal.SIGINT, signal.SIGINT]):
        command = [sys.executable, "-m", "kappamax", "serve", "--no-browser", "--port", str(port)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as page:
            address = urlsplit(page.stdout.readline().strip())
            assert port in (0, address.port)
            port = address.port
            header = {"authorization": f"Bearer {address.query.removeprefix('token=')}"}
            search = f"http://127.0.0.1:{port}/api/anneal"
            with httpx.stream("POST", search, json=LONG, headers=header, timeout=60) as answer:
                next(answer.iter_lines())
                for one in signals:
                    page.send_signal(one)
                rest, errors = page.communicate(timeout=60)
        assert (rest, errors) == ("", "Press Ctrl-C to stop.\n")
        assert page.returncode in (0, 130)
