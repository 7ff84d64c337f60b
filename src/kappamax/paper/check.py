"""How many simulated tables in; every item of the paper with its state out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kappamax._checks import options
from kappamax._result import Result, plain
from kappamax.display import numbers
from kappamax.paper.items import STATUSES, Item, definitions, figures, maxima, moves, statements
from kappamax.reporting.papers import markdown_table
from kappamax.study.claims import check_claims
from kappamax.study.rows import StudyRow
from kappamax.study.run import Study, run_study
from kappamax.study.scenarios import paper_scenarios

__all__ = ["PaperCheck", "check_paper"]

_FAR = 4.0


def check_paper(
    *,
    n_tables: int = 100,
    seed: int = 1,
    n_jobs: int | None = None,
    progress: Callable[[float, float], None] | None = None,
) -> PaperCheck:
    """Recompute every example, statement, figure, table and claim of the paper.

    Parameters
    ----------
    n_tables : int
        Simulated tables per row of the paper's study, which has 60 rows of 1,000.
    seed, n_jobs, progress
        As for `run_study`.
    """
    n_tables = options.at_least("n_tables", n_tables, 2)
    items = [item for part in (definitions, moves, statements, figures, maxima) for item in part()]
    study = run_study(paper_scenarios(), n_tables=n_tables, seed=seed, n_jobs=n_jobs, progress=progress)
    items += [*_rows(study), *_claims(study, n_jobs)]
    return PaperCheck(tuple(items), n_tables)


@dataclass(frozen=True, repr=False)
class PaperCheck(Result):
    """Every item; `changed` are those that were reproduced and no longer are."""

    items: tuple[Item, ...]
    n_tables: int

    @property
    def changed(self) -> tuple[Item, ...]:
        """Items whose value is not what it was."""
        return tuple(item for item in self.items if item.status == "changed")

    def counts(self) -> dict[str, int]:
        """How many items are in each state."""
        return {status: sum(item.status == status for item in self.items) for status in STATUSES}

    def to_markdown(self) -> str:
        """A page with every item."""
        header = ["where", "what", "paper", "ours", "state"]
        rows = [
            [
                item.where,
                item.what,
                item.published,
                item.ours,
                item.status + (f": {item.reason}" if item.reason else ""),
            ]
            for item in self.items
        ]
        counts = ", ".join(f"{n} {status}" for status, n in self.counts().items() if n)
        return (
            "# The paper, line by line\n\nEverything F. Rapallo, *Analysis of the weighted kappa and its maximum with "
            "Markov moves* (Psychometrika, 2022) gives as an example, statement, figure, table or claim, recomputed by "
            f"`kappamax paper` ({self.n_tables:,} simulated tables per row of the study): {counts}. The command exits "
            f"with an error when a reproduced value changes.\n\n{markdown_table(header, rows)}"
        )

    def to_dict(self) -> dict[str, object]:
        """Plain data."""
        return {"n_tables": self.n_tables, "counts": self.counts(), "items": plain(self.items)}

    def _rows(self) -> list[tuple[str, str]]:
        return [(status, numbers.count(n)) for status, n in self.counts().items()]


def _rows(study: Study) -> Iterator[Item]:
    for row in study:
        yield _row(row)


def _row(row: StudyRow) -> Item:
    where = f"Table {1 if row.n_raters == 2 else 2}" if row.homogeneous else f"Table {3 if row.n_raters == 2 else 4}"
    what = f"mean stopping time, {row.weights}, k = {row.n_categories}, N = {row.n_subjects}"
    published = f"{row.published_mean:,.1f}"
    ours = f"{row.mean:,.1f} (z = {row.z:+.1f}, below the maximum {numbers.percent(row.below_maximum)})"
    if not row.determined:
        reason = "the paper does not say what the third rater's margins are, and none of those tried fits"
        return Item(where, what, published, ours, "not determined", reason)
    assert row.z is not None
    return Item(where, what, published, ours, "reproduced" if abs(row.z) <= _FAR else "changed")


def _claims(study: Study, n_jobs: int | None) -> Iterator[Item]:
    for claim in check_claims(study, n_jobs=n_jobs):
        status = "reproduced" if claim.holds else "corrected"
        yield Item("Section 6", claim.claim, "holds", claim.measured, status, None if claim.holds else claim.measured)
