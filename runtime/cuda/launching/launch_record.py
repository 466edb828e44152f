"""The data of a GPU kernel that native host code reads: the object `kernel.<name>` of `lowering/host/gpu_launches.py`, as words."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

HEAD = 4  # the address of cuLaunchKernel, numbers of arguments, launches and variants
ROOM = 32  # variants; Python launches those that don't fit
MASK_BITS = 62  # all further arguments share one more bit: a mask fits a word


class LaunchRecord:
    """The words of a kernel with this many arguments that consists of `launches`; `launch`: the address of cuLaunchKernel."""

    def __init__(self, launch: int, arguments: int, launches: int) -> None:
        self.width = 1 + 3 * launches
        self.words = (ctypes.c_uint64 * (HEAD + ROOM * self.width))(launch, arguments, launches, 0)
        self.address = ctypes.addressof(self.words)

    def add(self, mask: int, variant: Sequence[int]) -> None:
        """Adds a variant if there is room: (function, bytes of shared memory, threads) for each launch. Other threads may be reading
        meanwhile."""
        count = self.words[HEAD - 1]
        if count >= ROOM:
            return
        start = HEAD + count * self.width
        for n, word in enumerate((mask, *variant)):
            self.words[start + n] = word
        self.words[HEAD - 1] = count + 1


def mask_bit(argument: int) -> int:
    """The bit of an argument in a mask."""
    return min(argument, MASK_BITS)


def folded_mask(bits: int) -> int:
    """A mask from one bit for each argument."""
    return bits & (1 << MASK_BITS) - 1 | (bits >> MASK_BITS != 0) << MASK_BITS
