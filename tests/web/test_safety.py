"""Requests from other origins and malformed requests are rejected without status 500 and without logging data."""

import json
import os
import socket
import string
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit

import anyio
import httpx2 as httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

import kappamax as km
from kappamax.web import app as application
from kappamax.web.app import create_app
from kappamax.web.worker import Reply
from tests.support.strategies import examples

SMALL = {"counts": [[20, 5], [10, 15]], "weights": ["unweighted"]}
TASKS = ("table", "chance", "pictures", "weights", "maximizers", "moves", "path", "anneal", "report")
PATHS = ("/", "/static/main.js", "/static/none.js", "/api/examples", "/api/none", "/api/table")
FUZZ = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=examples(60)
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
numbers = st.one_of(st.integers(-2, 40), st.floats(allow_nan=False, allow_infinity=False), json_values)
weightings = st.one_of(
    st.sampled_from(["linear", "sqrt", "power(1.5)", "power(1e999)", "circular"]),
    st.fixed_dictionaries({"positions": st.lists(numbers, max_size=4), "scheme": st.sampled_from(["linear", "ratio"])}),
    st.fixed_dictionaries({"matrix": st.lists(st.lists(numbers, max_size=3), max_size=3)}),
    json_values,
)
cells = st.lists(st.lists(numbers, max_size=3), max_size=3)
requests = st.fixed_dictionaries(
    {},
    optional={
        "counts": st.one_of(
            st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=2, max_size=2), cells
        ),
        "patterns": st.one_of(cells, json_values),
        "categories": st.one_of(st.lists(st.text(max_size=3) | numbers, max_size=3), json_values),
        "raters": st.one_of(st.lists(st.text(max_size=3), max_size=3), json_values),
        "ordered": st.booleans() | json_values,
        "weights": st.lists(weightings, max_size=3) | json_values,
        "weight": weightings,
        "title": json_values,
        "start": numbers,
        "top": numbers,
        "seed": numbers,
        "proposal": st.sampled_from(["moves", "swaps"]) | json_values,
        "move": st.fixed_dictionaries({"plus": cells, "minus": cells}) | json_values,
    },
)


def has_own_headers(answer) -> None:
    """Assert that an answer has the security headers."""
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


def is_safe(answer) -> None:
    """Assert that an answer is not a server error, has the security headers, and reports errors as one line of JSON."""
    assert answer.status_code < 500, answer.text
    has_own_headers(answer)
    if answer.status_code >= 400:
        error = answer.json()["error"]
        assert error
        assert "\n" not in error


@FUZZ
@given(task=st.sampled_from(TASKS), asked=requests | json_values)
def test_any_json_is_answered(client, task, asked):
    """Any JSON object is answered safely."""
    is_safe(client.post(f"/api/{task}", json=asked))


@FUZZ
@given(body=st.binary(max_size=200), kind=st.sampled_from(["application/json", "text/plain", ""]))
def test_any_bytes_are_answered(client, body, kind):
    """Any body is answered safely."""
    answer = client.post("/api/table", content=body, headers={"content-type": kind})
    is_safe(answer)
    assert answer.status_code in ((415,) if kind != "application/json" else (200, 400, 413, 422))


@settings(FUZZ, max_examples=examples(25))
@given(
    body=st.binary(max_size=200) | st.text("ab,\n\t\"';0129{}[]:", max_size=60).map(str.encode),
    layout=st.sampled_from(["wide", "long", "counts", "patterns", "none"]),
    more=st.dictionaries(
        st.sampled_from(["raters", "categories", "missing", "sheet", "count", "rename", "encoding", "skip_rows", "x"]),
        st.text(max_size=5),
    ),
)
def test_any_file_is_answered(client, body, layout, more):
    """Any file with any options is answered safely."""
    more = {name: text.encode("utf-8", "ignore").decode() for name, text in more.items()}
    headers = {"content-type": "application/octet-stream"}
    for route in ("/api/file", "/api/inspect"):
        is_safe(client.post(route, content=body, params={"layout": layout} | more, headers=headers))


