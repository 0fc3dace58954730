#!/bin/sh
# Installs what a target of the Makefile needs on Debian 12 and its kin, as root or with sudo, quietly when it is there
# already; elsewhere it names what is missing. No package is removed for another.
# usage: deps.sh demo|server|build|python|test|sanitize|bench|lint
set -eu

# Each line: what must be there ("a program", or "/a file"), and the Debian package that brings it.
# demo: the command alone.
demo='cmake cmake
ninja ninja-build
g++ g++
/usr/include/xxhash.h libxxhash-dev
/usr/include/fmt/format.h libfmt-dev
/usr/include/nlohmann/json.hpp nlohmann-json3-dev
/usr/include/lz4.h liblz4-dev
/usr/include/zstd.h libzstd-dev'

# server: beside it a server for the module; the package starts no service.
server="$demo
redis-cli redis-tools"

# build: beside it the siblings.
build="$demo
/usr/include/hiredis/hiredis.h libhiredis-dev
git git
cargo cargo
rustc rustc
go golang-go"

python="$demo
/usr/include/python3.11/Python.h python3-dev
/usr/lib/python3.11/ensurepip/__init__.py python3-venv"

test="$build
$python
pkg-config pkg-config
python3 python3
shellcheck shellcheck
/usr/lib/python3/dist-packages/xxhash/__init__.py python3-xxhash
/usr/include/gtest/gtest.h libgtest-dev
/usr/include/rapidcheck.h librapidcheck-dev
/usr/include/leveldb/db.h libleveldb-dev
/usr/include/httplib.h libcpp-httplib-dev
/usr/include/openssl/ssl.h libssl-dev
wrk wrk
redis-cli redis-tools
luajit luajit
valgrind valgrind"
# Compilers for other machines and their emulator: without them the tests isa, arm64, bits32 and replica.order are
# skipped by name. Debian lets no such compiler in beside gcc-multilib, which stays where it is.
test_optional='qemu-x86_64-static qemu-user-static
aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
i686-linux-gnu-g++ g++-i686-linux-gnu'

sanitize="$test
clang++-14 clang-14
/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux libclang-rt-14-dev
/usr/lib/llvm-14/bin/llvm-symbolizer llvm-14"

bench="$build
redis-cli redis-tools
/usr/include/leveldb/db.h libleveldb-dev
/usr/include/bloom.h libbloom-dev
/usr/share/doc/liburcu-dev liburcu-dev"
# Peers of the benchmarks that they can do without.
bench_optional='/usr/include/rocksdb/db.h librocksdb-dev'

lint="$sanitize
$bench
clang-format-14 clang-format-14
clang-tidy-14 clang-tidy-14"

missing_of() { # list
  echo $(echo "$1" | while read -r what package; do
    case $what in
      /*) [ -e "$what" ] || echo "$package" ;;
      *) command -v "$what" >/dev/null 2>&1 || echo "$package" ;;
    esac
  done)
}

sudo=
if [ "$(id -u)" != 0 ]; then sudo=sudo; fi

install() { # packages
  if ! command -v apt-get >/dev/null 2>&1 || { [ -n "$sudo" ] && ! command -v sudo >/dev/null 2>&1; }; then
    echo "missing, by their Debian names: $1" >&2
    echo "install them (as root: apt-get install $1) and try again" >&2
    return 1
  fi
  echo "installing: $1"
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  export DEBIAN_FRONTEND=noninteractive
  if ! { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-remove --no-install-recommends $1; } >"$log" 2>&1; then
    tail -20 "$log" >&2
    echo "could not install: $1" >&2
    return 1
  fi
}

case ${1-} in
  demo | server | build | python | test | sanitize | bench | lint) eval "needs=\$$1" ;;
  *) echo "usage: deps.sh demo|server|build|python|test|sanitize|bench|lint" >&2; exit 2 ;;
esac
missing=$(missing_of "$needs")
[ -z "$missing" ] || install "$missing"
eval "optional=\${$1_optional-}"
[ -n "$optional" ] || exit 0
# One by one: one that cannot be installed holds up no other.
for package in $(missing_of "$optional"); do
  install "$package" || echo "what needs $package is left out"
done
