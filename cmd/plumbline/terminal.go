package main

import "os"

// terminal reports whether f, a file or what writes to one, is a terminal, and
// returns what tells its width in columns (0: not known).
func terminal(f any) (ok bool, width func() int) {
	if s, wraps := f.(*sink); wraps {
		f = s.w
	}
	file, isFile := f.(*os.File)
	if !isFile {
		return false, nil
	}
	if _, ok := columns(file.Fd()); !ok {
		return false, nil
	}
	return true, func() int { n, _ := columns(file.Fd()); return n }
}
