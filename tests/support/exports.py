"""Files of annotation tools in the structure that their documentation gives, made from known ratings.

The structures follow labelstud.io/guide/export and the converter in label-studio-sdk (Label Studio),
prodi.gy/docs/review and prodi.gy/docs/metrics (Prodigy), backend/data_export of doccano/doccano and its issues 46 and
113 (doccano), and argilla/src/argilla/records and argilla-v1 of argilla-io/argilla (Argilla).
"""

import csv
import io
import json
from collections import Counter
from random import Random

ANNOTATORS = ["anna@example.org", "ben@example.org", "cleo@example.org"]
LABELS = ["Negative", "Neutral", "Positive"]
TEXTS = [
    "Great price",
    "Terrible service",
    "It arrived",
    "Would buy again",
    "Broken, sadly",
    "Fine",
    "No opinion",
    "Love it",
]


def ratings(n_tasks=12, annotators=ANNOTATORS, labels=LABELS, seed=1, share=0.85):
    """Return ratings by task and annotator; some annotators did not annotate some tasks."""
    random = Random(seed)
    found = {}
    for task in range(1, n_tasks + 1):
        truth = random.choice(labels)
        for annotator in annotators:
            if random.random() < share:
                found[task, annotator] = truth if random.random() < 0.7 else random.choice(labels)
    return found


def patterns(found, annotators=ANNOTATORS):
    """Return how often each pattern of labels occurs; a task that nobody rated is no subject."""
    tasks = dict.fromkeys(task for (task, _), label in found.items() if label is not None)
    return Counter(tuple(found.get((task, one)) for one in annotators) for task in tasks)


def text_of(task):
    return f"{TEXTS[task % len(TEXTS)]} ({task})"


def by_task(found):
    tasks = {}
    for (task, annotator), label in found.items():
        tasks.setdefault(task, []).append((annotator, label))
    return tasks


def label_studio(found, *, control="sentiment", kind="choices", key="choices", users=False, more=lambda task, one: []):
    """Tasks of Label Studio's JSON; `more` returns further results of an annotation."""
    numbers = {one: i + 1 for i, one in enumerate(dict.fromkeys(one for _, one in found))}
    tasks, own = [], 100
    for task, given in by_task(found).items():
        annotations = []
        for annotator, label in given:
            own += 1
            value = [label] if kind == "choices" else label
            result = {"id": f"r{own}", "type": kind, "value": {key: value}, "origin": "manual", "to_name": "text"}
            number = numbers[annotator]
            annotations.append(
                {
                    "id": own,
                    "completed_by": {"id": number, "email": annotator, "first_name": ""} if users else number,
                    "result": [{**result, "from_name": control}, *more(task, annotator)],
                    "was_cancelled": False,
                    "ground_truth": False,
                    "created_at": "2024-05-15T12:09:16.789536Z",
                    "updated_at": "2024-05-15T12:09:16.789563Z",
                    "lead_time": 1.849,
                    "prediction": {},
                    "task": task,
                    "project": 24,
                }
            )
        tasks.append(
            {
                "id": task,
                "annotations": annotations,
                "drafts": [],
                "predictions": [],
                "data": {"text": text_of(task), "source": "forum" if task % 2 else "mail"},
                "meta": {},
                "inner_id": task,
                "total_annotations": len(annotations),
                "project": 24,
            }
        )
    return tasks


def label_studio_min(found, control="sentiment", answer=lambda label: label):
    """Rows of Label Studio's JSON-MIN."""
    return [
        {
            "text": text_of(task),
            "source": "forum" if task % 2 else "mail",
            "id": task,
            control: answer(label),
            "annotator": annotator,
            "annotation_id": 500 + i,
            "created_at": "2024-05-15T12:09:16.789536Z",
            "updated_at": "2024-05-15T12:09:16.789563Z",
            "lead_time": 1.0 + i,
        }
        for i, ((task, annotator), label) in enumerate(found.items())
    ]


