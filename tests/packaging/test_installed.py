"""The wheel works in a fresh environment without extras, and its types are found."""

import sys

import pytest

from tests.support.building import ROOT, run

pytestmark = pytest.mark.slow

USER = """\
from fractions import Fraction

import kappamax as km

table: km.Table = km.from_counts([[20, 5], [10, 15]], categories=["no", "yes"])
exact: Fraction | None = km.kappa(table).exact
largest: float = km.max_kappa(table, weights="linear").maximum
page: str = km.report(table).to_html()
n_subjects: int = km.read_ratings("ratings.csv").n_subjects


def describe(result: km.results.Agreement, most: km.results.Maximum, made: km.results.Report) -> str:
    value: float = result.value
    best: km.Table = most.table
    rows: tuple[km.results.WeightingReport, ...] = made.results
    return f"{value} {best.n_subjects} {len(rows)}"


method = km.annealing.MoveMethod(schedule=km.annealing.Linear(2, 100), max_steps=10)
found: km.results.Annealing = km.anneal(table, method=method)
move: km.moves.Move = km.moves.rank_moves(table)[0].move
plan: km.results.SampleSize = km.sample_size(table, width=0.3, method=km.planning.Formula(n_draws=0))
study: km.results.Study = km.paper.run_study([km.paper.Scenario(3)], rng=1)
n: km.results.MaximizerCount = km.maximum.count_maximizers(table)
try:
    describe(km.kappa(table), km.max_kappa(table), km.report(table))
except km.errors.UndefinedKappaError as error:
    print(error.reason)
"""


def test_without_extras_everything_else_works(bare, tmp_path):
    """A feature that needs an extra raises an error that names it."""
    printed = run(bare, ROOT / "tests" / "packaging" / "smoke.py", cwd=tmp_path)
    where, *lines = printed.splitlines()
    assert "site-packages" in where
    assert all(line.startswith("ok: ") for line in lines)
    assert [line for line in lines if "not installed" in line] == [
        f"ok: {extra} (not installed)" for extra in ("fast", "plot", "excel", "stats", "arrow", "web", "cluster")
    ]


def test_a_users_program_is_type_checked_against_the_wheel(bare, tmp_path):
    """mypy --strict finds the types through py.typed and reports a wrong use."""
    (tmp_path / "right.py").write_text(USER, encoding="utf-8")
    wrong = USER.replace("exact: Fraction | None", "exact: str").replace("km.from_counts", "km.from_count")
    (tmp_path / "wrong.py").write_text(wrong, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", bare, "--cache-dir", tmp_path / "cache"]
    assert run(*mypy, "right.py", cwd=tmp_path) == "Success: no issues found in 1 source file\n"
    with pytest.raises(AssertionError, match='Module has no attribute "from_count"'):
        run(*mypy, "wrong.py", cwd=tmp_path)
    with pytest.raises(AssertionError, match="expression has type"):
        run(*mypy, "wrong.py", cwd=tmp_path)
