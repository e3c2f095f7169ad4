# One command a target. STACK: a file stacks/Pulumi.<stack>.yaml. STACKS: those that `compare` and
# `pr-check` take. PACK: a policy pack. BASE: what a change is to go into. JOBS: mutants tried at once.
STACK ?= aws-trial
STACKS ?= $(patsubst stacks/Pulumi.%.yaml,%,$(wildcard stacks/Pulumi.*-trial.yaml))
PACK ?= policies
BASE ?= main
JOBS ?= 2
PYTHON ?= python3

UV := .tools/uv/bin/uv
READY := .venv/.ready
DEV := .venv/.ready-dev
DOCS := .venv/.ready-docs
# Newer than READY if files of a package are missing.
CHECKED := .venv/.checked
# Touched when the links are made that editors and the type checker follow.
LINKS := build/.checkout
BIN := .venv/bin
TESTS := $(BIN)/pytest -n auto --dist loadgroup
export UV_PYTHON_DOWNLOADS := never
# Where it is set, as in many container images, every preview compiles the clouds' SDKs anew: half of its time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := setup
.PHONY: always setup help preview compare pr-check up destroy test test-slow test-touched test-all test-alone engine builds fuzz sweep mutants check bench foreign api-servers docs site pictures dist lock versions clean

setup: $(READY) $(LINKS) ## Install what previews need into .venv (needs Python 3.11 and pip)

help: ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ \
		line = sprintf("  make %-11s", $$1); count = split($$2, words, " "); \
		for (i = 1; i <= count; i++) { \
			if (length(line words[i]) > 79) { print line; line = sprintf("%18s", "") } \
			line = line " " words[i] } \
		print line }'

preview: $(READY) ## The costed, policy-checked plan of STACK, in the sandbox
	@$(BIN)/gpucluster sandbox pulumi preview --stack $(STACK) --policy-pack $(PACK)

compare: $(STACKS:%=.sandbox/plans/%.json) ## STACKS side by side: what each is, costs and lacks
	@$(BIN)/gpucluster cost compare $^

pr-check: $(DEV) ## What the working tree changes since BASE: plan, cost and rules of STACKS
	@$(BIN)/gpucluster guardrails pr-check --base $(BASE) $(STACKS:%=--stack %)

.sandbox/plans/%.json: $(READY) .sandbox/plans always
	@GPUCLUSTER_BUDGET=report $(BIN)/gpucluster sandbox pulumi preview --stack $* --json --show-sames > $@ || \
		{ $(BIN)/gpucluster cost report $@ > /dev/null; exit 1; } # why stands in the file alone

.sandbox/plans:
	@mkdir -p $@

up: $(READY) ## Build STACK in the sandbox
	@$(BIN)/gpucluster sandbox recover --stack $(STACK)
	@$(BIN)/gpucluster sandbox pulumi up --yes --stack $(STACK) --policy-pack $(PACK)

destroy: $(READY) ## Remove STACK from the sandbox; what is protected is kept and named
	@$(BIN)/gpucluster sandbox recover --stack $(STACK)
	@$(BIN)/gpucluster sandbox pulumi destroy --yes --exclude-protected --stack $(STACK)

test: $(DEV) engine ## The quick tests: those without `slow`
	@$(TESTS) -m "not slow"

test-slow: $(DEV) engine ## The slow tests that every pull request runs; live ones where `make builds` has run
	@$(TESTS) -m core

test-touched: builds ## The slow tests of the folders that changed since BASE
	@$(BIN)/python -m tests.touched $(BASE) -n auto --dist loadgroup

test-all: builds ## Every test
	@$(TESTS)

test-alone: $(DEV) engine ## The quick tests by file, each in a process of its own, then all in a random order
	@find tests -name 'test_*.py' -print0 | sort -z | xargs -0 -n 1 -P 2 sh -c \
		'$(BIN)/pytest --quiet -n 0 -m "not slow" "$$0" || test $$? -eq 5' # 5: no test but slow ones
	@$(TESTS) -m "not slow" --random-order --random-order-seed=$$(date +%j)

engine: $(DEV)
	@$(BIN)/gpucluster sandbox engine >&2

builds: $(DEV) engine ## Build the programs of live clusters and of other slow tests; 35 minutes, once
	@$(BIN)/gpucluster sandbox kubernetes --live >&2
	@$(BIN)/python tests/promtool/promtool.py
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python tests/jobs/expander.py

fuzz: $(DEV) ## 20,000 mutated files and answers through every command that reads some
	@$(BIN)/python -m tests.fuzz

sweep: $(DEV) ## Every fault at every operation of the trials; hours, and goes on where it was broken off
	@$(BIN)/python -m tests.sweep

mutants: $(DEV) ## The mutation score of the quick tests by area; JOBS at once
	@$(BIN)/python -m tests.mutants --jobs $(JOBS)

