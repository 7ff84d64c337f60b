"""Damaged and hostile files of every format give a table or one of our errors, and nothing else."""

import json
import os
import random
import subprocess
import sys

import pytest

from kappamax.display import html, tables, text
from tests.support.hostile_files import damaged, hostile_files, valid_files
from tests.support.hostile_labels import (
    LABELS,
    assert_safe_csv,
    assert_safe_html,
    assert_safe_latex,
    assert_safe_markdown,
    assert_safe_text,
)
from tests.support.hostile_run import outcome

N_FILES = 200
N_TABLES = 200
LONGER = int(os.environ.get("KAPPAMAX_ATTACK", "0"))
MOST_MEMORY = 500_000  # kilobytes, of which 180,000 are the imports

ATTACK = pytest.param(1, marks=[pytest.mark.attack, pytest.mark.slow], id="attack")


def number(usual, attack):
    """Return the number of examples: the usual one, or in an attack the one that the caller asks for."""
    return max(LONGER, 2 * usual) if attack else usual


@pytest.mark.slow
def test_the_files_are_valid_before_they_are_damaged(tmp_path):
    """Every format is read, so that damage is what the errors are about."""
    layouts = {"long": "long", "counts": "counts"}
    for name, content in valid_files().items():
        path = tmp_path / "file"
        path.write_bytes(content)
        assert outcome(path, layout=layouts.get(name)) == "table", name


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the peak of memory is not known")
@pytest.mark.parametrize("seed", [0, ATTACK])
def test_hostile_files_give_a_table_or_an_error(tmp_path, capsys, seed):
    """The process survives, and its memory stays within bounds."""
    n = number(N_FILES, seed)
    command = [
        sys.executable,
        "-W",
        "error",
        "-m",
        "tests.support.hostile_run",
        str(tmp_path / "file"),
        str(n),
        str(seed),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1]
    assert done.returncode == 0, f"{last} with seed {seed} (in {tmp_path / 'file'}): {done.stderr[-500:]}"
    found = json.loads(last)
    assert found["memory"] < MOST_MEMORY
    assert found["seen"]["table"] > 0
    assert len(found["seen"]) > 5
    with capsys.disabled():
        kinds = f"{found['seen']['table']} tables, {len(found['seen']) - 1} kinds of errors"
        print(f"\n{n} hostile files, seed {seed}: {kinds}, {found['memory'] >> 10} MB")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, ATTACK])
def test_random_labels_are_safe_in_every_format(capsys, seed):
    """Labels are put together from hostile ones, cut anywhere."""
    n, rng = number(N_TABLES, seed), random.Random(seed)
    everything = "".join(LABELS.values()) + "".join(map(chr, range(256))) + "\\`|*_[]<>&#-=+@$%{}~^"
    for _ in range(n):
        start = [rng.randrange(len(everything)) for _ in range(6)]
        labels = [everything[at : at + rng.randint(1, 12)] for at in start]
        labels += ["".join(rng.choices(everything, k=rng.randint(1, 8))) for _ in range(6)]
        header, rows = labels[:3], [labels[3:6], labels[6:9], labels[9:]]
        assert_safe_text("\n".join(text.columns(header, rows)))
        assert_safe_csv(tables.csv_table(header, rows))
        assert_safe_latex(tables.latex_table(header, rows, caption=labels[0], notes=labels))
        assert_safe_html(html.table(header, rows, caption=labels[0]))
        assert_safe_markdown(tables.markdown_table(header, rows, notes=labels))
    with capsys.disabled():
        print(f"\n{n} tables of hostile labels in 5 formats, seed {seed}")


def test_the_damage_depends_on_the_seed_only():
    """A failure can be repeated, and files are indeed changed."""
    first, again, other = (list(hostile_files(20, seed)) for seed in (0, 0, 1))
    assert first == again != other
    assert all(damaged(b"abc" * 50, random.Random(i)) != b"" for i in range(3))
    assert sum(content in valid_files().values() for _, content in first) < 5
