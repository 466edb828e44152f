"""Elementwise rules against eager, over dtypes, broadcasting, strides and edge values."""

import itertools
import math
from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest
import torch
from mlirind.dialects.context import compile_context
from mlirind.errors import MlirindError
from mlirind.lowering.aten_to_loop import convert_aten_to_loop
from mlirind.lowering.rules import registry
from mlirind.lowering.rules.pointwise import pointwise
from one_call import OneCall, check, evaluate

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 100.0, -100.0, 1e4, math.inf, -math.inf, math.nan]


def words(text: str) -> list[str]:
    return text.split()


def floats(dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.cat([torch.tensor(EDGES), torch.randn(8, generator=generator)]).to(dtype).reshape(4, 6)


def integers(dtype: torch.dtype) -> torch.Tensor:
    limits = torch.iinfo(dtype)
    values = [limits.min, limits.max, 0, 1, 2, 3, 5, 7, 8, 31, 63, 64, 100, limits.max - 1, limits.min + 1, 13]
    values += [] if dtype == torch.uint8 else [-1, -2, -3, -5, -7, -8, -63, -100]
    return torch.tensor((values * 2)[:24], dtype=dtype).reshape(4, 6)


def skip_where_eager_has_none(name: str, *args: torch.Tensor) -> None:
    """Skips a test of a dtype that eager refuses for the operator: there is nothing to compare with."""
    try:
        OneCall(name, *args).eager()
    except (NotImplementedError, RuntimeError) as error:
        if "not implemented for" not in str(error):
            raise
        pytest.skip(str(error))


UNARY_FLOAT = words(
    "exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sqrt rsqrt reciprocal "
    "sigmoid neg abs sign floor ceil trunc round frac relu gelu silu mish hardsigmoid hardswish hardtanh leaky_relu elu softplus "
    "hardshrink softshrink log_sigmoid_forward isnan isinf isposinf isneginf signbit logical_not nan_to_num sinc deg2rad special_entr "
    "logit clone angle"
)


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", UNARY_FLOAT)
def test_unary(name: str, dtype: torch.dtype) -> None:
    values = floats(dtype)
    skip_where_eager_has_none(f"aten.{name}.default", values)
    check(f"aten.{name}.default", values[values.isfinite()] if name == "gelu" else values)  # eager's gelu(inf) depends on oneDNN


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", words("neg abs sign floor relu bitwise_not exp sqrt sigmoid logical_not isnan signbit reciprocal"))
def test_unary_integers(name: str, dtype: torch.dtype) -> None:
    check(f"aten.{name}.default", integers(dtype))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize(
    "name",
    words(
        "add.Tensor sub.Tensor rsub.Tensor mul.Tensor div.Tensor floor_divide.default remainder.Tensor fmod.Tensor pow.Tensor_Tensor "
        "maximum.default minimum.default fmax.default fmin.default atan2.default copysign.Tensor "
        "hypot.default logaddexp.default logaddexp2.default xlogy.Tensor special_xlog1py.default eq.Tensor ne.Tensor lt.Tensor "
        "le.Tensor gt.Tensor ge.Tensor logical_and.default heaviside.default"
    ),
)
def test_binary(name: str, dtype: torch.dtype) -> None:
    values = floats(dtype)
    skip_where_eager_has_none(f"aten.{name}", values, values)
    check(f"aten.{name}", values, values.t().contiguous().reshape(4, 6))
    check(f"aten.{name}", values[:, :4].t(), values[:1, :4])


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize(
    "name",
    words(
        "add.Tensor sub.Tensor mul.Tensor div.Tensor maximum.default minimum.default bitwise_and.Tensor bitwise_or.Tensor "
        "bitwise_xor.Tensor bitwise_left_shift.Tensor bitwise_right_shift.Tensor eq.Tensor lt.Tensor "
        "ge.Tensor logical_xor.default fmax.default"
    ),
)
def test_binary_integers(name: str, dtype: torch.dtype) -> None:
    values = integers(dtype)
    check(f"aten.{name}", values, values.flip(0, 1))


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("name", ["floor_divide.default", "remainder.Tensor", "fmod.Tensor"])
def test_integer_division(name: str, dtype: torch.dtype) -> None:
    values = integers(dtype)
    divisors = torch.where(values.flip(0) == 0, 3, values.flip(0))
    dividends = torch.where(divisors == -1, 5, values) if dtype.is_signed else values
    check(f"aten.{name}", dividends, divisors)
    for divisor in (3, -1, 7):
        check(f"aten.{name.split('.')[0]}.Scalar", dividends, divisor if dtype.is_signed else abs(divisor))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        lowered_without_eager(f"aten.{name}", dividends, torch.zeros_like(divisors))


def lowered_without_eager(name: str, *args: torch.Tensor) -> None:
    """Runs the kernels of a call that eager refuses; the result is like the first argument."""
    with compile_context():
        module, _ = OneCall(name, *args).build([args[0]])
        convert_aten_to_loop(module)
        evaluate(module, list(args))


@pytest.mark.parametrize("mode", ["floor", "trunc", None])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.uint8], ids=str)
def test_division_modes(mode: str | None, dtype: torch.dtype) -> None:
    values = floats(dtype) if dtype.is_floating_point else integers(dtype)
    divisors = values.flip(0) if dtype.is_floating_point else values.flip(0).abs().clamp(1, 100)
    check("aten.div.Tensor_mode", values, divisors, rounding_mode=mode)


