"""Outputs of a capture: in which memory each lies, and how a replay makes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ....torch_internals.tensors import storage_id
from .output_copies import Copies, Made, over

# A view: the offset in elements from the first element of its base, sizes, strides.
_Layout = tuple[int, torch.Size, tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class _Output:
    """An output in the memory of argument number `argument`: a view with `layout` (None: the argument itself). Or `value`, the captured
    output, in the capture's storage number `storage`. If both are None, each call returns `value`."""

    value: Any = None
    argument: int | None = None
    layout: _Layout | None = None
    storage: int | None = None


class Outputs:
    """The outputs of a capture.

    Raises RuntimeError for an output that is not on `device`, or that no view of an argument describes. `idle`: numbers of the outputs
    whose content nobody reads; each call returns the captured ones. `storages`: the capture's memory that the others lie in. Callers get
    copies of what is in the storages with the numbers `copied` (None: in all), else tensors over the capture's memory. An output that is
    the same tensor as an earlier one is so in each call, so that a write to one is seen in both.
    """

    def __init__(
        self, results: Sequence[Any], arguments: Sequence[Any], device: torch.device, idle: Collection[int], copied: Collection[int] | None
    ) -> None:
        self.described, self.storages = _describe(results, arguments, device, idle)
        found: dict[int, list[torch.Tensor]] = {}
        for output in self.described:
            if output.storage is not None and (copied is None or output.storage in copied):
                found.setdefault(output.storage, []).append(output.value)
        made = {storage: Made.of(tensors) for storage, tensors in found.items()}
        self._copies = Copies([one.source for one in made.values()], device)
        self._copied: list[tuple[int, torch.Tensor, Made, int]] = []  # an output, and the number of the copy that it lies in
        self._shared: list[tuple[int, torch.Tensor]] = []
        self._same: list[tuple[int, int]] = []  # an output, and an earlier one
        self._passed: list[tuple[int, int]] = []  # an output, and the argument that it is
        self._views: list[tuple[int, int, _Layout]] = []
        self._values: list[tuple[int, Any]] = []
        numbers = {storage: n for n, storage in enumerate(made)}
        first_with: dict[int, int] = {}
        for n, output in enumerate(self.described):
            first = first_with.setdefault(id(output.value), n)
            if output.argument is not None:
                self._add_argument(n, output.argument, output.layout)
            elif output.storage is None:
                self._values.append((n, output.value))
            elif first != n:
                self._same.append((n, first))
            elif output.storage in made:
                self._copied.append((n, output.value, made[output.storage], numbers[output.storage]))
            else:
                with torch.inference_mode(False):
                    self._shared.append((n, over(self.storages[output.storage], output.value)))

    def _add_argument(self, number: int, argument: int, layout: _Layout | None) -> None:
        if layout is None:
            self._passed.append((number, argument))
        else:
            self._views.append((number, argument, layout))

    def __call__(self, arguments: Sequence[Any]) -> list[Any]:
        """The outputs of a replay for these arguments."""
        copies = self._copies()
        outputs: list[Any] = [None] * len(self.described)
        if torch.is_inference_mode_enabled():  # tensors made in inference mode are marked by it
            for n, tensor in self._shared:
                outputs[n] = over(tensor.untyped_storage(), tensor)
        else:
            for n, tensor in self._shared:
                outputs[n] = tensor.detach()
        for n, argument in self._passed:
            outputs[n] = arguments[argument]
        for n, argument, layout in self._views:
            outputs[n] = _view(arguments[argument], layout)
        for n, value, made, number in self._copied:
            outputs[n] = made.output(value, copies[number])
        for n, value in self._values:
            outputs[n] = value
        for n, first in self._same:
            outputs[n] = outputs[first]
        return outputs


def _describe(
    results: Sequence[Any], arguments: Sequence[Any], device: torch.device, idle: Collection[int]
) -> tuple[list[_Output], list[torch.UntypedStorage]]:
    """How a capture's outputs are made, and the storages that they lie in."""
    of_arguments = {storage_id(a) for a in arguments if isinstance(a, torch.Tensor)}
    numbers: dict[int, int] = {}
    storages: list[torch.UntypedStorage] = []
    for result in (r for n, r in enumerate(results) if isinstance(r, torch.Tensor) and n not in idle):
        if result.device != device:
            raise RuntimeError("an output is not on the GPU")
        if storage_id(result) not in of_arguments and storage_id(result) not in numbers:
            numbers[storage_id(result)] = len(storages)
            storages.append(result.untyped_storage())
    described = []
    for result in results:
        if not isinstance(result, torch.Tensor):
            described.append(_Output(result))
        elif storage_id(result) in of_arguments:
            described.append(_in_argument(result, arguments))
        else:
            described.append(_Output(result, storage=numbers.get(storage_id(result))))
    return described, storages


def _in_argument(result: torch.Tensor, arguments: Sequence[Any]) -> _Output:
    """An output in the memory of an argument: it is the argument, or a view of it."""
    for n, argument in enumerate(arguments):
        if argument is result:
            return _Output(argument=n)
    for n, argument in enumerate(arguments):
        if not isinstance(argument, torch.Tensor) or storage_id(argument) != storage_id(result) or argument.dtype != result.dtype:
            continue
        offset = result.storage_offset() - argument.storage_offset()
        if 0 <= offset <= _extent(argument) - _extent(result):
            return _Output(argument=n, layout=(offset, result.size(), result.stride()))
    raise RuntimeError("an output lies where an input does, and beyond")


def _extent(tensor: torch.Tensor) -> int:
    """The number of elements from the first to the last one in memory."""
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride(), strict=True)) if tensor.numel() else 0


def _view(tensor: torch.Tensor, layout: _Layout) -> torch.Tensor:
    """A view that autograd doesn't track, but that counts writes together with `tensor`."""
    offset, sizes, strides = layout
    return tensor.detach().as_strided(sizes, strides, tensor.storage_offset() + offset)
