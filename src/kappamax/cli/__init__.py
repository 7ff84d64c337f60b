"""Arguments in, answers on standard output: the `kappamax` command.

Standard output holds the answer alone; notes and errors go to standard error. Exit codes: 0, 1 for an error of ours
(one line), 2 for wrong usage, 130 after Ctrl-C. Everything heavy is imported inside the commands, so --help is quick.
"""

from __future__ import annotations

import sys
from typing import Any

import click

from kappamax import __version__
from kappamax.cli.example import example
from kappamax.cli.kappa import kappa
from kappamax.errors import KappamaxError

__all__ = ["main"]

_WELCOME = """\
Agreement between raters. Three commands to try:

  kappamax example cohen1968                   print a bundled dataset
  kappamax kappa ratings.csv                   kappa of your own file, one column per rater
  kappamax kappa ratings.csv --weights linear --categories none,mild,severe

kappamax --help lists every command."""


class _Group(click.Group):
    """Turns our errors into one line and exit code 1, and Ctrl-C into 130."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except KappamaxError as error:
            click.echo(f"kappamax: {error}", err=True)
            context.exit(1)
        except KeyboardInterrupt:
            click.echo("kappamax: interrupted", err=True)
            context.exit(130)
        except BrokenPipeError:  # the reader of our output has left
            sys.stderr.close()
            context.exit(0)


@click.group(cls=_Group, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="kappamax")
@click.pass_context
def main(context: click.Context) -> None:
    """How much raters agree beyond chance."""
    if context.invoked_subcommand is None:
        click.echo(_WELCOME)


main.add_command(kappa)
main.add_command(example)
