"""Define the array types that are used in signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

#: array of 64-bit integers, Python integers, fractions, doubles or complex numbers
Array = npt.NDArray[Any]
#: positions of categories, -1 for a missing rating
Codes = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
