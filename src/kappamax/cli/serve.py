"""`kappamax serve`: the calculator as a page in the browser, on this machine only."""

from __future__ import annotations

from contextlib import suppress

import click

from kappamax.errors import NotSupportedError

__all__ = ["serve"]


@click.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8737,
    show_default=True,
    metavar="N",
    help="Where the page is; the next free one if it is taken.",
)
@click.option("--no-browser", is_flag=True, help="Print the address only.")
def serve(port: int, no_browser: bool) -> None:
    """The calculator as a page in the browser, until Ctrl-C. Nothing leaves this machine."""
    try:
        import anyio  # noqa: F401
        import msgspec  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise NotSupportedError(
            'the page needs starlette, uvicorn, anyio and msgspec: pip install "kappamax[web]"'
        ) from None
    from kappamax.web.server import bound_socket, server_for

    socket, found = bound_socket(port)
    address = f"http://127.0.0.1:{found}/"
    click.echo(address)
    click.echo("Ctrl-C ends it.", err=True)

    def open_browser() -> None:
        import webbrowser

        webbrowser.open(address)

    with socket, suppress(KeyboardInterrupt):  # the usual end
        server_for(None if no_browser else open_browser).run(sockets=[socket])
