"""What a browser sent in, plain values or a clear error with its place out."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Sequence
from math import isfinite
from typing import Any, NoReturn

from kappamax._validate import cell_name, did_you_mean
from kappamax.display.text import listing, shortened
from kappamax.errors import InvalidRequestError, KappamaxError, NotSupportedError

_LONGEST_LABEL = 200
_LARGEST_LABEL = 2**53


def own_host(host: str | None) -> None:
    """A request to this machine by one of its own names, so that no name from elsewhere leads here."""
    name = "" if host is None else host.rsplit(":", 1)[0] if not host.endswith("]") else host
    if name.lower() not in ("127.0.0.1", "localhost", "[::1]"):
        raise InvalidRequestError("this page answers requests to 127.0.0.1 and localhost only.", status=403)


def own_origin(origin: str | None, host: str | None) -> None:
    """A request that this page made itself, or a program without an origin."""
    if origin is not None and origin.lower() != f"http://{host}".lower():
        raise InvalidRequestError("this page answers requests from itself only, not from other sites.", status=403)


def content_type(given: str | None, wanted: str) -> None:
    """The one type of body a route takes; a form of another site cannot send it."""
    own = "" if given is None else given.partition(";")[0].strip().lower()
    if own != wanted:
        raise InvalidRequestError(f"the request's Content-Type must be {wanted}; got {own or 'none'!r}.", status=415)


def body_size(size: int, most: int) -> None:
    """A body that is not too long."""
    if size > most:
        raise InvalidRequestError(f"the request is longer than {most / 1_000_000:g} MB.", status=413)


def refuse_half() -> NoReturn:
    """A request whose sender left before its end."""
    raise InvalidRequestError("the request broke off.", status=400)


def json_object(body: bytes) -> dict[str, Any]:
    """A JSON object, as the standard has it: no NaN, no numbers of thousands of digits, no endless nesting."""
    try:
        content = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InvalidRequestError("the request is not JSON.", status=400) from None
    if not isinstance(content, dict):
        raise InvalidRequestError("the request must be a JSON object.", status=400)
    return content


def refuse_page(path: str) -> NoReturn:
    """An address that leads nowhere."""
    raise InvalidRequestError(f"there is no page {shortened(path)!r}.", status=404)


def refuse_method(method: str) -> NoReturn:
    """A method that an address does not answer."""
    raise InvalidRequestError(f"this address does not answer {shortened(method)!r}.", status=405)


def out_of_time(seconds: float) -> NoReturn:
    """Work that was stopped."""
    raise InvalidRequestError(
        f"this takes longer than the page's limit of {seconds:g} s; the command line and Python have no limit.",
        status=422,
    )


def refuse_death() -> NoReturn:
    """Work whose process was ended from outside, as by a lack of memory."""
    raise InvalidRequestError("the process that worked on this ended; it may have run out of memory.", status=422)


def mapping(field: str, value: Any) -> dict[str, Any]:
    """A JSON object inside a request."""
    if not isinstance(value, dict):
        raise InvalidRequestError(f"{field} must be a JSON object; got {_shown(value)}.", field=field)
    return value


def list_of(field: str, value: Any, *, most: int, least: int = 1) -> list[Any]:
    """A list of a bounded length."""
    if not isinstance(value, list):
        raise InvalidRequestError(f"{field} must be a list; got {_shown(value)}.", field=field)
    if not least <= len(value) <= most:
        status = 413 if len(value) > most > least else 422
        bounds = f"{least}" if least == most else f"{least} to {most:,}"
        raise InvalidRequestError(
            f"{field} must have {bounds} entries; got {len(value):,}.", field=field, status=status
        )
    return value


def whole(field: str, value: Any, low: int, high: int) -> int:
    """A whole number within bounds."""
    if not _is_whole(value) or not low <= value <= high:
        raise InvalidRequestError(
            f"{field} must be a whole number from {low:,} to {high:,}; got {_shown(value)}.", field=field
        )
    return int(value)


def truth(field: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InvalidRequestError(f"{field} must be true or false; got {_shown(value)}.", field=field)
    return value


def one_of(field: str, value: Any, allowed: Collection[str]) -> str:
    """One of a few names."""
    if not isinstance(value, str) or value not in allowed:
        hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
        raise InvalidRequestError(
            f"{field} must be one of {listing(allowed, most=20)}; got {_shown(value)}.{hint}", field=field
        )
    return value


def short_text(field: str, value: Any) -> str:
    """A line of text."""
    if not isinstance(value, str) or len(value) > _LONGEST_LABEL or not _writable(value):
        raise InvalidRequestError(
            f"{field} must be a line of at most {_LONGEST_LABEL} characters; got {_shown(value)}.", field=field
        )
    return value


def square_counts(value: Any, most: int) -> list[list[int]]:
    """A square of whole numbers >= 0 with few enough categories."""
    rows = _rows("counts", value, most)
    if any(len(row) != len(rows) for row in rows):
        widths = listing(sorted({len(row) for row in rows}))
        raise InvalidRequestError(f"counts must be square; got {len(rows)} rows of {widths} numbers.", field="counts")
    return [[_count(item, [i, j]) for j, item in enumerate(row)] for i, row in enumerate(rows)]


def codes(value: Any, most: int, n_categories: int) -> list[list[int]]:
    """Patterns: positions in the categories, null where a rating is missing (-1 in a table)."""
    rows = list_of("patterns", value, most=most)
    found = []
    for i, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != len(rows[0]):
            raise InvalidRequestError(
                f"patterns must be lists of one length, a code per rater; pattern {i + 1} is {_shown(row)}.",
                field="patterns",
            )
        for j, code in enumerate(row):
            if code is not None and not (_is_whole(code) and 0 <= code < n_categories):
                raise InvalidRequestError(
                    f"patterns must hold positions 0 to {n_categories - 1}, or null for missing; "
                    f"cell {cell_name((i, j))} is {_shown(code)}.",
                    field="patterns",
                    cell=[i, j],
                )
        found.append([-1 if code is None else int(code) for code in row])
    return found


def pattern_counts(value: Any, n_patterns: int) -> list[int]:
    """One count per pattern."""
    if not isinstance(value, list) or len(value) != n_patterns:
        raise InvalidRequestError(f"counts must hold one number per pattern ({n_patterns:,}).", field="counts")
    return [_count(item, [i]) for i, item in enumerate(value)]


def cells(field: str, value: Any) -> list[list[int]]:
    """Two cells of a move, each a code per rater."""
    rows = list_of(field, value, least=2, most=2)
    for row in rows:
        if not isinstance(row, list) or not all(_is_whole(code) for code in row):
            raise InvalidRequestError(
                f"{field} must be two lists of category positions; got {_shown(value)}.", field="move"
            )
    return rows


def numbers(field: str, value: Any, most: int) -> list[float]:
    """Finite numbers."""
    found = list_of(field, value, most=most)
    for item in found:
        _number(field, item)
    return found


def square_numbers(field: str, value: Any, most: int) -> list[list[float]]:
    """A square of finite numbers."""
    rows = _rows(field, value, most)
    for i, row in enumerate(rows):
        if len(row) != len(rows):
            raise InvalidRequestError(f"{field} must be square; row {i + 1} has {len(row)} numbers.", field=field)
        for j, item in enumerate(row):
            _number(field, item, [i, j])
    return rows


def few_subjects(n_subjects: int, most: int) -> None:
    """A number of subjects that the page works with."""
    if n_subjects > most:
        raise InvalidRequestError(
            f"the page takes at most {most:,} subjects; got {float(n_subjects):,.0f}.", field="counts", status=413
        )


def few_patterns(n_patterns: int, most: int) -> None:
    """A number of patterns that the page can hold."""
    if n_patterns > most:
        raise InvalidRequestError(
            f"the page takes at most {most:,} different patterns; got {n_patterns:,}. The command line takes more.",
            status=413,
        )


def different_names(names: Sequence[str]) -> None:
    """Weightings that results can be told apart by."""
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise InvalidRequestError(
            f"weights must have different names; {shortened(twice)!r} occurs twice.", field="weights"
        )


def labels(field: str, value: Any, *, most: int, least: int = 1) -> list[str | int | float]:
    """Labels: short text without control characters, or numbers."""
    found = list_of(field, value, most=most, least=least)
    for i, label in enumerate(found):
        text = isinstance(label, str) and 0 < len(label.strip()) <= len(label) <= _LONGEST_LABEL and _writable(label)
        number = isinstance(label, int | float) and not isinstance(label, bool) and abs(label) < _LARGEST_LABEL
        if not text and not number:
            raise InvalidRequestError(
                f"{field} must be text of 1 to {_LONGEST_LABEL} characters, or numbers; "
                f"entry {i + 1} is {_shown(label)}.",
                field=field,
                cell=[i],
            )
    return found


def known_names(given: Collection[str], known: Collection[str]) -> None:
    """Options of an address that mean something."""
    for name in given:
        if name not in known:
            raise InvalidRequestError(
                f"the options are {listing(known, most=20)}; got {_shown(name)}.{did_you_mean(name, known)}",
                field="query",
            )


def flag(field: str, value: str) -> bool:
    """True or false, as an address spells it."""
    if value.lower() not in ("true", "1", "false", "0"):
        raise InvalidRequestError(f"{field} must be true or false; got {_shown(value)}.", field=field)
    return value.lower() in ("true", "1")


def refuse_file(error: KappamaxError, columns: list[str]) -> NoReturn:
    """A file that cannot be read as asked, with the names to choose from."""
    raise InvalidRequestError(str(error), columns=columns) from None


def web_extra() -> Any:
    """The packages that the page needs."""
    try:
        import starlette
        import uvicorn
    except ImportError:
        raise NotSupportedError('the page needs starlette and uvicorn: pip install "kappamax[web]"') from None
    return starlette, uvicorn


def some_port(port: int, tried: Sequence[int]) -> NoReturn:
    """No port was free."""
    raise NotSupportedError(f"the ports {port} to {tried[-1]} of 127.0.0.1 are all taken; choose one with --port.")


def _rows(field: str, value: Any, most: int) -> list[list[Any]]:
    """A list of lists, at most so many."""
    rows = value if isinstance(value, list) else []
    if not rows or not all(isinstance(row, list) for row in rows):
        raise InvalidRequestError(f"{field} must be a list of rows of numbers; got {_shown(value)}.", field=field)
    if len(rows) > most:
        raise InvalidRequestError(
            f"the page takes at most {most} categories; got {len(rows):,}.", field=field, status=413
        )
    return rows


def _count(item: Any, cell: list[int]) -> int:
    if not _is_whole(item) or item < 0:
        raise InvalidRequestError(
            f"counts must be whole numbers >= 0; cell {cell_name(cell)} is {_shown(item)}.", field="counts", cell=cell
        )
    return int(item)


def _number(field: str, item: Any, cell: list[int] | None = None) -> None:
    if isinstance(item, bool) or not isinstance(item, int | float) or not -1e300 < item < 1e300:
        place = "" if cell is None else f" cell {cell_name(cell)} is"
        raise InvalidRequestError(
            f"{field} must be finite numbers;{place or ' got'} {_shown(item)}.", field=field, cell=cell
        )


def _is_whole(value: Any) -> bool:
    """A whole number; JSON does not tell 3 from 3.0."""
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value) and value == int(value)


def _writable(text: str) -> bool:
    """Without control characters and halves of letters, which no file can hold."""
    return not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in text)


def _shown(value: Any) -> str:
    """What came, short."""
    if isinstance(value, dict):
        return "a JSON object"
    if isinstance(value, list):
        return f"a list of {len(value):,}"
    return shortened(ascii(value)) if value is not None else "nothing"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
