#!/bin/sh
# Shows the module inside a server: a server of its own on a Unix socket in a folder of its own, gone when it ends.
# usage: demo_server.sh MODULE FOLDER-OF-SERVERS
set -eu
module=$(realpath "$1")
server=$2/redis-server cli=$2/redis-cli
[ -x "$server" ] || { server=$2/valkey-server cli=$2/valkey-cli; }
[ -x "$server" ] || { echo "no server: tools/servers.sh $2 fetches one" >&2; exit 1; }
folder=$(mktemp -d)
"$server" --port 0 --unixsocket "$folder/socket" --dir "$folder" --save '' --loadmodule "$module" >"$folder/log" 2>&1 &
pid=$!
trap 'kill $pid; wait $pid 2>/dev/null || true; rm -rf "$folder"' EXIT
while ! "$cli" -s "$folder/socket" ping >/dev/null 2>&1; do
  kill -0 $pid 2>/dev/null || { cat "$folder/log"; exit 1; }
  sleep 0.1
done

show() { # words of a command
  echo "> $*"
  "$cli" -s "$folder/socket" "$@" | sed 's/^/  /'
}

echo 'The commands that exist:'
show BF.ADD users alice
show BF.MEXISTS users alice bob
show CF.ADD baskets apple
show CF.DEL baskets apple
echo
echo 'A million items, added by a script inside the server:'
show EVAL 'for i = 1, 1000000, 1000 do local t = {} for j = i, i + 999 do t[#t + 1] = j end redis.call("BF.MADD", "million", unpack(t)) end return redis.call("BF.CARD", "million")' 1 million
show BF.INFO million
show MEMORY USAGE million
echo
echo 'What nobody has:'
show BLM.RESERVE a KIND block CAPACITY 10000
show BLM.RESERVE b KIND block CAPACITY 10000
show BLM.ADD a ann bob cyd
show BLM.ADD b bob cyd dan
show BLM.MERGE both a b
show BLM.EXISTS both ann dan eve
show BLM.WINDOW lately WINDOWS 3 CAPACITY 1000
show BLM.ADD lately now
show BLM.ROTATE lately
show BLM.EXISTS lately now never
show BLM.INFO both
