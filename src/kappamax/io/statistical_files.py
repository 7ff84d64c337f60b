"""Read the data files of Stata, SPSS and SAS by pyreadstat, with their value labels and missing codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from kappamax._typing import Array
from kappamax.errors import Advice, InvalidOptionError, UnreadableFileError
from kappamax.io.value_labels import NotesOn, Variable, code_text, labelled_columns
from kappamax.table import Label


class _Reader(NamedTuple):
    """A function of pyreadstat, and whether it has the arguments `encoding` and `user_missing`."""

    function: str
    has_encoding: bool = True
    has_user_missing: bool = True


#: reader of each format, by the name that `file_signatures` gives to the format
_READERS = {
    "Stata": _Reader("read_dta"),
    "SPSS": _Reader("read_sav"),
    "SPSS portable": _Reader("read_por", has_encoding=False, has_user_missing=False),
    "SAS": _Reader("read_sas7bdat"),
    "SAS transport": _Reader("read_xport", has_user_missing=False),
}
_CATALOG = "SAS catalog"
_CELLS_AT_ONCE = 5_000_000  # pyreadstat returns Python objects, which need four times the memory of arrays
_USUAL_ENCODING = "windows-1252"


class StatisticalFile(NamedTuple):
    """The content of a statistical file.

    Attributes
    ----------
    columns : dict of arrays
        Values of each column: numbers with NaN, or text with None.
    declared : dict
        Categories that columns declare by value labels, by the name of the column.
    labels : dict
        Labels by code of the columns whose codes were replaced by labels.
    descriptions : dict of str
        Labels of variables, such as the question that was asked, by the name of the column.
    notes : tuple of str
        Sentences about the file as a whole.
    notes_on : callable
        Function from names of columns to sentences about these columns.
    """

    columns: dict[str, Array]
    declared: dict[str, tuple[Label, ...]]
    labels: dict[str, dict[Any, str]]
    descriptions: dict[str, str]
    notes: tuple[str, ...]
    notes_on: NotesOn


def read_statistical_file(path: Path, name: str, kind: str, encoding: str | None) -> StatisticalFile:
    """Return the content of a file of Stata, SPSS or SAS.

    Parameters
    ----------
    path : Path
        File to read.
    name : str
        Name of the file, for messages.
    kind : str
        Format of the file, one of `STATISTICAL_FORMATS`.
    encoding : str or None
        Encoding of text, default the one that the file declares.
    """
    try:
        import pyreadstat
    except ImportError:
        raise UnreadableFileError(
            'files of Stata, SPSS and SAS need the extra stats. Run pip install "kappamax[stats]", or save the data as '
            "CSV UTF-8.",
            code="extra-needed",
        ) from None
    if kind == _CATALOG:
        raise UnreadableFileError(
            f"{name} is a catalog of SAS, which contains value labels only; give the file with the ratings (.sas7bdat)."
        )
    reader = _READERS[kind]
    if encoding is not None and not reader.has_encoding:
        raise InvalidOptionError(f"encoding cannot be given for a file in the format {kind}; {name} is such a file.")
    _require_whole_records(path, name, kind)
    options: dict[str, Any] = {"output_format": "dict"}
    options |= {"user_missing": True} if reader.has_user_missing else {}
    options |= {"encoding": encoding} if encoding is not None else {}
    notes: tuple[str, ...] = ()
    try:
        try:
            data, meta = _read_in_blocks(getattr(pyreadstat, reader.function), path, options)
        except OverflowError:  # dates after the year 9999
            options["disable_datetime_conversion"] = True
            data, meta = _read_in_blocks(getattr(pyreadstat, reader.function), path, options)
            notes = ("Dates were read as numbers, since some of them are outside the years 1 to 9999.",)
        labels: dict[str, dict[Any, str]] = meta.variable_value_labels
        if kind == "SAS" and (catalog := _catalog_beside(path)) is not None:
            _, formats = pyreadstat.read_sas7bcat(str(catalog), output_format="dict")
            labels = {
                column: formats.value_labels[own]
                for column, own in meta.variable_to_label.items()
                if own in formats.value_labels
            }
            notes = (*notes, f"Value labels were taken from {catalog.name} in the same folder.")
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, UnicodeDecodeError) as error:
        _raise_unreadable(name, kind, encoding, error)
    if not data:
        raise UnreadableFileError(f"{name} has no variables.")
    result = labelled_columns([*_variables(data, meta, labels)])
    texts = {column: text for column, text in meta.column_names_to_labels.items() if text}
    return StatisticalFile(result.columns, result.declared, result.labels, texts, notes, result.notes_on)


def _read_in_blocks(read: Any, path: Path, options: dict[str, Any]) -> tuple[dict[str, tuple[list[Any], Array]], Any]:
    """Return the distinct values and their positions for every variable, and the metadata of the file.

    A large file is read several times, with some of the variables each time.
    """
    _, meta = read(str(path), metadataonly=True, **options)
    names = list(meta.column_names)
    n_at_once = max(_CELLS_AT_ONCE // meta.number_rows, 1) if meta.number_rows else max(len(names), 1)
    found: dict[str, tuple[list[Any], Array]] = {}
    for start in range(0, len(names), n_at_once):
        block = names[start : start + n_at_once]
        columns, _ = read(str(path), usecols=block, **options)
        for name in block:
            is_text = meta.readstat_variable_types[name] == "string"
            found[name] = _distinct(columns.pop(name), may_be_numbers=not is_text)
    return found, meta


def _distinct(values: Sequence[Any], *, may_be_numbers: bool) -> tuple[list[Any], Array]:
    """Return the distinct values of a variable, and the position of each row's value among them."""
    if may_be_numbers:
        with suppress(ValueError, TypeError):  # dates, and missing values such as .a
            numbers, places = np.unique(np.array(values, dtype=float), return_inverse=True)
            return [None if isnan(number) else number for number in numbers.tolist()], places.astype(np.int32)
    raw = list(dict.fromkeys(values))
    bare = [value.strip() or None if isinstance(value, str) else value for value in raw]
    position = {value: i for i, value in enumerate(dict.fromkeys(bare))}
    code = {value: position[own] for value, own in zip(raw, bare, strict=True)}
    return list(position), np.fromiter(map(code.__getitem__, values), dtype=np.int32, count=len(values))


