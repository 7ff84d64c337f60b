"""A wish to draw in, matplotlib or how to install it out."""

from __future__ import annotations

from typing import Any

from kappamax.errors import NotSupportedError


def pyplot() -> Any:
    """Matplotlib's pyplot, or how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise NotSupportedError('plots need matplotlib: pip install "kappamax[plot]"') from None
    return plt
