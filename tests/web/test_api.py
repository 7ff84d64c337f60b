"""The JSON API answers requests to the application and over a network connection."""

import json
import shlex
import subprocess
import sys
from html import unescape

import httpx2 as httpx
import pytest

import kappamax as km

PAPER = km.from_counts(km.example("rapallo2022").dense())
TABLE = {"counts": PAPER.dense().tolist(), "ordered": True}
THREE = {
    "patterns": [[0, 0, 0], [1, 1, 1], [0, 1, None], [1, 1, 0]],
    "counts": [5, 4, 2, 1],
    "categories": ["no", "yes"],
    "raters": ["a", "b", "c"],
    "ordered": True,
}

ONE = {"categories": ["a"], "raters": ["x", "y"]}


def answer_to(client, path, request, status=200):
    """Return the answer as plain data after checking its status."""
    answer = client.post(path, json=request)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_table_and_its_chances_give_the_reports_document(client):
    """The numbers equal those of the library, and the tests are sent separately."""
    request = TABLE | {"weights": ["linear", "sqrt"]}
    answer, later = (answer_to(client, path, request) for path in ("/api/table", "/api/chance"))
    expected = km.report(PAPER, weights=["linear", "sqrt"]).to_dict()
    assert answer["data"] == expected["data"]
    for first, rest, theirs in zip(answer["results"], later["results"], expected["results"], strict=True):
        assert (first["test"], first["pvalue"], first["n_maximizers"]) == (None, None, None)
        assert rest.pop("picture").startswith("<svg")
        assert first | rest == theirs
    assert "exact, conditional on the margins" in later["methods"]


@pytest.mark.slow
def test_the_figures_of_a_table_are_sent_separately(client):
    """There are figures of both tables and the margins, and of the pairs of three raters."""
    answer = answer_to(client, "/api/pictures", TABLE | {"weights": ["linear", "sqrt"]})
    assert set(answer["by_weights"]) == {"linear", "sqrt"}
    drawn = [answer["margins"], *(answer["by_weights"]["sqrt"][name] for name in ("observed", "maximum"))]
    assert all(picture.startswith("<svg") for picture in drawn)
    assert answer["pairs"] is None
    assert answer_to(client, "/api/pictures", THREE)["pairs"].startswith("<svg")


def test_the_calls_give_the_same_result(client):
    """Running the Python call and the command gives the same result."""
    request = TABLE | {"categories": ["a, b", "c's", "d", "e"], "raters": ["x", "y z"], "weights": ["linear"]}
    answer = answer_to(client, "/api/table", request)
    value = answer["results"][0]["value"]
    made = eval(answer["calls"]["python"], {"km": km})
    assert made.results[0].agreement.value == value
    words = answer["calls"]["terminal"].replace("kappamax", f"{shlex.quote(sys.executable)} -m kappamax") + " --json"
    done = subprocess.run(words, shell=True, capture_output=True, check=True)
    printed = json.loads(done.stdout)
    assert printed["results"][0]["value"] == value
    assert printed["data"]["raters"] == ["x", "y z"]


def test_custom_weights_have_no_command(client):
    """Custom weights have a Python call but no command."""
    own = [{"matrix": [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]], "kind": "disagreement"}]
    answer = answer_to(client, "/api/table", TABLE | {"weights": own})
    assert answer["calls"]["terminal"] is None
    assert eval(answer["calls"]["python"], {"km": km}).results[0].agreement.value == answer["results"][0]["value"]
    assert answer["results"][0]["value"] == km.kappa(PAPER, weights="linear").value


def test_several_raters_with_missing_ratings_are_answered(client):
    """The answer has all pairs of raters, and patterns instead of a square table."""
    answer = answer_to(client, "/api/table", THREE | {"weights": ["unweighted"]})
    table = km.Table(
        [[0, 0, 0], [1, 1, 1], [0, 1, -1], [1, 1, 0]], [5, 4, 2, 1], ["no", "yes"], list("abc"), ordered=True
    )
    assert answer["results"][0]["value"] == km.kappa(table).value
    assert answer["report"]["pairs"]["raters"] == ["a", "b", "c"]
    assert eval(answer["calls"]["python"], {"km": km}).results[0].agreement.value == answer["results"][0]["value"]


