"""Distributed training: two processes train networks as eager does, 20 steps each, and every graph is compiled."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

PROGRAM = Path(__file__).with_name("two_processes.py")


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this PyTorch has no collectives")
def test_training_equals_eager(tmp_path):
    """Data parallel with several buckets, fully sharded, tensor parallel (the mesh is an input of its graphs), and a function of
    distributed tensors with symbolic sizes. Half of the graphs are backwards."""
    command = [sys.executable, "-P", str(PROGRAM)]
    ranks = [
        subprocess.Popen([*command, str(rank), str(tmp_path / "store")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for rank in range(2)
    ]
    for rank in ranks:
        out, errors = rank.communicate(timeout=240)
        assert rank.returncode == 0, errors
        records = [json.loads(line) for line in out.splitlines()]
        assert len(records) == 4
        for record in records:
            assert record["difference"] < 1e-5, record
            assert not record["fallbacks"] and not record["joint"], record
            assert record["compiled"] == (4 if record["kind"] == "data_parallel" else 2), record
