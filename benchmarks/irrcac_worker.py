"""Ask irrCAC; this runs in its own environment, where kappamax cannot be imported.

python -m benchmarks.irrcac_worker FILE   names of weights, one per line of stdin; seconds and Conger's kappa as JSON
python -m benchmarks.irrcac_worker        a list of questions as JSON on stdin; its answers by name as JSON
"""

from __future__ import annotations

import json
import sys
import warnings
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from irrCAC.raw import CAC


def main() -> None:
    if len(sys.argv) > 1:
        _timed(sys.argv[1])
    else:
        json.dump({question["name"]: _answer(question) for question in json.load(sys.stdin)}, sys.stdout)


def _timed(file: str) -> None:
    ratings = pd.DataFrame(np.load(file))
    for line in sys.stdin:
        start = perf_counter()
        result = CAC(ratings, weights=line.strip(), digits=12).conger()
        seconds = perf_counter() - start
        print(json.dumps({"seconds": seconds, "value": float(result["est"]["coefficient_value"])}), flush=True)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    """The fields of `answers.Answer`."""
    methods = {"fleiss": "fleiss", "alpha": "krippendorff"} | dict.fromkeys(
        ("kappa", "conger", "standard error", "lower end"), "conger"
    )
    if question["quantity"] not in methods:
        return {"value": None, "offered": False}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            frame = pd.DataFrame(question["rows"])
            if question["kind"] == "factor":
                frame = frame.astype(pd.CategoricalDtype(question["categories"], ordered=True))
            told = question["categories"] if question["told"] else None
            cac = CAC(frame, weights=question["weights"], categories=told, digits=12)
            found = getattr(cac, methods[question["quantity"]])()["est"]
        except Exception as error:  # an error is an answer, whatever its class
            return {
                "value": None,
                "said": f"{type(error).__name__}: {(str(error) or ' ').splitlines()[0]}",
                "failed": True,
            }
    values = {"standard error": found["se"], "lower end": found["confidence_interval"][0]}
    value = float(values.get(question["quantity"], found["coefficient_value"]))
    said = str(heard[-1].message).splitlines()[0] if heard else ""
    return {"value": None if np.isnan(value) else value, "said": said}


if __name__ == "__main__":
    main()
