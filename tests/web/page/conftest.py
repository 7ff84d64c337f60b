"""The page in Debian's Chromium, on a phone and on a desk; after every test it was quiet and stayed at home."""

import pytest


@pytest.fixture(scope="session")
def expect(browser):
    """Playwright's patient assertion; a busy machine is given time."""
    from playwright.sync_api import expect

    expect.set_options(timeout=20_000)
    return expect


@pytest.fixture(params=[pytest.param(400, id="phone", marks=pytest.mark.slow), pytest.param(1200, id="desk")])
def width(request):
    """Of the window, in pixels."""
    return request.param


@pytest.fixture
def context(browser, server, width):
    """A browser that has never seen the page, and may use the clipboard."""
    made = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    made.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.rstrip("/"))
    made.set_default_timeout(20_000)
    yield made
    made.close()


@pytest.fixture
def page(context, server):
    """The page with its first results; afterwards nothing was logged and no request left the server.

    Chromium logs every refused request; the server's refusals, and one that is gone, are part of some tests.
    """
    opened = context.new_page()
    logged, requested = [], []
    opened.on("console", lambda message: logged.append(message.text))
    opened.on("pageerror", lambda error: logged.append(str(error)))
    opened.on("request", lambda request: requested.append(request.url))
    opened.goto(server)
    opened.wait_for_selector("#results[aria-busy=false] #kappa")
    yield opened
    assert opened.evaluate("document.documentElement.scrollWidth") <= opened.viewport_size["width"]
    refused = ("the server responded with a status of 4", "net::ERR_FAILED")
    assert [words for words in logged if not any(known in words for known in refused)] == []
    home = (server.rstrip("/") + "/", f"blob:{server.rstrip('/')}", "data:")
    assert [address for address in requested if not address.startswith(home)] == []
