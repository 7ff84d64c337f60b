"""The results of a study do not depend on processes, batches and interruptions."""

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import kappamax as km
from kappamax.paper.study import run as running
from kappamax.paper.study.batch import run_batch, stopping_times

SMALL = [km.paper.Scenario(3, n_subjects=20, weights=weights) for weights in ("linear", "sqrt")]


def rows_of(study):
    """Return the results that must not depend on how a study was run."""
    return [(row.to_dict(), row.steps.tolist(), row.below.tolist()) for row in study]


def test_processes_and_batches_change_nothing(monkeypatch):
    """Processes, sizes of batches and other scenarios do not change the results."""
    alone = run_batch(SMALL[0], 5, 0, 60)
    here = km.paper.run_study(SMALL, n_tables=60, rng=5)
    there = km.paper.run_study(SMALL, n_tables=60, rng=5, n_jobs=2)
    monkeypatch.setattr(running, "BATCH_SIZE", 7)
    small_batches = km.paper.run_study(SMALL[::-1], n_tables=60, rng=5)
    assert rows_of(here) == rows_of(there) == rows_of(small_batches)[::-1]
    assert here[0].steps.tolist() == list(alone.steps)
    other_seed = km.paper.run_study(SMALL[:1], n_tables=60, rng=6)
    assert other_seed[0].steps.tolist() != list(alone.steps)


def test_rows_are_what_their_tables_say():
    """The mean, standard deviation, percentile and z are those of the formulas."""
    scenario = km.paper.paper_scenarios()[0]
    (row,) = km.paper.run_study([scenario], n_tables=80)
    assert row.mean == np.mean(row.steps)
    assert row.sd == pytest.approx(np.std(row.steps, ddof=1), rel=1e-12)
    assert row.q99 == np.quantile(row.steps, 0.99)
    error = (row.sd**2 / 80 + 32.0**2 / 1000) ** 0.5
    assert row.z == pytest.approx((row.mean - 1064.8) / error, rel=1e-12)
    assert row.difference_percent == pytest.approx(100 * (row.mean / 1064.8 - 1), rel=1e-9)
    assert (row.steps > 1000).all()


@pytest.mark.parametrize("number", range(0, 60, 5))
def test_stopping_times_reproduce_the_paper(number):
    """The mean of a hundred tables is within 4 standard errors of the published mean."""
    scenario = km.paper.paper_scenarios()[number]
    if scenario.n_raters == 3 and scenario.n_categories == 5:
        pytest.skip("in the slow test of all rows")
    steps, _ = stopping_times(scenario, 3, 0, 100)
    error = (np.var(steps, ddof=1) / 100 + scenario.published.se**2) ** 0.5
    assert abs(np.mean(steps) - scenario.published.mean) < 4 * error or not scenario.determined


@pytest.mark.slow
def test_the_full_study_reproduces_the_48_determined_rows():
    """At least 46 rows have |z| <= 3, and all differ by at most 2 percent.

    With two raters, no search ends below the maximum. With three raters and quadratic or linear weights, none of 300
    searches did; a share of 5 in 1,000 would have been seen with probability 0.78. With three raters, sqrt weights and
    k = 5, 54 (N = 100) and 37 (N = 20) of 300 searches did, and our shares must lie within 4 combined standard errors.
    """
    study = km.paper.run_study(km.paper.paper_scenarios(), n_jobs=2)
    clear = [row for row in study if row.determined]
    assert len(clear) == 48
    assert sum(abs(row.z) <= 3 for row in clear) >= 46
    assert max(abs(row.difference_percent) for row in clear) <= 2
    for row in study:
        if row.n_raters == 2 or row.weights != "sqrt":
            assert row.n_below <= (0 if row.n_raters == 2 else 5), row
    for n_subjects, seen in ((100, 54), (20, 37)):
        (row,) = (
            row
            for row in clear
            if (row.n_raters, row.n_categories, row.n_subjects, row.weights) == (3, 5, n_subjects, "sqrt")
        )
        p = (seen + row.n_below) / (300 + row.n_tables)
        assert abs(row.below_maximum - seen / 300) < 4 * (p * (1 - p) * (1 / 300 + 1 / row.n_tables)) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("n_raters", [2, 3])
@pytest.mark.parametrize("weights", ["linear", "sqrt", "power(0.3)"])
def test_below_the_maximum_is_decided_as_by_the_exact_solver(n_raters, weights):
    """After few steps, kept prices and closed forms decide as the exact solver does."""
    settings = {
        "n_subjects": 6,
        "weights": weights,
        "stopping": km.annealing.FixedSteps(15 * n_raters),
        "sweep": "none",
    }
    hasty = km.paper.Scenario(3, n_raters=n_raters, **settings)
    (row,) = km.paper.run_study([hasty], n_tables=60)
    _, ends = stopping_times(hasty, 1, 0, 60)
    expected = []
    for counts in ends:
        try:
            found = km.max_kappa(km.from_counts(counts.reshape((3,) * n_raters)), weights=weights)
            expected.append(found.value < found.maximum - 1e-9)
        except km.errors.UndefinedKappaError:
            expected.append(False)
    assert row.below.tolist() == expected
    assert 0 < row.n_below < 60


