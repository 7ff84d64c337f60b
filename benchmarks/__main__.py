"""Run the benchmarks; a full run also writes docs/benchmarks.md and docs/peers.md.

python -m benchmarks                  all parts, written to docs/benchmarks.md and docs/peers.md
python -m benchmarks speed            one part, printed only
python -m benchmarks intake
python -m benchmarks inspection
python -m benchmarks maximum
python -m benchmarks extremes
python -m benchmarks fibers
python -m benchmarks annealing
python -m benchmarks reporting
python -m benchmarks web
python -m benchmarks peers            right answers and times of other packages, a tenth of the size of speed
python -m benchmarks fibers --update  one part, its section in docs/benchmarks.md replaced
python -m benchmarks peers --update   docs/peers.md written
python -m benchmarks --quick          small sizes: does everything still run?
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import peers

if TYPE_CHECKING:
    from benchmarks.speed import Comparison

RESULTS = peers.ROOT / "docs" / "benchmarks.md"
PEERS = peers.ROOT / "docs" / "peers.md"
PARTS = (
    "speed",
    "intake",
    "inspection",
    "maximum",
    "extremes",
    "fibers",
    "annealing",
    "reporting",
    "web",
    "peers",
)


def main() -> None:
    arguments = _arguments()
    if not peers.inside("main"):
        _start_again_in(peers.python_of("main"))
    if arguments.part == "peers":
        _write_peers(arguments, _peer_rows(quick=arguments.quick))
        return

    # these need what only the peers' environment has
    from benchmarks import (
        annealing,
        extremes,
        fibers,
        inspection,
        intake,
        maximum,
        report,
        reporting,
        speed,
        web,
    )

    quick = arguments.quick
    sections = []
    rows: list[Comparison] = []
    if arguments.part in (None, "extremes"):  # first, so that its peak of memory is its own
        found = list(extremes.extremes(quick=quick))
        sections.append(report.extremes_section(found, list(extremes.gaps(quick=quick))))
    if arguments.part in (None, "maximum"):
        beside = maximum.comparisons(quick=quick)
        rows += beside
        sections.append(report.maximum_section(beside))
    if arguments.part in (None, "fibers"):
        figures = fibers.figures(quick=quick)
        beside = fibers.comparisons(quick=quick)
        rows += beside
        sections.append(report.fibers_section(beside, figures))
    if arguments.part in (None, "speed"):
        beside = speed.comparisons(cut=100 if quick else 1)
        rows += beside
        sections.append(report.speed_section(beside))
    if arguments.part in (None, "intake"):
        sections.append(report.intake_section(list(intake.readings(quick=quick))))
    if arguments.part in (None, "inspection"):
        sections.append(report.inspection_section(list(inspection.comparisons(quick=quick))))
    if arguments.part in (None, "annealing"):
        sections.append(report.annealing_section(annealing.measures(quick=quick)))
    if arguments.part in (None, "reporting"):
        sections.append(report.reporting_section(reporting.reports(quick=quick)))
    if arguments.part in (None, "web"):
        sections.append(report.web_section(web.loads(quick=quick)))
    if arguments.update:
        RESULTS.write_text(report.updated(RESULTS.read_text(), sections))
    text = report.document(sections, quick=quick)
    print(text, end="")
    if arguments.output is not None:
        arguments.output.write_text(text)
    if arguments.part is None:
        _write_peers(arguments, rows)


def _peer_rows(*, quick: bool) -> list[Comparison]:
    """The comparisons of the other parts, for a run of the peers alone: smaller, by the same code."""
    from benchmarks import fibers, maximum, speed

    return [
        *speed.comparisons(cut=100 if quick else 10),
        *maximum.comparisons(quick=quick),
        *fibers.comparisons(quick=quick),
    ]


def _write_peers(arguments: argparse.Namespace, rows: list[Comparison]) -> None:
    """Ask the packages, time those that no other part times, and write the page."""
    from benchmarks import answers, correctness, peer_speed, peers_page, r

    verdicts = correctness.verdicts()
    rows = [*rows, *peer_speed.comparisons(cut=100 if arguments.quick else 1)]
    packages = list(dict.fromkeys(one.package for one in verdicts))
    calls = answers.CALLS | {f"R {package}": call for package, call in r.CALLS.items()}
    text = peers_page.page(
        verdicts,
        correctness.read_only(),
        rows,
        {package: calls[package] for package in packages},
        r.versions(),
        quick=arguments.quick,
    )
    print(text, end="")
    if arguments.update or (arguments.part is None and not arguments.quick):
        PEERS.write_text(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "part",
        nargs="?",
        choices=PARTS,
        help="one part only; all if left out",
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything runs")
    parser.add_argument("--update", action="store_true", help="write the part into docs/benchmarks.md or docs/peers.md")
    parser.add_argument(
        "--output", type=Path, help="file for the results; a full run writes docs/benchmarks.md, any other none"
    )
    arguments = parser.parse_args()
    if arguments.output is None and arguments.part is None and not arguments.quick:
        arguments.output = RESULTS
    return arguments


def _start_again_in(python: Path) -> None:
    """Replace this process by the same command in another environment, with kappamax from `src`."""
    command = [str(python), "-m", "benchmarks", *sys.argv[1:]]
    os.execve(python, command, os.environ | {"PYTHONPATH": str(peers.ROOT / "src")})


if __name__ == "__main__":
    main()
