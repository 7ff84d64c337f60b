"""Define `kappamax compare FILE`, which compares coefficients of the same subjects, or agreement in several files."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from kappamax.cli.command import Option, command
from kappamax.cli.compare_files import compare_files
from kappamax.cli.options import INPUT, JSON, LEVEL, WEIGHTS, jobs, seed
from kappamax.cli.runner import (
    echo_json,
    echo_notes,
    echo_table,
    name_of,
    notes_to_stderr,
    progress_bar,
    read_table,
    weightings,
)
from kappamax.display import numbers

if TYPE_CHECKING:
    from kappamax.comparisons import Comparison
    from kappamax.dependent_comparison_result import DependentComparison
    from kappamax.table import Table

_Named = dict[str, list[str]]


def _as_kappas(_context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> _Named:
    """Return the raters of each coefficient by its name; each is given as A,B or as NAME=A,B."""
    from kappamax._validate import as_list_of_names
    from kappamax.errors import InvalidOptionError

    named: _Named = {}
    for text in texts:
        before, equals, after = text.partition("=")
        try:
            raters = as_list_of_names("--kappa", after if equals else text)
        except InvalidOptionError as error:
            raise click.BadParameter(str(error)) from None
        name = before.strip() if equals else " & ".join(raters)
        if not name or not all(raters) or len(raters) < 2:
            raise click.BadParameter(f"two or more raters must be given as A,B or as NAME=A,B; got {text!r}.")
        if name in named:
            raise click.BadParameter(f"two coefficients are called {name!r}; name them, as in first=A,B.")
        named[name] = raters
    return named


@command(
    "kappamax compare ratings.csv --kappa diag,BDI --kappa diag,GHQ",
    "kappamax compare ratings.csv --reference expert --cluster patient",
    Input=[*INPUT, click.Argument(["more"], nargs=-1, type=click.Path(), metavar="[FILE]...")],
    Coefficients=[
        Option(
            "--kappa A,B",
            "Raters of one of the coefficients, two or more; NAME=A,B also names it. Repeat the option for each "
            "coefficient. Only these raters are read from FILE. Default: every pair of raters, or all raters if there "
            "are several weightings.",
            multiple=True,
            callback=_as_kappas,
        ),
        Option(
            "--reference RATER",
            "Compare the agreement of every other rater with this one. Default: no reference.",
        ),
        *WEIGHTS,
    ],
    Statistics=[
        LEVEL,
        Option(
            "--method NAME",
            "Method by which covariances are estimated: jackknife, delta or bootstrap.",
            default="jackknife",
            names="joint_inference.METHODS",
        ),
        Option(
            "--bootstrap N",
            "Use the bootstrap with this number of resamples. Default: 2,000 for --method bootstrap.",
            type=click.IntRange(min=2),
        ),
        Option(
            "--alternative NAME",
            "Alternative hypothesis about the difference of two coefficients, the first minus the second: two-sided, "
            "non-inferiority (it is above -MARGIN) or equivalence (it lies between -MARGIN and MARGIN).",
            default="two-sided",
            names="joint_coefficients.ALTERNATIVES",
        ),
        Option(
            "--margin MARGIN",
            "Smallest difference that matters, for the alternatives non-inferiority and equivalence. Default: none.",
            type=float,
        ),
        seed("the bootstrap", default=0),
        jobs(" for the bootstrap"),
    ],
    Output=[JSON],
)
def compare(
    more: tuple[str, ...],
    kappa: _Named,
    reference: str | None,
    level: float,
    method: str,
    bootstrap: int | None,
    alternative: str,
    margin: float | None,
    seed: int,
    jobs: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare kappas of the same subjects, or of several files.

    Every coefficient, the differences of all pairs and a test of whether all are equal are printed. The coefficients
    may differ in their raters or in their weights. They are correlated, and the standard errors of their differences
    account for this. Several files are independent groups of subjects, which are compared under every weighting. If
    FILE is "-", standard input is read.
    """
    if more:
        given = {"--kappa": kappa, "--reference": reference, "--bootstrap": bootstrap, "--margin": margin}
        given |= {"--alternative": alternative != "two-sided", "--method": method != "jackknife"}
        if wrong := [option for option, value in given.items() if value not in (None, False, {})]:
            raise click.UsageError(f"{wrong[0]} is for coefficients of the same subjects, which are in one file.")
        compare_files([options["file"], *more], options, level=level, seed=seed, as_json=as_json)
        return
    if kappa and reference is not None:
        raise click.UsageError("--kappa and --reference exclude each other.")
    if bootstrap is not None and method == "delta":
        raise click.UsageError("--bootstrap and --method delta exclude each other.")
    settings = {
        "method": method if bootstrap is None else "bootstrap",
        "n_resamples": bootstrap or 2000,
        "coefficient": options["coefficient"],
        "rng": seed,
        "n_jobs": jobs,
    }
    weighted = weightings(options)
    if kappa and options["raters"] is None and options["layout"] != "counts":
        options["raters"] = list(dict.fromkeys(rater for raters in kappa.values() for rater in raters))
    with notes_to_stderr():
        table = read_table(options)
        specs = _specs(table, kappa, reference, weighted)
        with progress_bar("resamples") as bar:
            result, by_margin = _compared(table, specs, settings | {"progress": bar}, level, alternative, margin)
    if as_json:
        from kappamax.reporting.formats.json import document

        test = None if by_margin is None else _margin_fields(by_margin)
        echo_json(document(table, [result.to_dict() | {"margin_test": test}]))
    else:
        _show(table, result, by_margin)


