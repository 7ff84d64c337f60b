"""Provide bundled datasets: the tables of the source paper and classic datasets of the field."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kappamax._validate import as_choice
from kappamax.io import read_ratings
from kappamax.table import Table

__all__ = ["EXAMPLES", "Example", "example"]

_FOLDER = Path(__file__).parent / "data"


@dataclass(frozen=True)
class Example:
    """A bundled dataset.

    Attributes
    ----------
    name : str
        Name of the dataset.
    title : str
        Short description of the raters, categories and subjects.
    source : str
        Publication or package from which the dataset is taken.
    layout : str
        Layout of its file, as for `read_ratings`.
    categories : tuple of str or None
        Categories in order, if they are text and the publication orders them; otherwise None.
    cluster : str or None
        Column of the file that gives the clusters of the subjects; None if they are not in clusters.
    """

    name: str
    title: str
    source: str
    layout: str
    categories: tuple[str, ...] | None = None
    cluster: str | None = None

    @property
    def path(self) -> Path:
        """Path of the file with the dataset."""
        return _FOLDER / f"{self.name}.csv"


def example(name: str | None = None) -> Table:
    """Return a bundled dataset as a table.

    Parameters
    ----------
    name : str
        Name of the dataset, one of the keys of `EXAMPLES`, which also gives the sources.

    Returns
    -------
    Table

    Raises
    ------
    InvalidOptionError
        If there is no such dataset.

    Examples
    --------
    >>> import kappamax as km
    >>> km.example("rapallo2022")
    Table(33 subjects, 2 raters, categories 1, 2, 3, 4)
    rater 1 \\ rater 2  1  2   3  4  total
    -----------------  -  -  --  -  -----
    1                  5  3   2  1     11
    2                  1  4   3  0      8
    3                  0  1   5  1      7
    4                  0  1   2  4      7
    total              6  9  12  6     33
    Read from rapallo2022.csv (counts layout).
    """
    chosen = EXAMPLES[as_choice("name", name, tuple(EXAMPLES))]
    return read_ratings(chosen.path, layout=chosen.layout, categories=chosen.categories, cluster=chosen.cluster)


#: The bundled datasets by name; ``kappamax example`` lists them.
EXAMPLES = {
    one.name: one
    for one in (
        Example(
            "rapallo2022",
            "two raters, four ordered categories, 33 subjects",
            "Rapallo (2022), Psychometrika, figure 3(a)",
            "counts",
        ),
        Example(
            "rapallo2022-three",
            "three raters, three ordered categories, 16 subjects",
            "Rapallo (2022), Psychometrika, figure 4",
            "wide",
        ),
        Example(
            "cohen1968",
            "two judges, three diagnoses, 200 patients",
            "Cohen (1968), Psychological Bulletin 70, table 1",
            "counts",
        ),
        Example(
            "fleiss1969",
            "two clinicians, three diagnoses, 200 patients",
            "Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72",
            "counts",
        ),
        Example(
            "diagnoses",
            "six raters, five diagnoses, 30 patients; the raters were not identified",
            "Fleiss (1971), Psychological Bulletin 76; R package irr",
            "wide",
        ),
        Example("anxiety", "three raters, scores 1 to 6, 20 people", "artificial; R package irr", "wide"),
        Example(
            "gwet2014",
            "four raters, five categories, 12 units, some ratings missing",
            "Krippendorff (2011); Gwet (2014), Handbook of Inter-Rater Reliability, page 120",
            "wide",
        ),
        Example(
            "vision",
            "right and left eye, four grades, 7,477 women",
            "Stuart (1953), Biometrika 40; R package irr",
            "counts",
            ("1st grade", "2nd grade", "3rd grade", "4th Grade"),
        ),
        Example(
            "sexual-fun",
            "wives and husbands, four answers, 91 couples",
            "Hout, Duncan and Sobel (1987), Sociological Methodology 17; R package vcd",
            "counts",
            ("Never Fun", "Fairly Often", "Very Often", "Always fun"),
        ),
        Example(
            "vassarstats",
            "two raters, three ordered categories, 100 subjects",
            "VassarStats, kappa page",
            "counts",
            ("A", "B", "C"),
        ),
        Example(
            "depression",
            "diagnosis and two questionnaires, two categories, 50 patients",
            "Vanbelle and Albert (2008), Journal of Statistical Computation and Simulation 78; R package multiagree",
            "wide",
        ),
        Example(
            "fees",
            "endoscopic scores 0 to 2 by two raters and in consensus, twice each, 40 swallows of 20 patients",
            "Vanbelle (2017), Biometrical Journal 59; R package multiagree",
            "wide",
            cluster="patient",
        ),
    )
}


def __dir__() -> list[str]:
    """List the public names only."""
    return __all__
