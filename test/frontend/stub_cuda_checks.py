"""What a process without a GPU does with libraries for GPUs, on the machine of `stub_cuda.py`: `python stub_cuda_checks.py FOLDER` runs all
checks and prints a JSON object of those that failed. `test_aot_gpu.py` writes the folder."""

from __future__ import annotations

import ctypes
import json
import re
import sys
import threading
import traceback
from pathlib import Path

import pytest
import torch
from stub_cuda import Model, StubMachine

FOLDER = Path(sys.argv[1]) if __name__ == "__main__" else Path()
ROWS = 48


class Layers(torch.nn.Module):
    """Kernels around a product, with a parameter of its own and a constant."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear, self.factor = torch.nn.Linear(ROWS, 24), torch.tensor(3.0)

    def forward(self, x):
        return self.linear(x).softmax(-1) * self.factor + torch.arange(24, device=x.device), x.sum(-1)


class Product(torch.nn.Module):
    def forward(self, x, y):
        return x @ y


def machine(*capabilities: int) -> StubMachine:
    return StubMachine(FOLDER, capabilities or (90,))


def layers(on: StubMachine, device: str = "cuda") -> Model:
    return Model(on, str(FOLDER / "layers.so"), device)


def same(results, expected):
    for result, wanted in zip(results, expected, strict=True):
        torch.testing.assert_close(result, wanted)


def raises(text, call, *arguments, **options):
    with pytest.raises(RuntimeError, match=re.escape(text)):
        call(*arguments, **options)


def check_sizes_within_bounds_and_the_callers_stream():
    module, on = Layers(), machine()
    model = layers(on)
    for rows, stream in ((1, 0), (7, 5), (32, 6)):
        x = torch.randn(rows, ROWS)
        same(model(x, stream=stream), module(x))
        assert {launch[:3] for launch in on.launches} == {(0, stream, "sm_90")}
        on.launches.clear()
    raises("dimension 0: the size is 33, but it must be from 1 to 32", model, torch.randn(33, ROWS))
    assert not on.launches and not on.stack
    model.close()


def check_addresses_and_sizes_choose_the_code():
    """Code that assumes multiples of 16 where they are, and other code where they are not: the machine compares all arguments."""
    module, on = Layers(), machine()
    model = layers(on)
    assumed = []
    for rows, shift in ((4, 0), (16, 0), (4, 1)):
        x = torch.randn(rows * ROWS + 4)[shift : shift + rows * ROWS].view(rows, ROWS)
        same(model(x), module(x))
        assumed.append({launch[3] for launch in on.launches})
        on.launches.clear()
    assert assumed[0] == assumed[1] and any("1" in text for text in assumed[0])
    (shifted,) = assumed[2] - assumed[0]
    assert set(shifted) == {"0"}
    model.close()


def check_gpus_get_the_code_that_fits():
    module, x = Layers(), torch.randn(4, ROWS)
    for capability, target in ((80, "sm_80"), (86, "sm_80"), (89, "sm_80"), (90, "sm_90")):
        on = machine(capability)
        model = layers(on)
        same(model(x), module(x))
        assert {launch[2] for launch in on.launches} == {target}
        model.close()
    for capability in (75, 100):
        raises(f"the library has code for sm_80, sm_90, which does not fit cuda:0, a GPU of sm_{capability}", layers, machine(capability))


def check_several_gpus():
    module, on = Layers(), machine(90, 86)
    first, second, third = layers(on), layers(on, "cuda:1"), layers(on, "cuda:1")
    assert on.retained == [0, 1]
    x, y = torch.randn(4, ROWS), torch.randn(5, ROWS)
    on.indices |= {y.data_ptr(): 1}
    same(first(x), module(x))
    assert {launch[:3] for launch in on.launches} == {(0, 0, "sm_90")}
    on.launches.clear()
    same(second(y), module(y))
    same(third(y), module(y))
    assert {launch[:3] for launch in on.launches} == {(1, 0, "sm_80")}
    raises("input 0 (x): the library was compiled for a GPU, and loaded for cuda:1; the tensor is elsewhere", second, x)
    on.on_cpu.add(x.data_ptr())
    raises("input 0 (x): the library was compiled for a GPU, and loaded for cuda:0; the tensor is elsewhere", first, x)
    raises("the device's context: CUDA error 101: made up", layers, on, "cuda:2")
    raises("the library was compiled for the device cuda", layers, on, "cpu")
    second.close()
    same(third(y), module(y))
    first.close()
    third.close()
    assert not on.loaded and not on.retained and not on.stack


def check_threads_and_constants():
    """Each call sees all old or all new constants; a thread that has not used the GPU yet gets a context."""
    old, new, on = Layers(), Layers(), machine()
    with torch.no_grad():
        new.linear.weight.mul_(2)
        new.linear.bias.add_(1)
    model, x = layers(on), torch.randn(4, ROWS)
    expected = [old(x)[0].detach(), new(x)[0].detach()]
    values = [{f"linear_{name}": getattr(module.linear, name).detach() for name in ("weight", "bias")} for module in (old, new)]
    wrong = []

    def calls():
        for _ in range(3):
            result = model(x)[0]
            if not any(torch.allclose(result, one, atol=1e-5) for one in expected):
                wrong.append(result)

    threads = [threading.Thread(target=calls) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in (1, 0, 1):
        model.update(values[number])
    for thread in threads:
        thread.join()
    assert not wrong
    torch.testing.assert_close(model(x)[0], expected[1])
    model.close()


def check_constants_are_replaced():
    module, on = Layers(), machine()
    model, x = layers(on), torch.randn(4, ROWS)
    waits = on.waits
    new = torch.randn(24)
    model.update({"linear_bias": new}, inactive=True)
    assert on.waits > waits  # the copy is done
    same(model(x), module(x))
    assert model.library.AOTInductorModelContainerSwapConstantBuffer(model.container) == 0
    with torch.no_grad():
        module.linear.bias.copy_(new)
    same(model(x), module(x))
    from_cpu = torch.randn(24)
    on.on_cpu.add(from_cpu.data_ptr())
    model.update({"linear_bias": from_cpu}, "UpdateConstantBufferFromCpuPairs")
    with torch.no_grad():
        module.linear.bias.copy_(from_cpu)
    same(model(x), module(x))
    wrong = "the constant linear_bias: its new value has another dtype, shape, layout or device"
    raises(wrong, model.update, {"linear_bias": from_cpu}, "UpdateUserManagedConstantBufferPairs")
    elsewhere = torch.randn(24)
    on.indices[elsewhere.data_ptr()] = 1
    raises(wrong, model.update, {"linear_bias": elsewhere}, "UpdateUserManagedConstantBufferPairs")
    own = torch.randn(24)
    model.update({"linear_bias": own}, "UpdateUserManagedConstantBufferPairs")
    own.zero_()
    with torch.no_grad():
        module.linear.bias.zero_()
    same(model(x), module(x))
    model.close()


def check_weights_beside_the_library():
    """The file's values are on the CPU; the library copies them to the GPU."""
    module, on, x = Layers(), machine(), torch.randn(4, ROWS)
    model = Model(on, str(FOLDER / "beside.so"))
    raises("the weights are beside the library: load them first", model, x)
    content = ctypes.create_string_buffer((FOLDER / "beside_weights.blob").read_bytes())
    start = ctypes.addressof(content)
    on.cpu_memory = range(start, start + len(content))
    assert model.library.AOTInductorModelUpdateConstantsFromBlob(model.container, content) == 0
    ctypes.memset(start, 0, len(content))
    same(model(x), module(x))
    model.close()


