"""Ask Python packages a question, each in the way its documentation shows.

Whatever a package raises or warns of is part of its answer.
"""

from __future__ import annotations

import json
import subprocess
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import krippendorff as fast_krippendorff
import numpy as np
import ot
import pandas as pd
import pycm as confusion
from nltk.metrics.agreement import AnnotationTask
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa, to_table

from benchmarks import by_hand, peers
from benchmarks.fibers import normaliz_count
from benchmarks.question import Answer, Question

__all__ = ["CALLS", "PACKAGES", "answer", "first_line", "irrcac_answers"]


class NotOfferedError(Exception):
    """The package has no function for the question."""


def answer(package: str, question: Question) -> Answer:
    """What a package says, its warnings and errors kept."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            value = PACKAGES[package](question)
        except NotOfferedError:
            return Answer(None, offered=False)
        except Exception as error:  # an error is an answer, whatever its class
            return Answer(None, f"{type(error).__name__}: {first_line(str(error))}", failed=True)
    said = first_line(str(heard[-1].message)) if heard else ""
    if value is None or value == "None" or np.isnan(float(value)):
        return Answer(None, said)
    return Answer(float(value), said)


def first_line(text: str) -> str:
    """The first line, for a cell of a table."""
    lines = text.strip().splitlines()
    return lines[0].replace("|", "\\|") if lines else ""


def irrcac_answers(questions: Sequence[Question]) -> dict[str, Answer]:
    """Python irrCAC's answers from its own environment, all at once."""
    asked = [
        {
            "name": one.name,
            "rows": one.rows,
            "categories": one.categories,
            "kind": one.kind,
            "told": one.told,
            "quantity": one.quantity,
            "weights": {"unweighted": "identity"}.get(one.weights, one.weights),
        }
        for one in questions
    ]
    command = [str(peers.python_of("irrcac")), "-m", "benchmarks.irrcac_worker"]
    done = subprocess.run(
        command, cwd=peers.ROOT, input=json.dumps(asked), stdout=subprocess.PIPE, text=True, check=True
    )
    return {name: Answer(**given) for name, given in json.loads(done.stdout).items()}


def _scikit_learn(q: Question) -> float:
    if q.quantity != "kappa" or len(q.rows[0]) > 2:
        raise NotOfferedError
    first, second = _columns(q)
    labels = list(q.categories) if q.told else None
    return cohen_kappa_score(first, second, labels=labels, weights=_named(q.weights))


def _statsmodels(q: Question) -> float:
    if q.quantity == "fleiss":
        return fleiss_kappa(aggregate_raters(_array(q))[0])
    if q.quantity not in ("kappa", "scaled kappa", "standard error", "lower end", "maximum") or len(q.rows[0]) > 2:
        raise NotOfferedError
    table = _counts(q) if q.told else to_table(_array(q))[0]
    if q.quantity == "scaled kappa":
        return cohens_kappa(table, weights=np.array(_distances(q, 1 / (q.k - 1)))).kappa
    result = cohens_kappa(table, wt=_named(q.weights))
    names = {"standard error": "std_kappa", "lower end": "kappa_low", "maximum": "kappa_max"}
    return getattr(result, names.get(q.quantity, "kappa"))


def _krippendorff(q: Question) -> float:
    if q.quantity != "alpha":
        raise NotOfferedError
    level = {"unweighted": "nominal", "quadratic": "interval"}[q.weights]
    return fast_krippendorff.alpha(_array(q).T.astype(float), level_of_measurement=level)


def _nltk(q: Question) -> float:
    """Weighted: the caller writes the distance, here that of the categories' places."""
    places = {label: place for place, label in enumerate(q.categories)}

    def distance(one: Any, other: Any) -> float:
        gap = abs(places[one] - places[other])
        return {"unweighted": float(gap > 0), "linear": gap, "quadratic": gap**2}[q.weights]

    triples = [
        (rater, i, label) for i, row in enumerate(q.rows) for rater, label in enumerate(row) if label is not None
    ]
    task = AnnotationTask(triples, distance=distance)
    if q.quantity == "scaled kappa":
        return task.weighted_kappa(max_distance=q.k - 1)
    if q.quantity in ("conger", "fleiss") and q.weights != "unweighted":
        raise NotOfferedError
    names = {"kappa": "kappa", "light": "kappa", "conger": "multi_kappa", "fleiss": "pi", "alpha": "alpha"}
    if q.quantity not in names:
        raise NotOfferedError
    weighted = names[q.quantity] == "kappa" and q.weights != "unweighted"
    return getattr(task, "weighted_kappa" if weighted else names[q.quantity])()


