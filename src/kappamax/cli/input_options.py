"""Reading options in, a table out: what every command that takes a FILE shares."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from kappamax._validate import as_list_of_names
from kappamax.cli.completion import COEFFICIENTS, LAYOUTS, WEIGHTS, name_option, one_of

if TYPE_CHECKING:
    from kappamax.table import Table

__all__ = [
    "Reading",
    "comma_list",
    "measuring_options",
    "memory_option",
    "notes_to_stderr",
    "pilot_options",
    "read_table",
    "reading_options",
]


@dataclass(frozen=True)
class Reading:
    """FILE and how to read it; apart from `file`, each field is the argument of `read_ratings` with that name."""

    file: str
    layout: str = "wide"
    categories: list[str] | None = None
    raters: list[str] | None = None
    subject: str | None = None
    rater: str | None = None
    rating: str | None = None
    count: str | None = None
    missing: Sequence[str] = ()
    complete_only: bool = False
    sheet: str | None = None
    delimiter: str | None = None


def comma_list(_context: click.Context, _option: click.Parameter, text: str | None) -> list[str] | None:
    """A comma-separated option as a list; a label with a comma is put in quotation marks."""
    if text is None:
        return None
    from kappamax.errors import InvalidOptionError

    try:
        return as_list_of_names(f"--{_option.name}", text)
    except InvalidOptionError as error:
        raise click.BadParameter(str(error)) from None


def _codes(context: click.Context, option: click.Parameter, text: str | None) -> list[str]:
    return comma_list(context, option, text) or []


def _character(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    """A delimiter that a shell can pass on: tab may be spelled."""
    return "\t" if text in ("tab", "\\t") else text


_HOW_TO_READ = (
    name_option(
        "--layout",
        among=LAYOUTS,
        metavar="LAYOUT",
        help="wide (a column per rater), long (subject, rater, rating), counts (a square matrix) or patterns.",
    ),
    click.option(
        "--categories",
        callback=comma_list,
        metavar="A,B,C",
        help="All categories in order, unused ones too.",
    ),
    click.option(
        "--raters",
        callback=comma_list,
        metavar="A,B",
        help="The raters' columns, if not all of them; in layout long, the raters.",
    ),
    click.option("--subject", metavar="NAME", help="The column of subjects, if it is not called subject."),
    click.option("--rater", metavar="NAME", help="Layout long: the column of raters."),
    click.option("--rating", metavar="NAME", help="Layout long: the column of ratings."),
    click.option("--count", metavar="NAME", help="Layout patterns: the column of counts."),
    click.option(
        "--missing",
        callback=_codes,
        metavar="9,99",
        help="Codes that mean missing, beside empty cells, NA, nan, None, null and the like.",
    ),
    click.option("--complete-only", is_flag=True, help="Leave out subjects that lack a rating."),
    click.option("--sheet", metavar="NAME", help="The sheet of a spreadsheet, by name or position."),
    click.option("--delimiter", callback=_character, metavar="D", help="Between columns of text; may be tab."),
)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add FILE and the options that say how to read it; the command receives them as one `Reading`, first."""
    return _with_reading(command, click.argument("file", type=click.Path(allow_dash=True)))


def pilot_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --table and the options that say how to read it; its `Reading` has no file if there is no table."""
    path = click.Path(allow_dash=True)
    return _with_reading(command, click.option("--table", "file", type=path, metavar="FILE", help="Pilot ratings."))


def _with_reading(command: Callable[..., Any], file: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def with_reading(**given: Any) -> Any:
        reading = Reading(**{field.name: given.pop(field.name) for field in fields(Reading)})
        return command(reading, **given)

    decorated: Callable[..., Any] = with_reading
    for option in reversed((file, *_HOW_TO_READ)):
        decorated = option(decorated)
    return decorated


def measuring_options(default: str = "unweighted") -> Callable[..., Any]:
    """Add the weights and the coefficient; `default` says which weights are used if none is given."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        coefficient = name_option(
            "--coefficient",
            "-c",
            among=COEFFICIENTS,
            metavar="C",
            help="kappa (Cohen's or Conger's), fleiss, gwet, brennan-prediger, krippendorff or percent.",
        )
        weights = click.option(
            "--weights",
            "-w",
            multiple=True,
            metavar="W",
            shell_complete=one_of(WEIGHTS),
            help="unweighted, linear, quadratic, sqrt, power(p), ordinal, ratio, circular or bipolar; may be "
            f"repeated. Default: {default}.",
        )
        decorated: Callable[..., Any] = weights(coefficient(command))
        return decorated

    return add


def memory_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add how much memory counting may take."""
    return click.option(
        "--memory-limit",
        type=click.FloatRange(min=0, min_open=True),
        default=1.0,
        metavar="GB",
        show_default=True,
        help="Memory that counting tables may take.",
    )(command)


def read_table(reading: Reading) -> Table:
    """The table of FILE."""
    from kappamax.io import read_ratings

    options = asdict(reading)
    return read_ratings(options.pop("file"), **options)


@contextmanager
def notes_to_stderr() -> Iterator[None]:
    """Show our warnings as one line each on standard error."""
    from kappamax.errors import KappamaxWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KappamaxWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, KappamaxWarning):
            click.echo(f"note: {warning.message}", err=True)
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
