"""Word errors for the page: advice names its controls, and has the values that these controls take."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from kappamax.display.text import capitalized, listing
from kappamax.errors import ORDER_TO_GIVE, Advice, KappamaxError

#: names of the layouts in the control Layout
LAYOUTS = {
    "wide": "one column per rater",
    "long": "one row per rating",
    "counts": "square table of counts",
    "patterns": "patterns with counts",
}
#: names of the controls in which a value is chosen or entered, by the names of options for reading a file
CONTROLS = {
    "layout": "Layout",
    "subject": "Column of subjects",
    "rater": "Column of raters",
    "rating": "Column of ratings",
    "count": "Column of counts",
    "cluster": "Column of clusters",
    "raters": "Columns of raters",
    "categories": "Order of the categories",
    "missing": "Codes of missing ratings",
    "rename": "Labels to rename",
    "sheet": "Sheet",
    "delimiter": "Delimiter",
    "encoding": "Encoding",
    "skip_rows": "Lines above the header",
}
#: names of the boxes to tick, by the names of options for reading a file
BOXES = {
    "no_header": "The first row is data",
    "transpose": "Raters are in rows",
    "fill_down": "Empty cells repeat the cell above",
    "decimal_comma": "1,5 is the number 1.5",
    "ignore_case": "Ignore upper and lower case",
    "complete_only": "Leave out subjects with a missing rating",
    "accept_labels": "Take labels as they stand",
}


def message_of(error: KappamaxError) -> str:
    """Return the message of an error for someone who uses the page."""
    usable = [advice for advice in error.advice if advice.options.keys() <= {*CONTROLS, *BOXES}]
    return " ".join([error.statement, *map(_sentence, usable)])


def likely_controls(error: KappamaxError) -> dict[str, str]:
    """Return the values of the controls that the most likely advice gives; empty if only the user knows them."""
    return controls_of(error.advice[-1].options) if error.advice else {}


def controls_of(options: Mapping[str, Any]) -> dict[str, str]:
    """Return options for reading a file as values of the controls, which are those of a request."""
    known = options.keys() <= {*CONTROLS, *BOXES} and ORDER_TO_GIVE not in options.values()
    return {name: _text_of(value) for name, value in options.items()} if known else {}


def _sentence(advice: Advice) -> str:
    """Return a sentence that says what to do with the controls."""
    steps = [_step(name, value) for name, value in advice.options.items()]
    words = steps[0] if len(steps) == 1 else f"{', '.join(steps[:-1])} and {steps[-1]}"
    return capitalized(f"{advice.condition}, {words}." if advice.condition else f"{words}.")


def _step(name: str, value: Any) -> str:
    if name in BOXES:
        return f"tick {BOXES[name]}"
    if name == "layout":
        return f"set Layout to {LAYOUTS[value]}"
    if value == ORDER_TO_GIVE:
        return "give the order of the categories"
    if name in ("subject", "rater", "rating", "count", "cluster"):
        shown = repr(value) if isinstance(value, str) else " and ".join(map(repr, value))
        return f"set {CONTROLS[name]} to {shown}"
    if name == "raters":
        return f"tick the columns of raters {listing(value)}"
    return f"enter {_text_of(value)} as {CONTROLS[name]}"


def _text_of(value: Any) -> str:
    """Return the text of a control; the entries of a list are separated by commas, and quoted if they contain one."""
    if value is True:
        return "true"
    if isinstance(value, Mapping):
        value = [f"{old}={new}" for old, new in value.items()]
    if isinstance(value, str) or not isinstance(value, Sequence):
        return str(value)
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(value)
    return out.getvalue()
