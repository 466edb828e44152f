"""benchmarks/training_run.py: the text can be learned, blocks are recorded, and the table says what stands in them."""

import sys
from pathlib import Path

import pytest
import torch


@pytest.fixture
def training_run(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import training_run

    yield training_run
    sys.modules.pop("training_run")


def test_tokens_have_few_successors_and_runs_repeat(training_run):
    batches = training_run.text(training_run.TINY, "cpu")
    seen = [next(batches) for _ in range(40)]
    again = training_run.text(training_run.TINY, "cpu")
    assert all(torch.equal(batch, next(again)) for batch in seen) and not torch.equal(seen[0], seen[1])
    followers = {}
    for batch in seen:
        for row in batch.tolist():
            for token, follower in zip(row, row[1:], strict=False):
                followers.setdefault(token, set()).add(follower)
    assert max(map(len, followers.values())) <= training_run.SUCCESSORS


def test_a_block_trains_the_model(training_run):
    run = training_run.Run("eager", training_run.train_with("eager", training_run.TINY, "cpu"))
    batch = next(training_run.text(training_run.TINY, "cpu"))
    block = training_run.run_block(run, [batch] * 12, "cpu")
    assert len(block.losses) == 12 and block.losses[-1] < block.losses[0] - 0.01 and block.compilations == 0


def test_the_table_compares_with_eager(training_run):
    blocks = {"eager": [(9.0, 2.0), (5.0, 1.0), (4.0, 1.0)], "mlirind": [(9.0, 30.0), (5.5, 0.5), (4.25, 0.5)]}
    runs = [
        training_run.Run(name, lambda tokens: tokens, [training_run.Block([loss] * 2, seconds, 3 << 20, 1) for loss, seconds in found])
        for name, found in blocks.items()
    ]
    rows = [line.split() for line in training_run.summary(runs, 100)]
    assert rows[2] == ["mlirind", "30.0", "400", "2.00", "4.250", "0.5000", "3", "to", "3", "1", "then", "2"]