def test_an_undefined_kappa_is_an_answer(client):
    """The value is null, and the reason is given."""
    answer = answer_to(client, "/api/table", {"counts": [[5, 0], [0, 0]]})
    assert answer["results"][0]["value"] is None
    assert "only 1" in answer["results"][0]["reason"]
    later = answer_to(client, "/api/chance", {"counts": [[5, 0], [0, 0]]})["results"][0]
    assert (later["test"], later["picture"]) == (None, None)


def test_the_answer_about_weights_names_a_violated_triangle(client):
    """Quadratic weights are not a metric."""
    answer = answer_to(client, "/api/weights", TABLE | {"weight": "quadratic"})
    assert (answer["metric"], answer["monge"], answer["violated_triangle"]) == (False, True, [1, 2, 3])
    assert "not a metric" in answer["words"]
    positions = answer_to(client, "/api/weights", TABLE | {"weight": {"positions": [0, 1, 5, 6], "scheme": "linear"}})
    assert positions["metric"]
    assert positions["matrix"][0][2] == pytest.approx(5 / 6)


def test_maximizers_are_sent_in_pages(client):
    """Five tables attain the linear maximum of the paper's table."""
    answer = answer_to(client, "/api/maximizers", TABLE | {"weight": "linear"})
    assert (answer["n"], len(answer["tables"])) == (5, 5)
    for one in answer["tables"]:
        found = km.from_counts(one["counts"])
        assert (found.margins == PAPER.margins).all()
        assert km.kappa(found, weights="linear").value == pytest.approx(166 / 221)
    later = answer_to(client, "/api/maximizers", TABLE | {"weight": "linear", "start": 3})
    assert later["tables"] == answer["tables"][3:]


def test_moves_are_ranked_and_made(client):
    """The ranking equals that of `rank_moves`."""
    ranked = answer_to(client, "/api/moves", TABLE | {"weight": "linear", "top": 3})
    assert (ranked["n_applicable"], ranked["n_raising"], len(ranked["moves"])) == (47, 12, 3)
    best = ranked["moves"][0]
    move = {"plus": best["plus"], "minus": best["minus"]}
    after = answer_to(client, "/api/moves", TABLE | {"weight": "linear", "move": move})
    assert after["value"] == best["value_after"]
    assert after["effect"] == "raises"
    assert (km.from_counts(after["counts"]).margins == PAPER.margins).all()


def test_the_path_leads_to_the_maximum(client):
    """Every step is better than the one before."""
    answer = answer_to(client, "/api/path", TABLE | {"weight": "linear"})
    values = [step["value"] for step in answer["steps"]]
    assert values == sorted(values)
    assert answer["reached"]
    assert values[-1] == answer["maximum"] == pytest.approx(166 / 221)


