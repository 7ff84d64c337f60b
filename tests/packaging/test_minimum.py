"""The pins of the oldest versions are derived from pyproject.toml."""

import tomllib

import pytest

from tests.packaging.minimum import FOLLOWERS, FRAMES, minimum
from tests.support.building import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = (ROOT / "constraints.txt").read_text(encoding="utf-8")


def numbers(version):
    return tuple(map(int, version.split(".")))


def test_lower_bounds_become_pins_and_other_pins_are_kept():
    """Extras are pinned to their lowest versions too, but tools and followers of another package are not."""
    project = {
        "name": "own",
        "dependencies": ["numpy>=2.0"],
        "optional-dependencies": {"fast": ["numba>=0.60"], "all": ["own[fast]"], "dev": ["pandas>=2.2.2", "ruff>=0.8"]},
    }
    pins = "llvmlite==0.50.0\nnumpy==2.4.6\nruff==0.17.4\nsix==1.17\n"
    assert minimum(project, pins) == ["numba==0.60", "numpy==2.0", "pandas==2.2.2", "ruff==0.17.4", "six==1.17"]


@pytest.mark.parametrize("requirement", ["numpy", "numpy==2.0", "numpy>=2.0,<3", "numpy>2"])
def test_a_dependency_without_a_lowest_version_is_an_error(requirement):
    """Every requirement must have the form name>=version."""
    with pytest.raises(SystemExit, match="must have the form name>=version"):
        minimum({"name": "own", "dependencies": [requirement], "optional-dependencies": {}}, "")


def test_every_dependency_is_pinned_above_its_lowest_version():
    """constraints.txt contains all dependencies, and the followers of other packages exist in it."""
    newest = dict(line.split("==") for line in PINS.lower().split())
    lowest = [line.split("==") for line in minimum(PROJECT, "")]
    assert {name for name, _ in lowest} >= {"numpy", "duckdb", "numba", "dask", "starlette", *FRAMES}
    assert all(numbers(version) <= numbers(newest[name]) for name, version in lowest)
    assert set(FOLLOWERS) <= set(newest)
