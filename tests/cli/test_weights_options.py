"""Weightings on the command line: several names, positions of the categories, and a matrix in a file."""

import json

import pytest

import kappamax as km
from kappamax.cli import main
from tests.support.command_line import run

COSTS = [[0, 1, 2, 6], [1, 0, 1, 4], [2, 1, 0, 1], [6, 4, 1, 0]]
COUNTS = ["--layout", "counts"]
TABLE = km.example("rapallo2022")
#: arguments of each command that takes weights, after the name of the file
COMMANDS = {
    "kappa": [],
    "max": [],
    "test": ["--seed", "1"],
    "retest": ["--occasions", "A=1,2"],
    "association": [],
    "fiber": ["--memory-limit", "2"],
    "moves": [],
    "anneal": ["--seed", "1", "--proposal", "swaps", "--max-steps", "1000"],
    "report": [],
    "plan": ["--width", "0.5", "--draws", "0"],
}


@pytest.fixture
def files(tmp_path):
    """Return the paths of a table of counts and of matrices of weights."""
    texts = {
        "table": km.datasets.EXAMPLES["rapallo2022"].path.read_text(encoding="utf-8"),
        "plain": "\n".join(",".join(map(str, row)) for row in COSTS),
        "labelled": ",4,3,2,1\n1,6,2,1,0\n2,4,1,0,1\n3,1,0,1,2\n4,0,1,4,6\n",
        "other": ",a,b\na,0,1\nb,1,0\n",
        "text": "a,b\nmild,none\nsevere,mild\nnone,none\nsevere,severe\n",
        "costs": ",severe,mild,none\nsevere,0,1,5\nmild,1,0,2\nnone,5,2,0\n",
    }
    found = {}
    for name, text in texts.items():
        found[name] = str(tmp_path / f"{name}.csv")
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return found


def results_of(*arguments):
    """Run a command with --json and return its results."""
    done = run(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["results"]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-w", "linear,quadratic"], ["linear", "quadratic"]),
        (["-w", "linear, sqrt", "-w", "unweighted"], ["linear", "sqrt", "unweighted"]),
        (["-w", "power(1.5),power(3)"], ["power(1.5)", "power(3)"]),
        (["-w", "equal,Squared,fleiss_cohen"], ["linear", "quadratic", "quadratic"]),
        (["-w", "ordinal"], ["gwet-ordinal"]),
    ],
)
def test_commas_separate_names(files, options, names):
    """A list of names means the same as the repeated option, and results have the names of the schemes."""
    results = results_of("kappa", files["table"], *COUNTS, *options)
    assert [one["weights"] for one in results] == names
    assert [one["exact"] for one in results] == [
        None if (exact := km.kappa(TABLE, weights=name).exact) is None else str(exact) for name in names
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_positions_and_a_matrix(files, command):
    """All commands with weights name the weights over positions and the file of a matrix in their results."""
    file = ["--table", files["table"]] if command == "plan" else [files["table"]]
    start = [command, *file, *COUNTS, *COMMANDS[command]]
    results = results_of(*start, "--positions", "0,1,3,10")
    assert [one["weights"] for one in results] == ["linear over positions"]
    results = results_of(*start, "-w", "linear", "--weights-matrix", files["labelled"], "--kind", "disagreement")
    assert [one["weights"] for one in results] == ["linear", "labelled.csv"]


def test_the_options_stand_together_in_every_command():
    """A command that has --weights for ratings has the other options too; only the study selects scenarios by name."""
    having = {name for name, command in main.commands.items() if any(one.name == "weights" for one in command.params)}
    assert having == {*COMMANDS, "compare", "plan-comparison", "study"}
    for name in (*COMMANDS, "compare", "plan-comparison"):
        assert {"weights", "positions", "weights_matrix", "kind"} <= {one.name for one in main.commands[name].params}


def test_positions_have_the_weighting_of_the_option(files):
    """Every named scheme is applied to the positions, which may be fractions."""
    results = results_of("kappa", files["table"], *COUNTS, "--positions", "0,1/2,3,10.5", "-w", "linear,squared")
    for one, scheme in zip(results, ("linear", "quadratic"), strict=True):
        weights = km.Weights.from_positions([0, 0.5, 3, 10.5], scheme)
        assert one["exact"] == str(km.kappa(TABLE, weights=weights).exact)


def test_a_matrix_with_and_without_labels(files):
    """Labels in another order give the weights of the matrix in the order of the categories."""
    expected = str(km.kappa(TABLE, weights=km.Weights.from_matrix(COSTS, kind="disagreement")).exact)
    for name in ("plain", "labelled"):
        arguments = ["--weights-matrix", files[name], "--kind", "disagreement"]
        (result,) = results_of("kappa", files["table"], *COUNTS, *arguments)
        assert result["exact"] == expected


def test_labelled_weights_need_no_order_of_text_categories(files):
    """A matrix with the categories as labels is arranged in the order of the file of ratings."""
    (result,) = results_of("kappa", files["text"], "--weights-matrix", files["costs"], "--kind", "disagreement")
    assert result["exact"] == "11/17"  # D_o = 3/4, D_e = 34/16


def test_several_files_share_a_labelled_matrix(files):
    """The matrix is arranged for every file of a report."""
    arguments = ["-w", "unweighted", "--weights-matrix", files["costs"], "--kind", "disagreement"]
    results = results_of("report", files["text"], files["text"], *arguments)
    assert [one["weights"] for one in results] == ["unweighted", "costs.csv"] * 2
    assert [one["value"] for one in results][1] == 11 / 17


def test_planning_from_margins_takes_labels_and_positions(files):
    """Without pilot ratings, labels are matched with the categories that the options name."""
    start = ["plan", "--margins", "0.3,0.3,0.4", "--kappa", "0.6", "--width", "0.3", "--draws", "0"]
    matrix = ["--weights-matrix", files["costs"], "--kind", "disagreement"]
    (plan,) = results_of(*start, *matrix, "--categories", "none,mild,severe")
    expected = km.sample_size(
        margins=[0.3, 0.3, 0.4],
        kappa=0.6,
        width=0.3,
        weights=km.Weights.from_matrix([[0, 2, 5], [2, 0, 1], [5, 1, 0]], kind="disagreement"),
        method=km.planning.Formula(n_draws=0),
    )
    assert plan["n_subjects"] == expected.n_subjects
    (plan,) = results_of(*start, "--positions", "0,1,5")
    assert plan["weights"] == "linear over positions"


@pytest.mark.parametrize("metric", [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)])
def test_krippendorffs_alpha_by_his_names(metric):
    """The values are those of Krippendorff (2011) for 4 coders and 12 units."""
    name, published = metric
    path = str(km.datasets.EXAMPLES["gwet2014"].path)
    (result,) = results_of("kappa", path, "-c", "krippendorff", "-w", name)
    assert round(result["value"], 3) == published


