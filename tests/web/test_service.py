"""What the routes compute, by hand and against the library; and how jobs and their processes talk."""

import json
from io import BytesIO

import numpy as np
import pytest

import kappamax as km
from kappamax.errors import InvalidRequestError
from kappamax.reporting.report import report_within
from kappamax.web import moves, service
from kappamax.web.handlers import bug_reply, run_job
from kappamax.web.schemas import plain_table, table_of, weighting_of, weightings_of
from kappamax.web.snippets import calls_of
from kappamax.web.uploads import file_table

SQUARE = {"counts": [[20, 5], [10, 15]], "categories": ["no", "yes"], "raters": ["ann", "bob"]}


def sent_by(task, request, payload=b""):
    """Everything a job sends, and its reply as plain data."""
    sent = []
    run_job(task, request, payload, lambda kind, status, body: sent.append((kind, status, body)))
    return sent, sent[-1][1], json.loads(sent[-1][2])


def test_a_square_of_counts_is_the_table_it_shows():
    """Rows are the first rater's."""
    table = table_of(SQUARE)
    assert table == km.from_counts([[20, 5], [10, 15]], categories=["no", "yes"], raters=["ann", "bob"])
    assert plain_table(table) == SQUARE | {"ordered": True}


def test_cohens_kappa_by_hand():
    """Observed 35/50, expected (25 * 30 + 25 * 20) / 2500 = 1/2: kappa 0.4, at most (45/50 - 1/2) / (1/2) = 0.8."""
    result = service.numbers_of(SQUARE | {"weights": ["unweighted"]})["results"][0]
    assert (result["value"], result["exact"]) == (0.4, "2/5")
    assert (result["maximum"], result["exact_maximum"], result["proven"]) == (0.8, "4/5", True)
    assert result["ratio"] == 0.5


def test_the_numbers_of_the_last_requests_are_found_once(monkeypatch):
    """However often the page asks for more about them."""
    found = []

    def counted(*arguments, **options):
        found.append(arguments)
        return report_within(*arguments, **options)

    monkeypatch.setattr(service, "report_within", counted)
    requests = [SQUARE | {"title": f"request {i}", "weights": ["linear"]} for i in range(9)]
    for ask in (service.numbers_of, service.pictures, service.chances):
        ask(requests[0])
    assert len(found) == 1
    for request in requests:
        service.numbers_of(request)
    assert len(found) == 9
    service.numbers_of(requests[0])  # the oldest of nine is forgotten
    assert len(found) == 10


def test_tables_survive_the_way_to_the_page_and_back():
    """With gaps, several raters, numbers and text as labels."""
    for name in km.EXAMPLES:
        table = km.example(name)
        assert table_of(json.loads(json.dumps(plain_table(table)))) == table


def test_the_bundled_examples_are_those_of_the_library():
    """With their sources."""
    found = {one["name"]: one for one in service.examples()}
    assert set(found) == set(km.EXAMPLES)
    assert found["rapallo2022"]["source"].startswith("Rapallo (2022)")


def test_weightings_by_name_position_and_matrix():
    """Linear weights in three ways."""
    table = km.from_counts(np.eye(3, dtype=int))
    asked = [
        "linear",
        {"positions": [0, 5, 10], "scheme": "linear"},
        {"matrix": [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]], "kind": "agreement", "name": "mine"},
    ]
    chosen = weightings_of({"weights": asked}, table)
    assert [weights.name for weights in chosen] == ["linear", "linear over positions", "mine"]
    for weights in chosen:
        assert weights.matrix.tolist() == km.Weights.from_scheme("linear", 3).matrix.tolist()
    assert weightings_of({}, table) is None
    assert weighting_of({}, table).name == "linear"
    with pytest.raises(InvalidRequestError, match="weight must be a JSON object; got 3"):
        weighting_of({"weight": 3}, table)


def test_commands_quote_what_a_shell_would_take_apart():
    """Labels with quotation marks, commas and dollars."""
    table = km.from_counts([[1, 2], [3, 4]], categories=["it's", "$a, b"])
    command = calls_of({}, table, ["power(1.5)"])["terminal"]
    assert "--weights 'power(1.5)'" in command
    assert '"$a, b"' in command


