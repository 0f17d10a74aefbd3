#!/bin/sh
# Measures the service on this machine: how many texts it answers a second and
# how soon, how long it takes to say that it has a text beside a bare handler
# that fsyncs the same bytes, and whether emergencies overtake 500 texts a
# second. Needs Go and some two minutes. Flags go to the program: -json, -for,
# -drain, -rate. It exits with 1 if a text is lost or an emergency is not
# answered as one, never for being slow.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

(cd "$root" && CGO_ENABLED=0 go build -o "$tmp/plumbline" ./cmd/plumbline)
go -C "$root/tools" build -o "$tmp/measure" ./bench/serve
"$tmp/measure" -program "$tmp/plumbline" -dir "$tmp" \
	-questions "$root/cmd/plumbline/testdata/questions-dev.jsonl" \
	-emergencies "$root/pipeline/safety/testdata/safety-dev.jsonl" "$@"
