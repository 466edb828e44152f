"""No two files define a class or function of one name: a reader who meets a name knows which one it is."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDERS = ("frontend", "passes", "lowering", "runtime", "dialects", "mlirind", "tools")

REGISTRATIONS = {"lowers", "pointwise", "_rule", "_reduction", "_extreme_reduction"}
# Names that two files may define, with the reason.
ALLOWED = {
    "explain": "mlirind.explain imports frontend's when it is called: `import mlirind` starts fast",
    "register_function_replacement": "the same for mlirind.patterns",
    "register_pass": "the same for mlirind.register_pass",
    "register_pre_grad_pass": "the same for mlirind.register_pre_grad_pass",
    "aot_compile": "the same for mlirind.aot_compile",
    "register_eager": "the same for mlirind.register_eager",
    "aoti_compile_with_persistent_cache": "the same for mlirind.aoti_compile_with_persistent_cache",
    "outside_tracing": "passes import torch only inside functions; theirs calls that of torch_internals",
    "philox": "the algorithm has one name: on tensors, and in kernels",
}


def counted_file(path: Path, node: ast.ClassDef | ast.FunctionDef) -> str | None:
    """The file for which a definition counts. None: it is never called by its name, or always with its module's.

    Rules are registered under an operator's name and have that of the operator. A dialect's operations are written with the dialect
    (`loop.Store`, `tt.Store`). A command's `main` is run by the command. The CPU's and the GPU's code have the same parts under the same
    names, and do not import each other: they count as one file.
    """
    decorators = {ast.unparse(d).partition("(")[0] for d in node.decorator_list}
    if path.parts[:2] == ("frontend", "decompositions") or decorators & {
        "lowers",
        "pointwise",
        "_rule",
        "_reduction",
        "_extreme_reduction",
    }:
        return None
    if path.parts[0] == "dialects" and isinstance(node, ast.ClassDef) and any(".Operation" in ast.unparse(b) for b in node.bases):
        return None
    if path.parts[0] in ("tools", "mlirind") and node.name == "main":
        return None
    return str(path).replace("lowering/cpu/", "lowering/TARGET/").replace("lowering/tt/", "lowering/TARGET/")


def equal_names(root: Path) -> dict[str, set[str]]:
    """The public names that more than one file below `root` defines, and the files."""
    files: dict[str, set[str]] = defaultdict(set)
    for path in (p for folder in FOLDERS for p in root.glob(f"{folder}/**/*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
                found = counted_file(path.relative_to(root), node)
                files[node.name].update([] if found is None else [found])
    return {name: several for name, several in files.items() if len(several) > 1}


def test_names_differ():
    """Except for the names above; each of these is still defined twice."""
    assert {name: files for name, files in equal_names(ROOT).items() if name not in ALLOWED} == {}
    assert ALLOWED.keys() - equal_names(ROOT).keys() == set()


def test_equal_names_are_found(tmp_path):
    """A planted class and function."""
    for folder in ("passes", "lowering/cpu", "lowering/tt", "lowering/rules"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "passes/a.py").write_text("class Part: ...\ndef add(): ...\ndef _own(): ...\n")
    (tmp_path / "lowering/cpu/b.py").write_text("class Part: ...\ndef emit(): ...\ndef _own(): ...\n")
    (tmp_path / "lowering/tt/b.py").write_text("def emit(): ...\n")
    (tmp_path / "lowering/rules/c.py").write_text("@lowers('aten.add.Tensor')\ndef add(): ...\n")
    assert equal_names(tmp_path) == {"Part": {"passes/a.py", "lowering/TARGET/b.py"}}
