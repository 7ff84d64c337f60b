"""Exports of annotation tools give the table of the ratings from which they were made."""

import gzip
import json
import subprocess
import sys
import time
import zipfile
from collections import Counter

import pandas as pd
import polars as pl
import pytest

import kappamax as km
from kappamax.io.file_formats import open_file
from kappamax.io.files import table_of_source
from kappamax.io.read_spec import ReadSpec
from tests.support import exports
from tests.support.exports import ANNOTATORS, as_lines, patterns, ratings

FOUND = ratings()


def read(path, **options):
    """The table of a file and the notes about it."""
    spec = ReadSpec(**options)
    with open_file(path, spec) as source:
        return table_of_source(source, spec), list(source.notes)


def counted(table, names=None):
    """How often each pattern of labels occurs, with raters in the order of the names."""
    order = [table.raters.index(name) for name in names or table.raters]
    rows = zip(table.labels(), table.counts.tolist(), strict=True)
    return Counter({tuple(row[i] for i in order): n for row, n in rows})


@pytest.fixture
def write(tmp_path):
    def write(content, name="export.json"):
        path = tmp_path / name
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        path.write_text(text, encoding="utf-8")
        return path

    return write


EXPORTS = {
    "Label Studio, users by number": (lambda: json.dumps(exports.label_studio(FOUND)), ["1", "2", "3"]),
    "Label Studio, users by e-mail": (lambda: json.dumps(exports.label_studio(FOUND, users=True)), ANNOTATORS),
    "Label Studio, indented": (lambda: json.dumps(exports.label_studio(FOUND), indent=2), ["1", "2", "3"]),
    "Label Studio, one task per line": (lambda: as_lines(exports.label_studio(FOUND)), ["1", "2", "3"]),
    "Label Studio, JSON-MIN": (lambda: json.dumps(exports.label_studio_min(FOUND)), ANNOTATORS),
    "Label Studio, CSV": (lambda: exports.label_studio_csv(FOUND), ANNOTATORS),
    "Label Studio, TSV": (lambda: exports.label_studio_csv(FOUND, delimiter="\t"), ANNOTATORS),
    "Prodigy, choice": (lambda: as_lines(exports.prodigy_choice(FOUND)), [f"news-{one}" for one in ANNOTATORS]),
    "doccano, users": (lambda: as_lines(exports.doccano_users(FOUND)), ANNOTATORS),
    "doccano, names": (lambda: as_lines(exports.doccano_names(FOUND)), ANNOTATORS),
    "Argilla 2": (lambda: json.dumps(exports.argilla_2(FOUND)), ANNOTATORS),
    "Argilla 2, flattened": (lambda: json.dumps(exports.argilla_flat(FOUND)), ANNOTATORS),
    "Argilla 2, by identifier": (lambda: json.dumps({one["id"]: one for one in exports.argilla_2(FOUND)}), ANNOTATORS),
    "Argilla 1": (lambda: json.dumps(exports.argilla_1(FOUND)), ANNOTATORS),
    "Argilla 1, datasets": (lambda: as_lines(exports.argilla_1_datasets(FOUND)), ANNOTATORS),
}


@pytest.mark.parametrize("kind", EXPORTS)
def test_an_export_gives_the_ratings_from_which_it_was_made(kind, write):
    """No option is needed, and a note names the tool, the tasks, the annotators and what was read."""
    make, names = EXPORTS[kind]
    table, notes = read(write(make()))
    assert counted(table, names) == patterns(FOUND)
    tool, n_tasks = kind.split(",")[0].removesuffix(" 1").removesuffix(" 2"), len({task for task, _ in FOUND})
    noun = {"doccano": "documents", "Argilla": "records"}.get(tool, "tasks")
    assert f"{tool} export: {n_tasks} {noun}, 3 annotators; " in notes[0]
    assert notes[0].endswith(" was read.")