def test_what_is_not_available_is_one_line():
    """The maximum of alpha with the ordinal metric is refused where single ratings change the metric."""
    path = str(km.datasets.EXAMPLES["gwet2014"].path)
    for command in ("max", "test", "association"):
        done = run(command, path, "-c", "krippendorff", "-w", "ordinal")
        assert (done.returncode, done.stdout) == (1, "")
        assert "is not available for krippendorff-ordinal weights" in done.stderr
        assert done.stderr.count("\n") == 1


def test_an_undefined_coefficient_has_the_name_of_its_weights(tmp_path):
    """Aliases, positions and matrices are named in the JSON of an undefined coefficient as in other results."""
    path = tmp_path / "one.csv"
    path.write_text("a,b\n1,1\n1,1\n", encoding="utf-8")
    start = ["--categories", "1,2", "-w", "squared"]
    for command in ("kappa", "max", "test", "association", "moves"):
        (result,) = results_of(command, str(path), *start)
        assert (result["weights"], result["value"]) == ("quadratic", None)
    (result,) = results_of("kappa", str(path), "--categories", "1,2", "--positions", "0,5")
    assert (result["weights"], result["value"]) == ("linear over positions", None)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["-w", "linear,,sqrt"], 2, "a name is missing; separate names by one comma"),
        (["-w", "linear,sqared"], 1, "Did you mean 'squared'"),
        (["-w", "power(1,5)"], 1, "one number > 0 with a decimal point, as in 'power(1.5)'"),
        (["--kind", "agreement"], 2, "--kind is the kind of a matrix; --weights-matrix is missing"),
        (["--weights-matrix", "{plain}"], 2, "--weights-matrix needs --kind disagreement or --kind agreement"),
        (["--weights-matrix", "{plain}", "--kind", "cost"], 1, "kind must be one of 'disagreement', 'agreement'"),
        (["--weights-matrix", "nothing.csv", "--kind", "agreement"], 1, "there is no file nothing.csv"),
        (["--weights-matrix", "{plain}", "--kind", "agreement"], 1, "diagonal of agreement weights must be 1"),
        (
            ["--weights-matrix", "{other}", "--kind", "disagreement"],
            1,
            "the labels are 'a', 'b', and the categories are 1, 2, 3, 4",
        ),
        (
            ["--positions", "1,2,3,4", "--weights-matrix", "{plain}", "--kind", "disagreement"],
            2,
            "--positions and --weights-matrix exclude each other",
        ),
        (
            ["--positions", "1,2,3"],
            1,
            "linear over positions weights are 3 x 3, but there are 4 categories: 1, 2, 3, 4",
        ),
        (["--positions", "1;2"], 2, "'1;2' is not a list of numbers such as 0,1,3,10"),
        (["--positions", "1,2,2,3"], 1, "positions must differ; 2 occurs twice"),
        (["--positions", "1,2,3,nan"], 1, "positions must be finite numbers; entry 4 is nan"),
        (["--positions", "1,2,3,4", "-w", "ordinal"], 1, "must depend on positions, but ordinal weights do not"),
    ],
)
def test_errors_are_short(files, options, code, message):
    """Wrong usage has exit code 2, and errors of kappamax are one line with exit code 1."""
    done = run("kappa", files["table"], *COUNTS, *(option.format(**files) for option in options))
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr


def test_a_certificate_takes_one_weighting(files, tmp_path):
    """Names and a matrix together are several weightings, and a matrix alone can be certified."""
    proof = tmp_path / "proof.json"
    matrix = ["--weights-matrix", files["labelled"], "--kind", "disagreement", "--certificate", str(proof)]
    for names in ("linear", "linear,sqrt"):
        assert "takes only one weighting" in run("max", files["table"], *COUNTS, "-w", names, *matrix).stderr
    assert run("max", files["table"], *COUNTS, *matrix).returncode == 0
    assert run("verify", str(proof)).returncode == 0


def test_the_study_selects_weightings_by_any_name():
    """Aliases and lists select the scenarios of the schemes."""
    results = results_of(
        "study", "--raters", "2", "--categories", "3", "--subjects", "20", "-w", "equal,squared", "--tables", "2"
    )
    assert {one["weights"] for one in results} == {"linear", "quadratic"}
    assert "Did you mean 'linear'" in run("study", "-w", "linera").stderr
