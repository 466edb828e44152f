"""Runs a graph of torch functions on fake tensors, and observes its results, their memory, its writes, and changes of PyTorch's modes.

Writes are found from the schemas of the operators that the functions call. Version counters are not enough: operators on lists of tensors,
such as `aten._foreach_mul_` and the steps of fused optimizers, do not change them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import fx
from torch.utils._python_dispatch import TorchDispatchMode

from ...bridge.functional_forms import arguments_written_by_operator
from ...errors import MlirindError
from ...torch_internals.fake_tensors import detect_fake_mode
from ...torch_internals.operators import given_arguments
from ...torch_internals.tensors import storage_handle, storage_id, version_of
from ...torch_internals.trees import tree_leaves

# Device, whether it is on there, and the dtype.
Autocast = list[tuple[str, bool, torch.dtype]]

_NUMBERS = (int, float, complex, torch.SymInt, torch.SymFloat, torch.SymBool, torch.dtype, torch.device)
_OF_NUMBERS = ("_operator", "builtins", "math", "torch")


class Observation(fx.Interpreter):
    """A run of a graph on new fake tensors with the layouts of the graph's inputs.

    `barriers`: the nodes across which no computation may move: they write to a tensor that existed before, or change a mode (`no_grad`,
    autocast), or their effect is unknown. `values`: the result of each node. `autocast`: the autocast setting after each node.
    """

    def __init__(self, graph_module: fx.GraphModule) -> None:
        super().__init__(graph_module, garbage_collect_values=False)
        self.barriers: set[fx.Node] = set()
        self.values: dict[fx.Node, Any] = {}
        self.autocast: dict[fx.Node, Autocast] = {}
        self._writes = _Writes()
        self._written: set[int] = set()
        self._memory: dict[int, torch.UntypedStorage] = {}  # held: an identity is free again when its storage goes
        given = [node.meta.get("example_value") for node in graph_module.graph.find_nodes(op="placeholder")]
        self.mode = detect_fake_mode(given)
        if self.mode is None:
            raise MlirindError("the graph has no tensor among its inputs")
        with self.mode, torch.no_grad():
            inputs = _like(given)
            self._remember(inputs)
            before = [(value, storage_id(value)) for value in inputs if isinstance(value, torch.Tensor)]
            with self._writes:
                outputs = tree_leaves(self.run(*inputs))
        tensors = [*inputs, *outputs]
        self.results = describe(tensors)
        self.written = [storage in self._written or bool(version_of(value)) for value, storage in before]
        self.memory = memory_groups(tensors)

    def run_node(self, n: fx.Node) -> Any:
        """Runs a node, and records the storages that it wrote."""
        self._writes.storages.clear()
        result = super().run_node(n)
        written = self._writes.storages & self._memory.keys()
        self._written |= written
        if n.op.startswith("call") and (written or not _only_computes(n, result)):
            self.barriers.add(n)
        self._remember(result)
        self.values[n], self.autocast[n] = result, autocast_now()
        return result

    def _remember(self, values: Any) -> None:
        for value in tree_leaves(values):
            if isinstance(value, torch.Tensor):
                self._memory[storage_id(value)] = value.untyped_storage()

    def difference(self, other: Observation) -> str | None:
        """The first difference that a caller would see if the other graph replaced this one; None if there is none."""
        if self.results != other.results:
            pairs = zip(self.results, other.results, strict=False)
            return next((f"changed a result from {a} to {b}" for a, b in pairs if a != b), "changed the number of results")
        if self.memory != other.memory:
            return "changed which results and inputs share memory"
        if self.written != other.written:
            return "changed which inputs are written"
        return None


class _Writes(TorchDispatchMode):
    """Collects the written storages, by identity, except those that are written inside a higher-order operator."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.storages: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Records the storages that an operator writes, and calls it."""
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.OpOverload):
            self.storages.update(storage_id(t) for t in _written_by(func, args, kwargs))
        return func(*args, **kwargs)


def _written_by(func: torch._ops.OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[torch.Tensor]:
    given = given_arguments(func, args, kwargs)
    names = {a.name for a in arguments_written_by_operator(func)}
    if given.get("training"):  # the schema of `native_batch_norm` does not declare these writes
        names |= {"running_mean", "running_var"}
    yield from (t for t in tree_leaves([given.get(n) for n in names]) if isinstance(t, torch.Tensor))


def _only_computes(node: fx.Node, result: Any) -> bool:
    """Whether a call that writes no memory has no other effect than its result."""
    name, module = getattr(node.target, "__name__", str(node.target)), getattr(node.target, "__module__", None)
    in_place = name.endswith("_") and not name.endswith("__") and module != "_operator"  # `requires_grad_` calls no operator
    if in_place or isinstance(node.target, torch._ops.HigherOrderOperator):
        return False
    leaves = tree_leaves(result)
    if any(isinstance(leaf, torch.Tensor) for leaf in leaves):
        return True
    return (node.op == "call_method" or module in _OF_NUMBERS) and bool(leaves) and all(isinstance(leaf, _NUMBERS) for leaf in leaves)


def autocast_now() -> Autocast:
    """The autocast setting of each device type."""
    return [(device, torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)) for device in ("cpu", "cuda")]


def under_autocast(wanted: Autocast) -> contextlib.ExitStack:
    """A context with this autocast setting."""
    stack = contextlib.ExitStack()
    for (device, enabled, dtype), now in zip(wanted, autocast_now(), strict=True):
        if (device, enabled, dtype) != now:
            stack.enter_context(torch.autocast(device, dtype=dtype, enabled=enabled))
    return stack


def _like(given: Sequence[Any]) -> list[Any]:
    """New tensors with the layouts of the given ones; those that share memory share it again."""
    storages: dict[int, torch.Tensor] = {}
    found = []
    for value in given:
        if not isinstance(value, torch.Tensor):
            found.append(value)
            continue
        storage = value.untyped_storage()
        key = storage_handle(storage)
        if key not in storages:
            storages[key] = torch.empty(storage.nbytes(), dtype=torch.uint8, device=value.device)
        if storage.nbytes() and not value.is_complex():
            base = storages[key].view(value.dtype)
            found.append(base.as_strided(value.shape, value.stride(), value.storage_offset()))
        else:
            found.append(torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device))
    return found


def describe(values: Sequence[Any]) -> list[Any]:
    """What a replacement must keep of each value: a tensor's sizes, strides, dtype and device; other values whole."""
    return [(tuple(v.shape), v.stride(), v.dtype, str(v.device)) if isinstance(v, torch.Tensor) else v for v in values]


def memory_groups(values: Sequence[Any]) -> list[int | None]:
    """For each tensor the first one that shares its memory, by number."""
    firsts: dict[int, int] = {}
    tensors = [storage_id(v) if isinstance(v, torch.Tensor) else None for v in values]
    return [None if t is None else firsts.setdefault(t, n) for n, t in enumerate(tensors)]
