# make demo     set up, walk through a month on made-up claims, write out/demo/report.html
# make quick    lint and the fast tests, in about a minute
# make test     set up with everything, lint, types, layers, tests with and without extras
# make cpus     a slice of the tests as on other processors: other kernels of linear algebra, no wide instructions
# make docs     build the documentation site in out/site, without a warning
# make dist     build what is published, and check it
# make fresh    install that in an empty environment and run its demo
# make figures  write the tables and figures of README.md and docs/ from studies/results/
# make fmt      put the code in shape
# make lint     what `make test` runs before the tests
#
# The same on the oldest versions: make test CONSTRAINTS=constraints-oldest.txt VENV=.venv-oldest

PYTHON ?= python3
VENV ?= .venv
CONSTRAINTS ?= constraints.txt
NEWEST := constraints.txt
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS)
PROJECTS := pyproject.toml applications/bench/pyproject.toml applications/misstatement/pyproject.toml
AXE := 4.14.0
# Mathematics, parameters, names and one fit of most methods; no study, no browser, no kills.
QUICK := tests/test_architecture.py tests/test_contributing.py tests/test_imports.py tests/test_losses.py \
	tests/test_risks.py tests/metrics tests/test_labeling.py tests/test_model_selection.py tests/test_bad_input.py \
	tests/tables tests/methods/test_registry.py tests/methods/test_objective.py tests/methods/test_logistic.py \
	tests/methods/test_spy.py tests/methods/test_members.py tests/trees/test_binning.py \
	tests/report/test_ranking_page.py tests/report/test_diagnosis_parts.py
# Pages, a study, determinism and methods: what another processor may round differently.
CPU_SLICE := tests/test_choosing.py tests/test_deciding.py tests/test_extend.py tests/test_journey.py \
	tests/test_reviewing.py tests/test_ten_minutes.py applications/bench/tests/test_study.py tests/test_determinism.py \
	tests/test_math.py tests/test_ranking.py tests/review tests/methods/test_focused.py tests/methods/test_forest.py \
	tests/methods/test_logistic.py tests/methods/test_sar_em.py tests/methods/test_nnif.py
export OMP_WAIT_POLICY ?= passive

.PHONY: demo test quick cpus docs dist fresh figures fmt lint clean
.DELETE_ON_ERROR:

demo: $(VENV)/core.done
	$(BIN)/lopsided demo --out out/demo

test: $(VENV)/dev.done lint
	$(BIN)/python -m pytest -n 2 -ra --durations=10 -m "not no_extras"
	$(BIN)/python -m pytest -n 2 -ra --without torch tests/test_contract.py

quick: $(VENV)/dev.done lint
	$(BIN)/python -m pytest -n 2 --durations=10 $(QUICK)

cpus: $(VENV)/dev.done
	$(BIN)/python tests/other_cpus.py $(CPU_SLICE)

docs: $(VENV)/dev.done
	$(BIN)/python -m sphinx -b html -W --keep-going -j 2 docs out/site
	@echo "The site is out/site/index.html."

dist: $(VENV)/dev.done
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*

fresh: dist
	rm -rf out/fresh
	$(PYTHON) -m venv out/fresh/venv
	out/fresh/venv/bin/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS) dist/*.whl
	cd out/fresh && venv/bin/lopsided demo --out demo

figures: $(VENV)/core.done
	$(BIN)/python docs/make_figures.py

lint: $(VENV)/dev.done
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(if $(filter $(NEWEST),$(CONSTRAINTS)),$(BIN)/mypy,@echo "Types are checked with $(NEWEST).")
	$(BIN)/lint-imports

fmt: $(VENV)/dev.done
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/core.done: $(PROJECTS) $(CONSTRAINTS) | $(BIN)/python
	$(PIP) -e ".[text]" -e applications/bench
	$(PIP) --no-deps -e applications/misstatement
	touch $@

# torch first and by its exact version: a range may fetch another, far larger build. axe-core
# looks at the accessibility of pages; where there is no npm, its test is skipped.
$(VENV)/dev.done: $(PROJECTS) $(CONSTRAINTS) | $(BIN)/python
	$(PIP) "$$(grep '^torch==' $(CONSTRAINTS))"
	$(PIP) -e ".[all,dev,docs]" -e "applications/bench[data,peers]"
	$(PIP) --no-deps -e applications/misstatement
	-npm install --silent --no-audit --no-fund --prefix $(VENV)/npm axe-core@$(AXE)
	touch $@ $(VENV)/core.done

clean:
	rm -rf $(VENV) out build dist
