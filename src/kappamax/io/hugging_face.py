"""Turn a dataset of the Hugging Face library `datasets` into its Arrow table, with the names of class labels."""

from __future__ import annotations

from typing import Any

from kappamax.display.text import listing
from kappamax.errors import InvalidRatingsError


def as_arrow(data: Any) -> Any:
    """Return a dataset of the library `datasets` as an Arrow table, and anything else as it is.

    The integers of a `ClassLabel` become the names of the classes, which have no order, and -1 is a missing label.
    """
    kind = type(data)
    if kind.__module__.partition(".")[0] != "datasets" or not hasattr(data, "with_format"):
        return data
    if isinstance(data, dict):
        raise InvalidRatingsError(
            f"ratings must be one dataset; this {kind.__name__} has the splits {listing(data)}. Choose one of them, as "
            f"in data[{next(iter(data), 'train')!r}].",
            code="several-splits",
        )
    if not hasattr(data, "__len__"):
        raise InvalidRatingsError(
            f"ratings must be a dataset with a length; got {kind.__name__}. Load the dataset without streaming=True.",
            code="dataset-without-length",
        )
    table = data.with_format("arrow")[:]
    for name, feature in data.features.items():
        if type(feature).__name__ == "ClassLabel":
            place = table.schema.get_field_index(name)
            table = table.set_column(place, name, _named(table[name], feature.names))
    return table


def _named(codes: Any, names: list[str]) -> Any:
    """Return integers as a dictionary array with the names that they stand for; negative integers are missing."""
    import pyarrow
    from pyarrow import compute

    known = compute.if_else(compute.less(codes, 0), None, codes)
    chunks = [pyarrow.DictionaryArray.from_arrays(chunk.cast("int32"), names) for chunk in known.chunks]
    return pyarrow.chunked_array(chunks, type=pyarrow.dictionary("int32", "string"))
