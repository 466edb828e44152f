"""Reports of three models for `test_report_models.py` and the pictures in the docs: `python -m report_models FOLDER` writes the pages.

BERT's training, a step of GPT-2's decoding with a cache, and a ResNet; `layers` of each, and sizes that compile in seconds. `profile`: with
the time of each step.
"""

from __future__ import annotations

import sys
from pathlib import Path

import mlirind
import torch
import transformers
from mlirind.frontend.explain import Explanation


def bert_training(layers: int = 1, hidden: int = 32, profile: bool = False) -> Explanation:
    config = transformers.BertConfig(
        vocab_size=100, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=2, intermediate_size=4 * hidden,
        max_position_embeddings=32, attn_implementation="eager",
    )  # fmt: skip
    model = transformers.BertForMaskedLM(config)

    def train(input_ids: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        loss = model(input_ids=input_ids, labels=labels).loss
        loss.backward()
        return loss

    tokens = torch.randint(2, 100, (2, 16))
    return mlirind.explain(train, tokens, tokens, profile=profile)


def gpt2_decoding(layers: int = 1, hidden: int = 32, profile: bool = False) -> Explanation:
    config = transformers.GPT2Config(
        vocab_size=100, n_embd=hidden, n_layer=layers, n_head=2, n_positions=32, bos_token_id=0, eos_token_id=1,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config).eval()
    cache = transformers.StaticCache(config=config, max_cache_len=32)

    def decode(token: torch.Tensor) -> torch.Tensor:
        return model(input_ids=token, cache=cache, use_cache=True).logits[:, -1].argmax(-1)

    with torch.no_grad():
        decode(torch.randint(2, 100, (1, 5)))
        return mlirind.explain(decode, torch.tensor([[3]]), profile=profile)


def resnet(layers: int = 1, hidden: int = 16) -> Explanation:
    config = transformers.ResNetConfig(
        embedding_size=hidden, hidden_sizes=[hidden, 2 * hidden], depths=[layers, layers], layer_type="basic", num_labels=10
    )
    model = transformers.ResNetForImageClassification(config).eval()
    with torch.no_grad():
        return mlirind.explain(model, torch.randn(2, 3, 32, 32), profile=True)


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, explained in (("bert", bert_training(2, 128, True)), ("gpt2", gpt2_decoding(2, 128, True)), ("resnet", resnet(2, 32))):
        explained.save(folder / f"{name}.html")
