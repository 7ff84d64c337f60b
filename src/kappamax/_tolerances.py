"""Define the tolerances and limits of arithmetic in doubles that several modules share."""

from __future__ import annotations

#: relative difference of two sums of doubles that exceeds all rounding errors; smaller differences are decided exactly
ROUNDING_MARGIN = 1e-9

#: relative difference up to which two doubles that result from a few operations may be equal numbers
DOUBLE_TOLERANCE = 1e-12

#: largest standard error, or range of resampled values, that counts as zero
NO_SPREAD = 1e-12

#: difference up to which two statistics of a test may be equal numbers
TIES = 1e-9

#: whole numbers up to this size are exact in doubles, and therefore in every reader of JSON
EXACT_DOUBLES = 2**53

#: exp(x) is zero in doubles for x at or below this number
EXP_UNDERFLOW = -746.0
