"""Answer the page's requests in a process of its own, which reads them from standard input.

A process can be stopped at any moment, and its work never holds up another request. A job is one line of JSON: the name
of a request, whether the client reads the answer line by line, and the request. The answer is one or more replies, each
a line of JSON (status, whether more follow, number of bytes) and so many bytes. The process ends with its standard
input, so it does not outlive the page.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, BinaryIO, NamedTuple

import msgspec

from kappamax.errors import InvalidRequestError, KappamaxError

_NICE = 10


class Reply(NamedTuple):
    """An HTTP status and the body to send with it: a whole answer, its last part, or one that more parts follow."""

    status: int
    body: bytes
    more: bool = False


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Answer the jobs that come from `source` until there are no more."""
    from kappamax.web import handlers  # noqa: F401  # takes most of the time that a process needs to start

    jobs: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(source, jobs), daemon=True).start()

    def send(reply: Reply) -> None:
        target.write(b"%d %d %d\n" % (reply.status, reply.more, len(reply.body)) + reply.body)
        target.flush()

    while True:
        answer_job(jobs.get(), send)


def answer_job(job: bytes, send: Callable[[Reply], None]) -> None:
    """Answer one job; an error is an answer too."""
    from kappamax.web.handlers import HANDLERS
    from kappamax.web.schemas import REQUESTS

    def show(line: dict[str, Any]) -> None:
        send(Reply(200, _as_json(line) + b"\n", more=True))

    try:
        name, by_line, content = msgspec.json.decode(job, type=tuple[str, bool, msgspec.Raw])
        request = msgspec.json.decode(content, type=REQUESTS[name])
        found = HANDLERS[name](request, show if by_line else None)
        reply = Reply(200, found.encode() if isinstance(found, str) else _as_json(found))
    except KappamaxError as error:
        reply = error_reply(error)
    except MemoryError:
        reply = error_reply(InvalidRequestError("this takes more memory than there is."))
    except Exception as error:  # a bug of ours, which is reported without any of the data
        reply = bug_reply(error)
    send(reply)


def error_reply(error: KappamaxError) -> Reply:
    """Return one of our own errors as an answer."""
    content: dict[str, Any] = {"error": " ".join(str(error).split())}
    if not isinstance(error, InvalidRequestError):
        return Reply(422, _as_json(content))
    places = {"field": error.field, "cell": error.cell, "columns": error.columns}
    return Reply(error.status, _as_json(content | {name: value for name, value in places.items() if value is not None}))


def bug_reply(error: Exception) -> Reply:
    """Return the kind of an unexpected error and its place in the code, which hold no data."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "" if frame is None else f" at {frame.tb_frame.f_globals.get('__name__')}:{frame.tb_lineno}"
    return Reply(500, _as_json({"error": f"something unexpected went wrong: {type(error).__name__}{place}."}))


def _as_json(content: Any) -> bytes:
    """Return strict JSON in ASCII."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def _receive(source: BinaryIO, jobs: SimpleQueue[bytes]) -> None:
    """Read jobs while another is worked on; when no more can come, the page is gone and the process ends."""
    while line := source.readline():
        jobs.put(line)
    os._exit(0)


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the page, which then ends its processes
    if "--long" in sys.argv and hasattr(os, "nice"):
        os.nice(_NICE)
    target = os.fdopen(os.dup(1), "wb")
    warnings.simplefilter("ignore")  # answers have notes of their own
    os.dup2(2, 1)  # whatever libraries print does not get among the answers
    serve(sys.stdin.buffer, target)


if __name__ == "__main__":
    _main()
