"""The name of a task and a request in, the answer or the error as bytes out: what the page's processes run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from kappamax.errors import InvalidRequestError, KappamaxError

__all__ = ["Reply", "as_bytes", "bug_reply", "error_reply", "run_job"]

#: called with a kind ("progress", "line" or "reply"), an HTTP status and a body
Send = Callable[[str, int, bytes], None]


class Reply(NamedTuple):
    """An HTTP status and the body to send with it."""

    status: int
    body: bytes


def run_job(task: str, request: dict[str, Any], payload: bytes, send: Send) -> None:
    """Do a task and send its reply; what the request gets wrong is an answer too."""

    def tell(message: str) -> None:
        send("progress", 200, as_bytes({"progress": message}) + b"\n")

    def show(line: dict[str, Any]) -> None:
        send("line", 200, as_bytes(line) + b"\n")

    try:
        reply = Reply(200, _answer(task, request, payload, tell, show))
    except KappamaxError as error:
        reply = error_reply(error)
    except MemoryError:
        reply = error_reply(InvalidRequestError("this takes more memory than there is."))
    except Exception as error:  # a bug of ours: the page says so, without a word of the data
        reply = bug_reply(error)
    send("reply", *reply)


def error_reply(error: KappamaxError) -> Reply:
    """An error of ours as an answer."""
    content: dict[str, Any] = {"error": " ".join(str(error).split())}
    if not isinstance(error, InvalidRequestError):
        return Reply(422, as_bytes(content))
    for name in ("field", "cell", "columns"):
        if getattr(error, name) is not None:
            content[name] = getattr(error, name)
    return Reply(error.status, as_bytes(content))


def bug_reply(error: Exception) -> Reply:
    """What no request should bring about: the kind of error and its place in our code, which hold no data."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    place = "" if frame is None else f" at {frame.tb_frame.f_globals.get('__name__')}:{frame.tb_lineno}"
    return Reply(500, as_bytes({"error": f"something unexpected went wrong: {type(error).__name__}{place}."}))


def as_bytes(content: Any) -> bytes:
    """JSON as the standard has it, in ASCII."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def _answer(
    task: str,
    request: dict[str, Any],
    payload: bytes,
    tell: Callable[[str], None],
    show: Callable[[dict[str, Any]], None],
) -> bytes:
    """One task's answer; each part of the library is imported when it is first needed."""
    from kappamax.web import service

    told = {"table": service.numbers_of, "chance": service.chances, "pictures": service.pictures}
    if task in told:
        return as_bytes(told[task](request, tell))
    if task == "report":
        return service.report_file(request, request.pop("format"), tell).encode()
    if task == "file":
        from kappamax.web.uploads import file_table

        return as_bytes(file_table(request, payload))
    if task == "anneal":
        from kappamax.web.moves import annealing

        return as_bytes(annealing(request, show)) + b"\n"
    if task in ("moves", "path"):
        from kappamax.web import moves

        return as_bytes({"moves": moves.moves, "path": moves.path_to_maximum}[task](request))
    rest: dict[str, Callable[[dict[str, Any]], Any]] = {
        "weights": service.weights_in_words,
        "maximizers": service.maximizers,
        "examples": lambda _: service.examples(),
        "ready": lambda _: None,
    }
    return as_bytes(rest[task](request))
