"""What the key of a cached graph contains: each part alone is changed. Nothing is compiled: a graph that is looked up runs through FX."""

import dataclasses

import pytest
import torch
from cached_programs import compiled
from mlirind.frontend import backend
from mlirind.frontend.caching import cached_graphs, stored_graphs, traced_graphs
from mlirind.options import Options
from mlirind.runtime.artifacts import surroundings
from mlirind.runtime.cuda.launching import driver
from torch import fx
from torch.nn.attention.flex_attention import create_block_mask, flex_attention


@pytest.fixture(params=["traced graphs", "captured graphs"])
def keys(monkeypatch, request):
    """The keys that are looked up, in order: those of compiled graphs, or those of what AOTAutograd makes."""
    found = []

    def load_graph(key, constants, name, again, otherwise):
        found.append(key)
        return otherwise

    def load_traced(key, graph_module, inputs):
        found.append(key)
        return graph_module.forward

    if request.param == "traced graphs":
        monkeypatch.setattr(backend, "traced_key", lambda *_: None)
        monkeypatch.setattr(cached_graphs, "load_graph", load_graph)
    else:
        monkeypatch.setattr(backend, "load_traced", load_traced)
    return found


LINE = "def program(x): return {}\n"
BASE = "torch.softmax(x * 2.0, -1)"


def program(expression=BASE, before=""):
    namespace = {"torch": torch}
    exec(compile(before + LINE.format(expression), "program.py", "exec"), namespace)
    return namespace["program"]


def look_up(function=None, given=None, dynamic=False, **options):
    compiled(function or program(), dynamic, **options)(torch.ones(4, 6) if given is None else given)


def check_apart(keys):
    """The second of three keys is another one."""
    first, second, third = keys
    assert first == third != second


CHANGED_GRAPHS = {
    "operator": ("torch.softmax(x + 2.0, -1)", torch.ones(4, 6)),
    "number": ("torch.softmax(x * 2.5, -1)", torch.ones(4, 6)),
    "type of a number": ("torch.softmax(x * 2, -1)", torch.ones(4, 6)),
    "sign of zero": ("torch.softmax(x * -0.0, -1)", torch.ones(4, 6)),
    "argument": ("torch.softmax(x * 2.0, 0)", torch.ones(4, 6)),
    "size": (BASE, torch.ones(4, 7)),
    "rank": (BASE, torch.ones(4, 6, 1)),
    "stride": (BASE, torch.ones(6, 4).t()),
    "dtype": (BASE, torch.ones(4, 6).half()),
    "offset": (BASE, torch.ones(5, 6)[1:]),
    "storage": (BASE, torch.ones(5, 6)[:4]),
    "output": ("(torch.softmax(x * 2.0, -1), x * 2.0)", torch.ones(4, 6)),
    "written input": ("torch.softmax(x.mul_(2.0), -1)", torch.ones(4, 6)),
}


@pytest.mark.parametrize("change", CHANGED_GRAPHS)
def test_a_change_of_the_graph_is_a_miss(change, keys):
    expression, given = CHANGED_GRAPHS[change]
    look_up()
    look_up(program(expression), given)
    look_up()
    check_apart(keys)


ATTENTION = """
def program(q, bias, blocks):
    def score(s, b, h, i, j):
        return {score}
    return flex_attention(q, q, q, score_mod=score, block_mask=blocks, scale={scale}, kernel_options={options})

def mask(b, h, i, j):
    return {mask}
"""
ATTENTIONS = {
    "score function": {"score": "s - bias[h] * (i - j)"},
    "number in it": {"score": "s + bias[h] * (i - j) * 2"},
    "sign of zero in it": {"score": "s + bias[h] * (i - j) * -0.0"},
    "dtype of what it reads": {"bias": torch.ones(2, dtype=torch.float64)},
    "size of what it reads": {"bias": torch.ones(3)},
    "mask function": {"mask": "i > j"},
    "number in the mask": {"mask": "i >= j - 1"},
    "no mask": {"mask": ""},
    "block": {"block": 8},
    "scale": {"scale": "0.5"},
    "options": {"options": '{"PRESCALE_QK": True}'},
    "length": {"length": 48},
}


