"""The output of `--json` follows the schema in `data/output-schema-1.json`."""

import json
from collections import defaultdict
from copy import deepcopy
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

import kappamax as km
from kappamax.annealing.diagonal_sweep import SWEEPS
from kappamax.annealing.methods import METHODS as PROPOSALS
from kappamax.annealing.methods import MOVE_SETS, UNITS
from kappamax.benchmark_scales import SCALES
from kappamax.cli import main
from kappamax.cli.options import HOW_TO_READ
from kappamax.coefficients import COEFFICIENTS
from kappamax.comparisons import ALTERNATIVES as COMPARISONS
from kappamax.comparisons import ALTERNATIVES as COMPARISON_ALTERNATIVES
from kappamax.fibers.distribution import ALTERNATIVES, TWO_SIDED
from kappamax.fibers.moves import Effect
from kappamax.fibers.score_tilting import TWO_SIDED as TILTED_TWO_SIDED
from kappamax.intraclass_correlation import NAMES as ICC_NAMES
from kappamax.intraclass_correlation import SCALES as ICC_SCALES
from kappamax.io.inspected_columns import ROLES
from kappamax.io.read_spec import LAYOUTS
from kappamax.joint_inference import METHODS as JOINT_METHODS
from kappamax.margin_tests import METHODS as MARGINS_METHODS
from kappamax.paper.verdict import STATUSES
from kappamax.planning.methods import JOINTS, VARIANCES
from kappamax.reporting.formats.json import SCHEMA_VERSION
from tests.support.output_documents import CASES, output_of, write_files

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((files("kappamax") / "data" / f"output-schema-{SCHEMA_VERSION}.json").read_text(encoding="utf-8"))
#: tests of margins that are chosen by themselves
USED_MARGINS_METHODS = [name for name in MARGINS_METHODS if name not in ("auto", "bhapkar")]
DEFINITIONS = [one["$ref"].rpartition("/")[2] for one in SCHEMA["anyOf"]]  # one per kind of document
QUICK = [name for name, case in CASES.items() if not case.slow]
MUTATED = [
    *("inspect, wide", "inspect, long", "inspect, no table"),
    *("kappa, on the scale of Fleiss", "kappa, on the scale of Altman", "report, on a scale"),
    *("icc, values", "icc, no lower limit", "icc, perfect agreement", "icc, one subject"),
    *("kappa, two raters", "kappa, undefined", "max, three raters", "max, no time", "max, undefined"),
    *("test, two-sided", "test, undefined", "test, value", "test, equivalence", "plan, assurance"),
    *("test, value undefined", "test, equivalence undefined", "association, two categories"),
    *("compare, three kappas", "compare, reference", "compare, bootstrap", "compare, non-inferiority"),
    *("compare, equivalence without a standard error", "compare, several files"),
    *("kappa, on the scale of Fleiss", "kappa, on the scale of Altman", "report, on a scale", "report, retest"),
    *("kappa, two raters", "kappa, undefined", "max, three raters", "max, no time", "max, undefined"),
    *("test, two-sided", "test, undefined", "test, value", "test, equivalence", "plan, assurance"),
    *("test, value undefined", "test, equivalence undefined", "association, two categories"),
    *("retest, three raters", "retest, no rating twice", "retest, undefined"),
    *("association, not identified", "association, largest agreement"),
    *("fiber, listed and sampled", "fiber, too many tables"),
    *("moves, three raters", "moves, undefined", "anneal, swaps", "anneal, undefined", "plan, width", "plan, power"),
    *(
        "plan, pilot in clusters",
        "plan, clusters",
        "plan comparison, width",
        "plan comparison, pilot",
        "plan comparison, equivalence",
    ),
    *("verify, does not hold", "report, three raters", "report, pair undefined", "report, undefined"),
    *("report, maximum not known", "report, several files", "report, trend", "report, trend undefined"),
    *("study, own scenarios", "paper, few items"),
]
MAPS = {
    *("margins", "reasons", "missing_as", "columns_left_out", "labels", "missing", "options")
}  # objects whose keys are names in the data
OPTIONAL = {
    *("results/n_maximizers", "results/benchmark", "results/maximizers", "results/tables", "results/sample"),
    *("scenario/margins", "scenario/max_steps", "schedule/start", "schedule/factor", "schedule/steps"),
    *("schedule/temperature", "stopping/patience", "stopping/steps"),
    *("report/retest",),
    *("data/n_clusters", "data/cluster"),
}
EVERY_CASE = [pytest.param(name, marks=() if name in MUTATED else pytest.mark.slow) for name in CASES]


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
    """Return a validator of one kind of document; a strict one rejects fields that are not documented."""
    schema = closed(SCHEMA) if strict else SCHEMA
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]})


