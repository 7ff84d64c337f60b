"""Exports of survey and data-capture tools, with the columns that these tools add."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from tests.io.corpus.case import Case, Grid, Ratings, careless, draw
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.writers import beside, csv_case, csv_text, sheets, text

GRADES = ["Mild", "Moderate", "Severe"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _qualtrics()
    yield from _forms()
    yield from _one_answer_sheet_per_rater()
    yield from _data_capture()


def stamps(seed: int, n: int, pattern: str = "2024-03-{day:02d} {hour:02d}:{minute:02d}:{second:02d}") -> list[str]:
    """Return times in the pattern of a tool."""
    rng = random.Random(seed)
    return [
        pattern.format(
            day=rng.randint(1, 28), hour=rng.randint(8, 19), minute=rng.randint(0, 59), second=rng.randint(0, 59)
        )
        for _ in range(n)
    ]


def _qualtrics() -> Iterator[Case]:
    """Three header rows: the names, the questions, and the identifiers for import."""
    names = ["StartDate", "EndDate", "Status", "IPAddress", "Progress", "Duration (in seconds)", "Finished",
             "RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage"]  # fmt: skip
    questions = ["Start Date", "End Date", "Response Type", "IP Address", "Progress", "Duration (in seconds)",
                 "Finished", "Recorded Date", "Response ID", "Distribution Channel", "User Language"]  # fmt: skip
    imports = [f'{{"ImportId":"{name[:1].lower()}{name[1:]}"}}' for name in names]

    def metadata(seed: int, n: int) -> Grid:
        rng = random.Random(seed)
        times = stamps(seed, n)
        return [
            [time, time, "IP Address", f"10.1.{i % 7}.{i}", 100, rng.randint(40, 400), "True", time,
             f"R_{rng.getrandbits(60):x}", "anonymous", "EN"]
            for i, time in enumerate(times)
        ]  # fmt: skip

    ratings = draw(2100, GRADES, n=30)
    rows = long_rows(ratings, range(1, 31), ["KM", "TR"])
    body = [
        [*front, rater, subject, label] for front, (subject, rater, label) in zip(metadata(1, 60), rows, strict=True)
    ]
    heads = [
        [*names, "Q1", "Q2", "Q3"],
        [*questions, "Your initials", "Number of the case", "How severe is the lesion?"],
        [*imports, '{"ImportId":"QID1_TEXT"}', '{"ImportId":"QID2_TEXT"}', '{"ImportId":"QID3"}'],
    ]
    yield csv_case("qualtrics-long.csv", None, [*heads, *body], ratings, wrong=careless(body))
    wide = [[*front, *row] for front, row in zip(metadata(2, 30), ratings, strict=True)]
    heads = [
        [*names, "Q1", "Q2"],
        [*questions, "Grade by reader 1", "Grade by reader 2"],
        [*imports, '{"ImportId":"QID1"}', '{"ImportId":"QID2"}'],
    ]
    yield csv_case("qualtrics-wide.csv", None, [*heads, *wide], ratings, wrong=careless(wide))
    slim = [["Q1", "Q2"], ["Grade by reader 1", "Grade by reader 2"], ['{"ImportId":"QID1"}', '{"ImportId":"QID2"}']]
    yield csv_case("qualtrics-slim.csv", None, [*slim, *ratings], ratings, wrong=careless([*slim[1:], *ratings]))


def _forms() -> Iterator[Case]:
    """One form per rater and case."""
    ratings = draw(2110, GRADES, n=30)
    mails = ["anna@example.org", "ben@example.org"]
    rows = long_rows(ratings, range(1, 31), mails)
    random.Random(1).shuffle(rows)
    times = stamps(3, 60, "3/{day}/2024 {hour}:{minute:02d}:{second:02d}")
    google = [[time, rater, subject, label] for time, (subject, rater, label) in zip(times, rows, strict=True)]
    header = ["Timestamp", "Email Address", "Which case are you rating?", "How severe is it?"]
    yield csv_case("google-forms.csv", header, google, ratings, quote_all=True)
    initials = [["Timestamp", "Your initials", "Case no.", "Severity", "Comments"]]
    body = [[row[0], row[1][:1].upper(), *row[2:], "" if i % 9 else "hard to see"] for i, row in enumerate(google)]
    yield csv_case("google-forms-initials.csv", None, [*initials, *body], ratings, wrong=careless(body))
    forms: Grid = [["ID", "Start time", "Completion time", "Email", "Name", "Case number", "Severity"]]
    for i, (time, mail, subject, label) in enumerate(google, 1):
        forms.append([i, time, time, mail, {"a": "Anna Ash", "b": "Ben Bell"}[mail[0]], subject, label])
    yield Case("microsoft-forms.xlsx", sheets(("Form1", forms)), ratings, wrong=careless(forms[1:]))
    kobo: Grid = []
    for i, (subject, rater, label) in enumerate(rows, 1):
        time = f"2024-03-02T10:{i % 60:02d}:00.000+01:00"
        kobo.append(
            [time, time, rater[:3], subject, label, 5000 + i, f"{i:032x}", time, "", "submitted_via_web", "", i]
        )
    header = ["start", "end", "Rater", "Case", "Severity", "_id", "_uuid", "_submission_time", "_notes", "_status",
              "_submitted_by", "_index"]  # fmt: skip
    yield csv_case("kobo.csv", header, kobo, ratings, delimiter=";", quote_all=True)
    lime = [[i, time, 2, "en", 10**8 + 7 * i, rater[:1], subject, label]
            for i, (time, (subject, rater, label)) in enumerate(zip(stamps(4, 60), rows, strict=True), 1)]  # fmt: skip
    header = ["id", "submitdate", "lastpage", "startlanguage", "seed", "Rater", "CaseNo", "Severity"]
    yield csv_case("limesurvey.csv", header, lime, ratings, quote_all=True)
    heads = [
        ["Respondent ID", "Collector ID", "Start Date", "End Date", "Who are you?", "Number of the case", "Severity"],
        ["", "", "", "", "Response", "Open-Ended Response", "Response"],
    ]
    monkey = [[11800 + i, 4711, time, time, rater[:4], subject, label]
              for i, (time, rater, subject, label) in enumerate(google)]  # fmt: skip
    yield csv_case("surveymonkey.csv", None, [*heads, *monkey], ratings, wrong=careless(monkey))
    prolific = [[f"{mail[:2]}5f{i % 2}c9", f"s{i:03d}", "APPROVED", time, 31 + i, subject, label]
                for i, (time, mail, subject, label) in enumerate(google)]  # fmt: skip
    for row, (_, mail, _, _) in zip(prolific, google, strict=True):
        row[0] = {"a": "5f3c9aa01", "b": "60ab17fe2"}[mail[0]]
    header = ["Participant id", "Submission id", "Status", "Started at", "Time taken", "item", "response"]
    yield csv_case("prolific.csv", header, prolific, ratings)


def _one_answer_sheet_per_rater() -> Iterator[Case]:
    """Each rater fills in one form with a question per case."""
    ratings = draw(2120, GRADES, n=25, raters=4)
    mails = [f"{name}@example.org" for name in ("anna", "ben", "carla", "dev")]
    times = stamps(5, 4, "3/{day}/2024 {hour}:{minute:02d}:{second:02d}")
    columns = list(zip(*ratings, strict=True))
    rows = [[time, mail, *column] for time, mail, column in zip(times, mails, columns, strict=True)]
    header = ["Timestamp", "Email Address", *(f"Case {i}" for i in range(1, 26))]
    yield csv_case("google-forms-sheets.csv", header, rows, ratings)
    anonymous = [[time, *column] for time, column in zip(times, columns, strict=True)]
    yield csv_case("google-forms-anonymous.csv", [header[0], *header[2:]], anonymous, ratings)
    lime = [[i, "2024-03-02 10:00:00", 3, "en", *column] for i, column in enumerate(columns, 1)]
    header = ["id", "submitdate", "lastpage", "startlanguage", *(f"G01Q01[SQ{i:03d}]" for i in range(1, 26))]
    yield csv_case("limesurvey-sheets.csv", header, lime, ratings, quote_all=True)


def _data_capture() -> Iterator[Case]:
    scores = draw(2130, [1, 2, 3, 4, 5], n=40)
    missing: Ratings = draw(2131, [1, 2, 3, 4, 5], n=40, raters=3, missing=0.1)

    def redcap(name: str, header: Sequence[Any], rows: Grid, ratings: Ratings) -> Case:
        return csv_case(name, header, rows, ratings)

    complete = [2] * 40
    yield redcap("redcap.csv", ["record_id", "reader1_birads", "reader2_birads", "reading_complete"],
                 beside(range(1, 41), scores, complete), scores)  # fmt: skip
    yield redcap(
        "redcap-events.csv",
        ["record_id", "redcap_event_name", "redcap_data_access_group", "r1", "r2", "r3", "ratings_complete"],
        beside(range(1, 41), ["baseline_arm_1"] * 40, ["basel", "bern"] * 20, missing, complete),
        missing,
    )
    yield redcap("redcap-labels.csv", ["Record ID", "BI-RADS (reader 1)", "BI-RADS (reader 2)", "Complete?"],
                 beside(range(1, 41), scores, ["Complete"] * 39 + ["Incomplete"]), scores)  # fmt: skip
    repeats = [[subject, "reading", 1 + "AB".index(rater), rater, label, 2]
               for subject, rater, label in long_rows(scores, range(1, 41), ["A", "B"])]  # fmt: skip
    header = ["record_id", "redcap_repeat_instrument", "redcap_repeat_instance", "reader", "birads", "reading_complete"]
    yield redcap("redcap-repeats.csv", header, repeats, scores)
    castor = beside(
        [f"110{i:03d}" for i in range(40)], ["BAS"] * 25 + ["BRN"] * 15, ["02-03-2024 11:20:00"] * 40, scores
    )
    header = ["Participant Id", "Site Abbreviation", "Participant Creation Date", "reader1", "reader2"]
    yield csv_case("castor.csv", header, castor, scores, delimiter=";", quote_all=True)
    header = ["Title", "Authors", "Published Year", "Journal", "DOI", "Reviewer 1 vote", "Reviewer 2 vote", "Notes"]
    votes = draw(2132, ["Yes", "No", "Maybe"], n=40)
    papers = [[f"Outcome {i} after surgery, a cohort study", f"Ash A; Bell B{i}", 2010 + i % 12, f"J Surg {i % 5}",
               f"10.1000/{i}", *vote, "" if i % 6 else "duplicate?"] for i, vote in enumerate(votes)]  # fmt: skip
    yield csv_case("screening.csv", header, papers, votes)
    decided = [[*row[:7], row[5] if row[5] == row[6] else "No"] for row in papers]
    yield csv_case("screening-consensus.csv", [*header[:7], "Consensus"], decided, votes)
    table = csv_text(
        [["#", "Zeitstempel", "Prüfer 1", "Prüfer 2"], *beside(range(1, 41), stamps(6, 40), scores)], delimiter=";"
    )
    wrong = careless(beside(range(40), stamps(6, 40), scores))
    yield Case("excel-deutsch.csv", text(table, "cp1252"), scores, wrong=wrong)
