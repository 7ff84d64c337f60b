"""Answers, JSON, errors and exit codes of the command line."""

import json
import subprocess
import sys

import pytest

import kappamax as km
from tests.support.command_line import run, run_process

WIDE = "a,b\nno,no\nno,yes\nyes,yes\nno,no\nmaybe,yes\n"


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(WIDE, encoding="utf-8")
    return str(path)


def test_json_follows_the_contract(wide):
    """The JSON has the version, the data, and one result per weighting with every documented field."""
    done = run("kappa", wide, "--categories", "no,maybe,yes", "-w", "linear", "-w", "sqrt", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["schema_version"] == 1
    assert document["data"] == {
        "file": "ratings.csv",
        "layout": "wide",
        "n_subjects": 5,
        "n_raters": 2,
        "n_categories": 3,
        "categories": ["no", "maybe", "yes"],
        "raters": ["a", "b"],
        "n_missing": 0,
        "n_incomplete": 0,
        "n_left_out": 0,
        "ordered": True,
        "missing_as": {},
        "columns_left_out": {},
        "notes": [],
    }
    linear, sqrt = document["results"]
    ours = km.kappa(km.read_ratings(wide, categories=["no", "maybe", "yes"]), weights="linear")
    for field in ("coefficient", "weights", "value", "observed_agreement", "expected_agreement", "se"):
        assert linear[field] == getattr(ours, field)
    assert linear["exact"] == str(ours.exact)
    assert linear["ci"] == list(ours.ci)
    assert sqrt["weights"] == "sqrt"
    assert sqrt["exact"] is None


def test_the_table_shows_the_numbers(wide):
    """Numbers have four decimals, lines at most 80 columns, and the data are summarised below."""
    done = run("kappa", wide, COLUMNS="80")
    assert done.returncode == 0
    assert f"{km.kappa(km.read_ratings(wide)).value:.4f}" in done.stdout
    shown = " ".join(done.stdout.split())
    assert "5 subjects, raters 'a' and 'b', categories 'maybe', 'no', 'yes' (no order)." in shown
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_standard_input_and_bundled_examples():
    """`kappamax example NAME | kappamax kappa -` works in any layout."""
    example = run("example", "cohen1968")
    done = run("kappa", "-", "--layout", "counts", "--json", stdin=example.stdout)
    assert json.loads(done.stdout)["results"][0]["exact"] == "29/59"
    listing = run("example").stdout
    assert all(name in listing for name in km.datasets.EXAMPLES)


@pytest.mark.parametrize("coefficient", ["fleiss", "gwet", "brennan-prediger", "krippendorff", "percent", "conger"])
def test_every_coefficient(coefficient, tmp_path):
    """Every coefficient can be chosen by name for data with missing ratings."""
    path = tmp_path / "gwet.csv"
    path.write_text(run("example", "gwet2014").stdout, encoding="utf-8")
    document = json.loads(run("kappa", str(path), "-c", coefficient, "--json").stdout)
    assert document["data"]["n_missing"] == 7
    assert document["results"][0]["value"] == km.agreement(km.example("gwet2014"), coefficient=coefficient).value


def test_an_undefined_coefficient_is_an_answer(tmp_path):
    """The JSON has null and a reason, the text says undefined, and the exit code is 0."""
    path = tmp_path / "one.csv"
    path.write_text("a,b\nx,x\nx,x\n", encoding="utf-8")
    done = run("kappa", str(path), "--json")
    assert done.returncode == 0
    (result,) = json.loads(done.stdout)["results"]
    assert result["value"] is None
    assert result["reason"] == "both raters used only 'x'"
    assert result["observed_agreement"] == 1
    shown = run("kappa", str(path))
    assert "undefined: both raters used only 'x'" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["kappa", "nothing.csv"], 1, "there is no file nothing.csv"),
        (["kappa", "{wide}", "-w", "linear"], 1, "linear weights need ordered categories"),
        (["kappa", "{wide}", "-w", "linera"], 1, "Did you mean 'linear'"),
        (["kappa", "{wide}", "-c", "flies"], 1, "Did you mean 'fleiss'"),
        (["kappa", "{wide}", "--layout", "tall"], 1, "layout must be one of"),
        (["kappa", "{wide}", "--categories", "no,yes"], 1, "'maybe' (1 rating) is not among the categories"),
        (["kappa", "{wide}", "--raters", "a"], 1, "at least two raters"),
        (["kappa", "{wide}", "--level", "2"], 1, "level must lie between 0 and 1"),
        (["example", "cohen"], 1, "Did you mean 'cohen1968'"),
        (["kappa", "x\ny"], 1, "there is no file x\\ny"),
        (["kappa", "{wide}", "--categories", "1\n2"], 2, "new-line character"),
        (["kappa", "{wide}", "--raters", ""], 1, "at least two raters"),
        (["kappa"], 2, "Missing argument 'FILE'"),
        (["kappa", "{wide}", "--wieghts", "linear"], 2, "No such option"),
        (["kapa"], 2, "No such command"),
    ],
)
def test_errors_are_one_line_and_leave_standard_output_empty(arguments, code, message, wide):
    """The exit code is 1 for errors of kappamax and 2 for wrong usage, without a traceback."""
    done = run(*(argument.format(wide=wide) for argument in arguments))
    assert done.returncode == code
    assert message in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    if code == 1:
        assert len(done.stderr.splitlines()) == 1