def _pycm(q: Question) -> float:
    if q.quantity not in ("kappa", "scaled kappa", "standard error", "lower end") or len(q.rows[0]) > 2:
        raise NotOfferedError
    if q.quantity in ("standard error", "lower end") and q.weights != "unweighted":
        raise NotOfferedError
    if q.told:
        cells = zip(q.categories, _counts(q), strict=True)
        matrix = {row: dict(zip(q.categories, counts, strict=True)) for row, counts in cells}
        result = confusion.ConfusionMatrix(matrix=matrix)
    else:
        result = confusion.ConfusionMatrix(*(list(column) for column in zip(*q.rows, strict=True)))
    if q.quantity == "standard error":
        return result.Kappa_SE
    if q.quantity == "lower end":
        return result.Kappa_CI[0]
    if q.weights == "unweighted":
        return result.Kappa
    distances = _distances(q, 1 / (q.k - 1) if q.quantity == "scaled kappa" else 1)
    used = set(result.classes)
    weight = {
        one: {other: cell for other, cell in zip(q.categories, row, strict=True) if other in used}
        for one, row in zip(q.categories, distances, strict=True)
        if one in used
    }
    return result.weighted_kappa(weight)


def _pot(q: Question) -> float:
    """The largest kappa posed as a transport problem by the caller."""
    if q.quantity != "maximum" or len(q.rows[0]) > 2:
        raise NotOfferedError
    table, costs = np.array(_counts(q), dtype=float), np.array(_distances(q, 1), dtype=float)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    return 1 - ot.emd2(rows, columns, costs) / ((rows @ costs @ columns) / table.sum())


def _normaliz(q: Question) -> float:
    if q.quantity != "tables":
        raise NotOfferedError
    table = _counts(q)
    return normaliz_count([[sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]])


PACKAGES: dict[str, Callable[[Question], Any]] = {
    "scikit-learn": _scikit_learn,
    "statsmodels": _statsmodels,
    "krippendorff": _krippendorff,
    "nltk": _nltk,
    "PyCM": _pycm,
    "POT": _pot,
    "Normaliz": _normaliz,
}

CALLS = {
    "scikit-learn": "`cohen_kappa_score(a, b, weights=...)`; told: `labels=`",
    "statsmodels": "`cohens_kappa(to_table(ratings)[0], wt=...)`, its `kappa_max`, `std_kappa`, `kappa_low`; "
    "`fleiss_kappa(aggregate_raters(ratings)[0])`; told: a table in the right order",
    "irrCAC": "`CAC(frame, weights=...).conger()`, `.fleiss()`, `.krippendorff()`; told: `categories=`",
    "krippendorff": "`alpha(ratings, level_of_measurement=...)`",
    "nltk": "`AnnotationTask(triples, distance)`: `kappa` and `weighted_kappa` (pairs, Light), `multi_kappa` (Conger), "
    "`pi` (Fleiss), `alpha`; the distance is the caller's and knows the order",
    "PyCM": "`ConfusionMatrix(a, b)`: `Kappa`, `weighted_kappa(weights of the caller)`, `Kappa_SE`, `Kappa_CI`; "
    "told: `matrix=`",
    "POT": "`ot.emd2(margins, distances)`, with kappa's formula around it written by the caller",
    "Normaliz": "`NumberLatticePoints` of the margins' equations, written by the caller",
}


def _named(weights: str) -> str | None:
    return None if weights == "unweighted" else weights


def _columns(q: Question) -> list[Any]:
    columns = list(zip(*q.rows, strict=True))
    if q.kind == "factor":
        return [pd.Series(pd.Categorical(column, q.categories, ordered=True)) for column in columns]
    missing = any(label is None for row in q.rows for label in row)
    return [np.array(column, dtype=float) if missing else np.array(column) for column in columns]


def _array(q: Question) -> Any:
    if q.kind == "factor":
        return np.asarray(pd.DataFrame(dict(enumerate(_columns(q)))))
    return np.stack(_columns(q), axis=1)


def _counts(q: Question) -> list[list[int]]:
    return by_hand.counted(q.codes, q.k)


def _distances(q: Question, scale: float) -> list[list[float]]:
    """The caller's matrix of distances; whole numbers unless scaled."""
    gaps = {(i, j): abs(i - j) for i, j in product(range(q.k), repeat=2)}
    power = {"unweighted": 0, "linear": 1, "quadratic": 2}[q.weights]
    cells = {pair: gap and gap**power for pair, gap in gaps.items()}
    return [[cells[i, j] if scale == 1 else cells[i, j] * scale for j in range(q.k)] for i in range(q.k)]
