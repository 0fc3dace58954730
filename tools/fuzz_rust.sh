#!/bin/sh
# Runs each coverage-guided fuzzer of the Rust sibling (rust/fuzz) so many times, or for so long (30s): by libFuzzer, with
# AddressSanitizer where a nightly compiler is there. What it finds stays in build/rust-fuzz/found.
# usage: fuzz_rust.sh RUNS|TIME [FUZZER...]
set -eu
limit=$1
shift
root=$(cd "$(dirname "$0")/.." && pwd)
case $limit in *s) limit=-max_total_time=${limit%s} ;; *) limit=-runs=$limit ;; esac
cd "$root/rust/fuzz"
host=$(rustc -vV | sed -n 's/^host: //p')
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Ccodegen-units=1"
for more in inline-8bit-counters pc-table trace-compares; do
  flags="$flags -Cllvm-args=-sanitizer-coverage-$more"
done
cargo=cargo
if command -v rustup >/dev/null && rustup run nightly rustc --version >/dev/null 2>&1; then
  cargo="cargo +nightly"
  flags="$flags -Zsanitizer=address"
fi
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/build/rust-fuzz}"
if ! $cargo fetch --locked --quiet; then
  echo "skipped: libfuzzer-sys cannot be had"
  exit 77
fi
RUSTFLAGS="$flags" $cargo build --offline --locked --quiet --release --target "$host"
mkdir -p "$CARGO_TARGET_DIR/found"
# The files of one fuzzer are in memory where that is to be had, where no disk is waited for.
if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi
for target in fuzz_targets/*.rs; do
  name=$(basename "$target" .rs)
  [ $# = 0 ] || case " $* " in *" $name "*) ;; *) continue ;; esac
  echo "rust $name, $limit:"
  mkdir -p "$CARGO_TARGET_DIR/corpus/$name"
  log=$CARGO_TARGET_DIR/$name.log
  if ! "$CARGO_TARGET_DIR/$host/release/$name" "$limit" -max_len=8192 -artifact_prefix="$CARGO_TARGET_DIR/found/$name-" \
    "$CARGO_TARGET_DIR/corpus/$name" "$root"/fuzz/corpus/* >"$log" 2>&1; then
    tail -40 "$log"
    exit 1
  fi
  tail -1 "$log"
done
