"""The handlers give the results of the library, and jobs are exchanged with worker processes as documented."""

import json
from io import BytesIO

import numpy as np
import pytest

import kappamax as km
from kappamax.errors import InvalidRequestError
from kappamax.reporting.report import report_within
from kappamax.web import handlers, moves
from kappamax.web.handlers import HANDLERS
from kappamax.web.schemas import REQUESTS, as_request, plain_table, weights_of
from kappamax.web.snippets import calls_of
from kappamax.web.worker import answer_job, bug_reply

SQUARE = {"counts": [[20, 5], [10, 15]], "categories": ["no", "yes"], "raters": ["ann", "bob"]}


def table_of(request):
    """Return the table of a request."""
    return as_request("table", request).table()


def read_file(content, **options):
    """Return the answer to a request with a file and the options of its address."""
    return handlers.file_table(as_request("file", options | {"content": content}, strict=False))


def sent_by(name, request, by_line=False):
    """Return all replies to a job, and the last one as plain data."""
    sent = []
    answer_job(json.dumps([name, "lines" if by_line else "whole", request]).encode(), sent.append)
    assert [reply.more for reply in sent] == [True] * (len(sent) - 1) + [False]
    return sent, sent[-1].status, json.loads(sent[-1].body)


def test_every_request_has_a_handler():
    """The names of requests and handlers are the same."""
    assert set(HANDLERS) == set(REQUESTS)


def test_a_square_of_counts_is_the_table_it_shows():
    """The rows belong to the first rater."""
    table = table_of(SQUARE)
    assert table == km.from_counts([[20, 5], [10, 15]], categories=["no", "yes"], raters=["ann", "bob"])
    assert plain_table(table) == SQUARE | {"ordered": True}


def test_cohens_kappa_by_hand():
    """Observed 35/50 and expected (25 * 30 + 25 * 20) / 2500 give 0.4, and the maximum is (45/50 - 1/2) / (1/2)."""
    result = handlers.numbers(as_request("table", SQUARE | {"weights": ["unweighted"]}))["results"][0]
    assert (result["value"], result["exact"]) == (0.4, "2/5")
    assert (result["maximum"], result["exact_maximum"], result["proven"]) == (0.8, "4/5", True)
    assert result["ratio"] == 0.5


def test_the_numbers_of_the_last_requests_are_cached(monkeypatch):
    """Repeated requests, also with additional weights, use the cached results."""
    found = []

    def counted(*arguments, **options):
        found.append(arguments)
        return report_within(*arguments, **options)

    monkeypatch.setattr(handlers, "report_within", counted)
    requests = [
        as_request("table", SQUARE | {"title": f"request {i}", "weights": ["linear", "sqrt"]}) for i in range(21)
    ]
    for ask in (handlers.numbers, handlers.pictures, handlers.chances):
        ask(requests[0])
    handlers.chances(as_request("table", SQUARE | {"title": "request 0", "weights": ["sqrt"]}))
    assert len(found) == 2
    for request in requests:
        handlers.numbers(request)
    assert len(found) == 42
    handlers.numbers(requests[-1])
    assert len(found) == 42
    handlers.numbers(requests[0])  # only the last 40 of 42 reports are cached
    assert len(found) == 44


def test_a_report_is_the_same_whether_its_weightings_are_found_together_or_not():
    """The pairs of raters have linear weights in any order of weights, and no weights mean the default ones."""
    table = km.example("rapallo2022-three")
    for weights in (["quadratic", "linear"], ["sqrt", "unweighted"], None):
        made = handlers._joined(as_request("table", plain_table(table) | {"weights": weights}))
        assert made.to_dict() == report_within(handlers._QUICK, table, weights=weights, brief=True).to_dict()


def test_tables_are_unchanged_by_conversion_to_plain_data():
    """Tables with missing ratings, several raters and any labels are unchanged."""
    for name in km.datasets.EXAMPLES:
        table = km.example(name)
        assert table_of(json.loads(json.dumps(plain_table(table)))) == table


def test_the_bundled_examples_are_those_of_the_library():
    """The examples have the same names, tables and sources."""
    found = {one["name"]: one for one in handlers.examples()}
    assert set(found) == set(km.datasets.EXAMPLES)
    assert found["rapallo2022"]["source"].startswith("Rapallo (2022)")


def test_weightings_by_name_position_and_matrix():
    """A name, positions and a matrix give the same linear weights."""
    asked = [
        "linear",
        {"positions": [0, 5, 10], "scheme": "linear"},
        {"matrix": [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]], "kind": "agreement", "name": "mine"},
    ]
    chosen = [weights_of(one, 3) for one in as_request("table", SQUARE | {"weights": asked}).weights]
    assert [weights.name for weights in chosen] == ["linear", "linear over positions", "mine"]
    for weights in chosen:
        assert weights.matrix.tolist() == km.Weights.from_scheme("linear", 3).matrix.tolist()
    assert as_request("moves", SQUARE).weights().name == "linear"
    assert as_request("moves", SQUARE | {"ordered": False}).weights().name == "unweighted"
    with pytest.raises(InvalidRequestError, match="weight must be a name or a JSON object; got 3"):
        as_request("moves", SQUARE | {"weight": 3})


def test_commands_quote_special_characters():
    """Labels with quotation marks, commas and dollar signs are quoted."""
    table = km.from_counts([[1, 2], [3, 4]], categories=["it's", "$a, b"])
    command = calls_of(table, ["power(1.5)"])["terminal"]
    assert "--weights 'power(1.5)'" in command
    assert '"$a, b"' in command


