"""What a forward saves for its backward. A value may be computed in the backward instead."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import fx
from torch.utils.checkpoint import CheckpointPolicy

from .joint_nodes import viewed_value

# What checkpoints ask to be saved, in a node's `recompute`.
ASKED_FOR = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)
CASTS = frozenset({torch.ops.aten._to_copy.default, torch.ops.prims.convert_element_type.default})
# Smaller tensors are saved as they are: a launch may take longer than reading them.
LEAST_BYTES = 1 << 16


class SavedValues:
    """The values that a forward saves, in the order in which the backward takes them. `arguments`: the backward's argument for each."""

    def __init__(self, forward: fx.GraphModule, backward: fx.GraphModule, num_fwd_outputs: int) -> None:
        self.forward, self.backward = forward, backward
        outputs = list(forward.graph.output_node().args[0])
        self._results, self._saved, self._changed = outputs[:num_fwd_outputs], outputs[num_fwd_outputs:], False
        placeholders = {n.name: n for n in backward.graph.find_nodes(op="placeholder")}
        saved = [n for n in self._saved if isinstance(n, fx.Node) and n.name in placeholders]
        self.arguments = {n: placeholders[n.name] for n in saved}
        self._held = {viewed_value(n) for n in self._results if isinstance(n, fx.Node)}

    def is_held(self, node: fx.Node) -> bool:
        """Whether a result of the forward shows the value's memory, so that the memory stays anyway."""
        return viewed_value(node) in self._held

    def compute(self, node: fx.Node, computation: Sequence[fx.Node]) -> None:
        """Makes the backward compute a value, before its first use, by the operators `computation`, which are in order and end with the
        value. Their operands are saved in its place."""
        argument, place = self.arguments.pop(node), self._saved.index(node)
        more = [n for n in leaves(computation) if n not in self.arguments]
        self._saved[place : place + 1] = more
        graph = self.backward.graph
        with graph.inserting_before(argument):
            self.arguments |= {n: _argument(graph, n) for n in more}
        copies = dict(self.arguments)
        with graph.inserting_before(next(n for n in graph.nodes if n in argument.users)):
            for operator in computation:
                copies[operator] = graph.node_copy(operator, copies.__getitem__)
        argument.replace_all_uses_with(copies[node])
        graph.erase_node(argument)
        self._changed = True

    def write(self) -> None:
        """Writes what is saved now to the forward's output."""
        if self._changed:
            output = self.forward.graph.output_node()
            output.args = (type(output.args[0])([*self._results, *self._saved]),)
            for graph_module in (self.forward, self.backward):
                graph_module.recompile()


def leaves(computation: Sequence[fx.Node]) -> list[fx.Node]:
    """The values from which operators compute theirs."""
    return [n for n in dict.fromkeys(n for c in computation for n in c.all_input_nodes) if n not in computation]


def _argument(graph: fx.Graph, node: fx.Node) -> fx.Node:
    """A new argument of the backward for a value of the forward."""
    made = graph.placeholder(node.name)
    made.meta = dict(node.meta)
    return made
