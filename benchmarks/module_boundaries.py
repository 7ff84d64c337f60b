"""Count the calls that cross from one module of kappamax to another while a command runs.

`python -m benchmarks.module_boundaries` counts them for `kappamax kappa` on a file of eight subjects. A high number
means that a reader has to visit many files to follow one command.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType

RATINGS = "first,second\nno,no\nno,yes\nyes,yes\nyes,yes\nno,no\nyes,no\nno,no\nyes,yes\n"


def count_boundaries(work: Callable[[], object]) -> Counter[tuple[str, str]]:
    """Number of calls from one module of kappamax to another, by (calling module, called module)."""
    crossings: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or frame.f_back is None or "<module>" in (frame.f_code.co_name, frame.f_back.f_code.co_name):
            return
        called, calling = frame.f_globals.get("__name__", ""), frame.f_back.f_globals.get("__name__", "")
        if called.startswith("kappamax") and calling.startswith("kappamax") and called != calling:
            crossings[calling, called] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return crossings


def main() -> None:
    """Print the number of modules passed and of calls between them."""
    from kappamax.cli import main as command

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.csv"
        path.write_text(RATINGS, encoding="utf-8")

        def run() -> None:
            with redirect_stdout(StringIO()):
                command(["kappa", str(path)], standalone_mode=False)

        crossings = count_boundaries(run)
    modules = {module for pair in crossings for module in pair}
    print(f"{len(modules)} modules, {len(crossings)} pairs of modules, {crossings.total()} calls between modules")
    for (calling, called), number in crossings.most_common():
        print(f"{number:5}  {calling} -> {called}")


if __name__ == "__main__":
    main()