def test_progress_reaches_the_end():
    """Progress grows from zero to the total."""
    seen = []
    km.paper.run_study(SMALL, n_tables=100, progress=lambda done, total, _message: seen.append((done, total)))
    done, total = seen[-1]
    assert seen[0][0] == 0
    assert done == pytest.approx(total)
    assert [one for one, _ in seen] == sorted(one for one, _ in seen)


def test_a_checkpoint_is_continued_not_repeated(tmp_path, monkeypatch):
    """If half of the lines remain and one is incomplete, only the missing batches are run."""
    monkeypatch.setattr(running, "BATCH_SIZE", 10)
    path = tmp_path / "study.jsonl"
    whole = km.paper.run_study(SMALL, n_tables=60, checkpoint=path)
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 12
    path.write_bytes(b"".join(lines[:7]) + lines[7][:25])
    ran = []
    batch = running.run_batch
    monkeypatch.setattr(running, "run_batch", lambda *given: ran.append(given[2:]) or batch(*given))
    again = km.paper.run_study(SMALL, n_tables=60, checkpoint=path)
    assert rows_of(again) == rows_of(whole)
    assert len(ran) == 6
    assert len(path.read_bytes().splitlines()) == 1 + 12
    ran.clear()
    assert rows_of(km.paper.run_study(SMALL, n_tables=60, checkpoint=path)) == rows_of(whole)
    assert not ran


def test_ctrl_c_keeps_the_checkpoint(tmp_path, monkeypatch):
    """The complete rows are returned, and the next call runs the rest."""
    monkeypatch.setattr(running, "BATCH_SIZE", 10)
    path = tmp_path / "study.jsonl"

    def stop(done, total, _message):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(km.errors.Interrupted) as caught:
        km.paper.run_study(SMALL, n_tables=30, checkpoint=path, progress=stop)
    assert [row.weights for row in caught.value.best] == ["linear"]
    kept = len(path.read_bytes().splitlines())
    assert kept == 1 + 4
    assert rows_of(km.paper.run_study(SMALL, n_tables=30, checkpoint=path)) == rows_of(
        km.paper.run_study(SMALL, n_tables=30)
    )


@pytest.mark.parametrize("cut", [0, 1, 10, 20])
def test_a_header_cut_short_starts_anew(tmp_path, cut):
    """An incomplete first line is replaced."""
    path = tmp_path / "study.jsonl"
    km.paper.run_study(SMALL[:1], n_tables=5, checkpoint=path)
    path.write_bytes(path.read_bytes()[: cut and cut + 10])
    assert len(km.paper.run_study(SMALL[:1], n_tables=5, checkpoint=path)) == 1
    assert len(path.read_bytes().splitlines()) == 2


