"""Run a command for every weighting: read the ratings, measure agreement, and print JSON or text.

A command passes the library function that is called for one weighting and the function that prints its results as
text. After Ctrl-C the results obtained so far are printed, including the best result for the interrupted weighting.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kappamax.cli.options import HOW_TO_READ
from kappamax.display import numbers, text
from kappamax.errors import Interrupted, KappamaxWarning, UndefinedKappaError

if TYPE_CHECKING:
    from rich.console import Console

    from kappamax._progress import Progress
    from kappamax.disagreement.objective import Objective
    from kappamax.table import Table
    from kappamax.weights import Weights

Options = Mapping[str, Any]

_TABLE_LABEL_WIDTH = 40


def run(
    options: Options,
    measure: Callable[..., Any],
    show: Callable[[Table, Findings], None],
    *,
    fields: Sequence[str],
    known: Callable[..., dict[str, Any]] | None = None,
    finish: Callable[[Findings], None] | None = None,
    about: Callable[[Table], dict[str, Any]] | None = None,
) -> None:
    """Read the table, measure every weighting, and print the answer.

    Parameters
    ----------
    options : mapping
        The shared options as click passes them: those of the input and of the weights, and `as_json`.
    measure : callable
        Called as `measure(table, weights=..., coefficient=...)`. It returns a result, or a `Finding` if the JSON
        contains more than the result.
    show : callable
        Prints the table and the findings as text.
    fields : sequence of str
        Fields of the JSON that are null if the coefficient is undefined.
    known : callable, optional
        Called like `measure`. It returns the fields that are known even if the coefficient is undefined.
    finish : callable, optional
        Called with the findings after they have been printed.
    about : callable, optional
        Called with the table. It returns further fields of the JSON, which are about all weightings.
    """
    with notes_to_stderr():
        table = read_table(options)
        found, interrupted = measure_weightings(table, options, measure, fields, known)
    echo_answer(options, table, found, show, about)
    if finish is not None:
        finish(found)
    if interrupted:
        raise KeyboardInterrupt


def read_table(options: Options) -> Table:
    """Read the ratings of FILE according to the options."""
    from kappamax.io import read_ratings

    return read_ratings(options["file"], **how_to_read(options))


def read_occasions(options: Options, occasions: Any) -> Table:
    """Read the ratings of FILE, whose columns are raters on several occasions, according to the options."""
    from kappamax.intra_rater import table_with_occasions

    def read(columns: list[str] | None) -> Table:
        chosen = columns is not None and options["raters"] is None and options["layout"] != "counts"
        return read_table({**options, "raters": columns} if chosen else options)

    return table_with_occasions(read, occasions, again=options["file"] != "-")


def inputs_of(options: Options, *more: str) -> list[str]:
    """Return the input files that the options name, which no output may replace."""
    return [file for file in (options["file"], *more, options["weights_matrix"]) if file is not None]


def how_to_read(options: Options) -> dict[str, Any]:
    """Return the options for reading FILE, which are arguments of `read_ratings`."""
    return {str(option.name): options[str(option.name)] for option in HOW_TO_READ}


def measure_weightings(
    table: Table | None,
    options: Options,
    measure: Callable[..., Any],
    fields: Sequence[str] | None = None,
    known: Callable[..., dict[str, Any]] | None = None,
) -> tuple[list[Finding], bool]:
    """Return the findings for every weighting, and whether Ctrl-C interrupted the last one.

    The arguments are those of `run`. Without `fields`, an undefined coefficient raises an error.
    """
    from kappamax.coefficients import as_objective

    found: list[Finding] = []
    for weights in weightings(options) or ["unweighted"]:
        weighting: dict[str, Any] = {"weights": weights, "coefficient": options["coefficient"]}
        try:
            result = measure(table, **weighting)
        except UndefinedKappaError as error:
            if table is None or fields is None:
                raise
            extra = {} if known is None else known(table, **weighting)
            found.append(undefined_finding(as_objective(table, **weighting), fields, error.reason, extra))
        except Interrupted as stopped:
            content = dict.fromkeys(fields or ()) | stopped.best.to_dict()
            return [*found, Finding(content, stopped.best)], True
        else:
            found.append(result if isinstance(result, Finding) else Finding(result.to_dict(), result))
    return found, False


class Finding(NamedTuple):
    """The result for one weighting as plain data for JSON, and as an object unless the coefficient is undefined."""

    plain: dict[str, Any]
    result: Any = None


Findings = Sequence[Finding]


def weightings(options: Options) -> list[str | Weights]:
    """Return all weightings that the options ask for: names, weights over positions, or a matrix after the names."""
    names, positions, matrix, kind = (options[name] for name in ("weights", "positions", "weights_matrix", "kind"))
    if matrix is None and kind is not None:
        raise click.UsageError("--kind is the kind of a matrix; --weights-matrix is missing.")
    if matrix is not None and kind is None:
        raise click.UsageError("--weights-matrix needs --kind disagreement or --kind agreement.")
    if matrix is not None and positions is not None:
        raise click.UsageError("--positions and --weights-matrix exclude each other.")
    if positions is not None:
        from kappamax.weights import Weights

        return [Weights.from_positions(positions, name) for name in names or ("linear",)]
    if matrix is not None:
        from kappamax.io.weight_files import read_weights

        return [*names, read_weights(matrix, kind=kind)]
    return list(names)


def name_of(weights: str | Weights) -> str:
    """Return the name of a weighting for messages."""
    return weights if isinstance(weights, str) else weights.name


def undefined_finding(objective: Objective, fields: Sequence[str], reason: str, known: dict[str, Any]) -> Finding:
    """Return a finding for an undefined coefficient: fields that are not known are null, and the reason is given."""
    named = coefficient_names(objective) | {"weights": objective.weights.name}
    return Finding(named | dict.fromkeys(fields) | known | {"reason": reason})


def coefficient_names(objective: Objective) -> dict[str, Any]:
    """Return the name of the coefficient and its title, as in the JSON."""
    return {"coefficient": objective.coefficient.name, "title": objective.coefficient.title}


def echo_answer(
    options: Options,
    table: Table,
    found: Findings,
    show: Callable[[Table, Findings], None],
    about: Callable[[Table], dict[str, Any]] | None = None,
) -> None:
    """Print the findings as one JSON object, with further fields by `about`, or call `show` to print them as text."""
    if not options["as_json"]:
        show(table, found)
        return
    from kappamax.reporting.formats.json import document

    more = {} if about is None else about(table)
    echo_json(document(table, [finding.plain for finding in found]) | more)


@contextmanager
def notes_to_stderr() -> Iterator[None]:
    """Print the warnings of kappamax on standard error, one line each, after the work has succeeded."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KappamaxWarning)
        yield
    for warning in caught:
        if issubclass(warning.category, KappamaxWarning):
            echo_line(f"note: {warning.message}", err=True)
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


