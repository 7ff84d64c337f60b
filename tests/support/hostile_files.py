"""Make hostile files from valid ones, the same for the same seed."""

import bz2
import gzip
import io
import json
import lzma
import random
import zipfile

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather, ipc

from tests.support.hostile_labels import LABELS
from tests.support.opendocument import opendocument

ROWS = [
    ("none", "mild"),
    ("mild", "mild"),
    ("severe", "mild"),
    ("none", "none"),
    ("severe", "severe"),
    ("mild", "none"),
]
_COLUMNS = {"anna": [a for a, _ in ROWS], "ben": [b for _, b in ROWS]}
_PIECES = [
    *(
        b"",
        b"\0",
        b"\n",
        b"\r",
        b"\r\n",
        b'"',
        b'""',
        b",",
        b";",
        b"\t",
        b"|",
        b"\xff",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\x1a",
    ),
    *(b"{", b"}", b"[", b"]", b"[" * 500, b'{"a":' * 500, b":", b"null", b"1e999", b"-0", b"9" * 5000, b"\\u0000"),
    *(b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"PK\x03\x04", b"PAR1", b"\x1f\x8b", b"<!DOCTYPE x>", b"&lt;", b"</row>"),
    *(b'r="XFD1048576"', b'table:number-columns-repeated="99999999"', b"x" * 200_000, b"a,b\n" * 5000),
    *(label.encode() for label in LABELS.values()),
]


def _text(delimiter=","):
    return "".join(f"{a}{delimiter}{b}\n" for a, b in [("anna", "ben"), *ROWS]).encode()


def _workbook():
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in [("anna", "ben"), *ROWS]:
        book.active.append(row)
    book.save(out)
    return out.getvalue()


def _arrow(write):
    out = io.BytesIO()
    write(pa.table(_COLUMNS), out)
    return out.getvalue()


def _stream(table, out):
    with ipc.new_stream(out, table.schema) as writer:
        writer.write_table(table)


def _zipped(content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ratings.csv", content)
    return out.getvalue()


def valid_files():
    """Return a small valid file of each format, by name."""
    objects = [{"anna": a, "ben": b} for a, b in ROWS]
    lines = "".join(f"{json.dumps(one)}\n" for one in objects).encode()
    return {
        "text": _text(),
        "tabs": _text("\t"),
        "UTF-16": _text().decode().encode("utf-16"),
        "long": b"subject,rater,rating\n"
        + b"".join(b"%d,%s,%d\n" % (i // 2, b"ab"[i % 2 : i % 2 + 1], i % 3) for i in range(20)),
        "counts": b",1,2,3\n1,5,1,0\n2,1,6,1\n3,0,2,7\n",
        "JSON lines": lines,
        "JSON array": json.dumps(objects).encode(),
        "JSON columns": json.dumps(_COLUMNS).encode(),
        "JSON lists": json.dumps([["anna", "ben"], *ROWS]).encode(),
        "Parquet": _arrow(pq.write_table),
        "Feather": _arrow(feather.write_feather),
        "Arrow stream": _arrow(_stream),
        "workbook": _workbook(),
        "OpenDocument": opendocument({"ratings": [["anna", "ben"], *map(list, ROWS)]}),
        "gzip": gzip.compress(_text(), mtime=0),
        "bzip2": bz2.compress(_text()),
        "xz": lzma.compress(_text()),
        "zip": _zipped(_text()),
    }


def damaged(content, rng):
    """Return content with a few random cuts, repetitions, insertions and changed bits."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(content) + 1)
        end = min(len(content), start + rng.choice([0, 1, 2, 8, 64, 1000]))
        kind = rng.randrange(5)
        if kind == 0:
            content = content[:start]
        elif kind == 1:
            content = content[:end] + content[start:end] * rng.choice([1, 2, 100]) + content[end:]
        elif kind == 2 and start < len(content):
            content = content[:start] + bytes([content[start] ^ (1 << rng.randrange(8))]) + content[start + 1 :]
        else:
            content = content[:start] + rng.choice(_PIECES) + content[end:]
    return content


def damaged_part(content, rng):
    """Return an archive in which one part is damaged and the checksums are right, so that a reader gets to see it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = rng.choice(old.namelist())
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, damaged(part, rng) if name == chosen else part)
    return out.getvalue()


def hostile_files(n, seed):
    """Yield names and contents of n hostile files."""
    rng, files = random.Random(seed), valid_files()
    archives = {name for name, content in files.items() if content.startswith(b"PK")}
    for i in range(n):
        name = rng.choice(list(files))
        inside = name in archives and rng.random() < 0.7
        yield f"{name} {i}", (damaged_part if inside else damaged)(files[name], rng)