def _variables(
    data: Mapping[str, tuple[list[Any], Array]], meta: Any, labels: Mapping[str, Mapping[Any, str]]
) -> Iterator[Variable]:
    """Yield the variables of a file, with labels and missing codes told apart."""
    for name, (values, codes) in data.items():
        own = {_bare(code): label.strip() for code, label in labels.get(name, {}).items() if label.strip()}
        is_text = meta.readstat_variable_types[name] == "string"
        ranges = [(_bare(one["lo"]), _bare(one["hi"])) for one in meta.missing_ranges.get(name, ())]
        missing = {code for code in (*values, *own) if _is_missing(code, is_text, ranges)}
        shown = {code: _missing_text(code, is_text) + (f" {own[code]!r}" if code in own else "") for code in missing}
        kept = {code: label for code, label in own.items() if code not in missing}
        yield Variable(name, values, codes, kept, shown, meta.variable_measure.get(name) or "unknown")


def _is_missing(code: Any, is_text: bool, ranges: Sequence[tuple[Any, Any]]) -> bool:
    """Return whether a file declares a value as missing.

    A text in a variable of numbers is one of the missing values .a to .z of Stata or .A to .Z and ._ of SAS, without
    the point.
    """
    if code is None:
        return False
    if isinstance(code, str):
        return not is_text or any(code in ends for ends in ranges)
    return any(type(low) is type(high) is type(code) and low <= code <= high for low, high in ranges)


def _missing_text(code: Any, is_text: bool) -> str:
    return f".{code}" if isinstance(code, str) and not is_text else code_text(code)


def _bare(value: Any) -> Any:
    return value.strip() if isinstance(value, str) else value


def _catalog_beside(path: Path) -> Path | None:
    """Return the catalog of SAS in the folder of a file that has the name of the file or SAS's default, formats."""
    wanted = [f"{path.stem.lower()}.sas7bcat", "formats.sas7bcat"]
    present = {other.name.lower(): other for other in path.parent.glob("*.[sS][aA][sS]7[bB][cC][aA][tT]")}
    return next((present[name] for name in wanted if name in present), None)


def _require_whole_records(path: Path, name: str, kind: str) -> None:
    """Require that a transport file of SAS has whole records of 80 bytes, since pyreadstat ignores a missing end."""
    if kind == "SAS transport" and path.stat().st_size % 80:
        raise UnreadableFileError(f"{name} is damaged: a SAS transport file must have records of 80 bytes.")


def _raise_unreadable(name: str, kind: str, encoding: str | None, error: Exception) -> NoReturn:
    """Raise the error about a file that pyreadstat cannot read."""
    reason = str(error).rstrip(".")
    if "character set" in reason:
        if encoding is None:
            raise UnreadableFileError(
                f"{name} declares an encoding that is not known.",
                code="unknown-encoding",
                advice=[Advice({"encoding": _USUAL_ENCODING})],
            ) from None
        raise InvalidOptionError(f"encoding must be the name of an encoding; got {encoding!r}.") from None
    if isinstance(error, UnicodeDecodeError) or "encoding" in reason:
        used = f"{encoding} text" if encoding is not None else "text in the encoding that it declares"
        raise UnreadableFileError(
            f"{name} is not {used}.",
            code="wrong-encoding",
            advice=[] if encoding == _USUAL_ENCODING else [Advice({"encoding": _USUAL_ENCODING})],
        ) from None
    raise UnreadableFileError(
        f"{name} cannot be read as a file in the format {kind}: {reason}.", code="damaged-file"
    ) from None
