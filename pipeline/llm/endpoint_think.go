package llm

import (
	"slices"
	"strings"
)

// thinkNames are the names of tags that reasoning stands in.
var thinkNames = []string{"think", "thinking", "reasoning"}

// stripThinking returns text without reasoning, and without white space before
// it. A tag that begins reasoning and is not ended takes all that follows; one
// that ends what was not begun takes all before it, and orphan says that there
// was one.
func stripThinking(text string) (kept string, orphan bool) {
	var f thinkFilter
	kept, orphan = f.write(text)
	return kept + f.end(), orphan
}

// A thinkFilter takes reasoning out of text that comes in parts, wherever it is
// cut: what it lets through is what stripThinking keeps of the whole. The zero
// value is ready.
type thinkFilter struct {
	// hold keeps text back until a tag or the end, for text that may open in
	// the midst of reasoning.
	hold bool

	inside  string // the name of the tag that reasoning stands in
	pending string // what may be the beginning of a tag
	kept    string // text held back
	started bool   // something other than white space was let through
}

// write takes a part and returns what of it may be passed on. If orphan, all
// that was passed on before was reasoning.
func (f *thinkFilter) write(s string) (pass string, orphan bool) {
	var out strings.Builder
	text := func(s string) {
		if f.inside != "" {
			return
		}
		if !f.started {
			s = strings.TrimLeft(s, " \t\r\n")
			f.started = s != ""
		}
		out.WriteString(s)
	}
	s, f.pending = f.pending+s, ""
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			text(s)
			break
		}
		text(s[:i])
		s = s[i:]
		n, name, closing, partial := matchTag(s)
		switch {
		case partial:
			f.pending, s = s, ""
		case n == 0:
			text("<")
			s = s[1:]
			continue
		case closing && f.inside == name:
			f.inside = ""
		case closing && f.inside == "":
			out.Reset()
			f.kept, f.started, f.hold, orphan = "", false, false, true
		case !closing && f.inside == "":
			f.inside, f.hold = name, false
		}
		if partial {
			break
		}
		s = s[n:]
	}
	if f.hold {
		f.kept += out.String()
		return "", orphan
	}
	pass, f.kept = f.kept+out.String(), ""
	return pass, orphan
}

// release ends holding back: the server tells reasoning from text.
func (f *thinkFilter) release() { f.hold = false }

// end returns what was kept back and turned out to be text.
func (f *thinkFilter) end() string {
	if f.inside != "" {
		return f.kept
	}
	s := f.kept + f.pending
	f.kept, f.pending = "", ""
	return s
}

// matchTag matches a tag of reasoning at the start of s, which is a '<'. It
// returns its length, 0 if there is none; partial says that s may be the
// beginning of one.
func matchTag(s string) (n int, name string, closing, partial bool) {
	const spaces = 16
	i := 1
	if i < len(s) && s[i] == '/' {
		closing = true
		i++
	}
	begin := i
	for i < len(s) && isLetter(s[i]) && i-begin < 16 {
		i++
	}
	name = strings.ToLower(s[begin:i])
	if i == len(s) {
		return 0, "", closing, slices.ContainsFunc(thinkNames, func(t string) bool { return strings.HasPrefix(t, name) })
	}
	if !slices.Contains(thinkNames, name) {
		return 0, "", closing, false
	}
	for end := i + spaces; i < len(s) && i < end && strings.IndexByte(" \t\r\n", s[i]) >= 0; {
		i++
	}
	if i == len(s) {
		return 0, "", closing, true
	}
	if s[i] != '>' {
		return 0, "", closing, false
	}
	return i + 1, name, closing, false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