def test_the_command_gives_the_kappa_of_a_label_studio_export(write):
    """Cohen's kappa is computed again from the JSON, by its definition."""
    path = write(exports.label_studio(ratings(40, ANNOTATORS[:2], seed=3, share=1)))
    pairs = []
    for task in json.loads(path.read_text()):
        labels = {one["completed_by"]: one["result"][0]["value"]["choices"][0] for one in task["annotations"]}
        pairs.append((labels[1], labels[2]))
    n = len(pairs)
    first, second = (Counter(column) for column in zip(*pairs, strict=True))
    observed = sum(a == b for a, b in pairs) / n
    expected = sum(first[label] * second[label] for label in first) / n**2
    command = [sys.executable, "-m", "kappamax", "kappa", str(path), "--json"]
    document = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    assert document["results"][0]["value"] == pytest.approx((observed - expected) / (1 - expected), abs=1e-12)


def test_an_export_of_a_pipe_and_a_compressed_one_are_read(write, tmp_path):
    """The format is recognised by its content."""
    text = json.dumps(exports.label_studio(FOUND))
    packed = tmp_path / "export.json.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert counted(read(packed)[0], ["1", "2", "3"]) == patterns(FOUND)
    marked = write("\ufeff" + as_lines(exports.prodigy_choice(FOUND)), "marked.jsonl")
    assert sum(counted(read(marked)[0]).values()) == sum(patterns(FOUND).values())


@pytest.mark.parametrize(
    ("kind", "key", "labels"),
    [("rating", "rating", [1, 2, 5]), ("number", "number", [0.5, 2, 3]), ("pairwise", "selected", ["left", "right"])],
)
def test_other_controls_of_label_studio_have_labels_too(kind, key, labels, write):
    """Ratings, numbers and pairwise choices are labels in JSON, JSON-MIN and CSV."""
    found = ratings(labels=labels)
    table, _ = read(write(exports.label_studio(found, kind=kind, key=key)))
    assert counted(table, ["1", "2", "3"]) == patterns(found)
    for make in (exports.label_studio_min, exports.label_studio_csv):
        table, _ = read(write(make(found, answer=lambda label: [{key: label}])))
        assert counted(table, ANNOTATORS) == patterns(found)


def test_a_path_of_a_taxonomy_is_one_label(write):
    """The label names all levels, so that equal names below different parents differ."""
    paths = {"Negative": ["Birds", "Other"], "Neutral": ["Fish", "Other"], "Positive": ["Fish"]}
    tasks = exports.label_studio(FOUND, kind="taxonomy", key="taxonomy")
    for task in tasks:
        for annotation in task["annotations"]:
            value = annotation["result"][0]["value"]
            value["taxonomy"] = [paths[value["taxonomy"]]]
    table, _ = read(write(tasks))
    assert table.categories == ("Birds / Other", "Fish", "Fish / Other")


def test_skipped_annotations_predictions_and_drafts_are_left_out_with_notes(write):
    """Tasks that nobody annotated are left out too."""
    tasks = exports.label_studio(FOUND)
    skipped = {**tasks[0]["annotations"][0], "id": 1, "was_cancelled": True, "completed_by": 9, "result": []}
    tasks[0]["annotations"].append(skipped)
    tasks[0]["predictions"] = [{"model_version": "one", "result": tasks[0]["annotations"][0]["result"]}]
    tasks[1]["drafts"] = [{"id": 3, "result": []}]
    tasks[1]["annotations"][0]["ground_truth"] = True
    tasks.append({"id": 99, "data": {"text": "new"}, "annotations": [], "predictions": []})
    table, notes = read(write(tasks))
    assert counted(table, ["1", "2", "3"]) == patterns(FOUND)
    assert notes[1:] == [
        "1 skipped annotation was left out.",
        "1 prediction was left out, since only annotations count as ratings.",
        "1 draft was left out.",
        "1 task was left out because no one annotated it.",
        "1 of the annotations are marked as ground truth; they count like the others.",
    ]


