"""Read ratings from arrays, frames and files into tables.

A new kind of file is added in `file_formats`, and a new layout of a file in `files`.
"""

from kappamax.io.files import read_ratings
from kappamax.io.inspection import inspect
from kappamax.io.ratings import Ratings, as_table, from_counts, from_ratings

__all__ = ["Ratings", "as_table", "from_counts", "from_ratings", "inspect", "read_ratings"]
