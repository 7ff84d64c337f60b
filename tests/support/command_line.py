"""Run the command line as a user does."""

import os
import subprocess
import sys


def run(*arguments, stdin=None, **environment):
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
