# Needs make and Python 3.11 or newer, nothing else. `make` alone lists what there is.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
# More words for the tool that a target runs: make test ARGS="-k ranking -x"
ARGS :=
PAGES := $(wildcard *.md) docs
# Tests start dozens of processes, each of which would compile the code anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run dev test check lint openapi docs lock-regulations bench soak format lock clean FORCE

RUNTIME := $(VENV)/.runtime $(VENV)/.project
DEV := $(VENV)/.dev $(VENV)/.project

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(RUNTIME) ## Start the service on 127.0.0.1:8000 (settings: MAFRATE_*)
	@$(PY) -m app $(ARGS)

test: $(DEV) ## Run the tests (ARGS="-k words -x")
	@$(PY) -m pytest --numprocesses auto --dist worksteal $(ARGS)

check: lint test ## Everything that CI looks at

lint: $(DEV) ## Style, types and layers
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mdformat --check $(PAGES)
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports --no-logo

format: $(DEV) ## Sort imports, lay out the code and the documentation
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .
	@$(PY) -m mdformat $(PAGES)

openapi: $(DEV) ## Write openapi/openapi.json anew
	@$(PY) -m tests.examples
	@$(PY) -m app openapi openapi/openapi.json

docs: $(DEV) ## Write docs/readings.md again from the regulations
	@$(PY) -m tests.scoring.readings

lock-regulations: $(DEV) ## Lock the new versions of regulations
	@$(PY) -m tests.scoring.published

bench: $(DEV) ## Measure speed: medians and ratios
	@$(PY) -m bench $(ARGS)

soak: $(DEV) ## Kill, freeze and fill what the service runs on, for half an hour (ARGS="--minutes 3")
	@$(PY) -m soak $(ARGS)

dev: $(DEV) ## Make the environment for work on the code

# Pins stay where they still fit. The runtime lock is cut from the development one, so that one environment takes both.
COMPILE = $(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-emit-find-links --custom-compile-command "make lock" $(UPGRADE) pyproject.toml --group build

lock: $(DEV) ## Resolve the dependencies anew (UPGRADE=--upgrade: to the newest releases)
	@$(PY) -m venv $(VENV)/lock
	@$(VENV)/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(COMPILE) --group dev --output-file requirements-dev.lock
	@$(COMPILE) --constraints requirements-dev.lock --output-file requirements.lock
	@rm -rf $(VENV)/lock

clean: ## Remove the environment and the caches (data/ stays)
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find app tests bench soak -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The environment. `.unfinished` is written first, with the installing make's process, and a stamp last: what was cut
# short is made anew from nothing, never resumed. An interpreter that has gone since counts as unfinished too.
ALIVE := $(shell $(PY) -c 0 2>/dev/null && echo yes)
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --no-input

define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "mafrate needs Python 3.11 or newer, and '$(PYTHON)' is not; name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make environments; install its venv package (Debian, Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	@if kill -0 "$$(cat $(VENV)/.unfinished 2>/dev/null)" 2>/dev/null; then \
		echo "Process $$(cat $(VENV)/.unfinished) is installing into $(VENV): try again when it is done" >&2; exit 1; fi
	@if [ -z "$(ALIVE)" ] || [ -e $(VENV)/.unfinished ]; then rm -rf $(VENV); fi
	@mkdir -p $(VENV) && echo $$PPID > $(VENV)/.unfinished && rm -f $(VENV)/.runtime $(VENV)/.dev
	@echo "Installing $< into $(VENV): half a minute or so"
	@[ -x $(PY) ] || $(PYTHON) -m venv $(VENV)
	@$(PIP) --require-hashes --requirement $<
	@rm $(VENV)/.unfinished && touch $(VENV)/.runtime
endef

$(VENV)/.runtime: requirements.lock $(if $(ALIVE),,FORCE)
	$(install)

$(VENV)/.dev: requirements-dev.lock requirements.lock $(if $(ALIVE),,FORCE)
	$(install)
	@touch $@

$(VENV)/.project: pyproject.toml
	@$(PIP) --no-index --no-deps --no-build-isolation --editable .
	@touch $@
