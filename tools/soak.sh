#!/bin/sh
# Runs the soak part by part: the tests at full counts, the sanitizers with the command, each fuzzer RUNS times. A part
# that fails stops no other. Each is printed with its result and its time, and the last line is `N passed, N failed`.
# In a clean tree a part that passed on this very commit is not run again, so that a soak goes on where it was
# interrupted. What a part prints is kept in build/soak. usage: soak.sh RUNS [fuzz]      fuzz: the fuzzers alone
set -u
cd "$(dirname "$0")/.." || exit
runs=$1 only=${2-}
# Tests are parts by the beginning of their names, so that little is run again; tests:rest are all others.
groups='live table replica streams server python cli'

# The commit, of a clean tree alone.
clean_commit() { [ -n "$(git status --porcelain 2>&1)" ] || git rev-parse HEAD; }

command_of() { # part
  case $1 in
    tests.build) BLOOMERY_SOAK=1 make --no-print-directory test-build ;;
    tests:rest) BLOOMERY_SOAK=1 tools/run_tests.sh -E "^($(echo "$groups" | tr ' ' '|'))" release ;;
    tests:*) BLOOMERY_SOAK=1 tools/run_tests.sh -R "^${1#*:}" release ;;
    sanitize) make --no-print-directory sanitize SANITIZE_CLI=ON ;;
    fuzz.build)
      tools/deps.sh sanitize && cmake --preset fuzz --log-level=WARNING &&
        tools/progress.sh cmake --build --preset fuzz
      ;;
    fuzz.rust) tools/fuzz_rust.sh "$runs" ;;
    fuzz.go) tools/fuzz_go.sh "$runs" ;;
    fuzz.python) BLOOMERY_FUZZ_RUNS=$runs tools/python.sh fuzz ;;
    fuzz.server:*) BLOOMERY_FUZZ_DOOR=${1#*:} tools/fuzz.sh build/fuzz/server_fuzz "$runs" ;;
    *) tools/fuzz.sh "build/fuzz/${1#fuzz.}_fuzz" "$runs" ;;
  esac
}

run_part() { # part
  if [ -f "$folder/$1.passed" ]; then
    result=passed note='passed before'
  else
    start=$(date +%s)
    command_of "$1" >"$folder/$1.log" 2>&1
    case $? in 0) result=passed ;; 77) result=skipped ;; *) result=FAILED ;; esac
    note="$(($(date +%s) - start)) s: $(tail -1 "$folder/$1.log")"
    # What is built is built again each time, which takes no time when it is there.
    if [ $result = passed ] && [ "${1%.build}" = "$1" ] && [ -n "$commit" ] && [ "$(clean_commit)" = "$commit" ]; then
      : >"$folder/$1.passed"
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

commit=$(clean_commit)
folder=build/soak/${commit:-changed}-$runs
[ -n "$commit" ] || rm -rf "$folder"
mkdir -p "$folder"
: >"$folder/results"
export commit folder
echo "what a part prints: $folder/PART.log"
[ -n "$commit" ] || echo 'no part is remembered as passed: the tree differs from its commit'
if [ -z "$only" ]; then
  if run_part tests.build; then
    for group in $groups rest; do run_part "tests:$group"; done
  fi
  run_part sanitize
fi
# As many at once as there are cores. The fuzzers of Go take all of them. Those of an older build are not run.
{
  if run_part fuzz.build >&2; then sed 's/^/fuzz./' build/fuzz/fuzzers.txt; fi
  printf 'fuzz.rust\nfuzz.python\n'
} | xargs -P "$(nproc)" -n 1 tools/soak.sh "$runs" part
run_part fuzz.go
count() { grep -c "^$1 " "$folder/results"; }
skipped=$(count skipped)
[ "$skipped" = 0 ] || echo "$skipped skipped"
echo "$(count passed) passed, $(count FAILED) failed"
[ "$(count FAILED)" = 0 ]
