package gsm7

import "strings"

// Smart rewrites the text as Twilio's smart encoding does on its way out: code
// point by code point, the text staying UCS-2 if any other character remains.
// It is an emulation, faults included (a combining tilde becomes "~", a single
// left angle quote ">"): use it to know what will be sent, and Fold to write
// well.
func Smart(text string) string {
	if IsGSM7(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if to, ok := smartTable[r]; ok {
			b.WriteString(to)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
