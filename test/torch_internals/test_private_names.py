"""No private name of PyTorch stands outside of mlirind/torch_internals, but for those of a short list."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from mlirind.tools.boundary_table import every_entry

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("frontend", "dialects", "passes", "lowering", "runtime", "mlirind", "tools", "benchmarks")
BOUNDARY = ROOT / "mlirind" / "torch_internals"

# What counts as public, each with the reason in docs/design/torch_boundary.md.
PUBLIC = (
    "torch.ops", "torch._ops.OpOverload", "torch._ops.OperatorBase", "torch._ops.HigherOrderOperator", "torch._dynamo.reset",
    "torch._dynamo.config", "torch._dynamo.mark_dynamic", "torch.utils._python_dispatch.TorchDispatchMode",
    "torch._inductor.aoti_compile_and_package", "torch._inductor.aoti_load_package",
)  # fmt: skip
# Private names of others than PyTorch, or that only look private.
OTHERS = {"_getframe", "_actions", "_CAPIPtr"}
# Parts of PyTorch that are private without an underscore.
WORDS = ("__wrapped__", "py_kernels", "fw_metadata", "bw_donated_idxs", "static_input_indices", "guards_context", "grapharg")
PRIVATE = re.compile("|".join((r"_(?!_)\w*", *WORDS)))
IN_TEXT = re.compile(r"torch(\.\w+)*\._[a-zA-Z]\w*(\.\w+)*")
# Functions that find a name by a text.
BY_TEXT = {
    "getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller", "getattr_static", "__getattribute__", "__getattr__",
    "__setattr__", "import_module", "__import__", "resolve_name",
}  # fmt: skip
PACKAGES = ("torch", "functorch")
# The arguments of `auto_functionalized_v2`, which `frontend/calls/functional_calls.py` reads: part of that entry.
KEYS = {"_all_bases", "_base_index", "_alias", "_size", "_stride", "_storage_offset", "_slice_dim", "_slice_start", "_slice_end"}


def is_refused(name: str) -> bool:
    """Whether a dotted name from `torch` on has a private part and is not public."""
    if any(name == public or name.startswith(public + ".") for public in PUBLIC):
        return False
    return any(PRIVATE.fullmatch(part) for part in name.split("."))


class Names(ast.NodeVisitor):
    """The private names of PyTorch in a module. `own`: names that the project defines."""

    def __init__(self, own: set[str]) -> None:
        self.own = own | OTHERS
        self.known = {"torch": "torch"}
        self.texts: dict[str, str] = {}
        self.by_text = set(BY_TEXT)
        self.found: list[tuple[int, str]] = []

    def note(self, line: int, name: str) -> None:
        if is_refused(name):
            self.found.append((line, name))

    def note_part(self, line: int, text: str) -> None:
        """Notes a text that stands for a name, or for a dotted path of names."""
        if any(PRIVATE.fullmatch(part) and part not in self.own for part in text.split(".")):
            self.found.append((line, text))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.split(".")[0] in PACKAGES:
                self.note(node.lineno, alias.name)
                self.known[alias.asname or "torch"] = alias.name if alias.asname else "torch"

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name in BY_TEXT:
                self.by_text.add(alias.asname or alias.name)
            if "torch_internals" in (node.module or "") and PRIVATE.fullmatch(alias.name):
                self.found.append((node.lineno, alias.name))
            if node.level == 0 and (node.module or "").split(".")[0] in PACKAGES:
                self.note(node.lineno, f"{node.module}.{alias.name}" if alias.name != "*" else f"{node.module}._all")
                self.known[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_Assign(self, node: ast.Assign) -> None:
        name, text = self.dotted(node.value), self.text(node.value)
        if isinstance(node.targets[0], ast.Name):  # `aten = torch.ops.aten`
            self.known.update({node.targets[0].id: name} if name is not None else {})
            self.texts.update({node.targets[0].id: text} if text is not None else {})
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.dotted(node)
        if name is not None:
            self.note(node.lineno, name)
            if node.attr in ("__dict__", "__getattr__"):
                self.found.append((node.lineno, name))
            return
        if PRIVATE.fullmatch(node.attr) and node.attr not in self.own:
            self.found.append((node.lineno, node.attr))
        self.generic_visit(node)

    def dotted(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        inner = self.dotted(node.value) if isinstance(node, ast.Attribute) else None
        return None if inner is None or not isinstance(node, ast.Attribute) else f"{inner}.{node.attr}"

    def text(self, node: ast.expr) -> str | None:
        """The text that an expression gives, as far as it is known from its beginning on."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, str) else None
        if isinstance(node, ast.Name):
            return self.texts.get(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.text(node.left), self.text(node.right)
            return None if left is None else left + (right or "")
        return self.text(node.values[0]) if isinstance(node, ast.JoinedStr) and node.values else None

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        dotted = [self.dotted(a) for a in node.args]
        if called == "vars" and dotted[:1] != [None]:
            self.found.append((node.lineno, f"vars({dotted[0]})"))
        if called in self.by_text and not any(name is not None and not is_refused(f"{name}._x") for name in dotted):
            for text in filter(None, map(self.text, node.args)):
                self.note_part(node.lineno, text)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        text = self.text(node.slice)
        if text is not None and text not in KEYS:
            self.note_part(node.lineno, text)
        self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        for name in node.kwd_attrs:
            self.note_part(node.cls.lineno, name)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            for match in IN_TEXT.finditer(node.value):
                self.note(node.lineno, match.group())


def defined(trees: Iterable[ast.AST]) -> set[str]:
    """The names that code defines: functions, classes, variables, attributes, keys of dicts."""
    found = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.Dict):
            found |= {key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Constant):
            found.add(node.slice.value)
    return found