@FUZZ
@given(
    path=st.text(string.printable + "é", max_size=30).map(quote),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD"]),
    header=st.text(string.ascii_letters + string.digits + " ;:/.,", max_size=20),
)
def test_any_path_method_and_header_is_answered(client, path, method, header):
    """Any path, method and header is answered safely."""
    headers = {"accept": header, "content-type": header, "x-other": header, "range": header}
    answer = client.request(method, f"/{path}", headers=headers)
    assert answer.status_code < 500


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8737", "127.0.0.1.evil.example", "0.0.0.0:8737", ""])
def test_other_names_of_this_machine_are_refused(client, host):
    """Requests with another Host header (DNS rebinding) are rejected."""
    for path in PATHS:
        answer = client.get(path, headers={"host": host})
        assert (answer.status_code, answer.text) == (400, "Invalid host header")
        has_own_headers(answer)


@pytest.mark.parametrize("host", ["127.0.0.1:8737", "localhost:8737", "127.0.0.1", "[::1]:8737", "LocalHost"])
def test_this_machines_own_names_are_answered(client, host):
    """The names of the local machine are accepted with and without a port."""
    assert client.get("/api/examples", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:8737", "http://127.0.0.1:1"])
def test_other_sites_are_refused(client, origin):
    """Requests from other origins are rejected even if their content type is right."""
    answer = client.post("/api/table", json=SMALL, headers={"origin": origin})
    assert answer.status_code == 403
    assert "requests from other origins" in answer.json()["error"]
    is_safe(answer)


def test_the_pages_own_origin_is_answered(client):
    """Requests of the page's scripts are accepted."""
    assert client.post("/api/table", json=SMALL, headers={"origin": "http://127.0.0.1:8737"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        *("/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/"),
        *("/static/x.js", "/static/..\\app.py", "/static/%00", "/../../etc/passwd", "/static/index.html/../../app.py"),
    ],
)
def test_only_the_packages_own_assets_are_served(server, access, path):
    """The paths are sent without normalisation by a client."""
    port = urlsplit(server).port
    with socket.create_connection(("127.0.0.1", port)) as talk:
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {access.token}\r\n"
        talk.sendall(f"{head}Connection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: talk.recv(65536), b""))
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"def create_app" not in answer


def test_assets_are_revalidated_and_answers_are_not_cached(client):
    """Assets are revalidated, and answers are not stored in a cache."""
    page, answer = client.get("/"), client.post("/api/table", json=SMALL)
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"
    assert answer.headers["cache-control"] == "no-store"
    is_safe(page)
    static = Path(km.__file__).parent / "web" / "static"
    for script in static.rglob("*.js"):
        assert (
            client.get(f"/static/{script.relative_to(static).as_posix()}")
            .headers["content-type"]
            .startswith("text/javascript")
        )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"{", "not JSON"),
        (b"[1]", "must be a JSON object"),
        (b'{"counts": NaN}', "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"counts": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"[" * 100_000, "not JSON"),
    ],
)
def test_a_body_that_is_not_json_is_an_error(client, body, words):
    """The answer has status 400 and one line."""
    answer = client.post("/api/table", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert words in answer.json()["error"]


def test_long_requests_are_refused_without_being_kept(client):
    """The answer has status 413, with or without a Content-Length header."""
    long = b'{"counts": "' + b"x" * 1_100_000 + b'"}'
    answer = client.post("/api/table", content=long, headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert "longer than 1 MB" in answer.json()["error"]
    chunks = client.post("/api/table", content=iter([long, long]), headers={"content-type": "application/json"})
    assert chunks.status_code == 413
    file = client.post("/api/file", content=b"1" * 20_000_001, headers={"content-type": "application/octet-stream"})
    assert file.status_code == 413
    assert "longer than 20 MB" in file.json()["error"]


def test_methods_and_types_are_those_documented(client):
    """Other methods have status 405, and other content types status 415."""
    assert client.get("/api/table").status_code == 405
    assert client.post("/").status_code == 405
    assert client.options("/api/table").status_code == 405
    form = client.post("/api/table", content=b"a=b", headers={"content-type": "application/x-www-form-urlencoded"})
    assert form.status_code == 415
    assert "must be application/json" in form.json()["error"]


def test_work_beyond_the_time_limit_is_stopped(access, token_header):
    """Every such request has status 422, because stopped processes are replaced."""
    app = create_app(access, quick_seconds=0, long_seconds=0)
    with TestClient(app, base_url="http://127.0.0.1:8737", headers=token_header) as client:
        for path in ("/api/table", "/api/table", "/api/path", "/api/anneal", "/api/report"):
            answer = client.post(path, json=SMALL)
            assert answer.status_code == 422
            assert "exceeded the time limit of the page (0 s)" in answer.json()["error"]


def test_work_stops_when_its_client_leaves(apart):
    """The work stops even if a part of the answer has been sent."""

    class Leaving:
        async def receive(self):
            await anyio.sleep(0)
            return {"type": "http.disconnect"}

    class Staying:
        async def receive(self):
            await anyio.sleep_forever()

    ended = []

    async def endless():
        try:
            yield Reply(200, b"{}", more=True)
            await anyio.sleep_forever()
        finally:
            ended.append(True)

    async def soon():
        yield Reply(200, b"{}", more=True)
        yield Reply(200, b"[]")

    assert apart(application._answer(Leaving(), endless())).status == 200
    assert ended == [True]
    assert apart(application._answer(Staying(), soon())).body == b"[]"
    assert apart(application._answer(Staying(), soon(), by_line=True)).body == b"{}"


@pytest.mark.slow
def test_a_client_that_leaves_stops_its_work(server, token_header):
    """After the client of a long search disconnects, the next search is answered."""
    counts = [[7000 if i == j else 6900 for j in range(12)] for i in range(12)]
    job = {"counts": counts, "weight": "sqrt", "proposal": "swaps", "seed": 1}
    for _ in range(3):  # more requests than processes for long jobs
        with httpx.stream("POST", f"{server}/api/anneal", json=job, headers=token_header, timeout=60) as answer:
            assert json.loads(next(answer.iter_lines()))["step"] > 0
    assert httpx.post(f"{server}/api/path", json=SMALL, headers=token_header, timeout=60).status_code == 200


@pytest.mark.slow
def test_nothing_of_the_data_is_printed_or_written(tmp_path):
    """A server in a separate process leaves no trace of a table, a file and a malformed request."""
    script = """
import httpx2, threading, sys
from kappamax.web.access import Access
from kappamax.web.server import bound_socket, server_for
socket, port = bound_socket(0)
access = Access()
server = server_for(access)
thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)  # a failure ends the process
thread.start(); server.ready.wait()
base = f"http://127.0.0.1:{port}"
secret = "SECRETLABEL"
table = {"counts": [[3, 1], [1, 4]], "categories": [secret, "b"]}
octets = {"content-type": "application/octet-stream"}
talking = httpx2.Client(base_url=base, headers={"authorization": "Bearer " + access.token}, timeout=60)
answers = [
    talking.post("/api/table", json=table),
    talking.post("/api/table", json=table | {"weights": [secret]}),
    talking.post(f"/api/file?raters={secret}", content=b"SECRETLABEL,b\\n1,2\\n", headers=octets),
    talking.post("/api/file", content=b"a,b\\nSECRETLABEL,x\\nx,SECRETLABEL\\n", headers=octets),
]
talking.close()
assert [answer.status_code for answer in answers] == [200, 422, 422, 200], answers
server.should_exit = True
thread.join()
"""
    places = {name: str(tmp_path) for name in ("TMPDIR", "TEMP", "TMP", "HOME")}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, env=os.environ | places
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_bug_is_reported_without_the_data(client, monkeypatch):
    """The answer has the type and the place of the error but not the data."""

    def broken(body):
        raise RuntimeError("SECRET")

    monkeypatch.setattr(application, "decoded", broken)
    answer = client.post("/api/table", json=SMALL)
    assert answer.status_code == 500
    assert "RuntimeError" in answer.json()["error"]
    assert "SECRET" not in answer.text
