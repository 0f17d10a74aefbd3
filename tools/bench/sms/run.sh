#!/bin/sh
# Measures the Twilio webhook of the service on this machine: how soon a signed
# message is acknowledged beside a bare handler that fsyncs the same bytes, with
# answering held back and with answers being worked on, and how many messages a
# second from 2,000 numbers it takes in. Twilio is a stub: nothing leaves the
# machine. Needs Go and some four minutes. Flags go to the program: -json, -for,
# -drain, -rate, -numbers. It exits with 1 if a message is lost, never for being
# slow.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../../..
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

(cd "$root" && CGO_ENABLED=0 go build -o "$tmp/plumbline" ./cmd/plumbline)
go -C "$root/tools" build -o "$tmp/measure" ./bench/sms
"$tmp/measure" -program "$tmp/plumbline" -dir "$tmp" \
	-questions "$root/cmd/plumbline/testdata/questions-dev.jsonl" "$@"
