"""Decide whether the claims of a small result with rational weights are true, by listing all rearrangements.

The computation follows the definitions and shares no code with the library, including its verification.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product
from math import gcd, lcm

TITLES = {
    "cohen": "Cohen's kappa",
    "conger": "Conger's kappa",
    "fleiss": "Fleiss' kappa",
    "gwet": "Gwet's AC",
    "brennan-prediger": "Brennan-Prediger",
    "krippendorff": "Krippendorff's alpha",
    "percent": "Percent agreement",
}


class Truth:
    """True values for the observed ratings, weights and coefficient of a result."""

    def __init__(self, objective, coefficient):
        self.coefficient, self.table, self.weights = coefficient, objective.table, objective.weights
        self.k, self.r = self.table.n_categories, self.table.n_raters
        self.u = {
            (a, b): [[Fraction(int(m), w.denominator) for m in row] for row in w.multipliers.tolist()]
            for a, b, w in objective.pairs()
        }
        self.observed = rows_of(self.table.patterns.tolist(), self.table.counts.tolist())
        arrangements = rearrangements(self.observed)
        pooled = coefficient in ("fleiss", "gwet", "krippendorff")
        self.fixed_chance = not pooled or len({tuple(self.use(rows)) for rows in arrangements}) == 1
        self.all_tables = {rows: self.value(rows) for rows in arrangements if self.expected(rows)}

    def value(self, rows):
        """Return the exact coefficient of rows, in which None is a missing rating."""
        return 1 - self.disagreement(rows) / self.units(rows) / self.expected(rows)

    def share(self, n):
        """Return the weight of a pair of raters on a subject with n ratings."""
        return Fraction(n if self.coefficient == "krippendorff" else 1, n * (n - 1) // 2)

    def disagreement(self, rows):
        total = Fraction(0)
        for row in rows:
            rated = [a for a in range(self.r) if row[a] is not None]
            for a, b in combinations(rated, 2):
                total += self.u[a, b][row[a]][row[b]] * self.share(len(rated))
        return total

    def units(self, rows):
        sizes = [sum(code is not None for code in row) for row in rows]
        return sum(n if self.coefficient == "krippendorff" else 1 for n in sizes if n >= 2)

    def expected(self, rows):
        k, u = self.k, self.u[0, 1]
        everything = list(product(range(k), repeat=2))
        if self.coefficient == "percent":
            return Fraction(1)
        if self.coefficient in ("cohen", "conger"):
            p = []
            for a in range(self.r):
                own = [row[a] for row in rows if row[a] is not None]
                p.append([Fraction(own.count(i), len(own)) for i in range(k)])
            pairs = list(combinations(range(self.r), 2))
            return sum(p[a][i] * p[b][j] * self.u[a, b][i][j] for a, b in pairs for i, j in everything) / len(pairs)
        if self.coefficient == "brennan-prediger":
            return sum(u[i][j] for i, j in everything) / Fraction(k * k)
        given = [[code for code in row if code is not None] for row in rows]
        if self.coefficient == "krippendorff":
            pooled = [code for row in given if len(row) > 1 for code in row]
            n = [pooled.count(i) for i in range(k)]
            return sum(n[i] * n[j] * u[i][j] for i, j in everything) / Fraction(len(pooled) * (len(pooled) - 1))
        p = [sum(Fraction(row.count(i), len(row)) for row in given) / len(given) for i in range(k)]
        if self.coefficient == "fleiss":
            return sum(p[i] * p[j] * u[i][j] for i, j in everything)
        agreement = sum(1 - u[i][j] for i, j in everything)
        return 1 - agreement * sum(q * (1 - q) for q in p) / (k * (k - 1))

    def use_weight(self, n):
        """Return the weight of a rating in the pooled use of categories, in whole units."""
        sizes = {sum(code is not None for code in row) for row in self.observed}
        return (n >= 2) if self.coefficient == "krippendorff" else lcm(*sizes) // n

    def use(self, rows):
        """Return the pooled use of categories."""
        use = [0] * self.k
        for row in rows:
            given = [code for code in row if code is not None]
            for code in given:
                use[code] += self.use_weight(len(given))
        return use

    def forced_by_remainders(self):
        """Return the least disagreement of any subjects whose use of categories has the remainders of the table."""
        sizes = {sum(code is not None for code in row) for row in self.observed}
        divisor = gcd(*sizes)
        if divisor < 2 or len({str(matrix) for matrix in self.u.values()}) > 1:
            return Fraction(0)
        given = [code for row in self.observed for code in row if code is not None]
        target = tuple(given.count(i) % divisor for i in range(self.k))
        costs = {}
        for n in sizes:
            for codes in product(range(self.k), repeat=n):
                cost = sum(self.u[0, 1][i][j] for i, j in combinations(codes, 2)) * self.share(n)
                key = tuple(codes.count(i) % divisor for i in range(self.k))
                costs[key] = min(cost, costs.get(key, cost))
        least = {(0,) * self.k: Fraction(0)}
        for _ in range(divisor**self.k):  # no shortest path is longer
            for here, total in list(least.items()):
                for change, cost in costs.items():
                    there = tuple((x + y) % divisor for x, y in zip(here, change, strict=True))
                    least[there] = min(total + cost, least.get(there, total + cost))
        return least[target]

    def step(self):
        """Return a number that divides every total disagreement."""
        sizes = {sum(code is not None for code in row) for row in self.observed} - {0, 1}
        parts = [entry * self.share(n) for matrix in self.u.values() for row in matrix for entry in row for n in sizes]
        below = lcm(*(part.denominator for part in parts))
        return Fraction(gcd(*(int(part * below) for part in parts)), below)


def rows_of(patterns, counts):
    """Return one row per subject, in a fixed order."""
    rows = []
    for pattern, count in zip(patterns, counts, strict=True):
        rows += [tuple(None if code < 0 else code for code in pattern)] * count
    return tuple(sorted(rows, key=str))


def rearrangements(rows):
    """Return all tables in which each rater's ratings are rearranged over the subjects that this rater rated."""
    orders = []
    for column in zip(*rows, strict=True):
        rated = [e for e, code in enumerate(column) if code is not None]
        orders.append([dict(zip(rated, order, strict=True)) for order in set(permutations([column[e] for e in rated]))])
    return {
        tuple(sorted((tuple(own.get(e) for own in choice) for e in range(len(rows))), key=str))
        for choice in product(*orders)
    }


