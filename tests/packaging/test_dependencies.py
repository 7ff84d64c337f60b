"""pyproject.toml names every package that the code imports."""

import ast
import re
import sys
import tomllib

from tests.packaging.minimum import FRAMES
from tests.support.building import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
TOOLS = ("dev", "docs")  # extras for contributors


def imported(source: str) -> set[str]:
    """Return the top-level packages that a module imports, except those that only type checkers import."""
    tree = ast.parse(source)
    checked = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    ]
    skipped = {id(inner) for node in checked for part in node.body for inner in ast.walk(part)}
    found = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module.partition(".")[0])
    return found


def undeclared(packages: set[str], project: dict) -> set[str]:
    """Return the packages that are not part of Python and that no dependency, extra or extra of a dependency names."""
    extras = (lines for name, lines in project["optional-dependencies"].items() if name not in TOOLS)
    requirements = [*project["dependencies"], *(line for lines in extras for line in lines)]
    named = {name.replace("-", "_") for line in requirements for name in re.findall(r"[\w-]+", line.partition(">")[0])}
    return packages - named - {"kappamax"} - set(sys.stdlib_module_names)


def test_every_imported_package_is_declared():
    """The rule includes packages that are installed with another package."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    packages = set().union(*map(imported, sources))
    assert {"numpy", "starlette", "anyio", "msgspec", "uvicorn"} <= packages
    assert undeclared(packages, PROJECT) <= set(FRAMES)  # these are imported only if the caller uses them


def test_a_package_that_is_not_declared_is_found():
    """Imports inside a function are found, and imports for type checkers are ignored."""
    source = """
import os
from starlette.requests import Request
if TYPE_CHECKING:
    import pyspark

def late():
    import anyio.abc
    from . import own
    import python_calamine, distributed
"""
    assert imported(source) == {"os", "starlette", "anyio", "python_calamine", "distributed"}
    project = {
        "dependencies": [],
        "optional-dependencies": {
            "web": ["starlette>=1.0"],
            "excel": ["python-calamine>=0.6"],
            "cluster": ["dask[distributed]>=2024.12"],
            "dev": ["anyio>=4.0"],
        },
    }
    assert undeclared(imported(source), project) == {"anyio"}