def test_annealing_streams_lines_and_ends_where_the_library_does(client):
    """The same seed gives the same search."""
    answer = client.post("/api/anneal", json=TABLE | {"weight": "sqrt", "seed": 1, "proposal": "moves"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    *lines, end = map(json.loads, answer.text.splitlines())
    found = km.anneal(PAPER, weights="sqrt", rng=1, method=km.annealing.MoveMethod(max_steps=2_000_000))
    assert len(lines) > 20
    assert [line["step"] for line in lines] == sorted(line["step"] for line in lines)
    assert sum(map(sum, lines[0]["counts"])) == PAPER.n_subjects
    assert end["end"]
    assert (end["value"], end["steps"], end["proven"]) == (found.reached, found.steps, found.proven)


def test_progress_of_a_table_can_be_followed(client):
    """A client that accepts lines receives lines of progress before the result."""
    request = THREE | {"title": "never asked before"}
    answer = client.post("/api/table", json=request, headers={"accept": "application/x-ndjson"})
    assert answer.headers["content-type"] == "application/x-ndjson"
    *lines, found, last = map(json.loads, answer.text.splitlines())
    assert lines[0]["progress"] == "unweighted"
    assert found["data"]["n_raters"] == 3
    assert last == {"end": True}


@pytest.mark.parametrize("path", ["/api/table", "/api/chance"])
def test_one_request_gives_a_line_for_each_weighting(client, path):
    """Each line equals the answer to a separate request, in the order requested."""
    own = {"positions": [0, 1, 5, 6], "scheme": "linear"}
    request = TABLE | {"weights": ["quadratic", own, "linear"]}
    answer = client.post(path, json=request, headers={"accept": "application/x-ndjson"})
    *lines, end = [line for line in map(json.loads, answer.text.splitlines()) if "progress" not in line]
    assert lines == [answer_to(client, path, TABLE | {"weights": [one]}) for one in request["weights"]]
    assert end == {"end": True}


def test_an_error_after_the_first_lines_is_the_last_line(client):
    """The lines before the error are results."""
    request = TABLE | {"weights": ["linear", {"positions": [1, 2]}]}
    answer = client.post("/api/table", json=request, headers={"accept": "application/x-ndjson"})
    *_, found, last = map(json.loads, answer.text.splitlines())
    assert answer.status_code == 200
    assert found["results"][0]["weights"] == "linear"
    assert "weights are 2 x 2, but there are 4 categories" in last["error"]


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        *(("html", "text/html"), ("json", "application/json"), ("csv", "text/csv"), ("md", "text/markdown")),
        *(("tex", "application/x-tex"), ("txt", "text/plain")),
    ],
)
def test_reports_are_downloaded_as_the_library_writes_them(client, form, kind):
    """The downloaded bytes equal those of the library."""
    answer = client.post(f"/api/report?format={form}", json=TABLE | {"weights": ["linear"], "title": "Mine"})
    made = km.report(PAPER, weights=["linear"], title="Mine")
    written = {"html": made.to_html, "json": made.to_json, "csv": made.to_csv, "md": made.to_markdown}
    written |= {"tex": made.to_latex, "txt": made.to_text}
    assert answer.text == written[form]()
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["content-disposition"] == f'attachment; filename="kappamax.{form}"'


def post_file(client, content, **query):
    return client.post("/api/file", content=content, params=query, headers={"content-type": "application/octet-stream"})


def test_a_file_becomes_a_table_that_can_be_posted_back(client):
    """The answer has the table, the columns of the file and notes about the data."""
    answer = post_file(client, b"id,ann,bob\n1,no,yes\n2,yes,yes\n3,no,no\n4,9,no\n", subject="id", missing="9").json()
    assert answer["columns"] == ["id", "ann", "bob"]
    assert answer["data"]["n_missing"] == 1
    assert "1 of 8 ratings missing, in 1 subject" in answer["notes"][0]
    assert answer["table"]["patterns"] == [[None, 0], [0, 0], [0, 1], [1, 1]]
    answer_to(client, "/api/table", answer["table"] | {"weights": ["unweighted"]})
    square = post_file(client, b"ann,bob\nlow,high\nlow,low\n", categories="low,high").json()["table"]
    assert square == {
        "counts": [[1, 1], [0, 0]],
        "categories": ["low", "high"],
        "raters": ["ann", "bob"],
        "ordered": True,
        "reading": {"file": "the file", "layout": "wide"},
    }


MESSY = b"id,ann,bob,empty\n1,no,yes,\n2,yes,yes,\n3,no,no,\n4,NA,no,\n5,,,\n6,maybe,no,\n"


@pytest.mark.parametrize("form", ["html", "json", "csv", "md", "tex", "txt"])
def test_the_notes_of_a_file_are_in_downloaded_reports(client, form):
    """The page posts the table of a file back with the record of how it was read."""
    answer = post_file(client, MESSY, file="ratings.csv").json()
    notes = answer["table"]["reading"]["notes"]
    assert answer["data"]["notes"] == notes
    assert any("'id'" in note for note in notes)
    assert answer["notes"][0].startswith("Read from ratings.csv (wide layout): 5 subjects, raters 'ann' and 'bob'")
    assert answer_to(client, "/api/table", answer["table"])["data"] == answer["data"]
    written = " ".join(unescape(client.post(f"/api/report?format={form}", json=answer["table"]).text).split())
    for said in ("ratings.csv", *notes):
        assert said in written


