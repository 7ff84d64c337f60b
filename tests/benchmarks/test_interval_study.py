"""The candidates of the coverage study are those that the page names, and the page says what was measured."""

import re
from dataclasses import replace
from math import atanh, comb, exp, factorial, log, prod, sqrt, tanh
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq, minimize, minimize_scalar
from scipy.stats import norm, t

import kappamax as km
from benchmarks import coverage, interval_candidates, interval_page, inverted_tests
from benchmarks.coverage import Cell, defined_tables, enumerated, simulated
from benchmarks.interval_candidates import ADJUSTED, NORMAL
from benchmarks.interval_descriptions import DESCRIPTIONS
from benchmarks.null_value_tests import NAME, NullValueTests
from kappamax.coefficients import as_objective
from kappamax.patterns import patterns_at

DOCS = Path(__file__).parents[2] / "docs"
Z = norm.ppf(0.975)
SQUARES = [(9, 2, 1, 8), (15, 0, 1, 14), (1, 14, 2, 3), (40, 3, 0, 2), (0, 5, 3, 0), (18, 0, 0, 2)]


def objective_of(n_raters=2, k=2, weights="unweighted"):
    patterns = patterns_at(np.arange(k**n_raters), (k,) * n_raters)
    return as_objective(km.from_ratings(patterns + 1), weights=weights)


def table_of(objective, row):
    """Return the table of a row of counts."""
    used = np.asarray(row) > 0
    return objective.table.like(objective.table.patterns[used], np.asarray(row)[used])


def rows_of(objective, n_subjects, n, seed=1):
    """Draw rows of counts: half of the subjects are rated alike, and the others by chance, with a rare category."""
    patterns = objective.table.patterns
    alike = (patterns == patterns[:, :1]).all(axis=1)
    shares = (0.5 ** patterns.sum(axis=1)) / (0.5 ** patterns.sum(axis=1)).sum() + alike / alike.sum()
    rows = np.random.default_rng(seed).multinomial(n_subjects, shares / 2, size=n)
    return rows[(rows[:, alike] < n_subjects).all(axis=1)]


@pytest.mark.parametrize(("n_raters", "k", "weights"), [(2, 2, "unweighted"), (2, 3, "linear"), (3, 3, "quadratic")])
def test_adjusted_and_normal_intervals_are_those_of_the_package(n_raters, k, weights):
    """`km.kappa`, one table at a time."""
    objective = objective_of(n_raters, k, weights)
    rows = rows_of(objective, 20, 6)
    found = interval_candidates.by_formula(objective, rows, jackknife=False)
    for name, method in ((ADJUSTED, "adjusted"), (NORMAL, "normal")):
        own = [km.kappa(table_of(objective, row), weights=weights, interval=method).ci for row in rows]
        np.testing.assert_allclose(np.transpose(found[name]), own, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("n_raters", "k", "weights"), [(2, 2, "unweighted"), (2, 3, "linear"), (3, 3, "unweighted")])
def test_transforms_use_the_standard_error_of_the_jackknife(n_raters, k, weights):
    """Computed one table and one formula at a time, from `km.jackknife` of the package."""
    objective = objective_of(n_raters, k, weights)
    rows = rows_of(objective, 12, 8)
    found = interval_candidates.by_formula(objective, rows, jackknife=True)
    checked = 0
    for i, row in enumerate(rows):
        result = km.jackknife(table_of(objective, row), weights=weights)
        if result.se is None or result.se == 0:
            continue
        checked += 1
        value, reach = result.value, t.ppf(0.975, row.sum() - 1) * result.se
        up, across = reach / (1 - value), reach / sqrt(1 - value**2)
        fisher = reach / (1 - value**2)
        angles = max(np.arcsin(value) - across, -np.pi / 2), min(np.arcsin(value) + across, np.pi / 2)
        expected = {
            "jackknife": (value - reach, min(1, value + reach)),
            "jackknife, log transform": (1 - (1 - value) * exp(up), 1 - (1 - value) * exp(-up)),
            "jackknife, Fisher transform": (tanh(atanh(value) - fisher), tanh(atanh(value) + fisher)),
            "jackknife, arcsine transform": tuple(np.sin(angles)),
        }
        for name, limits in expected.items():
            assert (found[name][0][i], found[name][1][i]) == pytest.approx(limits, rel=1e-9), name
    assert checked >= 4


