# Two commands do everything: `make run` and `make test`. CMake (CMakePresets.json) does the work behind them.
PREFIX ?= /usr/local
PORT ?= 8080
JOBS ?= $(shell nproc)

# `make mutants` breaks the library on purpose, line by line, and checks that a test notices (tests/mutants.txt).
.PHONY: run test bench validate soak fuzz mutants format install clean setup docs pictures experiments web web-run web-test web-bench
.DEFAULT_GOAL := run

setup:
	@scripts/setup

build/%/build.ninja: CMakePresets.json CMakeLists.txt | setup
	@cmake --preset $* >build/$*.log 2>&1 || { cat build/$*.log; exit 1; }

build-%: setup
	@mkdir -p build
	@$(MAKE) --no-print-directory build/$*/build.ninja
	@cmake --build --preset $* -j $(JOBS)

run: build-release
	@scripts/run

test: build-release build-double build-asan
	@scripts/test

bench: build-release
	@build/release/telar bench
	@scripts/check_ratios build/release/telar
	@scripts/performance build/release/telar

validate: build-release build-double
	@build/release/telar validate --out out/validate-float; single=$$?; scripts/laws && exit $$single

soak: build-release
	@scripts/soak

fuzz: setup
	@scripts/fuzz

mutants: setup
	@scripts/mutate

format: setup
	@git ls-files '*.c' '*.h' '*.cpp' '*.inl' | xargs clang-format -i

docs: build-release
	@build/release/telar list parameters >docs/parameters.md
	@mkdir -p schema && build/release/telar list schema >schema/scene.schema.json

experiments: build-release
	@scripts/experiments

pictures: build-release
	@scripts/pictures

# the npm package in out/npm and the playground in out/web
web: setup
	@scripts/web
	@scripts/web_site

# serves the playground on this machine and prints the address
web-run: web
	@node apps/web/tests/serve.mjs $(PORT)

web-test: build-release web
	@ctest --test-dir build/release -R '^web\.' --output-on-failure
	@scripts/web_test

web-bench: build-release web
	@node bench/web/bench.mjs out/npm build/release/telar
	@node apps/web/tests/bench.mjs

install: build-release
	@cmake --install build/release --prefix $(PREFIX)

clean:
	@rm -rf build out
