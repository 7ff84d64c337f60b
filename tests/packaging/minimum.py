"""Print pins of the oldest version of every dependency that pyproject.toml allows.

`python tests/packaging/minimum.py` prints a constraints file for pip: what kappamax names, in its lowest version; what
those packages need in turn, in the version of constraints.txt, as a user of today would get it. Generated each time, so
that it cannot differ from pyproject.toml.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FRAMES = ("pandas", "polars", "pyarrow")  # not dependencies, but read where present: their lower bounds are promises
FOLLOWERS = ("distributed", "llvmlite", "polars-runtime-32")  # each fits one version of its leader only
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<extras>\[[\w,-]+\])?>=(?P<version>[\d.]+)")


def minimum(project: dict[str, Any], pins: str) -> list[str]:
    """The lines of the constraints file from the `project` table of pyproject.toml and the text of constraints.txt."""
    lowest = dict(_promised(project))
    rest = [line for line in pins.split() if line.split("==")[0].lower() not in {*lowest, *FOLLOWERS}]
    return [*(f"{name}=={version}" for name, version in sorted(lowest.items())), *rest]


def _promised(project: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and lower bound of every dependency, every extra but dev, and the frames."""
    for requirement in project["dependencies"]:
        yield _bound(requirement)
    for extra, requirements in project["optional-dependencies"].items():
        for requirement in requirements:
            own = requirement.startswith(f"{project['name']}[")
            if not own and (extra != "dev" or requirement.split(">=")[0] in FRAMES):
                yield _bound(requirement)


def _bound(requirement: str) -> tuple[str, str]:
    """`numpy>=2.0` as name and version; anything else is refused, since it has no lowest version."""
    found = _REQUIREMENT.fullmatch(requirement)
    if found is None:
        raise SystemExit(f"pyproject.toml: {requirement!r} must have the form name>=version")
    return found["name"], found["version"]


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    print(*minimum(project, (ROOT / "constraints.txt").read_text(encoding="utf-8")), sep="\n")