def test_checkpoints_of_other_studies_are_refused(tmp_path):
    """The error names the difference, and other files are not changed."""
    path = tmp_path / "study.jsonl"
    km.paper.run_study(SMALL[:1], n_tables=5, checkpoint=path)
    for settings, message in (
        ({"rng": 2}, "belongs to another study: its seed is 1, not 2"),
        ({"n_tables": 6}, "its number of tables is 5, not 6"),
    ):
        with pytest.raises(km.errors.InvalidOptionError, match=message):
            km.paper.run_study(SMALL[:1], **{"n_tables": 5, "checkpoint": path} | settings)
    with pytest.raises(km.errors.InvalidOptionError, match="its scenarios differ"):
        km.paper.run_study(SMALL[1:], n_tables=5, checkpoint=path)
    for text in ("some notes\n", "{}\n", "no line"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(km.errors.InvalidOptionError, match="is not a checkpoint of a study"):
            km.paper.run_study(SMALL[:1], n_tables=5, checkpoint=path)
        assert path.read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_a_killed_study_resumes_to_the_same_numbers(tmp_path):
    """A process that is killed twice gives the same results after it is resumed."""
    path = tmp_path / "study.jsonl"
    code = (
        "import kappamax as km, sys\n"
        "rows = [km.paper.Scenario(5, n_subjects=50, weights=w) for w in ('linear', 'sqrt')]\n"
        "tell = lambda done, total, _message: print('block', flush=True)\n"
        f"study = km.paper.run_study(rows, n_tables=500, checkpoint={str(path)!r}, progress=tell)\n"
        "print([row.mean for row in study])\n"
    )
    for _ in range(2):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
            for _ in range(4):
                assert process.stdout.readline() == "block\n"
            process.kill()
    written = [json.loads(line) for line in path.read_bytes().splitlines() if line.endswith(b"}")][1:]
    assert 3 <= len(written) <= 20
    last = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    rows = [km.paper.Scenario(5, n_subjects=50, weights=w) for w in ("linear", "sqrt")]
    assert last.splitlines()[-1] == str([row.mean for row in km.paper.run_study(rows, n_tables=500)])
    places = [(line["scenario"], line["start"]) for line in map(json.loads, path.read_bytes().splitlines()[1:])]
    assert len(places) == len(set(places)) == 20


@pytest.mark.parametrize(
    ("scenarios", "message"),
    [
        ([], "scenarios must contain at least one Scenario; got none"),
        (["linear"], "scenarios must be Scenario objects; got 'linear'"),
        ([SMALL[0], SMALL[0]], "scenarios must differ; one is given twice"),
    ],
)
def test_scenarios_are_checked(scenarios, message):
    """Each error says what was given."""
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        km.paper.run_study(scenarios)


def test_output_in_every_form(tmp_path):
    """The data frame, CSV, LaTeX, JSON and the figure have the same numbers."""
    import matplotlib as mpl

    mpl.use("agg")
    study = km.paper.run_study([km.paper.paper_scenarios()[0], km.paper.paper_scenarios()[48], SMALL[0]], n_tables=20)
    frame = study.to_frame()
    assert frame["mean"].tolist() == [row.mean for row in study]
    assert frame["determined"].tolist() == [True, False, True]
    back = csv.DictReader(io.StringIO(study.to_csv()))
    assert [float(row["sd"]) for row in back] == frame["sd"].tolist()
    assert f"{study[0].mean:,.1f} & {study[0].sd:,.1f}" in study.to_latex()
    assert "n.d." in study.to_latex()
    begin, end = "\\begin{tabular}{lrrrrrrrrrr}\n\\toprule\n", "\\bottomrule\n\\end{tabular}\n"
    assert begin in study.to_latex()
    assert end in study.to_latex()
    assert study.to_latex().count("\\% \\\\\n") == len(study)
    for name in ("study.csv", "study.tex", "study.json", "study.svg"):
        study.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    assert json.loads((tmp_path / "study.json").read_text())["rows"][0]["mean"] == study[0].mean
    assert km.paper.run_study(SMALL[:1], n_tables=5).plot().get_ylabel() == "mean stopping time"
    with pytest.raises(km.errors.InvalidOptionError, match="the file must end in .csv, .* or .pdf; got 'study.xls'"):
        study.save(tmp_path / "study.xls")
    assert sorted(os.listdir(tmp_path)) == ["study.csv", "study.json", "study.svg", "study.tex"]  # noqa: PTH208


def test_frames_say_what_they_need(monkeypatch):
    """Without a library for data frames, the error gives the command that installs pandas."""
    study = km.paper.run_study(SMALL[:1], n_tables=2)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert type(study.to_frame()).__module__.startswith("polars")
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(
        km.errors.NotSupportedError, match="none of which is installed. Install it with: pip install pandas"
    ):
        study.to_frame()


@pytest.mark.slow
def test_claims_come_with_what_was_measured():
    """The claims follow their rules, and claims about missing rows are left out."""
    rows = [row for row in km.paper.paper_scenarios() if (row.n_categories, row.n_subjects, row.n_raters) == (3, 20, 2)]
    study = km.paper.run_study(rows, n_tables=40)
    claims = {claim.claim: claim for claim in km.paper.check_claims(study)}
    assert [*claims] == [
        "the form of the cooling does not affect the performance",
        "the algorithm yields the maximum",
        "a search takes less than 1 s up to 100 cells",
        "a search takes less than 10 s up to 300 cells",
        "the algorithm is a bit faster with the linear weights",
        "the results for non-homogeneous margins are very similar",
    ]
    means = {(row.homogeneous, row.weights): row.mean for row in study}
    lowest = sum(means[kind, "linear"] < min(means[kind, "quadratic"], means[kind, "sqrt"]) for kind in (True, False))
    linear = claims["the algorithm is a bit faster with the linear weights"]
    assert linear.holds == (lowest == 2)
    assert f"in {lowest} of 2 designs" in linear.measured
    ratios = [means[False, weights] / means[True, weights] for weights in ("quadratic", "linear", "sqrt")]
    margins = claims["the results for non-homogeneous margins are very similar"]
    assert margins.holds == (max(abs(ratio - 1) for ratio in ratios) <= 0.1)
    assert f"{min(ratios):.2f} to {max(ratios):.2f} times" in margins.measured
    assert "the threshold for similar results" in margins.measured
    assert claims["the algorithm yields the maximum"].holds == (sum(row.n_below for row in study) == 0)
    assert len(km.paper.check_claims(km.paper.run_study(rows[:1], n_tables=10))) == 4
