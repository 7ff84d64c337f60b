"""Draw requests to the page from a fixed seed, valid and hostile ones, and compare answers with the library."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isclose
from random import Random
from typing import Any

import kappamax as km
from kappamax.errors import UndefinedKappaError
from kappamax.web.schemas import ReportRequest, WeightingRequest, as_request, decoded, weights_of

#: kinds of requests; those called valid must be answered with the library's numbers
KINDS = ("valid", "changed", "extreme", "truncated", "file", "changed file", "address")
TASKS = ("table", "chance", "pictures", "weights", "maximizers", "moves", "path", "anneal", "report")
_REPORT_TASKS = ("table", "chance", "pictures", "report")
_NAMES = ("unweighted", "linear", "quadratic", "sqrt", "gwet-ordinal", "ratio", "circular", "bipolar", "power(1.5)")
_JSON, _BYTES = "application/json", "application/octet-stream"
#: values that stand in place of a part of a valid request
HOSTILE: tuple[Any, ...] = (
    *(10**400, -(10**400), 10**4000, 2**63, 2**64, -(2**63), 10**18 - 1, 2**53 - 1, -1, 0, 1, 13),
    *(1e299, -1e299, 9.9e299, 1e308, 1.7e308, 1e155, 5e-324, 1e-299, -0.0, 0.1, 0.5),
    *("", " ", "x" * 300, "\ud800", "\x00", "\u202e", "a\nb", "linear", "ratio", "power(1e308)", "power(400)"),
    *("power(-1)", "power(1e-320)", "NaN", "1e999", "__proto__", "ｌｉｎｅａｒ", "é", "\U0001f600"),
    *(None, True, False, [], {}, [[]], [{}], [None], [[None]], {"positions": [1, 2]}, {"matrix": [[0]]}),
    *([1e299] * 3, [0, 1e299, -1e299], [[0, 1e299], [1e299, 0]], [[0, 5e-324], [5e-324, 0]], list(range(13))),
)
_OPTIONS = {
    "layout": ("wide", "long", "counts", "patterns", "x", ""),
    "raters": ("a,b", "a", "a,a", ",", '"a'),
    "categories": ("1,2,3", "1,1", "x,y", '"'),
    "missing": ("9", "1,2,3", ""),
    "delimiter": (";", "tab", "ab", "\x00"),
    "encoding": ("utf-16", "latin-1", "none", "\ud800"),
    "skip_rows": ("1", "-1", "999999999", "x", "9" * 400),
    "rename": ("1=2", "1", "=", "1=2,2=1"),
    "transpose": ("true", "1", "maybe"),
    "no_header": ("true",),
    "complete_only": ("true",),
    "sheet": ("x", "0"),
    "file": ("a.csv", "../../etc/passwd", "a.xlsx", "x" * 20_000),
    "none": ("1",),
}
_INSERTED = (b"\x00", b"\xff", b'"', b"\n", b",", b"9" * 400, b"1e299", b"PK\x03\x04", b"{", b"PAR1", b"\x1f\x8b")


@dataclass(frozen=True)
class Drawn:
    """A request: its kind, the address after the port, and what is sent."""

    kind: str
    path: str
    body: bytes
    content_type: str
    parameters: dict[str, str]

    @property
    def task(self) -> str:
        """Name of the request, which is the last part of its address."""
        return self.path.rpartition("/")[2]


def drawn_request(rng: Random, kind: str | None = None) -> Drawn:
    """Return a random request, of the given kind or of a random one."""
    kind = kind or rng.choices(KINDS, (6, 10, 2, 1, 1, 2, 1))[0]
    if kind == "address":
        path = "/" + "".join(rng.choice("api/table.%2e\\?#é\x00~") for _ in range(rng.randrange(12)))
        return Drawn(kind, path, b"{}", rng.choice((_JSON, _BYTES, "", "text/html")), {})
    if kind in ("file", "changed file"):
        return _file(rng, kind)
    task = rng.choice(TASKS if kind != "extreme" else ("table", "table", "pictures", "weights", "maximizers", "moves"))
    content: Any = extreme_content(rng, task) if kind == "extreme" else valid_content(rng, task)
    if kind == "changed":
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            content = _changed_field(rng, content)
        content = rng.choice(HOSTILE) if rng.random() < 0.03 else content
    body = json.dumps(content).encode()
    if kind == "truncated":
        body = body[: rng.randrange(len(body))] + rng.choice((b"", b"\xff", b"}", b'"', b"\x00"))
    return Drawn(kind, f"/api/{task}", body, _JSON, {})


def valid_content(rng: Random, task: str) -> dict[str, Any]:
    """Return the content of a valid request about a small table."""
    k = rng.randint(2, 4)
    content: dict[str, Any] = {"categories": list(range(1, k + 1))}
    if rng.random() < 0.7:
        content["counts"] = [[rng.randint(0, 6) + 3 * (i == j) for j in range(k)] for i in range(k)]
    else:
        n_raters, patterns = rng.randint(2, 3), []
        for _ in range(rng.randint(3, 8)):
            pattern = [rng.randrange(k) for _ in range(n_raters)]
            patterns += [pattern] if pattern not in patterns else []
        content["patterns"] = [*patterns, *([one] * n_raters for one in range(k) if [one] * n_raters not in patterns)]
        content["counts"] = [rng.randint(1, 5) for _ in content["patterns"]]
        content["raters"] = [f"r{i}" for i in range(n_raters)]
    weighting = _weighting(rng, k)
    return content | ({"weights": [weighting]} if task in _REPORT_TASKS else {"weight": weighting})


def extreme_content(rng: Random, task: str) -> dict[str, Any]:
    """Return a request about up to 13 categories whose weights are far apart, near the limits of doubles or long."""
    k = rng.choice((2, 3, 4, 12, 13))
    large = rng.choice((1e299, 9.9e299, 1e155, 1e-299, 5e-324, 10**17, 1))

    def number() -> float:
        return rng.choice((large, large, large / 3, 0, 1, 2, rng.random(), rng.randint(1, 10**18 - 1)))

    square = [[0 if i == j else number() for j in range(k)] for i in range(k)]
    positions = [number() for _ in range(k)]
    weighting = rng.choice(
        (
            *("ratio", rng.choice(_NAMES), {"positions": positions, "scheme": rng.choice(_NAMES)}),
            *({"positions": sorted(positions), "scheme": "ratio"}, {"matrix": square, "kind": "disagreement"}),
            {"matrix": [[large if i == j else 0 for j in range(k)] for i in range(k)], "kind": "agreement"},
        )
    )
    patterns = [[i, j] for i in range(k) for j in range(k)]
    content = {"patterns": patterns, "counts": [rng.choice((0, 1, 2, 5)) for _ in patterns]}
    content |= {"categories": [10**15 * i for i in range(k)] if rng.random() < 0.3 else list(range(k))}
    return content | ({"weights": [weighting]} if task in _REPORT_TASKS else {"weight": weighting})


def wrong_answer(drawn: Drawn, status: int, text: str) -> str | None:
    """Return what is wrong with an answer, or None: its status, the form of an error, or a number of the library."""
    if status >= 500:
        return f"status {status}: {text[:300]}"
    if drawn.kind in ("valid", "file") and status != 200:
        return f"status {status} for a valid request: {text[:300]}"
    if status >= 400:
        return None if _is_error(text) else f"an error that is not one line of JSON: {text[:300]}"
    if drawn.content_type == _JSON and drawn.task in ("table", "weights", "path"):
        return _wrong_numbers(drawn, json.loads(text))
    if drawn.kind == "file" and drawn.task == "file":
        return _wrong_file(drawn, json.loads(text))
    if drawn.task == "anneal" and "error" in json.loads(text.splitlines()[-1]):
        return None if drawn.kind == "changed" else text.splitlines()[-1][:300]
    return None


def _is_error(text: str) -> bool:
    try:
        message = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return False
    return bool(message) and "\n" not in message


def _wrong_numbers(drawn: Drawn, answer: dict[str, Any]) -> str | None:
    """Compare an answer about a table with the library."""
    asked = as_request(drawn.task, decoded(drawn.body))
    assert isinstance(asked, ReportRequest | WeightingRequest)
    table = asked.table()
    if drawn.kind == "valid" and asked.patterns is None:
        table = km.from_counts(asked.counts, categories=list(asked.categories or ()))
    if isinstance(asked, WeightingRequest):
        weights = asked.weights()
        if drawn.task == "weights":
            return None if answer["matrix"] == weights.matrix.tolist() else "another matrix of weights"
        best = km.max_kappa(table, weights=weights, time_limit=5.0)
        return _differing("maximum", answer["maximum"], best.maximum) if best.proven and answer["proven"] else None
    for asked_weights, found in zip(asked.weights or (), answer["results"], strict=asked.weights is not None):
        weights = weights_of(asked_weights, table.n_categories)
        try:
            expected = km.kappa(table, weights=weights).value
        except UndefinedKappaError:
            expected = None
        wrong = _differing("value", found["value"], expected)
        if expected is not None and found["proven"]:
            best = km.max_kappa(table, weights=weights, time_limit=5.0)
            wrong = wrong or (_differing("maximum", found["maximum"], best.maximum) if best.proven else None)
        if wrong:
            return wrong
    return None


def _differing(name: str, got: float | None, expected: float | None) -> str | None:
    if got is None or expected is None:
        return None if got is expected else f"{name} is {got}, and {expected} by the library"
    # the same code computes both, so that only the order of summation may differ
    same = isclose(got, expected, rel_tol=1e-9, abs_tol=1e-12)
    return None if same else f"{name} is {got}, and {expected} by the library"


def _wrong_file(drawn: Drawn, answer: dict[str, Any]) -> str | None:
    table = answer["table"]
    rows = [line.split(",") for line in drawn.body.decode().split()[1:]]
    labels = sorted({int(cell) for row in rows for cell in row})
    expected = [[sum(row == [str(i), str(j)] for row in rows) for j in labels] for i in labels]
    return None if (table["categories"], table["counts"]) == (labels, expected) else f"another table: {table}"


def _weighting(rng: Random, k: int) -> Any:
    kind = rng.randrange(4)
    if kind < 2:
        return rng.choice(_NAMES)
    if kind == 2:
        steps = [rng.randint(1, 4) for _ in range(k)]
        return {"positions": [sum(steps[: i + 1]) for i in range(k)], "scheme": rng.choice(("linear", "quadratic"))}
    entries = [[0 if i == j else rng.randint(1, 9) for j in range(k)] for i in range(k)]
    return {"matrix": [[entries[min(i, j)][max(i, j)] for j in range(k)] for i in range(k)], "kind": "disagreement"}


def _changed(rng: Random, content: Any) -> Any:
    """Return a copy in which one part, at any depth, is replaced, left out or repeated."""
    if rng.random() < 0.25 or not isinstance(content, dict | list) or not content:
        return rng.choice(HOSTILE)
    if isinstance(content, list):
        place = rng.randrange(len(content))
        how = rng.randrange(6)
        if how == 0:
            return content[:place] + content[place + 1 :]
        if how == 1:
            return content[:place] + [content[place]] * rng.choice((2, 13, 200)) + content[place:]
        return [*content[:place], _changed(rng, content[place]), *content[place + 1 :]]
    return _changed_field(rng, content)


def _changed_field(rng: Random, content: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of an object in which one field is changed, left out or added."""
    more = ("move", "start", "top", "seed", "proposal", "title", "reading", "ordered", "format", "patterns", "raters")
    name = rng.choice((*content, *content, rng.choice(more)))
    if rng.random() < 0.1:
        return {key: value for key, value in content.items() if key != name}
    if name == "reading":
        field = rng.choice(("file", "layout", "missing_as", "columns_left_out", "n_left_out", "notes"))
        return content | {"reading": {field: rng.choice((*HOSTILE, {"a": rng.choice(HOSTILE)}))}}
    if name == "move":
        cells = [[rng.choice((0, 1, rng.choice(HOSTILE))) for _ in range(2)] for _ in range(4)]
        return content | {"move": {"plus": cells[:2], "minus": cells[2:]}}
    return content | {name: _changed(rng, content.get(name))}


def _file(rng: Random, kind: str) -> Drawn:
    """Return a file with the ratings of two raters, with options and changed bytes if it is not valid."""
    lines = ["a,b", "1,1", "2,2", *(f"{rng.randint(1, 3)},{rng.randint(1, 3)}" for _ in range(rng.randint(2, 30)))]
    body, parameters = "\n".join(lines).encode() + b"\n", dict[str, str]()
    if kind == "changed file":
        for _ in range(rng.randrange(4)):
            name = rng.choice([*_OPTIONS])
            parameters[name] = rng.choice(_OPTIONS[name])
        for _ in range(rng.randrange(6)):
            place = rng.randrange(len(body) + 1)
            body = body[:place] + rng.choice(_INSERTED) + body[place + rng.randrange(3) :]
    return Drawn(kind, f"/api/{rng.choice(('file', 'inspect'))}", body, _BYTES, parameters)
