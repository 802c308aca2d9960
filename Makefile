# Every target makes what it needs. Only Python >= 3.11 and make have to be there.
VENV ?= .venv
BIN := $(VENV)/bin
SHELL := /bin/sh
AXE := $(VENV)/axe/node_modules/axe-core/axe.min.js

.DEFAULT_GOAL := help
.PHONY: help report pdf test coverage versions browser lint types check slow mutants bench figures docs dist clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

report: $(VENV)/.used  ## run the whole ledger and write the page reports/index.html and its PDF
	@status=0; $(BIN)/boosttheory check || status=$$?; \
	$(BIN)/boosttheory report && echo "The report is in $(CURDIR)/reports"; exit $$status

pdf: $(VENV)/.used  ## write the page and the PDF from the rows there are, running nothing
	@$(BIN)/boosttheory report --pdf

test: $(VENV)/.developed  ## run the whole test suite
	@$(BIN)/python -m pytest

coverage: $(VENV)/.developed  ## run the test suite; below 95 % of the library's lines is an error
	@$(BIN)/python -m pytest --cov --cov-report=term --cov-fail-under=95

versions: $(VENV)/.developed  ## run the test suite with the lowest and the newest versions, on Python 3.11 and 3.13
	@PATH="$(CURDIR)/$(BIN):$$PATH" .ci/versions

# A browser and axe-core serve this target alone; what cannot be had is skipped with a message.
browser: $(VENV)/.developed  ## test the page in chromium; pictures land in reports/browser
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
	  apt-get install --yes chromium || echo "No browser and none to install: its tests are skipped." >&2
	@test -f $(AXE) || npm install --silent --no-save --prefix $(VENV)/axe axe-core@4 || \
	  echo "No axe-core: its test is skipped." >&2
	@BOOSTTHEORY_AXE=$(AXE) BOOSTTHEORY_PICTURES=reports/browser $(BIN)/python -m pytest -rs tests/test_browser.py

lint: $(VENV)/.developed  ## check style and format
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(VENV)/.developed  ## check the type hints
	@$(BIN)/mypy

check: $(VENV)/.used  ## run the ledger: every claim, mutant and rescue
	@$(BIN)/boosttheory check

slow: $(VENV)/.used  ## the ledger with its larger streams, half an hour, and the page
	@status=0; $(BIN)/boosttheory check --slow || status=$$?; $(BIN)/boosttheory report; exit $$status

mutants: $(VENV)/.developed  ## break six modules in thousands of places and see that a test notices; half an hour
	@$(BIN)/python tests/kill_mutants.py

bench: $(VENV)/.developed  ## print speed and memory
	@for file in benchmarks/*.py; do echo "$$file"; $(BIN)/python "$$file" || exit 1; done

figures: $(VENV)/.used  ## redraw every figure at reduced size in reports/figures; goes on where it stopped
	@OMP_NUM_THREADS=1 $(BIN)/boosttheory simulate all

docs: $(VENV)/.documented  ## write the documentation to reports/docs; a warning is an error
	@$(BIN)/python -m sphinx -q -W --keep-going docs reports/docs && echo "Open $(CURDIR)/reports/docs/index.html"

dist: $(VENV)/.developed  ## build the wheel and the sdist, the same bytes for the same commit
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 1580601600)} \
	  $(BIN)/python -m build --no-isolation

clean:  ## remove the environment and everything generated
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	rm -rf docs/api
	find reports -mindepth 1 ! -name README.md -delete
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A Python named by PYTHON=... is used or refused; without one the first that is new enough is taken.
$(BIN)/python:
	@for name in $(or $(PYTHON),python3 python3.14 python3.13 python3.12 python3.11 python); do \
	  if "$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    "$$name" -m venv $(VENV) && exit 0; \
	    echo "$$name -m venv $(VENV) failed: install the venv module of $$name." >&2; rm -rf $(VENV); exit 1; \
	  fi; \
	done; \
	echo "No Python >= 3.11 found ($(or $(PYTHON),tried python3 and python3.11 to python3.14)): \
	install one, or name it with make PYTHON=/path/to/python." >&2; exit 1

$(VENV)/.used: pyproject.toml | $(BIN)/python
	@echo "Installing boosttheory into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[pdf]' || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.developed: pyproject.toml | $(BIN)/python
	@echo "Installing boosttheory and its test tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.used

$(VENV)/.documented: pyproject.toml | $(BIN)/python
	@echo "Installing boosttheory and Sphinx into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch $@
