"""What is known of PyTorch's dtypes, by name, without torch: the one table that dialects, passes and lowering read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dtype:
    """`element`: the element type in MLIR. `bytes`: of one element in memory. For the floats that kernels hold: `significand`, its bits
    with the implicit one, so that every integer up to 2**significand is exact; `exponent`, the bits of the exponent; `largest`, the
    largest finite value."""

    element: str
    bytes: int
    significand: int = 0
    exponent: int = 0
    largest: float = 0.0


TABLE = {
    "bool": Dtype("i1", 1),
    "uint8": Dtype("ui8", 1),
    "int8": Dtype("i8", 1),
    "uint16": Dtype("ui16", 2),
    "int16": Dtype("i16", 2),
    "uint32": Dtype("ui32", 4),
    "int32": Dtype("i32", 4),
    "uint64": Dtype("ui64", 8),
    "int64": Dtype("i64", 8),
    "float16": Dtype("f16", 2, 11, 5, 65504.0),
    "bfloat16": Dtype("bf16", 2, 8, 8, 3.3895313892515355e38),
    "float32": Dtype("f32", 4, 24, 8, 3.4028234663852886e38),
    "float64": Dtype("f64", 8, 53, 11, 1.7976931348623157e308),
    "complex32": Dtype("complex<f16>", 4),
    "complex64": Dtype("complex<f32>", 8),
    "complex128": Dtype("complex<f64>", 16),
    "float8_e4m3fn": Dtype("f8E4M3FN", 1),
    "float8_e5m2": Dtype("f8E5M2", 1),
    "float8_e4m3fnuz": Dtype("f8E4M3FNUZ", 1),
    "float8_e5m2fnuz": Dtype("f8E5M2FNUZ", 1),
    "float8_e8m0fnu": Dtype("f8E8M0FNU", 1),
}
# By element type: the dtype's name.
OF_ELEMENT = {dtype.element: name for name, dtype in TABLE.items()}

HALVES = ("float16", "bfloat16")
FLOATS = (*HALVES, "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8",)
INTEGERS = UNSIGNED + SIGNED
# The dtypes for which eager has few operators.
BAREBONES = tuple(name for name in TABLE if name in ("uint16", "uint32", "uint64") or name.startswith("float8"))
# The dtypes that kernels hold; operators on others stay ATen calls.
KERNEL_DTYPES = frozenset(("bool", *INTEGERS, *FLOATS))
# The dtypes that kernels convert from and to, and copy: a kernel holds their bits.
FLOAT8 = ("float8_e4m3fn", "float8_e5m2")


def item_size(dtype: str) -> int | None:
    """Bytes of an element; None for a dtype that is not in the table."""
    return TABLE[dtype].bytes if dtype in TABLE else None


def width(dtype: str) -> int:
    """Bits of a value in a kernel: 1 for bool."""
    return 1 if dtype == "bool" else 8 * TABLE[dtype].bytes