def attend(score="s + bias[h] * (i - j)", mask="i >= j", block=16, scale="None", options="None", length=32, bias=None):
    bias, namespace = torch.ones(2) if bias is None else bias, {"flex_attention": flex_attention}
    exec(compile(ATTENTION.format(score=score, mask=mask, scale=scale, options=options), "program.py", "exec"), namespace)
    blocks = create_block_mask(namespace["mask"], None, None, length, length, "cpu", block) if mask else None
    compiled(namespace["program"])(torch.ones(1, 2, length, 16), bias, blocks)


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
@pytest.mark.parametrize("change", ATTENTIONS)
def test_a_change_of_attention_is_a_miss(change, keys):
    """Its functions are subgraphs."""
    attend()
    attend(**ATTENTIONS[change])
    attend()
    check_apart(keys)


def test_zeros_of_both_signs_are_two_numbers(keys):
    look_up(program("x * 0.0"))
    look_up(program("x * -0.0"))
    look_up(program("x * 0.0"))
    check_apart(keys)


def test_values_of_a_constant_are_part_of_the_key(keys):
    for values in ("[1.0, 2.0]", "[1.0, 3.0]", "[1.0, 2.0]"):
        look_up(program(f"x * torch.tensor({values})"), torch.ones(2))
    check_apart(keys)


def test_the_users_line_is_part_of_the_key(keys):
    """Errors name it."""
    for before in ("", "\n", ""):
        look_up(program(before=before))
    check_apart(keys)


@pytest.mark.parametrize(
    "options",
    [{"rounding": "free"}, {"reuse_memory": False}, {"fuse_attention": False}, {"pad_products": True}, {"group_linears": True},
     {"fallback_random": False}, {"target_features": "-avx2"}, {"partition": "default"}, {"activation_memory_budget": 0.5},
     {"fallback": False}],
    ids=str,
)  # fmt: skip
def test_an_option_is_part_of_the_key(options, keys):
    look_up()
    look_up(**options)
    look_up(dump_dir="elsewhere", reproducer=False)  # without effect on code
    check_apart(keys)


def test_every_option_has_a_place():
    """It is part of the key unless it needs a compilation in each process, or changes no code."""
    names = {field.name for field in dataclasses.fields(Options)}
    assert stored_graphs.WITHOUT_EFFECT == {"reproducer", "dump_dir", "cache"} <= names
    assert set(stored_graphs.NEED_A_COMPILATION) < names


@pytest.mark.parametrize("part", ["mlirind", "torch", "mlir", "python", "libc", "processor", "variables", "facts"])
def test_the_surroundings_are_part_of_the_key(part, keys, monkeypatch):
    known = surroundings.of_process()
    assert list(known) == ["mlirind", "torch", "mlir", "python", "libc", "processor", "variables", "facts"]
    assert known[part]
    look_up()
    with monkeypatch.context() as patched:
        patched.setattr(surroundings, "of_process", lambda: known | {part: "another"})
        look_up()
    look_up()
    check_apart(keys)


@pytest.mark.parametrize("part", surroundings.of_moment())
def test_settings_of_pytorch_are_part_of_the_key(part, keys, monkeypatch):
    known = surroundings.of_moment()
    look_up()
    with monkeypatch.context() as patched:
        patched.setattr(surroundings, "of_moment", lambda: known | {part: "another"})
        look_up()
    look_up()
    check_apart(keys)


def test_settings_are_read_anew():
    known = surroundings.of_moment()
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True)
    try:
        with torch.backends.mkldnn.flags(enabled=False), torch.inference_mode():
            changed = surroundings.of_moment()
    finally:
        torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(False)
    assert {name for name in known if known[name] != changed[name]} == {"default dtype", "deterministic", "mkldnn", "modes"}
    assert surroundings.of_moment() == known


def test_the_range_of_a_symbolic_size_is_part_of_the_key(keys):
    for lowest in (2, 3, 2):
        x = torch.ones(5, 4)
        torch._dynamo.mark_dynamic(x, 0, min=lowest, max=100)
        look_up(program("(x * 2).sum(0)"), x, dynamic=None)
    check_apart(keys)


def test_the_traced_value_of_a_symbolic_size_is_part_of_the_key(keys):
    for size in (5, 6, 5):
        look_up(program("(x * 2).sum(0)"), torch.ones(size, size + 1), dynamic=True)
    check_apart(keys)