def test_reports_on_the_same_counts_keep_their_own_notes(client):
    """A report that is remembered is not used for a table that was read in another way."""
    for notes in (["First note."], ["Second note."]):
        answer = answer_to(client, "/api/table", TABLE | {"weights": ["linear"], "reading": {"notes": notes}})
        assert answer["data"]["notes"] == notes


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        ("ratings.csv", "reading must be a JSON object with file, layout"),
        ({"notes": "a note"}, "notes must be a list of at most 1,000 texts; got 'a note'"),
        ({"n_left_out": -1}, "n_left_out must be a whole number >= 0; got -1"),
        ({"missing_as": {"NA": "two"}}, "missing_as must be a JSON object of whole numbers"),
        ({"columns_left_out": ["id"]}, "columns_left_out must be a JSON object of texts"),
        ({"file": 3}, "file must be a text of at most 10,000 characters; got 3"),
    ],
)
def test_a_record_of_the_reading_is_checked(client, reading, words):
    """A wrong part of the record is named."""
    assert words in answer_to(client, "/api/table", TABLE | {"reading": reading}, 422)["error"]


def test_spreadsheets_and_long_files_are_read(client, tmp_path):
    """Files of the kinds that `read_ratings` accepts are read."""
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["ann", "bob"], [1, 2], [2, 2]):
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    answer = post_file(client, (tmp_path / "book.xlsx").read_bytes())
    assert answer.json()["table"]["counts"] == [[0, 1], [0, 1]]
    long = b"subject,rater,rating\n1,a,1\n1,b,2\n2,a,2\n2,b,2\n"
    assert post_file(client, long, layout="long").json()["table"]["counts"] == [[0, 1], [0, 1]]


def test_clusters_are_posted_back_with_the_table(client):
    """The table of a file with clusters has their patterns, and its interval is the one over clusters."""
    content = b"patient,ann,bob\n" + b"".join(b"%d,%d,%d\n" % (i // 2, i % 2, i % 3 == 0) for i in range(12))
    answer = post_file(client, content, cluster="patient").json()
    assert answer["data"]["n_clusters"] == 6
    table = answer["table"]
    assert (max(table["clusters"]), sum(table["counts"]), table["cluster_name"]) == (5, 12, "patient")
    found = client.post("/api/table", json={key: table[key] for key in table if key != "reading"}).text
    assert '"n_clusters": 6' in found or '"n_clusters":6' in found
    short = client.post("/api/table", json=table | {"clusters": [0]})
    assert short.status_code == 422
    assert "clusters must hold one entry per pattern" in short.text


def inspect_file(client, content, **query):
    return client.post(
        "/api/inspect", content=content, params=query, headers={"content-type": "application/octet-stream"}
    )


def test_a_file_is_inspected(client):
    """The answer has the columns with their roles, and the values of the controls that read the file."""
    long = b"case,who,said\n1,ann,1\n1,bob,1\n2,ann,2\n2,bob,1\n3,ann,2\n3,bob,2\n"
    answer = inspect_file(client, long, file="long.csv").json()
    assert [(column["name"], column["role"]) for column in answer["columns"]] == [
        ("case", "subjects"),
        ("who", "raters"),
        ("said", "ratings"),
    ]
    assert answer["controls"] == {"layout": "long", "subject": "case", "rater": "who", "rating": "said"}
    assert post_file(client, long, **answer["controls"]).status_code == 200
    assert answer["summary"][0] == "6 rows, 3 columns; layout long, with one row per rating."
    assert inspect_file(client, b"").status_code == 422
    assert inspect_file(client, b"a,b\n1\n").json()["controls"] == {}


def test_an_error_has_a_code_facts_and_the_options_that_settle_it(client):
    """The message names controls of the page, and posting the file with the options reads it."""
    ratings = b"ann,bob\n" + b"yes,yes\nno,no\n" * 9 + b"Yes,yes\n"
    refused = post_file(client, ratings)
    assert refused.status_code == 422
    answer = refused.json()
    assert answer["code"] == "doubtful-labels"
    assert answer["fields"]["doubts"][0]["kind"] == "case"
    assert answer["options"] == {"ignore_case": "true"}
    assert "tick Ignore upper and lower case" in answer["error"]
    assert "ignore_case" not in answer["error"]
    assert post_file(client, ratings, **answer["options"]).json()["data"]["n_categories"] == 2


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b"Study\n\nann,bob\nx,y\ny,y\n", {"skip_rows": "2"}),
        (b"x,y\ny,y\n", {"no_header": "true"}),
        (b"rater,s1,s2\nann,x,y\nbob,y,y\n", {"transpose": "true"}),
        (b"subject,rater,rating\n1,ann,x\n,bob,y\n2,ann,y\n,bob,y\n", {"layout": "long", "fill_down": "true"}),
        ("ann,bob\nx,\u00e9\n\u00e9,\u00e9\n".encode("latin-1"), {"encoding": "latin-1", "rename": "\u00e9=y"}),
        (b"ann;bob\n1,5;2\n2;2\n", {"delimiter": ";", "decimal_comma": "true"}),
        (b"ann\tbob\nx\ty\ny\ty\n", {"delimiter": "tab"}),
        (b"ann,bob\nx,Y\ny,y\n", {"ignore_case": "true"}),
        (b"ann,bob\nx,y\ny,y\n,y\n", {"complete_only": "true", "accept_labels": "true"}),
    ],
    ids=lambda one: next(iter(one)) if isinstance(one, dict) else "",
)
def test_every_option_for_reading_is_accepted(client, content, options):
    """Two subjects and two raters, of which one pair agrees."""
    data = post_file(client, content, **options).json()["data"]
    assert (data["n_subjects"], data["n_raters"], data["n_categories"]) == (2, 2, 2)


