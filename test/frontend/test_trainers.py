"""Hugging Face's Trainer and Accelerate, as the README says: `model.compile(backend="mlirind")`, then the model goes to the trainer."""

import pytest
import torch
import transformers
from mlirind.frontend.counters import counters

accelerate = pytest.importorskip("accelerate", reason="accelerate is not installed (pip install accelerate)")


def small_model():
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=50, n_embd=16, n_layer=1, n_head=2, n_positions=16, bos_token_id=0, eos_token_id=1, use_cache=False,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    return transformers.GPT2LMHeadModel(config)


def samples(count):
    tokens = torch.randint(0, 50, (count, 8), generator=torch.Generator().manual_seed(0))
    return [{"input_ids": row, "labels": row} for row in tokens]


def by_trainer(model, folder):
    arguments = transformers.TrainingArguments(
        str(folder), max_steps=2, per_device_train_batch_size=2, report_to=[], save_strategy="no", use_cpu=True, disable_tqdm=True,
        dataloader_pin_memory=False,
    )  # fmt: skip
    transformers.Trainer(model, arguments, train_dataset=samples(4)).train()


def by_accelerate(model, _folder):
    accelerator = accelerate.Accelerator(cpu=True)
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
    for sample in samples(2):
        loss = model(**{name: value[None] for name, value in sample.items()}).loss
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("train", [by_trainer, by_accelerate])
def test_two_steps_have_eagers_weights(train, tmp_path, fresh_counters):
    compiled, eager = small_model(), small_model()
    compiled.compile(backend="mlirind")
    before = counters.compiled
    train(compiled, tmp_path)
    assert counters.compiled >= before + 2 and not counters.fallbacks  # forward and backward
    train(eager, tmp_path)
    torch.testing.assert_close(dict(compiled.named_parameters()), dict(eager.named_parameters()), rtol=1e-4, atol=1e-5)
