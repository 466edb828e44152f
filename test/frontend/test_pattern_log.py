"""What the log says of patterns: which match, which are refused, and where one that matches nothing comes closest."""

import logging

import mlirind.patterns
import pytest
import torch
from mlirind.frontend.backend import mlirind as backend
from mlirind.passes.patterns.engine import pattern_rewriting, pattern_set
from mlirind.patterns import register_replacement


@pytest.fixture(autouse=True)
def forgotten():
    """No test sees the patterns of another."""
    yield
    pattern_set.remove_all(mlirind.patterns.DEFAULT_PASS)


def norm(x, weight):
    return weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def scaled(x, weight):
    return torch.sin(x) * weight


def the_pattern(x, w):
    return norm(x, w)


def a_square_root(x, w):
    return w * (x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def a_cube(x, w):
    return w * (x * torch.rsqrt(x.pow(3).mean(-1, keepdim=True) + 1e-6))


def a_value_used_elsewhere(x, w):
    y = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
    return w * (x * y), y


def of_another_tensor(x, w):
    return w * (x.cos() * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def messages(program, caplog, level=logging.DEBUG):
    """What the log says of patterns while a program is compiled."""
    register_replacement(norm, scaled, [torch.randn(2, 3, 8), torch.randn(8)], name="norm")
    torch._dynamo.reset()
    with caplog.at_level(level, "mlirind.passes.patterns.engine.pattern_rewriting"):
        torch.compile(program, backend=backend)(torch.randn(2, 3, 8), torch.randn(8))
    return [record.getMessage() for record in caplog.records if record.name == "mlirind.passes.patterns.engine.pattern_rewriting"]


def test_a_match_is_logged_once_and_not_as_refused(caplog):
    (message,) = messages(the_pattern, caplog)
    assert message.startswith("pattern norm replaces ") and f"at {__file__}:" in message and "return weight * (x * torch.rsqrt" in message


def test_a_refused_match_has_its_reason_and_line(caplog):
    (message,) = messages(a_value_used_elsewhere, caplog)
    assert message.startswith(f"pattern norm matches at {__file__}:")
    assert message.endswith("is refused: an interior value is used elsewhere: aten.rsqrt")


@pytest.mark.parametrize(
    ("program", "matched", "rest"),
    [
        (
            a_square_root,
            "3 of 6 operators match, the last is aten.add.Tensor at",
            "then aten.rsqrt.default is wanted, found aten.sqrt.default at",
        ),
        (
            a_cube,
            "0 of 6 operators match: aten.pow.Tensor_Scalar is wanted, found aten.pow.Tensor_Scalar at",
            "exponent is 3 : i64, want 2",
        ),
        (of_another_tensor, "4 of 6 operators match, the last is aten.rsqrt.default at", "found aten.mul.Tensor at"),
        (torch.matmul, "0 of 6 operators match: aten.pow.Tensor_Scalar is wanted, found none", ""),
    ],
)
def test_the_nearest_miss_is_named_with_its_line(program, matched, rest, caplog):
    (message,) = messages(program, caplog)
    assert message.startswith(f"pattern norm is not in the graph: {matched}") and rest in message
    assert program is torch.matmul or f"{__file__}:{program.__code__.co_firstlineno + 1} (" in message


def test_near_misses_are_looked_for_where_somebody_reads_of_them_alone(caplog, monkeypatch):
    monkeypatch.setattr(pattern_rewriting, "near_miss", lambda *_: pytest.fail("looked for"))
    assert messages(a_square_root, caplog, logging.INFO) == []


def test_the_option_prints_what_each_pattern_matches_in_each_graph(capsys):
    register_replacement(norm, scaled, [torch.randn(2, 3, 8), torch.randn(8)], name="norm")
    register_replacement(lambda x: x.erf() + 1, lambda x: x.erfc(), [torch.randn(2, 3, 8)], name="other")
    torch._dynamo.reset()
    torch.compile(the_pattern, backend=backend, options={"pattern_log": True})(torch.randn(2, 3, 8), torch.randn(8))
    title, *lines = capsys.readouterr().err.splitlines()
    assert title.startswith("patterns of model__") and len(lines) == 2
    assert lines[0].startswith("  pattern norm replaces ") or lines[1].startswith("  pattern norm replaces ")
    assert "  pattern other is not in the graph: 0 of 2 operators match: aten.erf.default is wanted, found none" in lines