def test_a_subject_without_whom_kappa_is_undefined_changes_nothing():
    """The jackknife of the package has no standard error there; the study keeps the table."""
    objective = objective_of()
    rows = np.array([[19, 0, 0, 1], [18, 1, 0, 1]])
    found = interval_candidates.jackknife_errors(objective, rows)
    assert found[0] == 0  # kappa is 1 without a subject of the first cell, and undefined without the last
    assert found[1] == pytest.approx(km.jackknife(table_of(objective, rows[1])).se)


@pytest.mark.parametrize("row", SQUARES)
def test_wilson_limits_solve_the_score_equation_of_observed_agreement(row):
    """The limits of observed agreement are found by bisection; Wald's limits would not solve the equation."""
    n = sum(row)
    observed = (row[0] + row[3]) / n
    first, second = (row[0] + row[1]) / n, (row[0] + row[2]) / n
    expected = first * second + (1 - first) * (1 - second)

    def short(p):
        return (observed - p) ** 2 - Z**2 * p * (1 - p) / n

    ends = [
        0 if observed == 0 else brentq(short, 0, observed - 1e-12),
        1 if observed == 1 else brentq(short, observed + 1e-12, 1),
    ]
    low, high = interval_candidates.wilson(np.array([row]))
    assert (low[0], high[0]) == pytest.approx([(p - expected) / (1 - expected) for p in ends], abs=1e-9)


def test_exact_limits_are_those_of_the_package():
    """`km.kappa`, one table at a time."""
    low, high = interval_candidates.exact(np.array(SQUARES))
    for i, (a, b, c, d) in enumerate(SQUARES):
        assert (low[i], high[i]) == km.kappa(km.from_counts([[a, b], [c, d]]), interval="exact").ci


def naive_fit(row, kappa):
    """Return the most likely cells with a given kappa by sequential quadratic programming from several starts."""
    row = np.array(row, dtype=float)

    def lack(p):
        q = np.maximum(p, 1e-300)
        return -(row[row > 0] * np.log(q[row > 0])).sum()

    def margin(p):
        apart = (p[0] + p[1]) * (p[1] + p[3]) + (p[0] + p[2]) * (p[2] + p[3])
        return p[1] + p[2] - (1 - kappa) * apart

    rules = [{"type": "eq", "fun": margin}, {"type": "eq", "fun": lambda p: p.sum() - 1}]
    even = np.array([1 + kappa, 1 - kappa, 1 - kappa, 1 + kappa]) / 4
    starts = [even, (even + row / row.sum()) / 2, (row + 0.5) / (row.sum() + 2)]
    options = {"ftol": 1e-14, "maxiter": 1000}
    found = [
        minimize(lack, start, bounds=[(0, 1)] * 4, constraints=rules, method="SLSQP", options=options)
        for start in starts
    ]
    kept = [one for one in found if abs(margin(one.x)) < 1e-9]
    return min(kept, key=lambda one: one.fun).x


