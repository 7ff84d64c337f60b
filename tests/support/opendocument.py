"""Write small OpenDocument spreadsheets with the standard library."""

from __future__ import annotations

import io
import zipfile
from xml.sax.saxutils import escape

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {"office": "office", "table": "table", "text": "text"}.items()
)
_TYPE = "application/vnd.oasis.opendocument.spreadsheet"


def opendocument(sheets):
    """Return the bytes of a spreadsheet with the given rows of each sheet, by the name of the sheet."""
    tables = "".join(
        f'<table:table table:name="{name}">{"".join(map(_row, rows))}</table:table>' for name, rows in sheets.items()
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {_NAMESPACES} office:version="1.2">'
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_TYPE}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>'
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("mimetype", _TYPE)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return stream.getvalue()


def _row(cells):
    return f"<table:table-row>{''.join(map(_cell, cells))}</table:table-row>"


def _cell(value):
    if value is None:
        return "<table:table-cell/>"
    kind = f'"float" office:value="{value}"' if isinstance(value, int | float) else '"string"'
    return f"<table:table-cell office:value-type={kind}><text:p>{escape(str(value))}</text:p></table:table-cell>"
