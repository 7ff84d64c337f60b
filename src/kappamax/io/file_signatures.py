"""Recognise the format of a file by its first bytes, whatever the name of the file is."""

from __future__ import annotations

import re
from pathlib import Path

#: number of bytes at the beginning of a file by which its format is recognised
N_SIGNATURE_BYTES = 600

#: names of the formats of Arrow, of statistical packages, and of all files whose columns have types
ARROW_FORMATS = ("Arrow", "Arrow stream", "Feather 1")
STATISTICAL_FORMATS = ("Stata", "SPSS", "SPSS portable", "SAS", "SAS catalog", "SAS transport")
TYPED_FORMATS = ("Parquet", *ARROW_FORMATS, *STATISTICAL_FORMATS)

_SAS = bytes.fromhex("00 00 00 00 00 00 00 00 00 00 00 00 c2 ea 81")
_SIGNATURES = {
    "Parquet": rb"PAR1",
    "Arrow": rb"ARROW1",
    "Arrow stream": rb"\xff\xff\xff\xff.{3}\x00",  # a marker, and the size of the schema as an integer below 2^24
    "Feather 1": rb"FEA1",
    "gzip": rb"\x1f\x8b",
    "bzip2": rb"BZh[1-9](1AY&SY|\x17rE8P\x90)",
    "xz": rb"\xfd7zXZ\x00",
    "Zstandard": rb"\x28\xb5\x2f\xfd",
    "zip": rb"PK(\x03\x04|\x05\x06)",
    "spreadsheet": rb"\xd0\xcf\x11\xe0",
    "Stata": rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01",  # versions 102 to 115 begin with the version and the byte order
    "SPSS": rb"\$FL[23]",
    "SPSS portable": rb".{456}SPSSPORT",
    "SAS": re.escape(_SAS) + rb"\x60",
    "SAS catalog": re.escape(_SAS) + rb"\x63",
    "SAS transport": rb"HEADER RECORD\*{7}LIB(RARY|V8  ) ",
}
_PATTERNS = {name: re.compile(pattern, re.DOTALL) for name, pattern in _SIGNATURES.items()}


def format_of(path: Path) -> str:
    """Return the name of a file's format as in `format_of_bytes`; a folder contains Parquet files."""
    if path.is_dir():
        return "Parquet"
    with path.open("rb") as file:
        return format_of_bytes(file.read(N_SIGNATURE_BYTES))


def format_of_bytes(start: bytes) -> str:
    """Return the name of the format of a file that begins with the given bytes, or "text" if they are no signature."""
    unbroken = re.sub(rb"[\r\n]", b"", start)  # the lines of a portable file of SPSS have 80 characters
    for name, pattern in _PATTERNS.items():
        if pattern.match(unbroken if name == "SPSS portable" else start):
            return name
    return "text"
