"""No private name of PyTorch stands outside of mlirind/torch_internals, but for those of a short list."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("frontend", "dialects", "passes", "lowering", "runtime", "mlirind", "tools", "benchmarks")
BOUNDARY = ROOT / "mlirind" / "torch_internals"

# What counts as public, each with the reason in docs/design/torch_boundary.md.
PUBLIC = (
    "torch.ops", "torch._ops.OpOverload", "torch._ops.OperatorBase", "torch._ops.HigherOrderOperator", "torch._dynamo.reset",
    "torch._dynamo.config", "torch._dynamo.mark_dynamic", "torch.utils._python_dispatch.TorchDispatchMode",
)  # fmt: skip
# Private names of others than PyTorch, or that only look private.
OTHERS = {"_getframe", "_actions", "_CAPIPtr"}
# Parts of PyTorch that are private without an underscore.
WORDS = ("__wrapped__", "py_kernels", "fw_metadata", "bw_donated_idxs", "static_input_indices", "guards_context", "grapharg")
PRIVATE = re.compile("|".join((r"_(?!_)\w*", *WORDS)))
IN_TEXT = re.compile(r"torch(\.\w+)*\._[a-zA-Z]\w*(\.\w+)*")
BY_TEXT = ("getattr", "setattr", "hasattr", "delattr", "attrgetter")


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
        self.found: list[tuple[int, str]] = []

    def note(self, line: int, name: str) -> None:
        if is_refused(name):
            self.found.append((line, name))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.split(".")[0] == "torch":
                self.note(node.lineno, alias.name)
                self.known[alias.asname or "torch"] = alias.name if alias.asname else "torch"

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.level == 0 and (node.module or "").split(".")[0] == "torch":
            for alias in node.names:
                self.note(node.lineno, f"{node.module}.{alias.name}")
                self.known[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def visit_Assign(self, node: ast.Assign) -> None:
        name = self.dotted(node.value)
        if name is not None and isinstance(node.targets[0], ast.Name):  # `aten = torch.ops.aten`
            self.known[node.targets[0].id] = name
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.dotted(node)
        if name is not None:
            self.note(node.lineno, name)
            return
        if PRIVATE.fullmatch(node.attr) and node.attr not in self.own:
            self.found.append((node.lineno, node.attr))
        self.generic_visit(node)

    def dotted(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        inner = self.dotted(node.value) if isinstance(node, ast.Attribute) else None
        return None if inner is None or not isinstance(node, ast.Attribute) else f"{inner}.{node.attr}"

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
        texts = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)] if called in BY_TEXT else []
        self.found += [(node.lineno, text) for text in texts if PRIVATE.fullmatch(text) and text not in self.own]
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            for match in IN_TEXT.finditer(node.value):
                self.note(node.lineno, match.group())


def defined(trees: Iterable[ast.AST]) -> set[str]:
    """The names that code defines: functions, classes, variables, attributes."""
    found = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Store):
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
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
    "text, name",
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
    ],
)
def test_a_planted_name_is_found(text, name):
    assert name in [found for _, found in private_names(text, {"_own"})]


def test_public_names_and_own_ones_are_not():
    text = "import torch\naten = torch.ops.aten\naten._to_copy.default\ntorch._dynamo.reset()\ndef f(x): return x._own, x.__name__"
    assert private_names(text, {"_own"}) == []


def test_the_page_names_what_is_public():
    page = (ROOT / "docs" / "design" / "torch_boundary.md").read_text()
    assert [name for name in PUBLIC if f"`{name}`" not in page] == []
