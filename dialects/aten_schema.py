"""What PyTorch's schema registry says about an operator, as plain data (reading it needs no torch)."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .segments import LIST_RUNS

# The namespace of operators that take and return PyTorch's ordering token (mlirind/bridge/ordered_forms.py).
ORDERED = "mlirindordered"
# PyTorch's own operators that it orders by tokens.
EFFECTFUL = ("aten._print.default", "aten._linalg_check_errors.default")

# Names of arguments that hold dimensions.
DIMENSIONS = frozenset({"dim", "dims", "dim0", "dim1", "dim2", "dimension"})

# Kinds of arguments and results; "Tensor" ones are operands, all others attributes.
KINDS = frozenset({
    "Tensor", "int", "float", "bool", "complex", "Scalar", "str", "dtype", "layout", "memory_format", "device", "generator", "other",
})  # fmt: skip


@dataclass(frozen=True)
class Argument:
    """An argument (or result) of a schema. `alias`: "" or a set name; `writes`: the operator mutates it."""

    name: str
    kind: str
    is_list: bool = False
    optional: bool = False
    optional_elements: bool = False
    keyword_only: bool = False
    alias: str = ""
    writes: bool = False
    has_default: bool = False
    default: Any = None

    @property
    def is_tensor(self) -> bool:
        return self.kind == "Tensor"

    @property
    def variadic(self) -> bool:
        """Whether the number of its operands can differ from one."""
        return self.is_list or self.optional

    @property
    def groups(self) -> int:
        """The number of its operand or result groups."""
        return LIST_RUNS if self.is_list else 1

    def pack(self) -> list[Any]:
        """As a list for the table on disk."""
        flags = self.is_list | self.optional << 1 | self.optional_elements << 2 | self.keyword_only << 3 | self.writes << 4
        packed = [self.name, self.kind, flags, self.alias]
        return [*packed, self.default] if self.has_default else packed

    @staticmethod
    def unpack(packed: list[Any]) -> "Argument":
        """The inverse of `pack`."""
        name, kind, flags, alias, *default = packed
        is_list, optional, optional_elements, keyword_only, writes = (bool(flags & 1 << bit) for bit in range(5))
        default_value = default[0] if default else None
        return Argument(name, kind, is_list, optional, optional_elements, keyword_only, alias, writes, bool(default), default_value)


@dataclass(frozen=True)
class Schema:
    """An operator overload: PyTorch's name ("aten.add.Tensor"), the op's name ("aten.add_tensor"), arguments and returns."""

    name: str
    op_name: str
    arguments: tuple[Argument, ...]
    returns: tuple[Argument, ...]
    random: bool = False

    @cached_property
    def argument_names(self) -> frozenset[str]:
        return frozenset(a.name for a in self.arguments)

    @cached_property
    def tensors(self) -> tuple[Argument, ...]:
        """The arguments that are operands."""
        return tuple(a for a in self.arguments if a.is_tensor)

    @cached_property
    def base_name(self) -> str:
        """`aten.add.Tensor` -> `add`; the whole name for operators of other namespaces."""
        namespace, base, _ = self.name.split(".")
        return base if namespace == "aten" else self.name

    @cached_property
    def one_operand_each(self) -> bool:
        """Whether every tensor argument is one operand."""
        return not any(a.variadic for a in self.tensors)

    @cached_property
    def needs_operand_segments(self) -> bool:
        return sum(a.groups for a in self.tensors if a.variadic) > 1

    @cached_property
    def needs_result_segments(self) -> bool:
        return any(r.is_list for r in self.returns)

    @cached_property
    def mutates(self) -> bool:
        """Whether it writes to an argument."""
        return any(a.writes for a in self.arguments)

    @cached_property
    def ordered(self) -> bool:
        """Whether each call must happen, in order, even if nothing uses its results: checks, and operators that PyTorch orders by
        tokens."""
        return self.takes_token or not (self.returns or self.mutates)

    @cached_property
    def takes_token(self) -> bool:
        """Whether its first argument is the token of the previous call, and its first result the token for the next."""
        return self.name.startswith(ORDERED + ".")

    @cached_property
    def is_view(self) -> bool:
        """Whether a result may be a view of an argument, and the operator writes nothing."""
        return not self.mutates and any(a.alias for a in self.arguments)

    @cached_property
    def fresh(self) -> bool:
        """Whether two equal calls must stay two: they return random values, or new memory that may be written."""
        return self.random or self.name.split(".")[1] in FRESH or not self.name.startswith(("aten.", "prims."))

    def pack(self) -> list[Any]:
        """As a list for the table on disk."""
        return [self.name, [a.pack() for a in self.arguments], [r.pack() for r in self.returns], int(self.random)]

    @staticmethod
    def unpack(op_name: str, packed: list[Any]) -> "Schema":
        """The inverse of `pack`."""
        name, arguments, returns, random = packed
        return Schema(name, op_name, tuple(map(Argument.unpack, arguments)), tuple(map(Argument.unpack, returns)), bool(random))


def ordered_name(name: str) -> str:
    """The name of an operator's form with a token: `aten._print.default` -> `mlirindordered.aten_print.default`."""
    namespace, base, overload = name.split(".")
    return f"{ORDERED}.{namespace}_{base.strip('_')}{'' if overload == 'default' else '_' + overload}.default"


def ordered_schema(schema: Schema, op_name: str) -> Schema:
    """The schema of that form, an op named `op_name`."""
    token = Argument("effect_token", "Tensor", optional=True)
    return Schema(ordered_name(schema.name), op_name, (token, *schema.arguments), (Argument("", "Tensor"), *schema.returns))


# Operators whose results are new memory that may be written: erasable, never merged.
FRESH = frozenset({
    "clone", "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "lift_fresh_copy",
    "_efficientzerotensor", "bernoulli",
})  # fmt: skip
