"""Define `kappamax verify FILE`, which checks a certificate."""

from __future__ import annotations

from pathlib import Path

import click

from kappamax.cli.command import command
from kappamax.cli.options import JSON
from kappamax.cli.runner import echo_json, echo_line
from kappamax.display import numbers, text


@command(
    "kappamax max ratings.csv --certificate proof.json",
    "kappamax verify proof.json",
    Input=[click.Argument(["file"], type=click.Path(path_type=Path))],
    Output=[JSON],
)
@click.pass_context
def verify(context: click.Context, file: Path, as_json: bool) -> None:
    """Check every claim of the certificate FILE.

    FILE is written by `kappamax max --certificate FILE`. All values are computed again from the ratings and weights in
    FILE, without a solver. The exit code is 0 if every claim holds, and 3 if a claim does not hold or cannot be
    checked.
    """
    from kappamax.verification.certificate_files import read_certificate
    from kappamax.verification.certificates import verify as verify_claims

    document = read_certificate(file)
    found = verify_claims(document)
    if as_json:
        echo_json(found.to_dict())
    else:
        for fault in found.faults:
            echo_line(f"does not hold: {fault}")
        for reason in found.unchecked:
            echo_line(f"not checked: {reason}")
        if found:
            for line in _claims(document):
                echo_line(line)
    if not found:
        context.exit(3)


def _claims(document: dict[str, object]) -> list[str]:
    """Return the claims of a certificate that holds as lines of text."""
    name = str(_item(document, "weights", "name"))
    name = text.shortened(text.printable(name))
    lines = [f"{document['title']}, {name}: {numbers.decimal(float(str(document['value'])))}"]
    for end, word in (("maximum", "at most"), ("minimum", "at least")):
        if document[end] is None:  # the smallest value was not searched for
            continue
        value, bound = numbers.decimals(*(float(str(_item(document, end, key))) for key in ("value", "bound")))
        proof = _item(document, end, "proof")
        how = f"proven by {proof}" if proof else f"not proven; {word} {bound}"
        lines.append(f"{end} {value} ({how})")
    return [*lines, "Every claim holds."]


def _item(document: dict[str, object], key: str, inner: str) -> object:
    part = document[key]
    assert isinstance(part, dict)  # the certificate has been checked
    return part[inner]
