"""The output of `--json` is what `data/output-schema-1.json` documents."""

import json
from collections import defaultdict
from copy import deepcopy
from functools import cache
from importlib.resources import files

import pytest
from output_documents import CASES, output_of, write_files

import kappamax as km
from kappamax.cli import main
from kappamax.reporting.formats.json import SCHEMA_VERSION

jsonschema = pytest.importorskip("jsonschema")

SCHEMA = json.loads((files("kappamax") / "data" / f"output-schema-{SCHEMA_VERSION}.json").read_text(encoding="utf-8"))
DEFINITIONS = [one["$ref"].rpartition("/")[2] for one in SCHEMA["anyOf"]]  # one per kind of document
QUICK = [name for name, case in CASES.items() if not case.slow]
EVERY_CASE = [pytest.param(name, marks=pytest.mark.slow if case.slow else ()) for name, case in CASES.items()]


@pytest.fixture(scope="module")
def output(tmp_path_factory):
    """Return a function from the name of a case to its output, which is made once."""
    folder = tmp_path_factory.mktemp("ratings")
    write_files(folder)
    return cache(lambda name: output_of(CASES[name], folder))


def closed(schema):
    """Return the schema with every object limited to the documented fields."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and "properties" in schema:
        found["additionalProperties"] = False
    return found


@cache
def validator(definition, *, strict=True):
    """Return a validator of one kind of document; a strict one refuses fields that are not documented."""
    schema = closed(SCHEMA) if strict else SCHEMA
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]})


def test_the_schema_is_valid():
    """It follows draft 2020-12, and every reference has a definition."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert {ref.rpartition("/")[2] for ref in references(SCHEMA)} == set(SCHEMA["$defs"])


def references(schema):
    """Yield every reference in a schema."""
    if isinstance(schema, dict):
        yield from [schema["$ref"]] if "$ref" in schema else []
        schema = list(schema.values())
    for one in schema if isinstance(schema, list) else []:
        yield from references(one)


@pytest.mark.parametrize("name", EVERY_CASE)
def test_an_output_follows_its_definition(name, output):
    """Without a field that is not documented; the whole schema accepts it too."""
    document = output(name)
    validator(CASES[name].definition).validate(document)
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(document)
    assert next(iter(document)) == "schema_version"


def test_every_command_with_json_has_a_definition_and_outputs():
    """A new command needs a definition, a row in the documentation and a case here."""
    commands = {name for name, one in main.commands.items() if any(option.name == "as_json" for option in one.params)}
    assert {SCHEMA["$defs"][name]["title"].split()[1] for name in DEFINITIONS} == commands
    assert {case.definition for case in CASES.values()} == set(DEFINITIONS)
    assert {case.arguments[0] for case in CASES.values()} == commands


def test_every_documented_field_occurs(output):
    """Each field has a value in some output; one that may be null is null in some output, and has each of its names."""
    seen = defaultdict(list)
    for name in QUICK:
        visit({"$ref": f"#/$defs/{CASES[name].definition}"}, output(name), "", seen)
    unseen = []
    for place, schema in described(SCHEMA["$defs"]):
        values = seen[place]
        known, nullable = accepts(schema, None), [value for value in values if value is not None]
        if not values or (known and None not in values) or (not nullable and schema.get("type") != "null"):
            unseen.append((place, values[:1]))
        unseen += [(place, one) for one in schema.get("enum", ()) if one not in values]
    assert unseen == []


def visit(schema, value, place, seen):
    """Note which parts of the schema describe a value and its parts."""
    seen[place].append(value)
    if "$ref" in schema:
        target = schema["$ref"].removeprefix("#/$defs/")
        visit(SCHEMA["$defs"][target], value, target, seen)
    elif "anyOf" in schema:
        for branch in schema["anyOf"]:
            if accepts(branch, value):
                visit(branch, value, f"{place}/anyOf", seen)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key in schema.get("properties", {}):
                visit(schema["properties"][key], one, f"{place}/{key}", seen)
            else:
                visit(schema["additionalProperties"], one, f"{place}/*", seen)
    elif isinstance(value, list):
        for one in value:
            visit(schema["items"], one, f"{place}/items", seen)


def described(definitions):
    """Yield the place and the schema of every definition and every field."""
    for name, definition in definitions.items():
        yield name, definition
        yield from _fields(definition, name)


def _fields(schema, place):
    for key, one in schema.get("properties", {}).items():
        yield f"{place}/{key}", one
        yield from _fields(one, f"{place}/{key}")
    if "items" in schema:
        yield from _fields(schema["items"], f"{place}/items")


@cache
def _validator_of(text):
    return jsonschema.Draft202012Validator(json.loads(text) | {"$defs": SCHEMA["$defs"]})


def accepts(schema, value):
    """Return whether a part of the schema accepts a value."""
    return _validator_of(json.dumps(schema)).is_valid(value)
