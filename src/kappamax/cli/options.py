"""Define the options that several commands share: the input file, the weights, the test, the limits and the output."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.command import Option

if TYPE_CHECKING:
    from fractions import Fraction


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


def as_weightings(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of all weightings; commas separate names, except within parentheses as in power(1,5)."""
    names = [name.strip() for text in texts for name in re.split(r",(?![^(]*\))", text)]
    if not all(names):
        raise click.BadParameter("a name is missing; separate names by one comma, as in linear,quadratic.")
    return tuple(names)


def as_numbers(text: str, example: str) -> list[float | Fraction]:
    """Return a comma-separated list of numbers; fractions such as 1/3 are accepted."""
    from fractions import Fraction

    try:
        numbers = [Fraction(part) if "/" in part else float(part) for part in text.split(",")]
    except (ValueError, ZeroDivisionError):
        raise click.BadParameter(f"{text!r} is not a list of {example}.") from None
    return [int(number) if isinstance(number, float) and number.is_integer() else number for number in numbers]


def as_positions(_context: click.Context, _option: click.Parameter, text: str | None) -> list[float | Fraction] | None:
    """Return the positions of categories on a scale, or None if the option is not given."""
    return None if text is None else as_numbers(text, "numbers such as 0,1,3,10")


def weights_by_default(names: str) -> list[click.Parameter]:
    """Return the options for the weights and the coefficient; `names` says which weights are used by default."""
    weights = Option(
        "-w --weights NAME,NAME",
        "Weights of the disagreements: unweighted, linear, quadratic, sqrt, power(p) with a number p > 0, ordinal "
        "(Krippendorff's metric for krippendorff, Gwet's weights for other coefficients), ratio, circular or bipolar. "
        "Other names, such as squared and equal in R, are accepted. Separate several weightings by commas, or repeat "
        f"the option. Default: {names}.",
        multiple=True,
        names="weights.SCHEMES",
        callback=as_weightings,
    )
    matrix = Option(
        "--weights-matrix FILE",
        "File with a matrix of weights, which is used in addition to the named weightings. If it has labels in its "
        "first row and column, they must be the categories, in any order. Default: no matrix.",
        type=click.Path(),
    )
    kind = Option(
        "--kind NAME",
        "Meaning of the matrix: disagreement (zeros on the diagonal) or agreement (ones on the diagonal). It is "
        "required with --weights-matrix.",
        names="weights.weights.KINDS",
    )
    positions = Option(
        "--positions NUMBER,NUMBER",
        "Positions of the ordered categories on a scale, such as 0,1,3,10, to which the weighting is applied. The "
        "default weighting is then linear. Default: the ranks 1, 2, ...",
        callback=as_positions,
    )
    coefficient = Option(
        "-c --coefficient NAME",
        "Coefficient of agreement: kappa (Cohen's for two raters, Conger's for more), fleiss, gwet, brennan-prediger, "
        "krippendorff or percent (observed agreement, not corrected for chance).",
        default="kappa",
        names="coefficients.COEFFICIENTS",
    )
    return [weights, positions, matrix, kind, coefficient]


def occasions_by_default(words: str) -> Option:
    """Return the option for the occasions of each rater; `words` say what is done if it is not given."""
    return Option(
        "--occasions HOW",
        "Columns that are occasions of the same rater: RATER=COLUMN,COLUMN, which is repeated for every rater; the "
        "endings of the names of the columns, such as 1,2 for A_1 and A_2, or ,R for A and AR; or what separates the "
        f"rater from the occasion, such as _. Default: {words}.",
        multiple=True,
        callback=_as_occasions,
    )


def alternative(greater: str = "more agreement than expected by chance") -> Option:
    """Return the option for the alternative of a test; `greater` explains the alternative of that name."""
    help = f"Alternative hypothesis of the test: greater ({greater}), less or two-sided."
    return Option("--alternative NAME", help, default="greater", names="fibers.distribution.ALTERNATIVES")


def seed(what: str, default: int | None = None) -> Option:
    """Return the option for the seed of `what`; without a default, the seed differs in every run."""
    differs = "" if default is not None else " Default: a different seed in every run."
    return Option(
        "--seed N", f"Seed for {what}, a whole number >= 0.{differs}", type=click.IntRange(min=0), default=default
    )


def jobs(purpose: str = "") -> Option:
    """Return the option for the number of processes; `purpose`, such as " for several files", follows this number."""
    return Option("--jobs N", f"Number of parallel processes{purpose}; the result does not depend on it.", default=1)


def _as_codes(context: click.Context, option: click.Parameter, text: str | None) -> list[str]:
    return as_names(context, option, text) or []


