"""Operators that run compiled in eager mode: one library for each operator and kind of call, which PyTorch's own holder runs."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from ...bridge.eager_probes import probe_all
from ...dialects.context import is_compiling
from ...errors import MlirindError, UnsupportedInput
from ...torch_internals.eager_kernels import hold, holder_exists, is_composite, key_set, register_backend
from ...torch_internals.operators import schema_of
from .aot_compile import export_call, library_options, write_library_of
from .eager_cache import Metadata, add_library, find_library, known_calls, operators_folder

log = logging.getLogger(__name__)

# The dtype under which PyTorch's holder knows a number.
_NUMBERS = {bool: "torch.bool", int: "torch.int32", float: "torch.float32"}
# Types of PyTorch's objects that the holder compares: the name of the value, and the value.
_VALUES: dict[type, Callable[[Any], dict[str, Any]]] = {
    str: lambda value: {"string_value": value},
    torch.dtype: lambda value: {"dtype_value": str(value)},
    torch.device: lambda value: {"device_type_value": value.type, "device_index_value": value.index},
    torch.layout: lambda value: {"layout_value": str(value)},
}

# Calls whose libraries this thread is making.
_state = threading.local()

_libraries: dict[str, torch.library.Library] = {}  # by namespace; a registration ends with its library
_held: set[torch._ops.OpOverload] = set()  # registered operators; registering one again changes nothing
_lock = threading.Lock()


def aoti_compile_with_persistent_cache(
    ns: str,
    operator: str,
    device_type: str,
    dynamic: bool,
    f: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    dynamic_shapes: Any = None,
    options: Mapping[str, Any] | None = None,
) -> str:
    """See `mlirind.aoti_compile_with_persistent_cache`."""
    if dynamic or dynamic_shapes is not None:
        raise MlirindError(
            f"{ns}::{operator}: compiled eager operators have static shapes; compile with dynamic=False, dynamic_shapes=None"
        )
    if device_type != "cpu":
        raise MlirindError(f"{ns}::{operator}: operators are compiled for the device cpu, not for {device_type}")
    given = library_options(options)
    _check_numbers_for_tensors(f"{ns}::{operator}", f, args, kwargs)
    metadata = call_metadata(f"{ns}::{operator}", args, kwargs)
    directory = operators_folder(ns, device_type, given)
    found = find_library(directory, operator, metadata)
    if found is not None:
        return found
    content = io.BytesIO()
    with _making(f"{ns}::{operator}", metadata):
        write_library_of(_exported(f, args, kwargs), given, content)
    return add_library(directory, operator, metadata, content.getvalue())


def _check_numbers_for_tensors(name: str, f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
    """Raises UnsupportedInput for a number where the operator takes a tensor: PyTorch's holder would give it to the library as a tensor, of
    a dtype that is not known here."""
    if not isinstance(f, torch._ops.OpOverload):
        return
    types = {a.name: str(a.type) for a in schema_of(f).arguments}
    given = {**dict(zip(types, args, strict=False)), **kwargs}
    wrong = next((n for n, value in given.items() if types.get(n) == "Tensor" and isinstance(value, (bool, int, float, complex))), None)
    if wrong is not None:
        raise UnsupportedInput(f"{name}, argument {wrong}: a number where the operator takes a tensor; pass a tensor")


@contextlib.contextmanager
def _making(name: str, metadata: Metadata) -> Iterator[None]:
    """Raises MlirindError if this thread is making the library for the same call already."""
    making: list[str] = _state.__dict__.setdefault("making", [])
    call = f"{name} {json.dumps(metadata)}"
    if call in making:
        raise MlirindError(f"{name} can't be compiled: the compiler calls it with the same kinds of arguments")
    making.append(call)
    try:
        yield
    finally:
        making.remove(call)


def call_metadata(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Metadata:
    """What the holder compares of a call. Raises UnsupportedInput."""
    arguments = [*((f"argument {n}", value) for n, value in enumerate(args)), *((f"argument {k}", value) for k, value in kwargs.items())]
    metadata = []
    for order, (which, value) in enumerate(arguments):
        described = _described(f"{name}, {which}", value)
        metadata.append({**described, "arg_order": order})
    return metadata


def _described(which: str, value: Any) -> dict[str, Any]:
    if type(value) in _NUMBERS:
        return {"is_dynamic": False, "device_type": "cpu", "device_index": -1, "dtype": _NUMBERS[type(value)], "scalar_value": value}
    if isinstance(value, torch.Tensor):
        return _tensor(which, value)
    if isinstance(value, list) and all(isinstance(item, torch.Tensor) for item in value):
        return {"tensor_list": [_tensor(which, item) for item in value]}
    if type(value) in _VALUES:
        return _VALUES[type(value)](value)
    raise UnsupportedInput(
        f"{which}: {type(value).__name__} is not supported; supported are tensors, lists of tensors, int, float, bool, str, "
        "torch.dtype, torch.device and torch.layout"
    )


def _tensor(which: str, tensor: torch.Tensor) -> dict[str, Any]:
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.layout != torch.strided or tensor.device.type != "cpu":
        raise UnsupportedInput(f"{which}: only plain dense tensors on the CPU are supported")
    return {
        "is_dynamic": False, "device_type": "cpu", "device_index": -1, "dtype": str(tensor.dtype), "sizes": list(tensor.shape),
        "strides": list(tensor.stride()), "requires_grad": tensor.requires_grad, "dispatch_key_set": key_set(tensor),
    }  # fmt: skip


def _exported(f: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> torch.export.ExportedProgram:
    """The call as a program of its tensors, in the order of the arguments; the other arguments are fixed."""
    values = [*args, *kwargs.values()]
    tensors = [v for value in values for v in (value if isinstance(value, list) else [value]) if isinstance(v, torch.Tensor)]

    def forward(*given: torch.Tensor) -> Any:
        rest = iter(given)

        def filled(value: Any) -> Any:
            if isinstance(value, list):
                return [next(rest) for _ in value]
            return next(rest) if isinstance(value, torch.Tensor) else value

        positional = [filled(value) for value in args]
        return f(*positional, **{name: filled(value) for name, value in kwargs.items()})

    return export_call(forward, tuple(t.detach() for t in tensors))


def register_eager(operator: str | torch._ops.OpOverload, device: str = "cpu") -> None:
    """See `mlirind.register_eager`."""
    overload = _overload(operator)
    if torch.device(device).type != "cpu":
        raise MlirindError(f"{overload}: operators are compiled for the device cpu, not for {device}")
    schema = schema_of(overload)
    if any(a.alias_info is not None for a in (*schema.arguments, *schema.returns)):
        raise MlirindError(
            f"{overload} writes an argument or returns a view of one; only operators that return new tensors can be registered"
        )
    if not schema.returns or any(str(r.type) != "Tensor" for r in schema.returns):
        raise MlirindError(f"{overload}: only operators that return tensors can be registered")
    if _takes_numbers(overload):
        raise MlirindError(f"{overload}: PyTorch's holder can't run operators that also take a number in place of a tensor")
    if {torch.Tag.dynamic_output_shape, torch.Tag.data_dependent_output} & set(overload.tags):
        raise MlirindError(f"{overload}: the sizes of its results depend on data; libraries have no such sizes")
    if is_composite(overload):
        raise MlirindError(f"{overload} is made of other operators: register those")
    if not holder_exists():
        raise MlirindError("this PyTorch has no holder of compiled eager operators that takes another compiler: PyTorch 2.13 has one")
    namespace, name = overload.name().split("::")
    with _lock:
        probe_all()
        assert register_backend is not None
        register_backend("cpu", _compile_for_holder, _calls_for_holder)
        if namespace not in _libraries:
            _libraries[namespace] = torch.library.Library(namespace, "IMPL")  # noqa: TOR901
        if overload not in _held:
            hold(_libraries[namespace], name, "CPU")
            _held.add(overload)


def _takes_numbers(overload: torch._ops.OpOverload) -> bool:
    """Whether an operator has a form with a number in place of a tensor: PyTorch calls the form with tensors for that one, too."""
    packet = overload.overloadpacket
    schemas = [schema_of(getattr(packet, name)) for name in packet.overloads()]
    forms = [schema.arguments for schema in schemas if any(str(r.type) == "Tensor" for r in schema.returns)]  # not those of TorchScript
    pairs = ((own, other) for form in forms for own, other in zip(schema_of(overload).arguments, form, strict=False))
    return any(str(own.type) == "Tensor" and str(other.type) in ("number", "Scalar") for own, other in pairs)


def _overload(operator: str | torch._ops.OpOverload) -> torch._ops.OpOverload:
    if isinstance(operator, torch._ops.OpOverload):
        return operator
    if not isinstance(operator, str):
        raise MlirindError(f"an operator is wanted, or its name such as aten::add.Tensor, not {operator!r}")
    namespace, _, rest = operator.rpartition("::")
    name, _, overload = rest.partition(".")
    try:
        found = getattr(getattr(getattr(torch.ops, namespace or "aten"), name), overload or "default")
    except AttributeError as error:
        raise MlirindError(f"there is no operator {operator!r}; a name is aten::add.Tensor") from error
    assert isinstance(found, torch._ops.OpOverload)
    return found


def _compile_for_holder(ns: str, operator: str, *call: Any, **options: Any) -> str:
    """`aoti_compile_with_persistent_cache`, which returns "" for a failure: the holder then raises."""
    chosen = {name: options[name] for name in ("dynamic_shapes", "options") if name in options}
    result: list[str] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            result.append(aoti_compile_with_persistent_cache(ns, operator, *call, **chosen))
        except Exception as error:
            failed.append(error)

    if is_compiling():  # another thread would wait for this one's compilation
        run()
    else:
        # The holder calls below autograd. A thread of its own has PyTorch's usual state, in which programs are exported.
        thread = threading.Thread(target=run, name="mlirind eager compiler")
        thread.start()
        thread.join()
    if failed:
        log.error("%s::%s could not be compiled: %s", ns, operator, failed[0], exc_info=failed[0])
        return ""
    return result[0]


def _calls_for_holder(namespace: str, operator: str, device: str) -> list[dict[str, Any]]:
    try:
        return known_calls(operators_folder(namespace, device, library_options(None)), operator)
    except Exception as error:
        log.warning("compiled operators on disk are not used: %s", error)
        return []
