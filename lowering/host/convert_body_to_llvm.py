"""`convert-body-to-llvm`: the launch sequence of a body of `cond`, `while_loop`, `scan` or `map` becomes a function that native code calls.

`mlirind_run(record, thread state, inputs, results) -> status` takes and returns handles; `control_flow.mlir` describes it.
"""

from __future__ import annotations

from torch_mlir import ir

from ...dialects.aten import outputs_of
from ...errors import UnsupportedGraph
from ...passes.registry import register_pass
from ...torch_internals.layout import ENTRY
from .convert_host_to_llvm import CALLABLES, Conversion
from .emitter import Emitter
from .host_function import HostFunction

# On the module: an integer for each result of the body, 1 if the caller may provide its memory.
GIVEN = "host.given"
EXCEPTION, AGAIN = 1, 2  # statuses: a Python exception is set; Python has to repeat the operator


class _Body(HostFunction):
    @staticmethod
    def new_emitter(module: ir.Module) -> Emitter:
        return Emitter(module, ENTRY, 4, "i")

    def kernel_failed(self, status: ir.Value, number: ir.Value) -> None:
        self._leave(AGAIN)

    def fail(self) -> None:
        self._leave(EXCEPTION)

    def leave_with(self, status: int, outputs: list[int]) -> None:
        """Emits the end of the function: the results get the tensors of these words."""
        emitter = self.emitter
        self.leave()
        numbers = [emitter.numbers(outputs or [0]), emitter.integer(len(outputs)), emitter.arguments[3]]
        emitter.call_procedure("mlirind_host_leave", "pplppl:", [self.frame.base, *numbers, *self.owned()])
        emitter.return_(emitter.integer(status, emitter.i32))

    def _leave(self, status: int) -> None:
        self.leave_with(status, [])


class _BodyConversion(Conversion):
    f: _Body

    def new_function(self, module: ir.Module, written: set[ir.Value]) -> HostFunction:
        return _Body(module, self.block.arguments, written)

    def releases(self) -> dict[int, list[ir.BlockArgument]]:
        return {}  # inputs are the caller's

    def read_inputs(self) -> None:
        assert not self.taken, "a body may not reuse the memory of its inputs"
        f, emitter = self.f, self.f.emitter
        record, state, inputs, results = emitter.arguments
        emitter.call_procedure("mlirind_host_enter", "pppp:", [f.frame.base, record, state, inputs])
        words = []
        for value in self._allocated():
            if value is not None and value not in self.given:
                self.given[value] = f.slot(value, 1)
                words.append(self.given[value])
            else:
                words.append(-1)
        self.takes = [word >= 0 for word in words]
        operands = [f.frame.base, results, emitter.numbers(words or [0]), emitter.integer(len(words))]
        emitter.call_procedure("mlirind_host_given", "pppl:", operands)
        self.enter_device()

    def _allocated(self) -> list[ir.Value | None]:
        """For each result the value that the graph allocates for it, in the layout of its type; None if it is made otherwise."""
        returned = list(self.block.operations)[-1]
        return [_allocation(value) if isinstance(value, ir.Value) else None for value in outputs_of(self.graph, returned.operands)]

    def return_outputs(self, op: ir.OpView) -> None:
        outputs = outputs_of(self.graph, op.operands)
        if not all(isinstance(o, ir.Value) and isinstance(o.type, ir.RankedTensorType) for o in outputs):
            raise UnsupportedGraph("a body that returns more than tensors")
        words = [self.f.handle(o) for o in outputs if isinstance(o, ir.Value)]
        self.f.flush()
        self.f.leave_with(0, words)


def _allocation(value: ir.Value) -> ir.Value | None:
    """The `host.alloc` of a value, if it has the value's type."""
    made = value
    while isinstance(made, ir.OpResult) and made.owner.name == "host.reuse":
        made = made.owner.operands[0]
    is_own = isinstance(made, ir.OpResult) and made.owner.name == "host.alloc" and made.type == value.type
    return made if is_own else None


def convert_body_to_llvm(module: ir.Module) -> None:
    """Replaces the function `@graph` by the native one."""
    conversion = _BodyConversion(module)
    module.operation.attributes[CALLABLES] = conversion.run()
    module.operation.attributes[GIVEN] = ir.DenseI64ArrayAttr.get([int(taken) for taken in conversion.takes])
    conversion.graph.operation.erase()


register_pass("convert-body-to-llvm", convert_body_to_llvm)