def label_studio_csv(found, delimiter=",", **options):
    """Text of Label Studio's CSV: columns are sorted, and answers that are not text are JSON."""
    rows = label_studio_min(found, **options)
    text = io.StringIO()
    writer = csv.DictWriter(text, sorted(rows[0]), quoting=csv.QUOTE_NONNUMERIC, delimiter=delimiter)
    writer.writeheader()
    for row in rows:
        writer.writerow({key: json.dumps(cell) if isinstance(cell, list | dict) else cell for key, cell in row.items()})
    return text.getvalue()


def prodigy_choice(found):
    """Choice tasks of Prodigy."""
    return [
        {
            "text": text_of(task),
            "_input_hash": 1_000_000 + task,
            "_task_hash": -2_000_000 - task,
            "options": [{"id": label, "text": label} for label in LABELS],
            "_view_id": "choice",
            "accept": [label],
            "answer": "accept",
            "_timestamp": 1_700_000_000 + i,
            "_annotator_id": f"news-{annotator}",
            "_session_id": f"news-{annotator}",
        }
        for i, ((task, annotator), label) in enumerate(found.items())
    ]


def prodigy_binary(found, label="INSULT"):
    """Binary tasks of Prodigy, whose ratings are accept and reject."""
    return [
        {
            "text": text_of(task),
            "_input_hash": 1_000_000 + task,
            "_task_hash": -2_000_000 - 1_000 * len(label) - task,
            "label": label,
            "_view_id": "classification",
            "answer": answer,
            "_annotator_id": annotator,
            "_session_id": annotator,
        }
        for (task, annotator), answer in found.items()
    ]


def doccano_users(found):
    """Documents of doccano with annotations by user."""
    return [
        {
            "id": task,
            "text": text_of(task),
            "annotations": [{"label": label, "user": annotator} for annotator, label in given],
            "meta": {},
        }
        for task, given in by_task(found).items()
    ]


def doccano_names(found):
    """Documents of the first versions of doccano, one for every user."""
    return [
        {"doc_id": task, "text": text_of(task), "labels": [label], "username": annotator}
        for (task, annotator), label in found.items()
    ]


def doccano_files(found):
    """Documents of doccano by member; a member also has the documents without a label."""
    tasks = by_task(found)
    return {
        annotator: [
            {
                "id": task,
                "text": text_of(task),
                "label": [label for one, label in given if one == annotator],
                "Comments": [],
            }
            for task, given in tasks.items()
        ]
        for annotator in dict.fromkeys(one for _, one in found)
    }


def argilla_2(found, question="sentiment"):
    """Records of Argilla 2 by `to_json`."""
    return [
        {
            "id": f"record-{task}",
            "fields": {"text": text_of(task)},
            "metadata": {},
            "suggestions": {question: {"value": LABELS[0], "score": 0.7, "agent": "model"}},
            "responses": {question: [{"value": label, "user_id": annotator} for annotator, label in given]},
            "vectors": {},
            "status": "completed",
            "_server_id": f"server-{task}",
        }
        for task, given in by_task(found).items()
    ]


def argilla_flat(found, question="sentiment"):
    """Records of Argilla 2, flattened."""
    return [
        {
            "id": f"record-{task}",
            "status": "completed",
            "text": text_of(task),
            f"{question}.responses": [label for _, label in given],
            f"{question}.responses.users": [annotator for annotator, _ in given],
            f"{question}.responses.status": ["submitted"] * len(given),
        }
        for task, given in by_task(found).items()
    ]


def argilla_1(found, question="sentiment"):
    """Records of Argilla 1."""
    return [
        {
            "id": f"record-{task}",
            "fields": {"text": text_of(task)},
            "responses": [
                {"user_id": annotator, "status": "submitted", "values": {question: {"value": label}}}
                for annotator, label in given
            ],
            "suggestions": [],
        }
        for task, given in by_task(found).items()
    ]


def argilla_1_datasets(found, question="sentiment"):
    """Rows of Argilla 1 by `format_as("datasets")`."""
    return [
        {
            "text": text_of(task),
            question: [{"user_id": annotator, "value": label, "status": "submitted"} for annotator, label in given],
            f"{question}-suggestion": None,
            "external_id": f"e{task}",
            "metadata": "{}",
        }
        for task, given in by_task(found).items()
    ]


def as_lines(objects):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
