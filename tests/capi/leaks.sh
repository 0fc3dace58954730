#!/bin/sh
# The tests of the C interface under valgrind: a byte that is lost, or read where nothing is, fails. Threads are
# ThreadSanitizer's. usage: leaks.sh TESTS
set -eu
command -v valgrind >/dev/null || { echo "valgrind is not installed (Debian: valgrind)"; exit 77; }
exec valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect,possible --error-exitcode=9 \
  "$1" errors filter batch file view memory nulls table live rotating iblt merge