@pytest.mark.parametrize("kappa", [-0.4, 0, 0.3, 0.6, 0.9, 0.98])
@pytest.mark.parametrize("row", SQUARES)
def test_constrained_cells_and_statistics_are_those_of_another_solver(row, kappa):
    """Tables with more subjects in cell 12 than in 21, and the reverse, at values of kappa near 1 too."""
    cells = np.maximum(naive_fit(row, kappa), 0)
    counts = np.array(row, dtype=float)
    n = counts.sum()
    score = sum(n * p if x == 0 else (x - n * p) ** 2 / (n * p) for x, p in zip(counts, cells, strict=True))
    ratio = 2 * sum(x * log(x / (n * p)) for x, p in zip(counts, cells, strict=True) if x > 0)
    ratios, fitted = inverted_tests.likelihood_ratios(np.array([row]), kappa)
    assert ratios[0] == pytest.approx(ratio, abs=1e-5)
    assert inverted_tests.pearson(counts[None], fitted)[0] == pytest.approx(score, rel=1e-3, abs=1e-5)
    accepted = inverted_tests.accepted_by_tests(np.array([row]), kappa)
    assert bool(accepted["score test"][0]) == (score <= Z**2)
    assert bool(accepted["profile likelihood"][0]) == (ratio <= Z**2)


@pytest.mark.parametrize("kappa", [-0.2, 0, 0.4, 0.8, 0.98])
@pytest.mark.parametrize("row", SQUARES)
def test_the_score_test_for_equal_margins_fits_one_share(row, kappa):
    """The share is found by minimisation over one variable in many brackets."""
    a, apart, d = row[0], row[1] + row[2], row[3]
    n = sum(row)

    def cells(p):
        return np.array(
            [p * p + kappa * p * (1 - p), 2 * p * (1 - p) * (1 - kappa), (1 - p) ** 2 + kappa * p * (1 - p)]
        )

    def lack(p):
        own = cells(p)
        if (own < 0).any() or any(x > 0 and q <= 0 for x, q in zip((a, apart, d), own, strict=True)):
            return 1e9
        return -sum(x * log(q) for x, q in zip((a, apart, d), own, strict=True) if x > 0)

    grid = np.linspace(0, 1, 101)
    options = {"xatol": 1e-12}
    found = [minimize_scalar(lack, bounds=(p, p + 0.01), method="bounded", options=options) for p in grid[:-1]]
    p = min(found, key=lambda one: one.fun).x
    score = sum(n * q if x == 0 else (x - n * q) ** 2 / (n * q) for x, q in zip((a, apart, d), cells(p), strict=True))
    assert inverted_tests.equal_margins_score(np.array([row]), kappa)[0] == pytest.approx(score, rel=1e-4, abs=1e-6)


def test_goodness_of_fit_rejects_a_kappa_that_would_make_a_cell_negative():
    """With a share of 0.95, kappa cannot be below -0.05 / 0.95."""
    row = np.array([[18, 1, 1, 0]])
    assert inverted_tests.goodness_of_fit(row, -0.5)[0] == np.inf
    share, n = 0.95, 20
    kappa = 0.2
    expected = n * np.array([share**2 + kappa * share * 0.05, 2 * share * 0.05 * 0.8, 0.05**2 + kappa * share * 0.05])
    by_hand = ((np.array([18, 2, 0]) - expected) ** 2 / expected).sum()
    assert inverted_tests.goodness_of_fit(row, kappa)[0] == pytest.approx(by_hand)


@pytest.mark.parametrize("statistic", ["score test", "likelihood ratio"])
def test_exact_pvalues_are_sums_over_all_tables(statistic):
    """Sums of multinomial probabilities of 7 subjects, for tables that are at least as extreme."""
    counts = defined_tables(7)
    ratios, cells = inverted_tests.likelihood_ratios(counts, 0.3)
    statistics = ratios if statistic == "likelihood ratio" else inverted_tests.pearson(counts, cells)
    found = inverted_tests.exact_pvalues(counts.astype(float), statistics, cells)
    accepted = inverted_tests.accepted_by_tests(counts, 0.3)[f"{statistic}, exact p-value"]
    for i in range(len(counts)):
        pvalue = 0.0
        for j, row in enumerate(counts):
            if statistics[j] >= statistics[i] - 1e-6:
                ways = factorial(7) // prod(map(factorial, row.tolist()))
                pvalue += ways * prod(max(p, 0) ** int(x) for p, x in zip(cells[i], row, strict=True))
        assert found[i] == pytest.approx(pvalue, abs=1e-12)
        assert accepted[i] == (pvalue > 0.05)


