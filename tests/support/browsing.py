"""What tests of the page do with it: type a table, paste a block, hand over a file."""

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
    """Through the real clipboard, with the keyboard."""
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.locator(selector).focus()
    page.keyboard.press("Control+v")


def choose_file(page: Any, name: str, content: str | bytes) -> None:
    """As if chosen in the browser's dialog."""
    body = content.encode() if isinstance(content, str) else content
    page.get_by_label("Or drop a file here").set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": body}
    )


def shown_counts(page: Any) -> list[list[str]]:
    """What the table's cells hold."""
    k = int(page.get_by_label("Categories", exact=True).input_value())
    return [[page.locator(f"#cell-{i}-{j}").input_value() for j in range(k)] for i in range(k)]
