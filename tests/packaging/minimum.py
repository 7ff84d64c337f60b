"""Print pins of the oldest version of every dependency that pyproject.toml allows.

`python tests/packaging/minimum.py` prints a constraints file for pip. It pins the packages that pyproject.toml names to
their lowest versions, and the packages that these need in turn to the versions in constraints.txt. The file is
generated each time, so that it cannot differ from pyproject.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FRAMES = ("pandas", "polars", "pyarrow")  # optional packages whose frames are read; their lower bounds are tested too
FOLLOWERS = ("distributed", "llvmlite", "polars-runtime-32")  # each works with only one version of another package
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<extras>\[[\w,-]+\])?>=(?P<version>[\d.]+)")


def minimum(project: dict[str, Any], pins: str) -> list[str]:
    """Return the lines of the file from the `project` table of pyproject.toml and the text of constraints.txt."""
    lowest = dict(_promised(project))
    rest = [line for line in pins.split() if line.split("==")[0].lower() not in {*lowest, *FOLLOWERS}]
    return [*(f"{name}=={version}" for name, version in sorted(lowest.items())), *rest]


def _promised(project: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the name and lower bound of every dependency, of every extra except dev, and of the frame libraries."""
    for requirement in project["dependencies"]:
        yield _bound(requirement)
    for extra, requirements in project["optional-dependencies"].items():
        for requirement in requirements:
            own = requirement.startswith(f"{project['name']}[")
            if not own and (extra != "dev" or requirement.split(">=")[0] in FRAMES):
                yield _bound(requirement)


def _bound(requirement: str) -> tuple[str, str]:
    """Return the name and version of a requirement such as `numpy>=2.0`; other forms raise an error."""
    found = _REQUIREMENT.fullmatch(requirement)
    if found is None:
        raise SystemExit(f"pyproject.toml: {requirement!r} must have the form name>=version")
    return found["name"], found["version"]


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    print(*minimum(project, (ROOT / "constraints.txt").read_text(encoding="utf-8")), sep="\n")
