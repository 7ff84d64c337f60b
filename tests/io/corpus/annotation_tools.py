"""Exports of annotation tools and crowdsourcing platforms, and tables of models that judge."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.io.corpus.case import Case, Grid, Ratings, careless, draw
from tests.io.corpus.long_tables import long_rows
from tests.io.corpus.survey_tools import stamps
from tests.io.corpus.writers import beside, csv_case, json_array, json_lines

SENTIMENT = ["Positive", "Negative", "Neutral"]


def cases() -> Iterator[Case]:
    """Yield the cases of this module."""
    yield from _mechanical_turk()
    yield from _label_studio()
    yield from _other_tools()
    yield from _judging_models()


def _crowd(seed: int, n: int, workers: int, each: int) -> Ratings:
    rng = random.Random(seed)
    complete = draw(seed, SENTIMENT, n=n, raters=workers)
    chosen = [rng.sample(range(workers), each) for _ in range(n)]
    return [
        tuple(x if a in who else None for a, x in enumerate(row)) for row, who in zip(complete, chosen, strict=True)
    ]


def _texts(n: int) -> list[str]:
    rng = random.Random(11)
    moods = ["great", "awful", "fine", "late", "broken", "lovely"]
    return [f"My order no. {1000 + i} was {rng.choice(moods)}, and {rng.choice(moods)}!" for i in range(n)]


def _mechanical_turk() -> Iterator[Case]:
    header = [
        "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime", "MaxAssignments",
        "AssignmentDurationInSeconds", "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime",
        "WorkTimeInSeconds", "LifetimeApprovalRate", "Input.text", "Answer.sentiment.label", "Approve", "Reject",
    ]  # fmt: skip
    rng = random.Random(12)
    for name, ratings in (
        ("two-workers", draw(2200, SENTIMENT, n=40)),
        ("five-workers", draw(2201, SENTIMENT, n=40, raters=5)),
        ("crowd", _crowd(2202, 40, 7, 3)),
    ):
        workers = [f"A{rng.getrandbits(50):X}" for _ in ratings[0]]
        hits, texts = [f"3{rng.getrandbits(80):X}" for _ in ratings], _texts(40)
        rows: Grid = []
        for i, (hit, worker, label) in enumerate(long_rows(ratings, hits, workers)):
            time = f"Tue Mar {1 + i % 28:02d} 10:{i % 60:02d}:07 PST 2024"
            rows.append([hit, "3XYZ1", "Rate a text", "Say how it sounds", "text, sentiment", "$0.05", time, 3, 600,
                         f"3{rng.getrandbits(80):X}", worker, "Submitted", time, time, rng.randint(4, 90), "0% (0/0)",
                         texts[hits.index(hit)], label, "", ""])  # fmt: skip
        yield csv_case(f"mturk-{name}.csv", header, rows, ratings, quote_all=True)


def _label_studio() -> Iterator[Case]:
    ratings = draw(2210, SENTIMENT, n=30)
    texts = _texts(30)
    rng = random.Random(13)
    annotators = ["anna@example.org", "ben@example.org"]
    records: list[dict[str, Any]] = []
    for i, (subject, mail, label) in enumerate(long_rows(ratings, range(1, 31), annotators)):
        time = f"2024-03-0{1 + i % 9}T10:{i % 60:02d}:31.{rng.randrange(10**6):06d}Z"
        records.append({"annotation_id": 500 + i, "annotator": mail, "created_at": time, "id": subject,
                        "lead_time": round(rng.uniform(2, 40), 3), "sentiment": label, "text": texts[subject - 1],
                        "updated_at": time})  # fmt: skip
    rows = [list(record.values()) for record in records]
    yield csv_case("label-studio.csv", list(records[0]), rows, ratings)
    numbered = [[*row[:1], 1 + annotators.index(row[1]), *row[2:]] for row in rows]
    yield csv_case("label-studio-numbers.csv", list(records[0]), numbered, ratings)
    yield Case("label-studio-min.json", json_array(records), ratings, wrong=careless(rows))
    tasks = [
        {
            "id": i,
            "data": {"text": texts[i - 1]},
            "annotations": [
                {
                    "id": 10 * i + a,
                    "completed_by": a + 1,
                    "result": [
                        {
                            "value": {"choices": [label]},
                            "from_name": "sentiment",
                            "to_name": "text",
                            "type": "choices",
                        }
                    ],
                    "was_cancelled": False,
                }
                for a, label in enumerate(row)
            ],
        }
        for i, row in enumerate(ratings, 1)
    ]
    yield Case("label-studio-tasks.json", json_array(tasks), ratings)


def _other_tools() -> Iterator[Case]:
    ratings = draw(2220, ["accept", "reject"], n=40)
    texts = _texts(40)
    prodigy = [
        {"text": texts[i], "_input_hash": 10**8 + 37 * i, "_task_hash": -(10**7) - 91 * i, "label": "SPAM",
         "answer": label, "_timestamp": 1709000000 + 13 * i + a, "_annotator_id": f"spam-{who}",
         "_session_id": f"spam-{who}"}
        for i, row in enumerate(ratings) for a, (who, label) in enumerate(zip(["ann", "bob"], row, strict=True))
    ]  # fmt: skip
    yield Case("prodigy.jsonl", json_lines(prodigy), ratings)
    header = ["_unit_id", "_created_at", "_golden", "_id", "_missed", "_started_at", "_tainted", "_channel", "_trust",
              "_worker_id", "_country", "_city", "_ip", "sentiment", "sentiment_gold", "text"]  # fmt: skip
    rng = random.Random(14)
    judged = _crowd(2221, 40, 6, 3)
    rows = []
    times = stamps(7, 120)
    for i, (subject, worker, label) in enumerate(long_rows(judged, range(40), [31000 + 7 * a for a in range(6)])):
        front = [7000 + subject, times[i], "false", 90000 + i, "", times[i], "false", "clixsense"]
        trust = round(0.8 + rng.random() / 5, 4)
        rows.append([*front, trust, worker, "DEU", "", f"10.0.{i % 7}.{i}", label, "", texts[subject]])
    yield csv_case("appen.csv", header, rows, judged)
    votes = draw(2222, SENTIMENT, n=40, raters=3)
    doccano = long_rows(votes, range(1, 41), ["annotator1", "annotator2", "admin"])
    body = [[subject, texts[subject - 1], label, rater] for subject, rater, label in doccano]
    yield csv_case("doccano.csv", ["id", "text", "label", "user"], body, votes)
    body = [[subject, texts[subject - 1], rater, label] for subject, rater, label in doccano]
    yield csv_case("argilla.csv", ["id", "text", "sentiment.user_id", "sentiment"], body, votes)
    coded = draw(2223, [0, 1], n=60)
    segments = [[f"Interview {1 + i // 12}", 1 + i % 12, *row] for i, row in enumerate(coded)]
    yield csv_case("nvivo-like.csv", ["Source", "Paragraph", "Coder A", "Coder B"], segments, coded)
    behaviour = draw(2224, ["feeding", "resting", "grooming", "moving"], n=60)
    scans = [[f"{i // 60:02d}:{i % 60:02d}", *row] for i, row in enumerate(behaviour)]
    yield csv_case("scan-sampling.csv", ["time", "observer 1", "observer 2"], scans, behaviour)


def _judging_models() -> Iterator[Case]:
    rng = random.Random(15)
    texts = _texts(50)
    ratings = draw(2230, ["correct", "incorrect"], n=50)
    reasons = [f"The answer {'repeats' if i % 3 else 'contradicts'} line {i} of the source." for i in range(50)]
    rows = [[texts[i], f"Dear customer {i}, we are sorry.", *row, reasons[i], rng.randint(300, 4000), "gpt-4o"]
            for i, row in enumerate(ratings)]  # fmt: skip
    header = ["prompt", "response", "human_label", "gpt4_label", "gpt4_reason", "latency_ms", "model"]
    yield csv_case("judge.csv", header, rows, ratings)
    scores = draw(2231, [1, 2, 3, 4, 5], n=50, raters=3)
    header = ["question_id", "category", "human_1", "human_2", "gpt-4", "gpt-4 confidence", "cost_usd"]
    rows = [[81 + i, ["writing", "maths", "coding"][i % 3], *row, rng.randint(1, 5), round(rng.random() / 50, 5)]
            for i, row in enumerate(scores)]  # fmt: skip
    yield csv_case("judge-scores.csv", header, rows, scores)
    records = [dict(zip(header, row, strict=True)) for row in rows]
    yield Case("judge-scores.jsonl", json_lines(records), scores, wrong=careless(rows))
    pairs = draw(2232, ["A", "B", "tie"], n=50)
    rows = beside(range(1, 51), ["model-x"] * 50, ["model-y"] * 50, pairs)
    yield csv_case("pairwise.csv", ["question_id", "model_a", "model_b", "judge_1", "judge_2"], rows, pairs)
    nli = draw(2233, ["entailment", "neutral", "contradiction"], n=50, raters=5)
    header = ["gold_label", "sentence1", "sentence2", "label1", "label2", "label3", "label4", "label5"]
    gold = [max(sorted(set(row)), key=row.count) for row in nli]
    yield csv_case("nli.csv", header, beside(gold, texts, [f"An order {i}" for i in range(50)], nli), nli)
    yield csv_case(
        "nli.tsv", header, beside(gold, texts, [f"An order {i}" for i in range(50)], nli), nli, delimiter="\t"
    )