@contextmanager
def progress_line() -> Iterator[Progress | None]:
    """Yield a function that shows messages on one line of standard error, or None if that is not a terminal."""
    stream = sys.stderr
    if stream is None or not stream.isatty():  # it is None if it is closed
        yield None
        return

    def tell(_done: float, _total: float | None, message: str) -> None:
        stream.write(f"\r\x1b[K{text.printable(message)[:78]}")
        stream.flush()

    try:
        yield tell
    finally:
        stream.write("\r\x1b[K")
        stream.flush()


@contextmanager
def progress_bar(title: str) -> Iterator[Progress | None]:
    """Yield a function that shows a progress bar on standard error, or None if that is not a terminal.

    The function takes the amount of work done, the total amount of work, and a message, which is not shown.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    named = TextColumn("{task.description}", markup=False)  # the title may contain brackets and braces
    columns = (named, BarColumn(), TaskProgressColumn(), TextColumn("remaining"), TimeRemainingColumn())
    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text.printable(title), total=None)

        def tell(done: float, total: float | None, _message: str) -> None:
            bar.update(task, completed=done, total=total)

        yield tell


def echo_line(words: str, *, err: bool = False) -> None:
    """Print one line; names of files and labels in it cannot control the terminal."""
    click.echo(text.printable(words), err=err)


def echo_json(content: Mapping[str, Any]) -> None:
    """Print one JSON object that begins with the version of its schema."""
    from kappamax.reporting.formats.json import as_json, versioned

    click.echo(as_json(versioned(content)))


def echo_rows(
    table: Table,
    found: Findings,
    *,
    title: str = "{title}",
    header: Sequence[str],
    row: Callable[[Finding], tuple[Sequence[str], Iterable[str]]],
    undefined: Callable[[Finding], Sequence[str]] | None = None,
    notes: Iterable[str] = (),
) -> None:
    """Print a table with one row per weighting, and notes below it.

    Parameters
    ----------
    table : Table
        The ratings, which the first notes describe.
    found : sequence of Finding
        One finding per weighting.
    title : str
        Heading; "{title}" stands for the title of the coefficient.
    header : sequence of str
        Names of the columns after the first; the first column gives the weights.
    row : callable
        Returns the cells after the first, and the notes, for a finding whose coefficient is defined.
    undefined : callable, optional
        Returns the cells after the first if the coefficient is undefined. Default: "undefined" and empty cells.
    notes : iterable of str, optional
        Notes about all results, printed last.
    """
    rows, below = [], table.data.sentences()
    for finding in found:
        name = finding.plain["weights"]
        if finding.result is not None:
            cells, own = row(finding)
        else:
            cells = undefined(finding) if undefined else ["undefined", *[""] * (len(header) - 1)]
            own = [f"undefined: {finding.plain['reason']}"]
        rows.append([name, *cells])
        below += [f"{name}: {note}." for note in own]
    below += notes
    echo_table(title.format(title=found[0].plain["title"]), ["weights", *header], rows, below)


def echo_table(
    title: str,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    notes: Sequence[str] = (),
    left: Collection[int] = (0,),
) -> None:
    """Print a title, a table whose columns at the positions `left` are aligned to the left, and notes below it."""
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(box=box.SIMPLE_HEAD)
    for i, name in enumerate(header):
        grid.add_column(Text(text.printable(name)), justify="left" if i in left else "right", no_wrap=True)
    for row in rows:
        grid.add_row(*(Text(text.printable(cell)) for cell in row))
    console = Console(highlight=False)
    unbounded = console.options.update(max_width=1000)
    console.width = max(80, console.width, console.measure(grid, options=unbounded).maximum)  # so that no number is cut
    console.print(Text(text.printable(title), style="bold"))
    if header:
        console.print(grid)
    _print_notes(console, notes)


def echo_notes(notes: Iterable[str]) -> None:
    """Print sentences below the results."""
    from rich.console import Console

    _print_notes(Console(highlight=False), notes)


def _print_notes(console: Console, notes: Iterable[str]) -> None:
    from rich.padding import Padding
    from rich.text import Text

    for note in notes:
        console.print(Padding(Text(text.printable(note)), (0, 0, 0, 2), expand=False))


def echo_pattern_table(title: str, table: Table) -> None:
    """Print the square table of two raters, or the most frequent patterns of more raters."""
    from kappamax.display.rating_tables import corner

    labels = text.labels(table.categories, _TABLE_LABEL_WIDTH)
    if table.n_raters == 2:
        rows = [[label, *map(numbers.count, row)] for label, row in zip(labels, table.pair(0, 1).tolist(), strict=True)]
        echo_table(title, [corner(table.raters, _TABLE_LABEL_WIDTH), *labels], rows)
        return
    order = sorted(range(len(table.counts)), key=lambda i: -int(table.counts[i]))
    shown = [*labels, "-"]  # code -1 stands for a missing rating
    rows = [
        [*(shown[code] for code in table.patterns[i].tolist()), numbers.count(int(table.counts[i]))]
        for i in order[: text.MAX_ROWS]
    ]
    hidden = len(order) - len(rows)
    notes = [f"... and {text.plural(hidden, 'more pattern')}"] if hidden else []
    echo_table(title, [*text.labels(table.raters, _TABLE_LABEL_WIDTH), "subjects"], rows, notes)
