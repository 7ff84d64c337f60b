"""Check every item of the paper and report the verdicts as a Markdown page or as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kappamax._progress import ProgressLike
from kappamax._result import TableResult, plain
from kappamax._validate import as_whole_number
from kappamax.display import numbers
from kappamax.display.tables import markdown_table
from kappamax.paper import definitions, maxima, moves, shared_kappa, statements
from kappamax.paper.study.claims import check_claims
from kappamax.paper.study.comparison import FAMILY_LEVEL, compare_claims, compare_design, compare_rows, cutoff
from kappamax.paper.study.run import run_study
from kappamax.paper.study.scenarios import paper_scenarios
from kappamax.paper.verdict import STATUSES, Check, Verdict

#: all checks except the simulation study, in the order of the paper
CHECKS: tuple[Check, ...] = (
    *definitions.CHECKS,
    *moves.CHECKS,
    *statements.CHECKS,
    *shared_kappa.CHECKS,
    *maxima.CHECKS,
)


def check_paper(
    *,
    n_tables: int = 100,
    rng: int = 1,
    n_jobs: int | None = None,
    progress: ProgressLike = None,
) -> PaperCheck:
    """Recompute the examples, statements, figures, tables and claims of the source paper.

    Parameters
    ----------
    n_tables : int
        Number of simulated tables per row of the paper's study, at least 2, default 100. The paper has 60 rows with
        1,000 tables each. With very few tables, standard deviations are imprecise, and rows may therefore be reported
        as not reproduced.
    rng : int
        Seed of the study, default 1.
    n_jobs : int, optional
        Number of processes. None, the default, uses the setting of `joblib.parallel_config`, or one process.
    progress : callable or True, optional
        True shows the progress on standard error; a function is called as ``progress(done, total, message)`` during the
        study, as by `run_study`.

    Returns
    -------
    PaperCheck
        A verdict on every item of the paper.
    """
    n_tables = as_whole_number("n_tables", n_tables, 2)
    items = [item for check in CHECKS for item in check()]
    study = run_study(paper_scenarios(), n_tables=n_tables, rng=rng, n_jobs=n_jobs, progress=progress)
    items += compare_claims(check_claims(study, n_jobs=n_jobs))
    items += [*compare_design(study.rows), *compare_rows(study.rows)]
    return PaperCheck(tuple(items), n_tables)


@dataclass(frozen=True, repr=False)
class PaperCheck(TableResult):
    """Verdicts on all items of the paper.

    Attributes
    ----------
    items : tuple of Verdict
        One verdict per item, in the order of the paper.
    n_tables : int
        Number of simulated tables per row of the study.
    """

    items: tuple[Verdict, ...]
    n_tables: int

    @property
    def changed(self) -> tuple[Verdict, ...]:
        """Items whose verdict differs from the known one."""
        return tuple(item for item in self.items if item.status == "changed")

    @property
    def not_reproduced(self) -> tuple[Verdict, ...]:
        """Figures of the study beyond the cut-off, and claims about the study that our results do not support."""
        return tuple(item for item in self.items if item.status == "not reproduced")

    def _columns(self) -> dict[str, Iterable[Any]]:
        names = ("where", "what", "published", "ours", "status", "reason")
        return {name: [getattr(item, name) for item in self.items] for name in names}

    def counts(self) -> dict[str, int]:
        """Return the number of items with each verdict."""
        return {status: sum(item.status == status for item in self.items) for status in STATUSES}

    def to_markdown(self) -> str:
        """Return a Markdown page with all items."""
        counts = ", ".join(f"{n} {status}" for status, n in self.counts().items() if n)
        figures = [item for item in self.items if item.where.startswith("Table ")]
        others = [item for item in self.items if not item.where.startswith("Table ")]
        n_rows = len({item.what.partition(", ")[2] + item.where for item in figures if item.status != "not determined"})
        return (
            "# The paper, line by line\n\nThis page lists the examples, statements, figures, tables and claims of "
            "F. Rapallo, *Analysis of the weighted kappa and its maximum with Markov moves* (Psychometrika, 2022), as "
            f"recomputed by `kappamax paper` with {self.n_tables:,} simulated tables per row of the study. There are "
            f"{len(self.items)} items: {counts}. Statements about other publications and programs, and misprints that "
            "cannot be misunderstood, are left out.\n\n"
            "- *reproduced*: we obtain the same result.\n"
            "- *corrected*: we obtain another result, for the reason given.\n"
            "- *not reproduced*: a simulated figure lies beyond the cut-off below.\n"
            "- *not determined*: the paper does not give the settings.\n\n"
            "The command exits with an error if the verdict on an item changes, or if a figure of the study is not "
            "reproduced. For every item, a test changes the computation and checks that the verdict changes.\n\n"
            f"## Text and figures\n\n{_table(others)}\n"
            "## Tables of the simulation study\n\n"
            f"The settings of {n_rows} rows are known. Their means, standard deviations and percentiles are three "
            f"families of {n_rows} comparisons. The cut-off was fixed before the comparison: by Šidák's rule with a "
            f"family level of {numbers.percent(FAMILY_LEVEL)}, a figure is reproduced if |z| is at most "
            f"{cutoff(n_rows):.2f}. For the mean, z is the difference divided by the combined standard error. For the "
            "standard deviation, z is the log ratio divided by its standard error. For the percentile, z has the same "
            "p-value as the number of our tables beyond the published percentile, which has a beta-binomial "
            "distribution if both studies sample from the same distribution of stopping times.\n\n"
            f"{_table(figures)}"
        )

    def to_dict(self) -> dict[str, object]:
        """Return the verdicts as plain data."""
        return {"n_tables": self.n_tables, "counts": self.counts(), "items": plain(self.items)}

    def _rows(self) -> list[tuple[str, str]]:
        return [(status, numbers.count(n)) for status, n in self.counts().items()]


def _table(items: list[Verdict]) -> str:
    """Return items as a Markdown table."""
    rows = [
        [item.where, item.what, item.published, item.ours, item.status + (f": {item.reason}" if item.reason else "")]
        for item in items
    ]
    return markdown_table(["where", "what", "paper", "ours", "verdict"], rows)
