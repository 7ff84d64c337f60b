"""The wheel and the sdist of this checkout, built once; an environment with the wheel and no extras, made once."""

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
    """The Python of a fresh environment with the wheel and its dependencies only."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    options = ["--quiet", "--disable-pip-version-check", "-c", ROOT / "constraints.txt"]
    run(python, "-m", "pip", "install", *options, wheel)
    return python
