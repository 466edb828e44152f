"""Programs whose compiled graphs come from the cache, in this process or in another: `python cached_programs.py hit` runs all, and fails if
a result differs from eager's or a graph was not found."""

import sys

import mlirind
import torch
from mlirind.disk_cache import container, folder
from mlirind.frontend.counters import counters
from mlirind.tools.backends import find_backend
from torch.nn.attention.flex_attention import flex_attention

# What a process does not import if all its graphs are found: MLIR with LLVM, the compiler, Inductor's code generator. PyTorch itself
# imports Triton.
COMPILER = ("torch_mlir", "mlirind.passes", "mlirind.lowering", "mlirind.frontend.tracing", "torch._inductor.codegen.wrapper")
OPTIONS = {"cache": True, "verify_each": False}


def softmax(x, w):
    return torch.softmax(x @ w, -1).exp()


def loss(x, w):
    return torch.nn.functional.gelu(torch.nn.functional.layer_norm(x, (6,)) @ w).sum(-1)


def grows(x, w):
    return torch.cat([x @ w, x @ w + 1]).sum(1) * x.shape[0]


def writes(x, w):
    x.add_(1)
    x[0].mul_(2)
    return x @ w


def shares(x, w):
    return x.view(-1), x[1:], x.t(), w + 1


def calls(x, w):
    return x.topk(3), x.sort(), x.cumsum(0), w.erf()


def holds(x, w):
    return x * torch.tensor([1.0, 2, 3, 4, 5, 6]), w.half().sum(0)


def takes(x, w):
    return x[torch.tensor([0, 3, 1])] * 2, x[..., 1:].sin(), w.sum()


def convolves(x, w):
    return torch.nn.functional.conv1d(x[None], w.t().reshape(3, 4, 2)).relu()


def attends(x, w):
    q = x.view(1, 1, 4, 6)
    return flex_attention(q, q, q, score_mod=lambda score, b, h, i, j: score + w[i, j] * (i - j)), w.sum()


@torch.library.custom_op("cached_programs::scaled", mutates_args=())
def scaled(x: torch.Tensor, by: float) -> torch.Tensor:
    return x * by


@scaled.register_fake
def _(x, by):
    return torch.empty_like(x)


scaled.register_autograd(
    lambda ctx, grad: (scaled(grad, ctx.by), None), setup_context=lambda ctx, inputs, output: setattr(ctx, "by", inputs[1])
)
mlirind.identify_operator("cached_programs::scaled", "1")


def custom(x, w):
    return scaled((x @ w).relu(), 2.5).sum(0) + 1, torch.ops.cached_programs.scaled(w, 2.0)


# Program, whether it is trained, whether sizes are symbolic, number of graphs.
PROGRAMS = {
    "inference": (softmax, False, False, 1),
    "training": (loss, True, False, 2),
    "dynamic": (grows, False, True, 1),
    "dynamic training": (grows, True, True, 2),
    "written inputs": (writes, False, False, 1),
    "outputs that share memory": (shares, False, False, 1),
    "operators": (calls, False, False, 1),
    "a constant": (holds, False, False, 1),
    "indices": (takes, False, False, 1),
    "a custom operator": (custom, True, False, 2),
    "attention": (attends, False, False, 1),
    "a convolution": (convolves, True, False, 2),
}


def inputs(trains):
    torch.manual_seed(0)
    return [torch.randn(4, 6).requires_grad_(trains), torch.randn(6, 4).requires_grad_(trains)]


def seen(function, trains, given=None):
    """What a caller sees: results, strides, memory that is shared with an input, inputs after the call, gradients."""
    given = inputs(trains) if given is None else given
    with torch.set_grad_enabled(trains):
        made = torch.utils._pytree.tree_leaves(function(*given))
        if trains:
            sum(t.square().sum() for t in made).backward()
    shared = [[t.untyped_storage().data_ptr() == i.untyped_storage().data_ptr() for i in given] for t in made]
    gradients = [i.grad for i in given if trains]
    return [*made, *given, *gradients], [t.stride() for t in made], shared


def agree(found, wanted):
    return found[1:] == wanted[1:] and all(torch.allclose(a, b, rtol=1e-5, atol=1e-6) for a, b in zip(found[0], wanted[0], strict=True))


def compiled(function, dynamic=False, **options):
    """The function, compiled anew, with the counts at 0."""
    torch._dynamo.reset()
    counters.reset()
    return torch.compile(function, backend=find_backend("mlirind"), dynamic=dynamic, options=OPTIONS | options)


def run(name, **options):
    """Compiles a program anew; returns whether it agrees with eager, and the counts of the cache."""
    program, trains, dynamic, _ = PROGRAMS[name]
    found = seen(compiled(program, dynamic, **options), trains)
    return agree(found, seen(program, trains)), dict(counters.cache)


def counts_of(wanted, graphs):
    """The counts of a program all of whose graphs are found, and that is not traced ("hit"), or none ("miss")."""
    return {wanted: graphs, f"traced {wanted}": 1}


def traced_files():
    """The files that keep what AOTAutograd made, in any order."""
    return [e for e in folder.cached_files() if "has_gradient" in container.unpack_entry(e.key, e.path.read_bytes())[0]]


def graph_files():
    """The files that keep compiled graphs, in any order."""
    traced = {e.key for e in traced_files()}
    return [e for e in folder.cached_files() if e.key not in traced]


def forget_traced():
    """Removes the files that keep what AOTAutograd made."""
    for entry in traced_files():
        entry.path.unlink()


def main(wanted):
    for name, (_, _, _, graphs) in PROGRAMS.items():
        right, counts = run(name)
        print(f"{name}: {'right' if right else 'wrong'}, {counts}")
        if not right or counts != counts_of(wanted, graphs):
            sys.exit(1)
    if wanted == "hit":
        print(imported := sorted(set(COMPILER) & sys.modules.keys()))
        sys.exit(bool(imported))


if __name__ == "__main__":
    main(sys.argv[1])
