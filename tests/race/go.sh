#!/bin/sh
# Runs the Go tests of goroutines under the race detector, and one with a race on purpose, which it must object to.
# usage: go.sh SOURCE
set -eu
cd "$1/go"
if [ "$(go env CGO_ENABLED)" != 1 ] || ! command -v "$(go env CC)" >/dev/null; then
  echo 'skipped: the race detector of Go needs cgo and a C compiler'
  exit 77
fi
go test -race -count=1 -run 'Shar|AtOnce' .
log=$(mktemp)
trap 'rm -f "$log"' EXIT
go test -race -count=1 -tags planted_race -run APlanted . >"$log" 2>&1 || true
if ! grep -q 'WARNING: DATA RACE' "$log"; then
  cat "$log"
  echo 'FAILED: the race on purpose was not seen'
  exit 1
fi
echo 'the race on purpose was seen'
