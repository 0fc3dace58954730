#!/bin/sh
# The library compiles with the oldest compiler that Cargo.toml promises, with all features and without std.
# usage: oldest.sh SOURCE
set -eu
source=$(cd "$1" && pwd)
oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$source/rust/Cargo.toml")
if ! command -v rustup >/dev/null || ! rustup run "$oldest" cargo --version >/dev/null 2>&1; then
  echo "skipped: no Rust $oldest here (rustup toolchain install $oldest)"
  exit 77
fi
(cd "$source/rust" && cargo fetch --locked --quiet)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$source/rust/src" "$source/rust/README.md" "$source/rust/Cargo.lock" "$work"
# That compiler reads no registry of today, nor the manifests of what only tests need: so without those, and from files.
sed '/^# Not for the checker/,/^\[lints/{/^\[lints/!d}; /^\[lints/,/^$/d' "$source/rust/Cargo.toml" >"$work/Cargo.toml"
cd "$work"
mkdir .cargo
cargo vendor --offline >vendored.toml 2>/dev/null
mv vendored.toml .cargo/config.toml
cargo "+$oldest" check --quiet --offline --locked --all-features
cargo "+$oldest" check --quiet --offline --locked --no-default-features --lib
echo "ok     Rust $oldest compiles it"
