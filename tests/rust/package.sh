#!/bin/sh
# The crate as a stranger gets it: `cargo package`, unpacked outside of the repository. Its own tests pass there (a part of
# them; all with BLOOMERY_SOAK), a program of twenty lines compiles against it and runs, it compiles without std, its
# documentation has no warning, and it installs one command. usage: package.sh SOURCE
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$source/build/rust}" CARGO_TERM_QUIET=true
fail() { echo "FAILED $*"; exit 1; }

cd "$source/rust"
cargo fetch --locked # what follows asks no network
cargo package --offline --locked --allow-dirty --no-verify --target-dir "$work/package"
tar -xzf "$work"/package/package/bloomery-*.crate -C "$work"
mv "$work"/bloomery-* "$work/crate"
cd "$work/crate"
for file in README.md LICENSE Cargo.lock tests/vectors/kinds.json examples/seen.rs; do
  [ -s "$file" ] || fail "the package has no $file"
done
if find . -name '*.py' | grep .; then fail "the package has files of another language"; fi

part="--lib --test records_vectors"
[ -z "${BLOOMERY_SOAK:-}" ] || part="--all-features"
# shellcheck disable=SC2086 # words
cargo test --offline --locked $part
cargo check --offline --locked --no-default-features --lib
RUSTDOCFLAGS="-D warnings" cargo doc --offline --locked --no-deps --all-features --lib
echo "ok     the unpacked package passes its tests, compiles without std, and documents itself"

bins=$(cargo metadata --offline --no-deps --format-version 1 |
  python3 -c 'import json,sys; print(*[t["name"] for t in json.load(sys.stdin)["packages"][0]["targets"] if "bin" in t["kind"]])')
[ "$bins" = bloomery-rs ] || fail "cargo install would bring along: $bins"

mkdir -p "$work/app/src"
cat >"$work/app/Cargo.toml" <<END
[package]
name = "bloomery-app"
version = "0.1.0"
edition = "2021"
[dependencies]
bloomery = { path = "../crate" }
END
cp "$source/tests/rust/program.rs" "$work/app/src/main.rs"
[ "$(wc -l <"$work/app/src/main.rs")" -le 20 ] || fail "the program has more than twenty lines"
cd "$work/app"
cargo generate-lockfile --offline
answer=$(cargo run --offline --locked)
[ "$answer" = "apple may be there, pear is not" ] || fail "the program said: $answer"
echo "ok     a program of twenty lines outside of the repository"
