"""Computes max and then the sum of exp(x - max) in one reduction pass: the sum is kept relative to the maximum so far (Milakov and
Gimelshein, 2018)."""

from __future__ import annotations

from typing import Any

from torch_mlir import ir

from ...dialects.narrowing import text
from ..kernel.analysis import Kernel, Node
from ..kernel.reduction_passes import pass_roots

ONLINE = "online"  # a reduction of x to its maximum m and the sum of exp(x - m)
EQUAL = 1


def with_online_softmax(kernel: Kernel) -> Kernel:
    """sum(exp(x - g)), where g is computed from m = max(x) alone and needs its own reduction pass, becomes s * exp(m - g) with the online
    reduction's s; s counts as 1 if m is infinite. Returns the kernel itself if there is no such sum."""
    for node in kernel.of(("loop.reduce",)):
        found = _maximum_of(kernel, node)
        if found is not None:
            return _rebuilt(kernel, found[0], node, found[1])
    return kernel


def _maximum_of(kernel: Kernel, total: Node) -> tuple[Node, int] | None:
    """The reduction to the maximum, for which `total` is a sum of exponentials, and g."""
    if text(total.attributes["kind"]) != "add" or pass_roots(kernel, total.phase) != [total]:
        return None
    exponential = _producer(kernel, total.operands[0], "math.exp")
    difference = exponential and _producer(kernel, exponential.operands[0], "arith.subf")
    if not difference:
        return None
    x, shift = difference.operands
    for node in kernel.of(("loop.reduce",)):
        fits = text(node.attributes["kind"]) == "max" and node.operands == [x] and node.phase + 1 == total.phase
        if fits and not kernel.values[shift].deps & kernel.reduction_dims and _made_from(kernel, shift, node):
            return node, shift
    return None


def _producer(kernel: Kernel, value: int, name: str) -> Node | None:
    node = kernel.values[value].producer
    return node if node is not None and node.name == name else None


def _made_from(kernel: Kernel, value: int, maximum: Node) -> bool:
    """Whether `value` is computed from the maximum and constants alone."""
    if value == maximum.results[0]:
        return True
    node = kernel.values[value].producer
    if node is None or not node.name.startswith(("arith.", "math.")):
        return False
    return all(_made_from(kernel, operand, maximum) for operand in node.operands)


def _rebuilt(kernel: Kernel, maximum: Node, total: Node, shift: int) -> Kernel:
    """The kernel with `maximum` online, and arithmetic on row values in place of `total`."""
    new = Kernel(kernel.name, kernel.extents, kernel.symbols, kernel.buffers)
    new.values = [v for v in kernel.values if v.producer is None]
    numbers = {i: i for i in range(len(new.values))}
    sums: list[int] = []
    for old in kernel.nodes:
        types = [kernel.values[r].type for r in old.results]
        node = Node(old.name, [numbers[o] for o in old.operands], [], old.attributes, 0, 0, old.expr, [numbers[i] for i in old.indices])
        node.mask = None if old.mask is None else numbers[old.mask]
        if old is total:
            numbers[old.results[0]] = _scaled(new, sums[0], numbers[maximum.results[0]], numbers[shift])
            continue
        if old is maximum:
            node.attributes = {**old.attributes, "kind": ir.StringAttr.get(ONLINE)}
            types = types * 2
        unused = kernel.unused_indices(old)
        results = new.add(node, types, unused)
        numbers.update(zip(old.results, results, strict=False))
        if old is maximum:
            sums.append(results[1])
    return new


def _scaled(kernel: Kernel, total: int, maximum: int, shift: int) -> int:
    """(|m| is infinite ? 1 : s) * exp(m - g)"""
    type_ = kernel.values[maximum].type

    def add(name: str, operands: list[int], result: ir.Type = type_, **attributes: Any) -> int:
        return kernel.add(Node(name, operands, [], attributes, 0, 0), [result])[0]

    def number(value: float) -> int:
        return add("arith.constant", [], value=ir.FloatAttr.get(type_, value))

    predicate = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), EQUAL)
    infinite = add("arith.cmpf", [add("math.absf", [maximum]), number(float("inf"))], ir.IntegerType.get_signless(1), predicate=predicate)
    counted = add("arith.select", [infinite, number(1.0), total])
    return add("arith.mulf", [counted, add("math.exp", [add("arith.subf", [maximum, shift])])])
