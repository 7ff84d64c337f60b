"""Hypothesis settings (machines here are noisy, so no deadlines; CI repeats the same examples) and a browser."""

import os
import shutil

import pytest
from hypothesis import settings

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="module")
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
