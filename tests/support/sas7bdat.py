"""Write small files in the format of SAS (.sas7bdat), for which no Python package has a writer.

The layout follows the public description "SAS7BDAT Database Binary Format" by Matthew Shotwell: a header, one page with
the descriptions of the columns, and one page with the rows. The tests that use it read the result by pandas as well.
"""

from __future__ import annotations

import struct
from math import isnan

_PAGE = 4096
_HEADER = 1024
_MAGIC = bytes(12) + bytes.fromhex("c2ea8160b31411cfbd92080009c7318c181f1011")


def sas7bdat(columns, formats=None):
    """Return the bytes of a file with columns of numbers or of text; None is the missing value of SAS.

    Other missing values are given by texts such as ".A" in a column of numbers. `formats` are the names of the formats
    of columns, whose value labels are in a catalog.
    """
    widths = {
        name: 8 if _is_numeric(values) else max(8, *(len(text.encode()) for text in values))
        for name, values in columns.items()
    }
    n_rows = len(next(iter(columns.values())))
    row_length = sum(widths.values())
    rows = b"".join(
        b"".join(
            _number(values[i]) if _is_numeric(values) else values[i].encode().ljust(widths[name])
            for name, values in columns.items()
        )
        for i in range(n_rows)
    )
    assert 24 + len(rows) <= _PAGE, "the rows must fit on one page"
    data = struct.pack("<16xHHHxx", 0x100, n_rows, 0) + rows
    page = _descriptions(columns, widths, n_rows, row_length, formats or {})
    return _header() + page + data.ljust(_PAGE, b"\0")


def _is_numeric(values):
    return not any(isinstance(value, str) and not value.startswith(".") for value in values)


def _number(value):
    """Return a number; in a missing value the sixth byte is the complement of 1, or of 2 for .A, 3 for .B and so on."""
    if value is None:
        return bytes([0, 0, 0, 0, 0, 0xFE, 0xFF, 0xFF])
    if isinstance(value, str):
        return bytes([0, 0, 0, 0, 0, 0xFF - (ord(value[1]) - ord("A") + 2), 0xFF, 0xFF])
    assert not isnan(value)
    return struct.pack("<d", value)


def _header():
    header = bytearray(_HEADER)
    header[:32] = _MAGIC
    header[32], header[35], header[37], header[39], header[70] = 0x22, 0x22, 1, ord("1"), 20  # 32 bits, UTF-8
    header[84:92], header[92:124], header[156:164] = b"SAS FILE", b"RATINGS".ljust(32), b"DATA    "
    struct.pack_into("<dd16xIII", header, 164, 0.0, 0.0, _HEADER, _PAGE, 2)
    header[216:224] = b"9.0401M5"
    return bytes(header)


def _descriptions(columns, widths, n_rows, row_length, formats):
    """Return the page that describes the columns."""
    names = list(columns)
    entries = [*names, *(formats.get(name, "") for name in names)]  # each has 32 bytes, after a preamble of 22
    texts = bytes(22) + b"".join(text.encode().ljust(32) for text in entries) + bytes(8)
    text = struct.pack("<IH", 0xFFFFFFFD, len(texts) - 6) + texts
    size = bytearray(480)
    struct.pack_into("<I16xII", size, 0, 0xF7F7F7F7, row_length, n_rows)
    struct.pack_into("<I", size, 36, len(names))
    struct.pack_into("<II", size, 52, _PAGE, 0)
    struct.pack_into("<I", size, 60, n_rows)
    pointers = b"".join(struct.pack("<HHHH", 0, 24 + 32 * i, len(name), 0) for i, name in enumerate(names))
    starts = [sum(list(widths.values())[:i]) for i in range(len(names))]
    kinds = [1 if _is_numeric(values) else 2 for values in columns.values()]
    attributes = b"".join(
        struct.pack("<IIHBx", start, width, 1024, kind)
        for start, width, kind in zip(starts, widths.values(), kinds, strict=True)
    )
    parts = [
        bytes(size),
        struct.pack("<II4x", 0xF6F6F6F6, len(names)),
        text,
        _counted(0xFFFFFFFF, pointers),
        _counted(0xFFFFFFFC, attributes),
        *(
            struct.pack("<I30xHHH12x", 0xFFFFFBFE, 0, 24 + 32 * (len(names) + i), len(formats.get(name, "")))
            for i, name in enumerate(names)
        ),
    ]
    page = struct.pack("<16xHHHxx", 0, len(parts), len(parts))
    end, body = _PAGE, b""
    for part in parts:
        end -= len(part)
        page += struct.pack("<IIBB2x", end, len(part), 0, 1)
        body = part + body
    return page + bytes(_PAGE - len(page) - len(body)) + body


def _counted(signature, entries):
    return struct.pack("<IH6x", signature, len(entries) + 8) + entries + bytes(8)
