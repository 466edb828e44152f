# make demo   a real model through the compiler, in an environment of its own
# make test   everything, in an environment of its own
# make check  the same in the environment of $(PYTHON)
# make lint   what pre-commit runs: ruff, types, imports, sizes, generated patterns

TORCH ?= torch==2.13.0
VENV ?= .venv
BASE_PYTHON ?= python3
# The environment's own Python where `make demo` or `make test` has made it, else the one on the path.
PYTHON ?= $(if $(wildcard $(VENV)/bin/python),$(VENV)/bin/python,python3)

.PHONY: demo test check lint style types imports sizes patterns lit pytest clean

demo: $(VENV)/installed
	$(VENV)/bin/python -P -m mlirind.tools.demo

test: $(VENV)/installed
	$(MAKE) --no-print-directory check PYTHON=$(VENV)/bin/python

check: lint lit pytest

lint: style types imports sizes patterns

style:
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types:
	$(PYTHON) tools/check_types.py

imports:
	$(PYTHON) tools/check_imports.py

sizes:
	$(PYTHON) tools/check_size.py

patterns:
	$(PYTHON) -P -m mlirind.tools.gen_patterns --check

lit:
	$(PYTHON) -c "import lit.main; lit.main.main()" -sv test

pytest:
	$(PYTHON) -P -m pytest test

$(VENV)/installed: pyproject.toml
	$(BASE_PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
	$(VENV)/bin/python -m pip install --quiet "$(TORCH)"
	$(VENV)/bin/python -m pip install --quiet -e ".[test]"
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
