"""Jobs on standard input in, answers on standard output out: a process of its own for the page's work.

A process can be stopped at any moment, and its work never holds up another request. A job is a line of JSON and so many
bytes; an answer is any number of parts, each a line of JSON and so many bytes, the last one marked. The process ends
with its standard input, so it does not outlive the page.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import warnings
from queue import SimpleQueue
from typing import Any, BinaryIO

__all__ = ["serve"]

_NICE = 10


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Do jobs until there are no more."""
    from kappamax.web.handlers import run_job

    jobs: SimpleQueue[tuple[dict[str, Any], bytes]] = SimpleQueue()
    threading.Thread(target=_receive, args=(source, jobs), daemon=True).start()

    def send(kind: str, status: int, body: bytes) -> None:
        header = json.dumps({"kind": kind, "status": status, "size": len(body)})
        target.write(header.encode() + b"\n" + body)
        target.flush()

    while True:
        job, payload = jobs.get()
        run_job(job["task"], job["request"], payload, send)


def _receive(source: BinaryIO, jobs: SimpleQueue[tuple[dict[str, Any], bytes]]) -> None:
    """Read jobs beside the work; when no more can come, the page is gone and work is for nobody."""
    while line := source.readline():
        job = json.loads(line)
        jobs.put((job, source.read(job["size"])))
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
