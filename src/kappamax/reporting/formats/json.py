"""Arrange tables and results as the JSON documents that commands and reports share.

`data/output-schema-1.json` describes every field. A change that breaks its readers takes a new version and a new file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from kappamax._result import plain
from kappamax._version import __version__
from kappamax.display import text
from kappamax.reporting.formats.retest import retest_document

if TYPE_CHECKING:
    from kappamax.reporting.report_results import Report, WeightingReport
    from kappamax.table import Table

SCHEMA_VERSION = 1


def data_of(table: Table) -> dict[str, Any]:
    """Return what was read: file, layout, subjects, raters, categories, missing ratings, what was left out, notes."""
    reading, clusters = table.reading, table.clusters
    in_clusters = {} if clusters is None else {"n_clusters": clusters.n_clusters, "cluster": clusters.name}
    return {
        "file": table.data.file,
        "layout": reading.layout,
        "n_subjects": plain(table.n_subjects),
        **in_clusters,
        "n_raters": table.n_raters,
        "n_categories": table.n_categories,
        "categories": list(table.categories),
        "raters": list(table.raters),
        "n_missing": plain(table.n_missing),
        "n_incomplete": plain(table.n_incomplete),
        "n_left_out": plain(table.n_left_out),
        "ordered": table.ordered,
        "missing_as": plain(reading.missing),
        "columns_left_out": plain(reading.columns_left_out),
        "notes": list(reading.notes),
    }


def document(table: Table, results: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a description of the data and one result per weighting."""
    return {"data": data_of(table), "results": list(results)}


def report_document(report: Report) -> dict[str, Any]:
    """Return the document of a whole report."""
    table = report.table
    extra = {
        "title": report.title,
        "kappamax_version": __version__,
        "options": {"level": report.level, "alternative": report.alternative, "seed": report.seed},
        "margins": {rater: plain(row) for rater, row in zip(table.raters, table.margins, strict=True)},
        "observed_table": table.to_dict(),
        "pairs": plain(report.pairs),
        "moves": plain(report.moves),
        "methods": report.methods(),
        "weights_left_out": report.weights_left_out,
        "marginal_homogeneity": plain(report.marginal_homogeneity),
    }
    if report.retest is not None:
        extra["retest"] = retest_document(report.retest)
    return versioned(document(table, [_result(result) for result in report.results]) | {"report": extra})


def versioned(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document whose first field is the version of the schema that describes it."""
    return {"schema_version": SCHEMA_VERSION, **content}


def as_json(content: dict[str, Any]) -> str:
    """Return a document as JSON text, which is the same for equal contents.

    Characters that could control a terminal are written as escape sequences of JSON, which stand for the same text.
    """
    lines = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False).split("\n")
    return "\n".join(line if line.isprintable() else "".join(map(_json_letter, line)) for line in lines)


def _json_letter(letter: str) -> str:
    return letter if text.is_visible(letter) else json.dumps(letter)[1:-1]


def _result(result: WeightingReport) -> dict[str, Any]:
    """Return the fields of one weighting: those of the agreement and the maximum, the test and the sentences."""
    own = {} if result.agreement is None else result.agreement.to_dict()
    most = {} if result.maximum is None else result.maximum.to_dict()
    count, share = result.n_maximizers, result.corrected_share
    return (
        {"weights": result.weights, "value": None}
        | own
        | {name: value for name, value in most.items() if name not in own}
        | {
            "n_maximizers": None if count is None else plain(count.n),
            "n_maximizers_at_least": None if count is None else plain(count.at_least),
            "maximum_reason": result.maximum_reason,
            "cut_short": list(result.cut_short),
            "pvalue": None if result.test is None else result.test.pvalue,
            "test": plain(result.test),
            "observed_disagreement": result.observed_disagreement,
            "forced_disagreement": result.forced_disagreement,
            "corrected_share": None if share is None else {"share": share.share, "ci": plain(share.ci)},
            "reason": result.reason,
            "sentences": list(result.sentences),
            "weights_in_words": result.weights_in_words,
        }
        | ({} if result.benchmark is None else {"benchmark": result.benchmark.to_dict()})
    )
