#!/bin/sh
# Builds the Rust and Go siblings: OUT/bloomery-rs, OUT/bloomery-go and their benches. usage: siblings.sh OUT
set -eu
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
CARGO_TARGET_DIR=$out/rust cargo build --release --locked --quiet --manifest-path rust/Cargo.toml
for name in bloomery-rs bloomery-rs-bench; do ln -sf "rust/release/$name" "$out/$name"; done
(cd go && go build -o "$out/" ./cmd/...)
