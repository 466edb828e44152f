"""Counts of this process's graphs: how many were compiled, and why others were not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Counters:
    """`compiled`: graphs that run compiled. `fallbacks`: graphs that run through FX, by reason. `joint_unchanged`: joint graphs that
    were partitioned without the passes on them, by reason. `pre_grad_unchanged`: graphs that users' pre-grad passes were kept off.
    `accesses`: loads, stores and views of the compiled graphs by how they are proved (`lowering/bounds/access_bounds.py`); `unproved`:
    kernels and views that were refused, by reason. `cache`: "hit" and "miss" of graphs that were looked up on disk, and the reasons why
    others were not, or were not written. `dense_attention`: calls of `flex_attention` that hold all scores though they are many, by
    reason."""

    compiled: int = 0
    fallbacks: Counter[str] = field(default_factory=Counter)
    joint_unchanged: Counter[str] = field(default_factory=Counter)
    pre_grad_unchanged: Counter[str] = field(default_factory=Counter)
    accesses: Counter[str] = field(default_factory=Counter)
    unproved: Counter[str] = field(default_factory=Counter)
    cache: Counter[str] = field(default_factory=Counter)
    dense_attention: Counter[str] = field(default_factory=Counter)

    def reset(self) -> None:
        """Sets all counts to 0."""
        self.compiled = 0
        self.fallbacks.clear()
        self.joint_unchanged.clear()
        self.pre_grad_unchanged.clear()
        self.accesses.clear()
        self.unproved.clear()
        self.cache.clear()
        self.dense_attention.clear()


counters = Counters()
