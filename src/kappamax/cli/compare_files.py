"""Compare the agreement in several files, which are independent groups of subjects, for `kappamax compare`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kappamax.cli.runner import echo_json, echo_notes, echo_table, notes_to_stderr, read_table, weightings
from kappamax.display import numbers, text

if TYPE_CHECKING:
    from kappamax.group_comparisons.comparison_results import GroupComparison


def compare_files(files: Sequence[str], options: dict[str, Any], *, level: float, seed: int, as_json: bool) -> None:
    """Compare the files under every weighting and print the results."""
    from kappamax.group_comparisons.comparison import compare_groups

    with notes_to_stderr():
        groups = [(file, read_table(options | {"file": file})) for file in files]
        found = [
            compare_groups(groups, weights=weights, coefficient=options["coefficient"], level=level, rng=seed)
            for weights in weightings(options) or ["unweighted"]
        ]
    if as_json:
        echo_json({"results": [one.to_dict() for one in found]})
        return
    for one in found:
        _show(one)


def _show(result: GroupComparison) -> None:
    interval = f"{100 * result.level:g}% interval"
    rows = [
        [
            group.name,
            "" if group.n_subjects is None else numbers.count(group.n_subjects),
            numbers.decimal(group.value),
            "" if group.ci is None else numbers.interval(group.ci),
            "" if group.se is None else numbers.decimal(group.se),
        ]
        for group in result.groups
    ]
    title = f"Agreement of independent groups ({result.coefficient}, {result.weights})"
    echo_table(title, ["group", "subjects", "value", interval, "std. error"], rows)
    differences = [
        [
            f"{one.first} - {one.second}",
            numbers.decimal(one.difference),
            numbers.interval(one.ci),
            result.pvalue_text(one.pvalue),
        ]
        for one in result.differences
    ]
    if differences:
        echo_table("Differences", ["difference", "value", interval, "adjusted p"], differences)
    echo_notes(_sentences(result))


def _sentences(result: GroupComparison) -> list[str]:
    """Return sentences about the test of equality, the pooled value, and groups that are left out."""
    test, pooled = result.homogeneity, result.pooled
    if test.pvalue is None:
        sentences = [f"No test of equality: {test.reason}."]
    else:
        shown = numbers.equation("p", result.pvalue_text(test.pvalue))
        sentences = [f"Test of equality: {shown} ({test.how})."]
    if pooled.value is not None:
        interval = f"{100 * result.level:g}% interval {numbers.interval(pooled.ci)}"
        sentences.append(f"Pooled value: {numbers.decimal(pooled.value)}, {interval}.")
    if len(result.differences) > 1:
        sentences.append("The intervals of the differences hold together; adjusted p-values account for all of them.")
    sentences += [f"{text.label(one.name)}: undefined, {one.reason}." for one in result.groups if one.value is None]
    return sentences