check: $(DEV) $(LINKS) ## Format, lint, prose and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/pytest --quiet --numprocesses 0 tests/prose
	@NODE_OPTIONS=--max-old-space-size=8192 $(BIN)/basedpyright # with the clouds' SDKs, Node's own 4 GB make it run for ever

bench: $(DEV) ## The benchmarks, as ratios
	@$(BIN)/python -m tools.benchmarks

foreign: $(DEV) ## Preview the Python programs of CHECKOUT, a folder of pulumi/examples, in the sandbox
	@test -n "$(CHECKOUT)" || { echo 'name the folder: make foreign CHECKOUT=FOLDER, of a checkout of pulumi/examples' >&2; exit 2; }
	@$(BIN)/python -m tools.benchmarks.foreign "$(CHECKOUT)"

api-servers: $(DEV) ## Build the API servers of tests/stacks/test_two_api_servers.py, of both sides of an upgrade; 10 minutes, once
	@$(BIN)/gpucluster sandbox kubernetes >&2
	@$(BIN)/python -m tests.stacks.older_api_server

docs: $(DEV) ## Write the costed pages of all examples, of the rules and of the seeded mistakes; then build the site
	@$(BIN)/python -m tools.pages
	@$(MAKE) --no-print-directory site

site: $(DOCS) ## Build the pages as a site with search, build/site; fails if a link leads nowhere
	@$(BIN)/python -m tools.pages.site

pictures: $(DEV) ## Write docs/images, the pictures of the README, from what the commands print
	@$(BIN)/python -m tools.pages.pictures

dist: $(UV) ## Build sdist and wheel for PyPI into dist/; GPUCLUSTER_REPOSITORY: address that its links lead to
	@rm -rf dist
	@$(UV) build --quiet --python $(PYTHON) --build-constraints requirements.lock --require-hashes

COMPILE = $(UV) pip compile --quiet --upgrade --universal --generate-hashes --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

lock: $(UV) ## Pin every dependency again
	$(COMPILE) --extra aws --extra gcp --extra azure --group checkout --output-file requirements.lock pyproject.toml
	$(COMPILE) --group dev --constraint requirements.lock --output-file requirements-dev.lock
	$(COMPILE) --group docs --constraint requirements.lock --constraint requirements-dev.lock --output-file requirements-docs.lock
	$(COMPILE) --extra account --constraint requirements.lock --constraint requirements-dev.lock --output-file requirements-account.lock pyproject.toml
	$(COMPILE) --extra prices-aws --constraint requirements.lock --constraint requirements-dev.lock --output-file requirements-prices-aws.lock pyproject.toml
	$(COMPILE) --extra bills --constraint requirements.lock --constraint requirements-dev.lock --output-file requirements-bills.lock pyproject.toml
	$(COMPILE) --extra judges --constraint requirements.lock --constraint requirements-dev.lock --output-file requirements-judges.lock pyproject.toml
	$(COMPILE) --output-file requirements-uv.lock requirements-uv.in

versions: $(READY) ## Look up the newest version of everything pinned, and write them into the table
	@$(BIN)/python -m tools.versions

clean: ## Forget the environment and the sandbox
	rm -rf .venv .tools .sandbox build/checkout $(LINKS)

$(LINKS): gpucluster pyproject.toml
	@$(PYTHON) -IS gpucluster/checkout.py .
	@mkdir -p $(@D) && touch $@

$(UV): requirements-uv.lock
	@echo "Installing uv" >&2
	@$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action ignore --require-hashes --no-deps --upgrade --target .tools/uv --requirement requirements-uv.lock
	@touch $@

$(CHECKED): always $(UV)
	@changed=$$($(PYTHON) -IS gpucluster/core/environment.py .venv); test -z "$$changed" || $(UV) cache clean --quiet $$changed

$(READY): $(UV) requirements.lock pyproject.toml setup.py $(CHECKED)
	@echo "Installing the locked packages into .venv" >&2
	@$(UV) venv --quiet --allow-existing --python $(PYTHON) .venv
	@$(UV) pip sync --quiet --require-hashes requirements.lock
	@$(UV) pip install --quiet --no-deps --no-build-isolation --config-settings editable_mode=lenient --editable .
	@rm -f $(DEV)
	@touch $(CHECKED)
	@$(PYTHON) -IS gpucluster/core/environment.py .venv --list > $@

$(DEV): $(READY) requirements-dev.lock requirements-account.lock requirements-judges.lock requirements-bills.lock
	@echo "Installing the locked packages of tests and checks into .venv" >&2
	@$(UV) pip install --quiet --require-hashes --requirements requirements-dev.lock --requirements requirements-account.lock --requirements requirements-judges.lock --requirements requirements-bills.lock
	@$(PYTHON) -IS gpucluster/core/environment.py .venv --list > $@

$(DOCS): $(DEV) requirements-docs.lock
	@echo "Installing the locked packages of the site into .venv" >&2
	@$(UV) pip install --quiet --require-hashes --requirements requirements-docs.lock
	@touch $@