def test_labels_to_rename_are_pairs(client):
    """Anything else is an error at this control."""
    answer = post_file(client, b"ann,bob\nx,y\ny,y\n", rename="x")
    assert (answer.status_code, answer.json()["field"]) == (422, "rename")
    assert "must be given as OLD=NEW" in answer.json()["error"]


def test_an_unreadable_file_is_answered_with_its_columns(client):
    """The error has the columns, from which the user can choose."""
    answer = post_file(client, b"who,what\n1,a\n2,b\n", layout="long")
    assert answer.status_code == 422
    assert "layout long needs the columns subject, rater and rating" in answer.json()["error"]
    assert answer.json()["columns"] == ["who", "what"]


def test_examples_can_be_posted_as_they_are(client):
    """Every example is accepted as a table."""
    examples = client.get("/api/examples").json()
    assert {one["name"] for one in examples} == set(km.datasets.EXAMPLES)
    paper = next(one for one in examples if one["name"] == "rapallo2022")
    assert paper["counts"] == PAPER.dense().tolist()
    assert answer_to(client, "/api/table", paper | {"weights": ["linear"]})["data"]["n_subjects"] == 33


@pytest.mark.parametrize(
    ("request_", "status", "words", "field", "cell"),
    [
        ({"counts": [[1, 2], [3, -4]]}, 422, "cell (2, 2) is -4", "counts", [1, 1]),
        ({"counts": [[1, 2], [3, "x"]]}, 422, "cell (2, 2) is 'x'", "counts", [1, 1]),
        ({"counts": [[1, 2]]}, 422, "counts must be square", "counts", None),
        ({"counts": [[1, 2], [3, 2.5]]}, 422, "cell (2, 2) is 2.5", "counts", [1, 1]),
        ({"counts": [[1, 2], [True, 4]]}, 422, "cell (2, 1) is True", "counts", [1, 0]),
        ({"counts": [[1, 2], 3]}, 422, "counts must be square", "counts", None),
        ({"counts": []}, 422, "counts must be square", "counts", None),
        ({"counts": 7}, 422, "counts must be rows of whole numbers >= 0", "counts", None),
        ({}, 422, "whole numbers >= 0, or one whole number per pattern; got nothing", "counts", None),
        ({"counts": [[1] * 101] * 101}, 413, "at most 100 categories; got 101", "categories", None),
        ({"counts": [[999_999, 0], [0, 2]]}, 413, "at most 1,000,000 subjects; got 1,000,001", "counts", None),
        ({"counts": [[0, 0], [0, 0]]}, 422, "at least one subject", None, None),
        ({"counts": [[1, 2], [3, 4]], "categories": ["a", "a"]}, 422, "'a' occurs twice", "categories", None),
        ({"counts": [[1, 2], [3, 4]], "categories": ["a"]}, 422, "categories must have 2 entries", "categories", None),
        ({"counts": [[1, 2], [3, 4]], "categories": ["a", "\x00"]}, 422, "entry 2 is", "categories", [1]),
        ({"counts": [[1, 2], [3, 4]], "ordered": 3}, 422, "ordered must be true or false; got 3", "ordered", None),
        ({"counts": [[1, 2], [3, 4]], "weights": ["linaer"]}, 422, "Did you mean 'linear'", None, None),
        ({"counts": [[1, 2], [3, 4]], "weights": ["linear"] * 9}, 413, "; got a list of length 9", "weights", None),
        ({"counts": [[1, 2], [3, 4]], "weights": ["linear"] * 2}, 422, "'linear' occurs twice", "weights", None),
        ({"counts": [[1, 2], [3, 4]], "weights": [{"matrix": [[0, "x"], [1, 0]]}]}, 422, "is 'x'", "matrix", [0, 1]),
        ({"counts": [[1, 2, 3]] * 3, "ordered": False, "weights": ["linear"]}, 422, "linear weights need", None, None),
        ({"patterns": [[0, 2]], "counts": [1]} | ONE, 422, "cell (1, 2) is 2", "patterns", None),
        ({"patterns": [[0, "x"]], "counts": [1]} | ONE, 422, "cell (1, 2) is 'x'", "patterns", [0, 1]),
        (
            {"patterns": [[0, 0]] * 20_001, "counts": [1] * 20_001} | ONE,
            413,
            "got a list of length 20,001",
            "patterns",
            None,
        ),
        ({"patterns": [[0, 0]], "counts": [1]}, 422, "or numbers; got nothing", "categories", None),
        ({"patterns": [[0] * 90] * 3_000, "counts": [1], "categories": ["a"], "raters": list(range(90))}, 413,
         "at most 2,222 different patterns; got 3,000", None, None),
        ({"patterns": [[0, 0]], "counts": []} | ONE, 422, "one number per pattern", "counts", None),
        ({"patterns": [[0, 0], [0]], "counts": [1, 1]} | ONE, 422, "rows have different lengths", "patterns", None),
        ({"counts": [[1, 2], [3, 4]], "raters": ["x", "x"]}, 422, "'x' occurs twice", "raters", None),
        ({"counts": [[1, 2], [3, 4]], "raters": [" ", "x"]}, 422, "entry 1 is ' '", "raters", [0]),
        ({"counts": [[1, 2], [3, 4]], "title": "a\nb"}, 422, r"title must be a line of at most 200", "title", None),
        ({"counts": [[1, 2], [3, 4]], "weights": [{}]}, 422, "weights must be a name, or an object", "weights", None),
        ({"counts": [[1, 2], [3, 4]], "weights": ["linear", 3]}, 422, "entry 2 is 3", "weights", None),
        ({"counts": [[1, 2], [3, 4]], "weights": [{"kind": "x"}]}, 422, "kind must be one of", "kind", None),
        ({"counts": [[1, 2], [3, 4]], "weights": [{"positions": [1e400, 2]}]}, 422, "entry 1 is inf", "positions", [0]),
    ],
)  # fmt: skip
def test_errors_name_the_field_and_the_cell(client, request_, status, words, field, cell):
    """The error is one line, with the field and the cell counted from zero."""
    body = json.dumps(request_).replace("Infinity", "1e400")
    sent = client.post("/api/table", content=body, headers={"content-type": "application/json"})
    assert sent.status_code == status, sent.text
    answer = sent.json()
    assert words in answer["error"]
    assert answer.get("field") == field
    assert answer.get("cell") == cell


