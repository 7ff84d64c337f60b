"""Find labels that are probably mistakes: spelling variants, and numbers or words that may stand for missing ratings.

Scales that people really use must pass: numbers in a run, grades and stages (T1, T2; I to IV; 3+, 4+), short labels,
and categories that are rare.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

from kappamax.display.text import listing, plural
from kappamax.table import Label

#: numbers by which studies usually code missing ratings
_MISSING_CODES = frozenset({-1, -7, -8, -9, -77, -88, -99, -999, -9999, 9, 77, 88, 97, 98, 99, 777, 888, 999, 9999})
_LARGEST_SCALE_BELOW_9 = 6
_SHORTEST_MISSPELT = 5
_MOST_LABELS_COMPARED = 300
_SAME_SIGNS = str.maketrans("\u2010\u2011\u2012\u2013\u2014\u2212\u2018\u2019\u201c\u201d", "------''" + '""')
#: capital letters of other alphabets that look like Latin ones, and small ones of the Cyrillic alphabet
_SAME_LETTERS = str.maketrans("АВЕЗІКМНОРСТУХаеіорсухΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABE3IKMHOPCTYXaeiopcyxABEZHIKMNOPTYX")
#: words that say that nobody rated a subject
_NOT_RATED = re.compile(
    r"(not|un)[ -]?(yet )?(assessed|evaluated|examined|done|performed|recorded|reported|available|coded|graded|rated"
    r"|annotated|labell?ed|marked|measured|tested|completed|answered|scored|specified)|no (score|code|label|grade)"
    r"|nicht (bewertet|beurteilt|erhoben|kodiert|untersucht|vorhanden|verfügbar|ausgefüllt)|ohne angabe"
    r"|non (évalué|evalué|coté|codé|noté|renseigné|disponible|valutato|disponibile)e?"
    r"|no (evaluado|disponible|codificado)|sin (evaluar|codificar)|não (avaliado|disponível)"
    r"|не (оценено|оценивалось|указано)|未(评|评分|评估|評価|評分|记录|回答)"
    r"|tbd|to ?do|to be (done|determined|coded|rated)",
    re.IGNORECASE,
)
#: words that may be a category or stand for a missing rating; both are usual
_MAY_BE_MISSING = re.compile(
    r"not applicable|nicht anwendbar|non applicable|no aplica|unknown|unbekannt|inconnu|desconocido|nd|ne|ka"
    r"|refused|no response|pending|blank|empty"
    r"|(cannot|can't|unable to) (assess|rate|tell|say|judge|determine|evaluate|score)"
    r"|(un|not )(gradable|gradeable|ratable|rateable|scorable|codable|assessable|evaluable)|x|\*",
    re.IGNORECASE,
)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")


class Doubt(NamedTuple):
    """A doubt about some labels.

    Attributes
    ----------
    kind : str
        "case", "spelling", "missing-code", "none" or "decimal-comma".
    statement : str
        What is doubtful, as a clause.
    rename : dict of labels
        Labels that are probably mistakes, with the labels that are probably meant.
    missing : tuple of labels
        Labels that probably stand for missing ratings.
    """

    kind: str
    statement: str
    rename: Mapping[Label, Label] = {}
    missing: tuple[Label, ...] = ()


def doubts_about(n_ratings: Mapping[Label, int], by_rater: Sequence[Mapping[Label, int]] = ()) -> list[Doubt]:
    """Return the doubts about labels, given the number of ratings of each label, in all and by each rater."""
    words = [label for label in n_ratings if isinstance(label, str)]
    numbers = [label for label in n_ratings if not isinstance(label, str)]
    found = _decimal_commas(n_ratings) or _same_meaning(n_ratings)
    found = [*found, *_case_variants(words, n_ratings, by_rater)]
    if len(words) <= _MOST_LABELS_COMPARED:
        known = {label for doubt in found for label in doubt.rename}
        found += _misspellings([label for label in words if label not in known], n_ratings)
    return [*found, *_missing_codes(numbers, n_ratings), *_not_rated(words, n_ratings), *_none(n_ratings)]


def possibly_missing(n_ratings: Mapping[Label, int]) -> list[Label]:
    """Return labels that are often a category and often stand for missing ratings, beside two or more others."""
    found: list[Label] = [label for label in n_ratings if isinstance(label, str) and _MAY_BE_MISSING.fullmatch(label)]
    return found if len(n_ratings) - len(found) > 1 else []


def is_one_edit_apart(first: str, second: str) -> bool:
    """Return whether two texts differ by one letter that is changed, added, left out or swapped with the next."""
    if first == second or abs(len(first) - len(second)) > 1:
        return False
    if len(first) > len(second):
        first, second = second, first
    start = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), len(first))
    if len(first) < len(second):
        return first[start:] == second[start + 1 :]
    swapped = first[start + 1 : start + 2] + first[start : start + 1] + first[start + 2 :]
    return first[start + 1 :] == second[start + 1 :] or swapped == second[start:]


def _case_variants(
    words: Sequence[str], n_ratings: Mapping[Label, int], by_rater: Sequence[Mapping[Label, int]]
) -> list[Doubt]:
    """Return a doubt for labels that differ only in case.

    Genotypes such as AA, Aa and aa are no variants, nor are single letters that every rater uses often in both cases.
    """
    groups: dict[str, list[str]] = {}
    for label in words:
        groups.setdefault(label.casefold(), []).append(label)
    return [
        Doubt("case", f"{_counted(same, n_ratings)} differ only in case", _renamed(same, n_ratings))
        for look, same in groups.items()
        if len(same) > 1
        and not (len(look) == 2 and look[0] == look[1])
        and not (len(look) == 1 and all(_often(label, by_rater) for label in same))
    ]


def _often(label: Label, by_rater: Sequence[Mapping[Label, int]]) -> bool:
    """Return whether every rater used a label in at least a twentieth of the ratings."""
    return bool(by_rater) and all(20 * own.get(label, 0) >= sum(own.values()) > 0 for own in by_rater)


def _same_meaning(n_ratings: Mapping[Label, int]) -> list[Doubt]:
    """Return a doubt for labels that differ in hyphens, alphabets, leading zeros, or as True and 1 do."""
    groups: dict[str, list[Label]] = {}
    for label in n_ratings:
        groups.setdefault(meaning_of(label), []).append(label)
    doubts = []
    for same in groups.values():
        looks = {str(label).casefold() for label in same}
        if len(looks) > 1:
            doubts.append(
                Doubt("spelling", f"{_counted(same, n_ratings)} may mean the same", _renamed(same, n_ratings))
            )
    return doubts


def meaning_of(label: Label) -> str:
    """Return the form in which labels are equal that a reader would take for the same."""
    look = unicodedata.normalize("NFKC", str(label)).translate(_SAME_LETTERS).casefold().translate(_SAME_SIGNS)
    if look.isdecimal():  # digit by digit, since a label may have thousands of them
        return "".join(str(unicodedata.decimal(digit)) for digit in look).lstrip("0") or "0"
    if _DECIMAL_COMMA.fullmatch(look):
        return f"{float(look.replace(',', '.')):g}"
    if sum(map(str.isalpha, look)) >= 3:
        look = re.sub(r"(?<=\w)[\s_\-]+(?=\w)", " ", look).rstrip(".")
    else:
        look = "".join(look.split())
    return {"true": "1", "false": "0"}.get(look, look)


def _misspellings(words: Sequence[str], n_ratings: Mapping[Label, int]) -> list[Doubt]:
    """Return a doubt for rare labels that are one edit apart from a frequent one."""
    most = max(2, sum(n_ratings.values()) // 50)
    doubts = []
    for one, other in combinations(words, 2):
        rare, frequent = sorted((one, other), key=lambda label: n_ratings[label])
        if n_ratings[rare] <= most and n_ratings[frequent] >= 3 * n_ratings[rare] and _is_misspelling(rare, frequent):
            few, many = _counted([rare], n_ratings), _counted([frequent], n_ratings)
            doubts.append(Doubt("spelling", f"{few} may be a misspelling of {many}", {rare: frequent}))
    return doubts


def _is_misspelling(rare: str, frequent: str) -> bool:
    """Return whether two labels differ in one long word by one edit that is not at the beginning of the word."""
    words, others = rare.casefold().split(), frequent.casefold().split()
    if len(words) != len(others):
        return False
    different = [(a, b) for a, b in zip(words, others, strict=True) if a != b]
    if len(different) != 1:
        return False
    a, b = different[0]
    long = min(len(a), len(b)) >= _SHORTEST_MISSPELT - 1 and max(len(a), len(b)) >= _SHORTEST_MISSPELT
    return long and a.isalpha() and b.isalpha() and a[0] == b[0] and is_one_edit_apart(a, b)


def _missing_codes(numbers: Sequence[Label], n_ratings: Mapping[Label, int]) -> list[Doubt]:
    """Return a doubt about numbers that lie outside the scale of the others and often stand for missing ratings."""
    codes = sorted(label for label in numbers if label in _MISSING_CODES)
    scale: list[float] = sorted(float(label) for label in numbers if label not in _MISSING_CODES)
    n_words = len(n_ratings) - len(numbers)
    words = [label for label in n_ratings if isinstance(label, str)]
    if len(words) == 1 and len(numbers) > 1 and not any(map(str.isdigit, words[0])) and words[0] != "None":
        digit = {"o": 0, "l": 1, "i": 1}.get(words[0].casefold())
        if digit in numbers and digit is not None:
            same = _counted([words[0]], n_ratings)
            return [Doubt("spelling", f"{same} may be the digit {digit}", {words[0]: digit})]
        beside = listing(sorted(numbers, key=float))
        statement = f"{_counted(words, n_ratings)}, beside {beside}, may stand for a missing rating"
        return [Doubt("missing-code", statement, missing=(words[0],))]
    suspects = tuple(
        code for code in codes if (_lies_outside(float(code), scale) if scale else n_words > 1 and code != -1)
    )
    if not suspects:
        return []
    others = [label for label in n_ratings if label not in suspects]
    verb = "may stand for a missing rating" if len(suspects) == 1 else "may stand for missing ratings"
    return [
        Doubt("missing-code", f"{_counted(suspects, n_ratings)}, beside {listing(others)}, {verb}", missing=suspects)
    ]


def _not_rated(words: Sequence[str], n_ratings: Mapping[Label, int]) -> list[Doubt]:
    """Return a doubt about words that say that nobody rated a subject, beside two or more other labels."""
    suspects = tuple(word for word in words if _NOT_RATED.fullmatch(word))
    if not suspects or len(n_ratings) - len(suspects) < 2:
        return []
    verb = "may stand for a missing rating" if len(suspects) == 1 else "may stand for missing ratings"
    return [Doubt("missing-code", f"{_counted(suspects, n_ratings)} {verb}", missing=suspects)]


def _lies_outside(code: float, scale: Sequence[float]) -> bool:
    """Return whether a number is far from the other numbers of a scale, compared with their distances."""
    distance = min(abs(code - number) for number in scale)
    gap = max((b - a for a, b in pairwise(scale)), default=1.0)
    if code < 0:
        return scale[0] >= 0 and (len(scale) > 1 or code < -1) and distance > max(gap, 1)
    if code == 9:
        geometric = len(scale) > 1 and scale[-2] > 0 and code / scale[-1] == scale[-1] / scale[-2]
        return len(scale) > 1 and scale[-1] <= _LARGEST_SCALE_BELOW_9 and distance > gap and not geometric
    return code > scale[-1] and distance > 2 * gap


def _none(n_ratings: Mapping[Label, int]) -> list[Doubt]:
    """Return a doubt about the text None beside other words, which may be a grade or Python's None.

    It is probably a grade if all words begin with a capital letter.
    """
    words = [label for label in n_ratings if isinstance(label, str) and label != "None"]
    if "None" not in n_ratings or not words:
        return []
    statement = f"{_counted(['None'], n_ratings)} may be a category or stand for a missing rating"
    if all(word[:1].isupper() or not word[:1].isalpha() for word in words):
        return [Doubt("none", statement, rename={"None": "none"})]
    return [Doubt("none", statement, missing=("None",))]


def _decimal_commas(n_ratings: Mapping[Label, int]) -> list[Doubt]:
    """Return a doubt about numbers with a decimal comma among numbers."""
    commas = [label for label in n_ratings if isinstance(label, str) and _DECIMAL_COMMA.fullmatch(label)]
    if not commas or any(isinstance(label, str) and label not in commas for label in n_ratings):
        return []
    return [Doubt("decimal-comma", f"{listing(commas, most=3)} may be numbers with a decimal comma")]


def _renamed(same: Iterable[Label], n_ratings: Mapping[Label, int]) -> dict[Label, Label]:
    """Return the rarer of labels that may mean the same, each with the most frequent one."""
    same = list(same)
    best = max(same, key=lambda label: n_ratings[label])
    return {label: best for label in same if label != best}


def _counted(labels: Iterable[Label], n_ratings: Mapping[Label, int]) -> str:
    """Return labels with their numbers of ratings: "'Yes' (1 rating) and 'yes' (3 ratings)"."""
    shown = [f"{label!r} ({plural(n_ratings[label], 'rating')})" for label in labels]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
