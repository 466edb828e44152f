"""`reinplace-kernels`: a kernel writes the graph input that a `copy_` stores its result into, if that is proved safe, and the copy is
erased.

It does after fusion what `reinplace` does for operators: the kernel's result is marked as an update of the input (`aten.inplace`).
"""

from __future__ import annotations

import graphlib

from torch_mlir import ir

from ...dialects import aten_ops
from ...dialects.aten import TensorInfo, size_attr
from ...dialects.narrowing import integers, text
from ...passes.analysis.alias_analysis import functions_with_body, marked, memory_of
from ...passes.analysis.inplace_rules import MARK
from ...passes.analysis.memory_overlap import has_internal_overlap
from ...passes.registry import register_pass
from ...passes.reinplace import REFUSED
from ...passes.rewrite_limit import LIMIT_REACHED, may_rewrite
from ...passes.value_names import names_of_results
from ...passes.verify.verify_functional import EPILOGUE_OP
from ...passes.verify.verify_inplace import OTHER_LAYOUT, Contents, Write
from ..kernel.kernel_body import read_body
from .fuse_kernels import write_kernel


def reinplace_kernels(module: ir.Module) -> None:
    """Marks what can be marked in every function of the module, in the order of the copies."""
    for function in functions_with_body(module):
        if any(op.operation.name == EPILOGUE_OP for op in function.regions[0].blocks[0].operations):
            _Marker(function).run()


class _Marker:
    """`updates`: by position of the kernel, then by number of the result, the input that the result overwrites. `earlier`: likewise, the
    numbers of the results that must be stored before it."""

    def __init__(self, function: ir.OpView) -> None:
        self.contents = Contents(function)
        self.positions = {r: position for position, op in enumerate(self.contents.operations) for r in op.results}
        self.marked = [(position, r, v) for position, op in enumerate(self.contents.operations) for r, v in marked(op)]
        self.updates: dict[int, dict[int, ir.Value]] = {}
        self.earlier: dict[int, dict[int, set[int]]] = {}

    def run(self) -> None:
        copies = [
            op for op in self.contents.operations if op.operation.name == EPILOGUE_OP and isinstance(op.operands[0], ir.BlockArgument)
        ]
        for copy in copies:
            result = memory_of(copy.operands[1])
            if not isinstance(result, ir.OpResult) or result.owner.name != "loop.kernel":
                continue
            refused = self._refused(copy, result)
            refused = refused or (None if may_rewrite("write in place", result.owner) else LIMIT_REACHED)
            if refused:
                copy.attributes[REFUSED] = ir.DictAttr.get({"0": ir.StringAttr.get(refused)})
                continue
            self.updates.setdefault(self.positions[result], {})[result.result_number] = self._current(
                copy.operands[0], self.positions[result]
            )
            self.contents.merge(result, copy.operands[0])
        # Last first: a kernel may overwrite a result of an earlier one, which is rewritten too.
        for position in sorted(self.updates, reverse=True):
            _write(self.contents.operations[position], self.updates[position], _order(self.earlier.get(position, {})))

    def _refused(self, copy: ir.OpView, result: ir.OpResult) -> str | None:
        """The reason why a kernel must not write the input that its result is copied to; None if it may."""
        contents, (target, source), position = self.contents, copy.operands, self.positions[result]
        kernel = contents.operations[position]
        if result.type != target.type or source.type != target.type:
            return OTHER_LAYOUT
        if has_internal_overlap(TensorInfo.of(target.type)):
            return "elements of the operand share memory"
        if ir.BlockArgument(target).arg_number in contents.shared_arguments:
            return "another graph input shares the operand's storage"
        if contents.aliases.escapes(result) or contents.aliases.escapes(target):
            return "the caller gets the result, and has or gets the operand's memory"
        if len([c for c in target.uses if c.owner.name == EPILOGUE_OP and c.operand_number == 0]) > 1:
            return "the input is written more than once"
        if contents.is_read_after(result, contents.epilogues[target]):
            return "the result is read after the copy_ onto the input"
        write = Write(position, contents.aliases.root(target), TensorInfo.of(target.type))
        reader = next(contents.stale_reads(write), None)
        if reader is not None:
            return f"{_name(reader)} reads the old value later"
        return self._kernel_problem(kernel, result, target, write)

    def _kernel_problem(self, kernel: ir.OpView, result: ir.OpResult, target: ir.Value, write: Write) -> str | None:
        """The reason, by the kernel's reads and kept values, why it must not write an input; None if it may."""
        contents, position = self.contents, write.position
        current = self._current(target, position)
        if current.type != target.type:
            return "a part of the input is written before"
        kept = _kept(kernel, result.result_number)
        if kept is not None and kept != current:
            return "the kernel keeps elements of another tensor"
        touched = [n for n, v in enumerate(kernel.operands) if contents.touches(write, v)]
        accesses = contents.accesses(position)
        if accesses.may_fail:
            return "the kernel may fail"
        if any(kernel.operands[n].type != target.type or not contents.aliases.certain(kernel.operands[n]) for n in touched):
            return "the kernel reads other elements than the one that it writes"
        problem = accesses.update_problem(result.result_number, touched)
        return problem or self._order_problem(position, result.result_number, touched)

    def _order_problem(self, position: int, result: int, touched: list[int]) -> str | None:
        """The reason why no order of stores lets each result read the old elements that it needs; None if there is one, which is then
        recorded."""
        earlier = self.earlier.get(position, {}) | {result: self.contents.accesses(position).readers(result, touched)}
        try:
            _order(earlier)
        except graphlib.CycleError:
            return "results of the kernel depend on what each other replaces"
        self.earlier[position] = earlier
        return None

    def _current(self, target: ir.Value, position: int) -> ir.Value:
        """The value that holds an input's memory at `position`: the input, or the last value written into it."""
        root, found = self.contents.aliases.root(target), target
        for at, result, operand in self.marked:
            if at < position and self.contents.aliases.root(operand) == root:
                found = result
        return found


