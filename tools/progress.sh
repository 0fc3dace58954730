#!/bin/sh
# Runs a build. On a terminal ninja shows one line that changes; elsewhere only warnings and errors appear, and how long it
# took. usage: progress.sh COMMAND...
set -eu
if [ -t 1 ]; then exec "$@"; fi
echo "building: $*"
start=$(date +%s)
"$@" -- --quiet
echo "built in $(($(date +%s) - start)) s"