@pytest.mark.parametrize(
    ("n_raters", "k", "weights"),
    [(2, 2, "unweighted"), (2, 3, "unweighted"), (2, 3, "quadratic"), (3, 2, "unweighted"), (3, 3, "linear")],
)
def test_null_values_are_accepted_where_the_test_of_the_package_accepts_them(n_raters, k, weights):
    """`km.value_test`, one table at a time, including values that the margins do not allow."""
    objective = objective_of(n_raters, k, weights)
    by_chance = np.random.default_rng(2).multinomial(15, np.full(k**n_raters, 1 / k**n_raters), size=4)
    rows = np.vstack([rows_of(objective, 15, 8), by_chance])
    tests = NullValueTests(objective, rows)
    answers = set()
    for kappa in (-0.45, -0.1, 0.0, 0.25, 0.5, 0.8, 0.97):
        errors, accepted = tests.errors(kappa), tests.accept(kappa)
        for row, error, own in zip(rows, errors, accepted, strict=True):
            table = table_of(objective, row)
            test = km.value_test(table, null=kappa, weights=weights, method="null", alternative="two-sided")
            assert error == pytest.approx(test.se, rel=1e-6)
            assert own == (test.pvalue >= 0.05)
            answers.add(bool(own))
    assert answers == {True, False}


def test_coverage_of_enumerated_tables_is_a_sum_of_probabilities():
    """Of the tables of 6 subjects whose normal interval contains kappa = 0.4, with equal margins of 0.7."""
    cells = [0.7 - 0.126, 0.126, 0.126, 0.3 - 0.126]  # 0.126 = 0.6 * 0.7 * 0.3
    covered = total = 0.0
    for a, b, c, d in defined_tables(6).tolist():
        ways = comb(6, a) * comb(6 - a, b) * comb(6 - a - b, c)
        chance = ways * prod(p**x for p, x in zip(cells, (a, b, c, d), strict=True))
        low, high = km.kappa(km.from_counts([[a, b], [c, d]]), interval="normal").ci
        total += chance
        covered += chance * (low <= 0.4 <= high)
    found = [
        cell
        for cell in enumerated(6, tests=False, bootstrap=False)
        if cell.interval == NORMAL and cell.population == "margins 0.7 and 0.7, kappa 0.4"
    ]
    assert [cell.coverage for cell in found] == [pytest.approx(covered / total)]
    assert [cell.undefined for cell in found] == [pytest.approx(cells[0] ** 6 + cells[3] ** 6)]


@pytest.mark.slow
def test_every_candidate_is_described_and_printed(monkeypatch):
    """A small study has all sections, and each candidate has a row with its rule."""
    monkeypatch.setattr(coverage, "GRID", coverage.GRID[::20])
    small = enumerated(6, tests=True, bootstrap=True)
    large = simulated(2, 3, "linear", 20, 10)
    beside = simulated(2, 3, "linear", 20, 10, beside=True)
    further = simulated(2, 3, "ratio", 20, 10)
    others = simulated(2, 3, "ordinal", 20, 10, coefficient="krippendorff")
    assert {cell.interval for cell in small} == set(DESCRIPTIONS)
    assert {cell.interval for cell in beside if cell.kind == "test"} == {NAME}
    text = interval_page.page(interval_page.Results(small, large, further, beside, others), 0)
    for name, (_, rule) in DESCRIPTIONS.items():
        assert any(line.startswith(f"| {name} ") and rule in line for line in text.splitlines())
    assert "krippendorff, ordinal" in text