def test_tasks_without_annotations_at_the_beginning_do_not_hide_an_export(write):
    """The keys of the tasks are enough."""
    empty = [{"id": -i, "data": {"text": "?"}, "annotations": [], "predictions": []} for i in range(1, 300)]
    table, notes = read(write(empty + exports.label_studio(FOUND)))
    assert counted(table, ["1", "2", "3"]) == patterns(FOUND)
    assert "299 tasks were left out because no one annotated them." in notes
    with pytest.raises(km.errors.UnreadableFileError, match="this Label Studio export has no annotations") as caught:
        read(write(empty))
    assert caught.value.code == "no-annotations"


def test_an_unanswered_control_is_a_missing_rating(write):
    """The annotation has no result for the control, or an empty list of choices."""
    tasks = exports.label_studio(FOUND)
    first, second = tasks[0]["annotations"][:2]
    first["result"], second["result"][0]["value"]["choices"] = [], []
    table, notes = read(write(tasks))
    assert table.n_missing == 3 * len(tasks) - len(FOUND) + 2
    assert "2 annotations without a label: missing ratings." in notes


TWO = {"choices": ["Neutral", "Positive"]}


def control(name, kind="choices", value=None):
    return {"id": "x", "type": kind, "from_name": name, "to_name": "text", "value": value}


def test_several_controls_are_refused_with_the_option_that_picks_one(write):
    """Following the advice gives the ratings of that control; other controls are left out with a note."""

    def more(task, one):
        return [
            control("topic", value={"choices": ["sport" if task % 3 else "art"]}),
            control("why", "textarea", {"text": ["because"]}),
            control("part", "labels", {"start": 0, "end": 5, "labels": ["NAME"]}),
        ]

    path = write(exports.label_studio(FOUND, more=more))
    with pytest.raises(km.errors.InvalidRatingsError, match="2 controls: 'sentiment', 'topic'") as caught:
        km.read_ratings(path)
    error = caught.value
    assert error.code == "several-controls"
    assert error.fields["controls"]["part"] == "spans or regions"
    assert [advice.options for advice in error.advice] == [{"rating": "topic"}, {"rating": "sentiment"}]
    table, notes = read(path, **error.advice[-1].options)
    assert counted(table, ["1", "2", "3"]) == patterns(FOUND)
    assert notes[1] == "The controls 'topic' (labels), 'why' (free text), 'part' (spans or regions) were left out."
    assert read(path, rating="topic")[0].categories == ("art", "sport")
    with pytest.raises(
        km.errors.InvalidOptionError, match="rating must be a control .* got 'topics'. Did you mean 'topic'"
    ) as caught:
        km.read_ratings(path, rating="topics")
    assert caught.value.code == "unknown-control"
    with pytest.raises(km.errors.InvalidRatingsError, match="'part' of annotation 101 of task 1 is a span") as caught:
        km.read_ratings(path, rating="part")
    assert caught.value.code == "spans-as-labels"


@pytest.mark.parametrize("make", [exports.label_studio_min, exports.label_studio_csv])
def test_flat_exports_tell_controls_from_the_data_of_tasks(make, write):
    """Annotators differ in controls only; comments, which never repeat, are no labels."""
    rows = exports.label_studio_min(FOUND)
    for i, row in enumerate(rows):
        row["topic"] = "sport" if i % 3 else "art"
        if i < 5:
            row["comment"] = f"comment {i}"
    if make is exports.label_studio_csv:
        path = write(pd.DataFrame(rows).to_csv(index=False), "export.csv")
    else:
        path = write(rows)
    with pytest.raises(km.errors.InvalidRatingsError, match="2 controls: 'sentiment', 'topic'") as caught:
        read(path)
    table, _ = read(path, **caught.value.advice[-1].options)
    assert counted(table, ANNOTATORS) == patterns(FOUND)
    with pytest.raises(
        km.errors.InvalidRatingsError, match="no column 'sentimnt' for rating.*Did you mean 'sentiment'"
    ):
        read(path, rating="sentimnt")


