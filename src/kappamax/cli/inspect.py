"""Define `kappamax inspect FILE`, which describes a file and prints the command that reads it."""

from __future__ import annotations

import shlex
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.advice import arguments_of, sentence_of
from kappamax.cli.command import command
from kappamax.cli.kappa import kappa
from kappamax.cli.options import INPUT, JSON
from kappamax.cli.runner import echo_json, echo_line, echo_table, how_to_read

if TYPE_CHECKING:
    from kappamax.io.inspection import Inspection


@command(
    "kappamax inspect ratings.csv",
    "kappamax inspect ratings.xlsx --sheet 2",
    Input=INPUT,
    Output=[JSON],
)
def inspect(as_json: bool, **options: Any) -> None:
    """Describe FILE and print the command that reads it.

    The columns are listed with what they contain and why, followed by the first rows, the labels with the number of
    their ratings, doubtful labels, and notes on everything that is left out. If FILE is refused as it is, the reason is
    printed, and the advised options are tried until FILE can be read. If FILE is "-", standard input is read.
    """
    from kappamax.io import inspect as inspect_ratings

    found = inspect_ratings(options["file"], **how_to_read(options))
    if as_json:
        echo_json({"inspection": found.to_dict() | {"command": _command(found, options["file"])}})
    else:
        _show(found, _command(found, options["file"]))


def _show(found: Inspection, ready: str | None) -> None:
    """Print every part of an inspection, and the command that reads the file."""
    from kappamax.io.inspection_text import parts_of, tried_rows

    for part in parts_of(found, partial(sentence_of, command=kappa)):
        echo_table(part.title, part.header, part.rows, part.sentences, left=range(len(part.header)))
        if part.sentences:  # there is an empty line below a table
            click.echo()
    click.echo(tried_rows(found))
    if ready is not None:
        echo_line(f"Run: {ready}")


def _command(found: Inspection, file: str) -> str | None:
    """Return the command that reads the file, if there is one."""
    if found.call is None:
        return None
    name = f"./{file}" if file.startswith("-") and file != "-" else file
    return shlex.join(["kappamax", "kappa", name, *arguments_of(found.options, kappa)])
