"""Name the types of arrays that signatures use."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

#: an array of numbers of any type: 64-bit or Python integers, fractions, doubles or complex numbers
Array = npt.NDArray[Any]
#: positions in the categories, -1 for a missing rating
Codes = npt.NDArray[np.int32]
Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
