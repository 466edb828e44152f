"""`tt`: Triton's public operations with the names and attributes of its text, so that this context parses and prints them.

Pointers are `!tt.ptr<f32>`; sizes of tensors are powers of two. Only the terminators of `tt.reduce` and `tt.scan` have other names: a name
with two dots can't be declared here, and `lowering/tt/text.py` writes it for Triton. Triton's own verifier checks what is not declared
here when it reads the text.
"""

from collections.abc import Sequence

from torch_mlir import ir
from torch_mlir.dialects import ext

from .constraints import AnyAttribute, AnyType


class Tt(ext.Dialect, name="tt"):
    """The dialect; load it through `dialects.context`."""


class Ptr(Tt.Type, name="ptr"):
    """The address of an element of type `pointee` in global memory."""

    pointee: AnyAttribute


class Func(Tt.Operation, name="func", traits=[ir.IsIsolatedFromAboveTrait]):
    """A kernel. docs/design/gpu.md lists the attributes that `lower-loop-to-tt` sets for the launch."""

    sym_name: ir.StringAttr
    function_type: ir.TypeAttr
    body: ext.Region


class Return(Tt.Operation, name="return", traits=[ir.IsTerminatorTrait]):
    """Ends a kernel."""


class GetProgramId(Tt.Operation, name="get_program_id", traits=[ext.Pure]):
    """The number of this program in the grid, along `axis` 0, 1 or 2."""

    axis: ir.IntegerAttr
    result: ext.Result[AnyType]


class GetNumPrograms(Tt.Operation, name="get_num_programs", traits=[ext.Pure]):
    """The size of the grid along `axis`."""

    axis: ir.IntegerAttr
    result: ext.Result[AnyType]


class MakeRange(Tt.Operation, name="make_range", traits=[ext.Pure]):
    """start, start + 1, ..., end - 1 as i32."""

    start: ir.IntegerAttr
    end: ir.IntegerAttr
    result: ext.Result[AnyType]


class Splat(Tt.Operation, name="splat", traits=[ext.Pure]):
    """A tensor of one scalar or pointer."""

    source: ext.Operand[AnyType]
    result: ext.Result[AnyType]


class ExpandDims(Tt.Operation, name="expand_dims", traits=[ext.Pure]):
    """Inserts a dimension of size 1 at `axis`."""

    source: ext.Operand[AnyType]
    axis: ir.IntegerAttr
    result: ext.Result[AnyType]


class Broadcast(Tt.Operation, name="broadcast", traits=[ext.Pure]):
    """Dimensions of size 1 repeated; the rank stays."""

    source: ext.Operand[AnyType]
    result: ext.Result[AnyType]


class Reshape(Tt.Operation, name="reshape", traits=[ext.Pure]):
    """The same elements in another shape."""

    source: ext.Operand[AnyType]
    result: ext.Result[AnyType]


class Trans(Tt.Operation, name="trans", traits=[ext.Pure]):
    """Dimension k of the result is dimension order[k] of the source."""

    source: ext.Operand[AnyType]
    order: AnyAttribute
    result: ext.Result[AnyType]


class AddPtr(Tt.Operation, name="addptr", traits=[ext.Pure]):
    """The address `offset` elements further."""

    pointer: ext.Operand[AnyType]
    offset: ext.Operand[AnyType]
    result: ext.Result[AnyType]


class Bitcast(Tt.Operation, name="bitcast", traits=[ext.Pure]):
    """The same bits as another type of the same width."""

    source: ext.Operand[AnyType]
    result: ext.Result[AnyType]


class Load(Tt.Operation, name="load"):
    """The elements at `pointer`; where `mask` is false those of `other`, or undefined ones. `cache`: 1 default; `evict`: 1 normal, 2
    first, 3 last."""

    pointer: ext.Operand[AnyType]
    boundaryCheck: AnyAttribute
    cache: ir.IntegerAttr
    evict: ir.IntegerAttr
    isVolatile: AnyAttribute
    result: ext.Result[AnyType]
    mask: ext.Operand[AnyType] | None = None
    other: ext.Operand[AnyType] | None = None


class Store(Tt.Operation, name="store"):
    """Writes `value`, where `mask` is true."""

    pointer: ext.Operand[AnyType]
    value: ext.Operand[AnyType]
    boundaryCheck: AnyAttribute
    cache: ir.IntegerAttr
    evict: ir.IntegerAttr
    mask: ext.Operand[AnyType] | None = None


