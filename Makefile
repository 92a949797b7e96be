# SPDX-FileCopyrightText: 2026 The Isobar authors
# SPDX-License-Identifier: Apache-2.0
#
# Short names for what one does with Isobar. The build itself is CMake's (CMakePresets.json).

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

JOBS ?= $(shell nproc)
PYTHON ?= $(CURDIR)/build/venv/bin/python3
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
ISOBAR := build/release/bin/isobar

# The release build is clang's where there is one and CC is not set: docs/decisions/code/build.md. The
# others are of the system's compiler and, on x86, of another back end, so that tests compare them.
ifeq ($(origin CC),default)
RELEASE_CC := $(firstword $(shell command -v clang-14 clang cc))
else
RELEASE_CC := $(CC)
endif
ifeq ($(shell uname -m),x86_64)
ASAN_SIMD := -DISOBAR_SIMD=avx2
endif

.PHONY: help setup setup-peers setup-docs build demo test scalar test-asan test-tsan fuzz validate bench coverage \
	wheel docs format check install clean

help: ## what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## install what is missing on a Debian machine
	@tools/setup

setup-peers:
	@tools/setup --peers

build: ## build the library, the command, tests and examples (build/release)
	@echo "== build: release"
	@mkdir -p build
	@CC=$(RELEASE_CC) cmake --preset release -DISOBAR_PYTHON=$(PYTHON) > build/release.log 2>&1 || \
		{ cat build/release.log; exit 1; }
	@cmake --build --preset release -j $(JOBS) $(addprefix --target ,$(TARGETS))

demo: setup ## simulate the demonstration scene and write its page, build/demo/demo.html
	@$(MAKE) --no-print-directory build TARGETS="isobar_cli isobar_shared"
	@echo "== demo: scenes/demo.yaml"
	@mkdir -p build/demo
	@$(ISOBAR) run scenes/demo.yaml --record build/demo/demo.mcap
	@$(ISOBAR) view build/demo/demo.mcap -o build/demo/demo.html
	@echo "== demo: open build/demo/demo.html in a browser"

# All parts run even when one fails; the summary of the release tests comes last.
test: setup ## everything that must hold: release and sanitizer tests, layers, format
	@$(MAKE) --no-print-directory build
	@failed=""; \
	for part in check test-asan test-tsan; do \
		$(MAKE) --no-print-directory $$part || failed="$$failed $$part"; \
	done; \
	scalar=$(CURDIR)/build/tsan/isobar; \
	if [ ! -x "$$scalar" ]; then \
		$(MAKE) --no-print-directory scalar || failed="$$failed scalar"; \
		scalar=$(CURDIR)/build/scalar/bin/isobar; \
	fi; \
	if [ -n "$$failed" ]; then echo "== test: FAILED:$$failed"; fi; \
	if [ -f build/tsan/not_run ]; then \
		echo "== test: NOT RUN: test-tsan ($$(cat build/tsan/not_run))"; \
	fi; \
	echo "== test: release"; \
	ISOBAR_SCALAR_COMMAND="$$scalar" \
		ctest --test-dir build/release --output-on-failure -j $(JOBS); \
	[ -z "$$failed" ]

scalar: ## command and library without SIMD, which must give the same bits (build/scalar)
	@echo "== build: scalar"
	@mkdir -p build
	@cmake --preset scalar -DISOBAR_PYTHON=$(PYTHON) > build/scalar.log 2>&1 || \
		{ cat build/scalar.log; exit 1; }
	@cmake --build --preset scalar -j $(JOBS) --target isobar_cli isobar_shared

test-asan: ## the C tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@echo "== test: AddressSanitizer and UndefinedBehaviorSanitizer"
	@mkdir -p build
	@cmake --preset asan $(ASAN_SIMD) -DISOBAR_PYTHON=$(PYTHON) > build/asan.log 2>&1 || \
		{ cat build/asan.log; exit 1; }
	@cmake --build --preset asan -j $(JOBS)
	@ctest --test-dir build/asan --output-on-failure -j $(JOBS) -LE 'python|examples'

# Of plain C, as the sanitizer does not see every access of SIMD instructions.
test-tsan: ## the C tests where threads meet, and scenes by two threads, under ThreadSanitizer
	@echo "== test: ThreadSanitizer"
	@mkdir -p build
	@cmake --preset tsan -DISOBAR_PYTHON=$(PYTHON) > build/tsan.log 2>&1 || \
		{ cat build/tsan.log; exit 1; }
	@cmake --build --preset tsan -j $(JOBS) --target isobar_thread_tests
	@tools/run_tsan build/tsan $(JOBS)

fuzz: ## every fuzz target for FUZZ_SECONDS (60), two at a time; `make test` runs drawn inputs
	@echo "== fuzz"
	@mkdir -p build
	@cmake --preset fuzz -DISOBAR_PYTHON=$(PYTHON) > build/fuzz.log 2>&1 || \
		{ cat build/fuzz.log; exit 1; }
	@cmake --build --preset fuzz -j $(JOBS) --target isobar_fuzz_targets
	@$(PYTHON) tools/run_fuzz build/fuzz $(FUZZ_SECONDS)

check: ## include edges between rooms, formatting, documents
	@echo "== check: layers, format, documents"
	@tools/check_layers
	@tools/check_format
	@tools/check_docs

validate: setup-peers build scalar ## compare with theory and with Drake: build/validate/report.html
	@echo "== validate"
	@mkdir -p build/validate
	@PATH="$(CURDIR)/build/release/bin:$$PATH" $(PYTHON) tests/validate/run.py
	@PATH="$(CURDIR)/build/release/bin:$$PATH" $(PYTHON) tests/validate/lab_page.py
	@PATH="$(CURDIR)/build/release/bin:$$PATH" $(PYTHON) tests/validate/models_page.py
	@echo "== validate: build/validate/report.html"

bench: setup-peers build ## measure speed against Drake and MuJoCo: build/bench/report.html
	@echo "== bench"
	@mkdir -p build/bench
	@PATH="$(CURDIR)/build/release/bin:$$PATH" $(PYTHON) benchmarks/run.py
	@echo "== bench: build/bench/report.html"

coverage: ## line coverage of src/ by the C tests, per file
	@echo "== coverage"
	@mkdir -p build
	@cmake --preset coverage > build/coverage.log 2>&1 || { cat build/coverage.log; exit 1; }
	@cmake --build --preset coverage -j $(JOBS)
	@ctest --test-dir build/coverage --output-on-failure -j $(JOBS) -LE 'python|examples'
	@tools/coverage build/coverage

wheel: setup ## the Python package with all it needs, for every Linux: build/isobar-*.whl
	@echo "== wheel"
	@$(PYTHON) tools/build_wheel

setup-docs:
	@tools/setup --docs

docs: setup-docs build ## the site of the documents, with the references of Python and C: build/docs/site/index.html
	@echo "== docs"
	@$(PYTHON) tools/build_docs

format: ## format all C files
	@echo "== format"
	@tools/check_format --fix

install: build ## install below PREFIX (/usr/local)
	@echo "== install: $(PREFIX)"
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove what builds made; what tools/setup installed stays
	@echo "== clean"
	@find build -mindepth 1 -maxdepth 1 ! -name venv ! -name node -exec rm -rf {} + 2>/dev/null || true
