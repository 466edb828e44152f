"""What Dynamo captured, compared with eager in each call: this sees what AOTAutograd, the decompositions and the partition do, which the
checks of single graphs take as given."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from ...errors import WrongResult
from ...options import Options
from ...runtime.reference.differences import NEGLIGIBLE, SHARES, largest_element, wrong_value
from ...torch_internals.fx_graphs import make_graph_module
from ..importing.locations import described_node
from .checked_graphs import ordered
from .outcomes import CallArguments

log = logging.getLogger(__name__)

# Decompositions round at other places than eager's kernels: this many times the error of one graph is allowed.
STRICTNESS = 10.0
# With these the code keeps addresses of a call's inputs, or constants; the check calls it with copies.
_KEEPS_INPUTS = ("cuda_graphs", "replay", "freezing")


def captured_graph_copy(graph_module: fx.GraphModule) -> fx.GraphModule | None:
    """A copy of a graph that Dynamo captured, before passes change it. None if it can't be compared: it holds parameters of its own, which
    two runs would write."""
    if not isinstance(graph_module, fx.GraphModule) or [*graph_module.parameters(), *graph_module.buffers()]:
        return None
    graph = fx.Graph()
    graph.output(graph.graph_copy(graph_module.graph, {}))
    return make_graph_module(graph_module, graph)


def checked_function(
    called: Callable[..., Any], original: fx.GraphModule | None, options: Options, compiled: Callable[[fx.GraphModule, Sequence[Any]], Any]
) -> Callable[..., Any]:
    """The callable of a captured graph. Each call first runs `original` in eager mode, and the compiled code, forward and backward, on
    copies of the inputs, and raises WrongResult if results, written inputs or gradients differ. It is the same callable if that
    is not sound: random numbers that are not eager's, effects, code that keeps inputs. `compiled` compiles another graph."""
    if original is None or ordered.graphs or not options.fallback_random or any(getattr(options, name) for name in _KEEPS_INPUTS):
        return called
    function = _CheckedFunction(called, original, compiled)
    return lambda *inputs: function.run(inputs)


@dataclass
class _Values:
    """What a run gives: results, inputs afterwards, gradients of the inputs that want one."""

    results: Sequence[Any]
    inputs: Sequence[Any]
    gradients: Sequence[Any]


class _CheckedFunction:
    def __init__(
        self, called: Callable[..., Any], original: fx.GraphModule, compiled: Callable[[fx.GraphModule, Sequence[Any]], Any]
    ) -> None:
        self.called, self.original, self.compiled = called, original, compiled

    def run(self, inputs: Sequence[Any]) -> Any:
        """One call."""
        if all(map(_may_be_copied, inputs)):
            given = CallArguments(inputs)
            wants = [isinstance(v, torch.Tensor) and v.requires_grad for v in inputs]
            self._compare(given, wants)
            given.restore_random()
        return self.called(*inputs)

    def _compare(self, given: CallArguments, wants: Sequence[bool]) -> None:
        try:
            eager = _run(self.original.forward, given.fresh(), wants)
        except Exception:
            log.debug("a captured graph raises in eager mode, or may not run on copies: it is not compared", exc_info=True)
            return
        found = _run(self.called, given.fresh(), wants)
        wrong = next(_differences(eager, found), None)
        if wrong is None:
            return
        kind, number, problem = wrong
        number = [n for n, wanted in enumerate(wants) if wanted][number] if kind == "gradient" else number  # the input's number
        said = f"graph as Dynamo captured it differs from eager, though AOTAutograd's graphs are right: {kind} {number}: {problem}"
        nodes = list(self.original.graph.nodes)
        if kind == "result":
            made = nodes[-1].args[0][number]
            said += f"\n  result {number} is made by {described_node(made)}" if isinstance(made, fx.Node) else ""
        else:
            said += f"\n  input {number} is {described_node(self.original.graph.find_nodes(op='placeholder')[number])}"
        first = self._first_difference(given) if kind != "gradient" else ""
        said += f"\n  the first difference is in {first}" if first else ""
        said += "\n  to blame: a decomposition, or AOTAutograd; backend='aot_eager' shows whether PyTorch's part gives the same"
        raise WrongResult(said)

    def _first_difference(self, given: CallArguments) -> str:
        """The first node whose value differs if the graph returns all values; empty if none does."""
        try:
            graph = fx.Graph()
            known: dict[fx.Node, Any] = {}
            graph.graph_copy(self.original.graph, known)
            tensors = [n for n in self.original.graph.nodes if n.op not in ("placeholder", "output") and _is_tensor(n)]
            graph.output(tuple(known[n] for n in tensors))
            whole = make_graph_module(self.original, graph)
            nothing = [False] * len(self.original.graph.find_nodes(op="placeholder"))
            eager = _run(whole.forward, given.fresh(), nothing)
            found = _run(self.compiled(whole, given.fresh()), given.fresh(), nothing)
            numbers = (number for kind, number, _ in _differences(eager, found) if kind == "result")
            return next((described_node(tensors[n]) for n in numbers), "")
        except Exception:
            log.debug("the first difference of a captured graph is not known", exc_info=True)
            return ""


def _may_be_copied(value: Any) -> bool:
    if not isinstance(value, torch.Tensor):
        return True
    return type(value) in (torch.Tensor, torch.nn.Parameter) and value.layout == torch.strided and value.device.type == "cpu"


def _is_tensor(node: fx.Node) -> bool:
    return isinstance(node.meta.get("example_value"), torch.Tensor)


def _run(function: Callable[..., Any], values: list[Any], wants: Sequence[bool]) -> _Values:
    """A run on `values`, and the gradients of those that want one, for the same random gradients of the results in each run."""
    asked = [value.requires_grad_() for value, wanted in zip(values, wants, strict=True) if wanted]
    results = list(function(*values))
    gradients: Sequence[Any] = ()
    ends = [r for r in results if isinstance(r, torch.Tensor) and r.requires_grad]
    if asked and ends:
        generator = torch.Generator().manual_seed(0)
        weights = [torch.randn(r.shape, generator=generator).to(r.dtype) for r in ends]
        gradients = torch.autograd.grad(ends, asked, weights, allow_unused=True)
    return _Values(results, values, gradients)


def _differences(eager: _Values, found: _Values) -> Iterator[tuple[str, int, str]]:
    """The kind, the number and the description of each difference."""
    tensors = [v for v in (*eager.results, *eager.inputs) if isinstance(v, torch.Tensor) and v.dtype in SHARES]
    least = max((SHARES[v.dtype] for v in tensors), default=0.0)
    for kind, one, other in (("result", eager.results, found.results), ("input", eager.inputs, found.inputs)):
        for number, (a, b) in enumerate(zip(one, other, strict=True)):
            problem = wrong_value(_in_order(a), _in_order(b), STRICTNESS, least)
            if problem is not None:
                yield kind, number, problem
    smallest = NEGLIGIBLE * largest_element(eager.gradients)
    for number, (a, b) in enumerate(zip(eager.gradients, found.gradients, strict=True)):
        if a is None or b is None:  # as good as zeros
            a, b = (other.new_zeros(other.shape) if one is None and other is not None else one for one, other in ((a, b), (b, a)))
        problem = wrong_value(_in_order(a), _in_order(b), STRICTNESS, least, smallest)
        if problem is not None:
            yield "gradient", number, problem


def _in_order(value: Any) -> Any:
    """The value with the strides of a contiguous tensor: strides are not compared, because PyTorch's tracing decides them."""
    return value.detach().contiguous() if isinstance(value, torch.Tensor) else value
