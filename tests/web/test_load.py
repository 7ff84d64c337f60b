"""The server answers many clients at once, starts and ends, and finds a free port."""

import asyncio
import signal
import socket
import subprocess
import sys
from math import inf
from urllib.parse import urljoin, urlsplit

import httpx2 as httpx
import pytest

from benchmarks.web import Load, largest_job, random_table, run_load
from kappamax.errors import NotSupportedError
from kappamax.web import server as serving
from kappamax.web.pool import WorkerPool
from kappamax.web.schemas import Request


@pytest.mark.slow
def test_fifty_clients_are_answered_while_the_largest_job_runs(server, access, apart):
    """All requests are answered without an error; `python -m benchmarks.web` measures the times."""
    load = apart(run_load(urlsplit(server).port, access.token, clients=50, seconds=5, pause=1))
    assert set(load.statuses) == {200}
    assert sum(load.statuses.values()) >= 50
    assert load.long_jobs >= 1


@pytest.mark.slow
def test_the_clients_post_what_the_page_takes(server, token_header):
    """The server accepts the requests of the load test."""
    import numpy as np

    rng = np.random.default_rng(0)
    with httpx.Client(base_url=server, headers=token_header, timeout=60) as talking:
        assert talking.post("/api/table", json=random_table(rng)).status_code == 200
        with talking.stream("POST", "/api/anneal", json=largest_job(rng)) as answer:
            assert answer.status_code == 200


def test_a_load_is_summed_up():
    """The summary has the median and the 99th percentile in milliseconds."""
    load = Load([0.01] * 99 + [0.5], {200: 100}, 1)
    assert "100 answers {200: 100}, median 10 ms" in str(load)
    assert load.percentile(1.0) == 0.5


def test_a_request_goes_to_the_process_that_knows_its_table(apart):
    """If that process is busy, the request goes to the process that has been idle longest."""

    async def processes():
        pool = WorkerPool(2, 60.0)
        used = []
        try:
            await pool.warm_up()
            for table_key in (b"a", b"b", b"a", b"b", b"b"):
                async with pool.worker(table_key) as worker:
                    await worker.send("ready", Request())
                    assert (await worker.reply(inf, 60.0)).status == 200
                used.append(worker)
        finally:
            await pool.close()
        return used

    first, second, *rest = apart(processes())
    assert first is not second
    assert rest == [first, second, second]


def test_a_taken_port_moves_to_the_next():
    """The next free port is used."""
    first, port = serving.bound_socket(0)
    second, moved = serving.bound_socket(port)
    with first, second:
        assert moved > port
        assert second.getsockname()[0] == "127.0.0.1"


def test_small_answers_are_sent_at_once(apart):
    """TCP_NODELAY is set, so that no packet waits for the acknowledgement of the previous one."""
    listening, port = serving.bound_socket(0)

    async def accepted():
        delays = []

        async def look(reader, writer):
            delays.append(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(look, sock=listening):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await reader.read()
            writer.close()
        return delays

    assert all(apart(accepted()))


def test_no_free_port_is_an_error(monkeypatch):
    """The error names the ports."""
    monkeypatch.setattr(serving, "_PORTS_TRIED", 1)
    taken, port = serving.bound_socket(0)
    with taken, pytest.raises(NotSupportedError, match=f"the ports {port} to {port} of 127.0.0.1 are all in use"):
        serving.bound_socket(port)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent differently there")
def test_serve_prints_its_address_answers_and_ends_with_ctrl_c():
    """The command in a new process answers requests until Ctrl-C."""
    command = [sys.executable, "-m", "kappamax", "serve", "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as page:
        address = page.stdout.readline().strip()
        with httpx.Client(timeout=60, follow_redirects=True) as talking:
            assert talking.get(address).status_code == 200
            assert talking.get(urljoin(address, "/api/examples")).status_code == 200
        page.send_signal(signal.SIGINT)
        rest, errors = page.communicate(timeout=60)
    assert (page.returncode, rest, errors) == (0, "", "Press Ctrl-C to stop.\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", urlsplit(address).port))


def test_serve_opens_the_browser_when_the_page_answers(access):
    """The option --no-browser prevents it."""
    import threading

    opened = threading.Event()
    running = serving.server_for(access, opened.set)
    listening, _ = serving.bound_socket(0)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    assert opened.wait(timeout=60)
    running.should_exit = True
    thread.join()
    listening.close()


@pytest.mark.parametrize("package", ["anyio", "msgspec", "starlette", "uvicorn"])
def test_a_missing_extra_names_the_command(monkeypatch, package):
    """The error gives the command that installs the extra."""
    from kappamax.cli.serve import serve

    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(NotSupportedError, match=r'pip install "kappamax\[web\]"'):
        serve.main(["--no-browser"], standalone_mode=False)
