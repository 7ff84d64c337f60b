"""Answer requests in a separate process that reads them from standard input.

A process can be stopped at any time, and its work does not delay other requests. A job is one line of JSON with the
name of a request, how to answer it (`Mode`), and the request. The answer consists of the line `BEGUN` and one or more
replies, each a header line (status, whether more replies follow, numbers of bytes), a body and a text to be logged. The
process ends when its standard input is closed, so it does not outlive the server. On Linux its memory is limited.
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
from traceback import format_tb
from typing import Any, BinaryIO, Literal, NamedTuple

import msgspec

from kappamax.errors import InvalidRequestError, KappamaxError
from kappamax.web.advice import likely_controls, message_of
from kappamax.web.limits import MAX_WORKER_BYTES

#: how a job is answered: as a whole, line by line as parts become known, or only by checking the request
Mode = Literal["whole", "lines", "check"]
#: line that a process writes when it begins a job; if it ends before, the job can be given to another process
BEGUN = b"begun\n"
_NICE = 10
_NO_MEMORY = (
    f"the computation needs more memory than the page allows ({MAX_WORKER_BYTES / 1e9:g} GB); the command line and "
    "Python have no limit."
)


class Reply(NamedTuple):
    """HTTP status and body of an answer or of a part of it.

    `more` says whether further parts follow, and `log` is a text for the log of the server.
    """

    status: int
    body: bytes
    more: bool = False
    log: str = ""


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Read jobs from `source` and write the answers to `target` until there are no more jobs."""
    from kappamax.web import handlers  # noqa: F401  # this import takes most of the starting time

    jobs: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(source, jobs), daemon=True).start()

    def send(reply: Reply) -> None:
        log = reply.log.encode()
        target.write(b"%d %d %d %d\n" % (reply.status, reply.more, len(reply.body), len(log)) + reply.body + log)
        target.flush()

    while True:
        job = jobs.get()
        target.write(BEGUN)
        target.flush()
        if not answer_job(job, send):
            os._exit(1)  # the server starts another process


def answer_job(job: bytes, send: Callable[[Reply], None]) -> bool:
    """Answer one job; errors are answered with their message.

    The return value is False if memory was exhausted, after which the process may not have enough for other jobs.
    """
    from kappamax.web.handlers import HANDLERS, check
    from kappamax.web.schemas import REQUESTS

    def show(line: dict[str, Any]) -> None:
        send(Reply(200, _as_json(line) + b"\n", more=True))

    try:
        name, mode, content = msgspec.json.decode(job, type=tuple[str, Mode, msgspec.Raw])
        request = msgspec.json.decode(content, type=REQUESTS[name])
        answer = check if mode == "check" else HANDLERS[name]
        found = answer(request, show if mode == "lines" else None)
        reply = Reply(200, found.encode() if isinstance(found, str) else _as_json(found))
    except KappamaxError as error:
        reply = error_reply(error)
    except MemoryError:
        send(error_reply(InvalidRequestError(_NO_MEMORY, code="memory-limit")))
        return False
    except Exception as error:  # a computation that fails on valid input is a bug, which is logged and answered
        said = f"the computation failed on this input ({_kind_and_place(error)}); the server has logged where."
        reply = error_reply(InvalidRequestError(said, code="computation-failed"))._replace(log=logged_error(error))
    send(reply)
    return True


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
    """Return the reply for an unexpected error of the server, with its type and its place in the code but no data."""
    return Reply(500, _as_json({"error": f"an unexpected error occurred: {_kind_and_place(error)}."}))


def logged_error(error: BaseException) -> str:
    """Return the traceback of an error for the log, without its message, which may contain data."""
    causes = "".join(map(logged_error, error.exceptions)) if isinstance(error, BaseExceptionGroup) else ""
    return f"{''.join(format_tb(error.__traceback__))}{type(error).__name__}\n{causes}"


def _kind_and_place(error: Exception) -> str:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "" if frame is None else f" at {frame.tb_frame.f_globals.get('__name__')}:{frame.tb_lineno}"
    return f"{type(error).__name__}{place}"


def _as_json(content: Any) -> bytes:
    """Return content as strict JSON in ASCII; objects of other types, which errors may name, are text."""
    return json.dumps(content, allow_nan=False, separators=(",", ":"), default=str).encode()


def _receive(source: BinaryIO, jobs: SimpleQueue[bytes]) -> None:
    """Read jobs while others are being answered, and end the process when the server closes its input."""
    while line := source.readline():
        jobs.put(line)
    os._exit(0)


def _limit_memory() -> None:
    """Limit the address space, so that a request ends in an error and not in the memory of the whole machine."""
    if sys.platform == "linux":  # other systems have no such limit, or do not enforce it
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = MAX_WORKER_BYTES if most == resource.RLIM_INFINITY else min(MAX_WORKER_BYTES, most)
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))


def _main() -> None:
    _limit_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C and then ends its processes
    if "--long" in sys.argv and hasattr(os, "nice"):
        os.nice(_NICE)
    target = os.fdopen(os.dup(1), "wb")
    warnings.simplefilter("ignore")  # answers contain notes instead
    os.dup2(2, 1)  # so that the output of libraries is not mixed with the answers
    serve(sys.stdin.buffer, target)


if __name__ == "__main__":
    _main()
