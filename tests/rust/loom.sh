#!/bin/sh
# The filter that threads share, under loom: every order in which a few threads can meet. usage: loom.sh SOURCE
set -eu
cd "$1/rust"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$1/build/rust-loom}" RUSTFLAGS="--cfg loom"
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 # compiled once, and read by no debugger
if ! cargo fetch --locked --quiet; then
  echo "skipped: loom cannot be had"
  exit 77
fi
cargo test --offline --locked --quiet --lib shared::
