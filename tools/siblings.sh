#!/bin/sh
# Builds the Rust and Go siblings: OUT/bloomery-rs, OUT/bloomery-go and their benches. usage: siblings.sh OUT
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
CARGO_TARGET_DIR=$out/rust cargo build --release --locked --quiet --manifest-path rust/Cargo.toml --bins \
  --example bloomery-rs-bench # an example, so that `cargo install` leaves it out
ln -sf rust/release/bloomery-rs "$out/bloomery-rs"
ln -sf rust/release/examples/bloomery-rs-bench "$out/bloomery-rs-bench"
(cd go && go build -o "$out/" ./cmd/...)
