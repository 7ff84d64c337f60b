"""Run every command with `--json` in this process, so that tests can compare the outputs with their schema."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import kappamax as km
from kappamax import confidence_intervals, rater_deviations
from kappamax.cli import main
from kappamax.fibers import null_distribution
from kappamax.io import inspected_files
from kappamax.paper import check, definitions
from kappamax.paper.check import PaperCheck
from kappamax.paper.verdict import STATUSES, Verdict
from kappamax.verification import budget
from kappamax.weights import SCHEMES

BUNDLED = Path(__file__).parents[2] / "src" / "kappamax" / "data"
_FILE = re.compile(r"\{(.+)\}")
_EVERY_WEIGHTING = " ".join(f"-w {name}" for name in (*SCHEMES, "power(3)"))


@dataclass(frozen=True)
class Case:
    """Command line whose output follows one definition of the schema.

    Attributes
    ----------
    definition : str
        Name of the definition in the schema.
    arguments : str
        The command and its arguments, as in a shell; "{two.csv}" stands for the path of that file.
    exit_code : int
        The expected exit code.
    patch : callable or None
        Function that changes the library for this run, for example so that it raises KeyboardInterrupt.
    slow : bool
        Whether the run takes seconds.
    """

    definition: str
    arguments: str
    exit_code: int = 0
    patch: Callable[[pytest.MonkeyPatch], None] | None = None
    slow: bool = False


def output_of(case: Case, folder: Path) -> dict[str, Any]:
    """Run the command with `--json` on files of the folder, and return the document that it prints."""
    arguments = [_FILE.sub(lambda found: str(folder / found[1]), one) for one in shlex.split(case.arguments)]
    with pytest.MonkeyPatch.context() as monkeypatch:
        if case.patch is not None:
            case.patch(monkeypatch)
        done = CliRunner().invoke(main, [*arguments, "--json"])
    assert done.exit_code == case.exit_code, done.output
    return json.loads(done.stdout)


def write_files(folder: Path) -> None:
    """Write the files that the cases read: those of `FILES`, the bundled examples, and certificates."""
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")
    for path in BUNDLED.glob("*.csv"):
        shutil.copy(path, folder)
    proof = folder / "proof.json"
    km.max_kappa(km.example("rapallo2022"), weights="linear").save_certificate(proof)
    forged = json.loads(proof.read_text(encoding="utf-8"))
    forged["maximum"]["value"] = 0.8
    (folder / "forged.json").write_text(json.dumps(forged), encoding="utf-8")


def _interrupt_maximum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kappamax.maximum.column_generation._Generation.run", _ctrl_c)


def _interrupt_annealing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kappamax.annealing.move_walk.MoveWalk.advance", _ctrl_c)


def _interrupt_test(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, blocks = null_distribution._drawn, iter(range(2))
    monkeypatch.setattr(
        null_distribution, "_drawn", lambda *task: drawn(*task) if next(blocks, None) == 0 else _ctrl_c()
    )


def _no_margins_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rater_deviations, "MOST_COORDINATES", 0)


def _normal_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confidence_intervals, "MOST_ADJUSTED", 0)


def _ctrl_c(*_arguments: Any, **_options: Any) -> None:
    raise KeyboardInterrupt


def _little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MOST_WORK", 1)


def _large_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inspect the first rows only, as of a large file."""
    monkeypatch.setattr(inspected_files, "_MOST_BYTES", 100)


