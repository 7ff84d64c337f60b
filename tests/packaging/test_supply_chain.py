"""The files about what is installed agree with each other."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from hashlib import sha256
from importlib.metadata import version

import pytest
from packaging.requirements import Requirement

from tests.packaging import sbom
from tests.packaging.hashes import HEADER, PYTHONS, canonical, covers, locked, pins
from tests.packaging.sbom import bill, installed
from tests.support.building import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PINS = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))
LOCKED = (ROOT / "requirements-ci.txt").read_text(encoding="utf-8")
NOT_IN_CI = {"pyspark", "py4j"}  # of `make test-spark` alone


def hashed(text):
    """Return the version and the hashes of every package of requirements-ci.txt; other lines are errors."""
    assert text.startswith(HEADER)
    found = {}
    for line in text.removeprefix(HEADER).replace("\\\n", " ").splitlines():
        pin, *hashes = line.split()
        name, number = pin.split("==")
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes), line
        assert hashes, line
        found[name] = (number, hashes)
    return found


def test_every_pinned_package_of_ci_has_hashes():
    """Names and versions are those of constraints.txt, and nothing else is named."""
    found = hashed(LOCKED)
    assert {name: number for name, (number, _) in found.items()} == {
        name: number for name, number in PINS.items() if name not in NOT_IN_CI
    }
    for name in ("numpy", "scipy", "numba"):
        assert len(found[name][1]) == len(PYTHONS), name  # one wheel per version of Python


def test_the_hashes_are_those_of_what_the_tests_need():
    """The extra dev and all that it needs in this environment are in the file, with the pinned versions."""
    needed = set(installed("kappamax", frozenset({"dev"}))) - {"kappamax"}
    assert {"pytest", "numpy", "hatchling", "sphinx"} <= needed
    assert needed <= set(hashed(LOCKED))


def test_files_name_no_host():
    """Where packages are downloaded from is a setting of each machine."""
    for name in ("requirements-ci.txt", "constraints.txt", "SECURITY.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in text
        assert "index" not in text
        assert not re.search(r"\w@\w", text)


def test_the_build_backend_is_pinned_to_the_version_of_the_tests():
    """pyproject.toml and constraints.txt have the same version, and CI has its hash."""
    (backend,) = PROJECT["build-system"]["requires"]
    assert backend == f"hatchling=={PINS['hatchling']}"
    assert "hatchling" in hashed(LOCKED)
    assert PROJECT["tool"]["hatch"]["build"]["dev-mode-dirs"] == ["src"]  # else an editable install needs `editables`


def test_locked_lines_are_those_of_the_downloaded_files(tmp_path):
    """Names are compared in their canonical form, and several wheels of a package have one line each."""
    for name in ("A_b.c-1.0-cp311-cp311-linux.whl", "A_b.c-1.0-cp312-cp312-linux.whl", "z-2-py3-none-any.whl"):
        (tmp_path / name).write_bytes(name.encode())
    text = locked(tmp_path.iterdir(), {"a-b-c": "1.0", "z": "2", "other": "3"})
    found = hashed(text)
    assert set(found) == {"a-b-c", "z"}
    assert found["z"] == ("2", [f"--hash=sha256:{sha256(b'z-2-py3-none-any.whl').hexdigest()}"])
    assert len(found["a-b-c"][1]) == 2


@pytest.mark.parametrize("name", ["z-3-py3-none-any.whl", "y-2-py3-none-any.whl", "z-2.tar.gz"])
def test_other_files_are_not_locked(tmp_path, name):
    """A version that is not pinned and a source archive are errors."""
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(SystemExit, match=f"{name} is not a wheel of a version in constraints.txt"):
        locked(tmp_path.iterdir(), {"z": "2"})


def test_covered_pythons():
    """Other systems and versions use constraints.txt."""
    assert covers("CPython", "3.11.7", "Linux", "x86_64")
    assert covers("CPython", "3.13.0rc1", "Linux", "x86_64")
    for other in (
        ("CPython", "3.14.0", "Linux", "x86_64"),
        ("PyPy", "3.11.7", "Linux", "x86_64"),
        ("CPython", "3.11.7", "Darwin", "arm64"),
        ("CPython", "3.11.7", "Linux", "aarch64"),
    ):
        assert not covers(*other)
    versions = [int(name.split(".")[1]) for name in PYTHONS]
    assert f"CPython 3.{versions[0]} to 3.{versions[-1]} on Linux (x86-64)" in HEADER


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_requires_hashes_only_if_it_is_told_to():
    """CI tells it where the Python is covered; other environments keep constraints.txt."""

    def commands(*given):
        place = "new-environment/.installed"
        command = ["make", "-n", "VENV=new-environment", place, *given]
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout

    with_hashes, without = commands("HASHES=yes"), commands()
    assert "--require-hashes" in with_hashes
    assert "-r requirements-ci.txt" in with_hashes
    assert "--no-index --no-deps --no-build-isolation -e ." in with_hashes
    assert "constraints.txt" not in with_hashes
    assert "--require-hashes" not in without
    assert '-c constraints.txt -e ".[dev]"' in without
    if (ROOT / ".ci").is_dir():  # not in the sdist
        ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
        assert ci.index("hashes.py --covers") < ci.index('make check HASHES="$hashes"') < ci.index("make docs")


def test_the_bill_of_materials_describes_this_environment():
    """It has every package that users install, in the installed versions, and the same text every time."""
    made = bill()
    assert (made["bomFormat"], made["specVersion"], made["version"]) == ("CycloneDX", "1.6", 1)
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", made["serialNumber"])
    found = {canonical(one["name"]): one for one in made["components"]}
    assert all(one["version"] == version(name) for name, one in found.items())
    assert all(one["purl"] == one["bom-ref"] == f"pkg:pypi/{name}@{one['version']}" for name, one in found.items())
    assert all(one["licenses"] for one in found.values())
    named = {canonical(Requirement(line).name) for line in PROJECT["project"]["dependencies"]}
    assert {found[name]["scope"] for name in named} == {"required"}
    extras = PROJECT["project"]["optional-dependencies"]
    optional = {canonical(Requirement(line).name) for extra in ("fast", "plot", "web") for line in extras[extra]}
    assert {found[name]["scope"] for name in optional} == {"optional"}
    assert "pytest" not in found
    assert bill() == made


def test_the_dependencies_of_the_bill_are_its_components():
    """Every reference is defined once, and kappamax refers to its own dependencies."""
    made = bill()
    refs = [made["metadata"]["component"]["bom-ref"], *(one["bom-ref"] for one in made["components"])]
    edges = {one["ref"]: one["dependsOn"] for one in made["dependencies"]}
    assert sorted(edges) == sorted(refs)
    assert {other for needed in edges.values() for other in needed} <= set(refs)
    assert f"pkg:pypi/numpy@{version('numpy')}" in edges[refs[0]]
    assert f"pkg:pypi/llvmlite@{version('llvmlite')}" in edges[f"pkg:pypi/numba@{version('numba')}"]
    assert refs[0] not in edges[refs[0]]


def test_a_package_that_is_missing_is_named(monkeypatch):
    """A bill of an incomplete environment would be wrong."""
    found = sbom.distribution

    def without_scipy(name):
        if name == "scipy":
            raise sbom.PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(sbom, "distribution", without_scipy)
    with pytest.raises(SystemExit, match="scipy, which kappamax needs, is not installed"):
        bill()


@pytest.mark.slow
def test_the_script_prints_the_bill():
    """The release has this text as a file."""
    printed = subprocess.run(
        [sys.executable, "-m", "tests.packaging.sbom"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    assert json.loads(printed) == bill()


def test_the_security_policy_names_the_current_version():
    """It says how to report, and which versions are supported."""
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    current = ".".join(PROJECT["project"]["version"].split(".")[:2])
    assert f"| {current} | yes |" in policy
    assert "private vulnerability report" in policy