def _as_pairs(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> dict[str, str]:
    """Return labels and their new labels, each given as OLD=NEW."""
    pairs = {}
    for text in texts:
        old, equals, new = text.partition("=")
        if not (equals and new.strip()):
            raise click.BadParameter(f"a label and its new label must be given as OLD=NEW; got {text!r}.")
        pairs[old.strip()] = new.strip()
    return pairs


def _as_character(_context: click.Context, _option: click.Parameter, text: str | None) -> str | None:
    """Return a delimiter; the word tab stands for a tab, which is hard to type in a shell."""
    return "\t" if text in ("tab", "\\t") else text


def _as_occasions(_context: click.Context, option: click.Parameter, texts: tuple[str, ...]) -> Any:
    """Return the columns by rater, the endings of the names of columns, or the separator in these names."""
    from kappamax._validate import as_list_of_names
    from kappamax.errors import InvalidOptionError
    from kappamax.rater_occasions import SEPARATOR

    if not texts:
        return None
    try:
        if all("=" in text for text in texts):
            parts = [text.partition("=") for text in texts]
            listed = {rater.strip(): as_list_of_names("--occasions", names) for rater, _, names in parts}
            if len(listed) < len(texts):
                raise InvalidOptionError("--occasions must list all columns of a rater at once, as in A=A1,A2.")
            return listed
        if len(texts) > 1:
            raise InvalidOptionError("--occasions is given several times only as RATER=COLUMN,COLUMN.")
        (only,) = texts
        return only if only == SEPARATOR or "," not in only else as_list_of_names("--occasions", only)
    except InvalidOptionError as error:
        raise click.BadParameter(str(error)) from None


#: options that say how to read a file; each has the name of an argument of `read_ratings`
HOW_TO_READ: list[click.Parameter] = [
    Option(
        "--layout LAYOUT",
        "Layout of the file: wide (one column per rater), long (columns subject, rater and rating), counts (the square "
        "table of two raters) or patterns (one column per rater and a column of counts). Default: the layout that the "
        "format of the file prescribes, otherwise wide.",
        names="io.read_spec.LAYOUTS",
    ),
    Option(
        "--categories A,B,C",
        "All categories in order, including those that no rater used. Default: the labels in the file; text labels "
        "then have no order.",
        callback=as_names,
    ),
    Option(
        "--raters A,B",
        "Columns of the raters or, in the long layout, names of the raters. Default: all of them.",
        callback=as_names,
    ),
    Option(
        "--subject COLUMN",
        "Column that identifies the subjects, or several columns, separated by commas, that identify them together. "
        "Default: subject in the long layout, none in the other layouts.",
    ),
    Option("--rater COLUMN", "Column of the raters in the long layout. Default: rater."),
    Option("--rating COLUMN", "Column of the ratings in the long layout. Default: rating."),
    Option(
        "--count COLUMN",
        "Column of the counts in the patterns layout. Default: a column called count, counts, n, freq or frequency, "
        "otherwise the last column.",
    ),
    Option(
        "--cluster COLUMN",
        "Column that names the cluster of each subject, such as the patient of a lesion. Clusters affect standard "
        "errors only. Default: the subjects are not in clusters.",
    ),
    Option(
        "--missing CODE,CODE",
        "Codes that stand for missing ratings, in addition to empty cells, to text such as NA, null, ., - and ?, and "
        "to error values of spreadsheets. Default: no further codes.",
        callback=_as_codes,
    ),
    Option("--complete-only", "Leave out all subjects with a missing rating."),
    Option(
        "--sheet NAME",
        "Sheet of a spreadsheet, given by its name or by its position counted from 1. It is required if there are "
        "several sheets. Default: the only sheet.",
    ),
    Option(
        "--delimiter CHARACTER",
        "Character that separates the columns of a text file, or the word tab. Default: comma, tab, semicolon or bar, "
        "whichever splits the rows most evenly.",
        callback=_as_character,
    ),
    Option(
        "--skip-rows N",
        "Number of lines above the header. Default: titles and comments above the header are recognised.",
        type=click.IntRange(min=0),
    ),
    Option("--no-header", "Read the first row as data; the columns are then called column 1, column 2, and so on."),
    Option("--transpose", "Read the rows of the file as raters and its columns as subjects."),
    Option(
        "--fill-down",
        "Repeat the cell above in empty cells of the columns subject and rater of the long layout and of the column of "
        "clusters, as merged cells of a sheet do.",
    ),
    Option("--encoding NAME", "Encoding of a text file, such as cp1252. Default: it is detected."),
    Option("--decimal-comma", "Read 1,5 as the number 1.5."),
    Option("--ignore-case", "Read labels that differ only in case as the same label."),
    Option(
        "--rename OLD=NEW",
        "Replace a label by another one; without OLD, empty cells are read as the label NEW. Repeat the option to "
        "replace several labels. Default: no label is replaced.",
        multiple=True,
        callback=_as_pairs,
    ),
    Option("--accept-labels", "Take labels as they stand even if they look like mistakes."),
]
FILE = click.Argument(["file"], type=click.Path(allow_dash=True))
INPUT: list[click.Parameter] = [FILE, *HOW_TO_READ]
WEIGHTS = weights_by_default("unweighted")
LEVEL = Option("--level LEVEL", "Confidence level, between 0 and 1.", default=0.95)
INTERVAL = Option(
    "--interval METHOD",
    "Method for the confidence interval: adjusted; exact, for 2 x 2 tables of up to 100 subjects; normal, which is the "
    "usual formula; or auto, which is adjusted except for very large tables.",
    default="auto",
    names="confidence_intervals.INTERVALS",
)
BENCHMARK = Option(
    "--benchmark SCALE",
    "Verbal scale on which the coefficient is placed, with the probabilities of Gwet: landis-koch, altman or fleiss. "
    "The scales are conventions, not tests. Default: no scale.",
    names="benchmark_scales.SCALES",
)
MEMORY = Option(
    "--memory-limit GB",
    "Largest amount of memory for counting tables, in gigabytes.",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
)
ALL_CORES = Option(
    "--jobs N",
    "Number of parallel processes; the result does not depend on it. Default: one per core.",
    default=-1,
    show_default=False,
)
JSON = Option("--json", "Print one JSON object with a versioned schema instead of text.", dest="as_json")
