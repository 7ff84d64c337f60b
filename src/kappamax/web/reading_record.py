"""Define the record of how a table was read, which the page holds and sends back with the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

if TYPE_CHECKING:
    from kappamax.reading import Reading
    from kappamax.table import Table

Text = Annotated[str, Meta(max_length=10_000)]
Count = Annotated[int, Meta(ge=0)]
_MAX_COLUMNS_LEFT_OUT = 200  # names of columns that the page holds; the notes have the number of all columns


class ReadingRecord(Struct, omit_defaults=True):
    """Record of how a table was read, with the names of the JSON output of commands."""

    file: Text | None = None
    layout: Text | None = None
    missing_as: dict[str, Count] = {}
    columns_left_out: dict[str, str] = {}
    n_left_out: Count = 0
    notes: Annotated[list[Text], Meta(max_length=1_000)] = []

    @classmethod
    def of_table(cls, table: Table) -> ReadingRecord:
        """Return the record of a table."""
        return cls(
            file=table.data.file,
            layout=table.reading.layout,
            missing_as=dict(table.reading.missing),
            columns_left_out=dict(list(table.reading.columns_left_out.items())[:_MAX_COLUMNS_LEFT_OUT]),
            n_left_out=table.n_left_out,
            notes=list(table.reading.notes),
        )

    def reading(self) -> Reading:
        """Return the record as the library holds it."""
        from kappamax.reading import Reading

        return Reading(self.file, self.layout, self.missing_as, self.columns_left_out, tuple(self.notes))
