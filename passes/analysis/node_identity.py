"""The metadata of FX nodes, and which of it a new operator inherits from the operators that it replaces.

MLIR can't hold this metadata (tags of the partition and of checkpoints, sequence numbers, module stacks, `custom`). It stays in a side
table: each node's `meta` by the node's name. Attributes of an operator are the keys:

- `aten.node`: the name of the node that it is, or stands for;
- `aten.merged`: the names of further nodes that it stands for, if a pass merged several;
- `aten.region`: in joint graphs, the checkpointed region, and whether its values are saved or recomputed.

A pass that makes an operator passes `extra=identity(replaced...)`; the exporter reads the table by `merged_meta`. Nothing else decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from torch_mlir import ir

from ...dialects.narrowing import AnyOp, text, texts

NODE, MERGED, REGION = "aten.node", "aten.merged", "aten.region"
# Fields that describe a node's own value or call, which are never inherited.
_OWN = ("val", "tensor_meta", "eager_input_vals", "original_aten", "desc")
# Strongest first: torch.utils.checkpoint.CheckpointPolicy, by name.
_POLICIES = ("MUST_SAVE", "MUST_RECOMPUTE", "PREFER_SAVE", "PREFER_RECOMPUTE")
_TAGS = ("must_be_in_backward", "must_be_in_forward", "is_backward", "is_forward")


def identity(first: Any, *others: Any) -> dict[str, ir.Attribute]:
    """The attributes of an operator that replaces the given ones. `first`: the one whose result it stands for; its region counts."""
    attributes = first.operation.attributes
    found = {name: attributes[name] for name in (NODE, REGION) if name in attributes}
    names = list(dict.fromkeys(n for op in (first, *others) for n in node_names(op)))
    if NODE in found and len(names) > 1:
        found[MERGED] = ir.ArrayAttr.get([ir.StringAttr.get(n) for n in names if n != found[NODE].value])
    return found


def inherit(new: Any, first: Any, *others: Any) -> None:
    """Gives `new`, made without an identity, the one of the operators that it replaces."""
    for name, attribute in identity(first, *others).items():
        new.operation.attributes[name] = attribute


def node_names(op: AnyOp) -> Iterator[str]:
    """The nodes that an operator stands for, its own first."""
    attributes = op.operation.attributes
    if NODE in attributes:
        yield text(attributes[NODE])
    if MERGED in attributes:
        yield from texts(attributes[MERGED])


def same_region(ops: Iterable[Any]) -> bool:
    """Whether a pattern may replace these operators by one: all or none are recomputed, in one checkpointed region."""
    return len({op.operation.attributes.get(REGION, None) for op in ops}) <= 1


def checkpoint_region(meta: dict[str, Any]) -> dict[str, ir.Attribute]:
    """The attribute for what a node's `meta` says of checkpoints; none if it says nothing."""
    policy = meta.get("recompute")
    if policy is None:
        return {}
    return {REGION: ir.StringAttr.get(f"{policy.name} in {meta.get('ac_graph_id')}")}


def merged_meta(metas: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The `meta` of a node that stands for those with `metas`, except what describes its own call and value.

    A field is the first's, or that of the next which has it. The node is backward if one of them was, recomputed if all of them were to
    be, and saved if one of them had to be.
    """
    found: dict[str, Any] = {}
    for meta in metas:
        for name, value in meta.items():
            found.setdefault(name, value)
    if len(metas) > 1:
        _set(found, "partitioner_tag", _first_of(_TAGS, [m.get("partitioner_tag") for m in metas]))
        _set(found, "recompute", _policy([m.get("recompute") for m in metas]))
        if "recompute" not in found:
            found.pop("ac_graph_id", None)
        _set(found, "custom", {k: v for m in reversed(metas) for k, v in (m.get("custom") or {}).items()} or None)
    return {name: value for name, value in found.items() if name not in _OWN}


def _set(meta: dict[str, Any], name: str, value: Any) -> None:
    meta.pop(name, None)
    if value is not None:
        meta[name] = value


def _first_of(order: Sequence[str], values: list[Any]) -> Any:
    return next((tag for tag in order if tag in values), None)


def _policy(policies: list[Any]) -> Any:
    """Whether a value that stands for several is saved or recomputed: see `merged_meta`."""
    given = sorted((p for p in policies if p is not None), key=lambda p: _POLICIES.index(p.name))
    if not given or (None in policies and given[0].name != "MUST_SAVE"):
        return None
    return given[0]
