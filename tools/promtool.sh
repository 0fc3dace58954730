#!/bin/sh
# Puts Prometheus' promtool into a folder, for the tests of docs/operations/: unpacked from Debian's package, not
# installed, because installing it starts a server. Says nothing and does nothing where it is there already or cannot be
# had; the tests then skip what needs it, by name.
# usage: promtool.sh FOLDER
set -u
command -v promtool >/dev/null 2>&1 && exit 0
[ -x "$1/promtool" ] && exit 0
command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || exit 0
work=$(mktemp -d) || exit 0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 0
apt-get download prometheus >/dev/null 2>&1 && dpkg -x prometheus_*.deb unpacked >/dev/null 2>&1 || exit 0
cd "$OLDPWD" && mkdir -p "$1" && mv "$work/unpacked/usr/bin/promtool" "$1/promtool"
