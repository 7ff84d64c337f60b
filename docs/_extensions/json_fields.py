"""Describe the fields of the JSON output: one section per definition of the schema, with a table of its fields.

`{json-fields}` reads the schema that is part of the package.
"""

import json
from importlib.resources import files
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

_FILE = files("kappamax") / "data" / "output-schema-1.json"
_NAMES = {"object": "object", "array": "list", "string": "text", "number": "number", "integer": "whole number"}


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directive."""
    app.add_directive("json-fields", _JsonFields)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _JsonFields(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(_FILE))
        definitions = json.loads(_FILE.read_text(encoding="utf-8"))["$defs"]
        for definition in definitions.values():
            _fill(definition, definitions)
        return [self._section(name, one) for name, one in definitions.items()]

    def _section(self, name: str, definition: dict[str, Any]) -> nodes.section:
        section = nodes.section(ids=[_target(name)], names=[nodes.fully_normalize_name(f"json {name}")])
        section += nodes.title(name, "", _code(name))
        self.state.document.note_explicit_target(section, section)
        section += nodes.paragraph("", "", *_words(definition["description"]))
        section += _tables(definition, "")
        return section


def _fill(schema: dict[str, Any], definitions: dict[str, Any]) -> None:
    """Describe a field that only refers to a definition as the definition does."""
    for one in schema.get("properties", {}).values():
        if "$ref" in one:
            one.setdefault("description", definitions[one["$ref"].rpartition("/")[2]]["description"])
        _fill(one, definitions)


def _tables(schema: dict[str, Any], place: str) -> list[nodes.Node]:
    """Return a table of the fields of an object, and those of the objects that it describes itself."""
    if "items" in schema:
        return _tables(schema["items"], place)
    if "properties" not in schema:
        return []
    group = nodes.tgroup(cols=3)
    group += [nodes.colspec(colwidth=width) for width in (24, 18, 58)]
    head = nodes.row("", *(_entry(nodes.Text(words)) for words in ("field", "type", "meaning")))
    rows = [_row(f"{place}{name}", one, name in schema["required"]) for name, one in schema["properties"].items()]
    group += [nodes.thead("", head), nodes.tbody("", *rows)]
    inner = [table for name, one in schema["properties"].items() for table in _tables(one, f"{place}{name}.")]
    return [nodes.table("", group, classes=["km-options"]), *inner]


def _row(name: str, schema: dict[str, Any], required: bool) -> nodes.row:
    optional = [] if required else [nodes.Text(" (not always present)")]
    return nodes.row(
        "",
        _entry(_code(name), *optional),
        _entry(*_kind(schema)),
        _entry(*_words(schema["description"])),
    )


def _kind(schema: dict[str, Any]) -> list[nodes.Node]:
    """Return the type of a field in words, with links to definitions."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return [nodes.reference("", "", _code(name), refid=_target(name), internal=True)]
    if "const" in schema:
        return [_code(json.dumps(schema["const"]))]
    if "enum" in schema:
        return _joined([[_code(json.dumps(value))] for value in schema["enum"]])
    if "anyOf" in schema:
        return _joined([_kind(one) for one in schema["anyOf"]])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    named: list[list[nodes.Node]] = [[nodes.Text(_NAMES.get(one, one))] for one in kinds]
    if "items" in schema and "properties" not in schema["items"]:
        named[0] += [nodes.Text(" of "), *_kind(schema["items"])]
    return _joined(named)


def _joined(parts: list[list[nodes.Node]]) -> list[nodes.Node]:
    """Return alternatives with "or" between them."""
    joined = list(parts[0])
    for part in parts[1:]:
        joined += [nodes.Text(" or "), *part]
    return joined


def _target(name: str) -> str:
    return f"json-{name.replace('_', '-')}"


def _entry(*parts: nodes.Node) -> nodes.entry:
    return nodes.entry("", nodes.paragraph("", "", *parts))


def _code(words: str) -> nodes.literal:
    return nodes.literal(words, words)


def _words(sentence: str) -> list[nodes.Node]:
    """Return a sentence whose `pieces` in backticks are code."""
    pieces = sentence.split("`")
    return [_code(piece) if place % 2 else nodes.Text(piece) for place, piece in enumerate(pieces)]