def test_flat_exports_in_which_all_agree_need_the_control_if_it_is_not_clear(write):
    """Without a second candidate the control is clear."""
    same = {(task, one): "Negative" if task % 3 else "Positive" for task, one in FOUND}
    rows = exports.label_studio_min(same)
    with pytest.raises(km.errors.InvalidRatingsError, match="agree in every column.*Choose the control") as caught:
        read(write(rows))
    assert [advice.options for advice in caught.value.advice] == [{"rating": "sentiment"}, {"rating": "source"}]
    table, _ = read(write(rows), rating="sentiment")
    assert counted(table, ANNOTATORS) == patterns(same)
    for row in rows:
        del row["source"]
    table, notes = read(write(rows))
    assert counted(table, ANNOTATORS) == patterns(same)
    assert notes[-1] == "Columns taken for data of the tasks or free text, and left out: 'text'."
    alone = [row for row in rows if row["annotator"] == ANNOTATORS[0]]
    with pytest.raises(
        km.errors.InvalidRatingsError, match="at least two raters; the Label Studio export .* has 1"
    ) as caught:
        read(write(alone))
    assert caught.value.code == "too-few-raters"


def test_a_flat_export_with_named_columns_is_an_ordinary_long_table(write):
    """The caller's columns win."""
    path = write(exports.label_studio_csv(FOUND), "export.csv")
    table, notes = read(path, subject="id", rater="annotator", rating="sentiment")
    assert counted(table, ANNOTATORS) == patterns(FOUND)
    assert not notes


@pytest.mark.parametrize(
    "make",
    [
        lambda: [
            *exports.label_studio(FOUND),
            {"id": 77, "annotations": [{"id": 7, "completed_by": 1, "result": [control("sentiment", value=TWO)]}]},
        ],
        lambda: [
            *exports.label_studio_min(FOUND),
            {**exports.label_studio_min(FOUND)[0], "id": 77, "sentiment": TWO},
        ],
        lambda: [
            *exports.argilla_2(FOUND),
            {
                "id": "last",
                "fields": {},
                "responses": {"sentiment": [{"value": ["Neutral", "Positive"], "user_id": "anna@example.org"}]},
            },
        ],
        lambda: [
            *exports.doccano_names(FOUND),
            {"doc_id": 77, "text": "x", "labels": ["Neutral", "Positive"], "username": "anna@example.org"},
        ],
        lambda: [
            *exports.doccano_users(FOUND),
            {"id": 77, "text": "x", "annotations": [{"label": 1, "user": 1}, {"label": 2, "user": 1}]},
        ],
        lambda: [
            *exports.prodigy_choice(FOUND),
            {**exports.prodigy_choice(FOUND)[0], "_input_hash": 5, "accept": ["Neutral", "Positive"]},
        ],
    ],
)
def test_several_labels_in_one_annotation_are_refused(make, write):
    """The error names the annotation and says what is supported."""
    with pytest.raises(km.errors.InvalidRatingsError, match="is a list of 2 labels: .*A rating is one label") as caught:
        km.read_ratings(write(make()))
    assert caught.value.code == "several-labels"


def test_spans_are_refused(write):
    """Regions of Label Studio, and spans of Prodigy, doccano and Argilla, are no labels."""
    region = {"x": 1, "y": 2, "width": 3, "height": 4, "rectanglelabels": ["Car"]}
    tasks = [
        {
            "id": 1,
            "data": {},
            "annotations": [{"id": 1, "completed_by": 1, "result": [control("box", "rectanglelabels", region)]}],
        }
    ]
    per_region = [
        {
            "id": 1,
            "annotations": [
                {"id": 1, "completed_by": 1, "result": [control("kind", value={**region, "choices": ["a"]})]}
            ],
        }
    ]
    answers = dict.fromkeys(FOUND, "accept")
    spans = [
        {**one, "spans": [{"start": 0, "end": 3, "label": "ORG"}], "_view_id": "ner_manual"}
        for one in exports.prodigy_binary(answers)
    ]
    old = [
        {"id": 15, "text": "EU rejects", "annotations": [{"label": 7, "start_offset": 0, "end_offset": 2, "user": 1}]}
    ]
    named = [{"doc_id": 23, "text": "Barack", "entities": [[0, 6, "PER"]], "username": "admin"}]
    record = exports.argilla_2({(1, "a"): [{"start": 0, "end": 1, "label": "x"}], (1, "b"): []})
    for objects in (tasks, per_region, spans, old, named, record):
        with pytest.raises(km.errors.InvalidRatingsError, match="Supported are") as caught:
            km.read_ratings(write(objects))
        assert caught.value.code == "spans-as-labels"
    text = [
        {
            "id": 1,
            "annotations": [{"id": 1, "completed_by": 1, "result": [control("why", "textarea", {"text": ["so"]})]}],
        }
    ]
    with pytest.raises(km.errors.InvalidRatingsError, match=r"are free text \(control 'why'\)") as caught:
        km.read_ratings(write(text))
    assert caught.value.code == "text-as-labels"


