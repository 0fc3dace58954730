#!/bin/sh
# The C++ and C files of the project, one a line.
cd "$(dirname "$0")/.." && git ls-files --cached --others --exclude-standard '*.h' '*.cc' '*.c'
