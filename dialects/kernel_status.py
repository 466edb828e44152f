"""The errors of `loop.check`, and the status that a CPU kernel returns for each; 0 is success.

This module needs no MLIR, because graphs from the cache run without it.
"""

INDEX_OUT_OF_RANGE = 1
DIVISION_BY_ZERO = 2
ELEMENT_OUT_OF_RANGE = 3

STATUS_OF_ERROR = {"index": INDEX_OUT_OF_RANGE, "zero_division": DIVISION_BY_ZERO, "range": ELEMENT_OUT_OF_RANGE}
