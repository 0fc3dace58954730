#!/bin/sh
# Runs the tests of the builds named and adds up their counts: release and asan all, tsan those of threads. Everything
# runs even when something fails; one more at once than there are cores, since some wait for servers, or $BLOOMERY_JOBS.
# usage: run_tests.sh [-R|-E REGEX] PRESET...     tests of the name, or all others
set -u
cd "$(dirname "$0")/.." || exit
choose=-E names='^$'
case $1 in -R | -E) choose=$1 names=$2; shift 2 ;; esac
passed=0 failed=0
for preset in "$@"; do
  case $preset in tsan) set -- -R '^(live|replica|threads)\.' ;; *) set -- "$choose" "$names" ;; esac
  log=$(mktemp)
  echo "== $preset"
  ctest --preset "$preset" -j "${BLOOMERY_JOBS:-$(($(nproc) + 1))}" "$@" 2>&1 | tee "$log" | grep -vE '^ *[0-9]+/[0-9]+ Test|^ *Start ' || true
  # ctest: "97% tests passed, 3 tests failed out of 120"
  line=$(grep -E 'tests passed, [0-9]+ tests failed out of [0-9]+' "$log")
  rm -f "$log"
  if [ -z "$line" ]; then
    echo "no tests ran in $preset"
    failed=$((failed + 1))
    continue
  fi
  bad=$(echo "$line" | sed 's/.*passed, \([0-9]*\) tests failed.*/\1/')
  all=$(echo "$line" | sed 's/.*out of \([0-9]*\).*/\1/')
  passed=$((passed + all - bad)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
