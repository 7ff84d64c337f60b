"""Run the command line, in this process or in a fresh one."""

import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from unittest.mock import patch

from kappamax.cli import main


def run(*arguments, stdin="", **environment):
    """Run `kappamax` in this process and return its output and exit code as a finished process.

    An exception that the command line does not turn into an exit code is raised.
    """
    given = TextIOWrapper(BytesIO(stdin.encode()), encoding="utf-8")
    output, errors = (TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    streams = patch.multiple(sys, stdin=given, stdout=output, stderr=errors)
    code = 0
    with patch.dict(os.environ, environment), streams:
        try:
            main.main(list(arguments), prog_name="kappamax")
        except SystemExit as ended:
            code = ended.code or 0
    printed = (stream.buffer.getvalue().decode() for stream in (output, errors))
    return subprocess.CompletedProcess(arguments, code, *printed)


def run_process(*arguments, stdin="", **environment):
    """Run `python -m kappamax` and return the finished process."""
    return subprocess.run(
        [sys.executable, "-m", "kappamax", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=os.environ | environment,
        check=False,
    )
