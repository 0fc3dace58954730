#!/bin/sh
# A Rust project whose other crates need a newer xxhash-rust than the one that bloomery is locked to: cargo finds versions
# for all. The newer one is made up, so that nothing is downloaded. usage: rust.sh SOURCE
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
crate() { # folder name version, then the rest of its Cargo.toml from standard input
  mkdir -p "$1/src"
  touch "$1/src/lib.rs"
  { printf '[package]\nname = "%s"\nversion = "%s"\nedition = "2021"\n' "$2" "$3" && cat; } >"$1/Cargo.toml"
}

crate newer xxhash-rust 0.8.999 <<END
[features]
xxh3 = []
xxh64 = []
END
crate app app 0.1.0 <<END
[dependencies]
bloomery = { path = "$source/rust" }
xxhash-rust = "0.8.999"
[patch.crates-io]
xxhash-rust = { path = "../newer" }
END
cargo generate-lockfile --offline --quiet --manifest-path app/Cargo.toml
count=$(grep -c '^name = "xxhash-rust"' app/Cargo.lock)
[ "$count" = 1 ] || { echo "$count versions of xxhash-rust"; exit 1; }
echo "ok     bloomery beside a newer xxhash-rust"
