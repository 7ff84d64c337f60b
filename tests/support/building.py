"""Run commands and build wheels and source distributions."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*command, **options):
    """Run a command and return its output; if it fails, the error shows the output."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = list(map(str, command))
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(source, folder, kind):
    """Return the path of the distribution that `python -m build` makes of a folder."""
    run(sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", folder, source)
    (made,) = folder.iterdir()
    return made
