# Everything runs in .venv, made here on first use. `make` alone lists what there is to make.

PYTHON ?= python3
COVERAGE ?= 85
CASES ?= 20000
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

VENV := .venv
BIN := $(VENV)/bin
# Bytecode is made where a module is first imported: most of what is installed never is.
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile

# A stamp is written only after its step has ended well, so what was broken off is done again. Should the
# interpreter behind .venv have gone (a Python upgrade), no stamp counts any more.
$(shell test -x $(BIN)/python || rm -f $(VENV)/.made $(VENV)/.has-*)

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help setup demo check test trial lint format bench docs wheel clean distclean

help: ## list the targets
	@echo "usage: make <target>   (PYTHON=$(PYTHON) COVERAGE=$(COVERAGE) JOBS=$(JOBS) CASES=$(CASES))"
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.has-test ## make .venv with polhode, its tests' tools and the engines it is judged by
	@echo "$(VENV) is ready"

demo: $(VENV)/.has-demo ## derive, simulate and draw the examples into out/
	@$(BIN)/polhode demo --out out

# Neighbouring tests stay with one process, which remembers what they share, until another has nothing left to do.
PYTEST = $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal

check: lint ## the inner loop, about a minute and a half: lint, then the fast unit tests
	@echo "unit tests"
	@$(PYTEST) -m "not slow" tests/unit

test: lint ## before a commit is pushed, under ten minutes: lint, then every test, document, example and doctest
	@echo "units, protocols, faults, laws of mechanics, engines and papers that judge, documents, examples, doctests"
	@$(PYTEST) --durations=10 --doctest-modules src/polhode tests

trial: lint ## before an issue is closed, some hours: all seeds of every law, browsers, the whole fuzz, long runs, mutants
	@echo "every test, on every seed, and in a browser"
	@POLHODE_TRIAL=1 $(PYTEST) --durations=10 tests
	@echo "covered lines"
	@$(PYTEST) --cov=polhode --cov-report=term --cov-fail-under=$(COVERAGE) tests/unit tests/concepts tests/faults
	@echo "hostile files and calls"
	@$(BIN)/python -m tests.fuzz --cases $(CASES)
	@echo "singular poses at tight tolerances"
	@$(BIN)/python -m tests.trials.singular_poses --processes $(JOBS)
	@echo "mutants that tests must notice"
	@$(BIN)/python -m tests.trials.mutants --processes $(JOBS)

lint: $(VENV)/.has-test ## style, types and the design's arrows
	@echo "style";  $(BIN)/ruff check --quiet --output-format=concise . && $(BIN)/ruff format --check --quiet .
	@echo "types";  $(BIN)/mypy --no-error-summary
	@echo "layers"; report=$$($(BIN)/lint-imports 2>&1) || { echo "$$report"; exit 1; }

format: $(VENV)/.has-test ## put the source into the house style
	@$(BIN)/ruff check --quiet --fix . ; $(BIN)/ruff format --quiet .

bench: $(VENV)/.has-bench ## measure against other engines
	@$(BIN)/python -m bench

docs: $(VENV)/.has-docs ## the documentation site, into out/site; needs no network once .venv is there
	@$(BIN)/python -m docs.website --jobs $(JOBS)

wheel: $(VENV)/.has-docs ## build what would be published, and try it in a fresh environment
	@rm -rf build/wheel && mkdir -p build/wheel
	@echo "building"; $(BIN)/python -m build --outdir build/wheel . >build/wheel/build.log 2>&1 || { cat build/wheel/build.log; exit 1; }
	@$(BIN)/python -m twine check --strict build/wheel/*.whl build/wheel/*.tar.gz
	@echo "trying it in a fresh environment"
	@$(PYTHON) -m venv build/wheel/venv
	@build/wheel/venv/bin/python -m pip install -qq --disable-pip-version-check build/wheel/*.whl
	@cd build/wheel && venv/bin/polhode demo --out demo >demo.log && test -s demo/arm.html && echo "the wheel works"

clean: ## remove what was made, but for .venv
	@rm -rf out build dist htmlcov .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@rm -f .coverage .coverage.*
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean ## remove .venv as well
	@rm -rf $(VENV)

# An environment in which pip answers is whole and is kept; anything less is made anew.
$(VENV)/.made:
	@command -v $(PYTHON) >/dev/null || { \
		echo "There is no '$(PYTHON)' here. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "polhode needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
		echo "$(PYTHON) cannot make virtual environments. Install its venv package (Debian, Ubuntu: apt install python3-venv)."; exit 1; }
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		&& $(BIN)/python -m pip --version >/dev/null 2>&1 \
		|| { echo "making $(VENV)"; $(PYTHON) -m venv --clear $(VENV); }
	@touch $@

$(VENV)/.has-demo: $(VENV)/.made pyproject.toml
	@echo "installing polhode into $(VENV)"
	@$(PIP) --editable '.[plot,data]'
	@touch $@

$(VENV)/.has-test: $(VENV)/.made pyproject.toml
	@echo "installing polhode and its test tools into $(VENV) (some minutes the first time)"
	@$(PIP) --editable '.[test]'
	@touch $(VENV)/.has-demo $@

$(VENV)/.has-docs: $(VENV)/.made pyproject.toml
	@echo "installing polhode and what builds its documentation into $(VENV) (some minutes the first time)"
	@$(PIP) --editable '.[docs]'
	@touch $(VENV)/.has-demo $@

$(VENV)/.has-bench: $(VENV)/.made pyproject.toml
	@echo "installing polhode and the engines it is measured against into $(VENV) (some minutes the first time)"
	@$(PIP) --editable '.[bench]'
	@touch $(VENV)/.has-demo $(VENV)/.has-test $@