def check_launches_that_fail():
    module, on, x = Layers(), machine(), torch.randn(4, ROWS)
    model = layers(on)
    on.statuses.append(700)
    raises(": CUDA error 700: made up", model, x)
    on.statuses.append(201)  # the thread's context was another one
    same(model(x), module(x))
    assert not on.stack
    model.close()


def check_what_is_written():
    on = machine()
    first, second = (Model(on, str(FOLDER / "counter.so")) for _ in range(2))
    for count in (1, 2):
        same(first(torch.ones(3)), [torch.full((3,), 1.0 + count)])
    same(second(torch.ones(3)), [torch.full((3,), 2.0)])
    first.close()
    second.close()


def check_operators_alone():
    on, x, y = machine(70), torch.randn(300, 256), torch.randn(256, 400)
    model = Model(on, str(FOLDER / "product.so"))
    same(model(x, y, stream=3), [x @ y])
    assert not on.launches and not on.loaded
    model.close()


def main() -> None:
    """Runs all checks."""
    failures = {}
    torch.set_grad_enabled(False)
    for name, check in [(name, value) for name, value in globals().items() if name.startswith("check_")]:
        try:
            check()
        except BaseException:  # noqa: BLE001  (all are reported)
            failures[name] = traceback.format_exc()
    print(json.dumps(failures))


if __name__ == "__main__":
    main()
