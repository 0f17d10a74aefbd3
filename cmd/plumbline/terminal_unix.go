//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// columns returns the width of the terminal at fd; ok says whether it is one.
func columns(fd uintptr) (n int, ok bool) {
	size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
	if err != nil {
		return 0, false
	}
	return int(size.Col), true
}
