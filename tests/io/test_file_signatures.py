"""The first bytes of a file decide its format."""

import pytest

from kappamax.io.file_signatures import format_of, format_of_bytes


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"PAR1\x15\x04", "Parquet"),
        (b"ARROW1\x00\x00", "Arrow"),
        (b"\xff\xff\xff\xff\xa8\x00\x00\x00\x10", "Arrow stream"),
        (b"FEA1\x00", "Feather 1"),
        (b"<stata_dta><header>", "Stata"),
        (b"\x72\x02\x01\x00", "Stata"),
        (b"\x73\x01\x01\x00", "Stata"),
        (b"$FL2@(#) SPSS", "SPSS"),
        (b"$FL3@(#) SPSS", "SPSS"),
        (b"0" * 80 + b"\r\n" + b"0" * 376 + b"SPSSPORT", "SPSS portable"),
        (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!", "SAS transport"),
        (b"HEADER RECORD*******LIBV8   HEADER RECORD!!!!!!!", "SAS transport"),
        (bytes(12) + b"\xc2\xea\x81\x60", "SAS"),
        (bytes(12) + b"\xc2\xea\x81\x63", "SAS catalog"),
        (b"BZh91AY&SY", "bzip2"),
        (b"\xd0\xcf\x11\xe0", "spreadsheet"),
    ],
)
def test_signatures_are_recognised(start, name):
    """Versions of one format that begin differently have the same name."""
    assert format_of_bytes(start) == name


@pytest.mark.parametrize(
    "start",
    [b"", b"a,b\n1,2\n", b"BZhead,b\n", b"HEADER RECORD,a\n", b"\xff\xfea\x00", b"r1,r2\n", b"PK,b\n", b"$FLag,b\n"],
)
def test_text_is_not_mistaken_for_another_format(start):
    """Text that begins like a signature is text."""
    assert format_of_bytes(start) == "text"


def test_the_name_of_a_file_does_not_matter(tmp_path):
    """A folder contains Parquet files."""
    path = tmp_path / "ratings.sav"
    path.write_bytes(b"a,b\n1,2\n")
    assert format_of(path) == "text"
    assert format_of(tmp_path) == "Parquet"
