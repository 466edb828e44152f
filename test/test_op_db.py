"""A fixed tenth of PyTorch's operator database against eager; `python test/op_db.py` runs all of it."""

import op_db

TENTH = ["--fraction", "0.1", "--workers", "2"]


def test_forward(backend_name):
    assert op_db.main(["--backend", backend_name, "--at-least", "99", *TENTH]) == 0


def test_backward(backend_name):
    assert op_db.main(["--backend", backend_name, "--mode", "backward", "--at-least", "98", *TENTH]) == 0
