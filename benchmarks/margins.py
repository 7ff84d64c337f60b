"""Compare candidates for three raters' margins with the paper's twelve non-homogeneous rows.

python -m benchmarks.margins            about ten minutes on two cores

The paper does not say which margins its three raters had. Every triple of some natural shares is simulated at k = 3
(six rows, cheap); those that fit best are simulated at k = 5 as well.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement, permutations
from math import ceil

from joblib import Parallel, delayed

import kappamax as km
from kappamax.paper.study.batch import stopping_times

N_TABLES = 1000
KEPT = 6


def shares(k: int) -> dict[str, tuple[float, ...]]:
    """Natural shares of k categories."""
    low = (2.0,) * ceil(k / 2) + (1.0,) * (k // 2)
    falling = tuple(float(k - i) for i in range(k))
    centre = tuple(float(min(i, k - 1 - i) + 1) for i in range(k))
    return {
        "low": low,
        "high": low[::-1],
        "uniform": (1.0,) * k,
        "falling": falling,
        "rising": falling[::-1],
        "centre": centre,
        "ends": tuple(max(centre) + 1 - share for share in centre),
    }


def triples() -> list[tuple[str, str, str]]:
    """All triples but those of equal raters; orders too among the three shares the paper names."""
    found = list(permutations(("low", "high", "uniform"), 3))
    named = ("low", "high", "uniform")
    for triple in combinations_with_replacement(named, 3):
        found += [order for order in sorted(set(permutations(triple))) if order not in found and len(set(triple)) > 1]
    wider = combinations_with_replacement(shares(3), 3)
    return found + [one for one in wider if len(set(one)) > 1 and not set(one) <= set(named)]


def misfits(triple: tuple[str, str, str], k: int) -> list[float]:
    """The differences from the published means in combined standard errors, one per row."""
    found = []
    for row in km.paper.paper_scenarios():
        if row.determined or row.n_categories != k or row.published is None:
            continue
        scenario = replace(row, margins=tuple(shares(k)[name] for name in triple))
        steps, _ = stopping_times(scenario, 1, 0, N_TABLES)
        mean = sum(steps) / N_TABLES
        variance = sum((step - mean) ** 2 for step in steps) / (N_TABLES - 1) / N_TABLES
        found.append((mean - row.published.mean) / (variance + row.published.se**2) ** 0.5)
    return found


def main() -> None:
    candidates = triples()
    small = Parallel(n_jobs=-1)(delayed(misfits)(triple, 3) for triple in candidates)
    ranked = sorted(zip(candidates, small, strict=True), key=lambda one: sum(z * z for z in one[1]))
    print(f"{len(candidates)} triples at k = 3; chi-square on 6 rows, and z of each:")
    for triple, zs in ranked[:20]:
        print(f"  {sum(z * z for z in zs):8.1f}  {', '.join(triple):28}", " ".join(f"{z:+.1f}" for z in zs))
    best = [triple for triple, _ in ranked[:KEPT]]
    large = Parallel(n_jobs=-1)(delayed(misfits)(triple, 5) for triple in best)
    print("the best of them at k = 5:")
    for triple, zs in zip(best, large, strict=True):
        print(f"  {sum(z * z for z in zs):8.1f}  {', '.join(triple):28}", " ".join(f"{z:+.1f}" for z in zs))


if __name__ == "__main__":
    main()
