"""Texts of patterns on disk: found again for the same functions, never for others."""

import functools
import math
import os
import subprocess
import sys
import types
from pathlib import Path

import mlirind.patterns
import pytest
import torch
from mlirind.frontend.patterns import pattern_requests
from mlirind.frontend.patterns.function_identity import Identity, Undecidable
from mlirind.frontend.patterns.pattern_tracing import trace_pattern
from mlirind.passes.patterns.engine import pattern_set
from mlirind.patterns import register_replacement
from torch.nn import functional as F

X = torch.randn(4, 8)
CALLS = []


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    """An empty cache; CALLS has the names of the traced patterns."""

    def record(name, **kwargs):
        CALLS.append(name)
        return trace_pattern(name, **kwargs)

    CALLS.clear()
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(pattern_requests, "trace_pattern", record)
    return tmp_path / "patterns"


def text_of(search, replace=lambda x: x.tanh(), examples=(X,), **options):
    """The text of a pattern, as a new process registers it."""
    try:
        return register_replacement(search, replace, list(examples), name="p", **options).text
    finally:
        pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)


def defined(code, **variables):
    """The function `f` that the code defines, in a module of its own."""
    namespace = {"torch": torch, "F": F, **variables}
    exec(code, namespace)
    return namespace["f"]


def traced(search, **options):
    """Whether the pattern is traced; its text is in any case what tracing gives."""
    before = len(CALLS)
    found = text_of(search, **options)
    count, replace = len(CALLS) - before, options.pop("replace", lambda x: x.tanh())
    options["joint"] = options.pop("trace", "inference") == "joint"
    examples = list(options.pop("examples", (X,)))
    assert found.split(pattern_set.SEPARATOR)[0] == trace_pattern("p", search, replace, examples, **options)
    return count > 0


def test_the_same_functions_are_traced_once():
    body = "def f(x, w):\n    return F.silu(x @ w).sin() * 1.5 if x.dim() in {1, 2} else x"
    weights = [X, torch.randn(8, 4)]
    first = text_of(defined(body), lambda x, w: (x @ w).cos(), weights)
    again = text_of(defined(body), lambda x, w: (x @ w).cos(), [torch.randn(4, 8), torch.randn(8, 4)])
    assert first == again and CALLS == ["p"]


def test_with_gradients_all_variants_are_kept():
    example = X.clone().requires_grad_()
    first, again = (text_of(lambda x: x * x.sigmoid(), lambda x: F.silu(x), [example], trace="joint") for _ in range(2))
    assert first == again and pattern_set.SEPARATOR in first and CALLS == ["p", "p_and_x"]


def closure(number):
    return lambda x: x.sin() * number


def calling(helper):
    return defined("def f(x):\n    return helper(x).exp()", helper=helper)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


class Thrice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 3


# Pairs of functions. The calls of a pair with the examples are equal where that is possible: only the functions' code tells them apart.
PAIRS = {
    "body": (lambda x: x.sin().exp(), lambda x: x.sin().cos()),
    "a branch": (lambda x: x.sin() if x.shape[0] < 9 else x.exp(), lambda x: x.sin() if x.shape[0] < 9 else x.cos()),
    "closure": (closure(1.5), closure(2.5)),
    "type of a number": (closure(2), closure(2.0)),
    "sign of zero": (lambda x: torch.add(x.sin(), x, alpha=0.0), lambda x: torch.add(x.sin(), x, alpha=-0.0)),
    "global": (defined("def f(x):\n    return x.sin() * c", c=1.5), defined("def f(x):\n    return x.sin() * c", c=2.5)),
    "unused global": (
        defined("def f(x):\n    return x.sin() if x.shape[0] < c else x", c=50),
        defined("def f(x):\n    return x.sin() if x.shape[0] < c else x", c=60),
    ),
    "helper": (calling(lambda x: x.sin()), calling(lambda x: x.cos())),
    "helper's branch": (calling(lambda x: x.sin() if len(x) < 9 else x), calling(lambda x: x.sin() if len(x) < 8 else x)),
    "inner function": (lambda x: (lambda y: y.sin())(x), lambda x: (lambda y: y.cos())(x)),
    "table": (calling({"a": torch.sin}["a"]), calling({"a": torch.cos}["a"])),
    "partial": (calling(functools.partial(torch.pow, exponent=3.0)), calling(functools.partial(torch.pow, exponent=4.0))),
}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_other_functions_are_others(pair):
    one, other = pair
    assert [traced(f) for f in (one, other, one, other)] == [True, True, False, False]