def claims_hold(result):
    """Return whether all claims of a `kappamax.Maximum`, which may have been changed, are true."""
    objective = result.objective
    if result.title != TITLES.get(result.coefficient) or result.weights != objective.weights.name:
        return False
    if result.coefficient == "cohen" and objective.table.n_raters > 2:
        return False
    truth = Truth(objective, result.coefficient)
    if result.value != float(truth.value(truth.observed)):
        return False
    ends = [
        (
            1,
            result.table,
            result.maximum,
            result.exact_maximum,
            result.proven,
            result.proof,
            result.bound,
            result.solution,
        ),
        (
            *(-1, result.minimum_table, result.minimum, result.exact_minimum, result.minimum_proven),
            *(result.minimum_proof, result.minimum_bound, result.minimum_solution),
        ),
    ]
    if not all(_end_holds(truth, objective, *end) for end in ends):
        return False
    return _ratio_holds(truth, result)


def _ratio_holds(truth, result):
    values = set(truth.all_tables.values())
    limits = "the margins" if result.objective.table.complete else "the margins and the set of raters of each subject"
    if not result.proven:
        return result.ratio is None and result.ratio_reason == "the maximum is not proven"
    if result.minimum_proven and len(values) == 1:
        return result.ratio is None and result.ratio_reason == f"{limits} allow one value only"
    if max(values) <= 0:
        reason = f"the largest value that {limits} allow is not above zero"
        return result.ratio is None and result.ratio_reason == reason
    return result.ratio_reason is None and result.ratio == result.value / result.maximum


def _rows(table):
    return rows_of(table.patterns.tolist(), table.counts.tolist())


