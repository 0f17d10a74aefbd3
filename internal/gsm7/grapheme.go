package gsm7

import (
	"unicode"
	"unicode/utf8"
)

// A breakClass is what Unicode Standard Annex 29 (extended grapheme clusters)
// needs to know of a character.
type breakClass uint8

const (
	classOther breakClass = iota
	classControl
	classExtend
	classJoiner
	classSpacingMark
	classPrepend
	classPictograph
	classRegional
	classL
	classV
	classT
	classLV
	classLVT
)

const maxCluster = 512

// clusterLen is the length in bytes of the first grapheme cluster of s, 0 for
// an empty s. It follows UAX 29 except that CR LF counts as two clusters, as
// in Twilio's calculator, that Indic conjuncts are not joined (GB9c), and that
// a cluster ends at maxCluster bytes, so that cutting a text of marks alone
// takes linear time.
func clusterLen(s string) int {
	if s == "" {
		return 0
	}
	// Nearly every text is ASCII, where only a mark may join.
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1
	}
	r, n := utf8.DecodeRuneInString(s)
	before := classOf(r)
	emoji := before == classPictograph // a pictograph, then only marks and joiners
	flags := 0
	if before == classRegional {
		flags = 1
	}
	for n < len(s) && n < maxCluster {
		r, size := utf8.DecodeRuneInString(s[n:])
		class := classOf(r)
		if !joins(before, class, emoji, flags) {
			return n
		}
		switch class {
		case classPictograph:
			emoji = true
		case classExtend, classJoiner:
		default:
			emoji = false
		}
		if class == classRegional {
			flags++
		}
		before = class
		n += size
	}
	return n
}

// joins reports whether no boundary stands between two characters. emoji says
// that the cluster so far ends in a pictograph and marks, flags how many
// regional indicators it holds.
func joins(before, after breakClass, emoji bool, flags int) bool {
	switch {
	case before == classControl || after == classControl:
		return false
	case after == classExtend || after == classJoiner || after == classSpacingMark:
		return true
	case before == classPrepend:
		return true
	case before == classL:
		return after == classL || after == classV || after == classLV || after == classLVT
	case before == classLV || before == classV:
		return after == classV || after == classT
	case before == classLVT || before == classT:
		return after == classT
	case before == classJoiner:
		return emoji && after == classPictograph
	case before == classRegional:
		return after == classRegional && flags%2 == 1
	}
	return false
}

func classOf(r rune) breakClass {
	switch {
	case r < 0x300:
		switch {
		case r < 0x20 || r >= 0x7F && r < 0xA0 || r == 0xAD:
			return classControl
		case r == 0xA9 || r == 0xAE:
			return classPictograph
		}
		return classOther
	case r == 0x200C || r >= 0x1F3FB && r <= 0x1F3FF || r >= 0xE0020 && r <= 0xE007F:
		return classExtend
	case r == 0x200D:
		return classJoiner
	case r >= 0x1100 && r <= 0x115F || r >= 0xA960 && r <= 0xA97C:
		return classL
	case r >= 0x1160 && r <= 0x11A7 || r >= 0xD7B0 && r <= 0xD7C6:
		return classV
	case r >= 0x11A8 && r <= 0x11FF || r >= 0xD7CB && r <= 0xD7FB:
		return classT
	case r >= 0xAC00 && r <= 0xD7A3:
		if (r-0xAC00)%28 == 0 {
			return classLV
		}
		return classLVT
	case r >= 0x3400 && r <= 0x9FFF || r == utf8.RuneError:
		return classOther
	case r >= 0x1F1E6 && r <= 0x1F1FF:
		return classRegional
	case unicode.Is(pictographs, r):
		return classPictograph
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Other_Grapheme_Extend):
		return classExtend
	case unicode.Is(unicode.Mc, r) || r == 0x0E33 || r == 0x0EB3:
		return classSpacingMark
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return classPrepend
	case unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
		return classControl
	}
	return classOther
}

// pictographs is the property Extended_Pictographic above U+00FF (Unicode
// Technical Standard 51).
var pictographs = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x203C, 0x203C, 1}, {0x2049, 0x2049, 1}, {0x2122, 0x2122, 1}, {0x2139, 0x2139, 1},
		{0x2194, 0x2199, 1}, {0x21A9, 0x21AA, 1}, {0x231A, 0x231B, 1}, {0x2328, 0x2328, 1},
		{0x2388, 0x2388, 1}, {0x23CF, 0x23CF, 1}, {0x23E9, 0x23F3, 1}, {0x23F8, 0x23FA, 1},
		{0x24C2, 0x24C2, 1}, {0x25AA, 0x25AB, 1}, {0x25B6, 0x25B6, 1}, {0x25C0, 0x25C0, 1},
		{0x25FB, 0x25FE, 1}, {0x2600, 0x2605, 1}, {0x2607, 0x2612, 1}, {0x2614, 0x2685, 1},
		{0x2690, 0x2705, 1}, {0x2708, 0x2712, 1}, {0x2714, 0x2714, 1}, {0x2716, 0x2716, 1},
		{0x271D, 0x271D, 1}, {0x2721, 0x2721, 1}, {0x2728, 0x2728, 1}, {0x2733, 0x2734, 1},
		{0x2744, 0x2744, 1}, {0x2747, 0x2747, 1}, {0x274C, 0x274C, 1}, {0x274E, 0x274E, 1},
		{0x2753, 0x2755, 1}, {0x2757, 0x2757, 1}, {0x2763, 0x2767, 1}, {0x2795, 0x2797, 1},
		{0x27A1, 0x27A1, 1}, {0x27B0, 0x27B0, 1}, {0x27BF, 0x27BF, 1}, {0x2934, 0x2935, 1},
		{0x2B05, 0x2B07, 1}, {0x2B1B, 0x2B1C, 1}, {0x2B50, 0x2B50, 1}, {0x2B55, 0x2B55, 1},
		{0x3030, 0x3030, 1}, {0x303D, 0x303D, 1}, {0x3297, 0x3297, 1}, {0x3299, 0x3299, 1},
	},
	R32: []unicode.Range32{
		{0x1F000, 0x1F0FF, 1}, {0x1F10D, 0x1F10F, 1}, {0x1F12F, 0x1F12F, 1}, {0x1F16C, 0x1F171, 1},
		{0x1F17E, 0x1F17F, 1}, {0x1F18E, 0x1F18E, 1}, {0x1F191, 0x1F19A, 1}, {0x1F1AD, 0x1F1E5, 1},
		{0x1F201, 0x1F20F, 1}, {0x1F21A, 0x1F21A, 1}, {0x1F22F, 0x1F22F, 1}, {0x1F232, 0x1F23A, 1},
		{0x1F23C, 0x1F23F, 1}, {0x1F249, 0x1F3FA, 1}, {0x1F400, 0x1F53D, 1}, {0x1F546, 0x1F64F, 1},
		{0x1F680, 0x1F6FF, 1}, {0x1F774, 0x1F77F, 1}, {0x1F7D5, 0x1F7FF, 1}, {0x1F80C, 0x1F80F, 1},
		{0x1F848, 0x1F84F, 1}, {0x1F85A, 0x1F85F, 1}, {0x1F888, 0x1F88F, 1}, {0x1F8AE, 0x1F8FF, 1},
		{0x1F90C, 0x1F93A, 1}, {0x1F93C, 0x1F945, 1}, {0x1F947, 0x1FAFF, 1}, {0x1FC00, 0x1FFFD, 1},
	},
}
