"""Users' patterns, passes and custom operators in the cache: found with an equal identity, traced with another, not cached without one."""

import mlirind
import pytest
import torch
from cached_programs import compiled, counts_of, run
from mlirind import identities
from mlirind.errors import MlirindError
from mlirind.frontend.counters import counters
from mlirind.frontend.patterns import pre_grad
from mlirind.passes import registry
from mlirind.passes.patterns.engine import pattern_set
from mlirind.patterns import register_function_replacement, register_pdl, register_replacement, register_rewrite, register_text


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MLIRIND_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(identities, "_operators", dict(identities._operators))


def search(x):
    return torch.exp(x)


def replace(x):
    return torch.exp2(x * 1.4426950408889634)


X = torch.randn(3, 4)
PDL = """pdl.pattern @exp_of_exp : benefit(1) {
  %t = pdl.type
  %x = pdl.operand : %t
  %0 = pdl.operation "aten.exp" (%x : !pdl.value) -> (%t : !pdl.type)
  %r = pdl.result 0 of %0
  %1 = pdl.operation "aten.exp" (%r : !pdl.value) -> (%t : !pdl.type)
  pdl.rewrite %1 { pdl.replace %1 with (%r : !pdl.value) }
}"""


def no_change(graph):
    """Changes nothing"""


def forget(name="user-patterns"):
    pattern_set.remove_all(name)
    for known in (registry._passes, pre_grad._passes):
        known.pop("test-pass", None)


def traced_text():
    text = register_replacement(search, replace, [X]).text
    forget()
    return text


# What registers code with an identity, and the options that name it.
REGISTRATIONS = {
    "pattern": (lambda i: register_replacement(search, replace, [X], identity=i), {}),
    "pattern with a check": (lambda i: register_replacement(search, replace, [X], extra_check=lambda m: True, identity=i), {}),
    "text with a check": (lambda i: register_text(traced_text(), extra_check=lambda m: True, identity=i), {}),
    "rewrite": (lambda i: register_rewrite("aten.exp.default", lambda op: None, identity=i), {}),
    "pass after": (lambda i: mlirind.register_pass("test-pass", no_change, identity=i), {"post_grad_after": "test-pass"}),
    "pass before": (lambda i: mlirind.register_pass("test-pass", no_change, identity=i), {"post_grad_before": ["cse-aten", "test-pass"]}),
    "pass on joint graphs": (lambda i: mlirind.register_pass("test-pass", no_change, identity=i), {"joint_after": "test-pass"}),
    "pass before AOTAutograd": (lambda i: mlirind.register_pre_grad_pass("test-pass", no_change, identity=i), {"pre_grad": "test-pass"}),
    "functions": (
        lambda i: register_function_replacement(search, replace, [X], name="test-pass", identity=i),
        {"pre_grad": "test-pass"},
    ),
}


@pytest.mark.parametrize("kind", REGISTRATIONS)
def test_the_identity_is_part_of_the_key(kind):
    register, options = REGISTRATIONS[kind]
    program, graphs = ("training", 2) if "joint" in kind else ("inference", 1)
    wanted = [("1", "miss"), ("1", "hit"), ("2", "miss"), (None, None), ("1", "hit")]
    for identity, outcome in wanted:
        register(identity)
        try:
            right, counts = run(program, **options)
        finally:
            forget()
        assert right
        if outcome == "miss" and ("joint" in kind or "pre_grad" in options) and identity == "2":
            assert counts == {"hit": graphs, "traced miss": 1}  # the traced graphs are equal
        elif outcome is None:
            assert "traced hit" not in counts and any("has no identity: register it with `identity=`" in reason for reason in counts)
        else:
            assert counts == counts_of(outcome, graphs)


def test_texts_identify_themselves():
    """Of patterns without a check, and of PDL."""
    text = traced_text()
    texts = (register_text, text, text.replace("(%arg0", "(%x")), (register_pdl, PDL, PDL.replace("exp_of_exp", "another"))
    for register, first, other in texts:
        assert first != other
        for given, outcome in ((first, "miss"), (first, "hit"), (other, "miss")):
            register(given)
            try:
                right, counts = run("inference")
            finally:
                forget()
            assert right and counts == counts_of(outcome, 1)


def test_a_pattern_of_a_built_in_pass_counts():
    """Every pipeline has the pass."""
    run("inference")
    register_rewrite("aten.exp.default", lambda op: None, passes="fold-cumsum", identity="1")
    try:
        assert run("inference") == (True, counts_of("miss", 1))
    finally:
        rewrites = pattern_set._rewrites["fold-cumsum"]
        del rewrites[-1]
    assert run("inference") == (True, counts_of("hit", 1))


def test_patterns_of_a_pass_that_no_option_names_do_not_count():
    run("inference")
    register_replacement(search, replace, [X], passes="test-pass")
    try:
        assert run("inference") == (True, counts_of("hit", 1))
        assert not any(name in counters.cache for name in ("miss", "traced miss"))
        right, counts = run("inference", post_grad_before="test-pass")
        assert right and "the pattern search has no identity: register it with `identity=`" in counts
    finally:
        forget("test-pass")


def test_the_identity_of_an_operator_is_part_of_the_key(monkeypatch):
    for identity, outcome in (("1", "miss"), ("1", "hit"), ("2", "miss"), ("1", "hit")):
        monkeypatch.setitem(identities._operators, "cached_programs::scaled", identity)
        assert run("a custom operator") == (True, counts_of(outcome, 2))


@torch.library.custom_op("test_cache_identities::fill", mutates_args=("x",))
def fill(x: torch.Tensor, value: float) -> None:
    x.fill_(value)


def test_an_operator_that_writes_is_traced():
    """Its functional form is an operator of one process."""
    identities.identify_operator("test_cache_identities::fill", "1")

    def program(x):
        y = x + 1
        fill(y, 3.0)
        return y * 2

    for _ in range(2):
        assert torch.equal(compiled(program)(torch.ones(3)), torch.full((3,), 6.0))
        assert "hit" not in counters.cache and "traced hit" not in counters.cache


def test_mistakes():
    for name in ("scaled", "a::b.default", "::b", "a::"):
        with pytest.raises(MlirindError, match="is no name of an operator"):
            mlirind.identify_operator(name, "1")
    with pytest.raises(MlirindError, match="aten::add is PyTorch's"):
        mlirind.identify_operator("aten::add", "1")
    with pytest.raises(MlirindError, match="has the identity '1' already, not '2'"):
        mlirind.identify_operator("cached_programs::scaled", "2")
    for identity in ("", 1):
        with pytest.raises(MlirindError, match="want a text that changes with the code"):
            mlirind.register_pass("test-pass", no_change, identity=identity)
    assert "test-pass" not in registry._passes
