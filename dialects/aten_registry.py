"""The operators that the process knows, by op name: PyTorch's own from the table on disk, and others, added when graphs use them."""

from typing import Any

from . import aten_table
from .aten_names import mangle
from .aten_schema import ORDERED, Schema

_packed: dict[str, list[Any]] = {}
_bytecode = b""
_schemas: dict[str, Schema] = {}
_by_operator: dict[Any, Schema | None] = {}
added: dict[str, Schema] = {}  # by op name


def bytecode() -> bytes:
    """The IRDL declarations of PyTorch's own operators; reads the table at the first call."""
    global _bytecode, _packed
    if not _bytecode:
        _packed, _bytecode = aten_table.read_table()
    return _bytecode


def ordered() -> set[str]:
    """The op names of PyTorch's own ordered operators (`Schema.ordered`)."""
    bytecode()
    checks = {name for name, (_, arguments, returns, _) in _packed.items() if not returns and not any(a[2] >> 4 for a in arguments)}
    return checks | {name for name, packed in _packed.items() if packed[0].startswith(ORDERED)}


def names() -> list[str]:
    """The op names of PyTorch's own operators."""
    bytecode()
    return list(_packed)


def pytorch_names() -> dict[str, str]:
    """PyTorch's names of its own operators (`aten.add.Tensor`), each with the op name."""
    bytecode()
    return {packed[0]: name for name, packed in _packed.items()}


def schema_by_name(op_name: str) -> Schema | None:
    """The schema of an op by its name; None if the op stands for no operator."""
    found = _schemas.get(op_name)
    if found is None:
        bytecode()
        if op_name in _packed:
            found = _schemas[op_name] = Schema.unpack(op_name, _packed[op_name])
    return found


def add_schema(operator: Any) -> Schema | None:
    """The schema of a `torch._ops.OpOverload`, added if it is new; None if the dialect can't express it."""
    if operator not in _by_operator:
        _by_operator[operator] = _add(operator)
    return _by_operator[operator]


def _add(operator: Any) -> Schema | None:
    import torch

    from ..torch_internals.operators import schema_of

    said = schema_of(operator)
    namespace, _, name = said.name.partition("::")
    op_name = mangle(f"{namespace}.{name}.{said.overload_name or 'default'}")
    found = schema_by_name(op_name)
    if found is not None and op_name not in added:
        return found
    new = aten_table.schema_from_torch(said, torch.Tag.nondeterministic_seeded in operator.tags)
    # A context can't undeclare an op: an operator that was redefined with another schema stays unknown.
    if found is not None or new is None:
        return found if found == new else None
    added[op_name] = _schemas[op_name] = new
    return new