def test_binary_tasks_of_prodigy_rate_accept_and_reject(write):
    """An ignored task is a missing rating; several labels are refused with the option that picks one."""
    found = ratings(labels=["accept", "reject"])
    some = {pair: "ignore" if i in (2, 5) else answer for i, (pair, answer) in enumerate(found.items())}
    table, notes = read(write(as_lines(exports.prodigy_binary(some))))
    left = {pair: None if answer == "ignore" else answer for pair, answer in some.items()}
    assert counted(table, ANNOTATORS) == patterns(left)
    assert notes[0].endswith("the answer accept or reject for the label 'INSULT' was read.")
    assert "2 annotations with the answer ignore count as missing ratings." in notes
    other = ratings(labels=["accept", "reject"], seed=8)
    path = write(as_lines(exports.prodigy_binary(found) + exports.prodigy_binary(other, "SPAM")))
    with pytest.raises(km.errors.InvalidRatingsError, match="2 labels: 'INSULT', 'SPAM'") as caught:
        read(path)
    assert [advice.options for advice in caught.value.advice] == [{"rating": "SPAM"}, {"rating": "INSULT"}]
    for options, truth in (({"rating": "SPAM"}, other), ({"rating": "INSULT"}, found)):
        assert counted(read(path, **options)[0], ANNOTATORS) == patterns(truth)


def test_choice_tasks_of_prodigy_that_were_rejected_or_ignored_are_missing(write):
    """So is a task that was accepted without an option."""
    tasks, left = exports.prodigy_choice(FOUND), dict(FOUND)
    tasks[0]["answer"], tasks[6]["answer"], tasks[12]["accept"] = "reject", "ignore", []
    for i in (0, 6, 12):
        left[list(FOUND)[i]] = None
    table, notes = read(write(as_lines(tasks)))
    assert counted(table, [f"news-{one}" for one in ANNOTATORS]) == patterns(left)
    assert "1 choice task with the answer reject counts as a missing rating." in notes
    assert "1 annotation with the answer ignore counts as a missing rating." in notes


def test_the_rater_and_the_subject_of_prodigy_can_be_other_keys(write):
    """The caller names them like columns; accepted spans are read if the caller asks for the answers."""
    tasks = exports.prodigy_choice(FOUND)
    for task in tasks:
        task["who"], task["nr"] = task.pop("_annotator_id").removeprefix("news-"), task["_input_hash"] % 1000
    path = write(as_lines(tasks))
    assert counted(read(path, rater="who", subject="nr")[0], ANNOTATORS) == patterns(FOUND)
    assert counted(read(path)[0], [f"news-{one}" for one in ANNOTATORS]) == patterns(FOUND)  # by _session_id
    found = ratings(labels=["accept", "reject"])
    spans = [{**one, "spans": [{"start": 0, "end": 3}]} for one in exports.prodigy_binary(found)]
    for one in spans:
        del one["label"], one["_view_id"]
    path = write(as_lines(spans))
    with pytest.raises(km.errors.InvalidRatingsError, match="made with 'spans'.*pass rating='answer'") as caught:
        read(path)
    assert counted(read(path, **caught.value.advice[-1].options)[0], ANNOTATORS) == patterns(found)