def test_many_patterns_are_read_from_a_file_instead():
    """A call of the library that nobody could read helps nobody."""
    rng = np.random.default_rng(0)
    table = km.from_ratings(rng.integers(1, 9, size=(900, 5)))
    assert calls_of({}, table, ["linear"])["python"].startswith('km.report(km.read_ratings("ratings.csv")')


def test_a_path_that_is_too_long_ends_unreached():
    """200 steps of one subject each do not move ten thousand."""
    found = moves.path_to_maximum({"counts": [[0, 10_000], [10_000, 0]], "weight": "unweighted"})
    assert len(found["steps"]) == 200
    assert not found["reached"]
    assert found["maximum"] == 1


def test_swaps_anneal_tables_with_gaps():
    """Without a square to show."""
    lines = []
    request = plain_table(km.example("gwet2014")) | {"weight": "unweighted", "proposal": "swaps", "seed": 3}
    end = moves.annealing(request, lines.append)
    assert end["stopped"] in ("stale", "max_steps")
    assert "counts" not in lines[0]
    assert end["value"] <= end["bound"]


def test_a_file_is_told_apart_by_its_content_and_options():
    """Unknown options are refused by name."""
    assert file_table({"layout": "counts"}, b",a,b\na,1,2\nb,3,4\n")["table"]["counts"] == [[1, 2], [3, 4]]
    with pytest.raises(InvalidRequestError, match="the options are 'layout'.*got 'lay'.*Did you mean 'layout'"):
        file_table({"lay": "long"}, b"")
    with pytest.raises(InvalidRequestError, match="complete_only must be true or false; got 'maybe'"):
        file_table({"complete_only": "maybe"}, b"")
    with pytest.raises(InvalidRequestError, match="the file is empty|holds no|no row"):
        file_table({}, b"")
    with pytest.raises(km.InvalidOptionError, match="raters must be a list with commas"):
        file_table({"raters": '"a'}, b"")


def test_a_file_of_more_patterns_than_the_page_holds_is_refused():
    """With where to go instead."""
    rng = np.random.default_rng(0)
    rows = "\n".join(",".join(map(str, row)) for row in rng.integers(1, 10, size=(30_000, 10)))
    with pytest.raises(InvalidRequestError, match="at most 20,000 different patterns; got 30,000") as refused:
        file_table({}, f"{','.join('abcdefghij')}\n{rows}\n".encode())
    assert refused.value.status == 413


def test_a_job_sends_progress_then_its_reply():
    """Errors are replies too, with their status and place."""
    request = SQUARE | {"title": "never asked before", "weights": ["unweighted"]}
    sent, status, answer = sent_by("table", request)
    assert [kind for kind, *_ in sent] == ["progress", "reply"]
    assert (status, answer["data"]["n_subjects"]) == (200, 50)
    sent, _, _ = sent_by("chance", request)
    assert [json.loads(body) for kind, _, body in sent if kind == "progress"] == [
        {"progress": "chance with unweighted weights"}
    ]
    _, status, answer = sent_by("table", {"counts": [[1, -1], [0, 0]]})
    assert (status, answer["field"], answer["cell"]) == (422, "counts", [0, 1])


def test_a_bug_is_a_reply_without_data():
    """The kind and the place."""
    try:
        raise ValueError("secret")
    except ValueError as error:
        reply = bug_reply(error)
    assert reply.status == 500
    assert b"ValueError at" in reply.body
    assert b"secret" not in reply.body
    _, status, answer = sent_by("no such task", {})
    assert (status, "KeyError" in answer["error"]) == (500, True)


def test_jobs_come_in_as_lines_and_bytes():
    """What the server writes is what a process reads."""
    from queue import SimpleQueue

    from kappamax.web import worker

    jobs: SimpleQueue = SimpleQueue()
    ended = []
    source = BytesIO(b'{"task": "a", "size": 3}\nxyz{"task": "b", "size": 0}\n')
    original, worker.os._exit = worker.os._exit, ended.append
    try:
        worker._receive(source, jobs)
    finally:
        worker.os._exit = original
    assert jobs.get() == ({"task": "a", "size": 3}, b"xyz")
    assert jobs.get() == ({"task": "b", "size": 0}, b"")
    assert ended == [0]
