"""The page of limits has the numbers of the code, and the tests that it names exist."""

import re
from importlib import import_module

import pytest

from kappamax.web import limits
from tests.support.page_blocks import ROOT

UNITS = {"MB": 1_000_000, "GB": 1_000_000_000}


def rows_of(text):
    """Return the rows of all tables with the four columns of the page, without their headers."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")
    ]
    return [row for row in cells if len(row) == 4 and row[0] not in ("what", "---")]


def number_of(words):
    """Return the number that a limit begins with, in bytes if it is a size."""
    number, unit = re.match(r"([\d,.]+) ?(\w*)", words).groups()
    return float(number.replace(",", "")) * UNITS.get(unit, 1)


ROWS = rows_of((ROOT / "docs" / "limits.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", [row for row in ROWS if row[2] != "—"], ids=lambda row: row[2])
def test_a_limit_has_the_value_of_its_constant(row):
    """The constant is named with its module."""
    module, _, name = row[2].strip("`").rpartition(".")
    assert number_of(row[1]) == getattr(import_module(module), name)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_a_row_names_a_test_that_exists(row):
    """The test is a function of the named module."""
    path, _, name = row[3].strip("`").partition("::")
    assert re.search(rf"^def {name}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), row[3]


def test_every_limit_of_the_page_is_documented():
    """Each constant of the module has a row."""
    constants = {f"`kappamax.web.limits.{name}`" for name in vars(limits) if name.isupper()}
    assert constants == {row[2] for row in ROWS if "web.limits" in row[2]}


def test_numbers_with_units_are_read():
    """Sizes are converted to bytes; times and counts are numbers."""
    assert [number_of(words) for words in ("1,000,000", "20 MB", "3 GB", "15 s", "2.5 s")] == [1e6, 2e7, 3e9, 15, 2.5]
