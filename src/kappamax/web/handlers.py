"""Compute the answer to each kind of request.

There is one function for every kind of request, which takes a checked request. The results are the JSON objects of the
command line, and the figures are those of the report. Errors of the library are raised unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import msgspec

from kappamax._progress import Progress
from kappamax._result import plain
from kappamax.coefficients import as_objective
from kappamax.datasets import EXAMPLES, example
from kappamax.display.text import shortened
from kappamax.errors import InvalidRequestError, KappamaxError
from kappamax.io.file_formats import open_bytes
from kappamax.io.files import table_of_source
from kappamax.io.inspected_files import inspected_bytes
from kappamax.io.inspection import inspection_of
from kappamax.io.inspection_text import summary_of, tried_rows
from kappamax.io.read_spec import ReadSpec
from kappamax.maximum.max_kappa import max_kappa
from kappamax.maximum.maximizers import count_maximizers, iter_maximizers
from kappamax.reporting.figures_svg import null_picture, pictures_of
from kappamax.reporting.formats.json import data_of
from kappamax.reporting.report import Effort, completed, report_within
from kappamax.reporting.report_results import Report
from kappamax.reporting.sentences import of_data, of_weights
from kappamax.table import Table
from kappamax.web.advice import controls_of
from kappamax.web.moves import TIME_LIMIT, annealing, path_to_maximum, ranked_moves
from kappamax.web.schemas import (
    FileRequest,
    OwnWeights,
    ReportRequest,
    Request,
    WeightingRequest,
    plain_table,
    weights_of,
)
from kappamax.web.snippets import calls_of
from kappamax.weights import Weights

#: function that is called with each line of an answer as soon as it is known, or None if the answer is sent as a whole
Show = Callable[[dict[str, Any]], None] | None
_Asked = list[str | OwnWeights] | None

_QUICK = Effort(
    time_limit=5.0,
    counting_work=1e6,
    listing_steps=2_000,
    most_moves=0,  # the page requests moves separately
)
_WHOLE = Effort(time_limit=10.0)
#: fields of a weighting that a complete report adds to a brief one
_BY_CHANCE = ("weights", "pvalue", "test", "n_maximizers", "n_maximizers_at_least", "corrected_share", "sentences")
_TABLES_PER_PAGE = 20
_END = {"end": True}
_REMEMBERED = 40  # the page requests the report of each weighting more than once
_REPORTS: dict[tuple[bytes, bytes, str], Report] = {}


@cache
def examples() -> list[dict[str, Any]]:
    """Return the bundled example tables with their sources."""
    return [
        {"name": name, "title": one.title, "source": one.source, **plain_table(example(name))}
        for name, one in EXAMPLES.items()
    ]


def numbers(request: ReportRequest, show: Show = None) -> dict[str, Any]:
    """Return a brief report on a table and the Python call and command that give the same results.

    If `show` is given, it is called with a separate document for each weighting as soon as that is known.
    """
    if show is None:
        return _numbers_of(_joined(request), request.weights)
    for asked, report in _brief_reports(request, show):
        show(_numbers_of(report, asked))
    return _END


def chances(request: ReportRequest, show: Show = None) -> dict[str, Any]:
    """Return the test against chance, its picture, the number of tables that attain the maximum, and the sentences.

    If `show` is given, it is called with a separate document for each weighting as soon as that is known.
    """
    if show is None:
        return _chances_of(_joined(request), None)
    for _, report in _brief_reports(request, show):
        show(_chances_of(report, _progress(show)))
    return _END


def pictures(request: ReportRequest) -> dict[str, Any]:
    """Return figures of the tables, the margins and the pairs of raters."""
    return pictures_of(_joined(request))


def report_file(request: ReportRequest) -> str:
    """Return a complete report, as the command `kappamax report` makes it, as the content of a file."""
    table = request.table()
    weights: Any = [one for _, weights in _weightings(request, table) for one in weights or ()] or None
    made = report_within(_WHOLE, table, weights=weights, title=request.title)
    write = {
        "html": made.to_html,
        "json": made.to_json,
        "csv": made.to_csv,
        "md": made.to_markdown,
        "tex": made.to_latex,
        "txt": made.to_text,
    }
    return write[request.format]()


def weights_in_words(request: WeightingRequest) -> dict[str, Any]:
    """Return the properties of weights: whether they are a metric, a violated triangle, and their effect in words."""
    table = request.table()
    weights = request.weights()
    most = max_kappa(table, weights=weights, time_limit=TIME_LIMIT)
    triangle = weights.violated_triangle
    return {
        "name": weights.name,
        "matrix": weights.matrix.tolist(),
        "symmetric": weights.symmetric,
        "metric": weights.metric,
        "monge": weights.monge,
        "violated_triangle": None if triangle is None else [plain(table.categories[i]) for i in triangle],
        "words": of_weights(weights, most),
        "notes": list(weights.notes),
    }


def maximizers(request: WeightingRequest) -> dict[str, Any]:
    """Return a page of the tables that attain the maximum."""
    table = request.table()
    result = max_kappa(table, weights=request.weights(), time_limit=TIME_LIMIT)
    count = count_maximizers(result, counting_work=_QUICK.counting_work, listing_steps=_QUICK.listing_steps)
    page = islice(iter_maximizers(result), request.start, request.start + _TABLES_PER_PAGE)
    return {
        "n": plain(count.n),
        "at_least": plain(count.at_least),
        "start": request.start,
        "tables": [plain_table(one) for one in page],
    }


def file_table(request: FileRequest) -> dict[str, Any]:
    """Return the table that a file contains.

    If the file cannot be read, the error contains the names of its columns. On Linux, nothing is written to disk.
    """
    spec = ReadSpec(**request.reading_options())
    columns: list[str] = []
    try:
        with open_bytes(request.content, request.file or "the file", spec) as source:
            columns = source.columns
            table = table_of_source(source, spec)
    except KappamaxError as error:
        raise InvalidRequestError(
            error.statement, columns=columns, code=error.code, fields=error.fields, advice=error.advice
        ) from None
    return {
        "table": plain_table(table),
        "data": data_of(table),
        "columns": columns,
        "notes": [*of_data(table, 12), *table.reading.notes],
    }


def file_inspection(request: FileRequest) -> dict[str, Any]:
    """Return what a file contains, with refusals in words that name the controls of the page.

    On Linux, nothing is written to disk.
    """
    name = request.file or "the file"
    found = inspection_of(inspected_bytes(request.content, name, name), request.reading_options())
    return found.to_dict() | {
        "summary": summary_of(found),
        "tried": tried_rows(found),
        "controls": controls_of(found.options) if found.call else {},
    }


def check(request: Request, show: Show = None) -> None:
    """Raise the error of an invalid request without computing anything; the content of a file is not examined."""
    if isinstance(request, FileRequest):
        ReadSpec(**request.reading_options())
    elif isinstance(request, ReportRequest):
        table = request.table()
        for _, weights in _weightings(request, table):
            as_objective(table, weights=None if weights is None else weights[0])
    elif isinstance(request, WeightingRequest):
        as_objective(request.table(), weights=request.weights())


def _whole(answer: Callable[[Any], Any]) -> Callable[[Any, Show], Any]:
    """Return a handler that sends its answer as a whole."""
    return lambda request, show: answer(request)


#: function that answers each request, by the names of `REQUESTS`
HANDLERS: dict[str, Callable[[Any, Show], Any]] = {
    "ready": _whole(lambda request: None),
    "examples": _whole(lambda request: examples()),
    "file": _whole(file_table),
    "inspect": _whole(file_inspection),
    "table": numbers,
    "chance": chances,
    "pictures": _whole(pictures),
    "report": _whole(report_file),
    "weights": _whole(weights_in_words),
    "maximizers": _whole(maximizers),
    "moves": _whole(ranked_moves),
    "path": _whole(path_to_maximum),
    "anneal": annealing,
}


def _numbers_of(report: Report, asked: _Asked) -> dict[str, Any]:
    """Return the document of a report with the calls that give the same results."""
    calls = calls_of(report.table, [result.weights for result in report.results] if asked is None else asked)
    return report.to_dict() | {"calls": calls}


def _chances_of(brief: Report, progress: Progress | None) -> dict[str, Any]:
    """Return the results that a complete report adds to a brief one."""
    report = completed(brief, _QUICK, progress)
    document = report.to_dict()
    drawn = [None if one.null is None else null_picture(report, one) for one in report.results]
    results = [
        {name: result[name] for name in _BY_CHANCE} | {"picture": picture}
        for result, picture in zip(document["results"], drawn, strict=True)
    ]
    return {"results": results, "methods": document["report"]["methods"]}


def _joined(request: ReportRequest) -> Report:
    """Return one brief report with all weightings of a request, equal to that of `report_within`."""
    reports = [report for _, report in _brief_reports(request)]
    main = next((one for one in reports if one.results[0].weights == "linear"), reports[0])
    return replace(main, results=tuple(result for one in reports for result in one.results))


def _brief_reports(request: ReportRequest, show: Show = None) -> Iterator[tuple[_Asked, Report]]:
    """Yield each requested weighting with a brief report on it, which is cached."""
    table = request.table()
    for asked, weights in _weightings(request, table):
        key = (request.table_key(), msgspec.json.encode(asked), request.title)
        if key not in _REPORTS:
            _REPORTS[key] = report_within(
                _QUICK, table, weights=weights, title=request.title, progress=_progress(show), brief=True
            )
            if len(_REPORTS) > _REMEMBERED:
                del _REPORTS[next(iter(_REPORTS))]
        yield asked, _REPORTS[key]


def _weightings(request: ReportRequest, table: Table) -> list[tuple[_Asked, list[Weights] | None]]:
    """Return each weighting as requested and as weights, each in a list, or a pair of None for the default ones."""
    if request.weights is None:
        return [(None, None)]
    found = [weights_of(asked, table.n_categories) for asked in request.weights]
    names = [weights.name for weights in found]
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise InvalidRequestError(
            f"weights must have different names; {shortened(twice)!r} occurs twice.", field="weights"
        )
    return [([asked], [weights]) for asked, weights in zip(request.weights, found, strict=True)]


def _progress(show: Show) -> Progress | None:
    """Return a function that shows a message as a line of progress."""
    return None if show is None else lambda _done, _total, message: show({"progress": message})
