"""What fake tensors show of a graph of torch functions: results and their memory, what is written, what changes how PyTorch computes.

Writes are what the schemas of the operators say that the functions come down to. Version counters don't tell: operators on lists of
tensors, such as `aten._foreach_mul_` and the steps of fused optimizers, leave them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import fx
from torch.utils._python_dispatch import TorchDispatchMode

from ...errors import MlirindError
from ...torch_internals.fake_tensors import detect_fake_mode
from ...torch_internals.operators import schema_of
from ...torch_internals.tensors import storage_handle, storage_id, version_of
from ...torch_internals.trees import tree_leaves

# Device, whether it is on there, and the dtype.
Autocast = list[tuple[str, bool, torch.dtype]]

_NUMBERS = (int, float, complex, torch.SymInt, torch.SymFloat, torch.SymBool, torch.dtype, torch.device)
_OF_NUMBERS = ("_operator", "builtins", "math", "torch")


class Observation(fx.Interpreter):
    """A run of a graph on fake tensors. Inputs are fresh ones like the graph's.

    `barriers`: the nodes across which no computation may move: they write to a tensor that there was before, or change how PyTorch
    computes (`no_grad`, autocast), or nothing is known of them. `values`: what each node gave. `autocast`: how it was set behind each.
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
        """Runs a node, and notes what it wrote."""
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
        """What a caller would see of the other graph having taken the place of this one; None: nothing."""
        if self.results != other.results:
            pairs = zip(self.results, other.results, strict=False)
            return next((f"changed a result from {a} to {b}" for a, b in pairs if a != b), "changed the number of results")
        if self.memory != other.memory:
            return "changed which results and inputs share memory"
        if self.written != other.written:
            return "changed which inputs are written"
        return None


class _Writes(TorchDispatchMode):
    """Collects which storages are written, by identity, but for what runs within an operator of higher order."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.storages: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Notes what an operator writes, and calls it."""
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.OpOverload):
            self.storages.update(storage_id(t) for t in _written_by(func, args, kwargs))
        return func(*args, **kwargs)


def _written_by(func: torch._ops.OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[torch.Tensor]:
    arguments = schema_of(func).arguments
    given = dict(zip((a.name for a in arguments), args, strict=False)) | kwargs
    names = {a.name for a in arguments if a.alias_info is not None and a.alias_info.is_write}
    if given.get("training"):  # the schema of `native_batch_norm` doesn't say it
        names |= {"running_mean", "running_var"}
    yield from (t for t in tree_leaves([given.get(n) for n in names]) if isinstance(t, torch.Tensor))


def _only_computes(node: fx.Node, result: Any) -> bool:
    """Whether a call that writes no memory does nothing but give a value."""
    name, module = getattr(node.target, "__name__", str(node.target)), getattr(node.target, "__module__", None)
    in_place = name.endswith("_") and not name.endswith("__") and module != "_operator"  # of `requires_grad_` no operator tells
    if in_place or isinstance(node.target, torch._ops.HigherOrderOperator):
        return False
    leaves = tree_leaves(result)
    if any(isinstance(leaf, torch.Tensor) for leaf in leaves):
        return True
    return (node.op == "call_method" or module in _OF_NUMBERS) and bool(leaves) and all(isinstance(leaf, _NUMBERS) for leaf in leaves)


def autocast_now() -> Autocast:
    """How autocast is set."""
    return [(device, torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)) for device in ("cpu", "cuda")]


def under_autocast(wanted: Autocast) -> contextlib.ExitStack:
    """A context in which autocast is set so."""
    stack = contextlib.ExitStack()
    for (device, enabled, dtype), now in zip(wanted, autocast_now(), strict=True):
        if (device, enabled, dtype) != now:
            stack.enter_context(torch.autocast(device, dtype=dtype, enabled=enabled))
    return stack


def _like(given: Sequence[Any]) -> list[Any]:
    """Fresh tensors like those given; those that share memory share it again."""
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
    """What is to stay of each value: of a tensor the sizes, strides, dtype and device."""
    return [(tuple(v.shape), v.stride(), v.dtype, str(v.device)) if isinstance(v, torch.Tensor) else v for v in values]


def memory_groups(values: Sequence[Any]) -> list[int | None]:
    """For each tensor the first one that shares its memory, by number."""
    firsts: dict[int, int] = {}
    tensors = [storage_id(v) if isinstance(v, torch.Tensor) else None for v in values]
    return [None if t is None else firsts.setdefault(t, n) for n, t in enumerate(tensors)]