def test_moves_and_seeds_are_checked(client):
    """Moves and seeds outside the allowed values are errors."""
    for path, more, words in (
        ("/api/moves", {"top": 0}, "top must be a whole number from 1 to 200; got 0"),
        (
            "/api/moves",
            {"move": {"plus": [[0, 0]], "minus": []}},
            "plus must be two lists of category positions; got a list of length 1",
        ),
        (
            "/api/moves",
            {"move": {"plus": [[0, 0], [1, 1]]}},
            "minus must be two lists of category positions; got nothing",
        ),
        ("/api/moves", {"move": {"plus": [[0, 0], [1, "a"]], "minus": []}}, "category positions"),
        ("/api/moves", {"move": {"plus": [[0, 0], [1, 1]], "minus": [[0, 1], [0, 1]]}}, "zero margins"),
        ("/api/anneal", {"seed": -1}, "seed must be a whole number"),
        ("/api/anneal", {"proposal": "jumps"}, "proposal must be one of 'moves', 'swaps'; got 'jumps'"),
        ("/api/report?format=pdf", {}, "format must be one of"),
        ("/api/maximizers", {"start": 1.5}, "start must be a whole number"),
        ("/api/weights", {"weight": 3}, "weight must be a name or a JSON object; got 3"),
    ):
        assert words in answer_to(client, path, TABLE | more, 422)["error"]


