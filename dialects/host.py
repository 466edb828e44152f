"""`host`: the launch sequence of a graph: allocate, view, launch, call an operator, copy, free.

It is in the same `func.func` as the graph, when every `aten` op has become a kernel launch, a view or a call. Values are the graph's
tensors with their layouts. From here on they are buffers, and the order of the operations is the order of execution.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from torch_mlir import ir
from torch_mlir.dialects import ext

from .constraints import AnyType
from .loop import GROUPED
from .narrowing import AnyOp, Attributes, array, dense_entries, dictionary, integer, text
from .segments import LAUNCH_RUNS, run_fields


class Host(ext.Dialect, name="host"):
    """The dialect; load it through `dialects.context`."""


class Alloc(Host.Operation, name="alloc"):
    """A new uninitialized tensor of the result's layout (offset 0)."""

    buffer: ext.Result[AnyType]


class Reuse(Host.Operation, name="reuse"):
    """A tensor of the result's layout, uninitialized, in the memory of `donor`, all of whose bytes it takes. The donor is dead from here:
    only a launch whose `host.in_place` names both may still read it."""

    donor: ext.Operand[AnyType]
    buffer: ext.Result[AnyType]


class View(Host.Operation, name="view"):
    """The result's sizes, strides and offset over the storage of `base`."""

    base: ext.Operand[AnyType]
    view: ext.Result[AnyType]


class Launch(Host.Operation, name="launch"):
    """Runs the `loop.func` named `kernel` on `buffers` (inputs, then outputs, as its block arguments) with the values of
    `symbols` (an array of `#aten.expr`, as the kernel's).

    Discardable: `host.in_place`, pairs of operand numbers (flat): an input, and the output that lies in its memory. `host.group`,
    `[@group, n]`: this launch is part n of that `loop.group`. The launches of a group follow each other, in the order of its parts; a GPU
    runs them as one."""

    __annotations__ = run_fields("buffer", Sequence[ext.Operand[AnyType]], LAUNCH_RUNS)
    kernel: ir.FlatSymbolRefAttr
    symbols: ir.ArrayAttr


class Call(Host.Operation, name="call"):
    """Calls the operator `target` ("aten.mm.default") through PyTorch's dispatcher.

    `arguments`: one attribute for each schema argument, in order: `#aten.operand<N>` for tensor operand N (in arrays too), otherwise the
    attribute of the `aten` op. `reason`: why it is a call ("no lowering", "library"). Discardable: `host.into`, the number of the operand
    that the operator's `out` overload writes; there is no result then. `host.order`, the node's name, for a call that `verify-order` keeps
    in order.
    """

    __annotations__ = run_fields("tensor", Sequence[ext.Operand[AnyType]], LAUNCH_RUNS) | run_fields(
        "result", Sequence[ext.Result[AnyType]]
    )
    target: ir.StringAttr
    arguments: ir.ArrayAttr
    reason: ir.StringAttr


class Copy(Host.Operation, name="copy"):
    """`target.copy_(source)`: the epilogue that writes to a graph input."""

    target: ext.Operand[AnyType]
    source: ext.Operand[AnyType]


class Free(Host.Operation, name="free"):
    """Drops the function's reference to `buffer` after its last use."""

    buffer: ext.Operand[AnyType]


# On a call of control flow that native code makes, a dictionary, which `runtime/host/native_bodies.py` sets. `kind`:
# the operator; `bodies`: the symbols of the records of its bodies; `inputs`: what the operator takes, as in the call's `arguments`, the
# predicate of `cond` first, then what bodies take; `counts`: carried values and sliced tensors among them; `places`: the number of the
# call's result for each result of the operator; `in_place`: for each stacked result 1 if the body may write there.
CONTROL = "host.control"
# On launches and on calls; ORDER on an ordered call: the name of its node.
IN_PLACE, INTO, ORDER = "host.in_place", "host.into", "host.order"
GROUP = "host.group"
# On a graph: the numbers of the arguments whose memory it may reuse, and the results of `plan-memory`.
DONATED, MEMORY = "host.donated", "host.memory"


def in_place_pairs(launch: ir.OpView) -> list[tuple[int, int]]:
    """(input, output) for each output of a launch in the memory of an input, as operand numbers."""
    numbers = dense_entries(launch, IN_PLACE)
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def call_into(call: ir.OpView) -> int | None:
    """The number of the operand that a call writes its result to, if it does."""
    return integer(call.attributes[INTO]) if INTO in call.attributes else None


def argument_attributes(function: AnyOp) -> list[Attributes]:
    """The attributes of each argument of a graph."""
    if "arg_attrs" in function.attributes:
        return [dictionary(entry) for entry in array(function.attributes["arg_attrs"])]
    return [{} for _ in function.regions[0].blocks[0].arguments]


@dataclass(frozen=True, eq=False)
class GroupedLaunches:
    """The launches that one launch of the group `name` replaces. `buffers`: their operands, each once, in the order of first use."""

    name: str
    launches: list[ir.OpView]

    @property
    def buffers(self) -> list[ir.Value]:
        """The buffers that the group's launch takes."""
        return list(dict.fromkeys(v for op in self.launches for v in op.operands))

    @property
    def symbols(self) -> list[ir.Attribute]:
        """The values of the parts' symbols, in order."""
        return [s for op in self.launches for s in array(op.attributes["symbols"])]


def group_part(op: AnyOp) -> tuple[str, int] | None:
    """The group of a launch and the number of the part; None if the launch stands for itself."""
    if GROUP not in op.attributes:
        return None
    name, part = array(op.attributes[GROUP])
    return text(name), integer(part)


def grouped_launches(operations: Sequence[ir.OpView]) -> dict[int, GroupedLaunches]:
    """The grouped launches of a sequence, by the number of the first one."""
    found: dict[int, GroupedLaunches] = {}
    for number, op in enumerate(operations):
        part = group_part(op) if op.operation.name == "host.launch" else None
        if part is None:
            continue
        if part[1] == 0:
            last = found[number] = GroupedLaunches(part[0], [])
        last.launches.append(op)
    return found


def launch_count(operations: Sequence[ir.OpView]) -> int:
    """How many launches a sequence makes."""
    parts = [group_part(op) for op in operations if op.operation.name == "host.launch"]
    return sum(part is None or part[1] == 0 for part in parts)


def ungroup(module: ir.Module) -> None:
    """Makes each grouped launch of a module one that stands for itself."""
    for op in list(module.body.operations):
        if op.operation.name == "loop.group":
            op.operation.erase()
            continue
        if GROUPED in op.attributes:
            del op.attributes[GROUPED]
        launches = op.regions[0].blocks[0].operations if op.operation.name == "func.func" else ()
        for launch in [launch for launch in launches if GROUP in launch.attributes]:
            del launch.attributes[GROUP]
