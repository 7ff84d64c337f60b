# Every target sets up what it needs in .venv; nothing is installed elsewhere.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2
# HASHES=yes installs only files whose hashes are in requirements-ci.txt; its first line says for which Pythons.
HASHES ?= no

# Environments beside the usual one. Old packages warn of what newer ones will change in them: not ours to mend.
MINIMUM := .venvs/minimum
OLDEST ?= $(shell command -v python3.11 || echo $(PYTHON))
OLD := -W default::DeprecationWarning
TESTS ?= tests
PYTHONS ?= 3.11 3.12 3.13 3.14
# Fewer examples of hypothesis than in the full set, and one browser.
QUICK := --hypothesis-profile=quick --dist loadgroup

# The profile of hypothesis and the memory in kB of `make attack`; tests that take long show where they are.
EXAMPLES ?= attack
ATTACK_KB ?= 8000000

# The tests start many processes, which would otherwise all compile the modules and assertions again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := example
.PHONY: example test test-all attack test-spark test-minimum test-pythons check docs bench hashes sbom release format clean help

example: $(STAMP)  ## set everything up, show the report of a bundled dataset and write report.html (the default)
	@$(BIN)/kappamax example rapallo2022 | $(BIN)/kappamax report - --layout counts
	@$(BIN)/kappamax example rapallo2022 | $(BIN)/kappamax report - --layout counts -o report.html

test: $(STAMP)  ## the quick tests, less than three minutes on two cores
	$(BIN)/python -m pytest -q -n $(JOBS) $(QUICK) -m "not slow and not cluster"

test-all: $(STAMP)  ## every test with all examples, and the ten slowest by name
	$(BIN)/python -m pytest -q -n $(JOBS) --durations=10

attack: $(STAMP)  ## random input for hours: the tests marked attack with 200 times as many examples (EXAMPLES=full: as in test-all)
	ulimit -v $(ATTACK_KB); KAPPAMAX_ATTACK=2000 $(BIN)/python -m pytest -q -n $(JOBS) --hypothesis-profile=$(EXAMPLES) \
	    -o faulthandler_timeout=300 -m attack $(TESTS)

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

hashes:  ## write requirements-ci.txt again after a change of constraints.txt; downloads a lot
	$(PYTHON) tests/packaging/hashes.py

sbom: $(STAMP)  ## the software bill of materials, CycloneDX JSON, into dist
	@mkdir -p dist
	$(BIN)/python tests/packaging/sbom.py > dist/kappamax.cdx.json

release: $(STAMP)  ## the wheel, the sdist and the software bill of materials, into dist
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(MAKE) sbom

format: $(STAMP)  ## let ruff lay out the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove what make made
	rm -rf report.html dist $(VENV) .venvs docs/_build benchmarks/.peers .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(STAMP): pyproject.toml constraints.txt requirements-ci.txt
	$(PYTHON) -m venv $(VENV)
ifeq ($(HASHES),yes)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary :all: \
	    -r requirements-ci.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation -e .
	$(BIN)/python -m pip check
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
endif
	@touch $@

$(MINIMUM)/.installed: pyproject.toml constraints.txt tests/packaging/minimum.py
	rm -rf $(MINIMUM)
	$(OLDEST) -m venv $(MINIMUM)
	$(MINIMUM)/bin/python tests/packaging/minimum.py > $(MINIMUM)/constraints.txt
	$(MINIMUM)/bin/python -m pip install --quiet --disable-pip-version-check -c $(MINIMUM)/constraints.txt -e ".[all]" \
	    pandas polars pyarrow pytest pytest-xdist hypothesis httpx httpx2 openpyxl
	@touch $@
