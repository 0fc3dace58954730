#!/bin/sh
# Installs the build given and builds a program in C99 against the installed copy, by CMake and by pkg-config; and its
# header alone as C99, C11 and C++. usage: c.sh SOURCE BUILD
set -eu
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cmake --install "$build" --prefix "$work/usr" >install.log
library=$(dirname "$(find usr -name 'libbloomery_c.so')")

expect() { # program: prints 1 0, then 1
  answer=$(LD_LIBRARY_PATH="$work/$library" "$1" | tr '\n' ' ')
  [ "$answer" = "1 0 1 " ] || { echo "$1 printed: $answer"; exit 1; }
  echo "ok     $1"
}
cmake -S "$source/tests/consumer/c" -B found -G Ninja -DCMAKE_PREFIX_PATH="$work/usr" >cmake.log 2>&1 || { cat cmake.log; exit 1; }
cmake --build found >>cmake.log || { cat cmake.log; exit 1; }
expect found/with_cmake
ldd found/with_cmake | grep -q 'libbloomery_c.so.1' || { echo "not linked to the SONAME libbloomery_c.so.1"; exit 1; }
if ldd found/with_cmake | grep -q 'libbloomery.so'; then echo "libbloomery_c.so needs libbloomery.so"; exit 1; fi

export PKG_CONFIG_PATH="$work/$library/pkgconfig"
cc -std=c99 -pedantic -Wall -Wextra -Werror "$source/tests/consumer/c/main.c" $(pkg-config --cflags --libs bloomery-c) -o with_pkg_config
expect ./with_pkg_config

for header in c.h c/base.h c/batch.h c/file.h c/filter.h c/iblt.h c/live.h c/rotating.h c/table.h; do
  for standard in c99 c11; do
    echo "#include <bloomery/$header>" | cc -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only -Iusr/include -x c -
  done
  echo "#include <bloomery/$header>" | g++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -Iusr/include -x c++ -
done
echo "ok     headers, each alone, in C99, C11 and C++11"