def test_gradients_of_a_function_of_ones_own_count():
    def search(x):
        return x * 2 + x.sin()

    def replacing(function):
        return lambda x: function.apply(x) + x.sin()

    options = {"examples": [X.clone().requires_grad_()], "trace": "joint"}
    assert [traced(search, replace=replacing(f), **options) for f in (Twice, Thrice, Twice, Thrice)] == [True, True, False, False]


def test_examples_and_options_count():
    def search(x):
        return x.sin().exp()

    variants = [
        {}, {"examples": [X.double()]}, {"examples": [X.t()]}, {"examples": [torch.randn(1, 8)]}, {"examples": [torch.randn(8)]},
        {"bake_shapes": True}, {"examples": [X.clone().requires_grad_()], "trace": "joint"},
    ]  # fmt: skip
    assert all(traced(search, **v) for v in variants) and not any(traced(search, **v) for v in variants)


def test_open_numbers_count():
    options = {"replace": lambda x, s: x.cos() * s}
    examples = [3.3, 4.4]
    assert all(traced(lambda x, s: x.sin() * s, scalars={"s": e}, **options) for e in examples)
    assert not any(traced(lambda x, s: x.sin() * s, scalars={"s": e}, **options) for e in examples)


@pytest.mark.parametrize("name", ["torch.__version__", "torch.version.git_version"])
def test_another_pytorch_is_another(monkeypatch, name):
    search = closure(1.5)
    assert traced(search) and not traced(search)
    monkeypatch.setattr(name, "2.99.0")
    assert traced(search) and not traced(search)


def test_a_function_of_pytorch_that_was_replaced(monkeypatch):
    search = defined("def f(x):\n    return torch.nn.functional.silu(x).exp()")
    assert traced(search) and not traced(search)
    monkeypatch.setattr(F, "silu", lambda x: x.sigmoid() * x if x.shape[0] < 9 else x)
    assert traced(search) and not traced(search)
    monkeypatch.setattr(torch.Tensor, "exp", lambda x: x.sin())
    assert traced(search) and not traced(search)


@pytest.mark.parametrize(
    "damage",
    [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b.replace(b"sin", b"cos"), lambda b: b[:64] + b"\n", lambda b: b"\xff" * 99],
)
def test_a_damaged_file_is_written_again(cache, damage):
    search = closure(1.5)
    assert traced(search)
    (file,) = cache.iterdir()
    content = file.read_bytes()
    file.write_bytes(damage(content))
    assert traced(search) and file.read_bytes() == content and not traced(search)


