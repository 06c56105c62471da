# make demo   set up, rank a bundled table, show what was caught
# make test   set up with everything, lint, types, layers, tests with and without torch
# make fmt    put the code in shape
# make lint   what `make test` runs before the tests

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
export OMP_WAIT_POLICY ?= passive

.PHONY: demo test fmt lint clean
.DELETE_ON_ERROR:

demo: .venv/core.done
	$(BIN)/lopsided demo --out out/demo

test: .venv/dev.done lint
	$(BIN)/python -m pytest -n 2 -ra
	$(BIN)/python -m pytest -n 2 -ra --without torch tests/test_contract.py

lint: .venv/dev.done
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: .venv/dev.done
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(BIN)/python:
	$(PYTHON) -m venv .venv

.venv/core.done: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e .
	touch $@

# torch first and by its exact version: a range may fetch another, far larger build.
.venv/dev.done: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) "$$(grep '^torch==' constraints.txt)"
	$(PIP) -e ".[all,dev]"
	touch $@ .venv/core.done

clean:
	rm -rf .venv out build dist
