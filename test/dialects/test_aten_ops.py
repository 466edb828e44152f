"""The operators of `aten`: names, the table on disk, creating ops and reading their arguments."""

import re
import subprocess
import sys

import pytest
import torch
from mlirind.dialects import aten, aten_ops, aten_registry, aten_table
from mlirind.dialects.aten import TensorInfo
from mlirind.dialects.aten_names import mangle
from mlirind.dialects.context import compile_context, new_context
from torch_mlir import ir

ROW = TensorInfo((2, 3), "float32", "cpu", (3, 1))


def registered_names():
    for name in torch._C._dispatch_get_all_op_names():
        namespace, _, rest = name.partition("::")
        base, _, overload = rest.partition(".")
        yield f"{namespace}.{base}.{overload or 'default'}"


def test_names_are_injective_over_the_registry():
    names = list(registered_names())
    mangled = [mangle(n) for n in names]
    assert len(names) > 3000
    assert len(set(mangled)) == len(set(names))
    assert all(re.fullmatch(r"aten\.[a-z](_?[a-z0-9])*_?", m) for m in mangled)


ALIKE = [
    "aten.add.Tensor", "aten.add.tensor", "aten.add_tensor.default", "aten.add_.Tensor", "aten._add.Tensor", "aten.add_inplace.Tensor",
    "aten.lib_x_add.Tensor", "x.add.Tensor", "lib.x_add.Tensor", "aten.u_add.Tensor", "aten.add__.Tensor", "aten.Add.Tensor",
]  # fmt: skip


def test_names_differ_where_a_careless_mangling_would_join_them():
    assert len({mangle(n) for n in ALIKE}) == len(ALIKE)


@pytest.mark.parametrize(
    ("name", "op_name"),
    [
        ("aten.add.Tensor", "aten.add_tensor"),
        ("aten.permute.default", "aten.permute"),
        ("aten.sum.dim_IntList", "aten.sum_dim_intlist"),
        ("aten.copy_.default", "aten.copy_"),
        ("aten._softmax.default", "aten.u_softmax"),
        ("aten.scalar_tensor.default", "aten.scalar_tensor"),
        ("prims.convert_element_type.default", "aten.lib_prims_convert_element_type"),
    ],
)
def test_plain_names(name, op_name):
    assert mangle(name) == op_name


def graph(signature: str = "%a: T, %b: T") -> tuple[ir.Module, ir.Block]:
    text = f"func.func @graph({signature}) {{ return }}".replace("T", str(ROW.type()))
    module = ir.Module.parse(text)
    return module, module.body.operations[0].regions[0].blocks[0]


def last_but_return(module):
    return list(module.body.operations[0].regions[0].blocks[0].operations)[-2]


def plain(arguments, values):
    """Arguments with each value as its index in `values`."""
    index = {v: i for i, v in enumerate(values)}

    def one(x):
        return [one(e) for e in x] if isinstance(x, list) else f"%{index[x]}" if isinstance(x, ir.Value) else x

    return {name: one(x) for name, x in arguments.items()}


NUMBER = 2.5  # where a tensor is expected, an index into the graph's arguments otherwise
CASES = [
    ("aten.add.Tensor", {"self": 0, "other": 1, "alpha": 2.5}, 1),
    ("aten.add.Tensor", {"self": 0, "other": NUMBER, "alpha": 1}, 1),
    ("aten.sum.dim_IntList", {"self": 0, "dim": [0, 1], "keepdim": True, "dtype": "float64"}, 1),
    ("aten.sum.dim_IntList", {"self": 0, "dim": None, "keepdim": False, "dtype": None}, 1),
    ("aten.index_put.default", {"self": 0, "indices": [None, 1, None], "values": 1, "accumulate": False}, 1),
    ("aten.native_layer_norm.default", {"input": 0, "normalized_shape": [3], "weight": None, "bias": 1, "eps": 1e-05}, 3),
    ("aten.cat.default", {"tensors": [0, 1, 0], "dim": 1}, 1),
    ("aten.clamp.Tensor", {"self": 0, "min": None, "max": 1}, 1),
    ("aten.mul.Scalar", {"self": 0, "other": 1 + 2j}, 1),
    ("aten.fill.Scalar", {"self": 0, "value": 2**64 - 1}, 1),
    ("aten.fill.Scalar", {"self": 0, "value": True}, 1),
    ("aten.arange.default", {"end": aten.symbol("s0") * 2, "dtype": None, "layout": "strided", "device": "cpu", "pin_memory": None}, 1),
    ("aten.expand.default", {"self": 0, "size": [2, aten.symbol("s0")], "implicit": False}, 1),
    ("aten.constant_pad_nd.default", {"self": 0, "pad": [0, 1], "value": float("-inf")}, 1),
]


