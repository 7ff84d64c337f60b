"""Answer requests in a separate process that reads them from standard input.

A process can be stopped at any time, and its work does not delay other requests. A job is one line of JSON with the
name of a request, whether the client reads the answer line by line, and the request. The answer consists of one or more
replies, each a header line (status, whether more replies follow, number of bytes) and a body of that many bytes. The
process ends when its standard input is closed, so it does not outlive the server.
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
from kappamax.web.advice import likely_controls, message_of

_NICE = 10


class Reply(NamedTuple):
    """HTTP status and body of an answer or of a part of it; `more` says whether further parts follow."""

    status: int
    body: bytes
    more: bool = False


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Read jobs from `source` and write the answers to `target` until there are no more jobs."""
    from kappamax.web import handlers  # noqa: F401  # this import takes most of the starting time

    jobs: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(source, jobs), daemon=True).start()

    def send(reply: Reply) -> None:
        target.write(b"%d %d %d\n" % (reply.status, reply.more, len(reply.body)) + reply.body)
        target.flush()

    while True:
        answer_job(jobs.get(), send)


def answer_job(job: bytes, send: Callable[[Reply], None]) -> None:
    """Answer one job; errors are answered with their message."""
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
        reply = error_reply(InvalidRequestError("the computation needs more memory than is available."))
    except Exception as error:  # any other error is a bug, which is reported without the data
        reply = bug_reply(error)
    send(reply)


def error_reply(error: KappamaxError) -> Reply:
    """Return the reply for an error of this package, with a message that names the controls of the page."""
    content: dict[str, Any] = {"error": " ".join(message_of(error).split()), "code": error.code}
    if error.fields:
        from kappamax._result import plain  # imports numpy, which the server itself does not need

        content["fields"] = plain(error.fields)
    if options := likely_controls(error):
        content["options"] = options
    if not isinstance(error, InvalidRequestError):
        return Reply(422, _as_json(content))
    places = {"field": error.field, "cell": error.cell, "columns": error.columns}
    return Reply(error.status, _as_json(content | {name: value for name, value in places.items() if value is not None}))


def bug_reply(error: Exception) -> Reply:
    """Return the reply for an unexpected error, with its type and its place in the code but no data."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "" if frame is None else f" at {frame.tb_frame.f_globals.get('__name__')}:{frame.tb_lineno}"
    return Reply(500, _as_json({"error": f"an unexpected error occurred: {type(error).__name__}{place}."}))


def _as_json(content: Any) -> bytes:
    """Return content as strict JSON in ASCII; objects of other types, which errors may name, are text."""
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=str).encode()


def _receive(source: BinaryIO, jobs: SimpleQueue[bytes]) -> None:
    """Read jobs while others are being answered, and end the process when the server closes its input."""
    while line := source.readline():
        jobs.put(line)
    os._exit(0)


def _main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and then ends its processes
    if "--long" in sys.argv and hasattr(os, "nice"):
        os.nice(_NICE)
    target = os.fdopen(os.dup(1), "wb")
    warnings.simplefilter("ignore")  # answers contain notes instead
    os.dup2(2, 1)  # so that the output of libraries is not mixed with the answers
    serve(sys.stdin.buffer, target)


if __name__ == "__main__":
    _main()
