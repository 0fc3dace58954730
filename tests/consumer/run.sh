#!/bin/sh
# Installs the build given and builds the README's example against the installed copy: find_package with the static and
# the shared library, pkg-config, and add_subdirectory. usage: run.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cmake --install "$build" --prefix "$work/usr" >install.log
library=$(dirname "$(find usr -name 'libbloomery.so')")

expect() { # program: prints 1 0, then 1
  answer=$(LD_LIBRARY_PATH="$work/$library" "$1" | tr '\n' ' ')
  [ "$answer" = "1 0 1 " ] || { echo "$1 printed: $answer"; exit 1; }
  echo "ok     $1"
}
example=$source/examples/readme.cc table=$source/examples/table.cc

cmake -S "$source/tests/consumer" -B found -G Ninja -DCMAKE_PREFIX_PATH="$work/usr" -DEXAMPLE="$example" -DTABLE_EXAMPLE="$table" >cmake.log
cmake --build found >>cmake.log || { cat cmake.log; exit 1; }
expect found/with_static
expect found/with_shared
expect_table() { # program: the example of tables, whose output is known but for the share of false positives
  "$1" "$work/store" >table.out || { cat table.out; exit 1; }
  for line in 'user101233: of table 1' 'user101234: none' 'after compaction: 79999 entries'; do
    grep -q "$line" table.out || { echo "$1 did not print: $line"; cat table.out; exit 1; }
  done
  rm -r "$work/store"
  echo "ok     $1"
}
if [ -e usr/include/bloomery/table/table.h ]; then expect_table found/with_table; fi
if [ -e usr/include/bloomery/leveldb.h ]; then expect found/with_leveldb; fi
if [ -e usr/include/bloomery/live/live.h ]; then expect found/with_live; fi
if [ -e usr/include/bloomery/replica/replica.h ]; then expect found/with_replica; fi
ldd found/with_shared | grep -q 'libbloomery.so.0.1' || { echo "not linked to the SONAME libbloomery.so.0.1"; exit 1; }

export PKG_CONFIG_PATH="$work/$library/pkgconfig"
for package in bloomery $(if [ -e usr/include/bloomery/table/table.h ]; then echo bloomery-table; fi); do
  prefix=$(cd "$(pkg-config --variable=prefix $package)" && pwd -P) # which is not the one configured for
  [ "$prefix" = "$(cd usr && pwd -P)" ] || { echo "pkg-config places $package in $prefix"; exit 1; }
done
g++ -std=c++20 "$example" $(pkg-config --cflags --libs bloomery) -o with_pkg_config
expect ./with_pkg_config
g++ -std=c++20 "$source/tests/consumer/live.cc" $(pkg-config --cflags --libs bloomery) -pthread -o live
expect ./live
g++ -std=c++20 "$source/tests/consumer/replica.cc" $(pkg-config --cflags --libs bloomery) -pthread -o replica
expect ./replica

if [ -e usr/include/bloomery/table/table.h ]; then
  g++ -std=c++20 "$table" $(pkg-config --cflags --libs bloomery-table) -o table_with_pkg_config
  expect_table ./table_with_pkg_config
fi

cmake -S "$source/tests/consumer/subdirectory" -B inside -G Ninja -DCMAKE_BUILD_TYPE=Debug -DBLOOMERY_SOURCE="$source" -DEXAMPLE="$example" >cmake.log 2>&1 ||
  { cat cmake.log; exit 1; }
if [ -n "${BLOOMERY_SOAK:-}" ]; then # the library once more, which takes a minute
  cmake --build inside >>cmake.log || { cat cmake.log; exit 1; }
  expect inside/inside
  cmake --install inside --prefix "$work/parent" >>cmake.log
  cmake -S "$source/tests/consumer/parent" -B of_parent -G Ninja -DCMAKE_PREFIX_PATH="$work/parent" -DEXAMPLE="$example" >cmake.log
  cmake --build of_parent >>cmake.log || { cat cmake.log; exit 1; }
  expect of_parent/of_parent
else # that its targets and headers are found; the same sources were compiled and linked above
  ninja -C inside CMakeFiles/inside.dir/"${example#/}".o >>cmake.log || { cat cmake.log; exit 1; }
  echo "ok     inside, compiled (make soak links it)"
fi

# Every public header compiles alone, and brings neither xxHash nor intrinsics along.
(cd usr/include && find bloomery -name '*.h' ! -path '*/detail/*' ! -name leveldb.h) >headers
xargs -P 2 -I{} sh -c 'echo "#include <{}>" | g++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -MD -MF "$(echo {} | tr / .).d" -Iusr/include -x c++ -' <headers
foreign=$(grep -lE '/(xxhash|immintrin|arm_neon)\.h' bloomery.*.d || true)
[ -z "$foreign" ] || { echo "includes xxhash.h or intrinsics: $foreign"; exit 1; }
echo "ok     $(wc -l <headers) headers, each alone"

# Hidden visibility: what is exported is the API, and what its inline code calls.
python3 "$source/tests/consumer/exported.py" "$library/libbloomery.so" usr/include >exported.log || { cat exported.log; exit 1; }
tail -1 exported.log
for file in share/man/man1/bloomery.1 share/bash-completion/completions/bloomery share/zsh/site-functions/_bloomery share/fish/vendor_completions.d/bloomery.fish bin/bloomery include/bloomery/version.h; do
  [ -e "usr/$file" ] || { echo "not installed: $file"; exit 1; }
done
echo "ok     installed files and symbols"
