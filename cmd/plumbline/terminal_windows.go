package main

import "golang.org/x/sys/windows"

// columns returns the width of the console at fd, and lets it read escape
// sequences; ok says whether it is one.
func columns(fd uintptr) (n int, ok bool) {
	h := windows.Handle(fd)
	var mode uint32
	if err := windows.GetConsoleMode(h, &mode); err != nil {
		return 0, false
	}
	var info windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(h, &info); err != nil {
		return 0, true // what is typed into has no size
	}
	_ = windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	return int(info.Window.Right-info.Window.Left) + 1, true
}