def test_a_cache_that_can_not_be_written(monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", "/proc/not-writable")
    assert traced(closure(1.5)) and traced(closure(1.5))


class Settings:
    def __init__(self):
        self.factor = 2.0


MODULE = types.ModuleType("settings")
MODULE.factor = 2.0


def imports(x):
    import random

    return x.sin() * (random.Random(1).random() + 1)


UNKNOWN = {
    "object": (lambda settings: lambda x: x.sin() * settings.factor)(Settings()),
    "module": (lambda settings: lambda x: x.sin() * settings.factor)(MODULE),
    "import": imports,
    "file": lambda x: x.sin() if Path("/").exists() else x,
    "variable by name": defined("def f(x):\n    return x.sin() * globals()['c']", c=2.0),
    "class without a module": (lambda odd: lambda x: x.sin() if odd else x)(type("Odd", (), {"__module__": None})),
    "many objects": (lambda table: lambda x: x.sin() if table else x)([[n] for n in range(2000)]),
    "method of an object": (lambda settings: lambda x: x.sin() * getattr(settings, "factor"))(Settings()),  # noqa: B009
}


@pytest.mark.parametrize("search", UNKNOWN.values(), ids=UNKNOWN)
def test_what_can_not_be_identified_is_traced_each_time(cache, search):
    assert traced(search) and traced(search) and not cache.exists()


def test_a_module_of_functions_alone_is_identified_by_its_name():
    assert Identity().of(math) == ("module", "math")


UNDECIDABLE = {
    "tensor": X, "object with settings": Settings(), "module with a state": os, "function with a state": os.getcwd,
    "method of a tensor": X.sin, "torch module": torch.nn.ReLU(), "open": open, "namespace": torch.ops.mine, "object": object(),
}  # fmt: skip


@pytest.mark.parametrize("value", UNDECIDABLE.values(), ids=UNDECIDABLE)
def test_values_without_an_identity(value):
    with pytest.raises(Undecidable):
        Identity().of(value)


def custom(name, fake):
    made = torch.library.custom_op(name, lambda x: x.cos(), mutates_args=(), schema="(Tensor x) -> Tensor")
    made.register_fake(fake)
    return made


def test_custom_operators():
    """Their fake functions decide on the text. One that is called by its name is unknown."""
    whole = custom("mlirindcached::whole", lambda x: torch.empty_like(x))
    assert [traced(lambda x: x.sin(), replace=whole) for _ in range(2)] == [True, False]
    whole.register_fake(lambda x: torch.empty_like(x).clone())
    assert [traced(lambda x: x.sin(), replace=whole) for _ in range(2)] == [True, False]
    assert [traced(lambda x: x.sin(), replace=lambda x: torch.ops.mlirindcached.whole(x)) for _ in range(2)] == [True, True]


PROGRAM = """
import sys, torch
sys.path.insert(0, sys.argv[1])
import pattern_module
from mlirind.frontend.patterns import pattern_requests
trace_pattern = pattern_requests.trace_pattern
pattern_requests.trace_pattern = lambda *args, **kwargs: print("traced") or trace_pattern(*args, **kwargs)
print(pattern_module.registered().text)
"""
MODULE_TEXT = """
import torch
from mlirind.patterns import register_replacement
from torch.nn import functional as F

FACTOR = 1.5

def search(x):
    return F.silu(x).sin() * FACTOR if x.dim() in {1, 2, 3} else x

def registered():
    return register_replacement(search, lambda x: x.tanh(), [torch.ones(4, 8)], name="p")
"""


def test_two_processes_at_once(tmp_path, cache):
    """They store the same text, which a third process reads. This process is none of them: other tests may have changed its state."""
    (tmp_path / "pattern_module.py").write_text(MODULE_TEXT)
    command = [sys.executable, "-P", "-c", PROGRAM, str(tmp_path)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    one, other = (process.communicate(timeout=300)[0].removeprefix("traced\n") for process in processes)
    assert [p.returncode for p in processes] == [0, 0] and len(list(cache.iterdir())) == 1
    third = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300, check=True).stdout
    assert one == other == third and one


CUSTOM_PROGRAM = """
import torch
from mlirind.frontend.backend import mlirind
from mlirind.frontend.patterns import pattern_requests
from mlirind.patterns import register_replacement

trace_pattern = pattern_requests.trace_pattern
pattern_requests.trace_pattern = lambda *args, **kwargs: print("traced") or trace_pattern(*args, **kwargs)

@torch.library.custom_op("mlirindcached::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return 2 * x

double.register_fake(torch.empty_like)
x = torch.randn(4, 8)
register_replacement(lambda x: x.sin() * 1.5, double, [x], name="p")
compiled = torch.compile(lambda x: x.sin() * 1.5, backend=mlirind, options={"fallback": False})
print(torch.equal(compiled(x), 2 * x))
"""


def test_a_custom_operator_in_a_text_of_another_process(tmp_path, cache):
    """The second process reads the text, and declares the operator that it has not traced."""
    program = tmp_path / "program.py"
    program.write_text(CUSTOM_PROGRAM)
    found = [subprocess.run([sys.executable, "-P", program], stdout=subprocess.PIPE, text=True, timeout=300).stdout for _ in range(2)]
    assert found == ["traced\nTrue\n", "True\n"]