def private_names(text: str, own: set[str]) -> list[tuple[int, str]]:
    """The lines and names of a module's private names of PyTorch."""
    names = Names(own)
    names.visit(ast.parse(text))
    return names.found


def files() -> Iterator[Path]:
    return (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py") if BOUNDARY not in path.parents)


def test_no_private_name_stands_outside_of_the_boundary():
    texts = {path.relative_to(ROOT): path.read_text() for path in files()}
    own = defined(map(ast.parse, texts.values())) - set(WORDS)
    found = [f"{path}:{line} {name}" for path, text in texts.items() for line, name in private_names(text, own)]
    assert len(texts) > 300 and found == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("import torch\ntorch._C._cuda_getDevice()", "torch._C._cuda_getDevice"),
        ("from torch._guards import detect_fake_mode", "torch._guards.detect_fake_mode"),
        ("import torch._inductor.config as config", "torch._inductor.config"),
        ("from torch import _dynamo as d\nd.utils.counters", "torch._dynamo"),
        ("from torch.fx import _lazy_graph_module", "torch.fx._lazy_graph_module"),
        ("from torch import fx\nfx._pytree", "torch.fx._pytree"),
        ("def f(x): return x.untyped_storage()._cdata", "_cdata"),
        ("def f(x): return getattr(x, '_schema')", "_schema"),
        ("import operator\nf = operator.attrgetter('_version')", "_version"),
        ("def f(x): return x.__wrapped__", "__wrapped__"),
        ("def f(x): return getattr(x, 'fw_metadata', None)", "fw_metadata"),
        ("name = 'torch._C._nn.gelu'", "torch._C._nn.gelu"),
        ("import torch as t\nt._C", "torch._C"),
        ("import torch\nT = torch\nT._C.x", "torch._C.x"),
        ("import torch\nfor m in (torch,): m._C", "_C"),
        ("import torch\ngetattr(torch, '_C')._cuda_getDevice()", "_C"),
        ("import torch\ngetattr(getattr(torch, 'fx'), '_compatibility')", "_compatibility"),
        ("import torch\nname = '_' + 'C'\ngetattr(torch, name)", "_C"),
        ("import torch\ndef f(x): return getattr(torch, f'_{x}')", "_"),
        ("import torch\nx = vars(torch)['_C']", "vars(torch)"),
        ("import torch\nx = torch.__dict__['_C']", "torch.__dict__"),
        ("import sys\nm = sys.modules['torch._C']", "torch._C"),
        ("m = __import__('torch._C')", "torch._C"),
        ("import importlib\nm = importlib.import_module('torch._inductor')", "torch._inductor"),
        ("import importlib\nm = importlib.import_module('._inductor', 'torch')", "._inductor"),
        ("import importlib\nm = importlib.import_module('torch.' + '_inductor')", "torch._inductor"),
        ("import pkgutil\nf = pkgutil.resolve_name('torch._C:_cuda_getDevice')", "torch._C"),
        ("from torch import *", "torch._all"),
        ("from functorch import _src", "functorch._src"),
        ("import operator\nf = operator.attrgetter('_C._cuda_getDevice')", "_C._cuda_getDevice"),
        ("import operator\nf = operator.methodcaller('_is_view')", "_is_view"),
        ("from operator import attrgetter as g\nf = g('_version')", "_version"),
        ("def f(x): return object.__getattribute__(x, '_cdata')", "_cdata"),
        ("def f(x): return type(x).__dict__['_schema']", "_schema"),
        ("import inspect\nf = inspect.getattr_static(x, '_schema')", "_schema"),
        ("def f(x):\n  match x:\n    case Tensor(_version=v): return v", "_version"),
        ("eval('torch._C')", "torch._C"),
        ("from ..torch_internals.aot import _TracingContext", "_TracingContext"),
    ],
)
def test_a_planted_name_is_found(text, name):
    assert name in [found for _, found in private_names(text, {"_own"})]


