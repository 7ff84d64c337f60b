"""Random mixes of options of every command end with an answer or an error of one line, and never with a traceback."""

import json
import os
import random

import click
import pytest

from kappamax.cli import main
from tests.support.command_line import run

N_MIXES = 500
LONGER = int(os.environ.get("KAPPAMAX_ATTACK", "0"))

FILES = {
    "wide.csv": "id,ann,bob\n1,1,2\n2,2,2\n3,1,1\n4,3,3\n5,2,3\n6,1,1\n",
    "three.csv": "ann,bob,cem\n1,1,2\n2,2,2\n1,1,1\n3,3,1\n2,3,3\n",
    "gaps.csv": "ann,bob,cem\nno,,yes\nyes,yes,\nno,no,no\n,yes,no\n",
    "counts.csv": ",a,b\na,5,2\nb,1,4\n",
    "long.csv": "subject,rater,rating\n1,x,1\n1,y,2\n2,x,2\n2,y,2\n3,x,1\n3,y,1\n",
    "groups.csv": "site,ann,bob\nA,1,1\nA,2,1\nA,2,2\nB,1,2\nB,2,2\nB,1,1\n",
    "same.csv": "ann,bob\n1,1\n1,1\n",
    "matrix.csv": "0,1,2\n1,0,1\n2,1,0\n",
    "empty.csv": "",
    "words.txt": "not ratings at all",
}
LAYOUTS = {"counts.csv": "counts", "long.csv": "long"}
ODD = [
    "",
    " ",
    "x",
    "é",
    "-1",
    "0",
    "nan",
    "inf",
    "1e308",
    "1e-9",
    "99999999999999999999",
    "a,b",
    ",",
    "=1",
    "\\",
    "--",
]
#: plausible values of options; those of long searches and of many draws are small
USUAL = {
    "categories": ["1,2,3", "1,2,3,4", "no,yes", "a,b"],
    "raters": ["ann,bob", "bob,ann", "x,y"],
    "subject": ["id", "subject", "site"],
    "rater": ["rater"],
    "rating": ["rating"],
    "count": ["n"],
    "cluster": ["site", "id"],
    "missing": ["NA", "3", "no"],
    "delimiter": [",", "tab", ";"],
    "skip_rows": ["0", "1"],
    "encoding": ["utf-8", "latin-1", "utf-16"],
    "rename": ["3=2", "no=nein"],
    "sheet": ["Sheet1"],
    "by": ["site"],
    "weights": ["linear", "linear,quadratic", "power(0.5)", "unweighted"],
    "positions": ["0,1,3", "1,2,4,8", "1/3,2/3,1"],
    "level": ["0.9", "0.99"],
    "seed": ["1"],
    "time_limit": ["0.2", "1"],
    "draws": ["50"],
    "n_sample": ["3"],
    "restarts": ["1", "2"],
    "max_steps": ["100"],
    "jobs": ["1"],
    "memory_limit": ["1000000"],
    "top": ["3"],
    "margins": ["0.5,0.5", "0.2,0.3,0.5"],
    "kappa": ["0.6", "ann,bob", "second=bob,cem"],
    "reference": ["ann"],
    "bootstrap": ["20"],
    "margin": ["0.1"],
    "occasions": ["A=ann,bob", "1,2", "_"],
    "cluster_size": ["4"],
    "cluster_cv": ["0.5"],
    "icc": ["0.2"],
    "kappas": ["0.7,0.5"],
    "second_margins": ["0.4,0.6"],
    "correlation": ["0.3"],
    "ratio": ["2"],
    "difference": ["0.05"],
    "first": ["ann,bob"],
    "second": ["ann,cem"],
    "joint": ["0.4,0.1,0.1,0.4"],
    "width": ["0.3"],
    "power": ["0.8"],
    "null": ["0.4"],
    "alpha": ["0.05"],
    "assurance": ["0.9"],
    "equivalence": ["0.2,0.9"],
    "work_limit": ["1e7"],
    "title": ["Ratings of 2026"],
    "name": ["cohen1968"],
}
LIMITED = ("time_limit", "draws", "max_steps", "restarts", "jobs")  # of every run
#: commands that do not end by themselves or take minutes by design
LEFT_OUT = {"serve", "study", "paper", "completion"}


