"""`kappamax moves` ranks moves, as text and as JSON."""

import json

import pytest

import kappamax as km
from tests.support.command_line import run

COUNTS = [[4, 0, 0, 0], [0, 4, 1, 0], [0, 0, 4, 1], [0, 0, 0, 4]]
PAPER = "\n".join(",".join(map(str, row)) for row in COUNTS)
WORDS = "a,b\nno,no\nno,yes\nyes,no\nmaybe,yes\nyes,yes\n"


def moves(*arguments, stdin):
    """Run `kappamax moves -` on some text."""
    return run("moves", "-", *arguments, stdin=stdin)


def test_json_follows_the_contract():
    """Each result has counts, and every move with its labels, effect, change and value afterwards."""
    done = moves("--categories", "no,maybe,yes", "-w", "linear", "-w", "sqrt", "--top", "4", "--json", stdin=WORDS)
    assert (done.returncode, done.stderr) == (0, "")
    linear, sqrt = json.loads(done.stdout)["results"]
    rows = [("no", "no"), ("no", "yes"), ("yes", "no"), ("maybe", "yes"), ("yes", "yes")]
    table = km.from_ratings(rows, categories=["no", "maybe", "yes"])
    ours = km.moves.rank_moves(table, weights="linear", top=4)
    for field in ("weights", "value", "n_applicable", "n_raising", "n_lowering", "n_keeping"):
        assert linear[field] == getattr(ours, field)
    assert len(linear["moves"]) == min(4, ours.n_applicable)
    first = linear["moves"][0]
    # the two subjects off the diagonal swap: u(no, yes) = 1 is saved twice
    assert (first["plus"], first["minus"]) == ([["no", "no"], ["yes", "yes"]], [["no", "yes"], ["yes", "no"]])
    assert (first["effect"], first["change"], first["value_after"]) == ("raises", -2.0, ours[0].value_after)
    assert sqrt["weights"] == "sqrt"


def test_the_table_shows_moves_and_counts():
    """The move of the paper raises sqrt kappa more than any other move."""
    shown = moves("--layout", "counts", "-w", "sqrt", "--top", "1", stdin=PAPER)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "+(2,4) +(3,3) -(2,3) -(3,4)" in shown.stdout
    ranked = km.moves.rank_moves(km.from_counts(COUNTS), weights="sqrt")
    assert f"{ranked.n_raising} raise agreement, {ranked.n_lowering} lower it" in shown.stdout
    assert f"{ranked[0].value_after:.4f}" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_minimal_moves_and_other_coefficients():
    """A minimal basis has fewer moves, and the requested coefficient is used."""
    three = "a,b,c\n" + "".join(f"{i},{j},{h}\n" for i in (1, 2, 3) for j in (1, 2) for h in (2, 3))
    every = json.loads(moves("--json", stdin=three).stdout)["results"][0]
    minimal = json.loads(moves("--json", "--minimal", "-c", "fleiss", stdin=three).stdout)["results"][0]
    assert 0 < minimal["n_applicable"] < every["n_applicable"]
    assert (every["coefficient"], minimal["coefficient"]) == ("conger", "fleiss")


def test_an_undefined_coefficient_is_an_answer():
    """The JSON has null and a reason, and the text says undefined."""
    done = moves("--json", stdin="a,b\nx,x\nx,x\n")
    assert done.returncode == 0
    (result,) = json.loads(done.stdout)["results"]
    assert (result["value"], result["moves"], result["reason"]) == (None, None, "both raters used only 'x'")
    assert "undefined: both raters used only 'x'" in moves(stdin="a,b\nx,x\n").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--top", "0"], 1, "top must be a whole number >= 1; got 0"),
        (["-w", "linear"], 1, "linear weights need ordered categories"),
        (["--top", "some"], 2, "not a valid integer"),
    ],
)
def test_errors_are_one_line(arguments, code, message):
    """The exit code is 1 for errors of kappamax and 2 for wrong usage."""
    done = moves(*arguments, stdin=WORDS)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    missing = moves(stdin="a,b\nx,\ny,x\nx,x\n")
    assert missing.returncode == 1
    assert missing.stderr == "kappamax: ranking moves needs complete ratings, but 1 rating is missing.\n"
