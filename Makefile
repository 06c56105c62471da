# make demo     set up, walk through a month on made-up claims, write out/demo/report.html
# make quick    lint and the fast tests, in about a minute
# make test     set up with everything, lint, types, layers, tests with and without extras
# make docs     build the documentation site in out/site, without a warning
# make figures  write the tables and figures of README.md and docs/ from studies/results/
# make fmt      put the code in shape
# make lint     what `make test` runs before the tests

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
AXE := 4.14.0
# Mathematics, parameters, names and one fit of most methods; no study, no browser, no kills.
QUICK := tests/test_architecture.py tests/test_contributing.py tests/test_imports.py tests/test_losses.py \
	tests/test_risks.py tests/metrics tests/test_labeling.py tests/test_model_selection.py tests/test_bad_input.py \
	tests/tables tests/methods/test_registry.py tests/methods/test_objective.py tests/methods/test_logistic.py \
	tests/methods/test_spy.py tests/methods/test_members.py tests/trees/test_binning.py tests/report/test_report.py \
	tests/report/test_ranking_page.py tests/report/test_diagnosis_parts.py
export OMP_WAIT_POLICY ?= passive

.PHONY: demo test quick docs figures fmt lint clean
.DELETE_ON_ERROR:

demo: .venv/core.done
	$(BIN)/lopsided demo --out out/demo

test: .venv/dev.done lint
	$(BIN)/python -m pytest -n 2 -ra --durations=10 -m "not no_extras"
	$(BIN)/python -m pytest -n 2 -ra --without torch --without pulearn --without catboost \
		--without lightgbm --without imblearn --without pyod tests/test_contract.py

quick: .venv/dev.done lint
	$(BIN)/python -m pytest -n 2 --durations=10 $(QUICK)

docs: .venv/dev.done
	$(BIN)/python -m sphinx -b html -W --keep-going -j 2 docs out/site
	@echo "The site is out/site/index.html."

figures: .venv/core.done
	$(BIN)/python docs/make_figures.py

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

.venv/core.done: pyproject.toml applications/misstatement/pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e ".[bench,text]"
	$(PIP) --no-deps -e applications/misstatement
	touch $@

# torch first and by its exact version: a range may fetch another, far larger build. axe-core
# looks at the accessibility of pages; where there is no npm, its test is skipped.
.venv/dev.done: pyproject.toml applications/misstatement/pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) "$$(grep '^torch==' constraints.txt)"
	$(PIP) -e ".[all,dev,docs]"
	$(PIP) --no-deps -e applications/misstatement
	-npm install --silent --no-audit --no-fund --prefix .venv/npm axe-core@$(AXE)
	touch $@ .venv/core.done

clean:
	rm -rf .venv out build dist