class AtomicRmw(Tt.Operation, name="atomic_rmw"):
    """Combines `value` with the old element; returns the old one. `atomic_rmw_op`: 1 and, 2 or, 3 xor, 4 add, 5 fadd, 6 max, 7 min, 8
    umax, 9 umin, 10 xchg; `sem`: 1 relaxed; `scope`: 1 the GPU."""

    pointer: ext.Operand[AnyType]
    value: ext.Operand[AnyType]
    atomic_rmw_op: ir.IntegerAttr
    sem: ir.IntegerAttr
    scope: ir.IntegerAttr
    result: ext.Result[AnyType]
    mask: ext.Operand[AnyType] | None = None


class Reduce(Tt.Operation, name="reduce", traits=[ext.Pure]):
    """Reduces the tensors along `axis`, which is removed; the body takes two elements of each tensor and returns one of each."""

    a: Sequence[ext.Operand[AnyType]]
    b: Sequence[ext.Operand[AnyType]]
    c: Sequence[ext.Operand[AnyType]]
    axis: ir.IntegerAttr
    combine: ext.Region
    x: Sequence[ext.Result[AnyType]]
    y: Sequence[ext.Result[AnyType]]
    z: Sequence[ext.Result[AnyType]]


class ReduceReturn(Tt.Operation, name="reduce_return", traits=[ir.IsTerminatorTrait, ext.Pure]):
    """Ends the body of `tt.reduce`; `tt.reduce.return` in Triton's text."""

    a: Sequence[ext.Operand[AnyType]]
    b: Sequence[ext.Operand[AnyType]]
    c: Sequence[ext.Operand[AnyType]]


class Scan(Tt.Operation, name="scan", traits=[ext.Pure]):
    """Running combinations of the tensors along `axis`."""

    a: Sequence[ext.Operand[AnyType]]
    b: Sequence[ext.Operand[AnyType]]
    c: Sequence[ext.Operand[AnyType]]
    axis: ir.IntegerAttr
    reverse: AnyAttribute
    combine: ext.Region
    x: Sequence[ext.Result[AnyType]]
    y: Sequence[ext.Result[AnyType]]
    z: Sequence[ext.Result[AnyType]]


class ScanReturn(Tt.Operation, name="scan_return", traits=[ir.IsTerminatorTrait, ext.Pure]):
    """Ends the body of `tt.scan`; `tt.scan.return` in Triton's text."""

    a: Sequence[ext.Operand[AnyType]]
    b: Sequence[ext.Operand[AnyType]]
    c: Sequence[ext.Operand[AnyType]]


class Dot(Tt.Operation, name="dot", traits=[ext.Pure]):
    """a @ b + c. `inputPrecision`: 0 tf32, 1 tf32x3, 2 ieee."""

    a: ext.Operand[AnyType]
    b: ext.Operand[AnyType]
    c: ext.Operand[AnyType]
    inputPrecision: ir.IntegerAttr
    maxNumImpreciseAcc: ir.IntegerAttr
    result: ext.Result[AnyType]


class ExternElementwise(Tt.Operation, name="extern_elementwise", traits=[ext.Pure]):
    """A function of libdevice on every element."""

    sources: Sequence[ext.Operand[AnyType]]
    libname: ir.StringAttr
    libpath: ir.StringAttr
    symbol: ir.StringAttr
    pure: AnyAttribute
    result: ext.Result[AnyType]


class ElementwiseInlineAsm(Tt.Operation, name="elementwise_inline_asm", traits=[ext.Pure]):
    """PTX on every element. `packed_element`: how many elements it takes at once."""

    sources: Sequence[ext.Operand[AnyType]]
    asm_string: ir.StringAttr
    constraints: ir.StringAttr
    pure: AnyAttribute
    packed_element: ir.IntegerAttr
    result: ext.Result[AnyType]


class PreciseSqrt(Tt.Operation, name="precise_sqrt", traits=[ext.Pure]):
    """The square root of an f32, correctly rounded."""

    source: ext.Operand[AnyType]
    result: ext.Result[AnyType]


class PreciseDivf(Tt.Operation, name="precise_divf", traits=[ext.Pure]):
    """The quotient of two f32, correctly rounded."""

    a: ext.Operand[AnyType]
    b: ext.Operand[AnyType]
    result: ext.Result[AnyType]


class Mulhiui(Tt.Operation, name="mulhiui", traits=[ext.Pure]):
    """The upper half of an unsigned product."""

    a: ext.Operand[AnyType]
    b: ext.Operand[AnyType]
    result: ext.Result[AnyType]


class Assert(Tt.Operation, name="assert"):
    """Stops the kernel with a device-side assertion if `condition` is false."""

    condition: ext.Operand[AnyType]
    message: ir.StringAttr
