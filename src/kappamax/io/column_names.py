"""Recognise what a column contains from the words in its name.

The words are those that people use in several languages as headings of identifiers, raters, ratings, and columns that
are not ratings. A name is only a hint: `column_roles` compares it with the values.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IDENTIFIER = _words(
    """id ids uid uuid guid pid sid identifier no nr num number index idx key mrn accession rowid row patient pat
    patients subject subjects subj participant participants proband case cases fall item items record sample
    image img picture photo document doc docs unit respondent person student essay sentence task slide scan
    lesion specimen file filename url link title name names email mail hit element sujet patiente objet sujeto
    paciente caso texto dokument fallnummer paragraph segment utterance turn line page epoch window frame clip
    patientin stimulus trial abstract doi pmid author authors study kennung codice soggetto paziente tooth film
    video"""
)
_STRONG_IDENTIFIER = _words(
    "id subject patient case item record participant unit index lesion paragraph segment sentence slide scan epoch"
)
_PERSONS = _words(
    "id ids participant participants person student respondent proband email mail name names author authors no nr"
)
_RATER = _words(
    """rater raters reader annotator coder judge worker observer reviewer evaluator assessor labeler labeller grader
    marker tagger examiner clinician physician doctor dr nurse radiologist pathologist expert user annotateur codeur
    juge bewerter kodierer beurteiler gutachter evaluador juez anotador codificador revisor giudice valutatore referee
    who by human llm model teacher interviewer scorer psychiatrist dentist therapist surgeon lehrer prüfer novice
    senior junior resident trainee crowd"""
)
_RATING = _words(
    """rating ratings label labels score scores code category class grade answer response value decision diagnosis vote
    judgement judgment annotation verdict assessment stage severity sentiment choice tag bewertung urteil kategorie
    klasse wert note etiquette étiquette codage etiqueta categoria categoría valor puntuacion puntuación diagnose befund
    giudizio voto punteggio"""
)
_OTHER = _words(
    """age sex gender site center centre clinic hospital ward department group arm cohort treatment date time timestamp
    datum year month day visit week session wave notes note comment comments remark remarks bemerkung kommentar
    commentaire comentario duration seconds minutes version status language country city region race ethnicity education
    weight height bmi confidence certainty difficulty batch split fold alter geschlecht edad sexo âge sexe created
    updated started finished start end ip text description reason rationale explanation source topic domain birth dob
    phone address username event lang browser female male eye laterality smoker diabetic exposed
    exposure dose occasion timepoint round"""
)
_STATUS = _words("complete completed filter timestamp date duration confidence certainty comment comments")
_CONSENSUS = _words(
    """consensus final gold golden truth reference adjudicated adjudication adjudicator majority agreed agree agrees
    agreement match matches correct equal identical concordant concordance same discrepancy discrepant conflict
    conflicts resolved aggregated
    konsens übereinstimmung consenso accord disagree disagreement"""
)
_SUMMARY = _words(
    """mean average avg sum total totals sd std median diff difference delta mittelwert durchschnitt summe gesamt
    moyenne somme media suma promedio variance range percent pct kappa"""
)
_COUNT = _words("count counts n freq frequency frequencies anzahl häufigkeit haeufigkeit effectif frecuencia")
_TOTAL_CELLS = re.compile(
    r"(grand |row |column |col )?(totals?|sum|all|gesamt|summe|total général|insgesamt|marginals?|margin|somme|suma|"
    r"mean|average|avg|mittelwert|moyenne|promedio|median|sd|std|n)\.?:?",
    re.IGNORECASE,
)


_SUMMARY_CELLS = re.compile(
    r"(sub-?totals?|zwischensumme|count|number|n =.*|.*\bkappa\b.*|.*agreement\b.*|percent.*|variance|minimum|maximum|"
    r"notes?\b.*|source\b.*|legend\b.*|generated\b.*|signed\b.*|signature\b.*|reviewed by\b.*|date\b.*|end of .*)",
    re.IGNORECASE,
)


@cache
def words_of(name: str) -> list[str]:
    """Return the words of a name in lower case; "raterID_2" has the words rater, id and 2."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return re.findall(r"[^\W\d_]+|\d+", apart.lower())