def test_many_patterns_are_read_from_a_file_instead():
    """For many patterns, the Python call reads a file."""
    rng = np.random.default_rng(0)
    table = km.from_ratings(rng.integers(1, 9, size=(900, 5)))
    assert calls_of(table, ["linear"])["python"].startswith('km.report(km.read_ratings("ratings.csv")')


def test_a_path_that_is_too_long_ends_unreached():
    """A path of 200 steps does not reach the maximum of ten thousand subjects."""
    found = moves.path_to_maximum(as_request("path", {"counts": [[0, 10_000], [10_000, 0]], "weight": "unweighted"}))
    assert len(found["steps"]) == 200
    assert not found["reached"]
    assert found["maximum"] == 1


def test_swaps_anneal_tables_with_missing_ratings():
    """The lines of the answer have no square table."""
    lines = []
    request = plain_table(km.example("gwet2014")) | {"weight": "unweighted", "proposal": "swaps", "seed": 3}
    end = moves.annealing(as_request("anneal", request), lines.append)
    assert end["stopped"] in ("stale", "max_steps")
    assert "counts" not in lines[0]
    assert end["value"] <= end["bound"]


def test_a_file_is_told_apart_by_its_content_and_options():
    """Layouts are read by their options, and an unknown option is an error with its name."""
    assert read_file(b",a,b\na,1,2\nb,3,4\n", layout="counts")["table"]["counts"] == [[1, 2], [3, 4]]
    with pytest.raises(InvalidRequestError, match="the options are 'layout'.*got 'lay'.*Did you mean 'layout'"):
        read_file(b"", lay="long")
    with pytest.raises(InvalidRequestError, match="complete_only must be true or false; got 'maybe'"):
        read_file(b"", complete_only="maybe")
    with pytest.raises(InvalidRequestError, match="the file is empty|holds no|no row"):
        read_file(b"")
    with pytest.raises(km.errors.InvalidOptionError, match="raters must be a comma-separated list"):
        read_file(b"", raters='"a')


def test_a_file_of_more_patterns_than_the_page_holds_is_refused():
    """The error mentions the command line, which accepts more."""
    rng = np.random.default_rng(0)
    rows = "\n".join(",".join(map(str, row)) for row in rng.integers(1, 10, size=(30_000, 10)))
    with pytest.raises(InvalidRequestError, match="at most 20,000 different patterns; got 30,000") as refused:
        read_file(f"{','.join('abcdefghij')}\n{rows}\n".encode())
    assert refused.value.status == 413


def test_a_job_sends_progress_then_its_reply():
    """Progress is sent only to clients that read lines, and errors are replies with a status and a place."""
    request = SQUARE | {"title": "never asked before", "weights": ["unweighted"]}
    sent, status, answer = sent_by("table", request)
    assert (len(sent), status, answer["data"]["n_subjects"]) == (1, 200, 50)
    sent, _, answer = sent_by("chance", request, by_line=True)
    progress, found = (json.loads(reply.body) for reply in sent[:-1])
    assert progress == {"progress": "test against chance, unweighted"}
    assert found["results"][0]["weights"] == "unweighted"
    assert answer == {"end": True}
    _, status, answer = sent_by("table", {"counts": [[1, 2]], "patterns": [[0, 3]], "categories": ["a"]})
    assert (status, answer["field"]) == (422, "patterns")


def test_a_bug_is_a_reply_without_data():
    """The reply has the type and the place of the error."""
    try:
        raise ValueError("secret")
    except ValueError as error:
        reply = bug_reply(error)
    assert reply.status == 500
    assert b"ValueError at" in reply.body
    assert b"secret" not in reply.body


def test_a_computation_that_fails_is_refused_and_logged_without_data(monkeypatch):
    """The answer has status 422 and the place of the error; the log has its traceback, and neither has data."""

    def broken(request, show):
        raise OverflowError(str(request.counts))

    monkeypatch.setitem(HANDLERS, "moves", broken)
    sent, status, answer = sent_by("moves", {"counts": [[98765, 2], [3, 4]]})
    assert (status, answer["code"]) == (422, "computation-failed")
    assert "the computation failed on this input (OverflowError at tests.web.test_handlers" in answer["error"]
    assert "in broken" in sent[-1].log
    assert sent[-1].log.endswith("OverflowError\n")
    assert "98765" not in sent[-1].log + answer["error"]


def test_a_computation_without_enough_memory_is_refused(monkeypatch):
    """The answer has the limit, and the process does not answer further jobs."""

    def greedy(request, show):
        raise MemoryError

    monkeypatch.setitem(HANDLERS, "moves", greedy)
    sent = []
    assert answer_job(b'["moves", "whole", {"counts": [[1, 2], [3, 4]]}]', sent.append) is False
    assert (sent[-1].status, b"needs more memory than the page allows (3 GB)" in sent[-1].body) == (422, True)


def test_jobs_are_read_line_by_line():
    """The process answers each line that the server writes, and ends after the last one."""
    from queue import SimpleQueue

    from kappamax.web import worker

    jobs: SimpleQueue = SimpleQueue()
    ended = []
    original, worker.os._exit = worker.os._exit, ended.append
    try:
        worker._receive(BytesIO(b'["ready", false, {}]\n["examples", false, {}]\n'), jobs)
    finally:
        worker.os._exit = original
    assert [jobs.get(), jobs.get()] == [b'["ready", false, {}]\n', b'["examples", false, {}]\n']
    assert ended == [0]
