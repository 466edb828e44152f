from collections.abc import Callable
from typing import Any

from . import ir

# Native functions get a list of operations, values, types and attributes, as their patterns list them.
class PatternRewriter:
    @property
    def ip(self) -> ir.InsertionPoint: ...

class PDLResultList:
    def append(self, arg: ir.Operation | ir.Value | ir.Type | ir.Attribute, /) -> None: ...

class PDLModule:
    def __init__(self, module: ir.Module) -> None: ...
    def freeze(self) -> FrozenRewritePatternSet: ...
    def register_rewrite_function(self, name: str, function: Callable[[PatternRewriter, PDLResultList, list[Any]], object], /) -> None: ...
    def register_constraint_function(
        self, name: str, function: Callable[[PatternRewriter, PDLResultList, list[Any]], object], /
    ) -> None: ...

class GreedyRewriteConfig:
    max_iterations: int
    max_num_rewrites: int
    use_top_down_traversal: bool
    enable_folding: bool
    enable_constant_cse: bool

class FrozenRewritePatternSet: ...

def apply_patterns_and_fold_greedily(
    op: ir._OperationBase | ir.Module, set: FrozenRewritePatternSet, config: GreedyRewriteConfig | None = None
) -> None: ...
def walk_and_apply_patterns(op: ir._OperationBase, set: FrozenRewritePatternSet) -> None: ...
