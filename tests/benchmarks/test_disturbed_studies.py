"""Studies that are killed and disturbed end with the undisturbed numbers, or say why not."""

import sys

import pytest

from benchmarks import disturbed_studies
from benchmarks.disturbed_studies import Ended, disturb, verdict


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_kills_second_studies_full_disks_and_changed_bytes_change_no_number(monkeypatch):
    """Eight kills at random moments, and each further disturbance once; the script tries fifty."""
    monkeypatch.setattr(disturbed_studies, "N_TABLES", 300)
    tried = list(disturb(8, 3))
    assert all(allowed for _, _, allowed in tried), tried
    done = " ".join(what for what, _, _ in tried)
    assert done.count("killed after") >= 4
    for words in ("two studies at once", "a disk for", "changed"):
        assert words in done


@pytest.mark.parametrize(
    ("ended", "how", "allowed"),
    [
        (Ended(0, [1], ""), "the undisturbed numbers", True),
        (Ended(0, [2], ""), "OTHER NUMBERS", False),
        (Ended(0, [2], "note: line 3 was ignored because it is not JSON"), "OTHER NUMBERS after the note", False),
        (Ended(0, [1], "note: something else"), "the undisturbed numbers after the note", False),
        (Ended(1, None, "kappamax: the checkpoint c is in use by another study."), "refused: kappamax", True),
        (Ended(1, None, "kappamax: no scenario has all of these settings."), "FAILED with code 1", False),
        (Ended(1, None, "Traceback\nOSError: cannot write the checkpoint"), "FAILED with code 1", False),
        (Ended(-11, None, ""), "FAILED with code -11", False),
    ],
)
def test_only_the_same_numbers_and_named_causes_are_allowed(ended, how, allowed):
    """Other numbers, tracebacks and crashes are failures."""
    said, found = verdict(ended, [1])
    assert said.startswith(how)
    assert found == allowed
