"""Rules on symbolic sizes: one lowering, evaluated at several sizes, against eager."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from mlirind.dialects.context import compile_context
from mlirind.frontend.decompositions.table import decomposition_table
from mlirind.frontend.importing.importer import import_graph
from mlirind.lowering.aten_to_loop import convert_aten_to_loop
from mlirind.passes.verify.verify_ir import verify_ir
from mlirind.runtime.reference.evaluate_graph import evaluate_graph
from torch._dynamo import disable
from torch._functorch.aot_autograd import aot_module_simplified


def evaluated(graph_module: torch.fx.GraphModule, inputs: Sequence[Any]) -> Any:
    """A backend that lowers to kernels and evaluates them."""

    def compiler(graph: torch.fx.GraphModule, _: Any) -> Any:
        with compile_context() as context:
            imported = import_graph(graph)
            convert_aten_to_loop(imported.module)
            imported.module.operation.verify()
            verify_ir(imported.module)

        def run(arguments: list[Any]) -> list[Any]:
            with context:
                return evaluate_graph(imported.module.body.operations[0], [*arguments, *imported.constants])

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    compiled = aot_module_simplified(
        graph_module, list(inputs), fw_compiler=compiler, bw_compiler=compiler, decompositions=decomposition_table()
    )
    return disable(compiled)


def rows_and_columns(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        F.softmax(x, -1),
        F.layer_norm(x.t(), [x.shape[0]]),
        x.mean(0) + x.amax(1).sum(),
        x.logsumexp(0),
        F.batch_norm(x, None, None, training=True),
        x.masked_fill(torch.arange(x.shape[0])[:, None] > 2, -torch.inf).softmax(0),
        x * x.shape[0] + x.shape[0] ** 2,
    ]


def views(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        (x + 1).view(-1, 4, 2).permute(2, 0, 1).reshape(-1) * 2,
        (x * 2)[-3:] + x[-1:] * x.size(0),
        x[:, None].expand(-1, 3, -1) * torch.ones(x.shape[0], 3, 1),
        x.unfold(0, 2, 1).sum(-1),
        (x @ x.t()).diagonal() * 2,
        x.chunk(2, 0)[1] * 2,
    ]


def structure(x: torch.Tensor) -> list[torch.Tensor]:
    return [
        torch.cat([x, x.exp(), x[:1]], 0),
        torch.tril(torch.ones(x.shape[0], x.shape[0])) @ x,
        F.pad(x, (1, 2, 0, x.shape[0])),
        x.roll(2, 0) + x.flip(0),
        x.gather(0, torch.zeros(1, 8, dtype=torch.int64) + x.shape[0] - 1),
        torch.slice_scatter(x, x[1:] * 2, 0, 1, x.shape[0]),
    ]


@pytest.mark.parametrize("function", [rows_and_columns, views, structure], ids=lambda f: f.__name__)
def test_sizes(function: Any) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=evaluated, dynamic=True)
    for rows in (6, 10, 7):
        x = torch.randn(rows, 8, requires_grad=True)
        expected, actual = function(x), compiled(x)
        for e, a in zip(expected, actual, strict=True):
            torch.testing.assert_close(a, e)
            assert a.stride() == e.stride()
        gradients = [torch.autograd.grad(sum(r.sin().sum() for r in results), x)[0] for results in (expected, actual)]
        torch.testing.assert_close(gradients[1], gradients[0])
