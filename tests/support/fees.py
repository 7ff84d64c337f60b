"""Scores of swallowing by three observers, each of whom scored the same swallows twice.

The data are `fees` of the R package multiagree (S. Vanbelle): fibreoptic endoscopic evaluations of swallowing, with one
or two swallows of each patient. Only the swallows that all observers scored on both occasions are here.
"""

from __future__ import annotations

import kappamax as km

COLUMNS = ["val_CO", "val_COR", "val_MH", "val_MHR", "val_TB", "val_TBR"]
#: patient, and the scores in the order of the columns
SCORES = """
1 000000
3 100000
4 111111
5 111111
5 222222
6 111110
7 111111
7 222222
12 001111
13 222211
13 222222
23 111111
29 101111
29 112222
34 000000
34 122112
35 111111
36 100001
37 000000
37 001111
"""


def fees() -> km.Table:
    """Return the scores as a table whose clusters are the patients."""
    rows = [line.split() for line in SCORES.split("\n") if line]
    return km.from_ratings(
        [[int(score) for score in scores] for _, scores in rows],
        raters=COLUMNS,
        cluster=[patient for patient, _ in rows],
    )
