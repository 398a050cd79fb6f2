# Every task of the project by one name. Each target fetches what it needs and may be run first.

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 10
ROUNDS ?= 3

export FUZZ_SECONDS ROUNDS

.DEFAULT_GOAL := help
.PHONY: help deps release dev run test interop bench asan tsan fuzz lint lint-all format install build-times clean

help: ## says what there is (this text)
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16
	@echo "Variables: JOBS=$(JOBS) PREFIX=$(PREFIX) FUZZ_SECONDS=$(FUZZ_SECONDS) ROUNDS=$(ROUNDS)"

deps:
	@scripts/install-deps

release: deps ## builds build/release/outpost, one static file
	cmake --preset release -Wno-dev
	ninja -C build/release -j $(JOBS)

dev: deps
	cmake --preset dev -Wno-dev
	ninja -C build/dev -j $(JOBS)

run: release ## builds, starts a server, runs a command through it and says what to try next
	@scripts/demo build/release/outpost

test: dev ## builds everything and runs all tests that need nothing but this repository
	ctest --test-dir build/dev --output-on-failure --no-tests=error -j $(JOBS)

interop: release ## runs the tests against the Codex CLI and its exec-server, and the gate
	@scripts/install-deps --interop
	@scripts/interop build/release/outpost

bench: release ## compares speed and memory with the reference
	@scripts/install-deps --interop
	@scripts/bench build/release/outpost

asan: deps ## all tests under the address and undefined-behaviour sanitizers
	cmake --preset asan -Wno-dev
	ninja -C build/asan -j $(JOBS)
	ctest --test-dir build/asan --output-on-failure --no-tests=error -LE house -j $(JOBS)

tsan: deps ## the unit tests under the thread sanitizer
	cmake --preset tsan -Wno-dev
	ninja -C build/tsan -j $(JOBS)
	ctest --test-dir build/tsan --output-on-failure --no-tests=error -LE 'house|end_to_end' -j $(JOBS)

fuzz: deps ## runs each fuzz target for FUZZ_SECONDS
	cmake --preset fuzz -Wno-dev
	ninja -C build/fuzz -j $(JOBS) $(patsubst fuzz/%_fuzz.cpp,fuzz_%,$(wildcard fuzz/*_fuzz.cpp))
	@scripts/fuzz build/fuzz

lint: deps ## format, layers, our own rules, scripts, and clang-tidy on what changed in src
	@scripts/lint

lint-all: deps ## the same with clang-tidy on every file (slow)
	@scripts/lint --all

format: deps ## formats every C++ file in place
	@scripts/lint --format

install: release ## installs outpost into PREFIX/bin (DESTDIR is honoured)
	cmake --install build/release --prefix $(PREFIX) --strip

build-times: deps ## how long a clean release build and a one-line change take
	@scripts/build-times

clean: ## removes what was built
	rm -rf build