def test_widths_are_compared_in_the_same_cells():
    """An interval that was computed where all intervals are narrow is compared with the narrowest one there."""
    cell = Cell(ADJUSTED, "formula", 0.96, 0.5, 0, 2, 2, "unweighted", 20, "here")
    wide = replace(cell, n_subjects=10, width=1.0)
    cells = [
        *(cell, wide),
        *(replace(one, interval=NORMAL, width=1.2 * one.width) for one in (cell, wide)),
        *(replace(one, interval="log transform", width=0.1, coverage=0.9) for one in (cell, wide)),
        replace(cell, interval="jackknife", width=0.45),
    ]
    found = interval_page.width_ratios(cells, 0.95, 0.92)
    assert found == pytest.approx({ADJUSTED: 1, NORMAL: 1.2, "jackknife": 0.9})


def test_weightings_left_out_with_three_categories_are_equal_to_others():
    """The page says so."""
    for name, other in (("circular", "unweighted"), ("bipolar", "gwet-ordinal")):
        ours, theirs = (km.Weights.from_scheme(one, 3).matrix for one in (name, other))
        np.testing.assert_array_equal(ours, theirs)


def page_rows():
    page = (DOCS / "intervals-study.md").read_text(encoding="utf-8")
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("|")]


def test_the_page_has_a_row_for_every_candidate_and_says_its_rule_of_today():
    """Run `python -m benchmarks.interval_study` if this fails."""
    rows = page_rows()
    for name, description in DESCRIPTIONS.items():
        assert [name, *description] in rows
        assert any(row[0] == name and row[1].endswith(" %") for row in rows)


def test_the_figures_that_other_pages_quote_are_those_of_the_study():
    """Rows of the tables of 2 x 2 tables of 20 to 200 subjects, of 20 and 30 subjects, and of larger tables."""
    rows = [row for row in page_rows() if row[0] in DESCRIPTIONS and row[1].endswith(" %")]
    small, tested, large, _, further = [row for row in rows if row[0] == ADJUSTED]
    first = rows.index(tested)
    found = {row[0]: row for row in rows[first : rows.index(large)]}
    figures = {name: [figure.removesuffix(" %") for figure in row[1:3]] for name, row in found.items()}
    score, ratio = figures["score test"], figures["profile likelihood"]
    exact_score, exact_ratio = figures["score test, exact p-value"], figures["likelihood ratio, exact p-value"]
    wilson = figures["Wilson, expected agreement fixed"]
    assert exact_score[1] == exact_ratio[1]
    assert found["score test, exact p-value"][5] == "1.00"  # the narrowest that covers
    wider = float(found[ADJUSTED][4]) / float(found["score test, exact p-value"][4])
    exact = float(found["exact (kappamax)"][4]) / float(found[ADJUSTED][4])
    text = " ".join((DOCS / "intervals.md").read_text(encoding="utf-8").split())
    for words in (
        f"coverage is {small[1]} on average and {small[2]} in the worst of 153 populations",
        f"Beyond 2 x 2 tables it is {large[1]} on average; it falls below 92 % in {large[3]} of the cells",
        f"and with powers of the distance, it is {further[1]} on average and below 92 % in {further[3]} of the cells",
        f"tests for equal margins cover {wilson[1]} and {figures['score test, equal margins'][1]} % in the worst",
        f"the standard error at the tested value covers {figures[NAME][1]} %",
        f"cover {score[0]} and {ratio[0]} % on average, and {score[1]} and {ratio[1]} % in the worst population",
        f"cover {exact_score[0]} and {exact_ratio[0]} % on average, and {exact_score[1]} % in the worst population",
        f"The adjusted interval is {100 * wider - 100:.0f} % wider",
        f"it is {100 * exact - 100:.0f} % wider than the adjusted interval",
    ):
        assert words in text
    assert not any(float(row[1].split()[0]) >= 94 for row in rows[rows.index(large) :] if row[0] != ADJUSTED)
    readme = " ".join((DOCS.parent / "README.md").read_text(encoding="utf-8").split())
    said = re.search(r"covers (\d+)% or more in each of 153 populations[^,]*, and (\d+)% on average", readme)
    assert said is not None
    assert said.groups() == tuple(f"{float(figure.split()[0]):.0f}" for figure in (small[2], small[1]))
