"""`freezing=True`: what is folded, how near it is to eager, and that no call sees a weight that is not there any more."""

import copy

import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.runtime.report import collect_reports
from mlirind.tools import model_zoo
from torch import nn

OPTIONS = {"freezing": True, "fallback": False}


def compiled(function, **options):
    torch._dynamo.reset()
    return torch.compile(function, backend=backend, options=OPTIONS | options)


def lively(module):
    """The module, in eval mode, with statistics and affine parameters as if it were trained."""
    torch.manual_seed(0)
    for part in module.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            for tensor, low, high in ((part.running_mean, -1, 1), (part.running_var, 0.3, 2)):
                tensor.uniform_(low, high)
            if part.affine:
                nn.init.uniform_(part.weight, 0.3, 2)
                nn.init.uniform_(part.bias, -1, 1)
    for name, parameter in module.named_parameters():
        if "layer_scale" in name:
            nn.init.uniform_(parameter, 0.5, 1.5)
    return module.eval()


def operators(module, *args):
    """The IR of the one graph of a call, after the passes on `aten`."""
    with torch.no_grad(), collect_reports(stages=True) as reports:
        compiled(module)(*args)
    (report,) = reports
    return report.stages["aten"]


@pytest.mark.parametrize("name", ["resnet", "mobilenet", "convnext"])
@torch.no_grad()
def test_models_are_as_near_to_float64_as_eager(name):
    """Folding rounds otherwise, not worse: within twice eager's error in float32."""
    model = lively(model_zoo.build(name))
    inputs = model_zoo.make_inputs(name)
    found, eager = compiled(model)(**inputs).logits, model(**inputs).logits
    exact = copy.deepcopy(model).double()(**{k: v.double() for k, v in inputs.items()}).logits
    torch.testing.assert_close(found, eager, rtol=1e-4, atol=1e-4 * eager.abs().max().item())
    assert (found - exact).abs().max() <= 2 * (eager - exact).abs().max() + 1e-6 * exact.abs().max()


CONVOLUTIONS = [
    (nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4), (2, 3, 8, 8)),
    (nn.Conv2d(4, 8, 3, groups=2, padding=1, stride=2), nn.BatchNorm2d(8, affine=False), (2, 4, 8, 8)),
    (nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4, eps=0.1), (2, 3, 8)),
    (nn.Conv3d(3, 4, 2), nn.BatchNorm3d(4), (2, 3, 4, 4, 4)),
    (nn.ConvTranspose2d(3, 4, 3), nn.BatchNorm2d(4), (2, 3, 8, 8)),
    (nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last), nn.BatchNorm2d(4), (2, 3, 8, 8)),
]


@pytest.mark.parametrize(("convolution", "norm", "sizes"), CONVOLUTIONS)
@torch.no_grad()
def test_batch_norms_after_convolutions(convolution, norm, sizes):
    module, x = lively(nn.Sequential(convolution, norm)), torch.randn(sizes)
    torch.testing.assert_close(compiled(module)(x), module(x), rtol=1e-4, atol=1e-5)
    assert '"aten.u_native_batch_norm' not in operators(module, x)


class Binary(nn.Module):
    def __init__(self, product, function, *sizes):
        super().__init__()
        self.product, self.function = product, function
        self.c = nn.Parameter(torch.rand(sizes) + 0.5)

    def forward(self, x):
        return self.function(self.product(x), self.c)


BINARIES = [
    lambda y, c: y * c,
    lambda y, c: c + y,
    lambda y, c: y - c,
    lambda y, c: c - y,
    lambda y, c: y / c,
    lambda y, c: (y * 2 + c) / 3 - 1,
]


@pytest.mark.parametrize("function", BINARIES)
@torch.no_grad()
def test_arithmetic_after_products(function):
    for product, sizes, x in (
        (nn.Conv2d(3, 4, 3), (4, 1, 1), torch.randn(2, 3, 8, 8)),
        (nn.Linear(5, 4), (4,), torch.randn(2, 3, 5)),
        (nn.Linear(5, 4, bias=False), (1,), torch.randn(6, 5)),
    ):
        module = Binary(product, function, *sizes)
        torch.testing.assert_close(compiled(module)(x), module(x), rtol=1e-4, atol=1e-5)
        text = operators(module, x)
        assert not any(f'"aten.{name}' in text for name in ("mul_", "add_", "sub_", "div_")), text


@torch.no_grad()
def test_what_is_computed_of_parameters_is_computed_once():
    class Normalized(nn.Linear):
        def forward(self, x):
            return nn.functional.linear(x, self.weight / self.weight.norm(dim=1, keepdim=True), self.bias.exp())

    module, x = Normalized(5, 4), torch.randn(3, 5)
    torch.testing.assert_close(compiled(module)(x), module(x))
    assert "aten.div" not in operators(module, x) and "aten.exp" not in operators(module, x)


