"""Plain data from a browser in, plain data for it out: what the calculator computes, without HTTP.

Tables and weights are checked by the same code as everywhere; what is wrong is raised as our errors. The results are
the objects of `--json`, beside the pictures of the report.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from typing import Any

from kappamax._checks import web as checks
from kappamax._result import plain
from kappamax.datasets import EXAMPLES, example
from kappamax.maximum.max_kappa import max_kappa
from kappamax.maximum.maximizers import count_maximizers, iter_maximizers
from kappamax.reporting.figures_svg import null_picture, pictures_of
from kappamax.reporting.report import Effort, Report, completed, report_within
from kappamax.reporting.sentences import of_weights
from kappamax.web.schemas import plain_table, table_of, weighting_of, weightings_of
from kappamax.web.snippets import calls_of

__all__ = ["chances", "examples", "maximizers", "numbers_of", "pictures", "report_file", "weights_in_words"]

Tell = Callable[[str], None]

_QUICK = Effort(
    time_limit=5.0,
    exact_work=1e7,
    shuffled_ratings=200_000,
    fewest_draws=1_000,
    most_draws=2_000,
    n_blocks=1,
    counting_work=1e6,
    listing_steps=2_000,
    most_moves=0,  # the page asks for moves by themselves
)
_WHOLE = Effort(time_limit=10.0)
#: what a whole report says of a weighting beyond a brief one
_BY_CHANCE = ("weights", "pvalue", "test", "n_maximizers", "n_maximizers_at_least", "sentences")
_TIME_LIMIT = 5.0
_PAGE = 20
_REMEMBERED = 8
_LAST: dict[str, Report] = {}
_LAST_PAGE = 10_000


def examples() -> list[dict[str, Any]]:
    """The bundled tables, and where they come from."""
    return [
        {"name": name, "title": one.title, "source": one.source, **plain_table(example(name))}
        for name, one in EXAMPLES.items()
    ]


def numbers_of(request: dict[str, Any], tell: Tell | None = None) -> dict[str, Any]:
    """What the page shows of a table first: the report's numbers, and how to get them elsewhere."""
    made = _brief(request, tell)
    calls = calls_of(request, made.table, [result.weights for result in made.results])
    return made.to_dict() | {"calls": calls}


def chances(request: dict[str, Any], tell: Tell | None = None) -> dict[str, Any]:
    """What takes longer: the test against chance and its picture, how many tables reach the maximum, and the words."""
    made = completed(_brief(request, tell), _QUICK, tell)
    whole = made.to_dict()
    drawn = [None if one.null is None else null_picture(made, one) for one in made.results]
    results = [
        {name: result[name] for name in _BY_CHANCE} | {"picture": picture}
        for result, picture in zip(whole["results"], drawn, strict=True)
    ]
    return {"results": results, "methods": whole["report"]["methods"]}


def pictures(request: dict[str, Any], tell: Tell | None = None) -> dict[str, Any]:
    """The tables, margins and pairs of raters as pictures."""
    return pictures_of(_brief(request, tell))


def report_file(request: dict[str, Any], form: str, tell: Tell | None = None) -> str:
    """The report as a file, with the work of `kappamax report`."""
    made = _report(_WHOLE, request, tell)
    write = {
        "html": made.to_html,
        "json": made.to_json,
        "csv": made.to_csv,
        "md": made.to_markdown,
        "tex": made.to_latex,
        "txt": made.to_text,
    }
    return write[form]()


def weights_in_words(request: dict[str, Any]) -> dict[str, Any]:
    """Whether weights are a distance, which triangle breaks, and what that does to the best table."""
    table = table_of(request)
    weights = weighting_of(request, table)
    most = max_kappa(table, weights=weights, time_limit=_TIME_LIMIT)
    triangle = weights.violated_triangle
    return {
        "name": weights.name,
        "matrix": weights.matrix.tolist(),
        "symmetric": weights.symmetric,
        "metric": weights.metric,
        "monge": weights.monge,
        "violated_triangle": None if triangle is None else [plain(table.categories[i]) for i in triangle],
        "words": of_weights(weights, most),
        "notes": list(weights.notes),
    }


def maximizers(request: dict[str, Any]) -> dict[str, Any]:
    """A page of the tables that reach the maximum."""
    table = table_of(request)
    start = checks.whole("start", request.get("start", 0), 0, _LAST_PAGE)
    result = max_kappa(table, weights=weighting_of(request, table), time_limit=_TIME_LIMIT)
    count = count_maximizers(result, counting_work=_QUICK.counting_work, listing_steps=_QUICK.listing_steps)
    page = [plain_table(one) for one in islice(iter_maximizers(result), start, start + _PAGE)]
    return {"n": plain(count.n), "at_least": plain(count.at_least), "start": start, "tables": page}


def _brief(request: dict[str, Any], tell: Tell | None) -> Report:
    """The numbers of a request, which the page asks about more than once: the last few are kept."""
    key = json.dumps(request)
    if key not in _LAST:
        _LAST[key] = _report(_QUICK, request, tell, brief=True)
        if len(_LAST) > _REMEMBERED:
            del _LAST[next(iter(_LAST))]
    return _LAST[key]


def _report(effort: Effort, request: dict[str, Any], tell: Tell | None, *, brief: bool = False) -> Report:
    """The report of a table with the weights asked for, the usual ones if none is."""
    table = table_of(request)
    title = checks.short_text("title", request.get("title", "Agreement between raters"))
    weights: Any = weightings_of(request, table)
    return report_within(effort, table, weights=weights, title=title, progress=tell, brief=brief)
