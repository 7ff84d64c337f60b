"""The command line in; printed tables, and after a full run docs/benchmarks.md, out.

python -m benchmarks                  all parts, written to docs/benchmarks.md
python -m benchmarks speed            one part, printed only
python -m benchmarks intake
python -m benchmarks maximum
python -m benchmarks fibers
python -m benchmarks annealing
python -m benchmarks reporting
python -m benchmarks coverage
python -m benchmarks fibers --update  one part, its section in docs/benchmarks.md replaced
python -m benchmarks --quick          small sizes: does everything still run?
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from benchmarks import peers

RESULTS = peers.ROOT / "docs" / "benchmarks.md"


def main() -> None:
    arguments = _arguments()
    if not peers.inside("main"):
        _start_again_in(peers.python_of("main"))

    # these need what only the peers' environment has
    from benchmarks import annealing, coverage, fibers, intake, maximum, report, reporting, speed

    sections = []
    if arguments.part in (None, "maximum"):
        alone = maximum.proofs(quick=arguments.quick)  # first, so that its peak of memory is its own
        beside = maximum.comparisons(quick=arguments.quick)
        sections.append(report.maximum_section(beside, alone))
    if arguments.part in (None, "fibers"):
        figures = fibers.figures(quick=arguments.quick)
        sections.append(report.fibers_section(fibers.comparisons(quick=arguments.quick), figures))
    if arguments.part in (None, "speed"):
        sections.append(report.speed_section(speed.comparisons(quick=arguments.quick)))
    if arguments.part in (None, "intake"):
        sections.append(report.intake_section(list(intake.readings(quick=arguments.quick))))
    if arguments.part in (None, "annealing"):
        sections.append(report.annealing_section(annealing.measures(quick=arguments.quick)))
    if arguments.part in (None, "reporting"):
        sections.append(report.reporting_section(reporting.reports(quick=arguments.quick)))
    if arguments.part in (None, "coverage"):
        sections.append(report.coverage_section(coverage.coverages(quick=arguments.quick)))
    if arguments.update:
        RESULTS.write_text(report.updated(RESULTS.read_text(), sections))
    text = report.document(sections, quick=arguments.quick)
    print(text, end="")
    if arguments.output is not None:
        arguments.output.write_text(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument(
        "part",
        nargs="?",
        choices=("speed", "intake", "maximum", "fibers", "annealing", "reporting", "coverage"),
        help="one part only; all if left out",
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that everything runs")
    parser.add_argument("--update", action="store_true", help="replace the part's section in docs/benchmarks.md")
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
