# The front door: a thin layer over CMake presets, cargo and go. A bare `make` prints what there is.
.PHONY: help build demo demo-server test test-build sanitize bench plots fuzz soak fmt lint siblings wheel clean
.NOTPARALLEL:

# Where the installers of Rust and Go put their toolchains; Debian's serve where those are not there.
export PATH := $(HOME)/.cargo/bin:/usr/local/go/bin:$(PATH)

BENCH ?= ON
FUZZ_RUNS ?= 1000000

help:
	@echo 'make demo      install what the command needs, build it alone, and show the main job'
	@echo 'make demo-server  the module for Redis and Valkey, inside a server of its own'
	@echo 'make test      install what is missing, build, and run every test at a modest size, in all languages'
	@echo 'make sanitize  the tests under ASan, UBSan and ThreadSanitizer, and each fuzzer for a moment'
	@echo 'make build     build/bloomery, build/bloomery-rs, build/bloomery-go, build/bloomery_module.so'
	@echo 'make siblings  build/bloomery-rs and build/bloomery-go alone'
	@echo 'make wheel     the Python package as a wheel, in build/python'
	@echo 'make bench     measure, beside the ceiling of the machine; each bar met or missed'
	@echo 'make plots     measure every kind again and draw the plots of docs/choosing.md (minutes, on an idle machine)'
	@echo 'make soak      the tests at the full counts, the command under sanitizers, and the fuzzers (hours); goes on where it was interrupted'
	@echo 'make fuzz      each fuzzer $(FUZZ_RUNS) times, under ASan and UBSan, then those of Rust, Go and Python'
	@echo 'make fmt       format the code'
	@echo 'make lint      clang-format and clang-tidy, as a check'
	@echo 'make clean     remove build/'

# The command alone, without what asks servers: a later `make build` or `make test` goes on in the same folder.
demo:
	@tools/deps.sh demo
	@cmake --preset release --log-level=WARNING -DBLOOMERY_TESTS=OFF -DBLOOMERY_BENCH=OFF -DBLOOMERY_LEVELDB=OFF -DBLOOMERY_SERVER=OFF -DBLOOMERY_LIVE=OFF >/dev/null
	@tools/progress.sh cmake --build --preset release --target bloomery_cli
	@ln -sf release/bloomery build/bloomery
	@build/bloomery demo

demo-server:
	@tools/deps.sh server
	@cmake --preset release --log-level=WARNING -DBLOOMERY_TESTS=OFF -DBLOOMERY_BENCH=OFF -DBLOOMERY_LEVELDB=OFF -DBLOOMERY_SERVER=ON >/dev/null
	@tools/progress.sh cmake --build --preset release --target bloomery_module
	@ln -sf release/bloomery_module.so build/bloomery_module.so
	@tools/servers.sh build/tools
	@tools/demo_server.sh build/bloomery_module.so build/tools

build:
	@tools/deps.sh build
	@cmake --preset release --log-level=WARNING -DBLOOMERY_TESTS=OFF -DBLOOMERY_BENCH=OFF -DBLOOMERY_SERVER=ON >/dev/null
	@tools/progress.sh cmake --build --preset release --target bloomery_cli bloomery_module
	@ln -sf release/bloomery build/bloomery
	@ln -sf release/bloomery_module.so build/bloomery_module.so
	@$(MAKE) --no-print-directory siblings

siblings:
	@tools/siblings.sh build

test: test-build
	@tools/run_tests.sh release

# The benchmarks are compiled and tried in the soak: they would take a minute of the time that tests may take.
test-build:
	@tools/deps.sh test
	@cmake --preset release --log-level=WARNING -DBLOOMERY_BENCH=$(if $(BLOOMERY_SOAK),ON,OFF) -DBLOOMERY_SERVER=ON -DBLOOMERY_FOLDERS_AT_ONCE=ON >/dev/null
	@tools/progress.sh cmake --build --preset release
	@ln -sf release/bloomery build/bloomery
	@ln -sf release/bloomery_module.so build/bloomery_module.so
	@$(MAKE) --no-print-directory siblings
	@tools/promtool.sh build/tools
	@tools/servers.sh build/tools

wheel:
	@tools/deps.sh python
	@tools/python.sh wheel

sanitize:
	@tools/deps.sh sanitize
	@cmake --preset asan --log-level=WARNING -DBLOOMERY_CLI=OFF >/dev/null
	@tools/progress.sh cmake --build --preset asan
	@cmake --preset tsan --log-level=WARNING >/dev/null
	@tools/progress.sh cmake --build --preset tsan --target bloomery_live_tests bloomery_replica_tests bloomery_race bloomery_table_threads bloomery_c_tests bloomery_service
	@tools/promtool.sh build/tools
	@tools/servers.sh build/tools
	@tools/run_tests.sh asan tsan

bench: build
	@tools/deps.sh bench
	@cmake --preset release --log-level=WARNING -DBLOOMERY_BENCH=ON -DBLOOMERY_TESTS=OFF >/dev/null
	@tools/progress.sh cmake --build --preset release
	@build/release/bloomery_bench --rust build/bloomery-rs-bench --go build/bloomery-go-bench
	@tools/python.sh bench
	@tools/servers.sh build/tools
	@bench/server_speed.py build/bloomery_module.so build/tools || true

plots:
	@tools/deps.sh bench
	@cmake --preset release --log-level=WARNING -DBLOOMERY_BENCH=ON -DBLOOMERY_TESTS=OFF >/dev/null
	@tools/progress.sh cmake --build --preset release --target bloomery_cli bloomery_bench
	@tools/choosing_data.py build/release bench/results/choosing.json
	@tools/plot_choosing.py docs/plots/choosing bench/results/choosing.json

fuzz:
	@tools/soak.sh $(FUZZ_RUNS) fuzz

# The counts are for code as it is shipped. Sanitizers look at each path, for which the usual counts of `make sanitize` are
# enough: they slow the tests down by three to ten times.
soak:
	@tools/soak.sh $(FUZZ_RUNS)

fmt:
	@tools/deps.sh lint
	@tools/sources.sh | xargs clang-format-14 -i

lint:
	@tools/deps.sh lint
	@tools/lint.sh

clean:
	rm -rf build
