#!/bin/sh
# Compiles the library for a 32-bit machine without threads, as WebAssembly is one, and runs tests/bits32/check.cc. Needs
# Debian's g++-i686-linux-gnu; exits 77 and names it when it is missing. usage: bits32.sh
set -eu
cd "$(dirname "$0")/.."
compiler=i686-linux-gnu-g++
command -v $compiler >/dev/null 2>&1 || { echo "skipped: no $compiler (Debian: g++-i686-linux-gnu)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp /usr/include/xxhash.h "$work/" # the host's own headers must stay out of the way
cp -r /usr/include/nlohmann "$work/"
# Not -Wconversion: sizes are 64 bits here as elsewhere, and compared with what an address reaches before memory is taken.
flags="-std=c++20 -O1 -Wall -Wextra -Wpedantic -Wno-narrowing -Werror -ffp-contract=off -msse2 -mfpmath=sse -D_FILE_OFFSET_BITS=64 -DBLOOMERY_NO_THREADS -Iinclude -Isrc -isystem $work"
# What nearly every file includes, parsed once.
printf '#include "bloomery/any.h"\n#include <algorithm>\n#include <functional>\n#include <memory>\n' >"$work/common.h"
$compiler $flags -x c++-header "$work/common.h" -o "$work/common.h.gch"
flags="$flags -include $work/common.h -Winvalid-pch"
# A folder at once, as CMake does without tests.
mkdir "$work/units"
find src/core src/kernel src/kinds src/any src/format -name '*.cc' ! -name '*_test.cc' ! -name fuzz.cc | sort |
  while read -r file; do
    echo "#include \"$PWD/$file\"" >>"$work/units/$(dirname "$file" | tr / _).cc"
  done
find "$work/units" -name '*.cc' | xargs -P 2 -I{} $compiler $flags -c {} -o {}.o
$compiler $flags tests/bits32/check.cc "$work"/units/*.o -static -o "$work/check"
! nm "$work/check" | grep -q ' pthread_create$' || { echo "pthread_create in a program without threads"; exit 1; }
"$work/check" spec/vectors/kinds.json "$work/large"
