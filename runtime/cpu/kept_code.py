"""Which object code a compilation keeps. Imports no MLIR."""

import enum


class KeptCode(enum.IntEnum):
    """None; objects that any process can load; position-independent code, for shared libraries."""

    NOTHING, OBJECT, LIBRARY = range(3)