def test_notes_are_part_of_the_answer(tmp_path):
    """What was read as missing is said in the text and in the JSON, and nothing on standard error."""
    path = tmp_path / "none.csv"
    path.write_text("id,a,b\n1,NA,mild\n2,mild,mild\n3,severe,mild\n4,mild,mild\n5,mild,severe\n", encoding="utf-8")
    done = run("kappa", str(path), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)["data"]
    assert (data["n_missing"], data["missing_as"]) == (1, {"NA": 1})
    assert data["notes"] == [
        "Column 'id' was left out, since it has a different value in (nearly) every row.",
        "Values read as missing ratings: 1 'NA'.",
    ]


def test_reading_options_reach_every_command():
    """Options for missing codes, delimiter and columns reach the reader, and left-out subjects are counted."""
    rows = "case\ta\tb\n1\t1\t9\n2\t2\t2\n3\t9\t9\n4\t1\t1\n"
    options = ["--delimiter", "tab", "--subject", "case", "--missing", "9,99"]
    for command in ("kappa", "max"):
        shown = " ".join(run(command, "-", *options, stdin=rows).stdout.split())
        assert "3 subjects, raters 'a' and 'b', categories 1 < 2; 1 of 6 ratings missing, in 1 subject" in shown
        assert "1 subject without a rating left out." in shown
        complete = run(command, "-", *options, "--complete-only", "--json", stdin=rows)
        data = json.loads(complete.stdout)["data"]
        assert (data["n_subjects"], data["n_missing"], data["n_incomplete"], data["n_left_out"]) == (2, 0, 0, 2)
    long = "who,case,grade\na,1,x\nb,1,y\na,2,y\nb,2,y\n"
    names = ["--layout", "long", "--rater", "who", "--subject", "case", "--rating", "grade", "--raters", "b,a"]
    assert json.loads(run("kappa", "-", *names, "--json", stdin=long).stdout)["data"]["raters"] == ["b", "a"]
    times = ["--layout", "patterns", "--count", "times", "--json"]
    patterns = run("kappa", "-", *times, stdin="a,b,times\n1,1,3\n1,2,4\n")
    assert json.loads(patterns.stdout)["data"]["n_subjects"] == 7


def test_plain_terminals(wide):
    """ASCII output and NO_COLOR work."""
    done = run_process("kappa", wide, PYTHONIOENCODING="ascii", NO_COLOR="1", TERM="dumb")
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "\x1b" not in done.stdout


