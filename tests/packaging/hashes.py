"""Write requirements-ci.txt: the packages that CI installs, with the hashes of the files that pip downloads.

`python tests/packaging/hashes.py` downloads the packages of the extra dev in the versions of constraints.txt, for every
covered version of Python, and writes the file. `python tests/packaging/hashes.py --covers` prints "yes" if the file has
hashes for the Python that runs it, and "no" otherwise.
"""

from __future__ import annotations

import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13")
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux1_x86_64")
HEADER = """\
# Packages that CI installs, with the hashes of their files for CPython 3.11 to 3.13 on Linux (x86-64).
# Made by `make hashes` from constraints.txt; do not edit.
"""
_WHEEL = re.compile(r"(?P<name>[^-]+)-(?P<version>[^-]+)-.+\.whl")


def covers(implementation: str, version: str, system: str, machine: str) -> bool:
    """Return whether there are hashes for a Python, such as ("CPython", "3.11.7", "Linux", "x86_64")."""
    wanted = ".".join(version.split(".")[:2])
    return (implementation, system, machine) == ("CPython", "Linux", "x86_64") and wanted in PYTHONS


def canonical(name: str) -> str:
    """Return the name of a package in the form in which names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(constraints: str) -> dict[str, str]:
    """Return the version of every package of constraints.txt."""
    return {canonical(name): version for name, version in (line.split("==") for line in constraints.split())}


def locked(files: Iterable[Path], pinned: dict[str, str]) -> str:
    """Return the text of requirements-ci.txt from downloaded wheels; other files and versions are errors."""
    hashes: dict[str, set[str]] = {}
    for file in files:
        found = _WHEEL.fullmatch(file.name)
        name = canonical(found["name"]) if found else ""
        if found is None or pinned.get(name) != found["version"]:
            raise SystemExit(f"{file.name} is not a wheel of a version in constraints.txt")
        hashes.setdefault(name, set()).add(sha256(file.read_bytes()).hexdigest())
    lines = [
        " \\\n    ".join([f"{name}=={pinned[name]}", *(f"--hash=sha256:{one}" for one in sorted(found))])
        for name, found in sorted(hashes.items())
    ]
    return HEADER + "\n".join(lines) + "\n"


def download(folder: Path, pinned: dict[str, str]) -> None:
    """Download the packages for the running Python, and those whose files depend on the version for the other ones."""
    _pip("-c", ROOT / "constraints.txt", "--only-binary", ":all:", "-d", folder, f"{ROOT}[dev]")
    files = [file.name for file in folder.iterdir()]
    names = sorted(canonical(file.split("-")[0]) for file in files if re.search(r"-cp\d+-cp\d+-", file))
    tags = [word for tag in PLATFORMS for word in ("--platform", tag)]
    for version in PYTHONS:
        wheels = [f"{name}=={pinned[name]}" for name in names]
        _pip("--no-deps", "--only-binary", ":all:", "--python-version", version, *tags, "-d", folder, *wheels)


def _pip(*arguments: object) -> None:
    """Download packages."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)


def _main() -> None:
    if "--covers" in sys.argv:
        here = (platform.python_implementation(), platform.python_version(), platform.system(), platform.machine())
        print("yes" if covers(*here) else "no")
        return
    pinned = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as name:
        download(Path(name), pinned)
        text = locked(Path(name).iterdir(), pinned)
    (ROOT / "requirements-ci.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _main()