def stem_of(name: str) -> str:
    """Return a name without numbers and single letters, which is equal for rater1 and rater2 and for Rater A and B."""
    return " ".join(word for word in words_of(name) if not word.isdigit() and len(word) > 1)


def names_identifier(name: str) -> bool:
    """Return whether a name says that a column identifies subjects."""
    words = set(words_of(name))
    if words_of(name)[-1:] in (["id"], ["ids"], ["uuid"]) and not words & _RATER:  # responseId identifies responses
        return True
    return (bool(words & _IDENTIFIER) and not words & (_RATING | _RATER)) or name.strip() == "#"


def is_made_up(name: str) -> bool:
    """Return whether a name was made up by a program for a column without a name, as that of row numbers is."""
    return bool(re.fullmatch(r"column \d+|unnamed:? ?\d*|index|x|v1|\.\.\.?1|_1|#", name.strip(), re.IGNORECASE))


def names_subject_only(name: str) -> bool:
    """Return whether a whole name is a usual name of the column of subjects."""
    words = words_of(name)
    return (
        bool(words)
        and set(words) <= _STRONG_IDENTIFIER | {"no", "nr", "number"}
        and bool(set(words) & _STRONG_IDENTIFIER)
    )


def names_thing(name: str) -> bool:
    """Return whether a name says that a column identifies things that are rated, rather than persons."""
    words = set(words_of(name))
    return bool(words & (_IDENTIFIER - _PERSONS)) and not words & (_RATING | _RATER)


def names_rater(name: str) -> bool:
    """Return whether a name says that a column contains the names of raters, or the ratings of a rater."""
    return bool(set(words_of(name)) & _RATER)


def names_rating(name: str) -> bool:
    """Return whether a name says that a column contains ratings."""
    return bool(set(words_of(name)) & _RATING)


def names_rating_only(name: str) -> bool:
    """Return whether a whole name is one word for ratings, without a number or a name of a rater."""
    words = words_of(name)
    return len(words) == 1 and words[0] in _RATING


def names_other(name: str) -> bool:
    """Return whether a name says that a column contains something else, such as age or a comment."""
    words = set(words_of(name))
    return bool(words & _STATUS) or (bool(words & _OTHER) and not words & _RATING - {"note"})


def names_consensus(name: str) -> bool:
    """Return whether a name says that a column contains a consensus, a reference, or whether the raters agree."""
    return bool(set(words_of(name)) & _CONSENSUS)


def names_summary(name: str) -> bool:
    """Return whether a name says that a column contains a mean, a total or another summary."""
    return bool(set(words_of(name)) & _SUMMARY)


def names_extreme(name: str) -> bool:
    """Return whether a name says that a column contains the largest or the smallest of other values."""
    return bool(set(words_of(name)) & {"max", "min", "maximum", "minimum", "highest", "lowest", "worst", "best"})


def names_count(name: str) -> bool:
    """Return whether a name says that a column contains the number of subjects with a pattern."""
    return " ".join(words_of(name)) in _COUNT


def is_summary_row(cell: object) -> bool:
    """Return whether the first cell of a row says that the row contains totals, means or notes instead of ratings."""
    return is_total(cell) or (isinstance(cell, str) and bool(_SUMMARY_CELLS.fullmatch(cell.strip())))


def is_total(cell: object) -> bool:
    """Return whether a cell says that its row or column contains totals or means."""
    return isinstance(cell, str) and bool(_TOTAL_CELLS.fullmatch(cell.strip()))


def shared_stem(name: str, others: Collection[str]) -> bool:
    """Return whether a name differs from one of some other names only in numbers and single letters."""
    stem = stem_of(name)
    return any(stem_of(other) == stem and other != name for other in others)
