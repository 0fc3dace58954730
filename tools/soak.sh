#!/bin/sh
# Runs the soak part by part: the tests at full counts, the command under sanitizers, each fuzzer of C++ RUNS times and
# those of Rust and Go, whose languages check every index, a tenth of that. With `fuzz` it runs the fuzzers alone, all
# of them RUNS times. A part takes one core, and one more runs at once than there are cores, since some wait for
# servers. A part that fails stops no other. Each is printed with its result and its time, and the last line is
# `N passed, N failed`.
# In a clean tree a part that passed is not run again until something that it reads has changed, so that a soak goes on
# where it was interrupted. What a part prints is kept in build/soak. usage: soak.sh RUNS [fuzz]
set -u
cd "$(dirname "$0")/.." || exit
export PATH="$HOME/.cargo/bin:/usr/local/go/bin:$PATH"
runs=$1 only=${2-} folder=build/soak
few=${few-$((runs / 10))} # of the fuzzers of Rust and Go
[ "$only" != fuzz ] || few=$runs
export few
# Tests are parts by the beginning of their names, those that take longest first. The C++ tests of the core have names
# with a capital, and tests:rest are all others.
groups='units python go rust conformance cli server streams live replica table rest'

command_of() { # part
  case $1 in
    tests.build) BLOOMERY_SOAK=1 make --no-print-directory test-build ;;
    tests:units) tests -R '^[A-Z]' ;;
    tests:rest) tests -E "^([A-Z]|$(echo "${groups% rest}" | tr ' ' '|'))" ;;
    tests:*) tests -R "^${1#*:}" ;;
    fuzz.build)
      tools/deps.sh sanitize && cmake --preset fuzz --log-level=WARNING && tools/progress.sh cmake --build --preset fuzz
      ;;
    sanitize:cli) tests/cli/run.py build/fuzz/bloomery ;;
    sanitize:processes) tests/streams/processes.py . build/fuzz/bloomery build/tools/redis-server ;;
    fuzz.rust:*) tools/fuzz_rust.sh "$few" "${1#*:}" ;;
    fuzz.go:*) BLOOMERY_JOBS=1 tools/fuzz_go.sh "$few" "${1#*:}" ;;
    fuzz.python) BLOOMERY_FUZZ_RUNS=$runs tools/python.sh fuzz ;;
    fuzz.server:*) BLOOMERY_FUZZ_DOOR=${1#*:} tools/fuzz.sh build/fuzz/server_fuzz "$runs" ;;
    *) tools/fuzz.sh "build/fuzz/${1#fuzz.}_fuzz" "$runs" ;;
  esac
}

tests() { BLOOMERY_SOAK=1 BLOOMERY_JOBS=1 tools/run_tests.sh "$@" release; }

# What a part reads, as its sum, of a clean tree alone. Scripts that test commands and pages may read anything.
inputs_of() { # part
  times=$runs
  build='include src capi server fuzz cmake CMakeLists.txt CMakePresets.json'
  # shellcheck disable=SC2086 # words
  case $1 in
    tests:units | tests:live | tests:table) set -- $build spec/vectors 'tests/*.cc' 'tests/*.h' tools/run_tests.sh ;;
    tests:replica | tests:streams) set -- $build cli 'tests/*.cc' 'tests/*.h' tests/replica tests/streams docs/operations tools ;;
    tests:server) set -- $build tests/server tools ;;
    tests:go) set -- go spec tests/race tools/run_tests.sh ;;
    tests:rust) set -- rust spec fuzz/corpus tests/rust tools/run_tests.sh ;;
    fuzz.go:*) times=$few && set -- go spec tools/fuzz_go.sh ;;
    fuzz.rust:*) times=$few && set -- rust spec fuzz/corpus tools/fuzz_rust.sh ;;
    fuzz.python) set -- python include src cmake CMakeLists.txt tools/python.sh ;;
    fuzz.*) set -- $build tools/fuzz.sh ;;
    *) set -- . ;;
  esac
  [ -n "$(git status --porcelain 2>&1)" ] || { echo "$times" && git ls-files -s "$@"; } | sha256sum | cut -c1-16
}

run_part() { # part
  inputs=$(inputs_of "$1")
  if [ -n "$inputs" ] && [ -f "$folder/$1.$inputs.passed" ]; then
    result=passed note='passed before'
  else
    start=$(date +%s)
    command_of "$1" >"$folder/$1.log" 2>&1
    case $? in 0) result=passed ;; 77) result=skipped ;; *) result=FAILED ;; esac
    note="$(($(date +%s) - start)) s: $(tail -1 "$folder/$1.log")"
    # What is built is built again each time, which takes no time when it is there.
    if [ $result = passed ] && [ "${1%.build}" = "$1" ] && [ -n "$inputs" ] && [ "$(inputs_of "$1")" = "$inputs" ]; then
      : >"$folder/$1.$inputs.passed"
    fi
  fi
  [ $result != FAILED ] || tail -40 "$folder/$1.log"
  echo "$result $1, $note" | tee -a "$folder/results"
  [ $result != FAILED ]
}

if [ "$only" = part ]; then
  run_part "$3"
  exit
fi

mkdir -p "$folder"
: >"$folder/results"
echo "what a part prints: $folder/PART.log"
[ -z "$(git status --porcelain 2>&1)" ] || echo 'no part is remembered as passed: the tree differs from its commit'
{
  if [ -z "$only" ] && run_part tests.build >&2; then printf 'tests:%s\n' $groups; fi
  ls rust/fuzz/fuzz_targets | sed -n 's/\.rs$//; s/^/fuzz.rust:/p'
  if run_part fuzz.build >&2; then
    [ -n "$only" ] || printf 'sanitize:%s\n' cli processes
    sed 's/^/fuzz./' build/fuzz/fuzzers.txt
  fi
  [ -z "$only" ] || echo fuzz.python # which is among the tests, too
  tools/fuzz_go.sh list | sed 's/^/fuzz.go:/'
} >"$folder/parts"
xargs -P "$(($(nproc) + 1))" -n 1 tools/soak.sh "$runs" part <"$folder/parts"
count() { grep -c "^$1 " "$folder/results"; }
skipped=$(count skipped)
[ "$skipped" = 0 ] || echo "$skipped skipped"
echo "$(count passed) passed, $(count FAILED) failed"
[ "$(count FAILED)" = 0 ]
