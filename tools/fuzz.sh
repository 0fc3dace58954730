#!/bin/sh
# Runs one fuzzer for so many executions, from the checked-in corpus, without writing into the tree.
# usage: fuzz.sh FUZZER RUNS
set -eu
fuzzer=$1 runs=$2
here=$(cd "$(dirname "$0")/.." && pwd)
name=$(basename "$fuzzer" _fuzz)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/corpus"
if [ -d "$here/fuzz/corpus/$name" ]; then cp "$here/fuzz/corpus/$name"/* "$work/corpus/"; fi
# Who allocated what is not written down, which takes time; a finding is run again with it.
# 64 MiB in one allocation is far more than any honest input of 4 KiB asks for: a believed count would show here.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}malloc_context_size=0" \
  "$fuzzer" -runs="$runs" -max_len=4096 -malloc_limit_mb=64 -timeout=10 -print_final_stats=1 \
  -artifact_prefix="$work/" "$work/corpus" >"$work/log" 2>&1 || {
  tail -40 "$work/log"
  for found in "$work"/crash-* "$work"/timeout-* "$work"/oom-* "$work"/leak-* "$work"/slow-unit-*; do
    [ -f "$found" ] || continue
    echo "input ($found), for base64 -d:"
    base64 "$found"
    "$fuzzer" -malloc_limit_mb=64 -timeout=10 -artifact_prefix="$work/again-" "$found" 2>&1 | tail -60
  done
  exit 1
}
grep -E 'number_of_executed_units|average_exec_per_sec' "$work/log"
