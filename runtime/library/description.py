"""What a library says of itself: the words of `mlirind_library`, which `lowering/host/library.mlir` and `container.mlir` read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...torch_internals.layout import DEVICE_NAMES, DEVICE_TYPES
from .data import Data
from .gpu_code import GpuCode

# The numbers of the words.
(
    INPUTS, INPUT_NAMES, CHECKS, OUTPUTS, OUTPUT_NAMES, LISTED, CONSTANTS, RECORDS, IN_SPEC, OUT_SPEC, ARGUMENTS, SOURCES, FAILURES,
    FAILURE_TEXTS, TABLES, TABLE_ADDRESSES, SYMBOLS, DTYPE_NAMES, VIEWS_KEY, BESIDE, PROCESSOR, BLOB_SIZE, BLOB_IDENTITY, DEVICE,
    DEVICE_NAME, TARGETS, TARGET_TABLE, FUNCTIONS, TARGET_NAMES, COUNT,
) = range(30)  # fmt: skip
RECORD_WORDS = 11
DTYPE_COUNT = 64
# Kinds of constants, as in PyTorch's ConstantType.
PARAMETER, BUFFER, TENSOR_CONSTANT = 1, 2, 3
CPU, CUDA = DEVICE_TYPES["cpu"], DEVICE_TYPES["cuda"]
# Kinds of failures.
BY_TORCH, TEXT, BY_STATUS = range(3)


@dataclass(frozen=True)
class Dimension:
    """The size `factor` * symbol + `summand`, from `least` to `most`; without a symbol (-1), `summand`."""

    symbol: int
    factor: int
    summand: int
    least: int
    most: int


@dataclass(frozen=True)
class Input:
    """A tensor that a call gives: its name, dtype and type of device by PyTorch's numbers, and dimensions."""

    name: str
    dtype: int
    dimensions: tuple[Dimension, ...]
    device: int = CPU


@dataclass(frozen=True)
class Constant:
    """A tensor inside the library. `name`: for the container's functions; `path`: in the module; `offset` and `size`: its bytes in the
    library's blob, or in the file beside it; `written`: whether calls write it; `device`: the type of its device."""

    name: str
    path: str
    dtype: int
    kind: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    size: int
    written: bool
    device: int = CPU


@dataclass(frozen=True)
class WeightsFile:
    """A file with constants beside the library: its bytes, of which the last 8 are the identity of the constants that it was made for."""

    size: int
    identity: int


@dataclass(frozen=True)
class Failure:
    """Texts for an error: one, or one for each status of a kernel, from status 1 on."""

    kind: int
    texts: tuple[str, ...]


@dataclass(frozen=True)
class LibraryInterface:
    """What a program sees of a library. `listed`: the number of constants that can be replaced, which come first; `sources`: what each
    argument of the native function is, an input by its number or a constant by -1 - its number; `symbols`: the number of symbols in
    dimensions; `in_spec` and `out_spec`: the structure of arguments and results, as PyTorch writes it. `beside`: what is said of the file
    with the listed constants' values, if they are not in the library. `device`: the type of device that the library is for."""

    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    constants: tuple[Constant, ...]
    listed: int
    sources: tuple[int, ...]
    symbols: int
    in_spec: str
    out_spec: str
    beside: WeightsFile | None = None
    device: int = CPU


