// Package need gets what a test cannot do without: another program, or a file
// of an npm package. Where it is missing the test is skipped and says so; with
// CI=true that is a failure, for check.sh installs what is needed. What nobody
// can install, such as somebody's account, is a Setting.
package need

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of the first of names that is installed.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "SKIPPED: none of the programs %q is installed; check.sh installs them on Debian as root", names)
	return ""
}

// Root is for a test that only root can do.
func Root(t testing.TB) {
	t.Helper()
	if os.Getuid() != 0 {
		missing(t, "SKIPPED: this is for root alone; run the tests as root")
	}
}

// Setting returns what the environment variable holds. Where it is empty the
// test is skipped and says so, with CI=true too: check.sh cannot make one, and
// names it at its end.
func Setting(t testing.TB, name, what string) string {
	t.Helper()
	v := os.Getenv(name)
	if v == "" {
		t.Skipf("SKIPPED %s: set %s", what, name)
	}
	return v
}

func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}