def test_a_closed_pipe_is_not_an_error(wide):
    """`kappamax kappa ... | head -0` ends without an error."""
    command = f"{sys.executable} -m kappamax kappa {wide} --json | head -c 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


def test_welcome_help_and_version():
    """`kappamax` alone shows four commands to try."""
    assert run().stdout.count("\n  kappamax ") == 4
    everyday, research = run("--help").stdout.split("Everyday commands:")[1].split("Research commands:")
    assert [line.split()[0] for line in everyday.splitlines() if line][:4] == ["inspect", "report", "kappa", "max"]
    assert "fiber" in research
    assert run("--version").stdout.strip() == f"kappamax, version {km.__version__}"


def test_help_imports_no_large_module():
    """numpy, duckdb, scipy and rich are imported only when they are needed."""
    code = "import sys, kappamax.cli; print([m for m in ('numpy', 'duckdb', 'scipy', 'rich') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("columns", ["0", "20", "40"])
def test_numbers_are_never_cut_to_fit(wide, columns):
    """No digit is lost in a narrow terminal."""
    done = run("kappa", wide, COLUMNS=columns)
    assert f"{km.kappa(km.read_ratings(wide)).value:.4f}" in done.stdout
    assert "…" not in done.stdout


def test_labels_an_ascii_terminal_cannot_show(tmp_path):
    """Characters that the terminal cannot show are escaped."""
    path = tmp_path / "words.csv"
    path.write_text("a,b\nmäßig,stark\nstark,stark\n", encoding="utf-8")
    done = run_process("kappa", str(path), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "m\\xe4\\xdfig" in done.stdout


def test_closed_standard_input_and_full_disks(wide):
    """Closed standard input and a full disk are errors of one line."""
    closed = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m kappamax kappa - <&-"], capture_output=True, text=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (1, "kappamax: standard input is closed.\n")
    full = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m kappamax kappa {wide} --json > /dev/full"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (full.returncode, full.stderr) == (1, "kappamax: cannot write the answer: No space left on device\n")


def test_ctrl_c_while_a_file_is_read(tmp_path):
    """The exit code is 130 and one line is printed, even if DuckDB is interrupted."""
    path = tmp_path / "large.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("a,b\n")
        for _ in range(200):
            file.write("1,2\n2,2\n" * 50_000)
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, "kappa", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == "kappamax: interrupted\n"


INTERRUPTED = """
import os, signal, threading
import duckdb, kappamax.io
from kappamax.cli import main
threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
main()
"""


def test_max_follows_the_contract(tmp_path):
    """The JSON has value, maximum, minimum, ratio, proofs and the table for every weighting."""
    path = tmp_path / "table.csv"
    path.write_text(run("example", "rapallo2022").stdout, encoding="utf-8")
    asked = ("--minimum", "--count-tables", "--json")
    done = run("max", str(path), "--layout", "counts", "-w", "linear", "-w", "sqrt", *asked)
    assert (done.returncode, done.stderr) == (0, "")
    linear, sqrt = json.loads(done.stdout)["results"]
    ours = km.max_kappa(km.example("rapallo2022"), weights="linear")
    for field in ("value", "maximum", "minimum", "ratio", "method", "proven", "proof", "bound"):
        assert linear[field] == getattr(ours, field)
    assert linear["minimum_proven"] is True
    assert linear["minimum_bound"] == ours.minimum_bound
    assert linear["table"] == ours.table.to_dict()
    assert (linear["n_maximizers"], sqrt["n_maximizers"]) == (5, 1)
    assert sqrt["maximum"] == km.max_kappa(km.example("rapallo2022"), weights="sqrt").maximum
    (alone,) = json.loads(run("max", str(path), "--layout", "counts", "-w", "sqrt", "--json").stdout)["results"]
    assert alone == {name: value for name, value in sqrt.items() if name != "n_maximizers"} | {
        name: None for name in sqrt if "minimum" in name
    }


def test_max_shows_numbers_and_tables(tmp_path):
    """The text shows the maximum and minimum, the ratio, and a table that attains the maximum."""
    example = run("example", "rapallo2022").stdout
    shown = run("max", "-", "--layout", "counts", "-w", "linear", "--minimum", stdin=example).stdout
    assert "0.7511" in shown
    assert "66.9%" in shown
    assert "A table that attains the maximum, linear weights" in shown
    assert "A table that attains the minimum, linear weights" in shown
    every = run("max", "-", "--layout", "counts", "-w", "linear", "--all", stdin=example).stdout
    assert "Table 5 of 5 that attain the maximum, linear weights" in every
    listed = run("max", "-", "--layout", "counts", "-w", "linear", "--all", "--json", stdin=example).stdout
    assert len(json.loads(listed)["results"][0]["maximizers"]) == 5
    three = run("max", "-", "-w", "sqrt", stdin=run("example", "diagnoses").stdout)
    assert three.returncode == 1
    assert "need ordered categories" in three.stderr
    named = run("max", "-", stdin=run("example", "diagnoses").stdout).stdout
    assert "rater6" in named
    assert "prices" in named


def test_max_tests_the_margins_that_cap_kappa(tmp_path):
    """The p-value is a note where the maximum is below 1, and in the JSON in any case."""
    example = run("example", "rapallo2022").stdout
    shown = run("max", "-", "--layout", "counts", "-w", "linear", "-w", "sqrt", stdin=example).stdout
    note = "use of the categories differs no more than chance would explain (Stuart-Maxwell test, p = 0.1637)."
    assert " ".join(shown.split()).count(note) == 1
    document = json.loads(run("max", "-", "--layout", "counts", "--json", stdin=example).stdout)
    ours = km.marginal_homogeneity(km.example("rapallo2022"))
    assert document["marginal_homogeneity"] == ours.to_dict()
    equal = ("max", "-", "--layout", "counts")
    assert "use of the categories" not in run(*equal, stdin=",a,b\na,5,2\nb,2,5\n").stdout
    same = json.loads(run(*equal, "--json", stdin=",a,b\na,5,2\nb,2,5\n").stdout)
    assert same["marginal_homogeneity"]["pvalue"] == 1
    drawn = [run("max", "-", "--json", stdin=run("example", "anxiety").stdout).stdout for _ in range(2)]
    assert drawn[0] == drawn[1]  # random permutations have a fixed seed
    assert json.loads(drawn[0])["marginal_homogeneity"]["n_draws"] == 100_000


def test_max_of_one_category_and_of_missing_ratings(tmp_path):
    """An undefined coefficient has a reason, and missing ratings stay missing in the table."""
    undefined = run("max", "-", "--json", stdin="a,b\nx,x\n")
    assert json.loads(undefined.stdout)["results"][0]["reason"] == "both raters used only 'x'"
    assert "undefined: both raters used only 'x'" in run("max", "-", stdin="a,b\nx,x\n").stdout
    single = run("max", "-", stdin="a,b\nx,y\n").stdout
    assert "the ratio is undefined: the margins allow one value only" in single
    missing = run("max", "-", "--json", stdin=run("example", "gwet2014").stdout)
    (result,) = json.loads(missing.stdout)["results"]
    assert result["maximum"] == km.max_kappa(km.example("gwet2014")).maximum
    assert result["proven"] is True
    listed = run("max", "-", "-c", "fleiss", "--all", stdin="a,b,c\n1,1,\n2,,1\n1,2,2\n2,2,1\n1,1,1\n2,2,2\n")
    assert listed.returncode == 0
    assert "A table that attains the maximum, unweighted" in listed.stdout


@pytest.mark.slow
def test_max_of_a_coefficient_whose_expected_agreement_varies():
    """The maximum of Fleiss' kappa with missing ratings is proven, but its maximisers are not counted."""
    fleiss = run("max", "-", "-c", "fleiss", "--count-tables", "--json", stdin=run("example", "gwet2014").stdout)
    (result,) = json.loads(fleiss.stdout)["results"]
    assert (result["exact_maximum"], result["proof"], result["n_maximizers"]) == ("8243/9779", "prices", None)


def test_a_certificate_is_written_and_verified(tmp_path):
    """The exit code is 0 if every claim holds, 3 if one does not, and 1 if the file is not a certificate."""
    proof = tmp_path / "proof.json"
    example = run("example", "rapallo2022").stdout
    written = run("max", "-", "--layout", "counts", "-w", "sqrt", "--certificate", str(proof), stdin=example)
    assert f"certificate written to {proof}" in written.stderr
    held = run("verify", str(proof))
    assert held.returncode == 0
    assert held.stdout.splitlines()[-1] == "Every claim holds."
    assert "maximum 0.7528 (proven by prices)" in held.stdout
    document = json.loads(proof.read_text(encoding="utf-8"))
    document["maximum"]["value"] = 0.8
    proof.write_text(json.dumps(document), encoding="utf-8")
    wrong = run("verify", str(proof))
    assert (wrong.returncode, wrong.stdout) == (
        3,
        "does not hold: maximum: the value is not the coefficient of the table\n",
    )
    assert json.loads(run("verify", "--json", str(proof)).stdout)["holds"] is False
    proof.write_text("not JSON", encoding="utf-8")
    assert run("verify", str(proof)).returncode == 1
    several = run("max", "-", "-w", "sqrt", "-w", "linear", "--certificate", str(proof), stdin=example)
    assert several.returncode == 2
    assert "--certificate takes only one weighting" in several.stderr


def test_ctrl_c_during_a_long_search_prints_the_best_so_far(tmp_path):
    """The result is marked as not proven, and the exit code is 130."""
    code = """
import sys
import kappamax.maximum.column_generation as columns
def interrupted(*arguments):
    raise KeyboardInterrupt
columns._Generation.run = interrupted
from kappamax.cli import main
main()
"""
    path = tmp_path / "ratings.csv"
    path.write_text(run("example", "diagnoses").stdout, encoding="utf-8")
    command = [sys.executable, "-c", code, "max", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 130
    (result,) = json.loads(done.stdout)["results"]
    assert result["proven"] is False
    assert result["bound"] >= result["maximum"] >= result["value"]


def test_a_verbal_scale_is_added_when_asked_for(wide):
    """Each weighting has a note with its band and the supported band, and a field in JSON; by default there is none."""
    options = ("kappa", wide, "--categories", "no,maybe,yes", "-w", "unweighted,linear")
    shown = " ".join(run(*options, "--benchmark", "landis-koch").stdout.split())
    table = km.read_ratings(wide, categories=["no", "maybe", "yes"])
    results = json.loads(run(*options, "--benchmark", "landis-koch", "--json").stdout)["results"]
    for weights, result in zip(("unweighted", "linear"), results, strict=True):
        placed = km.benchmark(km.kappa(table, weights=weights))
        assert f"{weights}: the value is {placed.in_words}." in shown
        assert result["benchmark"] == placed.to_dict()
        assert result["notes"] == []
    assert "Landis" not in run(*options).stdout
    assert "benchmark" not in json.loads(run(*options, "--json").stdout)["results"][0]


def test_scales_that_do_not_apply_are_refused(wide, tmp_path):
    """An unknown scale, percent agreement, and a table of several groups."""
    unknown = run("kappa", wide, "--benchmark", "landis")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert "benchmark must be one of 'landis-koch', 'altman', 'fleiss'; got 'landis'." in unknown.stderr
    percent = run("kappa", wide, "--benchmark", "altman", "--coefficient", "percent")
    assert percent.returncode == 1
    assert "percent agreement is not" in percent.stderr
    groups = run("report", wide, wide, "--benchmark", "altman")
    assert groups.returncode == 2
    assert "--benchmark is for a report on one file" in groups.stderr
    undefined = tmp_path / "one.csv"
    undefined.write_text("a,b\nx,x\nx,x\n", encoding="utf-8")
    assert "undefined" in run("kappa", str(undefined), "--benchmark", "fleiss").stdout
