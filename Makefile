# Needs make and Python 3.11 or newer, nothing else. `make` alone lists what there is.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
# More words for the tool a target runs: make test ARGS="-k ranking -x"
ARGS ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run dev test check lint openapi openapi-check bench format lock clean FORCE

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(VENV)/.runtime ## Start the service on 127.0.0.1:8000 (settings: MAFRATE_*)
	@$(PY) -m app $(ARGS)

dev: $(VENV)/.dev ## Make the environment for work on the code

test: $(VENV)/.dev ## Run the tests (ARGS="-k words -x")
	@$(PY) -m pytest $(ARGS)

check: lint openapi-check test ## Everything that CI looks at

lint: $(VENV)/.dev ## Style, types and layers
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports

openapi: $(VENV)/.dev ## Write openapi/openapi.json anew
	@$(PY) -m app.openapi openapi/openapi.json

openapi-check: $(VENV)/.dev ## Say whether openapi/openapi.json is stale
	@$(PY) -m app.openapi --check openapi/openapi.json

bench: $(VENV)/.dev ## Measure speed: medians and ratios
	@$(PY) -m bench $(ARGS)

format: $(VENV)/.dev ## Sort imports and lay out the code
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .

# Existing pins stay where they still fit; UPGRADE=--upgrade takes the newest releases. The runtime lock is cut from the
# development one, so that both can be installed into one environment.
COMPILE = $(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" $(UPGRADE) pyproject.toml --group build

lock: $(VENV)/.dev ## Resolve the dependencies anew (UPGRADE=--upgrade: newest releases)
	@$(PY) -m venv $(VENV)/lock
	@$(VENV)/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	@$(COMPILE) --group dev --output-file requirements-dev.lock
	@$(COMPILE) --constraints requirements-dev.lock --output-file requirements.lock
	@rm -rf $(VENV)/lock

clean: ## Remove the environment and caches (data/ stays)
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis .schemathesis
	find app tests bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# The environment. A stamp is written last, and `.unfinished` first: an installation that was cut short is made anew
# from nothing, never resumed. An interpreter that has gone since (upgraded away) counts as unfinished too.
ALIVE := $(shell $(PY) -c 0 2>/dev/null && echo yes)

define install
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "mafrate needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>&1 || true). Name another: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: install its venv package (Debian, Ubuntu: apt-get install python3-venv)." >&2; exit 1; }
	@if [ -z "$(ALIVE)" ] || [ -e $(VENV)/.unfinished ]; then rm -rf $(VENV); fi
	@mkdir -p $(VENV) && touch $(VENV)/.unfinished && rm -f $(VENV)/.runtime $(VENV)/.dev
	@echo "Installing $(1) into $(VENV) (half a minute or so)"
	@[ -x $(PY) ] || $(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-input --require-hashes -r $(1)
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-input --no-deps --no-build-isolation --no-index --editable .
	@rm $(VENV)/.unfinished && touch $(VENV)/.runtime
endef

$(VENV)/.runtime: requirements.lock pyproject.toml $(if $(ALIVE),,FORCE)
	$(call install,requirements.lock)

$(VENV)/.dev: requirements-dev.lock requirements.lock pyproject.toml $(if $(ALIVE),,FORCE)
	$(call install,requirements-dev.lock)
	@touch $@
