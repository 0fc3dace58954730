#!/bin/sh
# Runs each fuzzer of the Go sibling for so many executions, or so long (30s). What it finds stays in testdata/ beside
# the fuzzer, where `go test` tries it again. On $BLOOMERY_JOBS cores, or all. `list` names the fuzzers.
# usage: fuzz_go.sh RUNS|TIME [FUZZER...] | list
set -eu
runs=$1
shift
case $runs in *[!0-9]*) ;; *) runs=${runs}x ;; esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cd "$(dirname "$0")/../go"
for package in . ./cmd/bloomery-go; do
  for name in $(go test -list '^Fuzz' $package | grep '^Fuzz'); do
    if [ "$runs" = list ]; then
      echo "$name"
      continue
    fi
    [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
    echo "go $name, $runs:"
    if go test -run '^$' -fuzz "^$name\$" -fuzztime "$runs" -fuzzminimizetime 10x -parallel "${BLOOMERY_JOBS:-$(nproc)}" $package >"$log" 2>&1; then
      grep 'execs:' "$log" | tail -1
    else
      tail -40 "$log"
      exit 1
    fi
  done
done
