"""The errors of `loop.check`, and the status that a CPU kernel returns for each; 0 is success. Needs no MLIR, as graphs from the cache."""

INDEX_OUT_OF_RANGE = 1
DIVISION_BY_ZERO = 2
ELEMENT_OUT_OF_RANGE = 3

STATUS_OF_ERROR = {"index": INDEX_OUT_OF_RANGE, "zero_division": DIVISION_BY_ZERO, "range": ELEMENT_OUT_OF_RANGE}
