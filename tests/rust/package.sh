#!/bin/sh
# The crate as a stranger gets it: `cargo package`, unpacked outside of the repository. Its files are those of the
# repository, whose tests pass; its own tests pass there (one of them; all with BLOOMERY_SOAK); a program of twenty lines
# compiles against it and runs; it compiles without std, its documentation has no warning, and it installs one command.
# usage: package.sh SOURCE
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$source/build/rust}" CARGO_TERM_QUIET=true
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0 # as the unit tests have it, whose dependencies this uses
fail() { echo "FAILED $*"; exit 1; }

cd "$source/rust"
cargo fetch --locked # what follows asks no network
cargo package --offline --locked --allow-dirty --no-verify --target-dir "$work/package"
tar -xzf "$work"/package/package/bloomery-*.crate -C "$work"
mv "$work"/bloomery-* "$work/crate"
cd "$work/crate"
# Cargo knows what it has compiled of a crate by its name, its profile and the times of its files, and not by its folder.
# The files of a package are of 2006: cargo would take what it compiled of the repository for it, or of the package of
# the run before, whose folder is gone. So its files get a new time, and it alone a profile that the repository has not.
find . -type f -exec touch {} +
own_profile="--config profile.dev.package.bloomery.codegen-units=255" # one less than usual
for file in README.md LICENSE Cargo.lock tests/vectors/kinds.json examples/seen.rs; do
  [ -s "$file" ] || fail "the package has no $file"
done
if find . -name '*.py' | grep .; then fail "the package has files of another language"; fi
for folder in src tests examples; do
  diff -r --exclude='*.py' --exclude=generator "$folder" "$source/rust/$folder" || fail "$folder is not that of the repository"
done

# All features, as the unit tests have it, whose dependencies are used again.
part="--test records_vectors"
[ -z "${BLOOMERY_SOAK:-}" ] || part=
# At modest counts: the unit tests run at the full ones.
# shellcheck disable=SC2086 # words
env -u BLOOMERY_SOAK cargo $own_profile test --offline --locked --all-features $part
grep -qx "# env-dep:CARGO_MANIFEST_DIR=$work/crate" "$CARGO_TARGET_DIR"/debug/deps/records_vectors-*.d ||
  fail "the tests that passed were compiled in another folder"
# shellcheck disable=SC2086 # words
cargo $own_profile check --offline --locked --no-default-features --lib
# shellcheck disable=SC2086 # words
RUSTDOCFLAGS="-D warnings" cargo $own_profile doc --offline --locked --no-deps --all-features --lib
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
