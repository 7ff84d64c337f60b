"""Describe the commands: one section per command with what it does, examples, its options and their defaults.

`{commands}` describes every command, `{reading-options}` the options shared by all commands that take a FILE, which the
sections then only mention.
"""

from collections.abc import Sequence
from typing import Any

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from kappamax.cli import main
from kappamax.cli.command import Command
from kappamax.cli.options import HOW_TO_READ

_READING = {option.name for option in HOW_TO_READ}


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer both directives."""
    app.add_directive("commands", _Commands)
    app.add_directive("reading-options", _ReadingOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class _Commands(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [_section(command, self.state) for command in main.commands.values()]


class _ReadingOptions(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        return [_options_table([option for option in _options(main.commands["kappa"]) if option.name in _READING])]


def _section(command: click.Command, state: Any) -> nodes.section:
    assert command.name is not None
    title = f"kappamax {command.name}"
    section = nodes.section(ids=[f"kappamax-{command.name}"], names=[nodes.fully_normalize_name(title)])
    section += nodes.title(title, title)
    state.document.note_explicit_target(section, section)
    context = click.Context(command, info_name=title)
    usage = " ".join([title, *command.collect_usage_pieces(context)])
    section += nodes.literal_block(usage, usage, language="none")
    for part in (command.help or "").split("\n\n"):
        section += nodes.paragraph("", *_words(" ".join(part.split())))
    assert isinstance(command, Command)
    examples = "\n".join(command.examples)
    section += nodes.literal_block(examples, examples, language="none")
    own = [option for option in _options(command) if not _is_shared(option, command)]
    section += _options_table(own)
    if len(own) < len(_options(command)):
        link = nodes.reference("", "how to read FILE", refid="reading-a-file", internal=True)
        section += nodes.paragraph("", "", nodes.Text("And the options that say "), link, nodes.Text("."))
    return section


def _options(command: click.Command) -> list[click.Option]:
    return [option for option in command.params if isinstance(option, click.Option) and not option.hidden]


def _is_shared(option: click.Option, command: click.Command) -> bool:
    return option.name in _READING and any(parameter.name == "file" for parameter in command.params)


def _options_table(options: Sequence[click.Option]) -> nodes.table:
    group = nodes.tgroup(cols=2)
    group += [nodes.colspec(colwidth=width) for width in (30, 70)]
    head = nodes.row("", *(_entry(nodes.Text(words)) for words in ("option", "meaning")))
    body = [nodes.row("", _entry(_code(_spelling(option))), _entry(*_meaning(option))) for option in options]
    group += [nodes.thead("", head), nodes.tbody("", *body)]
    return nodes.table("", group, classes=["km-options"])


def _meaning(option: click.Option) -> list[nodes.Node]:
    """The help and the default as --help shows it: click keeps its own mark for an option without one."""
    words = _words(option.help or "")
    default = str(option.get_help_extra(click.Context(main, show_default=True)).get("default", ""))
    if not default or (option.is_flag and default == "False"):
        return words
    return [*words, nodes.Text(" Default: "), _code(default), nodes.Text(".")]


def _entry(*parts: nodes.Node) -> nodes.entry:
    return nodes.entry("", nodes.paragraph("", "", *parts))


def _spelling(option: click.Option) -> str:
    names = ", ".join(sorted(option.opts, key=len) + option.secondary_opts)
    if option.is_flag:
        return names
    metavar = option.metavar or option.make_metavar(click.Context(main)).split(" ")[0]
    return f"{names} {metavar}"


def _code(words: str) -> nodes.literal:
    return nodes.literal(words, words)


def _words(sentence: str) -> list[nodes.Node]:
    """A sentence whose `pieces` in backticks are code."""
    pieces = sentence.split("`")
    return [_code(piece) if place % 2 else nodes.Text(piece) for place, piece in enumerate(pieces)]