@pytest.mark.parametrize("name", ["add.Tensor", "mul.Tensor", "sub.Tensor", "div.Tensor", "eq.Scalar", "lt.Scalar", "remainder.Scalar"])
@pytest.mark.parametrize("number", [2, 0.3, True, -1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int32, torch.uint8, torch.bool], ids=str)
def test_numbers(name: str, number: float, dtype: torch.dtype) -> None:
    refused = name[:3] in ("sub", "rem") and (number is True or dtype == torch.bool)
    if refused or dtype == torch.uint8 and number == -1:
        pytest.skip("eager refuses or wraps the number itself")
    values = floats(dtype) if dtype.is_floating_point else (integers(torch.int32) > 2).to(dtype)
    check(f"aten.{name}", values, number)


PAIRS = list(itertools.product(["float32", "bfloat16", "float16", "float64", "int64", "int8", "uint8", "bool"], repeat=2))


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_promotion(pair: tuple[str, str]) -> None:
    a, b = (torch.tensor([[0, 1, 2], [3, 4, 200]]).to(getattr(torch, p)) for p in pair)
    for x, y in ((a, b), (a, b[0, 1]), (a[1, 1], b)):
        check("aten.add.Tensor", x, y)
        check("aten.lt.Tensor", x, y)
        check("aten.div.Tensor", x, y)


CASTS = list(itertools.product([*FLOATS, *INTEGERS, torch.bool], repeat=2))


@pytest.mark.parametrize("pair", CASTS, ids=str)
def test_casts(pair: tuple[torch.dtype, torch.dtype]) -> None:
    source, target = pair
    if source.is_floating_point:
        extra = torch.tensor([3e9, -3e9, 1e20, 300.7, -129.5, 70000.0, 2.0**31, 2.0**40 + 5, -(2.0**63)]).to(source)
        values = torch.cat([floats(source).reshape(-1), extra])
    else:
        values = integers(torch.int64).reshape(-1).to(source)
    check("aten._to_copy.default", values, dtype=target, exact=True)


def test_several_operands() -> None:
    x, y, z = (floats(torch.float32)[i : i + 2] for i in range(3))
    for dtype in (torch.float32, torch.bfloat16):
        a, b, c = x.to(dtype), y.to(dtype), z.to(dtype)
        check("aten.add.Tensor", a, b, alpha=0.3)
        check("aten.sub.Tensor", a, b, alpha=2)
        check("aten.addcmul.default", a, b, c, value=0.3)
        check("aten.addcdiv.default", a, b, c, value=0.3)
        check("aten.lerp.Scalar", a, b, 0.3)
        check("aten.lerp.Tensor", a, b, c)
        check("aten.where.self", a > 0, b, c)
        check("aten.masked_fill.Scalar", a, b > 0, 0.1)
        check("aten.masked_fill.Tensor", a, b > 0, torch.tensor(0.1))
        check("aten.clamp.default", a, -0.3, 1.1)
        check("aten.clamp.default", a, None, 1.1)
        check("aten.clamp.Tensor", a, b, c)
        check("aten.clamp_min.default", a, 0.2)
        check("aten.logit.default", a, 0.1)
        check("aten.round.decimals", a, decimals=1)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 0.5, -0.5, -1, -2, 4, 2.5, -3])
