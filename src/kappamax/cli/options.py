"""Define the options that several commands share: the input file, the weights, the test, the limits and the output."""

from __future__ import annotations

import click

from kappamax.cli.command import Option


def as_names(_context: click.Context, option: click.Parameter, text: str | None) -> list[str] | None:
    """Return a comma-separated option as a list; a label that contains a comma is put in quotation marks."""
    if text is None:
        return None
    from kappamax._validate import as_list_of_names
    from kappamax.errors import InvalidOptionError

    try:
        return as_list_of_names(f"--{option.name}", text)
    except InvalidOptionError as error:
        raise click.BadParameter(str(error)) from None


def weights_by_default(names: str) -> list[click.Parameter]:
    """Return the options for the weights and the coefficient; `names` says which weights are used by default."""
    weights = Option(
        "-w --weights W",
        "Weights: unweighted, linear, quadratic, sqrt, power(p), ordinal, ratio, circular or bipolar. The option may "
        f"be repeated. Default: {names}.",
        multiple=True,
        names="weights.SCHEMES",
    )
    coefficient = Option(
        "-c --coefficient C",
        "Coefficient: kappa (Cohen's for two raters, Conger's for more), fleiss, gwet, brennan-prediger, krippendorff "
        "or percent.",
        default="kappa",
        names="coefficients.COEFFICIENTS",
    )
    return [weights, coefficient]


def alternative(help: str = "Alternative of the test: greater, less or two-sided.") -> Option:
    """Return the option for the alternative of a test."""
    return Option("--alternative A", help, default="greater", names="fibers.distribution.ALTERNATIVES")


def seed(what: str, default: int | None = None) -> Option:
    """Return the option for the seed of `what`."""
    return Option("--seed N", f"Seed of {what}.", type=click.IntRange(min=0), default=default)


def jobs(purpose: str = "") -> Option:
    """Return the option for the number of processes; `purpose` says what they are for."""
    return Option("--jobs N", f"Number of processes{purpose}; the result does not depend on it.", default=1)


def _as_codes(context: click.Context, option: click.Parameter, text: str | None) -> list[str]:
    return as_names(context, option, text) or []


def _as_character(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    """Return a delimiter; a tab may be spelled, since a shell does not easily pass it on."""
    return "\t" if text in ("tab", "\\t") else text


_MISSING_HELP = "Codes for missing ratings, in addition to empty cells, NA, nan, None, null and similar words."

#: each has the name of an argument of `read_ratings`
HOW_TO_READ: list[click.Parameter] = [
    Option(
        "--layout LAYOUT",
        "Layout of the file: wide (one column per rater), long (columns subject, rater and rating), counts (the square "
        "table of two raters) or patterns (one column per rater and a column of counts).",
        default="wide",
        names="io.read_spec.LAYOUTS",
    ),
    Option("--categories A,B,C", "All categories in order, including those that were not used.", callback=as_names),
    Option(
        "--raters A,B", "Columns of the raters or, in the long layout, their names. Default: all.", callback=as_names
    ),
    Option("--subject NAME", "Column of the subjects, if it is not called subject."),
    Option("--rater NAME", "Column of the raters in the long layout."),
    Option("--rating NAME", "Column of the ratings in the long layout."),
    Option("--count NAME", "Column of the counts in the patterns layout."),
    Option("--missing 9,99", _MISSING_HELP, callback=_as_codes),
    Option("--complete-only", "Leave out subjects with a missing rating."),
    Option("--sheet NAME", "Sheet of a spreadsheet, by name or position."),
    Option("--delimiter D", "Character between columns of text, or the word tab.", callback=_as_character),
]
FILE = click.Argument(["file"], type=click.Path(allow_dash=True))
INPUT: list[click.Parameter] = [FILE, *HOW_TO_READ]
WEIGHTS = weights_by_default("unweighted")
LEVEL = Option("--level L", "Confidence level, between 0 and 1.", default=0.95)
MEMORY = Option(
    "--memory-limit GB",
    "Memory limit for counting tables, in gigabytes.",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
)
ALL_CORES = Option("--jobs N", "Number of processes. Default: one per core.", default=-1, show_default=False)
JSON = Option("--json", "Print one JSON object instead of text.", dest="as_json")
