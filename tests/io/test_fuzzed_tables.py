"""Tables that were shuffled, corrupted and completed at random give the right number or a refusal."""

import csv
import io

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import kappamax as km
from tests.io.corpus.case import UndefinedError, kappa_of

SCALES = [
    [1, 2, 3, 4, 5],
    [0, 1],
    ["no", "yes"],
    ["mild", "moderate", "severe"],
    ["T1", "T2", "T3"],
    ["I", "II", "III", "IV"],
    ["3+", "4+", "5+"],
    [-1, 0, 1],
]
MOST_REFUSALS = 4

names = st.lists(st.sampled_from("ABCDEF"), min_size=2, max_size=4, unique=True).map(
    lambda letters: [f"reader {letter}" for letter in letters]
)


@st.composite
def tables(draw):
    """Draw the names of raters and rows of labels in which every rater used at least two labels."""
    raters, scale = draw(names), draw(st.sampled_from(SCALES))
    n_subjects = draw(st.integers(10, 40))
    truths = draw(st.lists(st.sampled_from(scale), min_size=n_subjects, max_size=n_subjects))
    errors = st.integers(0, 3)
    rows = [[truth if draw(errors) else draw(st.sampled_from(scale)) for _ in raters] for truth in [*scale, *truths]]
    return raters, rows


def with_identifier(draw, header, rows):
    """Add a column of identifiers at either end."""
    name = draw(st.sampled_from(["id", "Patient", "subject_id", "case no", "", "Record ID"]))
    ids = [draw(st.sampled_from(["{}", "P{:03}"])).format(i + 1) for i in range(len(rows))]
    if draw(st.booleans()) or not name:
        return [name, *header], [[one, *row] for one, row in zip(ids, rows, strict=True)]
    return [*header, name], [[*row, one] for one, row in zip(ids, rows, strict=True)]


def with_other_column(draw, header, rows):
    """Add a column that is no rater."""
    name, values = draw(
        st.sampled_from(
            [
                ("age", [str(n) for n in range(31, 80)]),
                ("sex", ["female", "male"]),
                ("notes", ["artefact", "repeat the scan", "blurred", ""]),
                ("date", ["2024-01-02", "2024-02-03", "2024-03-04"]),
            ]
        )
    )
    if name in header:
        return header, rows
    return [*header, name], [[*row, draw(st.sampled_from(values))] for row in rows]


def with_header_again(draw, header, rows):
    """Repeat the header between the rows."""
    place = draw(st.integers(1, len(rows)))
    return header, [*rows[:place], list(header), *rows[place:]]


def with_blank_rows(draw, header, rows):
    """Insert rows without cells; blank lines at the end of a file need no note."""
    place = draw(st.integers(0, len(rows) - 1))
    return header, [*rows[:place], *[[""] * len(header)] * draw(st.integers(1, 3)), *rows[place:]]


def with_totals(draw, header, rows):
    """Add a row of totals below a column of identifiers at the left."""
    header, rows = ["id", *header], [[f"P{i}", *row] for i, row in enumerate(rows)]
    return header, [
        *rows,
        [draw(st.sampled_from(["Total", "Sum", "Mean"])), *[str(17 + i) for i in range(len(header) - 1)]],
    ]


def with_spaces(draw, header, rows):
    """Put spaces around some cells and names."""
    pad = st.sampled_from(["{}", " {}", "{} ", "{}\u00a0"])
    return [draw(pad).format(name) for name in header], [[draw(pad).format(cell) for cell in row] for row in rows]


def with_shuffled_columns(draw, header, rows):
    """Shuffle the columns."""
    order = draw(st.permutations(range(len(header))))
    return [header[j] for j in order], [[row[j] for j in order] for row in rows]


def with_shuffled_rows(draw, header, rows):
    """Shuffle the rows."""
    return header, draw(st.permutations(rows))


#: changes in the order in which they are made: a repeated header has all columns
CHANGES = [
    with_other_column,
    with_identifier,
    with_shuffled_columns,
    with_shuffled_rows,
    with_totals,
    with_header_again,
    with_blank_rows,
    with_spaces,
]


def text_of(header, rows, delimiter):
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows([header, *rows])
    return out.getvalue()


def read(path):
    """Return the table of a file, following the advice of refusals."""
    options = {}
    for _ in range(MOST_REFUSALS + 1):
        try:
            return km.read_ratings(path, **options)
        except km.errors.InputError as error:
            if not error.advice:
                return None
            options |= error.advice[-1].options
    return None


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # shrinking takes minutes
    deadline=None,
)
@given(data=st.data())
def test_a_changed_table_gives_its_number_or_a_refusal(data, tmp_path):
    """Rows and columns that are not ratings never change the number, and a note says what was left out."""
    raters, rows = data.draw(tables())
    truth = _kappa(rows)
    header, cells = list(raters), [[str(label) for label in row] for row in rows]
    changes = data.draw(st.lists(st.sampled_from(CHANGES), max_size=4, unique=True))
    if with_totals in changes:  # the first cell of a row says that it contains totals, so nothing is moved before it
        changes = [one for one in changes if one not in (with_identifier, with_shuffled_columns, with_shuffled_rows)]
    for change in sorted(changes, key=CHANGES.index):
        header, cells = change(data.draw, header, cells)
    path = tmp_path / "ratings.csv"
    path.write_text(text_of(header, cells, data.draw(st.sampled_from(",;\t"))), encoding="utf-8")
    found = read(path)
    if found is None or truth is None:
        return
    assert km.kappa(found).exact == truth
    assert set(found.raters) == set(raters)
    if not set(changes) <= {with_shuffled_columns, with_shuffled_rows, with_spaces}:
        assert found.reading.notes


def _kappa(rows):
    try:
        return kappa_of(rows)
    except UndefinedError:
        return None


def test_the_test_of_changed_tables_can_fail(tmp_path):
    """A reader that takes an identifier for a rater gives another number."""
    path = tmp_path / "ratings.csv"
    path.write_text("id,a,b\n1,1,1\n2,2,2\n3,1,2\n4,2,2\n5,1,1\n6,2,1\n", encoding="utf-8")
    assert km.kappa(read(path)).exact != km.kappa(km.read_ratings(path, raters=["id", "a", "b"])).exact
    with pytest.raises(UndefinedError):
        kappa_of([(1, 1)])
