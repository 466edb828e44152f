# make demo   a real model through the compiler, in an environment of its own
# make test   everything, in an environment of its own
# make check  the same in the environment of $(PYTHON)
# make test-processors   what depends on the processor, as on lesser ones (docs/testing.md)
# make constraints       writes constraints.txt from the environment's packages
# make lint   what pre-commit runs: ruff, types, imports, sizes

TORCH ?= torch==2.13.0
VENV ?= .venv
BASE_PYTHON ?= python3
# The environment's own Python where `make demo` or `make test` has made it, else the one on the path.
PYTHON ?= $(if $(wildcard $(VENV)/bin/python),$(VENV)/bin/python,python3)

# pip compiles nothing; processes write the bytecode of what they import, for those that follow.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check lint style types imports sizes lit pytest test-processors constraints clean

demo: $(VENV)/installed
	$(VENV)/bin/python -P -m mlirind.tools.demo

test: $(VENV)/installed
	$(MAKE) --no-print-directory check PYTHON=$(VENV)/bin/python

check:
	$(MAKE) --no-print-directory -j2 --output-sync=target PYTHON=$(PYTHON) lint lit
	$(MAKE) --no-print-directory PYTHON=$(PYTHON) pytest

lint: style types imports sizes

style:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types:
	$(PYTHON) tools/check_types.py

imports:
	$(PYTHON) tools/check_imports.py

sizes:
	$(PYTHON) tools/check_size.py

lit:
	$(PYTHON) -c "import lit.main; lit.main.main()" -sv test

# As many processes as there are cores (test/conftest.py caps them); a file's tests stay in one. The slowest tests are listed.
pytest:
	$(PYTHON) -P -m pytest -n auto --dist loadfile --no-loadscope-reorder --durations=20 test

test-processors: $(VENV)/installed
	$(VENV)/bin/python -P test/processors.py

# PyTorch and what comes with it (triton, CUDA's libraries) stay open: TORCH says which.
constraints: $(VENV)/installed
	$(VENV)/bin/python -m pip freeze --exclude-editable | grep -vE '^(torch|triton|pip|nvidia-.*|cuda-.*)==' > constraints.txt

$(VENV)/installed: pyproject.toml constraints.txt
	$(BASE_PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --quiet --no-compile --constraint constraints.txt "$(TORCH)"
	$(VENV)/bin/python -m pip install --quiet --no-compile --constraint constraints.txt -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
