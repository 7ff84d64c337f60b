"""Settings of hypothesis for the full and the quick set of tests, and one browser for all tests that need it.

Ctrl-C raises a KeyboardInterrupt even if the tests run in the background of a shell, where processes would ignore it.
There are no deadlines, since machines are noisy. In CI hypothesis tries the same examples every time.
"""

import os
import shutil
import signal

import pytest
from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)

IN_CI = bool(os.environ.get("CI"))
settings.register_profile("full", max_examples=100, deadline=None, derandomize=IN_CI, print_blob=IN_CI)
settings.register_profile("quick", settings.get_profile("full"), max_examples=20)  # pytest --hypothesis-profile=quick
settings.register_profile("attack", settings.get_profile("full"), max_examples=20_000)  # make attack
settings.load_profile("full")

#: Groups of tests by the costly fixture that they share: the browser and the server of the page, the paper's items
SHARED = {"browser": "page", "server": "page", "items": "paper"}


def pytest_collection_modifyitems(config, items):
    """Group tests that share a costly fixture, so that `--dist loadgroup` runs each group in one process."""
    if config.pluginmanager.hasplugin("xdist"):
        for item in items:
            for fixture in set(SHARED).intersection(getattr(item, "fixturenames", ())):
                item.add_marker(pytest.mark.xdist_group(SHARED[fixture]))


@pytest.fixture(scope="session")
def browser():
    """Debian's Chromium; where it is missing tests are skipped, in CI they fail."""
    path = shutil.which("chromium")
    if path is None and os.environ.get("CI") != "true":
        pytest.skip("Chromium is not installed (Debian package chromium)")
    assert path is not None, "CI needs the Debian package chromium"
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()
