"""A file of ratings and names of weights (one per line of stdin) in; seconds and Conger's kappa (as JSON) out.

Runs in irrCAC's own environment, where kappamax cannot be imported.
"""

from __future__ import annotations

import json
import sys
from time import perf_counter

import numpy as np
import pandas as pd
from irrCAC.raw import CAC


def main() -> None:
    ratings = pd.DataFrame(np.load(sys.argv[1]))
    for line in sys.stdin:
        start = perf_counter()
        result = CAC(ratings, weights=line.strip(), digits=12).conger()
        seconds = perf_counter() - start
        print(json.dumps({"seconds": seconds, "value": float(result["est"]["coefficient_value"])}), flush=True)


if __name__ == "__main__":
    main()
