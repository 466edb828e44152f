"""What a training step on a GPU saves. The tensors are the CPU's; rules that ask whether they are on a GPU are told that they are."""

import functools
from dataclasses import replace
from unittest import mock

import pytest
import torch
from mlirind.frontend.counters import counters
from mlirind.frontend.decompositions.table import decomposition_table
from mlirind.frontend.joint import cheap_values
from mlirind.frontend.joint.joint_partition import partition_joint
from mlirind.options import Options
from mlirind.passes import split_group_norm
from mlirind.torch_internals.aot import boxed_function
from torch import nn
from torch._dynamo import disable
from torch._functorch.aot_autograd import aot_module_simplified
from torch.nn import functional as F

pytestmark = pytest.mark.usefixtures("fresh_counters")


def backend(graph_module, inputs):
    options = replace(Options(), verify_each=True, fallback=False)

    def partition(*args, **kwargs):
        with (
            mock.patch.object(split_group_norm, "_is_on_gpu", lambda info: True),
            mock.patch.object(cheap_values, "_is_on_gpu", lambda value: True),
        ):
            return partition_joint(*args, options=options, **kwargs)

    def run(graph_module, inputs):
        return boxed_function(graph_module.forward)

    table = decomposition_table()
    return aot_module_simplified(
        graph_module, inputs, fw_compiler=run, bw_compiler=run, partition_fn=disable(partition), decompositions=table
    )


def step(module, call, x):
    """What a training step gives, and the dtype and element count of each storage that it saves."""
    saved = {}

    def pack(t):
        saved[t.untyped_storage().data_ptr()] = (t.dtype, t.numel())
        return t

    x = x.clone().requires_grad_()
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        result = call(x)
    result.float().square().mean().backward()
    return [result.detach(), x.grad, *(p.grad for p in module.parameters())], list(saved.values())


class GroupNorms(nn.Module):
    """A convolution in a half type, a group norm in float32 of its result, SiLU and a convolution, as autocast has them."""

    def __init__(self, affine=True, rank=2):
        super().__init__()
        torch.manual_seed(0)
        convolution = {1: nn.Conv1d, 2: nn.Conv2d}[rank]
        self.first = convolution(3, 8, 3).to(torch.bfloat16)
        self.norm = nn.GroupNorm(4, 8, affine=affine)
        self.last = convolution(8, 5, 3).to(torch.bfloat16)
        if affine:
            nn.init.normal_(self.norm.weight)
            nn.init.normal_(self.norm.bias)

    def forward(self, x):
        """Convolution, norm, SiLU, convolution."""
        return self.last(F.silu(self.norm(self.first(x).float())).to(torch.bfloat16))


CASES = {
    "images": (GroupNorms, (4, 3, 90, 70)),
    "without weight and bias": (functools.partial(GroupNorms, affine=False), (4, 3, 90, 70)),
    "rows": (functools.partial(GroupNorms, rank=1), (4, 3, 6000)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_group_norm_saves_its_operand_in_the_half_type(name):
    make, sizes = CASES[name]
    x = torch.randn(sizes, dtype=torch.bfloat16)
    expected, _ = step(eager := make(), eager, x)
    module = make()
    found, saved = step(module, torch.compile(module, backend=backend, dynamic=False), x)
    torch.testing.assert_close(found, expected, rtol=2e-2, atol=2e-2)
    with torch.no_grad():
        size = module.first(x).numel()
    assert sorted(str(d) for d, n in saved if n == size) == ["torch.bfloat16"] * 2, "the norm's operand, and SiLU's result"
    assert not counters.joint_unchanged


def test_a_group_norm_in_a_half_type_stays_whole():
    """Its statistics are rounded; what eager's kernel makes of them is not what operators on elements make."""
    module = nn.Sequential(nn.GroupNorm(2, 4), nn.SiLU()).to(torch.bfloat16)
    x = torch.randn(2, 4, 300, 60, dtype=torch.bfloat16)
    expected, _ = step(module, module, x)
    for parameter in module.parameters():
        parameter.grad = None
    found, _ = step(module, torch.compile(module, backend=backend, dynamic=False), x)
    torch.testing.assert_close(found, expected, rtol=2e-2, atol=2e-2)
    assert not counters.joint_unchanged


def pooled(module, x):
    return F.max_pool2d(torch.relu(module(x)), 3, 2, 1)


def test_what_a_pool_takes_the_largest_of_is_computed_again():
    """The pool's gradient reads the sizes of its operand, and ReLU's gradient what a kernel makes of the convolution's result. The bias of
    the norm is saved, which eager does not need."""
    torch.manual_seed(0)
    x = torch.randn(4, 3, 90, 70)

    def make():
        torch.manual_seed(1)
        module = nn.Sequential(nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4))
        nn.init.normal_(module[1].bias)
        return module

    module = make()
    expected, _ = step(module, functools.partial(pooled, module), x)
    module = make()
    found, saved = step(module, torch.compile(functools.partial(pooled, module), backend=backend, dynamic=False), x)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        size = module[0](x).numel()
    assert [n for _, n in saved].count(size) == 1, "the convolution's result"
    assert not counters.joint_unchanged


def test_a_product_reads_the_float32_copy_that_is_saved():
    """No kernel reads it, so that a copy made again would be one more tensor."""
    torch.manual_seed(0)
    weight = nn.Linear(64, 64)
    x = torch.randn(512, 64, dtype=torch.bfloat16)

    def function(x):
        return weight((x * 2).float())

    expected, _ = step(weight, function, x)
    for parameter in weight.parameters():
        parameter.grad = None
    found, saved = step(weight, torch.compile(function, backend=backend, dynamic=False), x)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)
    assert (torch.float32, x.numel()) in saved


def test_a_loss_reads_logits_of_a_half_type_through_a_view():
    """Models cast their logits, then view them as rows."""
    torch.manual_seed(0)
    layer = nn.Linear(32, 700, dtype=torch.bfloat16)
    x, labels = torch.randn(4, 30, 32, dtype=torch.bfloat16), torch.randint(700, (120,))

    def function(x):
        return F.cross_entropy(layer(x).float().view(-1, 700), labels)

    expected, _ = step(layer, function, x)
    for parameter in layer.parameters():
        parameter.grad = None
    found, saved = step(layer, torch.compile(function, backend=backend, dynamic=False), x)
    torch.testing.assert_close(found, expected, rtol=2e-2, atol=2e-3)
    assert [d for d, n in saved if n == 120 * 700] == [torch.bfloat16]
    assert not counters.joint_unchanged