def _specs(table: Table, kappas: _Named, reference: str | None, weighted: Sequence[Any]) -> dict[str, dict[str, Any]]:
    """Return the coefficients to compare by name, each with its raters and weights."""
    if reference is not None:
        judge = table.raters[table.rater_index(reference)]
        kappas = {rater: [judge, rater] for rater in table.raters if rater != judge}
    elif not kappas and len(weighted) < 2:
        pairs = [(a, b) for i, a in enumerate(table.raters) for b in table.raters[i + 1 :]]
        kappas = {f"{a} & {b}": [a, b] for a, b in pairs}
    named = kappas or {"": list(table.raters)}
    if len(named) * max(1, len(weighted)) < 2:
        raise click.UsageError(
            "there is only one coefficient. Give --kappa A,B for each of two or more coefficients, --reference RATER, "
            "or several weightings such as --weights linear,quadratic."
        )
    found = {}
    for (name, raters), weights in product(named.items(), weighted or ["unweighted"]):
        shown = [name] * bool(name) + [name_of(weights)] * (len(weighted) > 1)
        found[", ".join(shown)] = {"raters": raters, "weights": weights}
    return found


def _compared(
    table: Table,
    specs: dict[str, dict[str, Any]],
    settings: dict[str, Any],
    level: float,
    alternative: str,
    margin: float | None,
) -> tuple[DependentComparison, Comparison | None]:
    """Return the comparison of all coefficients and, with a margin, the test of the difference of two."""
    from kappamax.comparisons import compare as compare_two
    from kappamax.dependent_comparisons import compare_dependent

    by_margin = None
    if margin is not None or alternative != "two-sided":
        if len(specs) != 2:
            raise click.UsageError(f"--margin and --alternative are for two coefficients; there are {len(specs)}.")
        first, second = specs.values()
        by_margin = compare_two(table, first=first, second=second, alternative=alternative, margin=margin, **settings)
    return compare_dependent(table, kappas=specs, level=level, **settings), by_margin


def _margin_fields(test: Comparison) -> dict[str, Any]:
    """Return the fields of a test with a margin that the comparison of all coefficients does not have."""
    fields = ("alternative", "margin", "difference", "level", "ci", "statistic", "pvalue", "reason")
    return {name: value for name, value in test.to_dict().items() if name in fields}


def _show(table: Table, result: DependentComparison, by_margin: Comparison | None) -> None:
    percent = f"{100 * result.level:g}% interval"
    values = [
        [one.name, numbers.decimal(one.value), numbers.interval(one.ci), numbers.decimal(one.se)]
        for one in result.coefficients
    ]
    echo_table("Coefficients of the same subjects", ["coefficient", "value", percent, "std. error"], values)
    differences = [
        [
            f"{one.first} - {one.second}",
            numbers.decimal(one.difference),
            numbers.interval(one.ci),
            numbers.decimal(one.se),
            *(numbers.pvalue(p, at_most=_is_bound(result, p)) for p in (one.pvalue, one.adjusted_pvalue)),
        ]
        for one in result.differences
    ]
    header = ["difference", "value", percent, "std. error", "p-value", "adjusted"]
    notes = [_equality(result), *(f"{note[:1].upper()}{note[1:]}." for note in result.notes)]
    if len(result.differences) > 1:
        notes.insert(0, "The intervals of the differences hold together; adjusted p-values account for all of them.")
    if by_margin is not None:
        notes.append(_margin_sentence(by_margin))
    echo_table("Differences", header, differences)
    echo_notes([*table.data.sentences(), *notes])


def _is_bound(result: DependentComparison, pvalue: float | None) -> bool:
    """Return whether a p-value by the bootstrap is the smallest possible one."""
    return pvalue is not None and result.n_resamples is not None and pvalue <= 1 / (result.n_resamples + 1)


def _equality(result: DependentComparison) -> str:
    """Return a sentence about the test of equality."""
    by = (
        result.method if result.n_resamples is None else f"bootstrap with {numbers.count(result.n_resamples)} resamples"
    )
    if result.pvalue is None:
        return f"No test of equality ({by}): {result.reason}."
    shown = numbers.equation("p", numbers.pvalue(result.pvalue, at_most=result.at_most))
    freedom = "" if result.df is None else f" with {result.df[0]} and {result.df[1]} degrees of freedom"
    sentence = f"Test of equality ({by}): Hotelling's T2 = {numbers.decimal(result.statistic)}{freedom}, {shown}."
    return sentence if result.reason is None else f"{sentence} {result.reason[:1].upper()}{result.reason[1:]}."


def _margin_sentence(test: Comparison) -> str:
    """Return a sentence about a test with a margin."""
    claims = {
        "non-inferiority": f"the difference is above -{test.margin:g}",
        "equivalence": f"the difference lies between -{test.margin:g} and {test.margin:g}",
    }
    if test.pvalue is None:
        return f"No test of whether {claims[test.alternative]}: {test.reason}."
    shown = numbers.equation("p", numbers.pvalue(test.pvalue))
    interval = f"{100 * test.level:g}% interval {numbers.interval(test.ci)}"
    return f"Test of whether {claims[test.alternative]}: {shown}, {interval}."
