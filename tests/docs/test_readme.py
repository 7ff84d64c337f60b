"""The examples of the README and the lists of the installation page are correct."""

import re
import tomllib
from fractions import Fraction

import pytest

from tests.support.page_blocks import ROOT, blocks_of


@pytest.fixture(scope="module")
def readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_example_is_short_and_its_comment_is_right(readme):
    """The comment shows the computed values."""
    (code,) = [block.text for block in blocks_of(readme, "README.md") if block.language == "python"]
    beginning, shown = re.search(r"(.*?)result\.value, result\.exact\s+# (.*?)\n", code, re.DOTALL).groups()
    names = {}
    exec(beginning, names)
    result = names["result"]
    assert eval(shown, {"Fraction": Fraction}) == (result.value, result.exact)
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


def test_the_readme_shows_the_two_main_commands(readme):
    """Kappa and its maximum are shown with their output."""
    shown = [
        block.text for block in blocks_of(readme, "README.md") if block.language == "console" and not block.not_run
    ]
    assert any("kappamax kappa" in text and "0.5023" in text for text in shown)
    assert any("kappamax max" in text and "0.7511" in text for text in shown)


def test_the_readme_says_how_to_install_and_test(readme):
    """It names `make`, `make test` and a way without make."""
    assert "$ make " in readme
    assert "make test" in readme
    assert "Scripts" in readme


def test_the_install_page_lists_the_extras_and_versions_of_python():
    """They are those of pyproject.toml."""
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", page, re.MULTILINE))
    extras = project["optional-dependencies"]
    assert list(rows) == [extra for extra in extras if extra != "dev"]
    for extra, packages in rows.items():
        if extra != "all":
            assert packages.split(", ") == [re.split(r"[\[>]", requirement)[0] for requirement in extras[extra]]
    versions = re.findall(r":: (3\.\d+)$", "\n".join(project["classifiers"]), re.MULTILINE)
    assert f"its tests run on {', '.join(versions[:-1])} and {versions[-1]}" in page
    assert extras["all"] == [f"kappamax[{','.join(extra for extra in rows if extra not in ('all', 'docs'))}]"]
