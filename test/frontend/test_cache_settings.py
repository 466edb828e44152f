"""Settings of PyTorch that tracing reads: each is part of the key of a captured graph."""

import contextlib

import pytest
import torch
from cached_programs import compiled
from mlirind.frontend import backend
from mlirind.frontend.caching.captured_text import _tensor_methods
from mlirind.runtime.artifacts import surroundings
from mlirind.runtime.artifacts.native_graph import NotCacheable
from mlirind.torch_internals.traced_results import tracing_settings


@pytest.fixture
def keys(monkeypatch):
    """The keys that are looked up, in order. Nothing is compiled."""
    found = []

    def load_traced(key, graph_module, inputs):
        found.append(key)
        return graph_module.forward

    monkeypatch.setattr(backend, "load_traced", load_traced)
    return found


def switched(read, write):
    """A context in which a switch, which functions read and set, is turned."""

    @contextlib.contextmanager
    def context():
        before = read()
        write(not before)
        try:
            yield
        finally:
            write(before)

    return context


def attribute(owner, name, value=None):
    """A context in which an attribute has another value: `value`, or its negation."""

    @contextlib.contextmanager
    def context():
        before = getattr(owner, name)
        setattr(owner, name, not before if value is None else value)
        try:
            yield
        finally:
            setattr(owner, name, before)

    return context


@contextlib.contextmanager
def autocast_dtype():
    before = torch.get_autocast_dtype("cuda")
    torch.set_autocast_dtype("cuda", torch.bfloat16)
    try:
        yield
    finally:
        torch.set_autocast_dtype("cuda", before)


attention = torch.backends.cuda
SETTINGS = {
    "autocast": lambda: torch.autocast("cpu", torch.bfloat16),
    "autocast's dtype": autocast_dtype,
    "autocast's cache": switched(torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled),
    "flash attention": switched(attention.flash_sdp_enabled, attention.enable_flash_sdp),
    "efficient attention": switched(attention.mem_efficient_sdp_enabled, attention.enable_mem_efficient_sdp),
    "plain attention": switched(attention.math_sdp_enabled, attention.enable_math_sdp),
    "cuDNN's attention": switched(attention.cudnn_sdp_enabled, attention.enable_cudnn_sdp),
    "fast paths": switched(torch.backends.mha.get_fastpath_enabled, torch.backends.mha.set_fastpath_enabled),
    "einsum": attribute(torch.backends.opt_einsum, "enabled"),
    "uninitialized memory": attribute(torch.utils.deterministic, "fill_uninitialized_memory"),
    "deterministic": switched(torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    "precision": lambda: precision("medium"),
    "functorch": lambda: torch._functorch.config.patch(treat_parameters_as_free_to_save=False),
    "symbolic sizes": lambda: torch.fx.experimental._config.patch(backed_size_oblivious=True),
    "Inductor": lambda: torch._inductor.config.patch(fallback_random=True),
    "Dynamo": lambda: torch._dynamo.config.patch(capture_scalar_outputs=True),
    "gradient mode": torch.no_grad,
    "inference mode": torch.inference_mode,
}


@contextlib.contextmanager
def precision(value):
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(value)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def program(x):
    return torch.softmax(x @ x, -1)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_setting_is_part_of_the_key(setting, keys):
    x = torch.ones(4, 4)
    compiled(program)(x)
    with SETTINGS[setting]():
        compiled(program)(x)
    compiled(program)(x)
    first, second, third = keys
    assert first == third != second


MODULES = (torch._functorch.config, torch.fx.experimental._config, torch._dynamo.config)


@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")
@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.__name__)
def test_every_flag_of_tracing_is_part_of_the_key(module):
    known = tracing_settings()
    flags = [name for name, value in module.get_config_copy().items() if type(value) is bool]
    assert len(flags) > 5
    for name in flags:
        with module.patch({name: not getattr(module, name)}):
            assert tracing_settings() != known, name
    assert tracing_settings() == known


def test_variables_that_tracing_reads_are_part_of_the_key(monkeypatch):
    known = surroundings.of_tracing.__wrapped__()
    for name in surroundings._TRACING_VARIABLES:
        with monkeypatch.context() as patched:
            patched.setenv(name, "another")
            assert surroundings.of_tracing.__wrapped__() != known


def test_pytorchs_tracing_files_are_part_of_the_key(monkeypatch, tmp_path):
    (tmp_path / "fx").mkdir()
    monkeypatch.setattr(surroundings, "_TORCH", tmp_path / "lib")
    monkeypatch.setattr(surroundings, "_TRACING", ("fx", "_ops.py"))
    found = []
    for name in ("_ops.py", "fx/graph.py"):
        (tmp_path / name).write_text("x = 1\n")
    for name, text in (("_ops.py", "x = 1\n"), ("_ops.py", "x = 22\n"), ("fx/graph.py", "x = 22\n")):
        (tmp_path / name).write_text(text)
        found.append(surroundings.of_tracing.__wrapped__()[0])
    assert len(set(found)) == 3


METHODS = {
    "an operator": ("__mul__", lambda *given: torch.neg(torch.mul(*given))),
    "a method": ("sigmoid", lambda x: x),
    "a property": ("T", property(lambda x: x)),
    "a new attribute": ("twice", lambda x: x + x),
}


@pytest.mark.parametrize("name", METHODS)
def test_captured_graphs_are_not_cached_if_the_program_sets_methods_of_tensors(name, keys, monkeypatch):
    """AOTAutograd calls them when it runs the captured graph."""
    x = torch.ones(4, 4)
    compiled(program)(x)
    with monkeypatch.context() as patched:
        patched.setattr(torch.Tensor, *METHODS[name], raising=False)
        with pytest.raises(NotCacheable, match="the program sets torch.Tensor."):
            _tensor_methods()
        compiled(program)(x)
    assert len(keys) == 1


def test_methods_of_tensors_in_each_others_place(monkeypatch):
    known = _tensor_methods()
    monkeypatch.setattr(torch.Tensor, "__mul__", torch.Tensor.__add__)
    assert _tensor_methods() != known
