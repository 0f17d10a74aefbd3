#!/usr/bin/env bash
# Every check of this repository: what passed, failed and was skipped is said
# again at the end. Needs git, bash and Go; docs/development.md says more.
#
#   ./check.sh               all that a change must pass; under 15 minutes on two cores
#   ./check.sh --long        and the long runs: fuzzing, tests with -long, a newer Go, benchmarks
#   ./check.sh vet test      only these steps
#   ./check.sh --list        the steps
#
# On Debian as root it installs what the checks need; elsewhere it runs what it
# can. With CI=true a skip is a failure. Exit status: 0 passed, 1 failed, 2 wrong use.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# What the checks need beside Go, one a line: name | step that needs it |
# programs, one of which is enough | Debian packages | what goes without.
needs='
browser    | test    | chromium chromium-browser google-chrome | chromium fonts-dejavu-core | tests of pages in a browser
cc         | race    | gcc clang                               | gcc libc6-dev              | tests with -race
npm        | test    | npm                                     | npm                        | what axe finds on pages
shellcheck | scripts | shellcheck                              | shellcheck                 | the lint of scripts
'

steps='install format scripts vet staticcheck tidy generated rules build vectors test portable race fuzz vulnerabilities'
long_steps='build-all test-long race-long newer-go bench ratios'

# The faults of Go's own library are looked for in a release that has the known
# ones mended; go.mod still asks for the oldest Go that the code builds with.
newer_go=go1.27.3

export CGO_ENABLED=0 GOAMD64=v1
fuzz_total=45 # seconds, over all targets
long=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/skips" "$work/asides" "$work/table"

# --- helpers -----------------------------------------------------------------

# skip WHAT WHY notes that WHAT was not checked.
skip() {
	printf '%s: %s\n' "$1" "$2" >>"$work/skips"
	printf '\n!!!! SKIPPED %s: %s\n\n' "$1" "$2"
}

# aside VARIABLE WHAT notes that WHAT was not checked for want of an address that
# only a person has; no failure even with CI=true.
aside() {
	if [ -n "${!1:-}" ]; then return 0; fi
	printf '%s: %s is not set\n' "$2" "$1" >>"$work/asides"
	printf '\n!!!! SKIPPED %s: %s is not set\n\n' "$2" "$1"
}

# files PATTERN... lists the repository's files, new ones too, ignored ones not.
files() {
	git -c core.quotePath=off ls-files -co --exclude-standard --deduplicate -- "$@" |
		while read -r f; do if [ -f "$f" ]; then echo "$f"; fi; done
}

# need NAME FIELD prints a field of the table, counted from 1.
need() { awk -F'|' -v n="$1" -v f="$2" '{ gsub(/^ +| +$/, "", $1) } $1 == n { gsub(/^ +| +$/, "", $f); print $f }' <<<"$needs"; }

# needed_by STEP lists the needs of a step; needed_by . lists them all.
needed_by() { awk -F'|' -v s="$1" '{ gsub(/ /, "", $1); gsub(/ /, "", $2) } $1 != "" && (s == "." || $2 == s) { print $1 }' <<<"$needs"; }

# have NAME succeeds if a program that the need names is here.
have() {
	local p
	for p in $(need "$1" 3); do
		if command -v "$p" >/dev/null; then return 0; fi
	done
	return 1
}

# lack STEP succeeds, and notes the skips, if the step goes without something.
lack() {
	local n lacking=1
	for n in $(needed_by "$1"); do
		if have "$n"; then continue; fi
		skip "$(need "$n" 5)" "none of these is here: $(need "$n" 3); Debian has them in: $(need "$n" 4)"
		lacking=0
	done
	return "$lacking"
}

# tool NAME prints the path of a program that tools/go.mod pins.
tool() { go tool -C tools -n "$1"; }

# --- the steps ---------------------------------------------------------------

