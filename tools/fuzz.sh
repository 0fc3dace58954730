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
# The programs that filters of a kind and kernels are put through have up to 300 steps of a few bytes: more bytes take
# more time and say the same again. The kernels get 255 keys, twice as many as are fetched ahead at most.
longest=4096
case $name in
  kernel) longest=2048 ;;
  classic | counting | partitioned | scalable | stable | cuckoo | quotient | fuse | ribbon) longest=1024 ;;
esac
# Who allocated what is not written down, which takes time; a finding is run again with it. Of what was freed the last
# 16 MiB, more than an execution frees, are kept from being used again: with the usual 256 all memory is cold.
# 64 MiB in one allocation is far more than any honest input of 4 KiB asks for: a believed count would show here.
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}malloc_context_size=0:quarantine_size_mb=16" \
  "$fuzzer" -runs="$runs" -max_len=$longest -malloc_limit_mb=64 -timeout=10 -reload=0 -print_final_stats=1 \
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
stat() { sed -n "s/^stat::$1: *//p" "$work/log"; }
echo "$(stat number_of_executed_units) executions, $(stat average_exec_per_sec) in a second"
# One that was interrupted may end as if nothing were wrong.
[ "$(stat number_of_executed_units)" -ge "$runs" ]