def test_sessions_of_prodigy_without_a_name_are_noted(write):
    """Two of them may be the same person."""
    tasks = exports.prodigy_choice(FOUND)
    for task in tasks:
        task["_annotator_id"] = f"2024-02-06_10-17-1{ANNOTATORS.index(task['_annotator_id'].removeprefix('news-'))}"
    table, notes = read(write(as_lines(tasks)))
    assert counted(table, [f"2024-02-06_10-17-1{i}" for i in range(3)]) == patterns(FOUND)
    assert notes[-1] == "Some annotators are sessions without a name, which have the time of their start instead."


def test_only_submitted_responses_of_argilla_are_ratings(write):
    """Drafts and discarded responses are left out with a note; version 2 does not give the status."""
    records = exports.argilla_1(FOUND)
    records[0]["responses"][0]["status"] = "draft"
    records[1]["responses"][0]["status"] = "discarded"
    table, notes = read(write(records))
    assert sum(counted(table).values()) == len(records)
    assert table.n_missing == 3 * len(records) - len(FOUND) + 2
    assert "1 response was left out because its status is draft." in notes
    assert "1 response was left out because its status is discarded." in notes
    _, notes = read(write(exports.argilla_2(FOUND)))
    assert "The file does not give the status of the responses; all of them were read." in notes
    assert "Suggestions were left out, since only responses count as ratings." in notes
    two = exports.argilla_2(FOUND)
    for record in two:
        record["responses"]["topic"] = [{"value": "art", "user_id": "x"}]
    with pytest.raises(km.errors.InvalidRatingsError, match="Argilla export with 2 questions: 'sentiment', 'topic'"):
        read(write(two))


def test_argilla_datasets_in_parquet_are_read(tmp_path):
    """Lists of objects in Parquet are the same export."""
    path = tmp_path / "train.parquet"
    rows = exports.argilla_1_datasets(FOUND)
    pl.DataFrame([{key: row[key] for key in ("text", "sentiment", "external_id")} for row in rows]).write_parquet(path)
    assert counted(read(path)[0], ANNOTATORS) == patterns(FOUND)


def test_one_file_per_annotator_is_read_from_a_folder_and_from_a_zip_file(tmp_path):
    """doccano packs one file per member; the names of the files are the annotators."""
    folder = tmp_path / "export"
    folder.mkdir()
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for annotator, documents in exports.doccano_files(FOUND).items():
            (folder / f"{annotator}.jsonl").write_text(as_lines(documents))
            archive.writestr(f"{annotator}.jsonl", as_lines(documents))
    for path in (folder, packed):
        table, notes = read(path)
        assert counted(table, ANNOTATORS) == patterns(FOUND)
        assert notes[-1] == "Each file holds the labels of one annotator, whose name is the name of the file."
    for annotator, documents in exports.doccano_files(FOUND).items():
        (folder / f"{annotator}.jsonl").unlink()
        frame = pd.DataFrame(documents)
        frame["label"] = frame["label"].str.join("#")
        frame.to_csv(folder / f"{annotator}.csv", index=False)
    assert counted(read(folder)[0], ANNOTATORS) == patterns(FOUND)
    with pytest.raises(km.errors.InvalidOptionError, match="layout must be long for the doccano export") as caught:
        read(folder, layout="wide")
    assert caught.value.advice[0].options == {"layout": "long"}


