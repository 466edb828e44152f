"""The table of `aten` operators, made from PyTorch's schema registry once for each PyTorch version, and cached in the user's cache folder.

An entry has the schemas and the IRDL module as MLIR bytecode. Reading it needs no torch.
"""

import hashlib
import importlib.metadata
import importlib.util
import io
import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch_mlir import ir

from ..disk_cache import folder
from ..disk_cache.entries import keep_entry, load_entry
from .aten_names import mangle
from .aten_schema import EFFECTFUL, Argument, Schema, ordered_name, ordered_schema

# Operators of other namespaces (custom ones too) are added when a graph uses them.
NAMESPACES = ("aten", "prims")

_KINDS = {
    "Tensor": "Tensor", "int": "int", "SymInt": "int", "float": "float", "bool": "bool", "complex": "complex", "number": "Scalar",
    "Scalar": "Scalar", "str": "str", "ScalarType": "dtype", "Layout": "layout", "MemoryFormat": "memory_format",
    "Device": "device", "Generator": "generator",
}  # fmt: skip

# Arguments of attention's gradients that the schema declares as required, although PyTorch passes undefined tensors for them.
_MAY_BE_UNDEFINED = ("attn_bias", "cum_seq_q", "cum_seq_k")

# The registry gives the alias set of a list's elements only in the schema's text.
_LIST_ALIAS = re.compile(r"Tensor\(([a-z]+)[^)]*\)\[\]")

# The numbers of c10's enumerations.
_ENUMERATIONS = {
    "dtype": ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64", "complex128", "bool"],
    "memory_format": ["contiguous_format", "preserve_format", "channels_last", "channels_last_3d"],
    "layout": ["strided"],
}  # fmt: skip


def read_table() -> tuple[dict[str, list[Any]], bytes]:
    """The packed schemas by op name, and the IRDL bytecode; makes and stores them first if the cache has none."""
    key = _key()
    entry = load_entry(folder.OPERATORS, key)
    if entry is not None:
        return json.loads(entry[1][0]), entry[1][1]
    schemas, bytecode = _make()
    keep_entry(folder.OPERATORS, key, {}, [json.dumps(schemas, separators=(",", ":")).encode(), bytecode])
    return schemas, bytecode


def _key() -> str:
    """The name of the file for this version of torch, of the bindings, and of the code that makes the table."""
    here = Path(__file__).parent
    torch = importlib.util.find_spec("torch")
    assert torch is not None and torch.submodule_search_locations is not None
    parts = [Path(torch.submodule_search_locations[0], "version.py").read_bytes(), importlib.metadata.version("torch-mlir").encode()]
    parts += [(here / f"{name}.py").read_bytes() for name in ("aten_table", "aten_schema", "aten_names", "segments")]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _make() -> tuple[dict[str, list[Any]], bytes]:
    from ..torch_internals.operators import registered_schemas

    schemas = {}
    for registered in registered_schemas(NAMESPACES):
        schema = schema_from_torch(*registered)
        if schema is not None:
            assert schema.op_name not in schemas, schema.name
            schemas[schema.op_name] = schema
    for name in (n for n in map(mangle, EFFECTFUL) if n in schemas):
        form = ordered_schema(schemas[name], mangle(ordered_name(schemas[name].name)))
        schemas[form.op_name] = form
    packed = {name: schema.pack() for name, schema in schemas.items()}
    return packed, irdl_bytecode(list(schemas.values()))


def schema_from_torch(schema: Any, random: bool) -> Schema | None:
    """The facts of a `torch.FunctionSchema`; None where an argument or result has a type that the dialect doesn't know."""
    namespace, _, base = schema.name.partition("::")
    name = f"{namespace}.{base}.{schema.overload_name or 'default'}"
    lists = iter(_LIST_ALIAS.findall(str(schema)))
    arguments = tuple(_argument(a, lists) for a in schema.arguments)
    if "attention" in base:
        arguments = tuple(replace(a, optional=True) if a.name in _MAY_BE_UNDEFINED else a for a in arguments)
    returns = tuple(_argument(r, lists) for r in schema.returns)
    if any(a.kind == "other" for a in (*arguments, *returns)) or any(a.is_tensor and a.is_list and a.optional for a in arguments):
        return None
    return Schema(name, mangle(name), arguments, returns, random)


def _argument(argument: Any, list_aliases: Iterator[str]) -> Argument:
    text, is_list, optional, optional_elements = _unwrap(str(argument.real_type))
    # Collectives name their group, or hold it: a graph with a group object can't be imported.
    kind = "str" if (text, argument.name) == ("Any", "group_name") else _KINDS.get(text, "other")
    alias = argument.alias_info
    has_default = hasattr(argument, "has_default_value") and argument.has_default_value()
    # `Tensor(a -> *)`: the results are views of the set before the arrow.
    sets = "" if not alias else next(list_aliases) if is_list else "".join(sorted(alias.before_set)).replace("alias::", "")
    return Argument(
        argument.name, kind, is_list, optional, optional_elements, bool(argument.kwarg_only), sets, bool(alias and alias.is_write),
        has_default, _plain(argument.default_value, kind) if has_default else None,
    )  # fmt: skip


def _unwrap(text: str) -> tuple[str, bool, bool, bool]:
    """`Optional[List[Optional[X]]]` -> X, is a list, is optional, has optional elements."""
    optional = text.startswith("Optional[")
    text = text[9:-1] if optional else text
    is_list = text.startswith("List[")
    text = text[5:-1] if is_list else text
    optional_elements = text.startswith("Optional[")
    return text[9:-1] if optional_elements else text, is_list, optional, optional_elements


def _plain(value: Any, kind: str) -> Any:
    """A default value for JSON; an enumeration's number becomes PyTorch's name."""
    return _ENUMERATIONS[kind][value] if kind in _ENUMERATIONS and isinstance(value, int) else value


def irdl_bytecode(schemas: list[Schema]) -> bytes:
    """The IRDL declarations of the operators as MLIR bytecode."""
    text = "irdl.dialect @aten {\n" + "\n".join(_declaration(s) for s in schemas) + "\n}"
    with ir.Context(), ir.Location.unknown():
        buffer = io.BytesIO()
        ir.Module.parse(text).operation.write_bytecode(buffer)
        return buffer.getvalue()


def _declaration(schema: Schema) -> str:
    # All uses of one `irdl.any` would have to be equal: each argument has its own.
    attributes = [a for a in schema.arguments if not a.is_tensor or a.optional_elements]
    slots = itertools.count()
    operand = ", ".join(_group(f"a{i}_{j}", a.variadic, slots) for i, a in enumerate(schema.tensors) for j in range(a.groups))
    result = ", ".join(_group(f"r{i}_{j}", r.is_list, slots) for i, r in enumerate(schema.returns) for j in range(r.groups))
    attribute = ", ".join(f'"{a.name}" = %{next(slots)}' for a in attributes)
    lines = [f"%{i} = irdl.any" for i in range(next(slots))]
    lines += [f"irdl.operands({operand})"] if operand else []
    lines += [f"irdl.results({result})"] if result else []
    lines += [f"irdl.attributes {{{attribute}}}"] if attribute else []
    return f"irdl.operation @{schema.op_name.removeprefix('aten.')} {{ {chr(10).join(lines)} }}"


def _group(name: str, variadic: bool, slots: Iterator[int]) -> str:
    return f"{name}: {'variadic ' if variadic else ''}%{next(slots)}"
