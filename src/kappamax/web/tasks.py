"""The name of a task and a request in, the JSON of the answer or of the error out: what threads and processes run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from kappamax.errors import InvalidRequestError, KappamaxError

__all__ = ["Reply", "as_bytes", "error_reply", "reply_to"]


class Reply(NamedTuple):
    """An HTTP status and the body to send with it."""

    status: int
    body: bytes


def reply_to(task: str, request: dict[str, Any], tell: Callable[[str], None] | None = None) -> Reply:
    """Do a task; what the request gets wrong is part of the answer."""
    from kappamax.web import service

    try:
        if task == "table":
            return Reply(200, as_bytes(service.calculate(request, tell)))
        if task == "report":
            return Reply(200, service.report_file(request, tell).encode())
        short = {"weights": service.weights_in_words, "maximizers": service.maximizers}
        return Reply(200, as_bytes(short[task](request)))
    except KappamaxError as error:
        return error_reply(error)


def error_reply(error: KappamaxError) -> Reply:
    """An error of ours as an answer."""
    content: dict[str, Any] = {"error": _one_line(str(error))}
    if not isinstance(error, InvalidRequestError):
        return Reply(422, as_bytes(content))
    if error.field is not None:
        content["field"] = error.field
    if error.cell is not None:
        content["cell"] = error.cell
    return Reply(error.status, as_bytes(content))


def as_bytes(content: Any) -> bytes:
    """JSON as the standard has it, in ASCII."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()


def _one_line(message: str) -> str:
    return " ".join(message.split())
