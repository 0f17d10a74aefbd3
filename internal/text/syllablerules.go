package text

import "strings"

// hiatuses counts the places where two vowels that stand together are said in
// two syllables, and the endings that have a syllable without a vowel letter.
func hiatuses(w string) int {
	n := 0
	for i := 0; i+1 < len(w); i++ {
		if isVowelAt(w, i) && isVowelAt(w, i+1) && isHiatus(w, i) {
			n++
		}
	}
	for _, end := range []string{"ism", "isms", "asm", "asms", "thm", "thms"} {
		if strings.HasSuffix(w, end) && len(w) > len(end) {
			n++
		}
	}
	return n
}

// isHiatus decides about the vowels w[i] and w[i+1].
func isHiatus(w string, i int) bool {
	before, rest := byte(0), w[i+2:]
	if i > 0 {
		before = w[i-1]
	}
	starts := func(ends ...string) bool {
		for _, e := range ends {
			if strings.HasPrefix(rest, e) {
				return true
			}
		}
		return false
	}
	soft := strings.IndexByte("ctsxg", before) >= 0 || i > 1 && w[i-2:i] == "sh" // special, nation, region, fashion
	switch w[i : i+2] {
	case "ia":
		if before == 'l' {
			return !starts("r") && rest != "n" && rest != "ns" && rest != "m" && rest != "ms"
		}
		return !(soft && starts("l", "n", "b")) && !starts("ge", "ges") && !(before == 'n' && rest == "")
	case "io":
		if strings.IndexByte("ln", before) >= 0 && starts("n", "r") { // million, senior
			return false
		}
		return !(soft && starts("n", "u")) && !(before == 'v' && starts("r", "ur"))
	case "iu", "ii", "ao":
		return true
	case "ie":
		switch {
		case strings.HasPrefix(w, "sci") && i == 2, starts("ty", "ties"):
			return true
		case starts("t", "nt", "nce", "ncy"): // diet, client, not patient
			return !soft
		case rest == "r" || rest == "rs" || rest == "st":
			return before != 0 && !isVowelByte(before)
		}
		return false
	case "eo":
		return !(before == 'g' && starts("n", "us", "rg"))
	case "ea":
		switch {
		case rest == "" || rest == "s" || rest == "n" || rest == "ns": // idea, European
			return i > 2 || w == "area" || w == "areas"
		case strings.HasPrefix(w, "theat"):
			return true
		case starts("te", "ting", "tion", "tiv", "tor"): // create
			return strings.HasPrefix(w, "crea") || strings.Contains(w, "recrea") || strings.Contains(w, "procrea")
		case strings.HasPrefix(w, "rea") && i == 1:
			return starts("ct", "lit", "liz", "lis", "pp", "rr", "ss")
		}
		return false
	case "ei":
		return starts("ng") || strings.HasPrefix(w, "rei") && i == 1 && len(w) > 5
	case "eu":
		return starts("m")
	case "ua":
		return !(before == 's' && starts("d", "s", "v"))
	case "ue":
		return starts("n", "l") && before != 'g'
	case "ui":
		return starts("d", "ng", "ti") || starts("n") && before == 'r'
	case "uo":
		return starts("us")
	case "oi", "yi":
		return starts("ng")
	case "oe":
		return starts("m", "t") && before == 'p'
	case "oo":
		return strings.HasPrefix(w, "cooper") || strings.HasPrefix(w, "coord")
	}
	return false
}

// silentEs counts the letters e that stand alone between consonants, or at the
// end, and are not said.
func silentEs(w string) int {
	n := 0
	last := len(w) - 1
	switch {
	case last < 2:
	case w[last] == 'e':
		if !isVowelAt(w, last-1) && !syllabic(w[:last]) {
			n++
		}
	case strings.HasSuffix(w, "es"):
		if !isVowelAt(w, last-2) && !syllabic(w[:last-1]) && !endsSibilant(w[:last]) && !endsSibilant(w[:last-1]) {
			n++
		}
	case strings.HasSuffix(w, "ed"):
		if !isVowelAt(w, last-2) && !syllabic(w[:last-1]) && w[last-2] != 't' && w[last-2] != 'd' {
			n++
		}
	}
	for _, end := range []string{"ement", "ements", "eful", "efully", "eless", "eness", "ely", "esome"} {
		if stem, ok := strings.CutSuffix(w, end); ok && len(stem) > 1 && !isVowelByte(stem[len(stem)-1]) && !syllabic(stem) {
			return n + 1
		}
	}
	if strings.HasSuffix(w, "ically") {
		n++
	}
	for _, head := range compoundHeads {
		rest, ok := strings.CutPrefix(w, head)
		if ok && len(rest) > 1 && !isVowelByte(rest[0]) && strings.Trim(rest, "rsdnt") != "" {
			n++
			break
		}
	}
	return n
}

// syllabic reports whether w ends in a consonant and l or r, as in tab-le and
// ac-re.
func syllabic(w string) bool {
	n := len(w)
	return syllabicL(w) || n > 1 && w[n-1] == 'r' && strings.IndexByte("bcdgkptv", w[n-2]) >= 0
}

// syllabicL reports whether w ends in a consonant and l, as in tab-le.
func syllabicL(w string) bool {
	n := len(w)
	return n > 1 && w[n-1] == 'l' && strings.IndexByte("bcdfgkpstz", w[n-2]) >= 0
}

// compoundHeads are words whose final e stays silent in a compound (homemade,
// sidewalk).
var compoundHeads = strings.Fields(`some home there where time fire life base house side space face price line name note
	fore more safe wide whole store phone gate tape trade cake game lake wave stone smoke pipe nine make take guide frame
	ware state else come like shape care brake wire blue line`)
