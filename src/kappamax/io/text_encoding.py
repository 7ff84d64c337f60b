"""Determine the encoding of a text file, and copy text to UTF-8, which is what DuckDB reads."""

from __future__ import annotations

import codecs
import io
from typing import BinaryIO

from kappamax.errors import Advice, InvalidOptionError, UnreadableFileError

_UTF8_MARK = b"\xef\xbb\xbf"
_MARKS = {_UTF8_MARK: "utf-8", b"\xff\xfe\0\0": "utf-32", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_CHARACTERS_PER_COPY = 1 << 20
#: encodings that are considered if text is not UTF-8; almost all such files are in one of them
_COMMON = ["cp1252", "latin_1", "cp1250", "cp1251", "cp1253", "cp1254", "shift_jis", "gb18030", "big5", "euc_kr"]
_FEW_ACCENTS = 0.3  # share of the characters up to which the text is taken for a Western European language


def encoding_of(sample: bytes, name: str, asked: str | None) -> str:
    """Return the encoding of a text file, given its first bytes; `asked` is the encoding that the caller names."""
    if asked is not None:
        try:
            return codecs.lookup(asked).name
        except (LookupError, TypeError):
            raise InvalidOptionError(
                f"encoding must be the name of a text encoding, such as 'utf-8' or 'cp1252'; got {asked!r}.",
                code="unknown-encoding",
            ) from None
    for mark, encoding in _MARKS.items():
        if sample.startswith(mark):
            return encoding
    if b"\0" in sample:
        return _wide_encoding(sample, name)
    if _is_utf8(sample):
        return "utf-8"
    return guessed_encoding(sample)


def guessed_encoding(sample: bytes) -> str:
    """Return the most likely encoding of text that is not UTF-8.

    Short texts with a few accents give the detection too little to go by, so they are read as Windows-1252, which
    contains Latin-1.
    """
    n_bytes = len(sample) - sum(map(sample.count, b" \t\r\n"))
    if sum(byte >= 128 for byte in sample) <= _FEW_ACCENTS * n_bytes:
        return "latin-1" if any(byte in sample for byte in (0x81, 0x8D, 0x8F, 0x90, 0x9D)) else "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_COMMON).best()
    return "cp1252" if best is None else str(best.encoding)


def copy_as_utf8(source: BinaryIO, target: BinaryIO, encoding: str, name: str) -> None:
    """Copy text in some encoding as UTF-8."""
    reader = io.TextIOWrapper(source, encoding=encoding, newline="")
    try:
        while text := reader.read(_CHARACTERS_PER_COPY):
            target.write(text.removeprefix("\ufeff").encode())
    except UnicodeError as error:
        raise UnreadableFileError(
            f"{name} is not {encoding} text: {error.reason if isinstance(error, UnicodeDecodeError) else error}.",
            code="wrong-encoding",
            fields={"encoding": encoding},
            advice=[] if encoding == "cp1252" else [Advice({"encoding": "latin-1"})],
        ) from None
    finally:
        reader.detach()


def _is_utf8(sample: bytes) -> bool:
    """Return whether bytes are UTF-8 text, of which the end may be cut within a character."""
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start >= len(sample) - 4 and error.reason == "unexpected end of data"
    return True


def _wide_encoding(sample: bytes, name: str) -> str:
    """Return UTF-16 without a byte order mark, in which every other byte of most texts is zero."""
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) / 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    raise UnreadableFileError(f"{name} is a binary file, not text with columns.", code="binary-file")
