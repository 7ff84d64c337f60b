"""The matplotlib figures are drawn on the given axes, which are returned."""

import numpy as np
import pytest

import kappamax as km
from tests.support.hostile_labels import LABELS, assert_safe_text

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    """Close the figures of a test after it."""
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_agreement_as_a_heat_map():
    """The cells show the counts, and the axes are labelled by the raters."""
    from matplotlib import pyplot

    _, ax = pyplot.subplots()
    assert km.plot.table(km.example("rapallo2022"), ax=ax, title="t") is ax
    assert [text.get_text() for text in ax.texts][:4] == ["5", "3", "2", "1"]
    assert (ax.get_ylabel(), ax.get_xlabel(), ax.get_title()) == ("rater 1", "rater 2", "t")


def test_the_maximum_beside_the_observed_table():
    """Cells that differ are framed."""
    result = km.max_kappa(km.example("rapallo2022"), weights="sqrt")
    left, right = km.plot.maximum(result)
    framed = [patch for patch in right.patches if not patch.get_fill()]
    assert len(framed) == int((km.example("rapallo2022").dense() != result.table.dense()).sum())
    assert "observed" in left.get_title()


def test_a_distribution_as_atoms():
    """The figure has one line per value."""
    found = km.fiber(km.example("rapallo2022")).distribution("linear")
    ax = km.plot.distribution(found)
    (lines, *_) = ax.collections
    np.testing.assert_allclose([segment[0][0] for segment in lines.get_segments()], found.values)


def test_traces_and_studies():
    """Traces and studies are drawn on the given axes."""
    from matplotlib import pyplot

    _, (left, right) = pyplot.subplots(1, 2)
    found = km.anneal(km.example("rapallo2022"), weights="linear", rng=1, trace=100)
    assert km.plot.trace(found, ax=left) is left
    assert len(left.lines) == 2
    study = km.paper.run_study([km.paper.Scenario(3, n_subjects=20)], n_tables=5)
    assert km.plot.study(study, ax=right) is right
    with pytest.raises(km.errors.InvalidOptionError, match="this search recorded no trace"):
        km.plot.trace(km.anneal(km.example("rapallo2022"), rng=1))


def test_three_raters_have_no_heat_map():
    """The error names the number of raters."""
    with pytest.raises(km.errors.NotSupportedError, match="two raters with complete ratings; got 3 raters"):
        km.plot.table(km.example("rapallo2022-three"))


def test_a_missing_matplotlib_names_the_command(monkeypatch):
    """The error message gives the command that installs it."""
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(km.errors.NotSupportedError, match=r'pip install "kappamax\[plot\]"'):
        km.plot.table(km.example("rapallo2022"))


def test_labels_are_not_formulas():
    """Dollar signs in labels and names would otherwise be parsed, and fail when the picture is drawn."""
    hostile = ["$x^2$", r"a $\frac{ b $ c", *(label for label in LABELS.values() if "＝" not in label)]
    pairs = zip(hostile, [*hostile[1:], hostile[0]], strict=True)
    table = km.from_ratings([list(pair) for pair in pairs], raters=hostile[:2])
    ax = km.plot.table(table)
    ax.figure.canvas.draw()
    assert_safe_text(" ".join(label.get_text() for label in ax.get_xticklabels()))
    assert ax.get_xlabel() == hostile[1]