def test_powers(exponent: float) -> None:
    check("aten.pow.Tensor_Scalar", floats(torch.float32), exponent)
    check("aten.pow.Tensor_Scalar", floats(torch.bfloat16), exponent)
    check("aten.pow.Scalar", exponent, floats(torch.float32))
    if exponent == int(exponent) and exponent >= 0:
        check("aten.pow.Tensor_Scalar", integers(torch.int64), int(exponent))
        check("aten.pow.Tensor_Scalar", integers(torch.uint8), int(exponent))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_activation_backward(dtype: torch.dtype) -> None:
    x, g = floats(dtype).nan_to_num(7.0), floats(dtype).flip(0)  # on NaN eager's vector and scalar code differ
    check("aten.gelu.default", x, approximate="tanh")
    check("aten.gelu_backward.default", g, x)
    check("aten.gelu_backward.default", g, x, approximate="tanh")
    for name in ("sigmoid_backward", "tanh_backward", "silu_backward", "mish_backward", "hardsigmoid_backward", "hardswish_backward"):
        check(f"aten.{name}.default", g, x)
    check("aten.threshold.default", x, 0.1, 7.0)
    check("aten.threshold_backward.default", g, x, 0)
    check("aten.leaky_relu_backward.default", g, x, 0.1, False)
    check("aten.elu_backward.default", g, 1.3, 1.1, 0.7, False, x)
    check("aten.elu_backward.default", g, 1.3, 1.1, 0.7, True, x)
    check("aten.hardtanh_backward.default", g, x, -1.0, 1.0)
    check("aten.softplus_backward.default", g, x, 1.5, 20.0)
    check("aten.hardshrink_backward.default", g, x, 0.5)
    check("aten.softshrink_backward.default", g, x, 0.5)
    check("aten.logit_backward.default", g, x, 0.1)
    check("aten._prelu_kernel.default", x, x[:1])
    check("aten._prelu_kernel_backward.default", g, x, x[:1].expand(4, 6))


def test_creation() -> None:
    x = floats(torch.float32)
    for dtype in (torch.float32, torch.bfloat16, torch.int64, torch.uint8, torch.bool):
        check("aten.full.default", [2, 3], 7, dtype=dtype)
        check("aten.zeros.default", [2, 3], dtype=dtype)
        check("aten.full_like.default", x, 3, dtype=dtype)
        check("aten.ones_like.default", x.t(), dtype=dtype)
        check("aten.scalar_tensor.default", 1, dtype=dtype)
    check("aten.full.default", [0, 3], 2.5)
    check("aten.arange.start_step", 3, 40, 4, dtype=torch.int64)
    check("aten.arange.start_step", 0.5, 4, 0.3)
    check("aten.arange.default", 5)
    check("prims.iota.default", 5, start=3, step=2, dtype=torch.int32, device=torch.device("cpu"), requires_grad=False)
    for steps in (0, 1, 2, 17):
        check("aten.linspace.default", -1.5, 4, steps)
    check("aten.eye.default", 4)
    check("aten.eye.m", 2, 4, dtype=torch.int64)
    check("aten.copy.default", x, torch.arange(6))
    check("aten.fill.Scalar", x, 2)
    check("aten.fill.Tensor", x, torch.tensor(2))
    for diagonal in (-2, 0, 1):
        check("aten.tril.default", x, diagonal)
        check("aten.triu.default", x.bfloat16(), diagonal)
    check("aten.clone.default", x.reshape(1, 2, 3, 4), memory_format=torch.channels_last)
    check("aten._to_copy.default", x.t(), dtype=torch.float64)


def _declined(rule: object, name: str, register: Callable[[str], Any] = pointwise) -> str:
    """The reason why an operator stays a call under a rule of the test's own, which leaves no kernel."""
    with compile_context():
        module, _ = OneCall(name, torch.ones(4)).build([torch.ones(4)])
        with mock.patch.dict(registry.RULES):
            del registry.RULES[name]
            register(name)(rule)
            convert_aten_to_loop(module)
        (op, _) = module.body.operations[0].regions[0].blocks[0].operations
        assert op.operation.name.startswith("aten.")
        return op.attributes["aten.reason"].value


def test_an_elementwise_rule_declines_with_its_reason() -> None:
    assert _declined(lambda self, *, call: call.decline("an odd number"), "aten.relu.default") == "an odd number"


def test_a_rule_declines_after_it_has_begun_a_kernel() -> None:
    def rule(call: registry.LoweredCall) -> None:
        call.kernel([call["self"]], call.result().sizes).load(0, [0])
        return call.decline("an odd number")

    assert _declined(rule, "aten.relu.default", registry.lowers) == "an odd number"


def test_a_dtype_that_eager_refuses_is_skipped() -> None:
    skip_where_eager_has_none("aten.relu.default", torch.ones(2))
    with pytest.raises(pytest.skip.Exception, match="not implemented for 'Half'"):
        skip_where_eager_has_none("aten.gcd.default", torch.ones(2).half(), torch.ones(2).half())


def test_a_wrong_argument_name_of_a_rule_lists_the_schemas() -> None:
    with pytest.raises(MlirindError, match="aten.relu.default has no argument 'x'; its arguments: self"):
        _declined(lambda x: x, "aten.relu.default")
    with pytest.raises(MlirindError, match="aten.gelu.default has no argument 'approx'; its arguments: self, approximate"):
        _declined(lambda self, *, approx: self, "aten.gelu.default")
