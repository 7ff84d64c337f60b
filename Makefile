# Every target sets up what it needs in .venv; nothing is installed elsewhere.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

.DEFAULT_GOAL := example
.PHONY: example test test-all test-spark check docs bench format clean help

example: $(STAMP)  ## set everything up, show the report of a bundled dataset and write report.html (the default)
	@$(BIN)/kappamax example rapallo2022 | $(BIN)/kappamax report - --layout counts
	@$(BIN)/kappamax example rapallo2022 | $(BIN)/kappamax report - --layout counts -o report.html

test: $(STAMP)  ## the quick tests, under two minutes
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not slow and not cluster"

test-all: $(STAMP)  ## every test, and the ten slowest by name
	$(BIN)/python -m pytest -q -n $(JOBS) --durations=10

test-spark: $(STAMP)  ## PySpark frames; installs pyspark and needs Java
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "pyspark>=4"
	$(BIN)/python -m pytest -q -rs tests/intake/test_spark.py

check: $(STAMP)  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(STAMP)  ## the site, into docs/_build/html; warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -n -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

bench: $(STAMP)  ## right answers and speed beside other packages; takes some minutes
	$(BIN)/python -m benchmarks

format: $(STAMP)  ## let ruff lay out the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove what make made
	rm -rf $(VENV) docs/_build benchmarks/.peers .pytest_cache .mypy_cache .ruff_cache .hypothesis

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@
