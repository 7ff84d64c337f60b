"""The levels and coverages in the documentation are those of the simulation study."""

import pytest

from benchmarks.group_test_levels import (
    COVERAGES,
    DESIGNS,
    LEVELS,
    SHOWN,
    Population,
    populations,
    simulated,
    study_seed,
)
from tests.support.page_blocks import ROOT

NAMES = (*LEVELS, *COVERAGES)


def documented():
    """Return the rows of the two tables on the page: ranges by design, and shares by population."""
    page = (ROOT / "docs" / "howto" / "groups-and-time.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines() if line.startswith("|")]
    rows = [row for row in rows if row[0] != "subjects" and not row[0].startswith("-")]
    return [row for row in rows if len(row) == 2 + len(NAMES)], [row for row in rows if len(row) == 5 + len(NAMES)]


def test_every_design_and_population_has_a_row():
    """The rows are in the order of the study, and the ranges are those of the listed populations."""
    ranges, shares = documented()
    assert [(row[0], int(row[1])) for row in ranges] == [
        (next(populations(sizes)).cells[0], n) for sizes, n in DESIGNS.items()
    ]
    assert [row[:5] for row in shares] == [one.cells for sizes in SHOWN for one in populations(sizes)]
    for sizes in SHOWN:
        own = next(row for row in ranges if row[0] == next(populations(sizes)).cells[0])
        listed = [row[5:] for row in shares if row[0] == own[0]]
        for i, shown in enumerate(own[2:]):
            column = [float(row[i]) for row in listed if row[i]]
            assert shown == f"{min(column):.1f} to {max(column):.1f}"


def test_the_default_test_holds_its_level():
    """In groups of 20 or more subjects, it rejects in at most 7.5% of the studies, within two Monte Carlo errors."""
    ranges, _ = documented()
    for row in ranges:
        if min(int(size) for size in row[0].split(" x ")[-1].split(", ")) >= 20:
            largest = float(row[2 + NAMES.index("simulation")].split(" to ")[1])
            assert largest <= 7.5 + 200 * (0.075 * 0.925 / int(row[1])) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    "population",
    [
        Population((20, 20), 2, "unweighted", (0.5, 0.9), (0.4, 0.4)),
        Population((20, 20), 3, "quadratic", (0.9, 0.9), (0.4, 0.4)),
        Population((20,) * 5, 3, "quadratic", (0.5, 0.5), (0.4, 0.4)),
    ],
)
def test_the_shares_in_the_documentation_are_found_again(population):
    """Other random studies give the documented shares within four Monte Carlo errors of both simulations."""
    row = next(row for row in documented()[1] if row[:5] == population.cells)
    n = 60
    found = simulated(population, n, [*study_seed(population), 1])
    for name, shown in zip(NAMES, row[5:], strict=True):
        share = float(shown) / 100
        variance = max(share * (1 - share), 0.01)
        assert abs(found[name] - share) < 4 * (variance * (1 / n + 1 / DESIGNS[population.sizes])) ** 0.5 + 0.0005
