"""Define `kappamax serve`, which opens the calculator in a browser."""

from __future__ import annotations

from contextlib import suppress

import click

from kappamax.cli.command import Option, command
from kappamax.errors import NotSupportedError


@command(
    "kappamax serve",
    "kappamax serve --port 9000 --no-browser",
    Server=[
        Option(
            "--port N",
            "Port to listen on; if it is in use, the next free port is used.",
            type=click.IntRange(0, 65535),
            default=8737,
        ),
        Option("--no-browser", "Print the address of the page without opening a browser."),
    ],
)
def serve(port: int, no_browser: bool) -> None:
    """Open the kappamax calculator in a browser.

    The page is served by this machine until Ctrl-C is pressed. No data leave this machine. The printed address contains
    a token, so that other users of this machine cannot open the page.
    """
    try:
        import anyio  # noqa: F401
        import msgspec  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise NotSupportedError(
            'the page needs starlette, uvicorn, anyio and msgspec; install them with pip install "kappamax[web]".'
        ) from None
    from kappamax.web.access import Access
    from kappamax.web.server import bound_socket, server_for

    access = Access()
    socket, found = bound_socket(port)
    address = f"http://127.0.0.1:{found}/?token="
    click.echo(address + access.token)
    click.echo("Press Ctrl-C to stop.", err=True)

    def open_browser() -> None:
        import webbrowser

        webbrowser.open(address + access.single_use_token())

    with socket, suppress(KeyboardInterrupt):  # Ctrl-C is the usual way to stop
        server_for(access, None if no_browser else open_browser).run(sockets=[socket])