def test_a_file_of_one_annotator_is_refused_with_the_way_to_read_all(write, tmp_path):
    """The same holds for labels that annotators share, and for a folder of other files."""
    documents = exports.doccano_files(FOUND)[ANNOTATORS[0]]
    plain = [{"text": one["text"], "label": one["label"] or ["Neutral"]} for one in documents]
    for content in (
        as_lines(documents),
        json.dumps(documents),
        as_lines(plain),
        pd.DataFrame(documents).to_csv(index=False),
    ):
        with pytest.raises(
            km.errors.UnreadableFileError, match="says who gave a label.*ZIP file, or the folder"
        ) as caught:
            read(write(content))
        assert caught.value.code == "no-annotator"
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "all.jsonl").write_text(as_lines(documents))
    with pytest.raises(km.errors.UnreadableFileError, match="all annotators share their labels"):
        read(folder)
    (folder / "all.jsonl").rename(folder / "anna.jsonl")
    (folder / "ben.json").write_text('[{"a": 1}]')
    with pytest.raises(km.errors.UnreadableFileError, match="the file of 'ben' is different"):
        read(folder)
    (folder / "ben.json").write_text("[1]")
    with pytest.raises(km.errors.UnreadableFileError, match="ben must contain documents"):
        read(folder)
    (folder / "ben.json").write_text("{")
    with pytest.raises(km.errors.UnreadableFileError, match="ben cannot be read"):
        read(folder)


def test_labels_of_an_annotator_who_annotated_a_task_twice(write):
    """Equal labels count once, with a note; different ones are refused, naming both annotations."""
    tasks = exports.label_studio(FOUND)
    again = json.loads(json.dumps(tasks[0]["annotations"][0]))
    again["id"] = 999
    tasks[0]["annotations"].append(again)
    table, notes = read(write(tasks))
    assert counted(table, ["1", "2", "3"]) == patterns(FOUND)
    assert notes[-1] == "1 annotation that repeats the annotator's label for the same task counted once."
    first = again["result"][0]["value"]["choices"][0]
    again["result"][0]["value"]["choices"] = ["Negative" if first != "Negative" else "Positive"]
    who = again["completed_by"]
    words = (
        rf"'{who}' annotated task '1' twice: '{first}' in annotation 101 of task 1 and .* in annotation 999 of task 1"
    )
    with pytest.raises(km.errors.InvalidRatingsError, match=words) as caught:
        read(write(tasks))
    assert caught.value.code == "rated-twice"
    (advice,) = caught.value.advice
    others = [i for i in (0, 1, 2) if i + 1 != who]
    expected = Counter()
    for pattern, n in patterns(FOUND).items():
        expected[tuple(pattern[i] for i in others)] += n
    del expected[None, None]
    assert counted(read(write(tasks), **advice.options)[0]) == expected


def test_tasks_that_are_written_twice_count_once(write):
    """Some versions of Label Studio write a task once for each of its annotations (issue 1289 of the project)."""
    tasks = exports.label_studio(FOUND)
    table, notes = read(write([*tasks, *tasks[:3]]))
    assert counted(table, ["1", "2", "3"]) == patterns(FOUND)
    assert len(notes) == 1


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (
            lambda: [{"id": 1, "annotations": [{"id": 1, "result": [control("s", value={"choices": ["a"]})]}]}],
            "completed_by",
        ),
        (
            lambda: [
                {
                    "id": 1,
                    "completions": [{"id": 1, "completed_by": {}, "result": [control("s", value={"choices": ["a"]})]}],
                }
            ],
            "completed_by",
        ),
        (
            lambda: [
                {key: value for key, value in one.items() if key not in ("_annotator_id", "_session_id")}
                for one in exports.prodigy_choice(FOUND)
            ],
            "_annotator_id or _session_id",
        ),
        (lambda: [{"id": "r", "fields": {}, "responses": {"q": [{"value": "a", "user_id": None}]}}], "user_id"),
        (lambda: [{"id": 1, "text": "t", "annotations": [{"label": 1, "user": None}]}], "user"),
    ],
)
def test_annotations_without_an_annotator_are_refused(make, key, write):
    """The error gives their number and the key that is missing."""
    with pytest.raises(km.errors.UnreadableFileError, match=f"must name its annotator.*have no {key}") as caught:
        km.read_ratings(write(make()))
    assert caught.value.code == "no-annotator"