def _strings_above_1000(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write integers above 1000 as strings, so that the counts of small tables are strings."""
    monkeypatch.setattr("kappamax._result.EXACT_DOUBLES", 1000)


def _few_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the first section of the paper, which takes no simulation, and add an item with each verdict."""
    items = [item for one in definitions.CHECKS for item in one()]
    items += [Verdict("Table 1", "mean", "1", "2", status) for status in STATUSES]
    monkeypatch.setattr(check, "check_paper", lambda n_tables, **_: PaperCheck(tuple(items), n_tables))


def _random_ratings(n_subjects: int, n_raters: int, n_categories: int, missing: float = 0.0) -> str:
    """Return the text of a wide file with ratings that agree in part."""
    rng = np.random.default_rng(1)
    truth = rng.integers(n_categories, size=(n_subjects, 1))
    guesses = rng.integers(n_categories, size=(n_subjects, n_raters))
    ratings = np.where(rng.random((n_subjects, n_raters)) < 0.6, truth, guesses).astype(str)
    ratings[rng.random(ratings.shape) < missing] = ""
    names = ",".join(f"r{i + 1}" for i in range(n_raters))
    return "\n".join([names, *(",".join(row) for row in ratings)]) + "\n"


_SCENARIOS = """
[[scenario]]
n_categories = 3
n_subjects = 10
margins = [[2, 2, 1], [1, 2, 2]]
max_steps = 500
schedule = { kind = "linear", start = 2, steps = 50 }
stopping = { kind = "stale-moves", patience = 50 }

[[scenario]]
n_categories = 2
n_subjects = 8
weights = "unweighted"
moves = "basic"
schedule = { kind = "logarithmic", start = 1 }
stopping = { kind = "fixed-steps", steps = 40 }
temperature_unit = "proportions"
sweep = "all"

[[scenario]]
n_categories = 2
n_subjects = 8
schedule = { kind = "constant", temperature = 0.5 }
stopping = { kind = "stale-agreement", patience = 20 }
sweep = "none"
"""

FILES = {
    "two.csv": "a,b\nno,no\nno,yes\nyes,yes\nno,no\nmaybe,yes\n",
    "three.csv": "a,b,c\n1,1,2.5\n1,2.5,2.5\n3,3,3\n1,1,1\n3,2.5,3\n",
    "missing.csv": "a,b,c\n1,1,2\n1,,2\n3,3,3\n2,2,1\n3,2,\n,,1\n1,1,1\n",
    "one_category.csv": "a,b\nyes,yes\nyes,yes\n",
    "constant.csv": "a,b,c\n1,1,1\n1,1,2\n1,1,1\n",
    "one_subject.csv": "a,b\n1,2\n",
    "constant_raters.csv": "a,b\n1,2\n1,2\n1,2\n",
    "often.csv": "a,b,c\n" + "1,1,2\n2,2,2\n1,1,1\n2,1,2\n" * 40,
    "perfect.csv": "a,b\n1,1\n2,2\n1,1\n",
    "opposed.csv": "a,b\n1,2\n2,1\n1,2\n",
    "fixed.csv": "a,b\n1,1\n1,2\n1,2\n",
    "small.csv": ",x,y\nx,1,1\ny,0,1\n",
    "huge.csv": f",a,b\na,{2**60},3\nb,2,{2**60}\n",
    "permutations.csv": "a,b\n" + "".join(f"{i},{i}\n" for i in range(1, 20)),
    "search.csv": "a,b,c\n2,0,0\n2,,0\n,,1\n,2,0\n1,1,1\n,,2\n2,,1\n",
    "hard.csv": _random_ratings(60, 7, 5),
    "many_gaps.csv": _random_ratings(60, 9, 5, missing=0.2),
    "strong.csv": "a,b\n" + "".join(f"{7 * i % 9 + 1},{(7 * i + (i % 4 == 0)) % 9 + 1}\n" for i in range(70)),
    "gaps.csv": _random_ratings(50, 4, 3, missing=0.3),
    "fewer_gaps.csv": _random_ratings(12, 3, 2, missing=0.15),
    "pairs.csv": "a,b,c\n0,0,\n,0,0\n1,,0\n1,1,\n,1,1\n0,,0\n",
    "groups.csv": "site,a,b\nA,1,1\nA,2,2\nA,1,2\nB,1,2\nB,2,2\nB,1,1\nC,1,1\nC,1,1\n",
    "clusters.csv": "patient,lesion,a,b\n1,1,x,x\n1,2,x,y\n2,3,y,y\n3,4,x,x\n3,5,y,x\n3,6,y,y\n",
    "weeks.csv": "week,a,b\n" + "".join(f"{i // 6},{i % 3},{(i + i // 5) % 3}\n" for i in range(24)) + "9,1,2\n",
    "even_weeks.csv": "week,a,b\n" + "".join(f"{i // 6},{i % 3},{(i + i // 5) % 3}\n" for i in range(24)),
    "still.csv": "week,a,b\n2026-W01,1,1\n2026-W02,1,1\n2026-W01,1,1\n",
    "retest.csv": "patient,A_1,A_2,B_1,B_2,C_1,C_2\n"
    + "1,1,1,2,2,1,1\n1,2,2,2,1,1,2\n2,3,3,3,3,3,2\n3,1,2,1,1,1,1\n4,2,1,2,2,2,3\n5,3,3,2,3,3,3\n6,1,1,1,2,2,2\n",
    "flat_retests.csv": "A_1,A_2,B_1,B_2\n1,1,1,2\n1,2,1,1\n1,1,1,1\n1,2,1,2\n",
    "retests.csv": "A_1,A_2,B_1,B_2\n1,1,2,2\n2,2,2,1\n3,3,3,3\n1,2,1,1\n2,1,2,2\n3,3,2,3\n1,1,1,2\n",
    "never_twice.csv": "A1,A2,B1,B2\n1,,1,1\n2,,2,2\n,1,1,2\n,2,2,2\n",
    "broken.csv": "a\n1\n",
    "ragged.csv": "a,b\n1,2\n1,2,3\n",
    "long.csv": "item,who,label\n1,ann,x\n1,bob,x\n2,ann,y\n2,bob,\n3,ann,y\n3,bob,y\n",
    "patterns.csv": "a,b,n\nx,x,5\nx,y,3\ny,y,7\n",
    "people.csv": "id,age,a,b\n"
    + "".join(f"p{i},{30 + i},{'Yes' if i == 3 else 'yes'},{'yesno'[3 * (i % 2) :][:3]}\n" for i in range(20)),
    "costs.csv": ",yes,maybe,no\nno,3,1,0\nmaybe,1,0,1\nyes,0,1,3\n",
    "scenarios.toml": _SCENARIOS,
}

CASES = {
    "inspect, wide": Case("inspect", "inspect {people.csv}"),
    "inspect, long": Case("inspect", "inspect {long.csv}"),
    "inspect, counts": Case("inspect", "inspect {cohen1968.csv}"),
    "inspect, patterns": Case("inspect", "inspect {patterns.csv}"),
    "inspect, clusters": Case("inspect", "inspect {clusters.csv} --cluster patient --subject lesion"),
    "inspect, no table": Case("inspect", "inspect {ragged.csv}"),
    "inspect, first rows": Case("inspect", "inspect {hard.csv}", patch=_large_files),
    "kappa, two raters": Case("kappa", "kappa {two.csv}"),
    "kappa, several weightings": Case(
        "kappa", "kappa {rapallo2022.csv} --layout counts -w unweighted -w linear -w quadratic -w sqrt"
    ),
    "kappa, sample of raters": Case("kappa", "kappa {anxiety.csv} --inference raters"),
    "kappa, samples of subjects and raters": Case("kappa", "kappa {anxiety.csv} --inference both"),
    "kappa, clusters": Case("kappa", "kappa {clusters.csv} --cluster patient --subject lesion"),
    "kappa, every scheme": Case("kappa", f"kappa {{anxiety.csv}} {_EVERY_WEIGHTING} --level 0.9"),
    "kappa, matrix of weights": Case(
        "kappa", "kappa {two.csv} -w identity --weights-matrix {costs.csv} --kind disagreement"
    ),
    "kappa, positions": Case("kappa", "kappa {three.csv} -w linear,squared --positions 0,1/3,2.5"),
    "kappa, metrics of alpha": Case("kappa", "kappa {gwet2014.csv} -c krippendorff -w ordinal,interval,ratio"),
    "kappa, missing ratings": Case("kappa", "kappa {missing.csv} -w linear"),
    "kappa, complete subjects only": Case("kappa", "kappa {missing.csv} --complete-only"),
    "kappa, undefined": Case("kappa", "kappa {one_category.csv} -w unweighted -w linear"),
    "kappa, one subject": Case("kappa", "kappa {one_subject.csv}"),
    "kappa, perfect agreement": Case("kappa", "kappa {perfect.csv}"),
    "kappa, exact interval": Case("kappa", "kappa {small.csv} --layout counts --interval exact"),
    "kappa, normal interval": Case("kappa", "kappa {one_subject.csv} --interval normal"),
    "kappa, on the scale of Landis and Koch": Case(
        "kappa", "kappa {one_category.csv} -w unweighted --benchmark landis-koch"
    ),
    "kappa, on the scale of Altman": Case("kappa", "kappa {perfect.csv} --benchmark altman"),
    "kappa, on the scale of Fleiss": Case("kappa", "kappa {two.csv} --benchmark fleiss"),
    "kappa, on a scale without an interval": Case(
        "kappa", "kappa {one_subject.csv} --interval normal --benchmark landis-koch"
    ),
    "kappa, huge counts": Case("kappa", "kappa {huge.csv} --layout counts"),
    **{
        f"kappa, {name}": Case("kappa", f"kappa {{gwet2014.csv}} -c {name} -w linear")
        for name in ("kappa", "conger", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent")
    },
    "icc, values": Case("icc", "icc {shrout-fleiss.csv}"),
    "icc, ranks": Case("icc", "icc {two.csv} --categories no,maybe,yes --level 0.9"),
    "icc, no lower limit": Case("icc", "icc {anxiety.csv} --raters rater1,rater3"),
    "icc, given positions": Case("icc", "icc {three.csv} --positions 0,1/3,2.5"),
    "icc, positions that are not simple": Case("icc", "icc {three.csv} --positions 0,0.1234567890123,1"),
    "icc, perfect agreement": Case("icc", "icc {perfect.csv}"),
    "icc, all ratings equal": Case("icc", "icc {one_category.csv}"),
    "icc, one subject": Case("icc", "icc {one_subject.csv}"),
    "icc, constant raters": Case("icc", "icc {constant_raters.csv}"),
    "icc, huge counts": Case("icc", "icc {huge.csv} --layout counts"),
    "icc, beyond doubles": Case("icc", "icc {two.csv} --positions 0,1,1e200"),
    "max, two raters": Case("max", "max {rapallo2022.csv} --layout counts -w linear -w sqrt --all --minimum"),
    "max, three raters": Case("max", "max {three.csv} --minimum"),
    "max, missing ratings": Case("max", "max {missing.csv} -w quadratic --minimum --count-tables"),
    "max, chance differs between tables": Case("max", "max {fewer_gaps.csv} -c fleiss --all"),
    "max, maximum proven by remainders": Case("max", "max {pairs.csv}"),
    "max, maximum proven by search": Case("max", "max {search.csv} -c fleiss"),
    "max, minimum proven by search": Case("max", "max {search.csv} -c gwet --minimum"),
    "max, no time": Case("max", "max {hard.csv} -w circular --time-limit 1e-6 --minimum --count-tables"),
    "max, many subjects": Case("max", "max {often.csv}"),
    "max, too large for a test of the margins": Case("max", "max {two.csv}", patch=_no_margins_test),
    "max, one value": Case("max", "max {fixed.csv}"),
    "max, undefined": Case("max", "max {one_category.csv} --all"),
    "max, huge counts": Case("max", "max {huge.csv} --layout counts"),
    "max, many maximisers": Case("max", "max {vision.csv} --layout counts"),
    "max, interrupted": Case("max", "max {hard.csv}", 130, _interrupt_maximum),
    "test, exact": Case("test", "test {rapallo2022.csv} --layout counts -w linear -w unweighted"),
    "test, two-sided": Case("test", "test {two.csv} --alternative two-sided"),
    "test, by probability": Case(
        "test", "test {two.csv} --alternative two-sided --two-sided probability --method exact"
    ),
    "test, random tables": Case(
        "test", "test {diagnoses.csv} --method monte-carlo --draws 200 --seed 1 --alternative less"
    ),
    "test, exact takes too long": Case("test", "test {hard.csv} --draws 100 --seed 1 -w sqrt"),
    "test, small p-value": Case("test", "test {strong.csv} -w unweighted"),
    "test, missing ratings": Case("test", "test {missing.csv} -c krippendorff"),
    "test, interrupted": Case("test", "test {two.csv} --method monte-carlo --seed 1", 130, _interrupt_test),
    "test, undefined": Case("test", "test {one_category.csv}"),
    "test, value": Case("value_test", "test {two.csv} --null 0.2 -w linear,unweighted --categories no,maybe,yes"),
    "test, value not allowed": Case("value_test", "test {two.csv} --null 0.99 --alternative less"),
    "test, value with missing ratings": Case("value_test", "test {missing.csv} --null 0.2"),
    "test, value two-sided": Case("value_test", "test {three.csv} --null 0.2 --alternative two-sided"),
    "test, value undefined": Case("value_test", "test {one_category.csv} --null 0.2"),
    "test, equivalence": Case("equivalence_test", "test {two.csv} --equivalence 0,0.9"),
    "test, equivalence with missing ratings": Case("equivalence_test", "test {missing.csv} --equivalence 0,0.9"),
    "test, equivalence up to one": Case("equivalence_test", "test {perfect.csv} --equivalence 0.2,1"),
    "test, equivalence of one subject": Case(
        "equivalence_test", "test {one_subject.csv} --equivalence 0,0.9 --variance delta"
    ),
    "test, equivalence undefined": Case("equivalence_test", "test {one_category.csv} --equivalence 0,0.9"),
    "compare, three kappas": Case(
        "compare",
        "compare {fees.csv} --cluster patient --complete-only --kappa CO=val_CO,val_COR --kappa MH=val_MH,val_MHR "
        "--kappa TB=val_TB,val_TBR -w linear --method delta",
    ),
    "compare, reference": Case("compare", "compare {depression.csv} --reference diag"),
    "compare, bootstrap": Case(
        "compare", "compare {constant.csv} --kappa a,c --kappa b,c --kappa a,b,c -c percent --bootstrap 9"
    ),
    "compare, weightings": Case("compare", "compare {two.csv} --categories no,maybe,yes -w linear,quadratic"),
    "compare, non-inferiority": Case(
        "compare",
        "compare {depression.csv} --kappa diag,BDI --kappa diag,GHQ --alternative non-inferiority --margin 0.3 "
        "--bootstrap 99",
    ),
    "compare, equivalence without a standard error": Case(
        "compare", "compare {one_subject.csv} -c percent -w linear,quadratic --alternative equivalence --margin 0.1"
    ),
    "retest, three raters": Case("retest", "retest {retest.csv} --cluster patient --occasions _ -w linear,unweighted"),
    "retest, one rater": Case("retest", "retest {two.csv} --occasions A=a,b --level 0.9"),
    "retest, no rating twice": Case("retest", "retest {never_twice.csv} --occasions 1,2"),
    "retest, one occasion undefined": Case("retest", "retest {flat_retests.csv} --occasions _"),
    "retest, undefined": Case("retest", "retest {one_category.csv} --occasions A=a,b"),
    "compare, several files": Case(
        "compare_groups", "compare {missing.csv} {often.csv} {three.csv} -w linear,unweighted"
    ),
    "association, finite": Case("association", "association {rapallo2022.csv} --layout counts -w linear -w sqrt"),
    "association, two categories": Case(
        "association", "association {small.csv} --layout counts --alternative two-sided --two-sided tails --mid-p"
    ),
    "association, largest agreement": Case("association", "association {perfect.csv} --level 0.9 --null -1"),
    "association, missing ratings": Case("association", "association {missing.csv} -w linear --alternative less"),
    "association, smallest agreement": Case(
        "association", "association {opposed.csv} --alternative two-sided --two-sided probability"
    ),
    "association, by distance": Case("association", "association {two.csv} --alternative two-sided"),
    "association, not identified": Case("association", "association {fixed.csv}"),
    "association, undefined": Case("association", "association {one_category.csv}"),
    "fiber, values": Case("fiber", "fiber {rapallo2022.csv} --layout counts -w linear -w unweighted"),
    "fiber, listed and sampled": Case("fiber", "fiber {small.csv} --layout counts --list --sample 2 --seed 1"),
    "fiber, short integers as strings": Case(
        "fiber", "fiber {rapallo2022.csv} --layout counts", patch=_strings_above_1000
    ),
    "fiber, long integers as strings": Case("fiber", "fiber {permutations.csv}", slow=True),
    "fiber, counted only": Case(
        "fiber", "fiber {rapallo2022.csv} --layout counts -w power(0.3)", patch=_strings_above_1000
    ),
    "fiber, too many tables": Case("fiber", "fiber {vision.csv} --layout counts"),
    "fiber, missing ratings": Case("fiber", "fiber {missing.csv} --sample 1 --seed 1"),
    "fiber, undefined": Case("fiber", "fiber {one_category.csv} --list"),
    "moves, two raters": Case("moves", "moves {rapallo2022.csv} --layout counts -w linear -w sqrt"),
    "moves, three raters": Case("moves", "moves {three.csv} --minimal --top 3 -c fleiss"),
    "moves, undefined": Case("moves", "moves {one_category.csv}"),
    "anneal, moves": Case("anneal", "anneal {rapallo2022.csv} --layout counts --seed 1 -w linear"),
    "anneal, swaps": Case("anneal", "anneal {three.csv} --proposal swaps --restarts 2 --seed 1"),
    "anneal, few steps": Case("anneal", "anneal {hard.csv} --proposal swaps --max-steps 5 -w sqrt"),
    "anneal, undefined": Case("anneal", "anneal {one_category.csv}"),
    "anneal, interrupted": Case("anneal", "anneal {three.csv}", 130, _interrupt_annealing),
    "plan, width": Case("plan", "plan --margins 0.7,0.3 --kappa 0.6 --width 0.2 --seed 1"),
    "plan, assurance": Case(
        "plan", "plan --margins 0.7,0.3 --kappa 0.6 --width 0.2 --assurance 0.9 --draws 100 --seed 1"
    ),
    "plan, power": Case(
        "plan",
        "plan --margins 2/3,1/3 --raters 3 --kappa 0.6 --power 0.8 --null 0.4 --draws 500 --seed 1 -w unweighted "
        "-w linear",
    ),
    "plan, exact test": Case(
        "plan", "plan --margins 0.7,0.3 --kappa 0.6 --power 0.8 --null 0 --variance exact --draws 100 --seed 1"
    ),
    "plan, alternative less": Case(
        "plan", "plan --margins 0.5,0.5 --kappa 0.3 --power 0.8 --null 0.6 --alternative less --draws 0"
    ),
    "plan, no simulated studies": Case(
        "plan",
        "plan --margins 0.5,0.3,0.2 --margins 0.4,0.3,0.3 --kappa 0.5 --power 0.8 --null 0.2 --alternative two-sided "
        "--variance estimate --draws 0 --joint widest",
    ),
    "plan, simulation": Case(
        "plan", "plan --margins 0.6,0.4 --kappa 0.5 --width 0.4 --simulate --draws 500 --seed 1 --categories no,yes"
    ),
    "plan, pilot": Case("plan", "plan --table {gwet2014.csv} --width 0.3 --draws 500 --seed 1"),
    "plan, clusters": Case(
        "plan", "plan --margins 0.7,0.3 --kappa 0.6 --width 0.2 --cluster-size 5 --icc 0.1 --cluster-cv 0.5"
    ),
    "plan, pilot in clusters": Case(
        "plan", "plan --table {clusters.csv} --cluster patient --subject lesion --width 0.5"
    ),
    "plan comparison, two-sided": Case(
        "plan_comparison", "plan-comparison --margins 0.7,0.3 --kappas 0.7,0.5 --power 0.8"
    ),
    "plan comparison, width": Case(
        "plan_comparison", "plan-comparison --margins 0.7,0.3 --kappas 0.7,0.5 --width 0.2 --ratio 2"
    ),
    "plan comparison, pilot": Case(
        "plan_comparison",
        "plan-comparison --table {three.csv} --first a,b --second a,c --power 0.8 --margin 0.5 --alternative "
        "non-inferiority --difference 0 -w unweighted -w linear",
    ),
    "plan comparison, equivalence": Case(
        "plan_comparison",
        "plan-comparison --margins 0.7,0.3 --second-margins 0.6,0.4 --kappas 0.6,0.6 --correlation 0.4 --power 0.8 "
        "--margin 0.1 --alternative equivalence",
    ),
    "verify, holds": Case("verify", "verify {proof.json}"),
    "verify, does not hold": Case("verify", "verify {forged.json}", 3),
    "verify, not checked": Case("verify", "verify {proof.json}", 3, _little_work),
    "report, two raters": Case("report", "report {rapallo2022.csv} --layout counts"),
    "report, three raters": Case("report", "report {three.csv} --title 'Three raters' -w linear"),
    "report, missing ratings": Case("report", "report {missing.csv} --alternative two-sided"),
    "report, pair undefined": Case("report", "report {constant.csv} -w unweighted"),
    "report, undefined": Case("report", "report {one_category.csv}"),
    "report, one subject": Case("report", "report {one_subject.csv}"),
    "report, normal interval": Case("report", "report {one_subject.csv}", patch=_normal_intervals),
    "report, too large for a test of the margins": Case("report", "report {two.csv}", patch=_no_margins_test),
    "report, huge counts": Case("report", "report {huge.csv} --layout counts"),
    "report, no time": Case("report", "report {hard.csv} -w circular --time-limit 1e-6 --alternative less"),
    "report, minimum not found": Case("report", "report {many_gaps.csv} -w sqrt --time-limit 1e-9"),
    "report, maximum proven by remainders": Case("report", "report {pairs.csv} -w unweighted"),
    "report, maximum proven by search": Case("report", "report {search.csv} -c fleiss -w unweighted"),
    "report, minimum proven by search": Case("report", "report {search.csv} -c gwet -w unweighted"),
    "report, metric that varies": Case("report", "report {gwet2014.csv} -c krippendorff -w ordinal"),
    "report, maximum not known": Case("report", "report {gaps.csv} -c fleiss -w unweighted"),
    "report, groups": Case("report_groups", "report {groups.csv} --by site -w linear -w sqrt"),
    "report, trend": Case("report_groups", "report {weeks.csv} --by week --trend -w unweighted"),
    "report, trend over whole weeks": Case("report_groups", "report {even_weeks.csv} --by week --trend -w unweighted"),
    "report, trend undefined": Case("report_groups", "report {still.csv} --by week --trend"),
    "report, several comparable files": Case(
        "report_groups", "report {missing.csv} {often.csv} {nosuch.csv} -w unweighted"
    ),
    "report, small p-value": Case("report", "report {strong.csv} -w unweighted"),
    "report, batch with small p-values": Case("report_groups", "report {strong.csv} --batch -w unweighted"),
    "report, retest": Case("report", "report {retests.csv} --occasions _ -w linear"),
    "report, on a scale": Case("report", "report {two.csv} --benchmark landis-koch"),
    "report, no order": Case("report", "report {two.csv}"),
    "report, groups in clusters": Case("report_groups", "report {clusters.csv} --by patient --cluster lesion"),
    "report, several files": Case("report_groups", "report {two.csv} {broken.csv} {missing.csv} {often.csv}"),
    "report, batch of huge counts": Case("report_groups", "report {huge.csv} --layout counts --batch"),
    "paper, few items": Case("paper", "paper --tables 30", 1, _few_items),
    "paper, whole": Case("paper", "paper --tables 30 --jobs 1", slow=True),
    "study, rows of the paper": Case("study", "study --raters 2 --categories 3 --subjects 100 --tables 5 --jobs 1"),
    "study, own scenarios": Case("study", "study --scenarios {scenarios.toml} --tables 5 --jobs 1"),
}
