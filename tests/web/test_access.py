"""Only requests with the token are answered, and the token does not stay in the address."""

import re

import pytest
from starlette.testclient import TestClient

from kappamax.web.access import Access
from kappamax.web.app import create_app
from kappamax.web.middleware import OWN_HOSTS

BASE = "http://127.0.0.1:8737"
SENTENCE = "open the address that kappamax serve printed, which contains a token"
PATHS = ("/", "/static/main.js", "/static/style.css", "/api/examples", "/api/none", "/none")


@pytest.fixture
def stranger(access):
    """Return a client without the token; its application starts no processes."""
    return TestClient(create_app(access), base_url=BASE, follow_redirects=False)


@pytest.mark.parametrize("path", PATHS)
def test_requests_without_the_token_are_refused(stranger, path):
    """The answer is one sentence that says what to do; nothing of the page is sent."""
    answer = stranger.get(path)
    assert answer.status_code == 403
    said = answer.json()["error"] if path.startswith("/api/") else answer.text.strip()
    assert SENTENCE in said[0].lower() + said[1:]
    assert len(said.splitlines()) == 1
    assert "set-cookie" not in answer.headers
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("body", [b"", b"{", b"x" * 2_000_000])
def test_a_body_without_the_token_is_not_read(stranger, body):
    """The request is refused for the missing token, whatever it contains."""
    answer = stranger.post("/api/table", content=body, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["code"]) == (403, "no-token")


@pytest.mark.parametrize("given", ["", "x", "é", "\ud800", "token", "0" * 43, "0" * 10_000])
def test_other_tokens_are_refused(stranger, given):
    """They do not admit in the address, in the header and in the cookie."""
    wrong = given.encode("utf-8", "replace").decode()
    assert stranger.get("/", params={"token": wrong}).status_code == 403
    header = {"authorization": b"Bearer " + wrong.encode()}
    assert stranger.get("/api/examples", headers=header).status_code == 403
    cookie = {"cookie": b"kappamax-8737=" + wrong.encode()}
    assert stranger.get("/api/examples", headers=cookie).status_code == 403


def test_the_address_is_exchanged_for_a_cookie(stranger, access):
    """The redirect has no token, and the cookie is hidden from scripts and other sites and is not the token."""
    answer = stranger.get("/", params={"token": access.token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"]
    assert re.fullmatch(r"kappamax-8737=[\w-]{43}; Path=/; HttpOnly; SameSite=Strict", cookie)
    assert access.token not in cookie + answer.text
    assert stranger.get("/").status_code == 200


def test_the_token_is_exchanged_at_the_page_only(stranger, access):
    """In any other address, and with other methods, it does not admit."""
    for path in PATHS[1:]:
        assert stranger.get(path, params={"token": access.token}).status_code == 403
    assert stranger.post("/", params={"token": access.token}).status_code == 403
    assert (
        "set-cookie" not in stranger.get("/", params={"token": access.token}, headers={"host": "evil.example"}).headers
    )
    assert "evil.example" not in OWN_HOSTS


def test_programs_send_the_token_as_a_header(stranger, access):
    """The scheme is Bearer, in any case."""
    for scheme in ("Bearer", "bearer"):
        assert stranger.get("/", headers={"authorization": f"{scheme} {access.token}"}).status_code == 200
    assert stranger.get("/", headers={"authorization": f"Basic {access.token}"}).status_code == 403


def test_a_token_for_a_single_use_admits_once():
    """Other users can see it among the arguments of the command that opens the browser."""
    access = Access()
    once, other = access.single_use_token(), access.single_use_token()
    assert [access.admits_token(given) for given in (once, once, other, other)] == [True, False, True, False]
    assert access.admits_token(access.token)
    assert access.admits_token(access.token)


def test_every_run_has_other_secrets(stranger, access):
    """The cookie of an earlier run does not admit."""
    stranger.get("/", params={"token": access.token})
    with_old_cookie = TestClient(create_app(Access()), base_url=BASE, cookies=dict(stranger.cookies))
    assert stranger.get("/").status_code == 200
    assert with_old_cookie.get("/").status_code == 403


def test_the_browser_is_opened_with_a_token_for_a_single_use(monkeypatch):
    """The printed token is not among the arguments of the command."""
    import webbrowser

    from click.testing import CliRunner

    from kappamax.cli.serve import serve
    from kappamax.web import server

    opened, used = [], []
    monkeypatch.setattr(webbrowser, "open", opened.append)

    class Ready:
        def __init__(self, access, when_ready):
            used.append(access)
            when_ready()

        def run(self, sockets):
            pass

    monkeypatch.setattr(server, "server_for", Ready)
    printed = CliRunner().invoke(serve, ["--port", "0"]).stdout.strip()
    assert printed.endswith(f"/?token={used[0].token}")
    assert opened[0].startswith(printed.removesuffix(used[0].token))
    assert used[0].token not in opened[0]
    assert used[0].admits_token(opened[0].partition("token=")[2])
