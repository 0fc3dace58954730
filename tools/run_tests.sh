#!/bin/sh
# Runs the tests of the builds named and adds up their counts: release and asan all, tsan those of threads. Everything
# runs even when something fails; one more at once than there are cores, since some wait for servers. usage: run_tests.sh PRESET...
set -u
cd "$(dirname "$0")/.."
passed=0 failed=0
for preset in "$@"; do
  case $preset in tsan) only='^(live|replica|threads)\.' ;; *) only=. ;; esac
  log=$(mktemp)
  echo "== $preset"
  ctest --preset $preset -j "$(($(nproc) + 1))" -R "$only" 2>&1 | tee "$log" | grep -vE '^ *[0-9]+/[0-9]+ Test|^ *Start ' || true
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
