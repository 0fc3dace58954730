#!/bin/sh
# Holds --parquet to the `parquet` crate: it reads our filters, we read its, and both are the same bytes. Exits 77 with
# one line when there is no current cargo, or no crate to be had.
# usage: run.sh BLOOMERY_OR_ITS_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case $1 in /*) bloomery=$1 ;; *) bloomery=$PWD/$1 ;; esac
[ -d "$bloomery" ] && bloomery=$bloomery/bloomery
needs=88 # rust-version of Cargo.toml: 1.88

skip() { echo "skipped: $1"; exit 77; }
fail() { echo "FAILED $1"; exit 1; }
good() { passed=$((passed + 1)); echo "ok     $1"; }
passed=0

# What Debian packages as cargo may come before a current one on PATH, or after it.
cargo=
for found in $(command -v cargo || true) "${CARGO_HOME:-$HOME/.cargo}/bin/cargo"; do
  minor=$("$found" --version 2>/dev/null | sed -n 's/^cargo 1\.\([0-9]*\)\..*/\1/p') || minor=
  if [ -z "$cargo" ] && [ "${minor:-0}" -ge $needs ]; then cargo=$found; fi
done
[ -n "$cargo" ] || skip "no cargo of at least 1.$needs (the parquet crate needs it)"
# rustup's cargo and a rustc of Debian do not go together.
PATH=$(dirname "$cargo"):$PATH
export CARGO_NET_RETRY=0 CARGO_HTTP_TIMEOUT=20 CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$(dirname "$bloomery")/parquet}"
host=$(rustc -vV | sed -n 's/^host: //p')
"$cargo" fetch --quiet --locked --target "$host" --manifest-path "$here/Cargo.toml" >/dev/null 2>&1 ||
  skip "the parquet crate is neither here nor to be fetched"
"$cargo" build --quiet --locked --offline --manifest-path "$here/Cargo.toml" || fail "the crate does not build"
check=$CARGO_TARGET_DIR/debug/parquet-check

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# keys TYPE FIRST COUNT: a line a key.
keys() {
  awk -v type="$1" -v first="$2" -v count="$3" 'BEGIN {
    for (i = first; i < first + count; ++i)
      if (type == "bytes") print "key" i
      else if (type == "int32") printf "%d\n", (i % 2 ? -1 : 1) * i * 1009
      else if (type == "int64") printf "%d%09d\n", (i % 2 ? -1 : 1) * (i + 1), i
      else printf "%s%d.%03de%d\n", i % 3 ? "" : "-", i, i % 1000, i % 40 - 20
  }'
}

for type in bytes int32 int64 double; do
  keys $type 0 1000 >present
  keys $type 1000 10000 >absent
  "$bloomery" build -q --kind split --parquet --key-type $type --fpr 0.01 -o ours present
  found=$("$check" read $type ours present absent) || fail "$type: the crate reads ours"
  hits=${found#*, } hits=${hits%% *}
  [ "$hits" -le 150 ] || fail "$type: $found, more than 1.5 %"
  [ "$hits" -ge 1 ] || fail "$type: $found, which no filter of this size does"
  good "$type: the crate reads ours: $found"

  bytes=$("$bloomery" inspect --parquet --json ours | sed 's/.*"payload_bytes":\([0-9]*\).*/\1/')
  "$check" write $type "$bytes" present theirs
  cmp ours theirs || fail "$type: both writers make the same $bytes bytes"
  good "$type: both writers make the same $bytes bytes"

  "$bloomery" query --parquet --key-type $type theirs present >answers || fail "$type: we read theirs"
  [ "$(grep -c '^maybe' answers)" = 1000 ] || fail "$type: we find every key in theirs"
  "$bloomery" query --parquet --key-type $type theirs absent >answers && fail "$type: absent keys are absent in theirs"
  [ "$(grep -c '^maybe' answers)" = "$hits" ] || fail "$type: both readers see the same $hits absent keys"
  good "$type: we read theirs, and see the same $hits absent keys"

  "$check" column $type present column
  bytes=$("$bloomery" inspect --parquet --json column | sed 's/.*"payload_bytes":\([0-9]*\).*/\1/')
  "$bloomery" build -q --kind split --parquet --key-type $type --blocks $((bytes / 32)) -o ours present
  cmp ours column || fail "$type: the filter in a Parquet file is the same $bytes bytes"
  good "$type: the filter in a Parquet file is the same $bytes bytes"
done

keys bytes 1000 1000 >other
cp ours damaged && printf '\377' | dd of=damaged bs=1 seek=0 conv=notrunc 2>/dev/null
"$check" read double damaged present absent >/dev/null 2>&1 && fail "this test notices a damaged header"
: >none
"$bloomery" build -q --kind split --parquet --key-type int64 -n 1000 -o wrong none
"$check" read int64 wrong other other >/dev/null 2>&1 && fail "this test notices keys that are no numbers"
keys int64 0 10 >present
"$check" read int64 wrong present present >/dev/null 2>&1 && fail "this test notices a filter without the keys"
good "this test notices damage and missing keys"
echo "$passed passed"