@pytest.mark.parametrize(("name", "arguments", "results"), CASES)
def test_arguments_survive_the_op_and_its_text(name, arguments, results):
    with compile_context():
        module, block = graph()
        values = list(block.arguments)
        tensors = {a.name for a in aten_registry.schema_by_name(mangle(name)).tensors}

        def value(x):
            return [value(e) for e in x] if isinstance(x, list) else values[x] if isinstance(x, int) else x

        given = {k: value(v) if k in tensors else v for k, v in arguments.items()}
        aten_ops.create(name, given, [ROW.type()] * results, ip=ir.InsertionPoint(block.operations[0]))
        assert module.operation.verify()
        again = ir.Module.parse(str(module))
        assert str(again) == str(module)
        want = plain(given, values)
        for op in (last_but_return(module), last_but_return(again)):
            assert aten_ops.pytorch_name(op) == name
            got = plain(aten_ops.arguments(op), op.operation.block.arguments)
            assert got == want
            assert [type(v) for v in got.values()] == [type(v) for v in want.values()]


def test_defaults_are_written():
    with compile_context():
        module, block = graph()
        ip = ir.InsertionPoint(block.operations[0])
        op = aten_ops.create("aten.add.Tensor", {"self": block.arguments[0], "other": block.arguments[1]}, [ROW.type()], ip=ip)
        assert aten_ops.arguments(op)["alpha"] == 1
        with pytest.raises(TypeError, match="'other' is missing"):
            aten_ops.create("aten.add.Tensor", {"self": block.arguments[0]}, [ROW.type()], ip=ip)
        assert module.operation.verify()


def test_list_results():
    with compile_context():
        module, block = graph()
        ip = ir.InsertionPoint(block.operations[0])
        op = aten_ops.create("aten.split.Tensor", {"self": block.arguments[0], "split_size": 1}, [[ROW.type()] * 3], ip=ip)
        assert [len(r) for r in aten_ops.results(op)] == [3]
        op = aten_ops.create("aten.topk.default", {"self": block.arguments[0], "k": 1}, [ROW.type()] * 2, ip=ip)
        assert len(aten_ops.results(op)) == 2
        assert module.operation.verify()


def test_every_operator_with_tensors_is_in_the_table():
    """What is left out has arguments that no graph of tensors can hold."""
    missing = [n for n in registered_names() if n.startswith("aten.") and aten_registry.schema_by_name(mangle(n)) is None]
    assert all(re.search(r"Storage|Stream|CellParamsBase|Dict|QScheme|\[\]\?", schema_text(n)) for n in missing), missing
    assert len(missing) < 25


def schema_text(name):
    namespace, base, overload = name.split(".")
    return str(torch._C._get_schema(f"{namespace}::{base}", "" if overload == "default" else overload))


def test_a_custom_operator_is_declared_where_a_graph_uses_it():
    with torch.library._scoped_library("mlirind_test", "FRAGMENT") as library:
        library.define("scale(Tensor x, float by, int[]? dims=None) -> Tensor")
        for _ in range(2):
            use_custom_operator(torch.ops.mlirind_test.scale.default)


def test_an_operator_defined_anew_with_another_schema_is_unknown():
    found = []
    for schema in ("again(Tensor x) -> Tensor", "again(Tensor x) -> Tensor", "again(Tensor x, int n) -> Tensor"):
        with torch.library._scoped_library("mlirind_test", "FRAGMENT") as library, compile_context():
            library.define(schema)
            found.append(aten_ops.declare(torch.ops.mlirind_test.again.default))
    assert found[0] is not None and found[0] == found[1]
    assert found[2] is None


