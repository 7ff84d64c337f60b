"""Every public function, method and class documents all of its parameters and attributes."""

import inspect
import re
from dataclasses import fields, is_dataclass
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import pytest

import kappamax as km

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : (.+))?$")
FRAGMENTS = ("As for", "Of ", "See ", "Where ", "What ", "How ", "Which ", "Those ")


def public_things():
    """Return every public function and class by its full name."""
    found = {}
    for name in dir(km):
        thing = getattr(km, name)
        if isinstance(thing, ModuleType):
            found |= {f"{name}.{inner}": getattr(thing, inner) for inner in dir(thing) if not inner.startswith("_")}
        elif not name.startswith("_"):
            found[name] = thing
    return {name: thing for name, thing in found.items() if callable(thing)}


PUBLIC = public_things()
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if inspect.isfunction(thing)}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing) and not issubclass(thing, Exception)}
METHODS = {
    f"{name}.{attribute}": getattr(kind, attribute)
    for name, kind in CLASSES.items()
    for attribute, member in vars(kind).items()
    if not attribute.startswith("_")
    and (inspect.isfunction(member) or isinstance(member, classmethod | staticmethod))
    and not any(attribute in vars(base) for base in kind.__mro__[1:])  # described where it is first defined
}


def sections_of(thing):
    """Return the sections of a numpydoc docstring by their titles."""
    text = inspect.getdoc(thing) or ""
    marks = list(SECTION.finditer(text))
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    return {mark.group(1): text[mark.end() : end].strip("\n") for mark, end in zip(marks, ends, strict=True)}


def entries_of(section):
    """Return type and description of every name in a section of parameters or attributes."""
    found, names = {}, ()
    for line in section.splitlines():
        entry = None if line.startswith(" ") else ENTRY.match(line)
        if entry:
            names = tuple(name.strip() for name in entry.group(1).split(","))
            found |= {name: [entry.group(2) or "", ""] for name in names}
        else:
            for name in names:
                found[name][1] = f"{found[name][1]} {line.strip()}".strip()
    return found


def faults(entries, expected):
    """Return what is wrong with the descriptions of some names."""
    found = [f"{name} is not described" for name in expected if name not in entries]
    for name, (kind, words) in entries.items():
        plain = name.lstrip("*")
        if plain not in {one.lstrip("*") for one in expected}:
            found.append(f"{name} does not exist")
        if not kind and not name.startswith("**"):
            found.append(f"{name} has no type")
        if not words.endswith((".", ":", ";")) or len(words.split()) < 2:
            found.append(f"{name} is described by {words!r}")
        if words.startswith(FRAGMENTS) or words[:1].islower():
            found.append(f"{name} is described by a fragment: {words!r}")
    return found


def parameters_of(thing):
    """Return the names of the parameters, with the stars of *args and **kwargs."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    given = inspect.signature(thing).parameters.values()
    return [stars.get(one.kind, "") + one.name for one in given if one.name not in ("self", "cls")]


@pytest.mark.parametrize("name", [*FUNCTIONS, *METHODS])
def test_every_parameter_is_described_in_full(name):
    """A type and a full description for each parameter of each public function and method."""
    thing = FUNCTIONS.get(name) or METHODS[name]
    sections = sections_of(thing)
    wrong = faults(entries_of(sections.get("Parameters", "")), parameters_of(thing))
    if name in FUNCTIONS and "Returns" not in sections:
        wrong.append("there is no section Returns")
    assert not wrong


@pytest.mark.parametrize("name", CLASSES)
def test_every_attribute_is_described_in_full(name):
    """A class that users make describes its parameters, and one that functions return its attributes."""
    kind, sections = CLASSES[name], sections_of(CLASSES[name])
    expected = [field.name for field in fields(kind) if not field.name.startswith("_")] if is_dataclass(kind) else []
    described = entries_of(sections.get("Parameters", "")) | entries_of(sections.get("Attributes", ""))
    missing = [field for field in expected if field not in described]
    assert not missing
    assert not [one for one in faults(described, described) if "exist" not in one]


def test_every_module_says_what_it_is_for():
    """The first line of a module's docstring is one sentence."""
    names = ["kappamax", *(module.name for module in walk_packages(km.__path__, "kappamax."))]
    for name in names:
        if name != "kappamax.__main__":
            first = (import_module(name).__doc__ or "").split("\n")[0]
            assert re.match(r"[A-Z].*[\w)`'][.]$", first), f"{name}: {first!r}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("level : float\n    Of the interval.", "fragment"),
        ("level\n    Confidence level, default 0.95.", "has no type"),
        ("level : float", "is described by ''"),
        ("levels : float\n    Confidence level, default 0.95.", "does not exist"),
        ("", "level is not described"),
    ],
)
def test_a_bad_description_is_found(text, complaint):
    """The check fails for a fragment, a missing type, a missing description and a wrong name."""
    assert any(complaint in one for one in faults(entries_of(text), ["level"]))
    assert not faults(entries_of("level : float\n    Confidence level, default 0.95."), ["level"])
