#!/bin/sh
# Puts the servers that the tests of the module run against into a folder: redis-server and valkey-server, unpacked from
# Debian's packages and not installed, because installing them starts a service. The binary of a server is that of its
# check of RDB files, which the package of its tools has. Valkey is in Debian's backports, whose source is derived from
# the machine's own: the same archive, the suite with -backports behind it. What cannot be had is left out, and the
# tests of that server are skipped by name.
# usage: servers.sh FOLDER
set -u
mkdir -p "$1"
folder=$(cd "$1" && pwd)
command -v apt-get >/dev/null 2>&1 && command -v dpkg >/dev/null 2>&1 || exit 0
work=$(mktemp -d) || exit 0
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 0

# The archive, suite and keyring of the machine's first Debian source, in either of apt's two formats.
describe_source() {
  cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | awk '
    /^URIs:/ { uri = $2 } /^Suites:/ { suite = $2 } /^Signed-By:/ { key = $2 }
    (/^$/ || /^Types:/) && uri != "" && suite !~ /-/ { exit }
    /^deb / && uri == "" { i = 2; if ($2 ~ /^\[/) { while ($i !~ /\]$/) i++; i++ } uri = $i; suite = $(i + 1); if (suite !~ /-/) exit }
    END { print uri, suite, key }'
}

apt_backports() { # apt-get arguments
  apt-get -o Dir::Etc::SourceList="$work/backports.sources" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" "$@"
}

# take PREFIX PACKAGE DOWNLOAD-COMMAND...: PREFIX-server, -cli and -benchmark of a package.
take() {
  prefix=$1 package=$2
  shift 2
  "$@" download "$package" >/dev/null 2>&1 && dpkg -x "$package"_*.deb unpacked >/dev/null 2>&1 || return 0
  mv "unpacked/usr/bin/$prefix-check-rdb" "$folder/$prefix-server"
  mv "unpacked/usr/bin/$prefix-cli" "unpacked/usr/bin/$prefix-benchmark" "$folder/"
}

if [ ! -x "$folder/redis-server" ]; then
  if [ -x /usr/bin/redis-check-rdb ]; then
    ln -sf /usr/bin/redis-check-rdb "$folder/redis-server"
    ln -sf /usr/bin/redis-cli /usr/bin/redis-benchmark "$folder/"
  else
    take redis redis-tools apt-get
  fi
fi
if [ ! -x "$folder/valkey-server" ]; then
  read -r uri suite key <<END
$(describe_source)
END
  if [ -n "$uri" ] && [ -n "$suite" ]; then
    { printf 'Types: deb\nURIs: %s\nSuites: %s-backports\nComponents: main\n' "$uri" "$suite"
      [ -z "$key" ] || printf 'Signed-By: %s\n' "$key"; } >backports.sources
    mkdir -p lists/partial cache/archives/partial
    apt_backports update >/dev/null 2>&1 && take valkey valkey-tools apt_backports
  fi
fi
exit 0
