"""The diagram shows the layers that the import linter enforces, and the page describes every module."""

import runpy
import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

ROOT = Path(__file__).parents[2]
DIAGRAM = ROOT / "docs" / "architecture.svg"


def script():
    return runpy.run_path(str(ROOT / "docs" / "architecture_diagram.py"))


def shown():
    """Return every text in the committed diagram."""
    return {element.text for element in ET.fromstring(DIAGRAM.read_text(encoding="utf-8")).iter() if element.text}


def test_the_diagram_names_every_layer():
    """The committed file is valid XML and contains the name of each layer."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    assert {name for layer in layers for name in layer.split(" | ")} <= shown()


def test_the_diagram_is_the_one_the_script_draws():
    """`python docs/architecture_diagram.py` draws it again after a change of the layers."""
    assert script()["diagram"]() == DIAGRAM.read_text(encoding="utf-8")


def test_notes_and_the_way_of_the_data_name_layers_that_exist():
    """A layer that is renamed must be renamed in the script too."""
    names = script()
    layers = set(names["layers"]())
    assert set(names["WAY"]) <= layers
    assert set(names["NOTES"]) <= layers


def test_the_page_has_a_line_about_every_public_module():
    """It also has a line about most private modules."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = "".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `"))
    modules = {path.stem for path in (ROOT / "src" / "kappamax").iterdir() if path.suffix == ".py" or path.is_dir()}
    internal = {"__init__", "__main__", "__pycache__", "_jit", "_result", "_version", "data"}
    assert {name for name in modules - internal if f"`{name}`" not in rows and f"`{name}/`" not in rows} == set()
