"""Define commands whose `--help` groups the options under headings and ends with examples.

An option that takes one of several names refers to the list of names in the library. The list is imported only when the
shell completes a word, so that `--help` is quick.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

Options = Mapping[str, Sequence[click.Parameter]]  # by heading in --help


def command(*examples: str, name: str | None = None, **options: Sequence[click.Parameter]) -> Callable[..., Command]:
    """Return a decorator that turns a function into a command; the options are given under their headings."""
    parameters = [parameter for group in options.values() for parameter in group]
    return click.command(name, cls=Command, params=parameters, options=options, examples=examples)


class Option(click.Option):
    """An option that is declared in the way in which `--help` shows it.

    Parameters
    ----------
    spelled : str
        The option and its metavar, such as "-w --weights NAME". Without a metavar the option is a flag.
    help : str
        Description of the option.
    dest : str, optional
        Name of the function's argument. Default: the name of the option.
    names : str, optional
        List in the library of the names that the shell completes, such as "weights.SCHEMES"; default none. The
        default value is offered first. Any word is passed on to the library, which rejects unknown names and suggests
        the nearest one.
    **settings
        Further arguments of `click.Option`. The default value is shown unless `show_default` is false.
    """

    def __init__(
        self, spelled: str, help: str, *, dest: str | None = None, names: str | None = None, **settings: Any
    ) -> None:
        words = spelled.split()
        metavar = None if words[-1].startswith("-") else words.pop()
        settings = {"show_default": True, "is_flag": metavar is None or None, "metavar": metavar, **settings}
        super().__init__([*words, *([dest] if dest else [])], help=help, **settings)
        self.names = names

    def get_help_extra(self, ctx: click.Context) -> Any:
        """Return the text that `--help` shows in brackets, which is the default value without click's ranges."""
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the names that begin with the incomplete word."""
        if self.names is None:
            return super().shell_complete(ctx, incomplete)
        module, _, listed = self.names.rpartition(".")
        first = [self.default] if isinstance(self.default, str) else []
        names = dict.fromkeys([*first, *getattr(import_module(f"kappamax.{module}"), listed)])
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


class Command(click.Command):
    """A command whose `--help` lists the options under headings."""

    def __init__(self, *arguments: Any, options: Options, examples: Sequence[str], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.options, self.examples = options, examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, one section per heading."""
        for heading, options in {**self.options, "General": [self.get_help_option(ctx)]}.items():
            records = [one.get_help_record(ctx) for one in options if isinstance(one, click.Option)]
            if shown := [
                record for record in records if record is not None
            ]:  # a heading may have only arguments, which are not listed
                with formatter.section(heading):
                    formatter.write_dl(shown)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one example per line."""
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")


class Group(click.Group):
    """A group of commands that `--help` lists under headings, in the order given."""

    def __init__(self, *arguments: Any, sections: Mapping[str, Sequence[click.Command]], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.sections = sections
        for section in sections.values():
            for one in section:
                self.add_command(one)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, one section per heading."""
        width = max(map(len, self.commands))
        for heading, commands in self.sections.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{one.name:{width}}", one.get_short_help_str(limit=65)) for one in commands])
