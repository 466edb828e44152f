"""One step of generation with a static cache writes the new keys and values into the cache and copies nothing of it."""

import mlirind
import pytest
import torch
import transformers
from mlirind.frontend.counters import counters

LAYERS, HEADS, WIDTH, LENGTH = 2, 4, 16, 64
TOKENS = {"vocab_size": 128, "bos_token_id": 0, "eos_token_id": 1}


def gpt2():
    config = transformers.GPT2Config(
        n_layer=LAYERS, n_head=HEADS, n_embd=HEADS * WIDTH, n_positions=LENGTH, attn_pdrop=0.0, resid_pdrop=0.0, embd_pdrop=0.0, **TOKENS
    )
    return transformers.GPT2LMHeadModel(config).eval(), HEADS


def llama():
    config = transformers.LlamaConfig(
        num_hidden_layers=LAYERS, num_attention_heads=HEADS, num_key_value_heads=2, hidden_size=HEADS * WIDTH, intermediate_size=128,
        max_position_embeddings=LENGTH, **TOKENS,
    )  # fmt: skip
    return transformers.LlamaForCausalLM(config).eval(), 2


def prompted(model):
    """A cache that holds three tokens."""
    cache = transformers.StaticCache(config=model.config, max_cache_len=LENGTH)
    with torch.no_grad():
        model(input_ids=torch.tensor([[5, 6, 7]]), past_key_values=cache, cache_position=torch.arange(3))
    return cache


def step(model, cache, number):
    with torch.no_grad():
        token, position = torch.tensor([[8 + number]]), torch.tensor([3 + number])
        return model(input_ids=token, past_key_values=cache, cache_position=position).logits


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("make", [gpt2, llama])
def test_a_step_writes_only_the_new_keys_and_values(make):
    """The report counts no more bytes written to the caches than two writes of the new keys and values, and no copy of a cache. Two steps
    give eager's values."""
    model, heads = make()
    cache, want_cache = prompted(model), prompted(model)
    want = [step(model, want_cache, n) for n in range(2)]
    torch._dynamo.reset()
    counters.reset()
    explanation = mlirind.explain(step, model, cache, 0)
    assert not counters.fallbacks and len(explanation.graphs) == 1
    report = explanation.graphs[0]
    whole = 4 * heads * LENGTH * WIDTH
    written = [w.bytes for w in report.writes if w.whole == whole]
    new = 4 * heads * WIDTH * 2 * LAYERS
    assert new <= sum(written) <= 2 * new, report
    assert all(c.bytes == 8 for c in report.copies)  # how long the cache is, which is read after it is counted up
    assert f"writes to inputs: {report.written_bytes} bytes" in str(explanation)
    shape = f"tensor<1x{heads}x{LENGTH}x{WIDTH}xf32"
    copied = [line for line in report.stages["host"].splitlines() if '"host.copy"' in line and shape in line]
    assert copied == []

    compiled = torch.compile(step, backend=mlirind.frontend.backend.mlirind)
    got = compiled(model, cache, 1)
    torch.testing.assert_close(got, want[1], rtol=1e-4, atol=1e-5)
    for a, b in zip(cache.layers, want_cache.layers, strict=True):
        torch.testing.assert_close(a.keys, b.keys, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(a.values, b.values, rtol=1e-4, atol=1e-5)
