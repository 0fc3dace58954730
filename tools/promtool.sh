#!/bin/sh
# Puts Prometheus and its promtool into a folder, for the tests of docs/operations/: unpacked from Debian's package, not
# installed, because installing it starts a server. Says nothing and does nothing where they are there already or cannot
# be had; the tests then skip what needs them, by name.
# usage: promtool.sh FOLDER
set -u
command -v promtool >/dev/null 2>&1 && command -v prometheus >/dev/null 2>&1 && exit 0
[ -x "$1/promtool" ] && [ -x "$1/prometheus" ] && exit 0
command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || exit 0
work=$(mktemp -d) || exit 0
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 0
apt-get download prometheus >/dev/null 2>&1 && dpkg -x prometheus_*.deb unpacked >/dev/null 2>&1 || exit 0
cd "$OLDPWD" && mkdir -p "$1" && mv "$work/unpacked/usr/bin/promtool" "$work/unpacked/usr/bin/prometheus" "$1"
