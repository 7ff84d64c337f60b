"""Word errors for the command line: advice names options, and the last piece of advice is a command to run."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

import click

from kappamax.display.text import capitalized
from kappamax.errors import ORDER_TO_GIVE, Advice, KappamaxError


def message_of(error: KappamaxError, command: click.Command, arguments: Sequence[str]) -> str:
    """Return the message of an error for someone who ran a command with some arguments.

    It ends with the command that follows the most likely advice.
    """
    usable = [advice for advice in error.advice if advice.options.keys() <= _options_of(command).keys()]
    parts = [error.statement, *(sentence_of(advice, command) for advice in usable[:-1])]
    if usable:
        run = ["kappamax", *_with(arguments, usable[-1].options, command)]
        condition = usable[-1].condition
        parts.append(f"{capitalized(condition)}, run the following command. " if condition else "")
        parts[-1] += f"Run: {shlex.join(run)}"
    return " ".join(parts)


def sentence_of(advice: Advice, command: click.Command) -> str:
    """Return a sentence that advises the options of a command."""
    written = shlex.join(arguments_of(advice.options, command))
    return f"{capitalized(advice.condition)}, use {written}." if advice.condition else f"Use {written}."


def arguments_of(options: Mapping[str, Any], command: click.Command) -> list[str]:
    """Return options, by the names of the arguments of `read_ratings`, as arguments of a command."""
    known = _options_of(command)
    words = []
    for name, value in options.items():
        flag = max(known[name].opts, key=len)
        if value is True:
            words.append(flag)
            continue
        values = [f"{old}={new}" for old, new in value.items()] if isinstance(value, Mapping) else [_text_of(value)]
        for text in values:
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return words


def _options_of(command: click.Command) -> dict[str, click.Option]:
    """Return the options of a command by the names of their arguments."""
    return {str(option.name): option for option in command.params if isinstance(option, click.Option)}


def _with(arguments: Sequence[str], options: Mapping[str, Any], command: click.Command) -> list[str]:
    """Return the arguments of a command with some options in place of earlier values of these options."""
    known = _options_of(command)
    replaced = {flag: known[name] for name in options for flag in known[name].opts}
    kept: list[str] = []
    skip = False
    for argument in arguments:
        flag, equals, _ = argument.partition("=")
        if skip:
            skip = False
        elif flag in replaced:
            skip = not equals and not replaced[flag].is_flag
        else:
            kept.append(argument)
    return [*kept, *arguments_of(options, command)]


def _text_of(value: Any) -> str:
    """Return the value of an option; a list is separated by commas, and a name that contains a comma is quoted."""
    if value == ORDER_TO_GIVE:
        return ",".join(ORDER_TO_GIVE)
    if isinstance(value, str) or not isinstance(value, Sequence):
        return "tab" if value == "\t" else str(value)
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(value)
    return out.getvalue()
