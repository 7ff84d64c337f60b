# Every target sets up what it needs in .venv; nothing is installed elsewhere.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

# Environments beside the usual one. Old packages warn of what newer ones will change in them: not ours to mend.
MINIMUM := .venvs/minimum
OLDEST ?= $(shell command -v python3.11 || echo $(PYTHON))
OLD := -W default::DeprecationWarning
TESTS ?= tests
PYTHONS ?= 3.11 3.12 3.13 3.14
# Fewer examples of hypothesis than in the full set, and one browser.
QUICK := --hypothesis-profile=quick --dist loadgroup

# The tests start many processes, which would otherwise all compile the modules and assertions again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := example
.PHONY: example test test-all test-spark test-minimum test-pythons check docs bench format clean help

example: $(STAMP)  ## set everything up, show the report of a bundled dataset and write report.html (the default)
	@$(BIN)/kappamax example rapallo2022 | $(BIN)/kappamax report - --layout counts
	@$(BIN)/kappamax example rapallo2022 | $(BIN)/kappamax report - --layout counts -o report.html

test: $(STAMP)  ## the quick tests, less than three minutes on two cores
	$(BIN)/python -m pytest -q -n $(JOBS) $(QUICK) -m "not slow and not cluster"

test-all: $(STAMP)  ## every test with all examples, and the ten slowest by name
	$(BIN)/python -m pytest -q -n $(JOBS) --durations=10

test-spark: $(STAMP)  ## PySpark frames; installs pyspark and needs Java
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "pyspark>=4"
	$(BIN)/python -m pytest -q -rs tests/io/test_spark.py

test-minimum: $(MINIMUM)/.installed  ## the quick tests with the oldest versions that pyproject.toml allows
	$(MINIMUM)/bin/python tests/packaging/smoke.py
	$(MINIMUM)/bin/python -m pytest -q -n $(JOBS) $(OLD) $(QUICK) -m "not slow and not cluster and not browser" $(TESTS)

test-pythons:  ## the quick tests with every Python from 3.11 on that is here; says which are not
	bash tests/packaging/pythons.sh $(PYTHONS)

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
	rm -rf report.html $(VENV) .venvs docs/_build benchmarks/.peers .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@

$(MINIMUM)/.installed: pyproject.toml constraints.txt tests/packaging/minimum.py
	rm -rf $(MINIMUM)
	$(OLDEST) -m venv $(MINIMUM)
	$(MINIMUM)/bin/python tests/packaging/minimum.py > $(MINIMUM)/constraints.txt
	$(MINIMUM)/bin/python -m pip install --quiet --disable-pip-version-check -c $(MINIMUM)/constraints.txt -e ".[all]" \
	    pandas polars pyarrow pytest pytest-xdist hypothesis httpx httpx2 openpyxl
	@touch $@
