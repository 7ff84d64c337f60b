"""Helpers that type a table, paste a block and choose a file on the page."""

from __future__ import annotations

from typing import Any

__all__ = ["choose_file", "paste", "shown_counts", "type_table"]


def type_table(page: Any, rows: list[list[int]]) -> None:
    """Choose the size and type every cell."""
    page.get_by_label("Categories", exact=True).select_option(str(len(rows)))
    for i, row in enumerate(rows):
        for j, count in enumerate(row):
            page.locator(f"#cell-{i}-{j}").fill(str(count))


def paste(page: Any, selector: str, text: str) -> None:
    """Paste text from the clipboard with the keyboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator(selector).focus()
    page.keyboard.press("Control+v")


def choose_file(page: Any, name: str, content: str | bytes) -> None:
    """Choose a file as in the dialog of the browser."""
    body = content.encode() if isinstance(content, str) else content
    page.get_by_label("Open or drop a file").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": body}
    )


def shown_counts(page: Any) -> list[list[str]]:
    """Return the contents of the table's cells."""
    k = int(page.get_by_label("Categories", exact=True).input_value())
    return [[page.locator(f"#cell-{i}-{j}").input_value() for j in range(k)] for i in range(k)]
