"""Build the site once for all tests that read it."""

import subprocess
import sys

import pytest

from tests.support.page_blocks import ROOT


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """Return the folder of the built site; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-n", "-b", "html"]
    command += ["-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


@pytest.fixture
def mathml(monkeypatch):
    """Return the function by which the site converts a formula to MathML."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "_extensions"))
    from docutils import nodes
    from mathml import converted

    return lambda formula: converted(nodes.math_block("", formula), as_block=True)