def use_custom_operator(operator):
    """In a new context, which has to declare it again."""
    with new_context(), ir.Location.unknown():
        assert aten_ops.declare(operator).name == "mlirind_test.scale.default"
        assert aten_ops.declare(operator).op_name == "aten.x_mlirindzutestzdscalezddefault"
        module, block = graph()
        ip = ir.InsertionPoint(block.operations[0])
        op = aten_ops.create("mlirind_test.scale.default", {"x": block.arguments[0], "by": 2}, [ROW.type()], ip=ip)
        assert module.operation.verify()
        assert aten_ops.arguments(op)["by"] == 2.0
        assert str(ir.Module.parse(str(module))) == str(module)


def test_a_walk_makes_no_failed_imports(monkeypatch):
    """A namespace whose module the bindings can't find costs a failed import at every op, type and attribute."""
    attempts = []
    finder = type("Finder", (), {"find_spec": staticmethod(lambda name, *rest: attempts.append(name))})
    with compile_context():
        module = ir.Module.parse(EFFECTS.replace("T", str(ROW.type())))
        monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
        for op in module.body.operations[0].regions[0].blocks[0].operations:
            str(op.operation.name)
            [v.type.encoding.strides for v in op.operands]
            [op.operation.attributes[n] for n in op.operation.attributes]
        assert attempts == []
        with pytest.raises(ModuleNotFoundError):
            __import__("no_such_module")
        assert attempts == ["no_such_module"]


def test_reading_the_table_imports_no_torch():
    code = "import sys; from mlirind.dialects import context; context.new_context(); assert 'torch' not in sys.modules"
    aten_table.read_table()
    subprocess.run([sys.executable, "-P", "-c", code], check=True, timeout=60)


def test_the_table_is_made_again_where_the_cache_is_broken(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))  # the user's own may know operators of packages that are not imported here
    whole = aten_table.read_table()
    assert "aten.add_tensor" in whole[0]
    (file,) = (tmp_path / "operators").iterdir()
    content = file.read_bytes()
    place = content.index(b"aten.add_tensor")
    for damaged in (content[:1000], content.replace(b"aten.add_tensor", b"aten.bdd_tensor"), content[:place]):
        file.write_bytes(damaged)
        assert aten_table.read_table()[0].items() >= whole[0].items()
    assert file.read_bytes()[:place] == content[:place]
    monkeypatch.setenv("MLIRIND_CACHE_DIR", "/proc/not-writable")
    assert aten_table.read_table()[0].items() >= whole[0].items()


LIKE = "dtype = #aten.none, layout = #aten.none, device = #aten.none, pin_memory = #aten.none, memory_format = #aten.none"
EFFECTS = f"""func.func @f(%a: T, %b: T) -> (T, T, T, T) {{
  %0 = "aten.relu"(%a) : (T) -> T
  %1 = "aten.copy_"(%a, %b) {{non_blocking = false}} : (T, T) -> T
  %2 = "aten.relu"(%a) : (T) -> T
  %3 = "aten.rand_like"(%a) {{{LIKE}}} : (T) -> T
  %4 = "aten.rand_like"(%a) {{{LIKE}}} : (T) -> T
  %5 = "aten.clone"(%a) {{memory_format = #aten.none}} : (T) -> T
  "aten.u_assert_async_msg"(%a) {{assert_msg = "m"}} : (T) -> ()
  return %0, %2, %3, %4 : T, T, T, T
}}"""


def test_effects_keep_upstream_passes_right():
    from torch_mlir.passmanager import PassManager

    with compile_context():
        module = ir.Module.parse(EFFECTS.replace("T", str(ROW.type())))
        PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
        text = str(module)
        assert text.count("aten.relu") == 2  # not merged across the write
        assert text.count("aten.rand_like") == 2
        assert "aten.clone" not in text and "aten.copy_" in text and "aten.u_assert_async_msg" in text
