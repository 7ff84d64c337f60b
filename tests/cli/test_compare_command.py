"""`kappamax compare` compares kappas of the same subjects."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run

DEPRESSION = str(km.datasets.EXAMPLES["depression"].path)
FEES = str(km.datasets.EXAMPLES["fees"].path)
TEXT = km.datasets.EXAMPLES["depression"].path.read_text(encoding="utf-8")
PAIRS = ["--kappa", "BDI=diag,BDI", "--kappa", "GHQ=diag,GHQ"]
OCCASIONS = ["--kappa", "CO=val_CO,val_COR", "--kappa", "MH=val_MH,val_MHR", "--kappa", "TB=val_TB,val_TBR"]


def result_of(*arguments):
    done = run("compare", *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    (result,) = json.loads(done.stdout)["results"]
    return result


def test_kappas_are_compared_as_by_the_library():
    """The JSON has the fields of `compare_dependent`; named coefficients and a reference give the same comparison."""
    kappas = {"BDI": ["diag", "BDI"], "GHQ": ["diag", "GHQ"]}
    ours = km.compare_dependent(km.example("depression"), kappas=kappas).to_dict() | {"margin_test": None}
    assert result_of(DEPRESSION, *PAIRS) == ours
    assert result_of(DEPRESSION, "--reference", "diag") == ours


def test_clusters_are_the_sample():
    """Only the named columns are read, and only patients with complete ratings in them are kept on request."""
    found = result_of(FEES, "--cluster", "patient", "--complete-only", *OCCASIONS, "-w", "linear", "--method", "delta")
    assert (found["statistic"], found["pvalue"]) == pytest.approx((3.419, 0.246), abs=5e-4)  # Vanbelle (2017)
    assert (found["n_units"], found["df"]) == (14, [2, 12])
    two = result_of(FEES, "--cluster", "patient", "--complete-only", *OCCASIONS[:4])
    assert two["n_subjects"] == 25  # complete in four columns instead of six


def test_weightings_are_compared():
    """Several weightings of all raters are coefficients; with several kappas, every combination is one."""
    anxiety = str(km.datasets.EXAMPLES["anxiety"].path)
    found = result_of(anxiety, "--weights", "linear,quadratic")
    assert [(one["name"], len(one["raters"])) for one in found["coefficients"]] == [("linear", 3), ("quadratic", 3)]
    kappas = ["--kappa", "rater1,rater2", "--kappa", "last=rater1,rater3"]
    found = result_of(anxiety, *kappas, "-w", "linear", "-w", "quadratic")
    names = ["rater1 & rater2, linear", "rater1 & rater2, quadratic", "last, linear", "last, quadratic"]
    assert [one["name"] for one in found["coefficients"]] == names
    assert [one["weights"] for one in found["coefficients"]] == ["linear", "quadratic"] * 2


def test_all_pairs_of_raters_are_the_default():
    assert [one["name"] for one in result_of(DEPRESSION)["coefficients"]] == ["diag & BDI", "diag & GHQ", "BDI & GHQ"]


def test_the_bootstrap_has_a_number_of_resamples_and_a_seed():
    kappas = {"BDI": ["diag", "BDI"], "GHQ": ["diag", "GHQ"]}
    ours = km.compare_dependent(km.example("depression"), kappas=kappas, method="bootstrap", n_resamples=99, rng=5)
    found = result_of(DEPRESSION, *PAIRS, "--bootstrap", "99", "--seed", "5", "--jobs", "2")
    assert found == ours.to_dict() | {"margin_test": None}
    assert result_of(DEPRESSION, *PAIRS, "--method", "bootstrap")["n_resamples"] == 2000


def test_two_kappas_are_tested_with_a_margin():
    """The test is that of `compare` with the same method."""
    found = result_of(DEPRESSION, *PAIRS, "--alternative", "equivalence", "--margin", "0.3")["margin_test"]
    ours = km.compare(
        km.example("depression"),
        first=["diag", "BDI"],
        second=["diag", "GHQ"],
        alternative="equivalence",
        margin=0.3,
        method="jackknife",
    ).to_dict()
    assert found == {name: ours[name] for name in found}
    assert {"alternative", "margin", "pvalue", "ci", "level"} <= set(found)


def test_the_text_shows_coefficients_differences_and_the_test():
    """A file from standard input is compared too, and the margin and the note about all intervals have a sentence."""
    done = run("compare", "-", *PAIRS, "--alternative", "non-inferiority", "--margin", "0.3", stdin=TEXT)
    assert (done.returncode, done.stderr) == (0, "")
    shown = " ".join(done.stdout.split())
    for part in (
        "BDI 0.5381 0.2392 to 0.8370 0.1487",
        "BDI - GHQ -0.2083 -0.5005 to 0.0838 0.1454 0.1582 0.1582",
        "Test of equality (jackknife): Hotelling's T2 = 2.0536 with 1 and 49 degrees of freedom, p = 0.1582.",
        "Test of whether the difference is above -0.3: p = 0.2657, 90% interval -0.4521 to 0.0354.",
    ):
        assert part in shown
    several = " ".join(
        run("compare", FEES, "--cluster", "patient", "--complete-only", *OCCASIONS, "--bootstrap", "99").stdout.split()
    )
    assert "The intervals of the differences hold together; adjusted p-values account for all of them." in several
    assert "Test of equality (bootstrap with 99 resamples): Hotelling's T2 =" in several
    assert "The differences have no intervals, since some difference has no standard error in more than 5%" in several


def test_several_files_are_independent_groups(tmp_path):
    """They are compared as by `compare_groups`, under every weighting; groups without a value have their reason."""
    files = {
        "first.csv": "a,b\n1,1\n2,2\n1,2\n3,3\n",
        "second.csv": "a,b\n1,2\n2,2\n3,1\n1,1\n",
        "third.csv": "a,b\n1,1\n",
    }
    paths = [tmp_path / name for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_text(content, encoding="utf-8")
    done = run("compare", *map(str, paths[:2]), "-w", "linear,unweighted", "--json")
    results = json.loads(done.stdout)["results"]
    groups = {str(path): km.read_ratings(path) for path in paths[:2]}
    assert results == [km.compare_groups(groups, weights=w).to_dict() for w in ("linear", "unweighted")]
    shown = " ".join(run("compare", *map(str, paths), COLUMNS="300").stdout.split())
    assert "Agreement of independent groups (cohen, unweighted)" in shown
    assert "Test of equality: p =" in shown
    assert "undefined, both raters used only 1." in shown
    assert "Pooled value:" in shown
    refused = run("compare", *map(str, paths), "--reference", "a")
    assert refused.returncode == 2
    assert "--reference is for coefficients of the same subjects, which are in one file" in refused.stderr


def test_no_test_has_its_reason(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,b,c\n1,2,1\n", encoding="utf-8")
    done = run(
        "compare",
        str(path),
        "-c",
        "percent",
        "--kappa",
        "a,b",
        "--kappa",
        "a,c",
        "--alternative",
        "equivalence",
        "--margin",
        "0.1",
    )
    shown = " ".join(done.stdout.split())
    assert "No test of equality (jackknife): fewer than two subjects have ratings to compare" in shown
    assert "No test of whether the difference lies between -0.1 and 0.1: fewer than two subjects" in shown


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--kappa", "diag,BDI"], 2, "there is only one coefficient"),
        (["--kappa", "diag"], 2, "two or more raters must be given as A,B or as NAME=A,B; got 'diag'"),
        (["--kappa", "=diag,BDI"], 2, "got '=diag,BDI'"),
        (["--kappa", "diag,BDI", "--kappa", "diag,BDI"], 2, "two coefficients are called 'diag & BDI'"),
        ([*PAIRS, "--reference", "diag"], 2, "--kappa and --reference exclude each other"),
        ([*PAIRS, "--method", "delta", "--bootstrap", "99"], 2, "--bootstrap and --method delta exclude each other"),
        (["--margin", "0.1"], 2, "--margin and --alternative are for two coefficients; there are 3"),
        ([*PAIRS, "--margin", "0.1"], 1, "margin must be given with alternative"),
        ([*PAIRS, "--alternative", "equivalence"], 1, "needs margin, the smallest difference that matters"),
        ([*PAIRS, "--method", "detla"], 1, "Did you mean 'delta'"),
        (["--reference", "diagnosis"], 1, "rater must be one of"),
        (["--kappa", "diag,bdi", "--kappa", "diag,GHQ"], 1, "bdi"),
        ([*PAIRS, "--level", "2"], 1, "level must lie between 0 and 1"),
        ([*PAIRS, "--cluster", "ward"], 1, "ward"),
    ],
)
def test_wrong_usage_has_one_message(options, code, message):
    """The exit code is 2 for options that exclude each other, and 1 for those that the library refuses."""
    done = run("compare", DEPRESSION, *options)
    assert done.returncode == code
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
