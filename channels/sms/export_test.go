package sms

import (
	"maps"
	"slices"
)

// KindOf shows tests the kind of a code.
func KindOf(code string) error { return kindOf(code) }

// Mends shows tests the codes that an operator must mend.
func Mends() []string { return slices.Sorted(maps.Keys(mends)) }