def commands(group=main, path=()):
    """Return the path and the command object of every command."""
    for name, one in group.commands.items():
        if name in LEFT_OUT:
            continue
        if isinstance(one, click.Group):
            yield from commands(one, (*path, name))
        else:
            yield (*path, name), one


COMMANDS = list(commands())


def mixed(rng, folder):
    """Return the arguments of one run: a command, its files, and some of its options, most of them plausible."""
    path, command = rng.choice(COMMANDS)
    names = {parameter.name for parameter in command.params}
    file = rng.choice([*FILES][: rng.choice([6, len(FILES)])])
    arguments = [*path]
    if "layout" in names and file in LAYOUTS and rng.random() < 0.9:
        arguments += ["--layout", LAYOUTS[file]]
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            if rng.random() < 0.95:
                arguments.append(file if parameter.name == "file" else rng.choice([*USUAL["name"], file]))
        elif parameter.name in LIMITED or rng.random() < 2 / len(command.params):
            arguments += option(rng, parameter, folder)
    return arguments


def option(rng, parameter, folder):
    """Return an option with a value, which is odd in one of six cases."""
    if parameter.is_flag:
        return [rng.choice(parameter.opts)]
    if parameter.name in ("output", "certificate"):
        usual = ["new.html", "new.json", "new.md", "no/folder.md", "new.xyz", "wide.csv", str(folder), "-"]
    elif isinstance(parameter.type, click.Path):
        usual = ["matrix.csv", "matrix.csv", "missing.csv", "words.txt"]
    elif getattr(parameter, "names", None):
        usual = [item.value for item in parameter.shell_complete(None, "")]
    else:
        usual = USUAL[parameter.name]
    odd = rng.random() < (0.02 if parameter.name in LIMITED else 1 / 6)
    return [rng.choice(parameter.opts), rng.choice(ODD if odd else usual)]


def made_files(folder):
    """Write the files again, since a run may have replaced one."""
    for name, content in FILES.items():
        (folder / name).write_text(content, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.attack)])
@pytest.mark.filterwarnings("default")
def test_mixed_options_give_an_answer_or_an_error(tmp_path, capsys, monkeypatch, seed):
    """An exception that is not an exit code fails; so do errors without words and JSON that cannot be parsed."""
    monkeypatch.chdir(tmp_path)
    rng, codes = random.Random(seed), dict[int, int]()
    n = max(N_MIXES, LONGER if seed else 0)
    for _ in range(n):
        made_files(tmp_path)
        arguments = mixed(rng, tmp_path)
        try:
            done = run(*arguments, stdin=rng.choice(["", FILES["wide.csv"]]), COLUMNS=rng.choice(["80", "20", "200"]))
        except BaseException as error:
            raise AssertionError(f"{arguments}: {type(error).__name__} {error}") from error
        codes[done.returncode] = codes.get(done.returncode, 0) + 1
        assert done.returncode in (0, 1, 2, 3), arguments
        assert "Traceback" not in done.stderr + done.stdout, arguments
        if done.returncode in (1, 2):
            assert done.stderr.strip(), arguments
            assert not done.stdout.strip(), arguments
        if done.returncode == 0 and "--json" in arguments and "--help" not in arguments and done.stdout.strip():
            json.loads(done.stdout)
    assert all(codes.get(code, 0) > n / 10 for code in (0, 1, 2))
    with capsys.disabled():
        print(f"\n{n} mixes of options, seed {seed}: exit codes {dict(sorted(codes.items()))}")
