"""Dynamo traces nothing of ours: in its whole life a function breaks graphs where it does with `aot_eager`, and no more frames are seen."""

import contextlib

import pytest
import torch
from mlirind.tools.backends import find_backend
from torch._dynamo.utils import counters


def network():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2))


def forward(backend):
    compiled = torch.compile(network(), backend=backend)
    with torch.no_grad():
        for rows in (3, 3, 5, 7):
            compiled(torch.ones(rows, 4))


def backward_outside(backend):
    compiled = torch.compile(network(), backend=backend)
    for rows in (3, 3, 5, 7):
        compiled(torch.ones(rows, 4, requires_grad=True)).sum().backward()


def backward_inside(backend, **kwargs):
    model = network()

    @torch.compile(backend=backend, **kwargs)
    def step(x):
        loss = model(x).sum()
        loss.backward()
        return loss.detach() + 1

    for rows in (3, 3, 5, 7):
        step(torch.ones(rows, 4))


def optimizer_inside(backend):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.compile(backend=backend)
    def step(x):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

    for rows in (3, 3, 5):
        step(torch.ones(rows, 4))


def compiled_backward_of_a_compiled_forward(backend):
    """The backward is called by a compiled function, and is compiled there first."""
    compiled = torch.compile(network(), backend=backend)

    @torch.compile(backend=backend)
    def finish(loss):
        loss.backward()

    for rows in (3, 3, 5):
        finish(compiled(torch.ones(rows, 4)).sum())


def dynamic(backend):
    backward_inside(backend, dynamic=True)


def compiled_autograd(backend):
    model = network()

    @torch.compile(backend=backend)
    def step(x):
        model(x).sum().backward()

    with torch._dynamo.config.patch(compiled_autograd=True):
        for rows in (3, 3, 5):
            step(torch.ones(rows, 4))


def nested(backend):
    inner = torch.compile(network(), backend=backend)

    @torch.compile(backend=backend)
    def outer(x):
        return torch.relu(inner(torch.sin(x)))

    for rows in (3, 5):
        outer(torch.ones(rows, 4)).sum().backward()


def gradients_of_gradients(backend):
    x = torch.ones(3, 4, requires_grad=True)

    @torch.compile(backend=backend)
    def step(x):
        (gradient,) = torch.autograd.grad(torch.sin(x).sum(), x, create_graph=True)
        return gradient.sum()

    compiled = torch.compile(lambda x: torch.sin(x) * x, backend=backend)
    (gradient,) = torch.autograd.grad(compiled(x).sum(), x, create_graph=True)
    with contextlib.suppress(RuntimeError):  # AOTAutograd refuses it
        torch.compile(lambda g: torch.autograd.grad(g.sum(), x), backend=backend)(gradient)
    with contextlib.suppress(RuntimeError):
        step(x).backward()


def hooks(backend):
    model = network()
    compiled = torch.compile(model, backend=backend)
    model[0].weight.register_hook(lambda gradient: gradient * 2)
    pack, unpack = (lambda t: t.clone()), (lambda t: t)

    @torch.compile(backend=backend)
    def finish(loss):
        loss.backward()

    for _ in range(2):
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            loss = compiled(torch.ones(3, 4)).sum()
        loss.register_hook(lambda gradient: gradient + 1)
        finish(loss)


@torch.library.custom_op("untraced::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return doubled(x)


def doubled(x):
    return x * 2


twice.register_fake(lambda x: torch.empty_like(x))
twice.register_autograd(lambda ctx, gradient: twice(gradient))


def custom_operators(backend):
    """Python that PyTorch calls from our backward."""

    @torch.compile(backend=backend)
    def step(x):
        twice(torch.sin(x)).sum().backward()

    for rows in (3, 3, 5):
        step(torch.ones(rows, 4, requires_grad=True))


def unusual_gradients(backend):
    """Batches of gradients, and some with the negative bit."""
    compiled = torch.compile(lambda x: (torch.sin(x), torch.cos(x)), backend=backend)

    @torch.compile(backend=backend)
    def finish(x):
        a, b = compiled(x)
        torch.autograd.backward((a, b), (torch.ones(4), torch.zeros(4, dtype=torch.cfloat).conj().imag))

    for _ in range(2):
        finish(torch.ones(4, requires_grad=True))
    x = torch.ones(4, requires_grad=True)
    torch.autograd.grad(compiled(x)[0], x, torch.eye(4), is_grads_batched=True)


LIVES = [
    forward,
    backward_outside,
    backward_inside,
    optimizer_inside,
    compiled_backward_of_a_compiled_forward,
    dynamic,
    compiled_autograd,
    nested,
    gradients_of_gradients,
    hooks,
    custom_operators,
    unusual_gradients,
]


def counted(life, backend):
    """Frames and graph breaks."""
    torch._dynamo.reset()
    counters.clear()
    life(backend)
    counted = {name: dict(counters[name]) for name in ("frames", "stats", "graph_break", "unimplemented")}
    torch._dynamo.reset()
    return counted


@pytest.mark.parametrize("life", LIVES)
def test_frames_and_breaks_are_those_of_aot_eager(life):
    expected, found = counted(life, "aot_eager"), counted(life, find_backend("mlirind"))
    own, others = found.pop("frames"), expected.pop("frames")
    # With `dynamic=True` Dynamo looks at three frames of AOTAutograd's own backward, which is not called here.
    assert 0 < own["total"] <= others["total"]
    assert own["total"] - own["ok"] <= others["total"] - others["ok"]
    assert found == expected


def test_a_backward_within_a_compiled_frame_is_looked_at():
    """The numbers tell: a callable of Python that is not ours is traced where a compiled function calls `backward()`."""

    class Traced(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x + 1

        @staticmethod
        def backward(ctx, gradient):
            return doubled(gradient)

    y = Traced.apply(torch.ones(3, requires_grad=True)).sum()
    torch._dynamo.reset()
    counters.clear()
    torch.compile(lambda: y.backward(), backend="aot_eager")()
    assert counters["stats"]["calls_captured"] > 0
