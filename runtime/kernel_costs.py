"""What a kernel and an ATen call cost: bytes of each buffer, and arithmetic operations."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils.flop_counter import FlopCounterMode, flop_registry
from torch_mlir import ir

from ..bridge.operators import overload
from ..dialects.aten import TensorInfo
from ..dialects.aten_names import is_opaque
from ..dialects.host import INTO
from ..dialects.narrowing import affine_map, bits, integers, text
from ..dialects.size_hints import Hints, evaluated
from .host.operator_calls import Constants, call_source
from .reference.evaluate import evaluate_affine

log = logging.getLogger(__name__)

# Scalar operations that move or convert a value, or compute an index.
_NO_ARITHMETIC = ("arith.constant", "arith.extf", "arith.truncf", "arith.select", "arith.index", "arith.bitcast")
# Of these, and conversions of types, the ones that pass an element on.
_CARRIES = ("arith.ext", "arith.trunc", "arith.select", "arith.sitofp", "arith.uitofp", "arith.fptosi", "arith.fptoui")


@dataclass(frozen=True)
class KernelCosts:
    """The bytes of each buffer, by number, that a launch reads and writes, and its arithmetic operations: each of `arith` and `math` on
    floats counts as one, a reduction as one for each element. `moves`: whether it only stores elements that it reads, or constants."""

    read: dict[int, int] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)
    flops: int = 0
    moves: bool = False


def kernel_costs(kernel: ir.OpView, symbols: Sequence[int]) -> KernelCosts:
    """The costs of a launch with these values of the symbols. An operation runs once for each point of the dimensions that its operands
    depend on. The loads from a buffer add up, without those that read the same elements as an earlier one, to the bytes from the first
    to the last element at most; that may be more than the buffer has."""
    block = kernel.regions[0].blocks[0]
    extents = [evaluate_affine(e, [], symbols) for e in affine_map(kernel.attributes["domain"]).results]
    arguments: list[ir.Value] = list(block.arguments)
    buffers = arguments[: len(arguments) - len(extents)]
    depends: dict[ir.Value, frozenset[int]] = dict.fromkeys(buffers, frozenset())
    indices = {a: d for d, a in enumerate(arguments[len(buffers) :])}
    depends |= {a: frozenset({d}) for a, d in indices.items()}
    read: dict[int, int] = {}
    written: dict[int, int] = {}
    loads: set[tuple[object, ...]] = set()
    ranges: dict[int, tuple[float, float]] = {}  # of the elements that are loaded of a buffer
    flops = 0
    for op in block.operations:
        name = op.operation.name
        dims = frozenset().union(*(depends[v] for v in op.operands))
        points = math.prod(extents[d] for d in dims)
        if name == "loop.reduce":
            dims -= set(integers(op.attributes["dims"]))
        depends |= dict.fromkeys(op.results, dims)
        if name == "loop.load":
            number = buffers.index(op.operands[0])
            at = (extents[indices[v]] if v in indices else v for v in list(op.operands)[1:])
            load = (number, op.attributes["map"], *at)
            if load in loads:
                continue
            loads.add(load)
            (low, high), (first, last) = _range(op, indices, extents, symbols), ranges.get(number, (math.inf, -math.inf))
            ranges[number] = min(low, first), max(high, last)
            size = _bytes(op.results[0])
            added = read.get(number, 0) + points * size
            read[number] = int(min(added, (ranges[number][1] - ranges[number][0] + 1) * size))
        elif name == "loop.store":
            number = buffers.index(op.operands[0])
            written[number] = written.get(number, 0) + points * _bytes(op.operands[1])
        elif name in ("loop.reduce", "loop.scan") or _is_arithmetic(op):
            flops += points
    return KernelCosts(read, written, flops, _moves(block))


def _range(load: ir.OpView, indices: Mapping[ir.Value, int], extents: Sequence[int], symbols: Sequence[int]) -> tuple[float, float]:
    """The first and the last element that a load reads, if its element is a sum of multiples of dimensions; else all numbers."""
    map_ = affine_map(load.attributes["map"])
    expression, dims = map_.results[0], [indices[v] for v in list(load.operands)[1 : 1 + map_.n_dims] if v in indices]
    if len(dims) < map_.n_dims or any(word in str(expression) for word in ("mod", "div")):
        return -math.inf, math.inf

    def element(at: Sequence[Any]) -> int:
        return int(evaluate_affine(expression, at, symbols))

    start = element([0] * len(dims))
    ends = [[(extents[d] - 1) * (n == own) for n, d in enumerate(dims)] for own in range(len(dims))]
    steps = [element(end) - start for end in ends]
    return start + sum(s for s in steps if s < 0), start + sum(s for s in steps if s > 0)


def _moves(block: ir.Block) -> bool:
    """Whether each stored value is a loaded one, perhaps in another type, or a constant; positions alone choose which."""
    moved: set[ir.Value] = set()  # loaded elements and constants
    loaded: set[ir.Value] = set()  # values that depend on loaded elements
    for op in block.operations:
        name, operands = op.operation.name, list(op.operands)
        if name == "loop.load":
            loaded.update(op.results)
            moved.update(op.results)
            continue
        if loaded.intersection(operands):
            loaded.update(op.results)
        if name == "loop.store" and (operands[1] not in moved or "accumulate" in op.attributes):
            return False
        carried = operands[1:] if name == "arith.select" and operands[0] not in loaded else operands
        if name == "arith.constant" or (name.startswith(_CARRIES) and moved.issuperset(carried)):
            moved.update(op.results)
    return bool(loaded)


def _bytes(value: ir.Value) -> int:
    return (bits(value.type) + 7) // 8


def _is_arithmetic(op: ir.OpView) -> bool:
    name = op.operation.name
    on_floats = any(str(v.type).startswith(("f", "bf")) for v in op.operands)
    return name.startswith(("arith.", "math.")) and not name.startswith(_NO_ARITHMETIC) and on_floats


def call_flops(call: ir.OpView, hints: Hints) -> int | None:
    """The operations of an ATen call as PyTorch's FlopCounterMode counts them; None if it does not know the operator."""
    target = text(call.attributes["target"])
    if is_opaque(target) or overload(target).overloadpacket not in flop_registry:
        return None
    constants = Constants()
    attributes: Any = {name: attribute for name, attribute in call.attributes.items() if name != INTO}
    try:
        source = call_source(attributes, [f"t{n}" for n in range(len(call.operands))], constants)
        values = {f"t{n}": _on_meta(v.type, hints) for n, v in enumerate(call.operands)}
        with FlopCounterMode(display=False) as counter, contextlib.redirect_stdout(None):
            eval(source, {**constants.namespace, **hints, "math": math}, values)
    except Exception:
        log.debug("the operations of %s are unknown", target, exc_info=True)
        return None
    found: int = counter.get_total_flops()
    return found


def _on_meta(type_: ir.Type, hints: Hints) -> Any:
    """A tensor of this type without memory; None for what is no tensor."""
    if not isinstance(type_, ir.RankedTensorType):
        return None
    info = TensorInfo.of(type_)
    sizes, strides = ([evaluated(s, hints) for s in values] for values in (info.sizes, info.strides))
    return torch.empty_strided(sizes, strides, dtype=getattr(torch, info.dtype), device="meta")
