"""Pictures for papers: each takes axes and returns them."""

import numpy as np
import pytest

import kappamax as km

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _closed():
    """No figure outlives its test."""
    yield
    from matplotlib import pyplot

    pyplot.close("all")


def test_agreement_as_a_heat_map():
    """Counts as numbers, raters as axes."""
    from matplotlib import pyplot

    _, ax = pyplot.subplots()
    assert km.plot_agreement(km.example("rapallo2022"), ax=ax, title="t") is ax
    assert [text.get_text() for text in ax.texts][:4] == ["5", "3", "2", "1"]
    assert (ax.get_ylabel(), ax.get_xlabel(), ax.get_title()) == ("rater 1", "rater 2", "t")


def test_the_maximum_beside_the_observed_table():
    """Cells that differ are framed."""
    result = km.max_kappa(km.example("rapallo2022"), weights="sqrt")
    left, right = km.plot_maximum(result)
    framed = [patch for patch in right.patches if not patch.get_fill()]
    assert len(framed) == int((km.example("rapallo2022").dense() != result.table.dense()).sum())
    assert "observed" in left.get_title()


def test_a_distribution_as_atoms():
    """One line per value."""
    found = km.fiber(km.example("rapallo2022")).distribution("linear")
    ax = km.plot_distribution(found)
    (lines, *_) = ax.collections
    np.testing.assert_allclose([segment[0][0] for segment in lines.get_segments()], found.values)


def test_traces_and_studies():
    """On axes of one's own."""
    from matplotlib import pyplot

    _, (left, right) = pyplot.subplots(1, 2)
    found = km.anneal(km.example("rapallo2022"), weights="linear", rng=1, trace=100)
    assert km.plot_trace(found, ax=left) is left
    assert len(left.lines) == 2
    study = km.run_study([km.Scenario(3, n_subjects=20)], n_tables=5)
    assert km.plot_study(study, ax=right) is right
    with pytest.raises(km.InvalidOptionError, match="this search kept no trace"):
        km.plot_trace(km.anneal(km.example("rapallo2022"), rng=1))


def test_three_raters_have_no_crossed_table():
    """Said so."""
    with pytest.raises(km.NotSupportedError, match="two raters with complete ratings; got 3"):
        km.plot_agreement(km.example("rapallo2022-three"))


def test_a_missing_matplotlib_names_the_command(monkeypatch):
    """And nothing else breaks."""
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(km.NotSupportedError, match=r'pip install "kappamax\[plot\]"'):
        km.plot_agreement(km.example("rapallo2022"))