def test_public_names_and_own_ones_are_not():
    text = """import torch
aten = torch.ops.aten
aten._to_copy.default
getattr(aten, "_to_copy")
torch._dynamo.reset()
def f(x, given): return x._own, x.__name__, given["_all_bases"], getattr(x, "_own"), "_to_copy"
"""
    assert private_names(text, {"_own"}) == []


# What stands in the boundary without an entry of its own, with what looks at it first.
COVERED = {
    "torch._subclasses.fake_tensor": "the name of a logger",
    "torch._C": "a prefix of entries",
    "torch._C.DispatchKey": "a prefix of entries",
    "_ZN3c104impl28tls_is_dispatch_key_excludedENS_11DispatchKeyE": "c10's switch of a thread's dispatch keys",
    "_ZN3c104impl29tls_set_dispatch_key_excludedENS_11DispatchKeyEb": "c10's switch of a thread's dispatch keys",
    "_ZN2at6native7cpublas6brgemmEllllllb": "libtorch's brgemm",
    "_ZN2at6native7cpublas14brgemm_releaseEb": "libtorch's brgemm",
    "_ZN2at6native7cpublas10could_packEN3c1010ScalarTypeE": "libtorch's brgemm",
    "_sym_": "torch._sym_sqrt",
    "_torchdynamo_orig_callable": "_torchdynamo_orig_callable of torch.compiler.disable's functions",
    "torch._functorch._aot_autograd.runtime_wrappers": "a prefix of entries",
    "__wrapped__": "AOTAutograd's wrappers",
    "fw_metadata": "torch._guards.TracingContext: getattr with a default",
    "bw_donated_idxs": "torch._guards.TracingContext: getattr with a default",
    "static_input_indices": "torch._guards.TracingContext: getattr with a default",
    "_op_impls": "torch.library._impls: getattr with a default",
    "guards_context": "torch._dynamo.source.GlobalStateSource",
    "torch._dynamo.backends.mlirind": "the name of a logger",
    "torch._logging._internal.log_registry": "log_names.py, inside `try`",
    "torch._logging._internal.log_registry.is_artifact": "log_names.py, inside `try`",
    "torch._logging._internal.log_registry.is_log": "log_names.py, inside `try`",
    "torch._logging._internal.register_artifact": "log_names.py, inside `try`",
}


def test_what_the_boundary_uses_has_an_entry():
    """By its whole name, or by the name of an attribute that an entry has looked up."""
    texts = [path.read_text() for path in BOUNDARY.glob("*.py")]
    own = defined(map(ast.parse, texts)) - set(WORDS)
    used = {name for text in texts for _, name in private_names(text, own)}
    entries = {entry.name for entry in every_entry()}
    known = {*entries, *(name.rpartition(".")[2] for name in entries), *COVERED}
    assert sorted(used - known) == [] and sorted(COVERED.keys() - used) == []


def test_the_page_names_what_is_public():
    page = (ROOT / "docs" / "design" / "torch_boundary.md").read_text()
    assert [name for name in PUBLIC if f"`{name}`" not in page] == []