@cache
def whole_schema():
    """Return a validator of any document, with references resolved by the name of the schema."""
    return jsonschema.Draft202012Validator(SCHEMA)


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
    """All fields are documented, and the whole schema accepts the output too."""
    document = output(name)
    validator(CASES[name].definition).validate(document)
    assert whole_schema().is_valid(document)
    assert next(iter(document)) == "schema_version"


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATED)
def test_a_changed_output_is_rejected(name, output):
    """A missing field, a field with another name and a value of another type are found."""
    document, definition = shortened(output(name)), CASES[name].definition
    strict, published = validator(definition), validator(definition, strict=False)
    accepted = []
    for path, key in fields_of(document):
        field = f"{next((one for one in reversed(path) if isinstance(one, str)), '')}/{key}"
        removed, renamed, retyped = (deepcopy(document) for _ in range(3))
        del at(removed, path)[key]
        at(renamed, path)[f"{key}_"] = at(renamed, path).pop(key)
        at(retyped, path)[key] = {"unexpected": True}
        accepted += [("removed", field)] if field not in OPTIONAL and published.is_valid(removed) else []
        accepted += [("renamed", field)] if strict.is_valid(renamed) else []
        accepted += [("another type", field)] if published.is_valid(retyped) else []
    assert accepted == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATED)
def test_a_reader_of_this_version_accepts_new_fields(name, output):
    """The published schema allows them; only the strict validator of these tests rejects them."""
    document = shortened(output(name))
    for path in {path for path, _ in fields_of(document)}:
        at(document, path)["new_field"] = 1
    assert validator(CASES[name].definition, strict=False).is_valid(document)
    assert not validator(CASES[name].definition).is_valid(document)


def shortened(value):
    """Return a copy of a document with at most two entries of every list."""
    if isinstance(value, dict):
        return {key: shortened(one) for key, one in value.items()}
    return [shortened(one) for one in value[:2]] if isinstance(value, list) else value