# Debian's packages for what is not here yet. Whatever then still lacks is for
# the steps to say that need it.
step_install() {
	local n list packages=()
	for n in $(needed_by .); do
		if have "$n"; then continue; fi
		read -ra list <<<"$(need "$n" 4)"
		packages+=("${list[@]}")
	done
	if [ ${#packages[@]} -eq 0 ]; then return 0; fi
	if ! [ -f /etc/debian_version ] || [ "$(id -u)" != 0 ]; then
		echo "not Debian, or not root: not installing ${packages[*]}"
		return 0
	fi
	echo "installing ${packages[*]}"
	export DEBIAN_FRONTEND=noninteractive
	if ! { apt-get update && apt-get install -y --no-install-recommends "${packages[@]}"; } >"$work/apt" 2>&1; then
		tail -n 20 "$work/apt"
	fi
}

step_format() {
	local bad
	bad=$(files '*.go' | tr '\n' '\0' | xargs -0 gofmt -l)
	if [ -n "$bad" ]; then
		printf 'not gofmt-ed:\n%s\n' "$bad"
		return 1
	fi
}

step_scripts() {
	if lack scripts; then return 0; fi
	files '*.sh' .ci/run | tr '\n' '\0' | xargs -0 shellcheck
}

step_vet() {
	local bad=0
	go vet ./... || bad=1
	go -C tools vet ./... || bad=1
	return "$bad"
}

step_staticcheck() {
	local bin bad=0
	bin=$(tool staticcheck)
	"$bin" ./... || bad=1
	cd tools
	"$bin" ./... || bad=1
	return "$bad"
}

step_tidy() {
	local bad=0
	go mod tidy -diff || bad=1
	go -C tools mod tidy -diff || bad=1
	go mod verify || bad=1
	return "$bad"
}

# What go generate writes must be what is committed. It runs in a copy, so that
# the tree stays as it is, and may use nothing but the repository and modules.
step_generated() {
	local copy=$work/copy
	mkdir "$copy"
	files | tar -cf - -T - | tar -xf - -C "$copy"
	git -C "$copy" init -q
	git -C "$copy" add -A
	(cd "$copy" && go generate ./...)
	git -C "$copy" add -A -N
	git -C "$copy" --no-pager diff --exit-code --stat
	rm -rf "$copy"
}

step_rules() { go test -count=1 ./internal/deps; }

step_build() {
	local target
	go build -o "$work/bin/" ./cmd/...
	"$work/bin/plumbline" --version
	# SQLite and Twilio's library take minutes to compile for each: elsewhere only
	# what differs, the rest with --long.
	for target in linux/arm64 darwin/arm64 windows/amd64; do
		echo "$target: internal, kb"
		GOOS=${target%/*} GOARCH=${target#*/} go vet ./internal/... ./kb/...
	done
}

step_build-all() {
	local target
	for target in linux/arm64 darwin/arm64 windows/amd64; do
		echo "$target"
		GOOS=${target%/*} GOARCH=${target#*/} go build ./...
	done
}

# The vectors that ship with the packs must be those of their texts.
step_vectors() { go run ./cmd/plumbline kb vectors --check; }

# Tests that need what is not here skip themselves: see internal/need.
step_test() {
	lack test || true
	if have npm && go test -count=1 -v -run '^TestAxeIsHere$' ./channels/web | grep -q '^--- SKIP'; then
		skip "$(need npm 5)" 'npm does not give axe-core'
	fi
	aside PLUMBLINE_TEST_MODEL_URL 'answers of a real model (docs/development.md)'
	aside PLUMBLINE_TEST_TWILIO_TOKEN 'what Twilio itself answers (docs/development.md)'
	go test ./...
}

# Packages with assembly are tested once more on the code that others run.
step_portable() {
	local packages
	packages=$(go list -f '{{if .SFiles}}{{.ImportPath}}{{end}}' ./...)
	# shellcheck disable=SC2086 # one word a package
	GODEBUG=cpu.avx2=off go test -count=1 $packages
}

# raced WITH prints the packages that start goroutines, in tests or below, or use
# packages that do: those whose tests link what WITH names, or with a leading ! not.
# Tests that carry the weights would take minutes each and are left out.
raced() {
	local concurrent
	concurrent=$(git grep --untracked -lE '^[[:space:]]*go (func|[a-z])|\.Go\(|t\.Parallel\(|"net/http"' -- '*.go' ':!tools' |
		xargs -n 1 dirname | sort -u | sed 's,^,plumbline/,' | paste -sd' ' -)
	go list -test -f '{{.ImportPath}} {{join .Deps " "}}' ./... | awk -v concurrent="$concurrent" -v with="$1" '
		BEGIN { split(concurrent, list); for (i in list) starts[list[i]]; not = sub(/^!/, "", with) }
		$1 ~ /\.test$/ && !/ plumbline\/kb\/minilm\/weights( |$)/ {
			if ((index($0, " " with " ") > 0) == not) next
			for (i = 2; i <= NF; i++) if ($i in starts) { sub(/\.test$/, "", $1); print $1; next }
		}'
}

# SQLite in Go takes minutes to compile with -race: what links it is raced with
# --long, the whole service among it.
sqlite=modernc.org/sqlite

step_race() {
	if lack race; then return 0; fi
	local packages
	packages=$(raced "!$sqlite")
	echo "packages: ${packages//$'\n'/ }"
	# The safety rules start nothing themselves, and their tests go through thousands
	# of messages: of them only the one with goroutines.
	# Nor do the personas, whose tests change thousands of words one by one. Of the
	# models' tests those stay out that go through hundreds of replies.
	# Twilio's library is the largest that we link: what uses it is raced with --long,
	# its fake here.
	packages=$(grep -vE '^plumbline/(personas|channels/sms|pipeline/(safety|llm))$' <<<"$packages")
	# shellcheck disable=SC2086 # one word a package
	CGO_ENABLED=1 go test -race $packages
	CGO_ENABLED=1 go test -race -skip '^Test(SpoiledReplies|Troubles)$' ./pipeline/llm
	CGO_ENABLED=1 go test -race -run '^TestConcurrent$' ./pipeline/safety
}

step_race-long() {
	if lack race; then return 0; fi
	local packages
	packages=$(raced "$sqlite")
	echo "packages: ${packages//$'\n'/ }"
	# shellcheck disable=SC2086 # one word a package
	CGO_ENABLED=1 go test -race -timeout 30m $packages
	CGO_ENABLED=1 go test -race -timeout 30m -run Serve ./cmd/plumbline
	CGO_ENABLED=1 go test -race ./channels/sms
}

# fuzz PACKAGE TARGET TIME fuzzes one target. Go before 1.27 may end a run on time
# with "context deadline exceeded" though no input failed (golang/go issue
# 75804); an input that did fail, or hang, is written down and named.
fuzz() {
	if go test -run '^$' -fuzz "^$2\$" -fuzztime "$3" "$1" >"$work/fuzz" 2>&1; then
		grep '^fuzz: elapsed' "$work/fuzz" | tail -n 1
		return 0
	fi
	if grep -q '^ *context deadline exceeded$' "$work/fuzz" && ! grep -qE 'Failing input|panic:|hung or terminated' "$work/fuzz"; then
		echo 'time was up'
		return 0
	fi
	cat "$work/fuzz"
	return 1
}

step_fuzz() {
	local file target time bad=0
	git grep --untracked -oE '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' >"$work/targets" || echo 'no fuzz targets'
	time=$(awk -v total="$fuzz_total" 'END { t = int(total / (NR ? NR : 1)); print (t > 1 ? t : 1) "s" }' "$work/targets")
	while IFS=: read -r file target; do
		target=${target#func }
		echo "$(dirname "$file") $target"
		fuzz "./$(dirname "$file")" "$target" "$time" || bad=1
	done <"$work/targets"
	return "$bad"
}

# database prints the folder of Go's vulnerability reports, the newest to be
# had, as the module golang.org/x/vulndb holds them.
database() {
	local dir
	if ! dir=$(cd "$work" && go mod download -json golang.org/x/vulndb@latest | awk -F'"' '$2 == "Dir" { print $4 }') || [ -z "$dir" ]; then
		dir=$(find "$(go env GOMODCACHE)/golang.org/x" -maxdepth 1 -name 'vulndb@*' 2>/dev/null | sort | tail -n 1)
		if [ -z "$dir" ]; then return 1; fi
		echo "the module proxy gives no newer vulnerability reports than $(basename "$dir")" >&2
	fi
	echo "$dir/data/osv"
}

step_vulnerabilities() {
	local bin reports
	if ! reports=$(database); then
		skip vulnerabilities 'the module golang.org/x/vulndb is not to be had'
		return 0
	fi
	export GOTOOLCHAIN=$newer_go
	if ! go version; then
		skip vulnerabilities "the toolchain $newer_go is not to be had"
		return 0
	fi
	bin=$(tool govulncheck)
	echo "$reports"

	# A scan that cannot find what is known to be there proves nothing.
	local rc=0
	GOVERSION=go1.20 "$bin" -db "file://$reports" -scan package ./internal/... >"$work/probe" 2>&1 || rc=$?
	if [ "$rc" -ne 3 ]; then # which says that it found some
		echo 'go1.20 has known vulnerabilities, and this scan does not find them:'
		cat "$work/probe"
		return 1
	fi
	echo "$(grep -c '^Vulnerability' "$work/probe") reports about go1.20: the scan works"
	"$bin" -db "file://$reports" ./...
}

# Tests that do more when asked have a flag for it.
step_test-long() {
	local packages
	packages=$(git grep --untracked -lF 'flag.Bool("long"' -- '*_test.go' ':!internal/deps' | xargs -n 1 dirname | sort -u | sed 's,^,./,')
	# shellcheck disable=SC2086 # one word a package
	go test -count=1 -timeout 60m $packages -long
}

step_newer-go() { GOTOOLCHAIN=$newer_go go test ./...; }

step_bench() { go test -run '^$' -bench . -timeout 60m ./...; }

# How fast we are beside others, measured in one run each.
step_ratios() {
	local program script bad=0
	for program in python3 mvn unzip; do
		if ! command -v "$program" >/dev/null; then
			skip ratios "$program is not here"
			return 0
		fi
	done
	for script in tools/bench/*/run.sh; do
		echo "$script"
		sh "$script" || bad=1
	done
	return "$bad"
}

# --- running them ------------------------------------------------------------

# run STEP runs a step in a shell of its own, so that none stops another.
run() {
	local name=$1 status=ok before after start took rc=0
	printf '\n== %s ==\n' "$name"
	before=$(wc -l <"$work/skips")
	start=$SECONDS
	set +e
	(
		set -e
		"step_$name"
	)
	rc=$?
	set -e
	took=$((SECONDS - start))
	after=$(wc -l <"$work/skips")
	if [ "$after" -gt "$before" ]; then status=skipped; fi
	if [ "$rc" -ne 0 ]; then status=FAILED; fi
	printf -- '-- %s: %s, %s s\n' "$name" "$status" "$took"
	printf '%-8s %-16s %6s s\n' "$status" "$name" "$took" >>"$work/table"
}

main() {
	local chosen=() s
	for s in "$@"; do
		case $s in
		--long) long=1 ;;
		--list)
			tr ' ' '\n' <<<"$steps"
			tr ' ' '\n' <<<"$long_steps" | sed 's/$/ (--long)/'
			return 0
			;;
		-h | --help)
			sed -n '2,/^set/{ /^set/d; s/^# \{0,1\}//; p; }' check.sh
			return 0
			;;
		*)
			case " $steps $long_steps " in
			*" $s "*) chosen+=("$s") ;;
			*)
				echo "check.sh: no step is called '$s'; ./check.sh --list names them" >&2
				return 2
				;;
			esac
			;;
		esac
	done
	if [ ${#chosen[@]} -eq 0 ]; then
		read -ra chosen <<<"$steps"
		if [ -n "$long" ]; then
			fuzz_total=1200
			read -ra chosen <<<"$steps $long_steps"
		fi
	fi

	if ! command -v git >/dev/null || ! command -v go >/dev/null || ! git rev-parse --is-inside-work-tree >/dev/null; then
		echo 'check.sh: it needs git and go, and a git work tree' >&2
		return 1
	fi
	SECONDS=0
	for s in "${chosen[@]}"; do run "$s"; done

	printf '\n== summary ==\n'
	cat "$work/table"
	printf '%-8s %-16s %6s s\n' '' total "$SECONDS"
	local failed=0
	if grep -q ^FAILED "$work/table"; then failed=1; fi
	if [ -s "$work/skips" ]; then
		printf '\n!!!! SKIPPED here, and so not checked:\n'
		sed 's/^/  /' "$work/skips"
		if [ "${CI:-}" = true ]; then
			echo 'With CI=true that is a failure.'
			failed=1
		fi
	fi
	if [ -s "$work/asides" ]; then
		printf '\n!!!! SKIPPED, for nobody gave an address:\n'
		sort -u "$work/asides" | sed 's/^/  /'
	fi
	if [ "$failed" -ne 0 ]; then
		printf '\nNOT READY\n'
		return 1
	fi
	printf '\nall checks passed\n'
}

main "$@"
