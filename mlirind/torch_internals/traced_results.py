"""What AOTAutograd makes of a graph that Dynamo captured, as data: another process builds the callable from it without tracing.

PyTorch's AOTAutograd cache has such results, which it pickles. Its own folder is not used: its key leaves out what compiled code here
depends on (storage offsets, shared memory, the user's lines), computing it imports Inductor's code generator, and its files have no
checksums. So AOTAutograd is asked for a result under a key that nobody else has, and the result is taken before it is written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torch.fx.experimental.symbolic_shapes import ShapeEnv

from .aot import TracingContext, config, tracing_context
from .entries import fact, private
from .fake_tensors import FakeTensorMode
from .modes import tracing

_WITHOUT = "AOTAutograd traces every graph in each process"
_PURPOSE = "AOTAutograd's results as data, for the cache on disk"

OutputCode: Any = private("torch._inductor.output_code.OutputCode", _PURPOSE, _WITHOUT, object)
_Bypass: Any = private("torch._functorch._aot_autograd.autograd_cache.BypassAOTAutogradCache", _PURPOSE, _WITHOUT)
_Result: Any = private("torch._functorch._aot_autograd.aot_autograd_result.BundledAOTAutogradResult", _PURPOSE, _WITHOUT)
_inductor_config: Any = private("torch._inductor.config", _PURPOSE, _WITHOUT)
_dynamo_config: Any = private("torch._dynamo.config", _PURPOSE, _WITHOUT)
_experimental_config: Any = private("torch.fx.experimental._config", _PURPOSE, _WITHOUT)

# With these settings AOTAutograd makes a result: `bypass_autograd_cache_key` gives it a random key if PyTorch's can't be computed, which
# `fx_graph_cache=False` brings about. The backward is compiled at once.
_SETTINGS = {
    "enable_autograd_cache": True, "force_autograd_cache": True, "bundled_autograd_cache": True, "bypass_autograd_cache_key": True,
    "force_non_lazy_backward_lowering": True, "strict_autograd_cache": False,
}  # fmt: skip
_INDUCTOR_SETTINGS = {"fx_graph_cache": False, "fx_graph_remote_cache": False}
# Texts of the graphs in a result, for PyTorch's log.
_TEXTS = ("aot_joint_graph_str", "aot_forward_graph_str", "aot_backward_graph_str", "min_cut_info_str")
_BUILDS = "wrap_post_compile"  # builds the callable, and checks the field below
_FIELDS = ("guards_expr", "sanitized_aot_config", "compiled_fw", "compiled_bw", "runtime_metadata")


def _settings_exist() -> bool:
    return all(hasattr(config, name) for name in _SETTINGS) and all(hasattr(_inductor_config, name) for name in _INDUCTOR_SETTINGS)


_has_settings = fact("the settings of AOTAutograd's cache", _PURPOSE, _WITHOUT, _settings_exist)


def _parts_exist() -> bool:
    return hasattr(_Result, _BUILDS) and set(_FIELDS) <= set(getattr(_Result, "__dataclass_fields__", ()))


_has_parts = fact("the parts of AOTAutograd's results", _PURPOSE, _WITHOUT, _parts_exist)


def results_are_data() -> bool:
    """Whether this PyTorch gives AOTAutograd's results as data."""
    entries = (_Bypass, _Result, TracingContext, _inductor_config, _dynamo_config, _experimental_config)
    return OutputCode is not object and all(e is not None for e in entries) and _has_settings and _has_parts


@contextlib.contextmanager
def making_results() -> Iterator[None]:
    """A context in which AOTAutograd makes a result of what its compilers return: objects of classes derived from OutputCode."""
    with config.patch(_SETTINGS), _inductor_config.patch(_INDUCTOR_SETTINGS):
        yield


def keep_out_of_pytorchs_cache() -> None:
    """Called by AOTAutograd before it writes a result to its own folder, which it then leaves."""
    raise _Bypass("mlirind keeps the result")


def result_of(wrapped: Callable[..., Any]) -> Any:
    """The result that belongs to a callable which AOTAutograd made in `making_results`; None if it made none."""
    serialize = getattr(wrapped, "serialize", None)
    result = None if serialize is None else serialize()
    if type(result) is not _Result:
        return None
    for name in _TEXTS:
        if hasattr(result, name):
            setattr(result, name, None)
    return result


def codes_of(result: Any) -> list[Any]:
    """The forward's compiled code in a result, and the backward's if there is one."""
    return [part.result for part in (result.compiled_fw, result.compiled_bw) if part is not None]


def allow_kept_graphs(metadata: Any) -> None:
    """Makes AOTAutograd run a backward that may write to saved tensors also if the program keeps the graph. Such a backward must copy saved
    tensors that others hold. Without this AOTAutograd refuses."""
    metadata.bw_donated_idxs = []


def callable_of(result: Any, inputs: Sequence[Any]) -> Callable[..., Any]:
    """The callable of a result, built as AOTAutograd builds it. `inputs`: the fake inputs; guards on their sizes are added to those of the
    code that is being compiled. Raises an exception if the guards do not hold."""
    compiled = result.wrap_post_compile(list(inputs), result.sanitized_aot_config, {})

    def wrapped(*given: Any) -> Any:
        return compiled(list(given))

    wrapped.__wrapped__ = compiled  # type: ignore[attr-defined]
    return wrapped


def callable_of_file(result: Any) -> Callable[..., Any]:
    """The callable of a result outside of a compilation. What calls it must check the guards."""
    result.guards_expr = None
    with tracing(TracingContext(FakeTensorMode(shape_env=ShapeEnv()))):
        return callable_of(result, [])


def adds_guards() -> bool:
    """Whether AOTAutograd added guards, to the code that is being compiled, that a result does not have. True if unknown."""
    guards = getattr(getattr(tracing_context(), "guards_context", None), "aotautograd_guards", None)
    return guards is None or len(guards) > 0


def fakes_later() -> bool:
    """Whether the graph is compiled with inputs that get their final form in the first call, as for DistributedDataParallel's splits. True
    if unknown."""
    return bool(getattr(tracing_context(), "fakify_first_call", True))


def tracing_settings() -> list[Any]:
    """PyTorch's settings that may change what AOTAutograd makes of a graph, for keys."""
    found = [[module.__name__, _written(module.get_config_copy())] for module in (config, _inductor_config, _experimental_config)]
    flags = {name: value for name, value in _dynamo_config.get_config_copy().items() if isinstance(value, (bool, int, float, type(None)))}
    return [*found, [_dynamo_config.__name__, _written(flags)]]  # of Dynamo's, tracing reads flags


def _written(value: Any) -> Any:
    """A setting as text, equal in other processes."""
    if isinstance(value, dict):
        return sorted([str(name), _written(entry)] for name, entry in value.items())
    if isinstance(value, (set, frozenset)):
        return sorted(map(repr, value))
    return repr(value)
