"""Install other packages into environments of their own.

`main` holds what can live beside kappamax; `irrcac` is apart because irrCAC pins scipy 1.12 (Python 3.11 or 3.12).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["HERE", "ROOT", "inside", "note", "pins", "python_of"]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def python_of(name: str) -> Path:
    """The interpreter of an environment, which is made first if it is missing or its pins have changed."""
    python = _folder(name) / "bin" / "python"
    installed = _folder(name) / "installed.txt"
    wanted = _pin_file(name).read_text()
    if not installed.exists() or installed.read_text() != wanted:
        note(f"installing the environment {name!r}")
        subprocess.run([sys.executable, "-m", "venv", "--clear", _folder(name)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(_pin_file(name))], check=True)
        installed.write_text(wanted)
    return python


def inside(name: str) -> bool:
    """Whether this process runs in that environment."""
    return Path(sys.prefix) == _folder(name)


def pins(name: str) -> dict[str, str]:
    """The version of every package in an environment."""
    return dict(line.split("==") for line in _pin_file(name).read_text().split())


def note(text: str) -> None:
    """Say on stderr what is going on."""
    print(text, file=sys.stderr, flush=True)


def _folder(name: str) -> Path:
    return HERE / ".peers" / name


def _pin_file(name: str) -> Path:
    return HERE / f"peers-{name}.txt"
