"""The generated function of a `host` sequence: buffers, views, calls, symbols, errors. Kernels are Python functions here."""

import ctypes

import pytest
import torch
from mlirind.dialects.aten import TensorInfo, contiguous_strides, symbol
from mlirind.dialects.context import compile_context
from mlirind.dialects.segments import LAUNCH_RUNS, run_sizes_attr
from mlirind.runtime.host.python_runner import make_runner
from torch_mlir import ir

S0 = symbol("s0")


def tensor(*sizes, dtype="float32", strides=None, offset=0):
    """The text of a tensor type."""
    return str(TensorInfo(sizes, dtype, "cpu", strides or contiguous_strides(sizes), offset).type())


def runner(arguments, body, results, kernels=None, attributes=()):
    """The callable of a graph given as text; `arguments` and `results` are types (functions, as they need a context)."""
    with compile_context():
        names = ", ".join(f"%a{i}: {a()}{attributes[i] if i < len(attributes) else ''}" for i, a in enumerate(arguments))
        text = f"func.func @graph({names}) -> ({', '.join(r() for r in results)}) {{ {body()} }}"
        return make_runner(ir.Module.parse("".join(map(_kernel, kernels or {})) + text), kernels or {})


def _kernel(name):
    """The text of a kernel that has one output, for what the graph's function asks of it."""
    return f'"loop.func"() ({{}}) {{sym_name = "{name}", domain = affine_map<() -> ()>, symbols = [], outputs = 1}} : () -> ()\n'


def op(name, operands, results, attributes):
    """The text of a `host` operation. Operands and results: pairs of name and type."""
    sizes = [f"operandSegmentSizes = {run_sizes_attr([t for _, t in operands], LAUNCH_RUNS)}"]
    if name == "call":
        sizes.append(f"resultSegmentSizes = {run_sizes_attr([t for _, t in results])}")
    left = ", ".join(n for n, _ in results)
    types = f"({', '.join(t for _, t in operands)}) -> ({', '.join(t for _, t in results)})"
    given = ", ".join(n for n, _ in operands)
    return f"""{left}{" = " if left else ""}"host.{name}"({given}) {{{", ".join([attributes, *sizes])}}} : {types}"""


def launch(kernel, *operands, symbols=""):
    """The text of a `host.launch`."""
    return op("launch", operands, [], f"kernel = @{kernel}, symbols = [{symbols}]")


def call(target, arguments, operands, results):
    """The text of a `host.call`."""
    return op("call", operands, results, f'target = "{target}", arguments = [{arguments}], reason = "no lowering"')


def as_array(pointer, count):
    return (ctypes.c_float * count).from_address(pointer)


def test_views_calls_and_emptied_inputs():
    def body():
        view = tensor(3, 2, strides=(1, 3))
        return f"""
        %v = "host.view"(%a0) : ({tensor(2, 3)}) -> {view}
        {call("aten.sum.dim_IntList", "#aten.operand<0 : i64>, [0], false, #aten.none", [("%v", view)], [("%r", tensor(2))])}
        return %v, %r, %a0 : {view}, {tensor(2)}, {tensor(2, 3)}"""

    run = runner([lambda: tensor(2, 3)], body, [lambda: tensor(3, 2, strides=(1, 3)), lambda: tensor(2), lambda: tensor(2, 3)])
    whole = torch.arange(12.0).view(4, 3)
    x = whole[1:3]  # storage offset 3
    inputs = [x]
    view, total, same = run(inputs)
    assert inputs == [] and same is x
    assert view.data_ptr() == x.data_ptr() and torch.equal(view, x.t())
    assert torch.equal(total, x.sum(1))


def test_launch_reads_a_view_by_its_pointer_and_status_raises():
    calls = []

    def kernel(source, target):
        calls.append(source)
        for i in range(2):
            as_array(target, 2)[i] = as_array(source, 2)[i] * 10
        return 0 if as_array(source, 2)[0] >= 0 else 1

    def body():
        part = tensor(2, offset=2)
        return f"""
        %v = "host.view"(%a0) : ({tensor(4)}) -> {part}
        %b = "host.alloc"() : () -> {tensor(2)}
        {launch("mul_0", ("%v", part), ("%b", tensor(2)))}
        return %b : {tensor(2)}"""

    run = runner([lambda: tensor(4)], body, [lambda: tensor(2)], {"mul_0": kernel})
    x = torch.arange(4.0)
    assert run([x])[0].tolist() == [20.0, 30.0]
    assert calls == [x.data_ptr() + 8]
    with pytest.raises(IndexError, match="mul_0"):
        run([-x])


