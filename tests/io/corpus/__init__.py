"""A corpus of files as people have them, each with the ratings that are in it.

`PROBLEMS` are files that a careless reader gets wrong, `CLEAN` are files that nobody should be asked about, and for
`WITHOUT_NUMBER` every number would be wrong. All are lists of pairs of a subject and a case.
"""

from __future__ import annotations

from types import ModuleType

from tests.io.corpus import (
    annotation_tools,
    clean,
    clean_formats,
    combined,
    counts_tables,
    encodings,
    headers_and_footers,
    identifiers,
    json_parquet,
    labels,
    long_tables,
    no_number,
    other_columns,
    spreadsheets,
    statistics_tools,
    study_designs,
    survey_tools,
    transposed,
)
from tests.io.corpus.case import Case

Subjects = list[tuple[str, Case]]


def cases_of(*subjects: ModuleType) -> Subjects:
    """Return the cases of modules, each with the name of its module."""
    return [(module.__name__.rpartition(".")[2], case) for module in subjects for case in module.cases()]


PROBLEM_SUBJECTS = (
    identifiers,
    other_columns,
    long_tables,
    counts_tables,
    headers_and_footers,
    encodings,
    labels,
    transposed,
    spreadsheets,
    json_parquet,
    survey_tools,
    annotation_tools,
    statistics_tools,
    study_designs,
    combined,
)
CLEAN_SUBJECTS = (clean, clean_formats)
PROBLEMS = cases_of(*PROBLEM_SUBJECTS)
WITHOUT_NUMBER = cases_of(no_number)
CLEAN = cases_of(*CLEAN_SUBJECTS)
