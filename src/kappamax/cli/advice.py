"""Word errors for the command line: advice names options, and the last piece of advice is a command to run."""

from __future__ import annotations

import csv
import shlex
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

import click

from kappamax.errors import ORDER_TO_GIVE, Advice, KappamaxError


def message_of(error: KappamaxError, command: click.Command, arguments: Sequence[str]) -> str:
    """Return the message of an error for someone who ran a command with some arguments.

    It ends with the command that follows the most likely advice.
    """
    parts = [error.statement]
    options = {str(option.name): option for option in command.params if isinstance(option, click.Option)}
    usable = [advice for advice in error.advice if all(name in options for name in advice.options)]
    for advice in usable[:-1]:
        written = shlex.join(_written(advice, options))
        parts.append(f"{_capitalized(advice.condition)}, use {written}." if advice.condition else f"Use {written}.")
    if usable:
        run = ["kappamax", *_with(arguments, usable[-1], options)]
        condition = usable[-1].condition
        parts.append(f"{_capitalized(condition)}, run the following command. " if condition else "")
        parts[-1] += f"Run: {shlex.join(run)}"
    return " ".join(parts)


def _with(arguments: Sequence[str], advice: Advice, options: Mapping[str, click.Option]) -> list[str]:
    """Return the arguments of a command with the advised options in place of earlier values of these options."""
    replaced = {flag: options[name] for name in advice.options for flag in options[name].opts}
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
    return [*kept, *_written(advice, options)]


def _written(advice: Advice, options: Mapping[str, click.Option]) -> list[str]:
    """Return options as arguments of a command."""
    words = []
    for name, value in advice.options.items():
        flag = max(options[name].opts, key=len)
        if value is True:
            words.append(flag)
            continue
        values = [f"{old}={new}" for old, new in value.items()] if isinstance(value, Mapping) else [_text_of(value)]
        for text in values:
            words += [f"{flag}={text}"] if text.startswith("-") else [flag, text]
    return words


def _text_of(value: Any) -> str:
    """Return the value of an option; a list is separated by commas, and a name that contains a comma is quoted."""
    if value == ORDER_TO_GIVE:
        return ",".join(ORDER_TO_GIVE)
    if isinstance(value, str) or not isinstance(value, Sequence):
        return str(value)
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(value)
    return out.getvalue()


def _capitalized(words: str) -> str:
    return words[:1].upper() + words[1:]
