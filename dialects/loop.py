"""`loop`: kernels as an iteration domain and a flat scalar body.

Two ops hold the same body. `loop.kernel` is in a graph function, has tensor operands and results with value semantics, and indexes them by
logical coordinates. `loop.func` is a symbol at module level, takes flat buffers (`memref<?xT>`) and indexes them by the element offset
from the buffer's first element. Block arguments of the body, in order: the inputs, the outputs, then one `index` for each dimension of the
domain. `op.operands` and `op.results` are the lists; `dialects.segments` says how their segment sizes are written.
"""

from collections.abc import Sequence

from torch_mlir import ir
from torch_mlir.dialects import ext

from .constraints import AnyType
from .segments import PAIR_RUNS, run_fields

# On a `loop.func`: all its launches are parts of groups, so it needs no code of its own.
GROUPED = "grouped"
# On a `loop.reduce` of kind add: its input, a product, may be added without being rounded first.
CONTRACT = "contract"


def signless(element: ir.Type) -> ir.Type:
    """The type that an element is loaded as: `ui8` as `i8`, and a float of 8 bits as its bits, `i8`."""
    if isinstance(element, ir.IntegerType) or (isinstance(element, ir.FloatType) and element.width == 8):
        return ir.IntegerType.get_signless(element.width)
    return element


class Loop(ext.Dialect, name="loop"):
    """The dialect; load it through `dialects.context`."""


class Kernel(Loop.Operation, name="kernel", traits=[ir.IsIsolatedFromAboveTrait]):
    """A kernel in value form. Operands: the inputs. Results: the outputs.

    `domain`: `affine_map<()[s0, ...] -> (extent, ...)>`, one extent a dimension.
    `symbols`: what s0, s1, ... of every map in the body stand for (an array of `#aten.expr`).
    `updates`: one integer a result: -1 for a fresh result, k where the result starts as the value of operand k and the
    body overwrites or accumulates into parts of it.
    Discardable: `kernel_name` (a string that says what the kernel computes).
    """

    __annotations__ = run_fields("input", Sequence[ext.Operand[AnyType]]) | run_fields("output", Sequence[ext.Result[AnyType]])
    domain: ir.AffineMapAttr
    symbols: ir.ArrayAttr
    updates: ir.ArrayAttr
    body: ext.Region


class Func(Loop.Operation, name="func", traits=[ir.IsIsolatedFromAboveTrait]):
    """A kernel on flat buffers, a symbol. Attributes are those of `loop.kernel`; `outputs` is the number of written buffers, the last of
    the buffer arguments. Discardable `device`: the device of the buffers ("cuda:0"), if not the CPU."""

    sym_name: ir.StringAttr
    domain: ir.AffineMapAttr
    symbols: ir.ArrayAttr
    outputs: ir.IntegerAttr
    body: ext.Region


class Group(Loop.Operation, name="group"):
    """Kernels that do not depend on each other, which a GPU runs in one launch; a symbol.

    `parts`: the `loop.func`s, one for each launch that the group replaces (an array of symbols; one may occur several times).
    `buffers`: for each buffer of each part, in order, its number among those that the launch takes (an array of integers from 0).
    Discardable `device`, as on `loop.func`.
    """

    sym_name: ir.StringAttr
    parts: ir.ArrayAttr
    buffers: ir.ArrayAttr


class Yield(Loop.Operation, name="yield", traits=[ir.IsTerminatorTrait, ext.Pure]):
    """Ends a body."""


class Load(Loop.Operation, name="load", traits=[ext.Pure]):
    """The element of `buffer` at `map(indices)`, or zero where `mask` (an i1, optional) is false.

    `map` has one dimension an index operand and the kernel's symbols; its results are the coordinates (`loop.kernel`)
    or the one element offset (`loop.func`). The value has the element type, signless (`ui8` and floats of 8 bits load as `i8`).
    """

    buffer: ext.Operand[AnyType]
    indices: Sequence[ext.Operand[AnyType]]
    map: ir.AffineMapAttr
    value: ext.Result[AnyType]
    mask: ext.Operand[AnyType] | None = None


class Store(Loop.Operation, name="store"):
    """Writes `value` to `buffer` at `map(indices)`, unless `mask` is false.

    Discardable `accumulate`: "add", "mul", "max", "min": combines with what is there. A value that does not depend on a
    dimension of the domain (a reduced one) is stored once for that dimension.
    """

    buffer: ext.Operand[AnyType]
    value: ext.Operand[AnyType]
    indices: Sequence[ext.Operand[AnyType]]
    map: ir.AffineMapAttr
    mask: ext.Operand[AnyType] | None = None


class Reduce(Loop.Operation, name="reduce", traits=[ext.Pure]):
    """Combines `inputs` over the domain's dimensions `dims`; the results do not depend on them.

    kind: add, mul, max, min (NaN wins), maxu, minu (unsigned), and, or: one input, one result of its type.
    argmax, argmin: inputs (value, index: i64), results (value, index): NaN wins, then the first of equals.
    welford: one float input; results (mean, sum of squared distances from it).
    A kernel's reduced dimensions are the innermost ones. Discardable: `contract` (unit), see `CONTRACT`.
    """

    __annotations__ = run_fields("input", Sequence[ext.Operand[AnyType]], PAIR_RUNS) | run_fields(
        "result", Sequence[ext.Result[AnyType]], PAIR_RUNS
    )
    kind: ir.StringAttr
    dims: ir.ArrayAttr


class Scan(Loop.Operation, name="scan", traits=[ext.Pure]):
    """Inclusive prefix combination of `inputs` along the domain's dimension `dim`. Kinds: those of `loop.reduce`, except welford."""

    __annotations__ = run_fields("input", Sequence[ext.Operand[AnyType]], PAIR_RUNS) | run_fields(
        "result", Sequence[ext.Result[AnyType]], PAIR_RUNS
    )
    kind: ir.StringAttr
    dim: ir.IntegerAttr


class Apply(Loop.Operation, name="apply", traits=[ext.Pure]):
    """The `index` that `map`, which has one result, gives for `indices` and the kernel's symbols."""

    indices: Sequence[ext.Operand[AnyType]]
    map: ir.AffineMapAttr
    value: ext.Result[ir.IndexType]


class Check(Loop.Operation, name="check"):
    """Fails the kernel with `error` if `condition` is false. error: "index" (index out of range), "zero_division", or "range" (an element
    out of range)."""

    condition: ext.Operand[AnyType]
    error: ir.StringAttr
