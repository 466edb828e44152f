"""The point before AOTAutograd: users' passes on the FX graph of torch functions, in which tensors are written and viewed.

The option `pre_grad` names them, in order. Each is run and then proved harmless as far as PyTorch's fake tensors can tell: results
of the same sizes, strides and dtypes, over the same memory, and the same inputs written.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch._guards import detect_fake_mode
from torch.utils._pytree import tree_leaves

from ..errors import MlirindError, UserPassFailed
from ..options import Options
from .counters import counters

log = logging.getLogger(__name__)

PreGradPass = Callable[[fx.GraphModule], None]

_passes: dict[str, PreGradPass] = {}


def register_pre_grad_pass(name: str, run: PreGradPass) -> None:
    """Makes `run` a pass for the option `pre_grad`: it changes a graph of torch functions in place. A name that is taken raises."""
    if name in _passes:
        raise MlirindError(f"pre-grad pass {name!r} is registered twice: choose another name")
    _passes[name] = run


def pre_grad_steps(options: Options) -> list[str]:
    """The names that the option gives. Raises MlirindError for one that is no pass, with the closest names."""
    texts = [options.pre_grad] if isinstance(options.pre_grad, str) else options.pre_grad
    steps = [step.strip() for text in texts for step in text.split(",") if step.strip()]
    for step in steps:
        if step not in _passes:
            close = difflib.get_close_matches(step, _passes, n=3, cutoff=0.5)
            hint = f"did you mean {' or '.join(close)}?" if close else f"registered are {', '.join(_passes) or 'none'}"
            raise MlirindError(f"option pre_grad: unknown pass {step!r}: {hint}")
    return steps


def run_pre_grad(graph_module: fx.GraphModule, options: Options) -> None:
    """Runs the passes that the options name, in place. Raises UserPassFailed where one fails or changes what a caller can see.

    A graph that can't be observed stays as it is, and is counted.
    """
    steps = pre_grad_steps(options)
    if not steps:
        return
    try:
        wanted = Observation(graph_module)
    except Exception as error:
        reason = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        log.info("the pre-grad passes did not run: %s", reason)
        counters.pre_grad_unchanged[reason] += 1
        return
    for step in steps:
        try:
            _passes[step](graph_module)
            graph_module.graph.lint()
            graph_module.recompile()
            difference = wanted.difference(Observation(graph_module))
        except Exception as error:
            raise UserPassFailed(f"option pre_grad: pass {step!r} failed: {type(error).__name__}: {error}") from error
        if difference:
            raise UserPassFailed(f"option pre_grad: pass {step!r} {difference}")


class Observation(fx.Interpreter):
    """What fake tensors show of a graph: its results, their memory, and which nodes write. Inputs are fresh ones like the graph's.

    `writers`: the nodes that write to a tensor that they get. `values`: what each node gave.
    """

    def __init__(self, graph_module: fx.GraphModule) -> None:
        super().__init__(graph_module, garbage_collect_values=False)
        self.writers: set[fx.Node] = set()
        self.values: dict[fx.Node, Any] = {}
        given = [node.meta.get("example_value") for node in graph_module.graph.find_nodes(op="placeholder")]
        self.mode = detect_fake_mode(given)
        if self.mode is None:
            raise MlirindError("the graph has no tensor among its inputs")
        with self.mode, torch.no_grad():
            inputs = _like(given)
            outputs = tree_leaves(self.run(*inputs))
        tensors = [*inputs, *outputs]
        self.results = describe(tensors)
        self.written = [value._version for value in inputs if isinstance(value, torch.Tensor)]
        self.memory = memory_groups(tensors)

    def run_node(self, n: fx.Node) -> Any:
        """Runs a node, and notes what it wrote."""
        arguments = [a for a in tree_leaves(fx.map_arg((n.args, n.kwargs), lambda m: self.env[m])) if isinstance(a, torch.Tensor)]
        before = [a._version for a in arguments]
        result = super().run_node(n)
        if n.op != "output" and before != [a._version for a in arguments]:
            self.writers.add(n)
        self.values[n] = result
        return result

    def difference(self, other: Observation) -> str | None:
        """What a caller would see of the other graph having taken the place of this one; None: nothing."""
        if self.results != other.results:
            pairs = zip(self.results, other.results, strict=False)
            return next((f"changed a result from {a} to {b}" for a, b in pairs if a != b), "changed the number of results")
        if self.memory != other.memory:
            return "changed which results and inputs share memory"
        if [bool(v) for v in self.written] != [bool(v) for v in other.written]:
            return "changed which inputs are written"
        return None


def _like(given: Sequence[Any]) -> list[Any]:
    """Fresh tensors like those given; those that share memory share it again."""
    storages: dict[int, torch.Tensor] = {}
    found = []
    for value in given:
        if not isinstance(value, torch.Tensor):
            found.append(value)
            continue
        storage = value.untyped_storage()
        key = storage._cdata
        if key not in storages:
            storages[key] = torch.empty(storage.nbytes(), dtype=torch.uint8, device=value.device)
        if storage.nbytes() and not value.is_complex():
            base = storages[key].view(value.dtype)
            found.append(base.as_strided(value.shape, value.stride(), value.storage_offset()))
        else:
            found.append(torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device))
    return found


def describe(values: Sequence[Any]) -> list[Any]:
    """What is to stay of each value: of a tensor the sizes, strides, dtype and device."""
    return [(tuple(v.shape), v.stride(), v.dtype, str(v.device)) if isinstance(v, torch.Tensor) else v for v in values]


def memory_groups(values: Sequence[Any]) -> list[int | None]:
    """For each tensor the first one that shares its memory, by number."""
    firsts: dict[int, int] = {}
    tensors = [v.untyped_storage()._cdata if isinstance(v, torch.Tensor) else None for v in values]
    return [None if t is None else firsts.setdefault(t, n) for n, t in enumerate(tensors)]