def test_values_in_errors_are_short_and_without_control_characters(client):
    """Long values are shortened, and control characters are escaped."""
    for strange in ("x" * 5000, "\x1b[31m\n\u202e", -(10**4000), [[]] * 5000):
        for field in ("counts", "categories", "ordered", "title", "weights"):
            asked = TABLE | {field: [[strange]] if field == "counts" else strange}
            answer = client.post("/api/table", json=asked)
            assert answer.status_code in (413, 422)
            assert answer.json()["field"] == field
            error = answer.json()["error"]
            assert (len(error) < 250, error.isascii(), error.isprintable()) == (True, True, True)


def test_whole_numbers_may_be_written_with_a_point(client):
    """The count 3.0 is accepted as 3, and counts that are too large are rejected."""
    body = json.dumps({"counts": [[20.0, 5], [10, 1.5e1]], "weights": ["unweighted"]})
    answer = client.post("/api/table", content=body, headers={"content-type": "application/json"})
    assert answer.json()["results"][0]["value"] == 0.4
    many = answer_to(client, "/api/table", {"counts": [[10**4000, 0], [0, 2]]}, 413)
    assert "at most 1,000,000 subjects; got far more" in many["error"]


_DIGITS = int("7" * 400)
_CATEGORIES = 13


@pytest.mark.parametrize(
    "path", ["table", "chance", "pictures", "maximizers", "moves", "anneal", "weights", "report?format=md"]
)
@pytest.mark.parametrize(
    "more",
    [
        {"counts": [[_DIGITS, 1], [1, 2]]},
        {"categories": [_DIGITS, 1]},
        {"patterns": [[0, 1]], "counts": [_DIGITS], "categories": [0, 1], "raters": ["a", "b"]},
        {"weights": [{"positions": [_DIGITS, 1]}]},
        {"weights": [{"matrix": [[0, 1e299], [1e299, 0]], "kind": "disagreement"}]},
        {"weights": [{"matrix": [[0, _DIGITS], [_DIGITS, 0]], "kind": "disagreement"}]},
        {"weights": [{"positions": [-1e299, 1e299], "scheme": "ratio"}]},
        {"weights": [{"positions": [1e-299, 1e299], "scheme": "quadratic"}]},
        {
            "patterns": [[i, i, -1 if i == 0 else (i + 1) % _CATEGORIES] for i in range(_CATEGORIES)],
            "counts": [2] * _CATEGORIES,
            "categories": list(range(1, _CATEGORIES + 1)),
            "raters": ["a", "b", "c"],
            "weights": ["ratio"],
        },
    ],
    ids=["count", "category", "pattern", "position", "1e299", "weight", "ratio", "quadratic", "13 categories"],
)
def test_extreme_numbers_are_no_server_error(client, path, more):
    """Integers of 400 digits, weights near 1e299, and ratio weights of 13 categories are answered or refused."""
    asked = {"counts": [[20, 5], [10, 15]]} | more
    if path in ("moves", "anneal", "weights", "maximizers"):  # these have one weighting
        asked |= {"weight": asked.pop("weights", ["linear"])[0], "seed": 1}
    answer = client.post(f"/api/{path}", json=asked)
    assert answer.status_code in (200, 413, 422), answer.text
    if answer.status_code == 200 and path == "table":
        values = [result["value"] for result in answer.json()["results"]]
        assert all(value is None or -10 <= value <= 1 for value in values)


def test_the_running_server_answers(server, token_header):
    """A request over a network connection is answered."""
    answer = httpx.post(f"{server}/api/table", json=TABLE | {"weights": ["linear"]}, headers=token_header)
    assert answer.status_code == 200
    assert answer.json()["results"][0]["maximum"] == pytest.approx(166 / 221)
