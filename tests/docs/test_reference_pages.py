"""The reference describes every public name, command and JSON definition once."""

import json
import re
from collections import Counter
from html import unescape
from types import ModuleType

import click
import pytest

import kappamax as km
from kappamax.cli import main
from tests.support.page_blocks import ROOT

REFERENCE = ROOT / "docs" / "reference"


def public_names():
    """Yield the public names of the package and of its namespaces, such as `kappamax.moves.Move`."""
    for name in dir(km):
        if not name.startswith("_") and not isinstance(getattr(km, name), ModuleType):
            yield f"kappamax.{name}"
    for space in dir(km):
        if isinstance(getattr(km, space), ModuleType):
            yield from (f"kappamax.{space}.{name}" for name in dir(getattr(km, space)) if not name.startswith("_"))


def test_every_public_name_is_described_once():
    """Each name, including those of results, is on exactly one page of docs/reference."""
    pages = "\n".join(page.read_text(encoding="utf-8") for page in REFERENCE.glob("*.md"))
    described = Counter(re.findall(r"\.\. (?:auto\w+|py:data):: (kappamax[.\w]+)$", pages, re.MULTILINE))
    elsewhere = {
        "kappamax.datasets.example",
        "kappamax.results.Result",
    }  # the first is described as kappamax.example, and the second is a base class
    assert described == Counter(name for name in public_names() if name not in elsewhere)


def test_every_page_of_the_reference_is_listed():
    """The index lists every page about Python."""
    index = (REFERENCE / "index.md").read_text(encoding="utf-8")
    listed = re.search(r":maxdepth: 2\n\n(.*?)```", index, re.DOTALL).group(1).split()
    assert sorted(listed) == sorted(
        page.stem for page in REFERENCE.glob("*.md") if page.stem not in ("index", "command-line", "json")
    )


@pytest.mark.slow
def test_every_command_and_option_is_on_the_site(site):
    """The page of the command line has a section per command with all of its options."""
    text = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    assert len(main.commands) >= 11
    for name, command in main.commands.items():
        assert f'id="kappamax-{name}"' in text
        spelled = [option for one in command.params if isinstance(one, click.Option) for option in one.opts]
        assert all(option in text for option in spelled)


@pytest.mark.slow
def test_every_definition_of_the_json_output_is_on_the_site(site):
    """Each definition has a section with all of its fields."""
    text = (site / "reference" / "json.html").read_text(encoding="utf-8")
    schema = json.loads((ROOT / "src/kappamax/data/output-schema-1.json").read_text(encoding="utf-8"))
    for name, definition in schema["$defs"].items():
        section = text.partition(f'id="json-{name.replace("_", "-")}"')[2].partition("</section>")[0]
        assert all(f">{field}</span>" in section for field in definition.get("properties", {})), name
        assert section, name


@pytest.mark.slow
def test_the_site_shows_signatures_and_described_attributes(site):
    """The page about agreement has the signature of `kappa` and the attributes of its result."""
    page = (site / "reference" / "agreement.html").read_text(encoding="utf-8")
    text = unescape(re.sub(r"<[^>]+>", "", page))
    assert re.search(
        r"kappa\(\s*\*ratings,\s*weights='unweighted',\s*categories=None,\s*level=0.95,\s*interval='auto',\s*cluster=None\s*\)"
        r"\s*→\s*Agreement",
        text,
    )
    described = re.search(r"se : float or None\n +(.+)\n", km.results.Agreement.__doc__).group(1)
    assert described.replace("`", "") in text
    assert "Fields: " not in text  # the site lists bare fields only for a result without described attributes
