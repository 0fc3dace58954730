#!/bin/sh
# clang-format, clang-tidy and gofmt as a check, and staticcheck where it is installed; fails on the first tool that
# finds something. Files that this machine cannot compile, such as a peer of the benchmarks that is not installed, are
# not in the compiler's database and left out.
set -eu
cd "$(dirname "$0")/.."
tools/sources.sh | xargs clang-format-14 --dry-run --Werror
cmake --preset dev --log-level=WARNING -DBLOOMERY_BENCH=ON
cmake --build --preset dev --target bloomery_cli bloomery_tests bloomery_bench
tools/sources.sh | grep '\.cc$' | grep -vE '^(fuzz|tests/(compile|consumer))/|/fuzz\.cc$' |
  while read -r file; do if grep -q "/$file\"" build/dev/compile_commands.json; then echo "$file"; fi; done |
  xargs -P "$(nproc)" -n 3 clang-tidy-14 --quiet -p build/dev --warnings-as-errors='*' 2>/dev/null
unformatted=$(gofmt -l go bench/peers/others/go)
[ -z "$unformatted" ] || { echo "gofmt would change: $unformatted"; exit 1; }
if command -v staticcheck >/dev/null; then (cd go && staticcheck ./...); fi
echo "lint: clean"
