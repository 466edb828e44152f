"""The data of a GPU kernel that native host code reads: the object `kernel.<name>` of `lowering/host/gpu_launches.py`, as words."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

HEAD = 4  # the address of cuLaunchKernel, numbers of arguments, launches and variants
ROOM = 32  # variants; Python launches those that don't fit
MOST_ARGUMENTS = 62  # with more, a mask does not fit a word


class LaunchRecord:
    """The words of a kernel with this many arguments that consists of `launches`; `launch`: the address of cuLaunchKernel."""

    def __init__(self, launch: int, arguments: int, launches: int) -> None:
        self.width = 1 + 3 * launches
        self.room = ROOM if arguments <= MOST_ARGUMENTS else 0
        self.words = (ctypes.c_uint64 * (HEAD + ROOM * self.width))(launch, arguments, launches, 0)
        self.address = ctypes.addressof(self.words)

    def add(self, mask: int, variant: Sequence[int]) -> None:
        """Adds a variant if there is room: (function, bytes of shared memory, threads) for each launch. Other threads may be reading
        meanwhile."""
        count = self.words[HEAD - 1]
        if count >= self.room:
            return
        start = HEAD + count * self.width
        for n, word in enumerate((mask, *variant)):
            self.words[start + n] = word
        self.words[HEAD - 1] = count + 1