@dataclass(frozen=True)
class Description:
    """All that `mlirind_library` says. `tables`: for each object with kernels, the symbol of the function that writes their addresses, and
    their number; `processor`: the masks of the instructions that the code may use; `dtype_names`: by PyTorch's numbers; `gpu`: the
    kernels for GPUs."""

    outline: LibraryInterface
    failures: tuple[Failure, ...]
    tables: tuple[tuple[str, int], ...]
    views_key: int
    processor: tuple[int, ...]
    dtype_names: dict[int, str]
    gpu: GpuCode | None = None

    def written(self, data: Data) -> tuple[int, list[int], dict[str, int]]:
        """Adds it to a library's data. Returns its place, the places of the tables of kernels, and those of GPU kernels by name."""
        place, outline = data.reserve(COUNT), self.outline

        def number(word: int, value: int) -> None:
            data.set(place + 8 * word, value)

        def address(word: int, target: int) -> None:
            data.point(place + 8 * word, target)

        number(INPUTS, len(outline.inputs))
        address(INPUT_NAMES, data.texts([i.name for i in outline.inputs]))
        address(CHECKS, _addresses(data, [data.words(_check(i)) for i in outline.inputs]))
        number(OUTPUTS, len(outline.outputs))
        address(OUTPUT_NAMES, data.texts(outline.outputs))
        number(LISTED, outline.listed)
        number(CONSTANTS, len(outline.constants))
        address(RECORDS, self._records(data))
        for word, spec in ((IN_SPEC, outline.in_spec), (OUT_SPEC, outline.out_spec)):
            address(word, data.text(spec))
        number(ARGUMENTS, len(outline.sources))
        address(SOURCES, data.words(outline.sources))
        number(FAILURES, len(self.failures))
        address(FAILURE_TEXTS, _addresses(data, [_failure(data, failure) for failure in self.failures]))
        places = [data.reserve(max(count, 1)) for _, count in self.tables]
        number(TABLES, len(self.tables))
        pairs = data.reserve(max(2 * len(self.tables), 1))
        for n, ((symbol, _), table) in enumerate(zip(self.tables, places, strict=True)):
            data.point(pairs + 16 * n, symbol)
            data.point(pairs + 16 * n + 8, table)
        address(TABLE_ADDRESSES, pairs)
        number(SYMBOLS, outline.symbols)
        address(DTYPE_NAMES, data.texts([self.dtype_names.get(n, f"number {n}") for n in range(DTYPE_COUNT)]))
        number(VIEWS_KEY, self.views_key)
        if outline.beside is not None:
            number(BESIDE, outline.listed)
            number(BLOB_SIZE, outline.beside.size)
            number(BLOB_IDENTITY, outline.beside.identity)
        address(PROCESSOR, data.words(self.processor))
        number(DEVICE, outline.device)
        address(DEVICE_NAME, data.text(DEVICE_NAMES[outline.device]))
        kernels: dict[str, int] = {}
        if self.gpu is not None:
            number(TARGETS, len(self.gpu.targets))
            address(TARGET_TABLE, self.gpu.target_table(data))
            number(FUNCTIONS, self.gpu.functions)
            address(TARGET_NAMES, data.text(", ".join(f"sm_{target}" for target in self.gpu.targets)))
            kernels = self.gpu.records(data)
        return place, places, kernels

    def _records(self, data: Data) -> int:
        records = data.reserve(max(RECORD_WORDS * len(self.outline.constants), 1))
        for n, c in enumerate(self.outline.constants):
            start = records + 8 * RECORD_WORDS * n
            texts = {0: data.text(c.name), 1: data.text(c.path), 5: data.words(c.sizes), 6: data.words(c.strides)}
            numbers = {2: c.dtype, 3: c.kind, 4: len(c.sizes), 7: c.offset, 8: c.size, 9: int(c.written), 10: c.device}
            for word, target in texts.items():
                data.point(start + 8 * word, target)
            for word, value in numbers.items():
                data.set(start + 8 * word, value)
        return records


def _check(given: Input) -> list[int]:
    dimensions = [number for d in given.dimensions for number in (d.symbol, d.factor, d.summand, d.least, d.most)]
    return [given.dtype, len(given.dimensions), given.device, *dimensions]


def _addresses(data: Data, targets: Sequence[int]) -> int:
    table = data.reserve(max(len(targets), 1))
    for number, target in enumerate(targets):
        data.point(table + 8 * number, target)
    return table


def _failure(data: Data, failure: Failure) -> int:
    place = data.reserve(1 + len(failure.texts))
    data.set(place, failure.kind)
    for number, text in enumerate(failure.texts, 1):
        data.point(place + 8 * number, data.text(text))
    return place
