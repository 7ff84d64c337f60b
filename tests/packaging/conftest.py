"""Build the wheel, the sdist and an environment without extras once for all tests of the packages."""

import sys
import venv

import pytest

from tests.support.building import ROOT, built, run


@pytest.fixture(scope="session")
def sdist(tmp_path_factory):
    return built(ROOT, tmp_path_factory.mktemp("sdist"), "sdist")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    return built(ROOT, tmp_path_factory.mktemp("wheel"), "wheel")


@pytest.fixture(scope="session")
def bare(wheel, tmp_path_factory):
    """Return the Python of a fresh environment with only the wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    options = ["--quiet", "--disable-pip-version-check", "-c", ROOT / "constraints.txt"]
    run(python, "-m", "pip", "install", *options, wheel)
    return python
