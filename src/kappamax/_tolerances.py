"""Define the tolerances and limits of arithmetic in doubles that several modules share."""

from __future__ import annotations

#: relative difference that rounding errors in sums of doubles do not reach; smaller differences are decided exactly
ROUNDING_MARGIN = 1e-9

#: relative difference up to which two doubles that result from a few operations may stand for the same number
DOUBLE_TOLERANCE = 1e-12

#: largest standard error, or range of resampled values, that counts as zero
NO_SPREAD = 1e-12

#: whole numbers up to this size are exact in doubles, and therefore in every reader of JSON
EXACT_DOUBLES = 2**53

#: exp(x) is zero in doubles for every x up to this one
EXP_UNDERFLOW = -746.0
