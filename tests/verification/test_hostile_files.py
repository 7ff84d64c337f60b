"""Tests of documents that try to crash the verification, exhaust time or memory, or mislead readers."""

import json
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner

import kappamax as km
from kappamax.cli.verify import verify as command
from kappamax.errors import UnreadableFileError
from kappamax.verification import bounds, budget

TITLES = {"percent": "Percent agreement", "fleiss": "Fleiss' kappa", "conger": "Conger's kappa"}
LIMITS = "takes more work than the limits of the verification allow"


@pytest.fixture
def document():
    """Return a certificate of linear kappa for two raters and four categories, as read from a file."""
    return json.loads(
        json.dumps(km.max_kappa(km.example("rapallo2022"), weights="linear").with_minimum().certificate())
    )


def forged(patterns, k, coefficient="percent", *, group_size=2, radicands=None, proof="prices", n_cuts=0, value=1.0):
    """Return a certificate in which one table is observed, maximum and minimum, with zero prices."""
    r = len(patterns[0])
    off = [[int(i != j) for j in range(k)] for i in range(k)]
    name = "unweighted" if radicands is None else "custom"
    denominator = 1 if radicands is None else 10**5
    matrix = {"multipliers": off, "radicands": radicands or [[1] * k] * k, "denominator": denominator}
    table = {"patterns": patterns, "counts": [1] * len(patterns)}
    shown = {"categories": list(range(k)), "raters": [str(a) for a in range(r)], **table}
    sets = {tuple(a for a, code in enumerate(pattern) if code >= 0) for pattern in patterns}
    prices = {
        "radicands": [1],
        "denominator": 1,
        "ratings": [[[0]] * k] * r,
        "sets": [{"raters": list(raters), "price": [0]} for raters in sets],
    }
    solution = {"table": table, "score": {}, "bound": {}, "proof": proof, "prices": prices}
    solution["cuts"] = [prices | {"use": [[0]] * k}] * n_cuts
    end = {"value": value, "exact": "1", "proven": True, "proof": proof, "bound": value, "table": shown}
    return {
        "format": "kappamax certificate",
        "version": 1,
        "coefficient": coefficient,
        "title": TITLES[coefficient] + (f", {group_size} raters at a time" if group_size > 2 else ""),
        "group_size": group_size,
        "weights": {
            "name": name,
            "label": name,
            "exact": True,
            "matrices": [matrix],
            "of_pair": [0] * (r * (r - 1) // 2),
        },
        "observed": shown,
        "value": value,
        "ratio": None,
        "ratio_reason": None,
        "maximum": end | {"solution": solution},
        "minimum": end | {"solution": solution},
    }


def nested():
    value = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.slow
@pytest.mark.parametrize("make", [nested, lambda: 10**5000, lambda: "x" * 10**6, lambda: [0] * 10**6])
@pytest.mark.parametrize("key", ["format", "version", "coefficient", "group_size", "title", "value", "ratio_reason"])
def test_no_entry_is_too_long_for_a_message(document, key, make):
    """Nested lists and numbers of thousands of digits are not written out in messages."""
    document[key] = make()
    (fault,) = km.verify(document).faults
    assert len(fault) < 300


@pytest.mark.slow
@pytest.mark.parametrize("make", [nested, lambda: 10**5000, lambda: {"1": 10**5000}])
@pytest.mark.parametrize(
    "path",
    [
        ("observed", "counts", 0),
        ("observed", "patterns", 0, 0),
        ("weights", "name"),
        ("weights", "matrices", 0, "denominator"),
        ("weights", "matrices", 0, "multipliers", 0, 1),
        ("weights", "matrices", 0, "radicands", 0, 1),
        ("maximum", "exact"),
        ("maximum", "solution", "score"),
        ("maximum", "solution", "bound"),
        ("maximum", "solution", "prices", "denominator"),
    ],
)
def test_no_entry_crashes_the_verification(document, path, make):
    """Strange entries inside lists and mappings do not cause an exception."""
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = make()
    assert not km.verify(document)


def test_a_rater_without_ratings_is_refused(document):
    """The shares of a rater without ratings are not defined."""
    observed = document["observed"]
    observed["raters"].append("c")
    observed["patterns"] = [[*pattern, -1] for pattern in observed["patterns"]]
    document |= {"coefficient": "conger", "title": "Conger's kappa"}
    document["weights"]["of_pair"] = [0, 0, 0]
    assert "every rater must have rated at least one subject" in km.verify(document).faults[0]


def test_a_bound_beyond_doubles_is_refused(document):
    """A bound of 10^1900 exceeds the range of doubles."""
    document["maximum"]["solution"] |= {"bound": {"1": "1" + "0" * 1900}, "proof": None}
    document["maximum"] |= {"proof": None, "proven": False}
    assert km.verify(document).faults == ("maximum: the bound is out of range",)


@pytest.mark.parametrize("entry", [0, 4])
def test_weights_lie_between_0_and_1(document, entry):
    """Weights above 1, or all equal to 0, are rejected; percent agreement and Gwet's AC depend on the scale."""
    document["weights"] |= {"name": "custom", "label": "custom"}
    multipliers = document["weights"]["matrices"][0]["multipliers"]
    multipliers[:] = [[0 if i == j else entry for j in range(4)] for i in range(4)]
    assert "the weights must lie between 0 and 1, and at least one must be above 0" in km.verify(document).faults[0]


@pytest.mark.parametrize("name", ["Quadratic", " quadratic", "quadratic\n", "identity", "UNWEIGHTED"])
def test_a_name_in_another_spelling_is_that_name(document, name):
    """Linear weights with the name of other weights are rejected in every spelling."""
    document["weights"] |= {"name": name, "label": name}
    assert "the matrix does not hold the" in km.verify(document).faults[0]


@pytest.mark.parametrize("score", [{"1": "7", "01": "{}"}, {"3/2": "{}"}, {"1/1": "{}"}, {"1": "{}/1"}, {"1": "0{}"}])
def test_an_exact_number_is_written_in_one_way(document, score):
    """Other ways to write the same number are rejected."""
    (true,) = document["maximum"]["solution"]["score"].values()
    document["maximum"]["solution"]["score"] = {f: c.replace("{}", true) for f, c in score.items()}
    assert not km.verify(document)


@pytest.mark.parametrize("label", [True, 1.0, "1"])
def test_labels_that_look_different_are_different(document, label):
    """The labels 1, 1.0 and True are equal in Python but different for a reader."""
    document["maximum"]["table"]["categories"] = [label, 2, 3, 4]
    assert "the table has different raters or categories" in km.verify(document).faults[0]


def test_a_key_that_occurs_twice_is_refused(document, tmp_path):
    """JSON readers differ in which of two values they use."""
    text = json.dumps(document)
    (tmp_path / "proof.json").write_text('{"value": 0.99, ' + text[1:], encoding="utf-8")
    with pytest.raises(UnreadableFileError, match="repeats the key 'value'"):
        km.verify(tmp_path / "proof.json")


def test_a_name_cannot_add_lines_to_the_output(document, tmp_path):
    """Line breaks in a name are escaped in the output of the command."""
    name = "mine: 0.9\n\x1b[2Jmaximum 1.0000 (proven by prices)"
    document["weights"] |= {"name": name, "label": name}
    (tmp_path / "proof.json").write_text(json.dumps(document), encoding="utf-8")
    shown = CliRunner().invoke(command, [str(tmp_path / "proof.json")])
    assert shown.exit_code == 0
    assert [line.split()[0] for line in shown.output.splitlines()] == ["Cohen's", "maximum", "minimum", "Every"]
    assert "\x1b" not in shown.output


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\0", b"[" * 10**6, b"\xef\xbb\xbf{}", b'{"value": 1' + b"0" * 5000])
def test_files_that_are_not_json_documents_raise_an_error(content, tmp_path):
    """Empty files, wrong encodings, deep nesting and very long numbers are rejected."""
    (tmp_path / "proof.json").write_bytes(content)
    with pytest.raises(UnreadableFileError, match="is not a JSON document"):
        km.verify(tmp_path / "proof.json")


GAPS_OF_TWELVE = [list(p) for p in product([-1, 0], repeat=12) if max(p) >= 0]
BUSY = {
    "agreement of 20 raters, 10^19 patterns of 19": forged([[0] * 19 + [-1], [0] * 20], 10, group_size=20),
    "costs of all pairs of 600 raters": forged([[0] * 600], 30),
    "values of 3,000 sets of 100 raters": forged(
        [[0] * 100, *([-1 if a in (i, j) else 0 for a in range(100)] for i in range(75) for j in range(i))], 2
    ),
    "roots of 1,770 numbers": forged(
        [[0, 0], [1, 1]], 60, radicands=[[10**9 + 60 * min(i, j) + max(i, j) for j in range(60)] for i in range(60)]
    ),
    "all tables of 4,095 sets": forged([*GAPS_OF_TWELVE, [1] * 12], 2, "fleiss", proof="search"),
    "1,000 cuts": forged([[0] * 7, [1] * 7, [0] * 6 + [-1], [1] * 6 + [-1]], 3, "fleiss", n_cuts=1000),
}
LONG = {"costs of all pairs of 600 raters", "1,000 cuts"}  # it takes seconds until the limit is reached


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in BUSY])
def test_work_beyond_the_limits_is_not_begun(name, monkeypatch):
    """Small files that would take hours or too much memory are not checked."""
    monkeypatch.setattr(budget, "MOST_WORK", 1_000_000)
    found = km.verify(BUSY[name])
    assert found.unchecked, found.faults
    assert LIMITS in found.unchecked[0]


def test_correct_prices_are_not_refuted_if_there_are_too_many_patterns(monkeypatch):
    """A bound that was rounded does not refute a result."""
    rng = np.random.default_rng(1)
    table = km.from_ratings(rng.integers(0, 3, size=(30, 4)), categories=range(3))
    result = km.max_kappa(table, weights="sqrt")
    assert result.proof == result.minimum_proof == "prices"
    assert km.verify(result)
    monkeypatch.setattr(bounds, "LISTED_PATTERNS", 1)
    monkeypatch.setattr(bounds, "MOST_SEARCHED", 1)
    found = km.verify(result)
    assert not found.faults
    assert LIMITS in found.unchecked[0]