def test_what_autograd_needs_is_part_of_the_key(keys):
    for needed in (False, True, False):
        with torch.set_grad_enabled(needed):
            look_up(given=torch.ones(4, 6, requires_grad=needed))
    assert keys[0] == keys[-1] not in keys[1:-1]


@pytest.mark.parametrize("argument", ["static", "donated"])
def test_what_is_known_of_inputs_is_part_of_the_key(argument):
    graph = fx.symbolic_trace(lambda x: x)
    found = [cached_graphs._key(graph, Options(), **{"static": (), "donated": (), argument: given}) for given in ((), (0,), ())]
    check_apart(found)


def test_the_content_of_the_compilers_files_counts(tmp_path, monkeypatch):
    (tmp_path / "one.py").write_text("x = 1\n")
    monkeypatch.setattr(surroundings, "_folders", lambda: [tmp_path])
    found = []
    for text in ("x = 1\n", "x = 2\n", "x = 1\n"):
        (tmp_path / "one.py").write_text(text)
        found.append(surroundings.sources.__wrapped__())
    check_apart([content for content, _ in found])
    assert len({times for _, times in found}) == 3


def test_the_threads_are_no_part_of_the_key(keys):
    """Code asks the OpenMP runtime for its threads in each call."""
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            look_up()
    finally:
        torch.set_num_threads(before)
    assert keys[0] == keys[1]


class Gpu:
    """A driver of one GPU."""

    model, driver = "H200", 13000

    def facts(self, device):
        return [self.model, 90, 132, 50 << 20, self.driver]


@pytest.fixture
def gpu(monkeypatch):
    """Graphs count as graphs on this GPU."""
    found = Gpu()
    monkeypatch.setattr(driver, "driver", lambda: found)
    for module in (cached_graphs, traced_graphs):
        monkeypatch.setattr(module, "gpus_of", lambda values: [0])
    return found


def test_a_graph_on_a_gpu_has_another_key(keys, gpu, monkeypatch):
    look_up()
    with monkeypatch.context() as patched:
        for module in (cached_graphs, traced_graphs):
            patched.setattr(module, "gpus_of", lambda values: [])
        look_up()
    look_up()
    check_apart(keys)


@pytest.mark.parametrize("fact", ["model", "driver"])
def test_the_gpu_is_part_of_the_key(fact, keys, gpu, monkeypatch):
    look_up()
    with monkeypatch.context() as patched:
        patched.setattr(gpu, fact, "another")
        look_up()
    look_up()
    check_apart(keys)


@pytest.mark.parametrize(
    "part", ["devices", "current device", "triton", "triton's settings", "cuda", "cudnn", "products", "libraries", "variables"]
)
def test_what_code_for_gpus_depends_on_is_part_of_the_key(part, keys, gpu, monkeypatch):
    known = surroundings.of_gpus([0])
    assert part in known and len(known) == 9
    look_up()
    with monkeypatch.context() as patched:
        patched.setattr(surroundings, "of_gpus", lambda numbers: known | {part: "another"})
        look_up()
    look_up()
    check_apart(keys)


@pytest.mark.parametrize(
    "name", ["TRITON_DEFAULT_FP_FUSION", "DISABLE_PTXAS_OPT", "PTXAS_OPTIONS", "CUBLAS_WORKSPACE_CONFIG", "TRITON_OVERRIDE_ARCH"]
)
def test_variables_that_choose_code_for_gpus_are_part_of_the_key(name, keys, gpu, monkeypatch):
    look_up()
    with monkeypatch.context() as patched:
        patched.setenv(name, "1")
        patched.setenv("TRITON_CACHE_DIR", "elsewhere")  # without effect on code
        look_up()
    monkeypatch.setenv("TRITON_CACHE_DIR", "elsewhere")
    look_up()
    check_apart(keys)


def test_settings_of_gpus_are_read_anew(gpu):
    known = surroundings.of_gpus([0])
    torch.backends.cuda.matmul.allow_fp16_accumulation = True
    try:
        with torch.backends.cudnn.flags(enabled=False):
            changed = surroundings.of_gpus([0, 1])
    finally:
        torch.backends.cuda.matmul.allow_fp16_accumulation = False
    assert {name for name in known if known[name] != changed[name]} == {"devices", "cudnn", "products"}
    assert surroundings.of_gpus([0]) == known
