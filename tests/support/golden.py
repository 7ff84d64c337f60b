"""Reports on bundled examples, which `python -m tests.support.golden` writes as golden files to be reviewed."""

from __future__ import annotations

from pathlib import Path

import kappamax as km

FOLDER = Path(__file__).parents[1] / "data" / "golden"
ENDINGS = ("txt", "html", "json", "tex", "md", "csv")


def reports() -> dict[str, km.results.Report]:
    """Return a report on two raters and one on three raters."""
    return {
        "two": km.report(km.example("rapallo2022"), title="Two raters"),
        "three": km.report(km.example("rapallo2022-three"), weights=["unweighted", "linear"], title="Three raters"),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, report in reports().items():
        for ending in ENDINGS:
            report.save(FOLDER / f"{name}.{ending}")