def fields_of(value, path=()):
    """Yield the path of every object with documented fields, and each of its fields."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield path, key
            if key not in MAPS:
                yield from fields_of(one, (*path, key))
    elif isinstance(value, list):
        for place, one in enumerate(value):
            yield from fields_of(one, (*path, place))


def at(document, path):
    """Return the part of a document at a path."""
    for step in path:
        document = document[step]
    return document


@pytest.mark.parametrize(
    ("definition", "value", "accepted"),
    [
        ("count", 2**53, True),
        ("count", 2**53 + 1, False),
        ("count", str(2**53 + 1), True),
        ("count", -1, False),
        ("count", 1.5, False),
        ("count", "1.5", False),
        ("fraction", "2/5", True),
        ("fraction", "-1/3", True),
        ("fraction", "1", True),
        ("fraction", "0.4", False),
        ("fraction", 0.4, False),
        ("interval", [0.1, 0.4], True),
        ("interval", [0.1], False),
        ("rating", None, True),
        ("label", None, False),
    ],
)
def test_exact_numbers_and_labels(definition, value, accepted):
    """Integers above 2^53 and fractions are strings."""
    assert accepts({"$ref": f"#/$defs/{definition}"}, value) == accepted


@pytest.mark.parametrize(
    ("place", "names"),
    [
        (("coefficient",), COEFFICIENTS),
        (("alternative",), (*ALTERNATIVES, None)),
        (("test_result", "properties", "two_sided"), (*TWO_SIDED, None)),
        (("benchmark", "properties", "scale"), SCALES),
        (("margins_test", "properties", "method"), USED_MARGINS_METHODS),
        (("group_row", "properties", "margins_test"), (*USED_MARGINS_METHODS, None)),
        (("icc_result", "properties", "name"), ICC_NAMES),
        (("icc_result", "properties", "mcgraw_wong"), ICC_NAMES.values()),
        (("icc_analysis", "properties", "scale"), ICC_SCALES),
        (("association_result", "properties", "two_sided"), (*TILTED_TWO_SIDED, None)),
        (("compare_result", "properties", "method"), JOINT_METHODS),
        (("margin_test", "properties", "alternative"), COMPARISON_ALTERNATIVES[1:]),
        (("move", "properties", "effect"), get_args(Effect)),
        (("anneal_result", "properties", "proposal"), PROPOSALS),
        (("plan_result", "properties", "joint"), (*JOINTS, "pilot")),
        (("plan_result", "properties", "variance"), (*VARIANCES, None)),
        (("plan_comparison_result", "properties", "alternative"), (*COMPARISONS, None)),
        (("scenario", "properties", "moves"), MOVE_SETS),
        (("scenario", "properties", "temperature_unit"), UNITS),
        (("scenario", "properties", "sweep"), SWEEPS),
        (("paper_item", "properties", "status"), STATUSES),
        (("inspected_column", "properties", "role"), ROLES),
        (("inspection", "properties", "layout"), (*LAYOUTS, None)),
        (("reading_options", "propertyNames"), [str(option.name) for option in HOW_TO_READ]),
    ],
)
def test_closed_lists_of_names_are_those_of_the_library(place, names):
    """A new name in the library must be added to the schema."""
    assert set(at(SCHEMA["$defs"], place)["enum"]) == set(names)


def test_every_field_has_a_description():
    """The description is in the field itself or in the definition to which it refers."""
    for place, schema in described(SCHEMA["$defs"]):
        target = SCHEMA["$defs"].get(schema.get("$ref", "").rpartition("/")[2], {})
        description = schema.get("description", target.get("description", ""))
        assert description[:1].isupper(), place
        assert description.endswith("."), place


def test_the_documentation_lists_every_definition():
    """The table has each command, its definition and its description, in the order of the schema."""
    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    rows = [
        line.strip("| ").split(" | ") for line in page.replace("`", "").splitlines() if line.startswith("| kappamax")
    ]
    definitions = [(name, SCHEMA["$defs"][name]) for name in DEFINITIONS]
    assert rows == [[one["title"], name, one["description"].split(". ")[0].rstrip(".")] for name, one in definitions]


def test_an_error_is_not_a_document(tmp_path):
    """Standard output stays empty, and the exit code is 1."""
    done = CliRunner().invoke(main, ["kappa", str(tmp_path / "nosuch.csv"), "--json"])
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("kappamax: ")


def test_every_command_with_json_has_a_definition_and_outputs():
    """Each of these commands has a definition, a row in the documentation and a case in these tests."""
    commands = {name for name, one in main.commands.items() if any(option.name == "as_json" for option in one.params)}
    assert {SCHEMA["$defs"][name]["title"].split()[1] for name in DEFINITIONS} == commands
    assert {case.definition for case in CASES.values()} == set(DEFINITIONS)
    assert {case.arguments.split()[0] for case in CASES.values()} == commands


@pytest.mark.slow
def test_every_documented_field_occurs(output):
    """Each field occurs in some output, with null if it may be null and with each value of a closed list."""
    seen = defaultdict(list)
    for name in QUICK:
        visit({"$ref": f"#/$defs/{CASES[name].definition}"}, output(name), "", seen)
    visit({"$ref": "#/$defs/report"}, km.report([1, 2, 3], [1, 2, 2]).to_dict(), "", seen)  # not from a file
    nameless = km.from_ratings([[1, 2], [2, 2]], cluster=[1, 2])
    visit({"$ref": "#/$defs/report"}, km.report(nameless).to_dict(), "", seen)
    for name in ("patient", None):
        clustered = km.Table([[0, 1], [1, 1]], None, [1, 2], ordered=True, clusters=[1, 2], cluster_name=name)
        visit({"$ref": "#/$defs/report"}, km.report(clustered).to_dict(), "", seen)
    groups = [("1", clustered), ("2", km.Table([[0, 0], [1, 1]], None, [1, 2], ordered=True, clusters=[1, 1]))]
    visit({"$ref": "#/$defs/report_groups"}, km.report_groups(groups, trend=True).to_dict(), "", seen)  # one cluster
    unseen = []
    for place, schema in described(SCHEMA["$defs"]):
        values = seen[place]
        kinds = {value is None for value in values}
        expected = {True} if schema.get("type") == "null" else {False, True} if accepts(schema, None) else {False}
        unseen += [place] if kinds != expected else []
        unseen += [(place, name) for name in schema.get("enum", ()) if name not in values]
    assert unseen == []


def visit(schema, value, place, seen):
    """Record which parts of the schema describe a value and its parts."""
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
