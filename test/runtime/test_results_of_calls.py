"""What an operator of ATen gives is the caller's as in eager mode: a tensor of its own, also where its kernel makes it as a view."""

import ctypes

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.frontend import compile as compile_module
from mlirind.runtime.host import native_runner
from mlirind.torch_internals import python_objects

attention = torch.nn.functional.scaled_dot_product_attention
WRITTEN = "one of the variables needed for gradient computation has been modified by an inplace operation"
key_is_passed_by = torch._C._dispatch_tls_is_dispatch_key_excluded
pass_key_by = torch._C._dispatch_tls_set_dispatch_key_excluded


def inputs(**kwargs):
    torch.manual_seed(0)
    return [torch.randn(2, 4, n, 8, **kwargs) for n in (5, 6, 6)]


def compiled(function, backend):
    torch._dynamo.reset()
    return torch.compile(function, backend=backend)


def test_a_result_may_be_written_after_inference(backend):
    """On the CPU the fused operator's result is a transposed tensor: no view that was made without gradients."""

    def run(function):
        w = torch.ones(8, requires_grad=True)
        with torch.no_grad():
            result = function(*inputs())
        assert not result._is_view()
        result.mul_(w).sum().backward()
        return result.detach(), w.grad

    torch.testing.assert_close(run(compiled(attention, backend)), run(attention))
    assert not key_is_passed_by("ADInplaceOrView")


def test_a_result_that_is_written_before_the_backward(backend):
    """Autograd keeps the result, in eager mode too, and says that it was written."""
    for function in (attention, compiled(attention, backend)):
        result = function(*inputs(requires_grad=True))
        result.mul_(3)
        with pytest.raises(RuntimeError, match=WRITTEN):
            result.sum().backward()


def test_a_call_that_fails(backend, monkeypatch):
    """The thread is as before behind an operator that raises; where it passes the key by already, it goes on so."""
    made = []
    build = compile_module.build_runner
    monkeypatch.setattr(compile_module, "build_runner", lambda *args: made.append(build(*args)) or made[-1])
    compiled(lambda x: torch.topk(x, 3), backend)(torch.rand(4, 5))
    for outer in (False, True):
        pass_key_by("ADInplaceOrView", outer)
        try:
            with pytest.raises(RuntimeError, match="out of range"):
                made[0]([torch.rand(4, 2)])
            assert key_is_passed_by("ADInplaceOrView") == outer
        finally:
            pass_key_by("ADInplaceOrView", False)


def test_a_pytorch_without_these_functions(monkeypatch):
    """Then views are noted as they are: nothing is called."""
    assert all(python_objects.views_switch())
    with monkeypatch.context() as patch:
        patch.setattr(python_objects, "IS_EXCLUDED", "no_such_function")
        assert python_objects._views_switch() == (0, 0, 0)
        patch.setattr(python_objects, "views_switch", lambda: (0, 0, 0))
        patch.setattr(native_runner, "object_table", python_objects.object_table.__wrapped__)
        with compile_context():
            addresses, _engine = native_runner._support.__wrapped__()
        hide = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(addresses["mlirind_host_hide_views"])
        assert hide(1) == 0 and not key_is_passed_by("ADInplaceOrView")
    with compile_context():
        addresses, _engine = native_runner._support()
    hide = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(addresses["mlirind_host_hide_views"])
    assert hide(1) == 0 and key_is_passed_by("ADInplaceOrView")
    assert hide(0) == 1 and not key_is_passed_by("ADInplaceOrView")
