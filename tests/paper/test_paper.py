"""The paper, line by line: every item has a state, and a value that changes is noticed."""

import json
from dataclasses import replace

import pytest
from test_commands import run

import kappamax as km
from kappamax.paper import items
from kappamax.paper.check import PaperCheck


@pytest.mark.parametrize("part", [items.definitions, items.moves, items.statements, items.figures, items.maxima])
def test_every_item_is_reproduced_or_corrected_with_a_reason(part):
    """None has changed."""
    found = list(part())
    assert found
    for item in found:
        assert item.status in ("reproduced", "corrected"), item
        assert (item.reason is not None) == (item.status == "corrected")
        if item.status == "reproduced":
            assert item.published == item.ours


def test_the_corrected_counts_are_these():
    """What exact counting gives in place of rounded sums."""
    corrected = {item.what: (item.published, item.ours) for item in items.figures() if item.status == "corrected"}
    assert corrected == {
        "tables with the same linear kappa": ("1,527", "1,654"),
        "tables with the least quadratic kappa among them": ("3", "4"),
        "tables with the largest among them": ("3", "15"),
    }


def test_a_changed_value_is_noticed(monkeypatch):
    """Where a kappa would come out otherwise, its item says so."""
    original = items.kappa

    def shifted(table, weights):
        found = original(table, weights=weights)
        return replace(found, value=found.value + 0.01)

    monkeypatch.setattr(items, "kappa", shifted)
    changed = [item.where for item in items.maxima() if item.status == "changed"]
    assert changed == ["Figure 6, left", "Figure 6, centre", "Figure 6, right"]
    check = PaperCheck(tuple(items.maxima()), 1)
    assert len(check.changed) == check.counts()["changed"] == 3


@pytest.mark.slow
def test_the_whole_paper_on_the_command_line():
    """All 60 rows of the study with few tables; exit code 0, and every item in JSON."""
    done = run("paper", "--tables", "30", "--jobs", "2", "--json")
    assert done.returncode == 0, done.stdout
    document = json.loads(done.stdout)
    assert document["counts"]["changed"] == 0
    assert document["counts"]["not determined"] == 12
    assert sum(document["counts"].values()) == len(document["items"]) > 110


def test_options_are_checked():
    """A standard error needs two tables."""
    with pytest.raises(km.InvalidOptionError, match="n_tables must be a whole number >= 2"):
        km.check_paper(n_tables=1)
