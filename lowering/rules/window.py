"""The windows of pooling operators: the input elements of an output's window, and the windows that contain an input element."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...dialects.aten import Size
from ...tuning.kernels import TUNING
from ..emission.kernel_builder import KernelBuilder
from ..emission.kernel_index import AffineIndex, Coordinate
from ..emission.scalar import Scalar
from .registry import LoweredCall


@dataclass(frozen=True)
class Tap:
    """One element of a window, or one window that contains an element. `at`: coordinates; `inside`: whether it exists (None: always)."""

    at: tuple[Coordinate, ...]
    inside: Scalar | None

    @staticmethod
    def join(parts: Sequence[Tap]) -> Tap:
        """The tap with the coordinates of all `parts`; it is inside if all of them are."""
        return Tap(tuple(c for p in parts for c in p.at), both(*(p.inside for p in parts)))

    def value(self, scalar: Scalar, otherwise: Scalar | float) -> Scalar:
        """`scalar` if the tap is inside, else `otherwise`."""
        return scalar if self.inside is None else self.inside.select(scalar, otherwise)


def both(*conditions: Scalar | None) -> Scalar | None:
    """The conjunction of the conditions. None means always true."""
    result: Scalar | None = None
    for condition in conditions:
        if condition is not None:
            result = condition if result is None else result & condition
    return result


@dataclass(frozen=True)
class WindowAxis:
    """Regular windows along one dimension: the window of output o has the coordinates o * stride - padding + t * dilation, t < kernel."""

    size: Size
    outputs: Size
    kernel: int
    stride: int
    padding: int
    dilation: int

    @property
    def taps(self) -> int:
        """The most elements of a window that can lie before the end of the tensor; later ones are outside in every window."""
        if not isinstance(self.size, int):
            return self.kernel
        return min(self.kernel, max(1, (self.size - 1 + self.padding) // self.dilation + 1))

    @property
    def _reach(self) -> Size:
        """The last coordinate of the last window, plus 1."""
        return (self.outputs - 1) * self.stride - self.padding + (self.kernel - 1) * self.dilation + 1

    @property
    def is_full(self) -> bool:
        """Whether all windows lie within the padded tensor."""
        return _at_most(self._reach, self.size + self.padding)

    @property
    def is_inside(self) -> bool:
        """Whether all windows lie within the tensor."""
        return self.padding == 0 and _at_most(self._reach, self.size)

    def tap(self, builder: KernelBuilder, output: AffineIndex, number: Coordinate) -> Tap:
        """Element `number` of the window of `output`."""
        at = output * self.stride + number * self.dilation - self.padding
        position = builder.position(at)
        never_before = self.padding == 0 or isinstance(number, int) and number * self.dilation >= self.padding
        last = (self.outputs - 1) * self.stride + (number if isinstance(number, int) else self.taps - 1) * self.dilation - self.padding
        low = None if never_before else position >= 0
        high = None if _at_most(last + 1, self.size) else position < builder.number(self.size)
        return Tap((at,), both(low, high))

    def first(self, builder: KernelBuilder, output: AffineIndex) -> Coordinate:
        """The window's first coordinate that is inside the tensor."""
        start = output * self.stride - self.padding
        if self.padding == 0:
            return start
        lifted = start + -(-self.padding // self.dilation) * self.dilation
        position = builder.position(start)
        return builder.index((position < 0).select(builder.position(lifted % self.dilation), position))

    def length(self, builder: KernelBuilder, output: AffineIndex, with_padding: bool) -> Scalar | int:
        """The number of elements of a window. `with_padding`: count elements in the padding too."""
        if self.is_inside or with_padding and self.is_full:
            return self.kernel
        start = builder.position(output * self.stride - self.padding)
        end = (start + self.kernel).minimum(builder.number(self.size + self.padding))
        return end - start if with_padding else end.minimum(builder.number(self.size)) - start.maximum(0)

    @property
    def covers(self) -> int:
        """The most windows that contain one element; only for dilation 1."""
        return -(-self.kernel // self.stride)

    def covering(self, builder: KernelBuilder, coordinate: AffineIndex, number: int) -> Tap:
        """Of the windows that contain the element at `coordinate`, the one `number` windows before the last."""
        padded = coordinate + self.padding
        window = padded // self.stride - number
        position = builder.position(window)
        low = None if number == 0 else position >= 0
        high = position < builder.number(self.outputs)
        rest = None
        if self.stride - 1 + number * self.stride >= self.kernel:
            rest = builder.position(padded - window * self.stride) < self.kernel
        return Tap((window,), both(low, high, rest))


@dataclass(frozen=True)
class AdaptiveAxis:
    """Windows that divide a dimension among the outputs: output o has floor(o * size / outputs) to ceil((o + 1) * size / outputs)."""

    size: int
    outputs: int

    @staticmethod
    def of(sizes: Sequence[Size], outputs: Sequence[Size]) -> list[AdaptiveAxis] | None:
        """The axes of the last dimensions of `sizes`; None if one is symbolic."""
        axes = []
        for size, output in zip(sizes[-len(outputs) :], outputs, strict=True):
            if not isinstance(size, int) or not isinstance(output, int):
                return None
            axes.append(AdaptiveAxis(size, output))
        return axes

    @property
    def regular(self) -> WindowAxis | None:
        """The same windows as a `WindowAxis` if they have equal sizes and do not overlap, else None."""
        if self.outputs == 0 or self.size % self.outputs:
            return None
        length = self.size // self.outputs
        return WindowAxis(self.size, self.outputs, length, length, 0, 1)

    def _length(self, output: int) -> int:
        return -(-(output + 1) * self.size // self.outputs) - output * self.size // self.outputs

    @property
    def taps(self) -> int:
        """The most elements that a window has."""
        return max((self._length(o) for o in range(self.outputs)), default=1)

    def tap(self, builder: KernelBuilder, output: AffineIndex, number: Coordinate) -> Tap:
        """Element `number` of the window of `output`."""
        at = self.first(builder, output) + number
        if isinstance(number, int) and all(number < self._length(o) for o in range(self.outputs)):
            return Tap((at,), None)
        return Tap((at,), builder.position(at) < builder.position(self._end(output)))

    def first(self, builder: KernelBuilder, output: AffineIndex) -> AffineIndex:
        """The first coordinate of a window."""
        return output * self.size // self.outputs

    def _end(self, output: AffineIndex) -> AffineIndex:
        return ((output + 1) * self.size + (self.outputs - 1)) // self.outputs

    def length(self, builder: KernelBuilder, output: AffineIndex, with_padding: bool) -> Scalar | int:
        """How many elements a window has."""
        lengths = {self._length(o) for o in range(self.outputs)}
        return lengths.pop() if len(lengths) == 1 else builder.position(self._end(output) - self.first(builder, output))


Axes = Sequence[WindowAxis | AdaptiveAxis]


def _at_most(a: Size, b: Size) -> bool:
    """Whether a <= b is provable."""
    difference = b - a
    return isinstance(difference, int) and difference >= 0 or not isinstance(difference, int) and bool(difference.is_nonnegative)


def window_axes(call: LoweredCall, input_sizes: Sequence[Size], output_sizes: Sequence[Size]) -> list[WindowAxis] | None:
    """The axes of a pooling operator with a kernel_size, over the last dimensions; None if an argument is symbolic."""
    rank = 3 if "3d" in call.short_name else 2
    lists = [_per_axis(call, name, rank) for name in ("kernel_size", "stride", "padding", "dilation")]
    if not all(isinstance(v, int) for values in lists for v in values):
        return None
    return [WindowAxis(*values) for values in zip(input_sizes[-rank:], output_sizes[-rank:], *lists, strict=True)]


def _per_axis(call: LoweredCall, name: str, rank: int) -> list[int]:
    values = call.arguments.get(name, [1])
    if name == "stride" and not values:
        values = call["kernel_size"]
    return list(values) * rank if len(values) == 1 else list(values)


def taps_of(builder: KernelBuilder, axes: Axes, outputs: Sequence[AffineIndex], numbers: Sequence[AffineIndex] | None) -> Iterator[Tap]:
    """The elements of the window of `outputs` in row-major order; with `numbers`, only the element of these numbers."""
    if numbers is not None:
        yield Tap.join([axis.tap(builder, o, n) for axis, o, n in zip(axes, outputs, numbers, strict=True)])
        return
    lines = [[axis.tap(builder, o, n) for n in range(axis.taps)] for axis, o in zip(axes, outputs, strict=True)]
    for parts in itertools.product(*lines):
        yield Tap.join(parts)


def covering_of(builder: KernelBuilder, axes: Sequence[WindowAxis], coordinates: Sequence[AffineIndex]) -> Iterator[Tap]:
    """The windows that contain the element at `coordinates`, in the order of the outputs."""
    lines = [[axis.covering(builder, p, n) for n in reversed(range(axis.covers))] for axis, p in zip(axes, coordinates, strict=True)]
    for parts in itertools.product(*lines):
        yield Tap.join(parts)


def is_small(axes: Axes) -> bool:
    """Whether the windows are unrolled."""
    return math.prod(a.taps for a in axes) <= TUNING.unrolled_window
