"""`kappamax anneal` and `kappamax study` give reproducible results."""

import json
import subprocess
import sys

import pytest

import kappamax as km
from tests.support.command_line import run

COUNTS = "\n".join(",".join(map(str, row)) for row in km.example("rapallo2022").dense().tolist())


def test_anneal_gives_the_results_of_the_library():
    """There is one result per weighting, and the same seed gives the same result."""
    shared = ("anneal", "-", "--layout", "counts", "--seed", "4", "--json")
    done = run(*shared, "-w", "linear", "-w", "sqrt", stdin=COUNTS)
    assert (done.returncode, done.stderr) == (0, "")
    results = json.loads(done.stdout)["results"]
    assert [one["weights"] for one in results] == ["linear", "sqrt"]
    for one in results:
        ours = km.anneal(km.example("rapallo2022"), weights=one["weights"], rng=4)
        assert (one["reached"], one["steps"], one["bound"]) == (ours.reached, ours.steps, ours.bound)
        assert one["proven"] is True
        assert one["table"] == ours.table.to_dict()
    swaps = json.loads(run(*shared, "--proposal", "swaps", "-w", "sqrt", stdin=COUNTS).stdout)["results"][0]
    assert (swaps["proposal"], swaps["reached"]) == ("swaps", results[1]["reached"])


def test_anneal_shows_a_table_or_one_error_line():
    """The text shows undefined results too, and errors take one line."""
    shown = run("anneal", "-", "--layout", "counts", "-w", "sqrt", "--seed", "1", stdin=COUNTS)
    assert "0.7528" in shown.stdout
    assert "Final table of the search, sqrt weights" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    assert "undefined: both raters used only 'x'" in run("anneal", "-", stdin="a,b\nx,x\n").stdout
    wrong = run("anneal", "-", "--proposal", "hops", stdin="a,b\nx,y\ny,x\n")
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == "kappamax: proposal must be one of 'moves', 'swaps'; got 'hops'.\n"


def test_study_selects_rows_of_the_paper(tmp_path):
    """The JSON has the documented fields, and a second run takes all results from the checkpoint."""
    out = tmp_path / "study.csv"
    command = ["study", "--raters", "2", "--categories", "3", "--subjects", "20", "--weights", "linear"]
    command += ["--homogeneous", "--tables", "40", "--jobs", "1", "--seed", "2", "--out", str(out), "--json"]
    done = run(*command)
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = json.loads(done.stdout)["results"]
    ours = km.paper.run_study([km.paper.Scenario(3, n_subjects=20, weights="linear")], n_tables=40, rng=2)[0]
    promised = (
        *("n_raters", "n_categories", "n_subjects", "weights", "homogeneous", "n_moves", "patience", "mean", "sd"),
        *("q99", "below_maximum"),
    )
    assert {name: row[name] for name in promised} == {name: getattr(ours, name) for name in promised}
    assert row["published_mean"] == 1049.4
    assert isinstance(row["z"], float)
    assert out.read_text(encoding="utf-8").splitlines()[1].startswith("2,3,20,linear,True,minimal,18,1000,40,")
    assert len((tmp_path / "study.csv.checkpoint").read_bytes().splitlines()) == 2
    assert run(*command).stdout == done.stdout


def test_study_reads_scenarios_from_a_file(tmp_path):
    """Scenarios come from a TOML file; an empty selection and an unknown ending are errors."""
    path = tmp_path / "mine.toml"
    path.write_text("[[scenario]]\nn_categories = 2\nn_subjects = 10\n", encoding="utf-8")
    shown = run("study", "--scenarios", str(path), "--tables", "5", "--jobs", "1")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "Stopping time of annealing, 5 tables per row" in shown.stdout
    for arguments, message in (
        (["--raters", "4"], "no scenario has all of these settings"),
        (["--out", str(tmp_path / "study.doc")], "the file must end in .csv"),
    ):
        wrong = run("study", *arguments)
        assert (wrong.returncode, wrong.stdout) == (1, "")
        assert message in wrong.stderr


@pytest.mark.slow
def test_ctrl_c_says_how_to_resume(tmp_path):
    """The exit code is 130, and the next run continues from the checkpoint."""
    import signal

    checkpoint = tmp_path / "study.jsonl"
    command = [sys.executable, "-m", "kappamax", "study", "--raters", "3", "--categories", "5", "--jobs", "1"]
    command += ["--tables", "100000", "--checkpoint", str(checkpoint)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (checkpoint.exists() and checkpoint.read_bytes().count(b"\n") > 2):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, notes = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"run the same command again to continue from {checkpoint}" in notes
