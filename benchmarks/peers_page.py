"""Write docs/peers.md from verdicts, formulas and comparisons of speed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.correctness import ReadOnly, Verdict
from benchmarks.markdown import circumstances, seconds, table
from benchmarks.question import Number, Question
from benchmarks.questions import GROUPS, questions

if TYPE_CHECKING:
    from benchmarks.speed import Comparison  # needs what only the peers' environment has

__all__ = ["page", "question_row", "read_only_row"]

BESIDE = ("scikit-learn", "statsmodels", "krippendorff", "nltk", "pycm", "POT", "PyNormaliz")
SHOWN = {"agrees": "yes", "undefined": "undefined", "silent": "silent", "fails": "error", "not offered": ""}


def page(
    verdicts: Sequence[Verdict],
    read: Sequence[ReadOnly],
    rows: Sequence[Comparison],
    calls: dict[str, str],
    r_versions: dict[str, str],
    *,
    quick: bool,
) -> str:
    """The whole page; `calls` says how each package was asked."""
    parts = [
        "# Beside other packages",
        "Written by `python -m benchmarks peers --update`. Every package that installs is asked the same questions, "
        "about bundled examples (`kappamax example NAME`) and a few short lists of ratings. Our answer is exact, and a "
        "second computation that shares no code with kappamax has to agree before anyone is judged. A package agrees "
        "('yes') if its number is ours to 1e-9. Where it differs, a reason is printed only if the formula it names "
        "gives the package's number to 1e-9. An empty cell: not offered.",
    ]
    if quick:
        parts.append("A quick run on small data: its times mean nothing.")
    parts += [
        f"{circumstances(BESIDE)}\n- {_r_line(r_versions)}",
        "## At a glance",
        _glance(verdicts, rows),
        *(_group(group, [one for one in verdicts if one.question.group == group]) for group in GROUPS),
        _read(read),
        _speed(rows),
        "## How each package was asked",
        "\n".join(f"- **{package}**: {call}" for package, call in calls.items()),
    ]
    return "\n\n".join(parts) + "\n"


def question_row(question: Question) -> list[str]:
    """The question, our answer, and how the second opinion was reached."""
    return [question.text, _shown(question.ours()), question.proof]


def read_only_row(one: ReadOnly) -> list[str]:
    """A formula's number beside the proven one."""
    return [one.package, one.question.text, f"{float(one.value):.4f}", _shown(one.question.ours()), _yes(one.right)]


def _r_line(found: dict[str, str]) -> str:
    if not found:
        return "R: not present in this run"
    from benchmarks.r import WANTED

    here = ", ".join(f"{package} {version}" for package, version in found.items() if package != "R")
    absent = [package for package in WANTED if package not in found]
    return f"R {found['R']}, {here}" + (f"; not present in this run: {', '.join(absent)}" if absent else "")


def _glance(verdicts: Sequence[Verdict], rows: Sequence[Comparison]) -> str:
    lines = []
    for package in dict.fromkeys(one.package for one in verdicts):
        states = [one.state for one in verdicts if one.package == package]
        counts = [states.count(state) for state in ("agrees", "undefined", "silent", "differs", "fails")]
        asked = len(states) - states.count("not offered")
        lines.append([package, str(asked), *map(str, counts), _range(package, rows)])
    header = [
        "package",
        "answers",
        "agrees",
        "undefined (warning or error)",
        "silent (NaN or None)",
        "differs",
        "error",
    ]
    text = f"Of {len(questions())} questions. A different convention counts as different; the sections say which it is."
    return f"{text}\n\n{table([*header, 'its time / ours'], lines)}"


def _range(package: str, rows: Sequence[Comparison]) -> str:
    """The smallest and the largest ratio of times."""
    ratios = [row.ratio for row in rows if row.ratio is not None and _package_of(row) == package]
    if not ratios:
        return ""
    low, high = f"{min(ratios):.3g}", f"{max(ratios):.3g}"
    return low if len(ratios) == 1 else f"{low} to {high}"


def _package_of(row: Comparison) -> str:
    name = (row.peer or "").split(" (")[0]
    return {"POT ot.emd": "POT"}.get(name, name)


def _group(group: str, verdicts: Sequence[Verdict]) -> str:
    asked = list(dict.fromkeys(one.question for one in verdicts))
    offering = list(dict.fromkeys(one.package for one in verdicts if one.state != "not offered"))
    by_place = {(one.package, one.question.name): one for one in verdicts}
    answers = table(["question", "our answer", "second opinion"], [question_row(question) for question in asked])
    cells = [[q.text, *(_cell(by_place[package, q.name]) for package in offering)] for q in asked]
    parts = [f"## {group}", GROUPS[group], answers, table(["question", *offering], cells)]
    reasons = _reasons(verdicts)
    return "\n\n".join([*parts, table(["package", "question", "its answer", "why"], reasons)] if reasons else parts)


def _cell(one: Verdict) -> str:
    return f"**{one.value:.4f}**" if one.state == "differs" else SHOWN[one.state]


def _reasons(verdicts: Sequence[Verdict]) -> list[list[str]]:
    """One line per package and reason."""
    found: dict[tuple[str, str], list[Verdict]] = {}
    for one in verdicts:
        if one.state in ("differs", "fails", "undefined"):
            found.setdefault((one.package, one.reason), []).append(one)
    return [
        [
            package,
            "; ".join(one.question.text for one in ones),
            ", ".join(dict.fromkeys(f"{one.value:.4f}" if one.value is not None else _word(one) for one in ones)),
            reason if ones[0].state == "differs" else f"`{reason.replace('`', '')}`",
        ]
        for (package, reason), ones in found.items()
    ]


def _word(one: Verdict) -> str:
    return "undefined" if one.state == "undefined" else "error"


def _read(read: Sequence[ReadOnly]) -> str:
    sources = dict.fromkeys((one.package, one.source, one.words) for one in read)
    listed = "\n".join(f"- **{package}**: {words} ({source})" for package, source, words in sources)
    header = ["software", "question", "its maximum", "our answer", "right"]
    text = (
        "More software prints a largest kappa. It was not run here: its source was read, and its formula is computed "
        "in fractions. A right number can be chance; 'no' is a counterexample."
    )
    cells = table(header, [read_only_row(one) for one in read])
    return f"## Largest kappas that were read, not run\n\n{text}\n\n{listed}\n\n{cells}"


def _speed(rows: Sequence[Comparison]) -> str:
    beside = [row for row in rows if row.ratio is not None and not (row.peer or "").startswith(("floor", "scipy"))]
    cells = [
        [row.peer or "", row.case, seconds(row.theirs), seconds(row.ours), f"{row.ratio:.2f}"]
        for row in sorted(beside, key=lambda row: row.peer or "")
    ]
    text = (
        "Median times of calls that take turns on the same data in one run and give the same value. Above 1 the "
        "package takes longer. Our kappa includes its standard error and interval. R's calls are timed inside R, "
        "without the start of its process."
    )
    return f"## Speed\n\n{text}\n\n{table(['package', 'case', 'its time', 'ours', 'ratio'], cells)}"


def _shown(value: Number) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, Fraction):
        return f"{value.numerator:,}" if value.denominator == 1 else f"{value} = {float(value):.4f}"
    return f"{value:.4f}"


def _yes(right: bool) -> str:
    return "yes" if right else "no"
