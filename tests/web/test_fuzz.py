"""Requests drawn from fixed seeds, valid and hostile ones, are answered without errors and wrong numbers."""

import json
from collections import Counter
from random import Random
from urllib.parse import quote

import pytest

from tests.support.http_requests import KINDS, Drawn, drawn_request, wrong_answer

VALID = {"counts": [[20, 5], [10, 15]], "categories": [1, 2], "weights": ["unweighted"]}


def answered(client, drawn):
    """Send a request and return the status and the text of its answer."""
    parameters = {name: text.encode("utf-8", "replace") for name, text in drawn.parameters.items()}
    answer = client.post(
        quote(drawn.path, safe="/%?#"),
        content=drawn.body,
        headers={"content-type": drawn.content_type},
        params=parameters or None,
    )
    return answer.status_code, answer.text


def attack(client, seed, n_requests):
    """Send requests drawn from a seed; print what was tried, and return what was wrong."""
    rng, tried, wrong = Random(seed), Counter(), []
    for i in range(n_requests):
        drawn = drawn_request(rng)
        status, text = answered(client, drawn)
        tried[drawn.kind, status] += 1
        if said := wrong_answer(drawn, status, text):
            wrong.append(f"request {i} of seed {seed} ({drawn.kind}, {drawn.path}, {drawn.body[:200]!r}): {said}")
    print(f"seed {seed}:", ", ".join(f"{n} {kind} -> {status}" for (kind, status), n in sorted(tried.items())))
    return wrong


@pytest.mark.slow
@pytest.mark.attack
def test_drawn_requests_are_answered_correctly(client):
    """No answer is a server error, valid requests are answered, and their numbers are those of the library."""
    assert attack(client, seed=1, n_requests=600) == []


@pytest.mark.parametrize("kind", KINDS)
def test_requests_depend_on_the_seed_alone(kind):
    """The same seed draws the same requests, which differ from each other."""
    first, second = ([drawn_request(rng, kind) for _ in range(20)] for rng in (Random(3), Random(3)))
    assert first == second
    assert len({(one.path, one.body) for one in first}) > 10


@pytest.mark.parametrize(
    ("status", "answer", "words"),
    [
        (200, {"results": [{"value": 0.4, "proven": True, "maximum": 0.8}]}, None),
        (200, {"results": [{"value": 0.5, "proven": True, "maximum": 0.8}]}, "value is 0.5, and 0.4 by the library"),
        (200, {"results": [{"value": 0.4, "proven": True, "maximum": 0.9}]}, "maximum is 0.9, and 0.8 by the library"),
        (200, {"results": [{"value": None, "proven": False, "maximum": None}]}, "value is None"),
        (422, {"error": "no"}, "status 422 for a valid request"),
        (500, {"error": "no"}, "status 500"),
    ],
)
def test_wrong_answers_are_found(status, answer, words):
    """The comparison fails for a wrong value, a wrong maximum, a refusal of a valid request and a server error."""
    drawn = Drawn("valid", "/api/table", json.dumps(VALID).encode(), "application/json", {})
    found = wrong_answer(drawn, status, json.dumps(answer))
    assert found is None if words is None else words in found


def test_errors_that_are_not_one_line_of_json_are_found():
    """The form of an error is checked."""
    drawn = Drawn("changed", "/api/table", b"{}", "application/json", {})
    assert wrong_answer(drawn, 422, '{"error": "one line"}') is None
    for text in ("Internal error", '{"error": "two\\nlines"}', '{"error": ""}', "[]"):
        assert "not one line of JSON" in wrong_answer(drawn, 422, text)