def _kept(kernel: ir.OpView, result: int) -> ir.Value | None:
    """The operand that the result starts as (`updates`): it keeps the elements that the kernel does not store. None if the kernel stores
    all."""
    number = integers(kernel.attributes["updates"])[result]
    return kernel.operands[number] if number >= 0 else None


def _name(op: ir.OpView) -> str:
    return text(op.attributes["kernel_name"]) if op.operation.name == "loop.kernel" else aten_ops.pytorch_name(op)


def _order(earlier: dict[int, set[int]]) -> list[int]:
    """The results that overwrite inputs, in the order of their stores. Raises `graphlib.CycleError`."""
    return list(graphlib.TopologicalSorter({n: before & earlier.keys() for n, before in earlier.items()}).static_order())


def _write(op: ir.OpView, updates: dict[int, ir.Value], order: list[int]) -> None:
    """Replaces the kernel by one that updates inputs. An updated input is a further operand, also if the kernel loads from the same tensor.
    The updating stores come last, in `order`."""
    kept = [(_kept(op, n), v) for n, v in updates.items()]
    assert all(had is None or had == v for had, v in kept), "a result keeps the elements that it had"
    kernel = read_body(op)
    kernel.steps.sort(key=lambda step: order.index(step.buffer) + 1 if step.name == "loop.store" and step.buffer in order else 0)
    entries = [(v, n) for n, v in enumerate(op.operands)] + [(v, -1) for v in updates.values()]
    entries.sort(key=lambda entry: str(entry[0].type))
    numbers = {n: at for at, (_, n) in enumerate(entries) if n >= 0}
    for step in kernel.steps:
        if step.name == "loop.load":
            step.buffer = numbers[step.buffer]
    before = integers(op.attributes["updates"])
    given = {v: at for at, (v, n) in enumerate(entries) if n < 0}
    after = [given[updates[n]] if n in updates else numbers[u] if u >= 0 else -1 for n, u in enumerate(before)]
    made = write_kernel(kernel, [v for v, _ in entries], [r.type for r in op.results], after, op)
    for name, attribute in names_of_results(op).items():
        made.attributes[name] = attribute
    marked = [numbers[n] for n in integers(op.attributes[MARK])] if MARK in op.attributes else []
    made.attributes[MARK] = ir.ArrayAttr.get([size_attr(n) for n in sorted([*marked, *given.values()])])
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.operation.erase()


register_pass("reinplace-kernels", reinplace_kernels)
