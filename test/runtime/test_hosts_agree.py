"""Both hosts, the native function and the Python function, give identical results: values, dtypes, strides, inputs that are returned."""

import pytest
import torch
from mlirind.frontend.compile import compile_graph
from mlirind.frontend.exporting.exported import exported_graph
from mlirind.options import Options
from mlirind.tools.backends import find_backend

SCALE = torch.randn(6)


def norm(x, y):
    return torch.nn.functional.layer_norm(x, (6,)).softmax(-1), (x @ y.t()).t(), x.view(2, 2, 6)


def views(x, y):
    return x.t()[1:], (x + y)[:, ::2], x[0].expand(3, 6), y.reshape(-1, 3).sum(1, keepdim=True)


def writes(x, y):
    x[1:].mul_(2)
    y.t().add_(1)
    return x + y, x


def operators(x, y):
    values, places = torch.sort(x + y, 1)
    return values, places, torch.cdist(x, y), torch.linalg.qr(x)[1].abs(), torch.addmm(SCALE, x, y.t() @ y)


def draws(x, y):
    return torch.rand_like(x), torch.bernoulli(y.sigmoid()), torch.nn.functional.dropout(x, 0.5)


def numbers(x, y):
    return x.shape[0], None, x * x.shape[1], torch.arange(4), x.double(), (x > 0), torch.complex(x, y)


def trained(x, y):
    x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
    return (torch.nn.functional.scaled_dot_product_attention(x[None, None], y[None, None], y[None, None]).tanh() @ x.t()).sum(), x, y


def run(function, host, dynamic):
    torch._dynamo.reset()
    torch.manual_seed(1)
    x, y = torch.randn(4, 6), torch.randn(4, 6)
    call = torch.compile(function, backend=find_backend("mlirind"), options={"host": host}, dynamic=dynamic)
    results = [call(x, y) for _ in range(2)]
    if function is trained:
        results[-1][0].backward()
        return [results[-1][1].grad, results[-1][2].grad, results[0][0].detach()]
    same = [r is x for r in results[-1]]
    return [x, y, *(r for result in results for r in result), *same]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", [norm, views, writes, operators, draws, numbers, trained], ids=lambda f: f.__name__)
def test_identical(function, dynamic):
    native, python = run(function, "native", dynamic), run(function, "python", dynamic)
    for a, b in zip(native, python, strict=True):
        assert type(a) is type(b)
        if not isinstance(a, torch.Tensor):
            assert a == b
            continue
        assert (a.dtype, a.shape, a.stride(), a.storage_offset()) == (b.dtype, b.shape, b.stride(), b.storage_offset())
        assert torch.equal(a, b)


def test_an_unknown_host_is_refused():
    with pytest.raises(Exception, match="'native' and 'python' are possible"):
        torch.compile(norm, backend=find_backend("mlirind"), options={"host": "ruby"})(torch.ones(4, 6), torch.ones(4, 6))


class Halves(torch.nn.Module):
    def forward(self, x):
        return x.view(2, -1).sum(0), x.new_ones(x.shape[0] // 2, 2)


@pytest.mark.filterwarnings("ignore:.*LeafSpec:FutureWarning")  # PyTorch copies its own tree specs
@pytest.mark.parametrize("host", ["native", "python"])
def test_symbols_of_which_inputs_have_only_multiples(host):
    half = torch.export.Dim("half", min=2, max=9)
    program = torch.export.export(Halves(), (torch.randn(6),), dynamic_shapes=({0: 2 * half},))
    run = compile_graph(exported_graph(program).graph_module, Options(host=host, fallback=False), "halves")
    for size in (4, 18):
        x = torch.randn(size)
        torch.testing.assert_close(tuple(run([x])), Halves()(x))
