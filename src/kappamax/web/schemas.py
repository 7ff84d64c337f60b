"""Define and check the requests that the application accepts.

The structure of a request is defined by types and checked by msgspec; the rules for tables are checked by the library.
Numpy is imported only when a request is turned into a table, so that the server starts without it.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from kappamax._validate import as_list_of_names, cell_name, did_you_mean
from kappamax.display.text import listing, shortened
from kappamax.errors import InputError, InvalidRequestError
from kappamax.web.limits import (
    MAX_CATEGORIES,
    MAX_GRID_CATEGORIES,
    MAX_PATTERNS,
    MAX_RATERS,
    MAX_WEIGHTINGS,
    require_within_limits,
)
from kappamax.web.reading_record import Count, ReadingRecord, Text

if TYPE_CHECKING:
    from kappamax.table import Table
    from kappamax.weights import Weights

_SMALL_CATEGORIES, _SMALL_SUBJECTS, _SMALL_BYTES = 8, 2_000, 100_000

_WRITABLE = r"[^\x00-\x1f\x7f-\x9f]*\Z"  # no control characters
_Line = Annotated[str, Meta(max_length=200, pattern=rf"\A{_WRITABLE}")]
_Name = Annotated[str, Meta(max_length=200, pattern=rf"\A(?=.*\S){_WRITABLE}")]
_Label = _Name | Annotated[int, Meta(gt=-(2**53), lt=2**53)] | Annotated[float, Meta(gt=-(2.0**53), lt=2.0**53)]
_Labels = Annotated[tuple[_Label, ...], Meta(min_length=1, max_length=MAX_CATEGORIES)]
_Raters = Annotated[tuple[_Label, ...], Meta(min_length=1, max_length=MAX_RATERS)]
_Code = Annotated[int, Meta(ge=-1, lt=2**31)] | None
_Number = Annotated[int, Meta(gt=-(10**18), lt=10**18)] | Annotated[float, Meta(gt=-1e300, lt=1e300)]
_Numbers = Annotated[list[_Number], Meta(min_length=1, max_length=MAX_CATEGORIES)]
_TwoCells = Annotated[list[list[int]], Meta(min_length=2, max_length=2)]

_LINE = "a line of at most 200 characters"
_LABELS, _RATERS = (
    f"a list of 1 to {most} texts of 1 to 200 characters, or numbers" for most in (MAX_CATEGORIES, MAX_RATERS)
)
#: rule for each field, which follows "must be" in an error message
_RULES = {
    "counts": "rows of whole numbers >= 0, or one whole number per pattern",
    "patterns": f"a list of 1 to {MAX_PATTERNS:,} lists of category positions (from 0), null for missing",
    "categories": _LABELS,
    "raters": _RATERS,
    "ordered": "true or false",
    "weights": f"a list of 1 to {MAX_WEIGHTINGS} names or JSON objects",
    "weight": "a name or a JSON object",
    "positions": f"a list of 1 to {MAX_CATEGORIES} finite numbers",
    "matrix": f"a list of 1 to {MAX_CATEGORIES} rows of finite numbers",
    "scheme": _LINE,
    "kind": "one of 'disagreement', 'agreement'",
    "name": _LINE,
    "title": _LINE,
    "format": "one of 'html', 'json', 'csv', 'md', 'tex', 'txt'",
    "start": "a whole number from 0 to 10,000",
    "top": "a whole number from 1 to 200",
    "move": "a JSON object with plus and minus",
    "plus": "two lists of category positions",
    "minus": "two lists of category positions",
    "seed": "a whole number from 0 to 4,294,967,296",
    "proposal": "one of 'moves', 'swaps'",
    "layout": "one of 'wide', 'long', 'counts', 'patterns'",
    **dict.fromkeys(
        ("complete_only", "no_header", "transpose", "fill_down", "decimal_comma", "ignore_case", "accept_labels"),
        "true or false",
    ),
    "skip_rows": "a whole number >= 0",
    "reading": "a JSON object with file, layout, missing_as, columns_left_out, n_left_out and notes",
    "file": "a text of at most 10,000 characters",
    "missing_as": "a JSON object of whole numbers",
    "columns_left_out": "a JSON object of texts",
    "n_left_out": "a whole number >= 0",
    "notes": "a list of at most 1,000 texts",
    "clusters": f"a list of whole numbers from 0 to {MAX_PATTERNS:,}, one per pattern",
    "cluster_name": _LINE,
}


def decoded(body: bytes) -> dict[str, Any]:
    """Return the JSON object in the body of a request, without checking its fields."""
    try:
        asked = _JSON.decode(body)
    except (ValueError, RecursionError):
        raise InvalidRequestError("the request is not JSON.", status=400) from None
    if not isinstance(asked, dict):
        raise InvalidRequestError("the request must be a JSON object.", status=400)
    return asked


def as_request(name: str, asked: dict[str, Any], *, strict: bool = True) -> Request:
    """Return the request of a given name from plain values.

    If `strict` is false, text such as "true" is converted to the type of its field.
    """
    try:
        return msgspec.convert(asked, REQUESTS[name], strict=strict)
    except msgspec.ValidationError as error:
        if isinstance(error.__cause__, InvalidRequestError):
            raise error.__cause__ from None
        raise _explained(str(error), asked, REQUESTS[name]) from None


def weights_of(asked: str | OwnWeights, n_categories: int) -> Weights:
    """Return the requested weights, which are given by name, positions or matrix."""
    from kappamax.weights import Weights

    if isinstance(asked, str):
        return Weights.from_scheme(asked, n_categories)
    if asked.positions is not None:
        return Weights.from_positions(asked.positions, asked.scheme)
    if asked.matrix is None:
        raise InvalidRequestError("weights must be a name, or an object with positions or a matrix.", field="weights")
    return Weights.from_matrix(asked.matrix, kind=asked.kind, name=asked.name)


def plain_table(table: Table) -> dict[str, Any]:
    """Return a table as the page represents it: a square of counts for two raters, patterns otherwise.

    If the subjects are in clusters, the patterns are those of each cluster. The record of how the ratings were read is
    part of it, which the page sends back with the table.
    """
    from kappamax._result import plain

    require_within_limits(
        n_subjects=table.n_subjects,
        n_categories=table.n_categories,
        n_raters=table.n_raters,
        n_patterns=len(table.counts if table.clusters is None else table.clusters.counts),
    )
    named = {"categories": plain(table.categories), "raters": list(table.raters), "ordered": table.ordered}
    if table.reading.source is not None:
        named["reading"] = msgspec.to_builtins(ReadingRecord.of_table(table))
    if table.clusters is not None:
        named |= {"clusters": table.clusters.codes.tolist(), "cluster_name": table.clusters.name}
    elif table.n_raters == 2 and table.complete and table.n_categories <= MAX_GRID_CATEGORIES:
        return {"counts": table.dense().tolist(), **named}
    rows = table.clusters or table.grouped
    codes = [[None if code < 0 else code for code in row] for row in rows.patterns.tolist()]
    return {"patterns": codes, "counts": plain(rows.counts), **named}


class Request(Struct, kw_only=True, omit_defaults=True):
    """Base class of all requests; an instance of it is a request without content."""

    def is_small(self) -> bool:
        """Return whether the request takes little work, such as one about a small table of two raters."""
        return True

    def table_key(self) -> bytes:
        """Return bytes that identify the table of the request; they are empty if there is none."""
        return b""

    def to_check(self) -> Request:
        """Return what has to be checked before the request waits for a process."""
        return self


class FileRequest(Request, forbid_unknown_fields=True):
    """Request to read a file, with the options of `read_ratings`; the entries of lists are separated by commas."""

    layout: Literal["wide", "long", "counts", "patterns"] | None = None
    raters: str | None = None
    categories: str | None = None
    missing: str | None = None
    subject: str | None = None
    rater: str | None = None
    rating: str | None = None
    count: str | None = None
    cluster: str | None = None
    sheet: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    skip_rows: Annotated[int, Meta(ge=0, lt=10**9)] | None = None
    rename: str | None = None
    complete_only: bool = False
    no_header: bool = False
    transpose: bool = False
    fill_down: bool = False
    decimal_comma: bool = False
    ignore_case: bool = False
    accept_labels: bool = False
    file: Text | None = None
    content: bytes = b""

    def is_small(self) -> bool:
        """Return whether the file is small."""
        return len(self.content) <= _SMALL_BYTES

    def to_check(self) -> Request:
        """Return the request without the content of the file, so that its options are checked."""
        return msgspec.structs.replace(self, content=b"")

    def reading_options(self) -> dict[str, Any]:
        """Return the options that are given, by the names of the arguments of `read_ratings`."""
        given = {name: getattr(self, name) for name in self.__struct_fields__ if name not in ("file", "content")}
        given = {name: value for name, value in given.items() if value is not None and value is not False}
        for name in given.keys() & {"raters", "categories", "missing"}:
            given[name] = as_list_of_names(name, given[name])
        if "rename" in given:
            pairs = [pair.partition("=") for pair in as_list_of_names("rename", given["rename"])]
            if not all(equals and new.strip() for _, equals, new in pairs):
                raise InvalidRequestError(
                    f"labels to rename must be given as OLD=NEW, separated by commas; got {_shown(given['rename'])}.",
                    field="rename",
                )
            given["rename"] = {old.strip(): new.strip() for old, _, new in pairs}
        if given.get("delimiter") in ("tab", "\\t"):
            given["delimiter"] = "\t"
        return given


class TableRequest(Request):
    """Request about a table, given as a square of counts or as patterns of category positions with their counts."""

    counts: list[Count | list[Count]]
    patterns: Annotated[list[list[_Code]], Meta(min_length=1, max_length=MAX_PATTERNS)] | None = None
    categories: _Labels | None = None
    raters: _Raters = ("1", "2")
    ordered: bool = True
    reading: ReadingRecord | None = None
    clusters: Annotated[list[Annotated[int, Meta(ge=0, le=MAX_PATTERNS)]], Meta(max_length=MAX_PATTERNS)] | None = None
    cluster_name: _Line | None = None

    def __post_init__(self) -> None:
        """Check the size of the table and that counts without patterns are square."""
        k, counts = len(self.counts), self._all_counts()
        require_within_limits(
            n_subjects=sum(counts),
            n_categories=len(self.categories or ()) if self.patterns is not None else k,
            n_raters=len(self.raters),
            n_patterns=len(self.patterns) if self.patterns is not None else sum(count > 0 for count in counts),
        )
        if self.patterns is not None:
            if self.categories is None:
                raise InvalidRequestError(f"categories must be {_LABELS}; got nothing.", field="categories")
        elif not k or not all(isinstance(row, list) and len(row) == k for row in self.counts):
            widths = sorted({len(row) if isinstance(row, list) else 1 for row in self.counts})
            raise InvalidRequestError(
                f"counts must be square; got {k} rows of {listing(widths) or 'no'} numbers.", field="counts"
            )

    def is_small(self) -> bool:
        """Return whether this is a small table of two raters."""
        few = len(self.counts) <= _SMALL_CATEGORIES and sum(self._all_counts()) <= _SMALL_SUBJECTS
        return self.patterns is None and few

    def table_key(self) -> bytes:
        """Return bytes that identify the table."""
        table = (self.counts, self.patterns, self.categories, self.raters, self.ordered)
        return msgspec.json.encode((*table, self.reading, self.clusters, self.cluster_name))

    def table(self) -> Table:
        """Return the table; an error of the library is attributed to the field that its message begins with."""
        from kappamax.table import Table

        k = len(self.counts)
        codes: Any = list(product(range(k), repeat=2))
        if self.patterns is not None:
            codes = [[-1 if code is None else code for code in row] for row in self.patterns]
        labels, raters = list(self.categories or range(1, k + 1)), [str(name) for name in self.raters]
        try:
            if self.patterns is None and len(labels) != k:
                raise InputError(f"categories must have {k} entries; got {len(labels)}.")
            read = self.reading or ReadingRecord()
            table = Table(
                codes,
                self._all_counts(),
                labels,
                raters,
                ordered=self.ordered,
                n_left_out=read.n_left_out,
                clusters=self.clusters,
                cluster_name=self.cluster_name,
            )
            table.reading = read.reading()
            return table
        except InputError as error:
            field = str(error).partition(" ")[0]
            raise InvalidRequestError(str(error), field=field if field in self.__struct_fields__ else None) from None

    def _all_counts(self) -> list[int]:
        return [count for row in self.counts for count in (row if isinstance(row, list) else [row])]


class OwnWeights(Struct, omit_defaults=True):
    """User-defined weights, given by positions of the categories or by a matrix."""

    positions: _Numbers | None = None
    scheme: _Line = "linear"
    matrix: Annotated[list[_Numbers], Meta(min_length=1, max_length=MAX_CATEGORIES)] | None = None
    kind: Literal["disagreement", "agreement"] = "disagreement"
    name: _Line = "custom"


class Move(Struct):
    """Move in which two cells gain and two cells lose a subject; a cell has one category position per rater."""

    plus: _TwoCells
    minus: _TwoCells


class ReportRequest(TableRequest):
    """Request about a table with several weightings, or the default ones; `format` is that of a report file."""

    weights: Annotated[list[_Line | OwnWeights], Meta(min_length=1, max_length=MAX_WEIGHTINGS)] | None = None
    title: _Line = "Agreement between raters"
    format: Literal["html", "json", "csv", "md", "tex", "txt"] = "html"


class WeightingRequest(TableRequest):
    """Request about a table with one weighting, which is linear by default if the categories are ordered."""

    weight: _Line | OwnWeights | None = None
    start: Annotated[int, Meta(ge=0, le=10_000)] = 0
    top: Annotated[int, Meta(ge=1, le=200)] = 20
    move: Move | None = None
    seed: Annotated[int, Meta(ge=0, le=2**32)] = 1
    proposal: Literal["moves", "swaps"] = "moves"

    def weights(self) -> Weights:
        """Return the requested or default weights."""
        n_categories = len(self.categories or self.counts)
        return weights_of(self.weight or ("linear" if self.ordered else "unweighted"), n_categories)


#: types of requests by name; those with a table are posted to the address of the same name
REQUESTS: dict[str, type[Request]] = {
    "ready": Request,
    "examples": Request,
    "file": FileRequest,
    "inspect": FileRequest,
    "table": ReportRequest,
    "chance": ReportRequest,
    "pictures": ReportRequest,
    "report": ReportRequest,
    "weights": WeightingRequest,
    "maximizers": WeightingRequest,
    "moves": WeightingRequest,
    "path": WeightingRequest,
    "anneal": WeightingRequest,
}
#: requests that may take long even for a small table
LONG = ("report", "path", "anneal")


def _explained(problem: str, asked: Any, kind: type[Request]) -> InvalidRequestError:
    """Return the error for a message of msgspec, with the field, the rule, the value and its place.

    A message of msgspec has the rule and the place, as in "Expected `int` >= 0 - at `$.counts[1][0]`".
    """
    if unknown := re.match("Object contains unknown field `(.*)`", problem, re.DOTALL):
        known = [name for name in kind.__struct_fields__ if name != "content"]
        words = f"the options are {listing(known, most=20)}; got {_shown(unknown[1])}.{did_you_mean(unknown[1], known)}"
        return InvalidRequestError(words, field="query")
    rule, _, path = problem.rpartition(" - at `$")
    missing = re.search(r"missing required field `(\w+)`", problem)
    path += f".{missing[1]}" if missing else ""
    value, field, cell = asked, "", list[int]()
    for name, index in re.findall(r"\.(\w+)|\[(\d+)\]", path):
        if name:
            value, field, cell = value.get(name), name, []
        else:
            value, cell = value[int(index)], [*cell, int(index)]
    place = "got" if not cell else f"entry {cell[0] + 1} is" if len(cell) == 1 else f"cell {cell_name(cell)} is"
    return InvalidRequestError(
        f"{field} must be {_RULES[field]}; {place} {_shown(value)}.",
        field=field,
        cell=cell if cell and field != "weights" else None,
        status=413 if "`array` of length <=" in rule else 422,
    )


def _shown(value: Any) -> str:
    """Return a value as short text without control characters."""
    if isinstance(value, dict):
        return "a JSON object"
    if isinstance(value, list):
        return f"a list of length {len(value):,}"
    return shortened(ascii(value)) if value is not None else "nothing"


def _number(text: str) -> int | float:
    """Return a JSON number as an integer if it is whole, because JSON does not distinguish 3 from 3.0."""
    number = float(text)
    return int(number) if abs(number) < 2**53 and number.is_integer() else number


_JSON = msgspec.json.Decoder(float_hook=_number)
