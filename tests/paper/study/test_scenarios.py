"""Scenarios come from the paper or from a file."""

from dataclasses import replace

import pytest

import kappamax as km
from kappamax.paper.study.scenarios import scenario_from

FILE = """
[[scenario]]
n_categories = 4
n_raters = 3
n_subjects = 50
weights = "sqrt"
margins = [[2, 2, 1, 1], [1, 1, 2, 2], [1, 1, 1, 1]]
moves = "basic"
schedule = { kind = "geometric", start = 5, factor = 0.75 }
stopping = { kind = "stale-moves", patience = 300 }

[[scenario]]
n_categories = 3
"""


def test_the_papers_sixty_rows():
    """The scenarios have the right numbers of moves, and 12 of them are not determined."""
    rows = km.paper.paper_scenarios()
    assert len(rows) == len(set(rows)) == 60
    moves = {(row.n_raters, row.n_categories): row.move_set.n_moves for row in rows}
    assert moves == {(2, 3): 18, (2, 5): 200, (2, 7): 882, (3, 3): 324, (3, 5): 9000}
    unclear = [row for row in rows if not row.determined]
    assert len(unclear) == 12
    assert {(row.n_raters, row.homogeneous) for row in unclear} == {(3, False)}
    assert rows[0].published == km.paper.paper_scenarios()[0].published
    assert (rows[0].published.mean, rows[0].published.sd, rows[0].published.q99) == (1064.8, 32.0, 1164)


def test_margins_the_paper_names():
    """The margins are mu = (2/5, 2/5, 1/5) and its reverse (section 6)."""
    (row,) = (
        row
        for row in km.paper.paper_scenarios()
        if (row.n_raters, row.n_categories, row.n_subjects, row.weights, row.homogeneous) == (2, 3, 20, "sqrt", False)
    )
    assert row.margins == ((0.4, 0.4, 0.2), (0.2, 0.4, 0.4))


def test_a_file_of_scenarios(tmp_path):
    """All fields and their defaults are read, and plain data are converted back."""
    path = tmp_path / "mine.toml"
    path.write_text(FILE, encoding="utf-8")
    mine, default = km.paper.read_scenarios(path)
    assert default == km.paper.Scenario(3)
    assert mine == km.paper.Scenario(
        4,
        n_raters=3,
        n_subjects=50,
        weights="sqrt",
        margins=[[2, 2, 1, 1], [1, 1, 2, 2], [1, 1, 1, 1]],
        moves="basic",
        schedule=km.annealing.Geometric(5, 0.75),
        stopping=km.annealing.StaleMoves(300),
    )
    assert not mine.homogeneous
    for one in (mine, *km.paper.paper_scenarios()):
        assert scenario_from(one.to_dict()) == replace(one, published=None, determined=True)


def test_the_key_knows_what_matters():
    """The key depends on the settings but not on the published figures."""
    row = km.paper.paper_scenarios()[0]
    assert replace(row, published=None).key == row.key
    assert replace(row, n_subjects=21).key != row.key
    assert replace(row, schedule=km.annealing.Geometric(1, 0.95)).key != row.key


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_categories": 1}, "n_categories must be a whole number >= 2; got 1"),
        ({"margins": [[1, 1, 1]]}, "margins must be 2 rows of 3 shares, one row per rater"),
        ({"margins": [[1, 1, -1], [1, 1, 1]]}, "margins must be shares >= 0"),
        ({"margins": "uniform"}, "margins must be 2 rows of 3 shares"),
        ({"weights": 3}, "weights of a scenario must be a name such as 'linear'; got 3"),
        ({"moves": "some"}, "moves must be one of 'minimal'|moves must be one of 'basic'"),
        ({"schedule": None}, "schedule must be an object such as"),
        ({"weight": "linear"}, "a scenario has no setting 'weight'. Did you mean 'weights'"),
    ],
)
def test_settings_are_checked(settings, message):
    """Each error names the setting and the rule."""
    data = {"n_categories": 3, **settings}
    with pytest.raises(km.errors.InvalidOptionError, match=message):
        scenario_from(data) if "weight" in data else km.paper.Scenario(**data)


def test_too_many_moves_are_refused():
    """A design of ten raters has too many moves."""
    with pytest.raises(km.errors.NotSupportedError, match="the method 'moves' lists all moves and is limited to"):
        km.paper.Scenario(5, n_raters=10)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (None, km.errors.UnreadableFileError, "there is no file .*mine.toml"),
        ("n = ", km.errors.UnreadableFileError, "is not TOML"),
        (
            "n = 3",
            km.errors.InvalidOptionError,
            r"must contain one or more \[\[scenario\]\] tables and nothing else; got 'n'",
        ),
        ("[[scenario]]\nn_raters = 2", km.errors.InvalidOptionError, "a scenario needs n_categories"),
        ("scenario = [3]", km.errors.InvalidOptionError, "a scenario must be a table of settings; got 3"),
    ],
)
def test_files_are_checked(tmp_path, text, error, message):
    """Each error says what is wrong with the file."""
    path = tmp_path / "mine.toml"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        km.paper.read_scenarios(path)


def test_studies_that_could_not_be_run_are_refused():
    """Numbers of subjects and tables have limits, and searches of very many subjects need a maximum of steps."""
    with pytest.raises(km.errors.InvalidOptionError, match=r"n_subjects must be below 2\^62; got 1e\+20"):
        km.paper.Scenario(3, n_subjects=10**20)
    with pytest.raises(km.errors.InvalidOptionError, match=r"a search of 1e\+12 subjects"):
        km.paper.Scenario(3, n_subjects=10**12)
    with pytest.raises(
        km.errors.InvalidOptionError, match="n_tables must be at most 10,000,000; got 1,000,000,000,000"
    ):
        km.paper.run_study([km.paper.Scenario(3)], n_tables=10**12)
