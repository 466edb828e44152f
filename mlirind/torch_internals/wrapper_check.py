"""Tests whether AOTAutograd's wrappers are as `direct_call.py` and `training_call.py` expect them; if not, AOTAutograd's own callables are
used."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import fx

from ..disk_cache import folder
from ..disk_cache.entries import keep_entry, load_entry
from .aot import aot_module_simplified, boxed_function, graph_metadata, tracing_context
from .direct_call import InferenceGraph, direct_call
from .entries import fact
from .modes import outside_tracing
from .tensors import storage_id, version_of
from .training_call import Training, training_call

# The files with the wrappers, and the SHA-256 of all of them in the versions with which test_training_call.py and test_direct_call.py
# pass.
_FILES = ("aot_autograd.py", "_aot_autograd/runtime_wrappers.py", "_aot_autograd/schemas.py")
CHECKED = {
    "2.11.0": "c551edc0c5622588607b920b158f4c34f99f1b3133b857608deb7d3bb74ac14e",
    "2.13.0": "de9caed35908ea12597ba1ab8c9f8269b5b8312f5627a8dcf327fd8e1cdc8df7",
}
# The functions that are tried; the answer on disk depends on them.
_OWN_FILES = [Path(__file__).with_name(name) for name in ("direct_call.py", "training_call.py", "wrapper_check.py")]


@functools.cache
def wrappers_are_known() -> bool:
    """Whether graphs may be called past AOTAutograd's wrappers. A source that is not in `CHECKED` is tested with small graphs, which
    takes two seconds; the answer is kept on disk.

    The first call is at the import of the backend, outside of a compilation: compiling the small graphs would change PyTorch's state of
    a running one. During a compilation the answer for an untested source is False."""
    return fact(
        "AOTAutograd's wrappers",
        "skips AOTAutograd's wrappers around graphs for which they do nothing",
        "graphs are called through the wrappers",
        lambda: source() in CHECKED.values() or _remembered(source()),
    )


def called_directly(
    wrapped: Callable[..., Any], graph_module: fx.GraphModule, inputs: Sequence[Any], inference: InferenceGraph, training: Training
) -> Callable[..., Any]:
    """The callable for Dynamo: AOTAutograd's own, or an equivalent one without its wrappers."""
    if not wrappers_are_known():
        return wrapped
    if training.runner is not None:
        return training_call(wrapped, inputs, training)
    return direct_call(wrapped, graph_module, inference)


def _remembered(identity: str) -> bool:
    """The answer of `wrappers_behave` for a source, from the disk if it was tested before."""
    key = hashlib.sha256(f"{torch.__version__} {identity} {_identity(_OWN_FILES)}".encode()).hexdigest()
    entry = load_entry(folder.WRAPPERS, key)
    if entry is not None:
        return bool(entry[0]["as known"])
    if tracing_context() is not None:
        return False
    behave = wrappers_behave()
    keep_entry(folder.WRAPPERS, key, {"as known": behave})
    return behave


def source() -> str:
    """A text that identifies the source of AOTAutograd's wrappers."""
    folder = Path(torch.__file__).parent / "_functorch"
    return _identity(folder / name for name in _FILES)


def _identity(files: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def wrappers_behave() -> bool:
    """Whether small graphs behave the same with and without AOTAutograd's wrappers: results, gradients, writes, views, errors."""
    with outside_tracing(), torch.inference_mode(False), torch.autocast("cpu", enabled=False):
        return all(_agree(program, trains) for program in (_computes, _writes, _shows, _Holds()) for trains in (False, True))


def _computes(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return (x * w).sin(), (x + w).cos(), x.exp(), (w > x).long()


def _writes(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    x.add_(1)
    return (x * w,)


def _shows(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.view(-1), x * w


class _Holds(torch.nn.Module):
    """A graph with a parameter of its own, which AOTAutograd's wrapper adds to the inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.own = torch.nn.Parameter(torch.full((2, 3), 0.25))

    def forward(self, x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (x * w + self.own,)


def _inputs(trains: bool) -> list[torch.Tensor]:
    return [torch.arange(6.0).view(2, 3), torch.full((2, 3), 0.5, requires_grad=trains)]


def _agree(program: Callable[..., Any], trains: bool) -> bool:
    with torch.set_grad_enabled(trains):
        theirs, ours = _callables(fx.symbolic_trace(program), trains)
        return _observed(theirs, trains) == _observed(ours, trains)


def _callables(graph_module: fx.GraphModule, trains: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """AOTAutograd's callable of a graph, and the one that would replace it."""
    inference, training, inputs = InferenceGraph(), Training(), _inputs(trains)

    def compiled(graph: fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        return boxed_function(graph.forward)

    def infer(graph: fx.GraphModule, given: Sequence[Any]) -> Callable[..., Any]:
        run = compiled(graph, given)
        inference.note(run, graph_metadata(), own_operators=False)
        return run

    def forward(graph: fx.GraphModule, given: Sequence[Any]) -> Callable[..., Any]:
        training.runner = compiled(graph, given)
        return training.runner

    def backward(graph: fx.GraphModule, given: Sequence[Any]) -> Callable[..., Any]:
        training.note_gradients(graph)
        return compiled(graph, given)

    compilers = {"fw_compiler": forward, "bw_compiler": backward, "inference_compiler": infer}
    theirs = aot_module_simplified(graph_module, inputs, **compilers, keep_inference_input_mutations=True)
    if training.runner is not None:
        return theirs, training_call(theirs, inputs, training)
    return theirs, direct_call(theirs, graph_module, inference)


def _observed(call: Callable[..., Any], trains: bool) -> list[Any]:
    """What a caller sees of a call and of two backwards."""
    inputs, packed = _inputs(trains), [0]

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        packed[0] += 1
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        outputs = call(*inputs)
    shared = [[storage_id(o) == storage_id(i) for i in inputs] for o in outputs]
    found = [_seen(t) for t in (*outputs, *inputs)]
    return [*found, shared, packed, *(_gradients(outputs, inputs, again) for again in (True, False, False) if trains)]


def _seen(tensor: torch.Tensor) -> Any:
    return tensor.detach().tolist(), tensor.stride(), tensor.requires_grad, version_of(tensor)


def _gradients(outputs: Sequence[torch.Tensor], inputs: Sequence[torch.Tensor], again: bool) -> Any:
    """The gradients of the inputs that have one, or the type of the exception."""
    wanted = [i for i in inputs if i.requires_grad]
    total = sum(o.sum() for o in outputs if o.requires_grad)
    try:
        return [_seen(g) for g in torch.autograd.grad(total, wanted, retain_graph=again)]
    except RuntimeError as error:
        return type(error)
