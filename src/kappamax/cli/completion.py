"""The beginning of a name in, the names it may become out; and `kappamax completion SHELL`, which switches that on.

A shell asks at every press of the tab key, so that nothing heavy is imported here: the names are written down, and a
test compares them with the modules that own them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

__all__ = [
    "ALTERNATIVES",
    "COEFFICIENTS",
    "LAYOUTS",
    "METHODS",
    "MOVES",
    "PROPOSALS",
    "TWO_SIDED",
    "WEIGHTS",
    "completion",
    "example_names",
    "name_option",
    "one_of",
]

WEIGHTS = ("unweighted", "linear", "quadratic", "sqrt", "ordinal", "ratio", "circular", "bipolar")
COEFFICIENTS = ("kappa", "cohen", "conger", "fleiss", "gwet", "brennan-prediger", "krippendorff", "percent")
LAYOUTS = ("wide", "long", "counts", "patterns")
ALTERNATIVES = ("greater", "less", "two-sided")
TWO_SIDED = ("distance", "probability")
METHODS = ("auto", "exact", "monte-carlo")
PROPOSALS = ("moves", "swaps")
MOVES = ("basic", "minimal")

Completer = Callable[[click.Context, click.Parameter, str], list[str]]

_HINTS = {
    "bash": 'Put this line into ~/.bashrc: eval "$(kappamax completion bash)"',
    "zsh": 'Put this line into ~/.zshrc, after compinit: eval "$(kappamax completion zsh)"',
    "fish": "Type once: kappamax completion fish > ~/.config/fish/completions/kappamax.fish",
}


@click.command(short_help="Print the tab completion of a shell.")
@click.argument("shell", type=click.Choice(list(_HINTS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes the tab key complete kappamax commands in SHELL; its last line says where to put it."""
    from click.shell_completion import ShellComplete, get_completion_class

    chosen = get_completion_class(shell)
    assert chosen is not None  # click knows the three
    script = chosen(context.find_root().command, {}, "kappamax", "_KAPPAMAX_COMPLETE")
    click.echo(ShellComplete.source(script).rstrip())  # the class's own first runs bash to ask for its version
    click.echo(f"# {_HINTS[shell]}")


def name_option(*spelled: str, among: Sequence[str], metavar: str, help: str) -> Callable[..., Any]:
    """An option that takes one of a few names, the first unless told; what else is given, its command refuses."""
    return click.option(
        *spelled, default=among[0], metavar=metavar, show_default=True, shell_complete=one_of(among), help=help
    )


def one_of(names: Sequence[str]) -> Completer:
    """Completes to one of a few names."""
    return lambda _context, _parameter, begun: [name for name in names if name.startswith(begun)]


def example_names(_context: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
    """The bundled examples whose names begin so: their files' names, which need no import."""
    files = (Path(__file__).parents[1] / "data").glob("*.csv")
    return sorted(file.stem for file in files if file.stem.startswith(begun))