def test_other_strides_than_compiled_for_are_copied():
    def kernel(source, target):
        as_array(target, 4)[:] = as_array(source, 4)[:]
        return 0

    def body():
        return f"""
        %b = "host.alloc"() : () -> {tensor(2, 2)}
        {launch("clone_0", ("%a0", tensor(2, 2)), ("%b", tensor(2, 2)))}
        return %b : {tensor(2, 2)}"""

    run = runner([lambda: tensor(2, 2)], body, [lambda: tensor(2, 2)], {"clone_0": kernel})
    x = torch.arange(4.0).view(2, 2)
    assert torch.equal(run([x.t()])[0], x.t())


def test_symbols():
    def kernel(target, s0):
        as_array(target, s0)[:] = range(s0)
        return 0

    def body():
        buffer = tensor(S0 * 2, 3, strides=(3, 1))
        return f"""
        %b = "host.alloc"() : () -> {buffer}
        {launch("iota_0", ("%b", buffer), symbols='#aten.expr<"6*s0">')}
        return %b, %a0 : {buffer}, index"""

    result = [lambda: tensor(S0 * 2, 3, strides=(3, 1)), lambda: "index"]
    run = runner([lambda: "index"], body, result, {"iota_0": kernel}, [' {aten.symbol = "s0"}'])
    numbers, s0 = run([2])
    assert s0 == 2 and numbers.shape == (4, 3) and numbers.flatten().tolist() == list(range(12))


def test_symbols_bound_by_sizes():
    def body():
        flat = tensor(S0 * 3, strides=(1,))
        arguments = '#aten.operand<0 : i64>, [#aten.expr<"3*s0">]'
        return f"""
        {call("aten.view.default", arguments, [("%a0", tensor(S0, 3, strides=(3, 1)))], [("%r", flat)])}
        return %r : {flat}"""

    run = runner([lambda: tensor(S0, 3, strides=(3, 1))], body, [lambda: tensor(S0 * 3, strides=(1,))])
    assert run([torch.zeros(5, 3)])[0].shape == (15,)


def test_call_arguments():
    def body():
        whole, half = tensor(4, 2, dtype="int64"), tensor(2, 2, dtype="int64")
        zeros = '[4, 2], #aten.enum<"dtype", "int64">, #aten.enum<"layout", "strided">, #aten.enum<"device", "cpu">, #aten.none'
        return f"""
        {call("aten.zeros.default", zeros, [], [("%e", whole)])}
        {call("aten.split.Tensor", "#aten.operand<0 : i64>, 2, 0", [("%e", whole)], [("%s", half), ("%t", half)])}
        "host.free"(%e) : ({whole}) -> ()
        {call("aten.add.Tensor", "#aten.operand<0 : i64>, #aten.operand<1 : i64>, 2", [("%s", half), ("%a0", half)], [("%i", half)])}
        "host.copy"(%a0, %i) : ({half}, {half}) -> ()
        return %i : {half}"""

    half = lambda: tensor(2, 2, dtype="int64")  # noqa: E731
    run = runner([half], body, [half])
    x = torch.ones(2, 2, dtype=torch.int64)
    assert run([x])[0].tolist() == [[2, 2], [2, 2]] and x.tolist() == [[2, 2], [2, 2]]


def test_profiler_shows_the_graph_and_its_kernels():
    def body():
        return f"""
        %b = "host.alloc"() : () -> {tensor(2)}
        {launch("ones_0", ("%b", tensor(2)))}
        return %b : {tensor(2)}"""

    run = runner([], body, [lambda: tensor(2)], {"ones_0": lambda target: 0})
    run([])
    with torch.profiler.profile() as profile:
        run([])
    names = {event.key for event in profile.key_averages()}
    assert {"mlirind graph", "ones_0"} <= names
