"""What the README and the docs show is what happens."""

import doctest
import re
import subprocess
import sys
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"


@pytest.fixture(scope="module")
def readme():
    return README.read_text(encoding="utf-8")


def test_the_python_example_runs_and_prints_what_it_says(readme, tmp_path, monkeypatch):
    """The values in its comment are the values."""
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    (tmp_path / "ratings.csv").write_text("a,b\nnone,mild\nmild,mild\nsevere,mild\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(code, names)
    result = names["result"]
    shown = re.search(r"result\.exact\s+# (.*)", code).group(1)
    assert eval(shown, {"Fraction": Fraction}) == (result.value, result.exact)
    assert len([line for line in code.splitlines() if line.strip()]) <= 10


@pytest.mark.parametrize("page", ["moves.md", "fiber.md", "report.md", "annealing.md", "study.md", "install.md"])
def test_the_docs_examples_print_what_they_say(page):
    """Every block of a page in turn, as a doctest."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page, page, 0)
    assert len(examples.examples) >= len(blocks) > 0
    report = []
    doctest.DocTestRunner().run(examples, out=report.append)
    assert not report, "".join(report)


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("README.md", "kappa"),
        ("README.md", "max"),
        ("docs/install.md", "kappa"),
        ("docs/moves.md", "moves"),
        ("docs/fiber.md", "test"),
        ("docs/annealing.md", "anneal"),
    ],
)
def test_the_terminal_examples_print_what_they_say(page, name):
    """The same command gives the same table."""
    text = (ROOT / page).read_text(encoding="utf-8")
    block = re.search(rf"\$ (kappamax example rapallo2022 \| kappamax {name} .*?)\n(.*?)```", text, re.DOTALL)
    command, shown = block.groups()
    command = command.replace("kappamax ", f"{sys.executable} -m kappamax ")
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, encoding="utf-8")
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown.splitlines()


def test_the_readme_names_both_commands(readme):
    """`make` and `make test`, and a way without make."""
    assert "$ make " in readme
    assert "make test" in readme
    assert "Scripts" in readme


def test_the_install_page_names_every_extra_with_its_packages_and_the_pythons():
    """As pyproject.toml has them."""
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
    assert extras["all"] == [f"kappamax[{','.join(extra for extra in rows if extra != 'all')}]"]
