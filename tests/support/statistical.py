"""Write small files of Stata, SPSS and SAS."""

from __future__ import annotations

import pandas as pd
import pyreadstat

from tests.support.sas7bdat import sas7bdat


def write_sav(
    path, columns, *, labels=None, missing=None, measure=None, descriptions=None, formats=None, compress=False
):
    """Write a file of SPSS and return its path."""
    pyreadstat.write_sav(
        pd.DataFrame(columns),
        str(path),
        variable_value_labels=labels,
        missing_ranges=missing,
        variable_measure=measure,
        column_labels=descriptions,
        variable_format=formats,
        compress=compress,
    )
    return path


def write_dta(path, columns, *, labels=None, missing=None, version=15):
    """Write a file of Stata and return its path."""
    frame = pd.DataFrame({name: pd.Series(values, dtype=_dtype(values)) for name, values in columns.items()})
    pyreadstat.write_dta(frame, str(path), variable_value_labels=labels, missing_user_values=missing, version=version)
    return path


def write_xpt(path, columns, *, version=5):
    """Write a transport file of SAS and return its path."""
    pyreadstat.write_xport(pd.DataFrame(columns), str(path), file_format_version=version)
    return path


def write_por(path, columns):
    """Write a portable file of SPSS, in which names are in upper case, and return its path."""
    pyreadstat.write_por(pd.DataFrame(columns), str(path))
    return path


def write_sas7bdat(path, columns, *, formats=None):
    """Write a file of SAS and return its path."""
    path.write_bytes(sas7bdat(columns, formats))
    return path


def _dtype(values):
    """Return the type of a column; codes for missing values make it a column of objects."""
    return object if {type(value) for value in values} >= {int, str} else None
