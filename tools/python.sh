#!/bin/sh
# Builds the wheel of python/ and tests it in a clean virtual environment below build/python. Links the static libraries
# of build/release where they are, else builds them. Exits 77, with a sentence, where the packages cannot be had.
# `bench` measures the package that `test` has installed, and says where there is none. `fuzz` makes $BLOOMERY_FUZZ_RUNS calls
# of its doors by atheris, or without atheris by random numbers.
# usage: python.sh wheel|test|fuzz|bench [PYTHON...]     without names: /usr/bin/python3, at full counts in the soak, and there
#                                                        at modest ones every other CPython from 3.10 on
set -eu
cd "$(dirname "$0")/.."
root=$PWD
what=${1-}
[ $# = 0 ] || shift
case $what in wheel | test | fuzz | bench) ;; *) echo "usage: python.sh wheel|test|fuzz|bench [PYTHON...]" >&2; exit 2 ;; esac
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1

if [ $# = 0 ]; then
  set -- /usr/bin/python3
  if [ -n "${BLOOMERY_SOAK-}" ]; then
    for other in /usr/local/bin/python3.1[0-9] /usr/local/bin/python3.1[0-9]t "$HOME"/.pyenv/versions/3.1[0-9]*/bin/python3; do [ ! -x "$other" ] || set -- "$@" "$other"; done
  fi
fi

trap wait EXIT  # for packages that are being installed

skip() {
  echo "skipped: $1"
  exit 77
}

# Those of the second line are packages that tests can do without.
needed='numpy pytest hypothesis'
wanted='pyarrow polars pandas duckdb mypy tqdm'
if [ -n "${BLOOMERY_SOAK-}" ]; then wanted="$wanted pyright[nodejs] atheris"; fi
if [ "$what" = fuzz ]; then wanted=atheris; fi

built=
if [ -f build/release/libbloomery_table.a ] && [ -f build/release/libbloomery_live.a ]; then
  # Libraries of an older checkout would not fit the headers of this one.
  cmake --build build/release --target bloomery_static bloomery_live_static bloomery_table >build/release/python.log || { cat build/release/python.log; exit 1; }
  built=--config-settings=cmake.define.BLOOMERY_BUILT=$root/build/release
fi

# All at once, or where one of them does not install, those that do.
install_wanted() { # folder
  if "$1/clean/bin/pip" install -q --only-binary :all: $wanted >"$1/wanted.log" 2>&1; then return; fi
  for package in $wanted; do
    "$1/clean/bin/pip" install -q --only-binary :all: "$package" >>"$1/wanted.log" 2>&1 || echo "left out: $package does not install"
  done
}

bench() { # folder
  if [ ! -x "$1/clean/bin/python" ] || ! "$1/clean/bin/python" -c 'import bloomery' 2>/dev/null; then
    echo "no figures of Python: tools/python.sh test installs the package"
    return
  fi
  for package in rbloom pybloomfiltermmap3 fastbloom-rs; do
    "$1/clean/bin/pip" install -q --only-binary :all: $package >>"$1/peers.log" 2>&1 || true
  done
  "${CXX-g++}" -O3 -DNDEBUG -std=c++20 -Iinclude python/bench/bench.cc build/release/libbloomery.a -lpthread -o "$1/bench"
  "$1/clean/bin/python" python/bench/run.py --cpp "$1/bench"
}

fuzz() { # folder
  runs=${BLOOMERY_FUZZ_RUNS-1000000}
  if "$1/clean/bin/python" -c 'import atheris' 2>/dev/null; then
    mkdir -p "$1/corpus"
    "$1/clean/bin/python" python/fuzz/guided.py -runs="$runs" "$1/corpus" >"$1/fuzz.log" 2>&1 || { tail -40 "$1/fuzz.log"; exit 1; }
    tail -1 "$1/fuzz.log"
  else
    "$1/clean/bin/python" -W ignore python/fuzz/doors.py "$runs"
  fi
}

seen=
for python in "$@"; do
  version=$("$python" -c 'import sys, sysconfig; print(f"{sys.version_info[0]}.{sys.version_info[1]}" + ("t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""))')
  case " $seen " in *" $version "*) continue ;; esac  # two of one version share a folder
  seen="$seen $version"
  folder=build/python/$version
  if [ "$what" = bench ]; then
    bench "$folder"
    continue
  fi
  mkdir -p "$folder"
  "$python" -m venv "$folder/tools" >/dev/null 2>&1 || skip "$python has no module venv (Debian: python3-venv)"
  "$folder/tools/bin/pip" install -q nanobind scikit-build-core >"$folder/pip.log" 2>&1 || skip 'the packages to build with cannot be had'
  # The packages of the tests are fetched while the module compiles. The environment is a new one each time.
  if [ "$what" != wheel ]; then
    rm -rf "$folder/clean"
    "$python" -m venv "$folder/clean"
    "$folder/clean/bin/pip" install -q --only-binary :all: $needed >"$folder/needed.log" 2>&1 || skip 'the packages to test with cannot be had'
    install_wanted "$folder" &
  fi
  rm -f "$folder"/*.whl
  "$folder/tools/bin/pip" wheel -q --no-deps --no-build-isolation -w "$folder" --config-settings=build-dir="$root/$folder/cmake" $built ./python
  wait
  [ "$what" != wheel ] || continue
  "$folder/clean/bin/pip" install -q --no-deps "$folder"/*.whl
  if [ "$what" = fuzz ]; then
    fuzz "$folder"
    continue
  fi
  (cd python && BLOOMERY_COMMAND=${BLOOMERY_COMMAND-$root/build/release/bloomery} "../$folder/clean/bin/python" -m pytest)
  unset BLOOMERY_SOAK # of the others
done
[ "$what" != wheel ] || ls build/python/*/*.whl
