"""Define `kappamax completion SHELL`, which prints the script for tab completion."""

from __future__ import annotations

import click

from kappamax.cli.command import command

__all__ = ["completion"]

_HINTS = {
    "bash": 'Put this line into ~/.bashrc: eval "$(kappamax completion bash)"',
    "zsh": 'Put this line into ~/.zshrc, after compinit: eval "$(kappamax completion zsh)"',
    "fish": "Type once: kappamax completion fish > ~/.config/fish/completions/kappamax.fish",
}


@command(
    {"Input": [click.Argument(["shell"], type=click.Choice(list(_HINTS)))]},
    ['eval "$(kappamax completion bash)"', "kappamax completion fish"],
)
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the tab completion script of SHELL. Its last line says where to put it."""
    from click.shell_completion import ShellComplete, get_completion_class

    chosen = get_completion_class(shell)
    assert chosen is not None  # click knows the three
    script = chosen(context.find_root().command, {}, "kappamax", "_KAPPAMAX_COMPLETE")
    click.echo(ShellComplete.source(script).rstrip())  # the class's own first runs bash to ask for its version
    click.echo(f"# {_HINTS[shell]}")
