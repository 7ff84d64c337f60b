"""Long work reports its progress in one way."""

import pytest

import kappamax as km
from kappamax._progress import as_progress, callback_for

TABLE = km.from_counts([[20, 5], [10, 15]])
CALLS = {
    "bootstrap": lambda progress: km.bootstrap(TABLE, n_resamples=200, rng=1, progress=progress),
    "exact_test": lambda progress: km.exact_test(TABLE, method="monte-carlo", n_draws=500, rng=1, progress=progress),
    "count": lambda progress: km.fiber(TABLE).count(progress=progress),
    "distribution": lambda progress: km.fiber(TABLE).distribution("linear", progress=progress),
    "walk": lambda progress: km.fiber(TABLE).walk(2000, rng=1, progress=progress),
    "anneal": lambda progress: km.anneal(TABLE, rng=1, progress=progress),
    "sample_size": lambda progress: km.sample_size(TABLE, width=0.3, rng=1, progress=progress),
    "report": lambda progress: km.report(TABLE, progress=progress),
    "report_groups": lambda progress: km.report_groups([("A", TABLE)], progress=progress),
    "bootstrap_ratio": lambda progress: km.maximum.bootstrap_ratio(TABLE, n_resamples=20, rng=1, progress=progress),
    "share_of_maximum": lambda progress: km.maximum.share_of_maximum(TABLE, rng=1, progress=progress),
    "run_study": lambda progress: km.paper.run_study([km.paper.Scenario(2)], n_tables=2, progress=progress),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_callback_gets_the_work_done_the_total_and_a_message(name):
    """The total is a number or None, the work done never falls below zero, and the message is text."""
    seen = []
    CALLS[name](lambda done, total, message: seen.append((done, total, message)))
    assert seen
    assert all(done >= 0 and (total is None or done <= total) and message for done, total, message in seen)


@pytest.mark.parametrize("name", CALLS)
def test_anything_else_is_refused(name):
    """The error says how the function is called."""
    with pytest.raises(km.errors.InvalidOptionError, match=r"called as progress\(done, total, message\); got 'yes'"):
        CALLS[name]("yes")


def test_true_shows_a_line_on_standard_error(capsys):
    """The line ends when the work is done; None and False show nothing."""
    km.bootstrap(TABLE, n_resamples=300, rng=1, progress=True)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == "100% resampling\n"  # without control characters, since this is not a terminal
    for nothing in (None, False):
        km.bootstrap(TABLE, n_resamples=100, rng=1, progress=nothing)
        assert as_progress(nothing) is callback_for(nothing, "work") is None
    assert capsys.readouterr().err == ""