def _end_holds(truth, objective, sign, table, value, exact, proven, proof, bound, solution):
    observed = objective.table
    if table.categories != observed.categories or table.raters != observed.raters:
        return False
    rows = _rows(table)
    if rows not in truth.all_tables or float(truth.all_tables[rows]) != value:
        return False
    if exact != (truth.all_tables[rows] if objective.weights.exact else None):
        return False
    unit = sign * objective.scale * objective.denominator
    own = solution.patterns[:, : truth.r]
    patterns = [[-1 if code >= truth.k else code for code in pattern] for pattern in own.tolist()]
    if any(count <= 0 for count in solution.counts.tolist()) or rows_of(patterns, solution.counts.tolist()) != rows:
        return False
    cost, limit = solution.cost / unit, solution.bound / unit
    if cost.rational != truth.disagreement(rows) or proven is not (proof is not None) or solution.proof != proof:
        return False
    at_limit = 1 - limit.rational / truth.units(rows) / truth.expected(rows)
    if bound != float(at_limit) or (proof is not None and limit.rational != cost.rational):
        return False
    best = max(truth.all_tables.values(), key=lambda one: sign * one)
    if sign * truth.all_tables[rows] < sign * truth.all_tables[truth.observed]:
        return False
    if not all(_are_numbers(prices) for prices in (solution.prices, *(cut.prices for cut in solution.cuts))):
        return False
    if not truth.fixed_chance:
        if proof == "search":
            return truth.all_tables[rows] == best
        return _cuts_hold(truth, objective, sign, rows, solution.cuts, limit.rational)
    if proof == "prices":
        if solution.prices is None:
            return False
        bound = _bound_of(truth, objective, sign, solution.prices, [0] * truth.k, [0] * truth.k)
        return bound >= sign * limit.rational or bound > sign * limit.rational - truth.step()
    if proof == "search":
        return bool(truth.all_tables[rows] == best)
    if proof == "remainders":
        forced = truth.forced_by_remainders()
        return sign == 1 and (forced >= limit.rational or forced > limit.rational - truth.step())
    return proof is None and sign * best <= sign * at_limit


def _are_numbers(prices):
    """Return whether prices, if there are any, are whole numbers over a positive whole number."""
    if prices is None:
        return True
    entries = [n for row in prices.numerators.tolist() for vector in row for n in vector]
    return all(type(n) is int for n in [*entries, prices.denominator]) and prices.denominator > 0


def _cuts_hold(truth, objective, sign, rows, cuts, limit):
    """Return whether, for every use of categories, some cut excludes tables beyond a score."""
    own_cost, own_chance = sign * limit, truth.expected(rows)
    for other in truth.all_tables:
        use, chance = truth.use(other), truth.expected(other)
        bounds = [
            _bound_of(truth, objective, sign, cut.prices, [vector[0] for vector in cut.use.tolist()], use)
            for cut in cuts
        ]
        attainable = [-(-bound // truth.step()) * truth.step() for bound in bounds]
        if not any(cost * own_chance >= own_cost * chance for cost in attainable):
            return False
    return True


def _bound_of(truth, objective, sign, prices, use_prices, use):
    """Return the least cost that prices prove for tables with a pooled use of categories."""
    numerators = prices.numerators.tolist()
    unit = prices.denominator * objective.scale * objective.denominator
    sets = sorted({tuple(code is not None for code in row) for row in truth.observed})  # in the order of the solver

    def paid(codes):
        total = sum(numerators[a][truth.k if code is None else code][0] for a, code in enumerate(codes))
        if not objective.table.complete:
            total += numerators[-1][sets.index(tuple(code is not None for code in codes))][0]
        return total

    bound = Fraction(sum(n * price for n, price in zip(use, use_prices, strict=True)), unit)
    for members in sets:
        n_subjects = sum(tuple(code is not None for code in row) == members for row in truth.observed)
        lowest = Fraction(0)
        for codes in product(*(range(truth.k) if rated else [None] for rated in members)):
            worth = paid(codes) + sum(n * price for n, price in zip(truth.use([codes]), use_prices, strict=True))
            lowest = min(lowest, sign * truth.disagreement([codes]) - Fraction(worth, unit))
        bound += lowest * n_subjects
    return bound + Fraction(sum(paid(row) for row in truth.observed), unit)
