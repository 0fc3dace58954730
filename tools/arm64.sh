#!/bin/sh
# Compiles the library for arm64 and runs tests/arm64/check.cc in an emulator (or directly, on arm64). Of the table, the
# policy for LevelDB and the streams of replicas only the syntax is checked, since their libraries are those of the host. Needs Debian's g++-aarch64-linux-gnu and
# qemu-user-static; exits 77 and names them when they are missing. With the host's command as an argument, filters of every kind are compared with those it builds.
# usage: arm64.sh [BLOOMERY]
set -eu
cd "$(dirname "$0")/.."
compiler=aarch64-linux-gnu-g++ runner=qemu-aarch64-static
if [ "$(uname -m)" = aarch64 ]; then compiler=g++ runner=env; fi
for tool in $compiler $runner; do
  command -v $tool >/dev/null 2>&1 || { echo "skipped: no $tool (Debian: g++-aarch64-linux-gnu, qemu-user-static)"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp /usr/include/xxhash.h "$work/" # the host's own headers must stay out of the way
for header in lz4 zstd zstd_errors; do cp "/usr/include/$header.h" "$work/"; done
cp -r /usr/include/leveldb /usr/include/hiredis "$work/"
# g++ 12 raises array-bounds and stringop-overread falsely here, and on no other machine.
flags="-std=c++20 -O1 -Wall -Wextra -Wpedantic -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow -Wconversion -Werror -ffp-contract=off -Iinclude -Isrc -isystem $work"
# What nearly every file includes, parsed once.
printf '#include "bloomery/any.h"\n#include <algorithm>\n#include <functional>\n#include <memory>\n' >"$work/common.h"
$compiler $flags -x c++-header "$work/common.h" -o "$work/common.h.gch"
flags="$flags -include $work/common.h -Winvalid-pch"
# A folder at once, as CMake does without tests; neon.cc alone, as it has it.
mkdir "$work/units" "$work/syntax"
find src -name '*.cc' ! -name '*_test.cc' ! -name fuzz.cc | sort |
  while read -r file; do
    case $file in src/table/* | src/leveldb/* | src/streams/*) units=$work/syntax ;; *) units=$work/units ;; esac
    case $file in */neon.cc) unit=neon ;; *) unit=$(dirname "$file" | tr / _) ;; esac
    echo "#include \"$PWD/$file\"" >>"$units/$unit.cc"
  done
echo "#include \"$PWD/tests/arm64/check.cc\"" >"$work/units/check.cc"
ls "$work"/units/*.cc | xargs -P 2 -I{} $compiler $flags -c {} -o {}.o
$compiler "$work"/units/*.o -static -o "$work/check"
ls "$work"/syntax/*.cc | xargs -P 2 -I{} $compiler $flags -fsyntax-only {}
mkdir "$work/filters"
if [ $# -gt 0 ]; then
  seq -f 'key%.0f' 0 999 >"$work/keys"
  for kind in $("$1" plan -n 1000 --json | tr '{' '\n' | sed -n 's/^"kind":"\([a-z]*\)".*/\1/p'); do
    "$1" build --kind "$kind" --envelope -q -o "$work/filters/$kind" "$work/keys"
  done
fi
$runner "$work/check" $(find "$work/filters" -type f)