@pytest.mark.parametrize("optimizer", [torch.optim.Adam, torch.optim.AdamW, torch.optim.SGD, torch.optim.Adagrad])
def test_a_step_of_a_fused_optimizer_is_seen(optimizer):
    """It leaves the version counters."""
    module, x = lively(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))), torch.randn(2, 3, 8, 8)
    run, steps = compiled(module), optimizer(module.parameters(), lr=0.1, fused=True)
    for _ in range(3):
        with torch.no_grad():
            torch.testing.assert_close(run(x), module(x), rtol=1e-4, atol=1e-5)
        module(x).square().sum().backward()
        steps.step()


@torch.no_grad()
def test_changed_weights_are_seen():
    """Written, exchanged, or put in another place."""
    module, x = lively(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))), torch.randn(2, 3, 8, 8)
    run = compiled(module)

    def check():
        torch.testing.assert_close(run(x), module(x), rtol=1e-4, atol=1e-5)

    check()
    module[0].weight.mul_(2)
    check()
    module[1].running_mean.add_(1)
    check()
    module.load_state_dict({k: v + 1 for k, v in module.state_dict().items()})
    check()
    module.load_state_dict({k: v + 1 for k, v in module.state_dict().items()}, assign=True)
    check()
    module[0].weight.data = module[0].weight.data * 3
    check()


@torch.no_grad()
def test_one_graph_for_two_modules():
    first, second, x = nn.Linear(5, 4), nn.Linear(5, 4), torch.randn(3, 5)
    run = compiled(lambda module, x: module(x) * 3)
    for module in (first, second, first, second):
        torch.testing.assert_close(run(module, x), module(x) * 3)
    for _ in range(5):  # one whose tensors take the place of those of the last
        module = None
        module = nn.Linear(5, 4)
        torch.testing.assert_close(run(module, x), module(x) * 3)


@torch.no_grad()
def test_a_weight_that_would_be_infinite_is_not_folded():
    module, x = nn.Linear(5, 4, bias=False), torch.zeros(3, 5)
    module.weight.fill_(1e30)
    torch.testing.assert_close(compiled(lambda x: module(x) * 1e30)(x), module(x) * 1e30)


@torch.no_grad()
def test_a_buffer_that_is_written_is_not_frozen():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(4))

        def forward(self, x):
            y = x + self.count.exp()
            self.count.add_(1)
            return y

    found, wanted, x = Counting(), Counting(), torch.randn(3, 4)
    run = compiled(found)
    for _ in range(3):
        torch.testing.assert_close(run(x), wanted(x))


@torch.no_grad()
def test_what_the_caller_gets_is_its_own():
    """A parameter, a view of one and what is computed of one: written by the caller, no later call shows it."""
    weight, x = nn.Parameter(torch.ones(4)), torch.randn(4)
    run = compiled(lambda x: (x * weight.exp(), weight.exp(), weight[1:], weight))
    _, made, view, same = run(x)
    assert same is weight and view.data_ptr() == weight[1:].data_ptr()
    made.zero_()
    torch.testing.assert_close(run(x)[1], weight.exp())


class Attention(nn.Module):
    """Projections of one input: three with biases, two without."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, 8) for _ in range(3))
        self.up, self.gate = (nn.Linear(8, 12, bias=False) for _ in range(2))

    def forward(self, x):
        q, k, v = (part(x).unflatten(-1, (2, 4)).transpose(1, 2) for part in (self.q, self.k, self.v))
        attended = nn.functional.scaled_dot_product_attention(q, k * 0.5, v).transpose(1, 2).flatten(2)
        return torch.cat([self.up(x) * self.gate(x).sigmoid(), attended], -1)


@pytest.mark.parametrize("options", [{}, {"freezing": False}, {"host": "python"}])
@torch.no_grad()
def test_linear_layers_of_one_input(options):
    module = Attention()
    run = compiled(module, group_linears=True, verify_each=True, **options)
    with collect_reports(stages=True) as reports:
        for length in (5, 6, 9):
            x = torch.randn(2, length, 8)
            torch.testing.assert_close(run(x), module(x))
    assert all('"aten.baddbmm"' in r.stages["aten"] and '"aten.bmm"' in r.stages["aten"] for r in reports)
    assert not any('"aten.addmm"' in r.stages["aten"] for r in reports)


@torch.no_grad()
def test_symbolic_sizes_half_types_and_stop_after():
    module = lively(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4)))
    for options in ({}, {"stop_after": "aten"}, {"host": "python"}):
        run = compiled(module, **options)
        for size in (8, 9, 12):
            x = torch.randn(2, 3, size, size)
            torch.testing.assert_close(run(x), module(x), rtol=1e-4, atol=1e-4)
    half, x = copy.deepcopy(module).bfloat16(), torch.randn(2, 3, 8, 8)
    torch.testing.assert_close(compiled(half)(x.bfloat16()).float(), module(x), rtol=0.1, atol=0.1)


@torch.inference_mode()
def test_in_inference_mode():
    module, x = lively(nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))), torch.randn(2, 3, 8, 8)
    torch.testing.assert_close(compiled(module)(x), module(x), rtol=1e-4, atol=1e-5)


def test_training_is_refused():
    module = nn.Linear(5, 4)
    with pytest.raises(Exception, match="option freezing: gradients are wanted here; call under torch.no_grad"):
        compiled(module)(torch.randn(3, 5))
