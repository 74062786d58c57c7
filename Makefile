# `make demo` and `make test` make their own environment: Python 3.11 or later and make are enough.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test soak hosts fuzz lint types contracts docs bench clean

demo: $(VENV)/.installed
	@$(BIN)/clew demo demo --format text

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2

soak: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n 2 -m soak

# Real hosts of agents (npm, cron, systemd): what each needs is said by the test that misses it.
hosts: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -m hosts tests/hosts

# Needs atheris (pip install atheris), ten minutes.
fuzz: $(VENV)/.installed-dev
	$(BIN)/python tests/fuzz/cards_fuzz.py -max_total_time=600

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

contracts: $(VENV)/.installed-dev
	$(BIN)/lint-imports

docs: $(VENV)/.installed-dev
	$(BIN)/python scripts/compile_profiles.py
	$(BIN)/python scripts/error_pages.py
	$(BIN)/python scripts/format_tables.py
	$(BIN)/python scripts/cli_reference.py
	$(BIN)/python scripts/prose_rules.py
	$(BIN)/python scripts/transcripts.py

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks.novel
	$(BIN)/python -m benchmarks.prose
	$(BIN)/python -m benchmarks.sidecar
	$(BIN)/python -m benchmarks.persona_hooks
	$(BIN)/python -m benchmarks.cards --count 500 --shelf 5000
	$(BIN)/python -m benchmarks.index --size 100000

$(VENV)/.installed: pyproject.toml scripts/bootstrap.py
	@$(if $(PYTHON),,echo 'Python 3.11 or later was not found / 找不到 Python 3.11 或更新版本' >&2; exit 3)
	@$(PYTHON) scripts/bootstrap.py $(VENV)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml scripts/bootstrap.py
	@$(if $(PYTHON),,echo 'Python 3.11 or later was not found / 找不到 Python 3.11 或更新版本' >&2; exit 3)
	@$(PYTHON) scripts/bootstrap.py $(VENV) --dev
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
