"""The wheel and the sdist contain the right files and metadata."""

import re
import tarfile
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path, PurePosixPath

import pytest

from tests.support.building import ROOT, built

pytestmark = pytest.mark.slow

KINDS = {".py", ".pyi", ".csv", ".json", ".html", ".js", ".css", ".typed"}
TOP = {
    ".gitignore", "benchmarks", "CHANGELOG.md", "CITATION.cff", "constraints.txt", "CONTRIBUTING.md", "docs",
    "hatch_build.py", "LICENSE", "Makefile", "PKG-INFO", "pyproject.toml", "README.md", "requirements-ci.txt",
    "SECURITY.md", "src", "tests",
}  # fmt: skip
NEVER = {"__pycache__", ".peers", ".hypothesis", ".pytest_cache", ".venv", ".venvs", "_build", "results"}


def package_files():
    """Return the names of all files of the package in this checkout."""
    folder = ROOT / "src" / "kappamax"
    kept = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {f"kappamax/{path.relative_to(folder).as_posix()}" for path in kept if path.suffix in KINDS}


def contents(wheel):
    """Return the bytes of every file of a wheel by its name, and the sorted lines of RECORD."""
    with zipfile.ZipFile(wheel) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    return {name: sorted(text.splitlines()) if name.endswith("RECORD") else text for name, text in found.items()}


def metadata(wheel):
    """Return the METADATA of a wheel as a message."""
    (text,) = [text for name, text in contents(wheel).items() if name.endswith("/METADATA")]
    return message_from_string(text.decode())


@pytest.fixture(scope="module")
def in_sdist(sdist):
    """Return the names of the files of the sdist, relative to its only folder."""
    with tarfile.open(sdist) as archive:
        names = [PurePosixPath(member.name) for member in archive.getmembers() if member.isfile()]
    assert {name.parts[0] for name in names} == {sdist.name.removesuffix(".tar.gz")}
    return {name.relative_to(name.parts[0]) for name in names}


def test_the_wheel_contains_only_the_package(wheel):
    """It contains the modules, bundled data, the page, py.typed and the licence."""
    names = set(contents(wheel))
    about = {name for name in names if ".dist-info/" in name}
    assert names - about == package_files()
    assert {name.split(".dist-info/")[1] for name in about} == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip
    assert {"kappamax/py.typed", "kappamax/data/rapallo2022.csv", "kappamax/web/static/index.html"} <= names
    assert "kappamax/data/output-schema-1.json" in names


def test_the_sdist_contains_the_checkout_without_generated_files(in_sdist):
    """It includes tests, docs and benchmarks, so that `make test` works in it, but no caches and results."""
    assert {name.parts[0] for name in in_sdist} == TOP
    assert {str(name.relative_to("src")) for name in in_sdist if name.parts[0] == "src"} == package_files()
    assert not [name for name in in_sdist if NEVER.intersection(name.parts) or name.suffix == ".pyc"]
    assert {PurePosixPath(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("*.py")} <= in_sdist


def test_the_wheel_built_from_the_sdist_is_the_same(sdist, wheel, tmp_path):
    """Every file has the same bytes."""
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / "again").mkdir()
    again = built(tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path / "again", "wheel")
    assert contents(again) == contents(wheel)


def test_the_metadata_agree_with_pyproject(wheel):
    """Version, licence, version of Python, dependencies and extras are the same."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    said = metadata(wheel)
    assert said["Version"] == project["version"]
    assert said["License-Expression"] == project["license"]
    assert said["Requires-Python"] == project["requires-python"]
    assert set(said.get_all("Provides-Extra")) == set(project["optional-dependencies"])
    required = said.get_all("Requires-Dist")
    assert {line for line in required if "extra ==" not in line} == set(project["dependencies"])
    assert said.get_content_charset("utf-8") == "utf-8"


def test_the_version_is_the_same_everywhere():
    """pyproject.toml, the package and the citation have the same version."""
    import kappamax as km

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    cited = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert project["version"] == km.__version__ == cited.group(1)


def test_the_description_has_no_broken_link(wheel):
    """Files of the repository are named but not linked, and all of them exist."""
    said = metadata(wheel)
    assert said["Description-Content-Type"] == "text/markdown"
    text = said.get_payload()
    assert text.startswith("# kappamax")
    assert [target for target in re.findall(r"\]\(([^)]*)\)", text) if not target.startswith("https://")] == []
    named = re.findall(r"\((docs/[\w.-]+|[A-Z]+\.(?:md|cff))\)", text)
    assert "docs/web.md" in named
    assert all((ROOT / name).exists() for name in named)
    assert Path(ROOT / "README.md").read_text(encoding="utf-8").splitlines()[0] == text.splitlines()[0]
