"""Define the `kappamax` command, which reads options, calls the library and prints the answer.

The answer, which says what was read, is written to standard output; warnings and errors are written to standard error.
The exit code is 0 on success, 1 after an error of kappamax, which is printed as one line, 2 after wrong usage, 3 if a
certificate does not hold, and 130 after Ctrl-C. Large modules are imported inside the commands, so that --help is
quick.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from kappamax._version import __version__
from kappamax.cli.advice import message_of
from kappamax.cli.anneal import anneal
from kappamax.cli.association import association
from kappamax.cli.command import Group, command
from kappamax.cli.compare import compare
from kappamax.cli.exact_test import test
from kappamax.cli.fiber import fiber
from kappamax.cli.icc import icc
from kappamax.cli.inspect import inspect
from kappamax.cli.kappa import kappa
from kappamax.cli.lost_interrupts import lost_interrupts_raised_again
from kappamax.cli.max_kappa import maximum
from kappamax.cli.moves import moves
from kappamax.cli.paper import paper, study
from kappamax.cli.plan import plan
from kappamax.cli.plan_comparison import plan_comparison
from kappamax.cli.report import report
from kappamax.cli.retest import retest
from kappamax.cli.runner import echo_line
from kappamax.cli.serve import serve
from kappamax.cli.verify import verify
from kappamax.display import text
from kappamax.errors import KappamaxError

__all__ = ["main"]

_ARGUMENTS = "kappamax.arguments"
_WELCOME = """\
kappamax measures agreement between raters. Four commands to try:

  kappamax example cohen1968     print a bundled dataset
  kappamax inspect ratings.csv   describe your own file, and print the command that reads it
  kappamax report ratings.csv    write a report on your own file, with one column per rater
  kappamax max ratings.csv       find the largest agreement that the margins allow

Run kappamax --help for a list of all commands."""


_COMPLETION_HINTS = {
    "bash": 'Add this line to ~/.bashrc: eval "$(kappamax completion bash)"',
    "zsh": 'Add this line to ~/.zshrc, after compinit: eval "$(kappamax completion zsh)"',
    "fish": "Run this command once: kappamax completion fish > ~/.config/fish/completions/kappamax.fish",
}


def _example_names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """Return the names of the bundled datasets that begin with the incomplete word."""
    files = (Path(__file__).parents[1] / "data").glob("*.csv")
    return sorted(file.stem for file in files if file.stem.startswith(begun))


@command(
    "kappamax example",
    "kappamax example rapallo2022 | kappamax kappa - --layout counts -w linear",
    Input=[click.Argument(["name"], required=False, shell_complete=_example_names)],
)
def example(name: str | None) -> None:
    """Print the bundled dataset NAME, or list all datasets.

    Each line of the list gives the name of a dataset, its layout, which other commands need as --layout, and a
    description.
    """
    from kappamax._validate import as_choice
    from kappamax.datasets import EXAMPLES

    if name is None:
        width = max(map(len, EXAMPLES))
        for one in EXAMPLES.values():
            click.echo(f"{one.name:<{width}}  {one.layout:<6}  {one.title}")
        return
    chosen = EXAMPLES[as_choice("name", name, tuple(EXAMPLES))]
    click.echo(chosen.path.read_text(encoding="utf-8"), nl=False)


@command(
    'eval "$(kappamax completion bash)"',
    "kappamax completion fish",
    Input=[click.Argument(["shell"], type=click.Choice(list(_COMPLETION_HINTS)))],
)
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script for tab completion in bash, zsh or fish.

    The last line of the script is a comment that says how to install it.
    """
    from click.shell_completion import ShellComplete, get_completion_class

    chosen = get_completion_class(shell)
    assert chosen is not None  # click supports these three shells
    script = chosen(context.find_root().command, {}, "kappamax", "_KAPPAMAX_COMPLETE")
    # the method of the base class is called because that of the bash class would run bash to check its version
    click.echo(ShellComplete.source(script).rstrip())
    click.echo(f"# {_COMPLETION_HINTS[shell]}")


class _Main(Group):
    """The group of all commands, which turns errors and Ctrl-C into one line and an exit code."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        context.meta[_ARGUMENTS] = list(args)
        return super().parse_args(context, args)

    def invoke(self, context: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # for labels that an ASCII terminal cannot show
        with _answer_alone():
            return self._invoke_safely(context)

    def _invoke_safely(self, context: click.Context) -> Any:
        """Run the command, and turn errors into one line and an exit code."""
        try:
            with lost_interrupts_raised_again():
                super().invoke(context)
            if sys.stdout is None:
                raise OSError("standard output is closed")
            sys.stdout.flush()
            return None
        except click.UsageError as error:  # its message may repeat an argument, such as the name of a file
            lines = error.format_message().expandtabs(4).split("\n")
            if all(line.isprintable() for line in lines):
                raise
            raise click.UsageError("\n".join(map(text.printable, lines)), ctx=error.ctx) from None
        except KappamaxError as error:
            arguments = context.meta.get(_ARGUMENTS, [])
            command = next((self.commands[word] for word in arguments if word in self.commands), self)
            echo_line(f"kappamax: {message_of(error, command, arguments)}", err=True)
            context.exit(1)
        except KeyboardInterrupt:
            click.echo("kappamax: interrupted", err=True)
            context.exit(130)
        except BrokenPipeError:  # the process that read our output has ended
            _discard_output()
            context.exit(0)
        except OSError as error:
            echo_line(f"kappamax: cannot write the answer: {error.strerror or error}", err=True)
            _discard_output()
            context.exit(1)


@contextmanager
def _answer_alone() -> Iterator[None]:
    """Send what libraries print themselves to standard error, so that standard output carries only the answer."""
    output, errors = sys.stdout, sys.stderr
    if not (isinstance(output, TextIOWrapper) and isinstance(errors, TextIOWrapper)):
        yield  # there is no standard output, or it is replaced by an object of Python
        return
    try:
        is_usual = (output.fileno(), errors.fileno()) == (1, 2)
    except OSError:
        is_usual = False
    if not is_usual:
        yield
        return
    output.flush()
    kept = os.dup(1)
    answer = os.fdopen(
        kept, "w", encoding=output.encoding, errors=output.errors, buffering=1 if output.isatty() else -1
    )
    os.dup2(2, 1)
    sys.stdout = answer
    try:
        yield
    finally:
        sys.stdout = output
        os.dup2(kept, 1)
        answer.close()


def _discard_output() -> None:
    """Discard what is still to be written to standard output, which cannot be written."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(
    cls=_Main,
    sections={
        "Everyday commands": [
            *(inspect, report, kappa, maximum, icc, test, retest, compare, plan, plan_comparison),
            *(serve, example, completion),
        ],
        "Research commands": [verify, association, fiber, moves, anneal, study, paper],
    },
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="kappamax")
@click.pass_context
def main(context: click.Context) -> None:
    """Measure how much raters agree beyond chance."""
    if context.invoked_subcommand is None:
        click.echo(_WELCOME)