def test_options_that_do_not_fit_an_export_are_errors(write):
    """An export has the layout long, and its own tasks and annotators."""
    path = write(exports.label_studio(FOUND))
    with pytest.raises(
        km.errors.InvalidOptionError, match="layout must be long for the Label Studio export.*got 'wide'"
    ):
        read(path, layout="wide")
    with pytest.raises(km.errors.InvalidOptionError, match="subject and rater cannot be chosen"):
        read(path, subject="id")
    assert counted(read(path, layout="long", raters=["3", "1"])[0]).total() > 0


HOSTILE = [None, True, 7, -1.5, "", "x", [], [[]], [None], {}, {"a": []}, [{"result": None}], {"id": {}}]


def changed(value, depth=0):
    """Objects in which one value, at any depth, is left out or replaced by every kind of value."""
    if isinstance(value, dict):
        for key in value:
            yield {other: cell for other, cell in value.items() if other != key}
            yield from ({**value, key: inner} for inner in changed(value[key], depth + 1))
    elif isinstance(value, list):
        for i in range(len(value)):
            yield from ([*value[:i], inner, *value[i + 1 :]] for inner in changed(value[i], depth + 1))
    if depth:
        yield from HOSTILE


@pytest.mark.parametrize(
    "make",
    [
        exports.label_studio,
        exports.prodigy_choice,
        exports.doccano_users,
        exports.doccano_names,
        exports.argilla_2,
        exports.argilla_flat,
        exports.argilla_1,
    ],
)
def test_wrong_types_anywhere_give_a_table_or_an_error_of_ours(make):
    """Where the file is still an export, the ratings of the other tasks are unchanged."""
    found = ratings(4, share=1)
    first, *others = make(found)
    outcomes = Counter()
    for one in changed(first):
        try:
            table = km.from_ratings([one, *others])
        except km.errors.KappamaxError as error:
            outcomes[error.code] += 1
        else:
            assert 3 <= table.n_subjects <= 5
            outcomes["table"] += 1
    assert outcomes["table"] > 5
    assert len(outcomes) > 1


def test_wrong_types_in_a_flat_export_give_a_table_or_an_error_of_ours(write):
    """The answers and the columns of the tool may be of any type."""
    first, *others = exports.label_studio_min(ratings(4, share=1))
    outcomes = Counter()
    for key in ("id", "annotator", "annotation_id", "sentiment"):
        for one in changed({key: first[key]}):
            try:
                read(write([{**{name: cell for name, cell in first.items() if name != key}, **one}, *others]))
            except km.errors.KappamaxError as error:
                outcomes[error.code] += 1
            else:
                outcomes["table"] += 1
    assert outcomes["table"] > 5
    assert outcomes["spans-as-labels"]
    assert outcomes["no-annotator"]


def test_deep_nesting_is_an_error_of_ours(write):
    """Neither a deep list in a task nor a deep document ends in a traceback."""
    deep = "[" * 50_000 + "]" * 50_000
    for text in (f'[{{"id": 1, "annotations": {deep}}}]', f'{{"a": {deep}}}', f'{{"a": {deep}}}\n{{"a": 1}}\n'):
        with pytest.raises(km.errors.UnreadableFileError):
            km.read_ratings(write(text))


def test_labels_of_any_script_are_kept(write):
    """Names and labels are not ASCII only."""
    found = ratings(annotators=["Zoë", "李雷"], labels=["bien", "très bien", "まあまあ"])
    assert counted(read(write(exports.argilla_1(found)))[0], ["Zoë", "李雷"]) == patterns(found, ["Zoë", "李雷"])


@pytest.mark.slow
def test_an_export_of_100_000_tasks_takes_less_than_three_times_the_work_of_parsing_it(write):
    """The processor's time is compared with that of `json.loads`."""
    path = write(exports.label_studio(ratings(100_000, share=1)))
    times = []
    for work in (lambda: json.loads(path.read_bytes()), lambda: km.read_ratings(path)):
        started = time.process_time()
        result = work()
        times.append(time.process_time() - started)
    assert result.n_subjects == 100_000
    assert times[1] < 3 * times[0]
