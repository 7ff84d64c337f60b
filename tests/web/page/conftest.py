"""Fixtures that open the page in Chromium and check that it logs nothing and loads nothing from other sites."""

import pytest


@pytest.fixture(scope="session")
def expect(browser):
    """Return Playwright's `expect` with a timeout that suits a busy machine."""
    from playwright.sync_api import expect

    expect.set_options(timeout=20_000)
    return expect


@pytest.fixture(params=[pytest.param(400, id="phone", marks=pytest.mark.slow), pytest.param(1200, id="desk")])
def width(request):
    """Return the width of the window in pixels."""
    return request.param


@pytest.fixture
def context(browser, server, width):
    """Return a new browser context with access to the clipboard."""
    made = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    made.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.rstrip("/"))
    made.set_default_timeout(20_000)
    yield made
    made.close()


@pytest.fixture
def page(context, server, access):
    """Open the page, wait for its results, and check afterwards that it logged nothing and sent no other requests.

    Chromium logs every failed request; these messages are expected in some tests.
    """
    opened = context.new_page()
    logged, requested = [], []
    opened.on("console", lambda message: logged.append(message.text))
    opened.on("pageerror", lambda error: logged.append(str(error)))
    opened.on("request", lambda request: requested.append(request.url))
    opened.goto(f"{server}/?token={access.token}")
    opened.wait_for_selector("#results[aria-busy=false] #kappa")
    yield opened
    assert opened.evaluate("document.documentElement.scrollWidth") <= opened.viewport_size["width"]
    refused = ("the server responded with a status of 4", "net::ERR_FAILED")
    assert [words for words in logged if not any(known in words for known in refused)] == []
    home = (server.rstrip("/") + "/", f"blob:{server.rstrip('/')}", "data:")
    assert [address for address in requested if not address.startswith(home)] == []
