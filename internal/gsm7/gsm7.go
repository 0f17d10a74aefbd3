// Package gsm7 does the exact arithmetic of text message cost: which encoding
// a text needs, how many units and segments it takes, what may be rewritten
// so that it takes fewer, and where a long text may be cut.
//
// The alphabet is the default alphabet and extension table of 3GPP TS 23.038;
// the packing is that of 3GPP TS 23.040 with a six-byte header in each part of
// a concatenated message. Counts agree with Twilio's own calculator (npm
// sms-segments-calculator 1.3.0), which keeps grapheme clusters whole.
//
// All functions are safe for concurrent use, take any string, and treat each
// byte that is not valid UTF-8 as one U+FFFD; what rewrites a text writes that.
package gsm7

import "unicode/utf8"

// The encodings of a message.
const (
	GSM7 = "GSM-7" // 7-bit septets; a character of the extension table takes two
	UCS2 = "UCS-2" // 16-bit units; a character outside the BMP takes two
)

// Units that fit in a message sent alone, and in each part of a longer one.
const (
	GSM7Single, GSM7Part = 160, 153
	UCS2Single, UCS2Part = 70, 67
)

// A Cost says what sending a text takes.
type Cost struct {
	Encoding string // GSM7 or UCS2
	Units    int    // septets or UTF-16 units, headers aside
	Segments int    // at least 1: an empty text is one segment of no units

	// UnitsPerSegment has one entry a segment; the entries sum to Units.
	UnitsPerSegment []int

	// Characters is what Twilio shows: septets in GSM-7, grapheme clusters in
	// UCS-2 (CR LF counts as two).
	Characters int
}

const (
	basicAlphabet = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?" +
		"¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	extensionTable = "\f^{}\\[~]|"
)

// septetTable holds the septets of the characters below U+0400; the only
// other character of GSM-7 is the euro sign.
var septetTable = func() (t [0x400]uint8) {
	for _, r := range basicAlphabet {
		t[r] = 1
	}
	for _, r := range extensionTable {
		t[r] = 2
	}
	return t
}()

// septets is the cost of r in GSM-7, 0 if GSM-7 lacks it.
func septets(r rune) int {
	switch {
	case r >= 0 && r < rune(len(septetTable)):
		return int(septetTable[r])
	case r == '€':
		return 2
	}
	return 0
}

func utf16Len(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// IsGSM7 reports whether the text can be sent in GSM-7 as it stands.
func IsGSM7(text string) bool {
	for _, r := range text {
		if septets(r) == 0 {
			return false
		}
	}
	return true
}

// Count says what the text costs as it stands.
func Count(text string) Cost {
	var m meter
	for rest := text; rest != ""; {
		n := clusterLen(rest)
		m.add(rest[:n])
		rest = rest[n:]
	}
	c := Cost{Encoding: m.encoding(), Units: m.units(), Segments: m.segments(), Characters: m.clusters}
	if c.Encoding == GSM7 {
		c.Characters = m.septets
	}
	if c.Segments == 1 {
		c.UnitsPerSegment = []int{c.Units}
		return c
	}
	part, fill := UCS2Part, 0
	if c.Encoding == GSM7 {
		part = GSM7Part
	}
	c.UnitsPerSegment = make([]int, 0, c.Segments)
	put := func(size int) {
		if fill+size > part {
			c.UnitsPerSegment = append(c.UnitsPerSegment, fill)
			fill = 0
		}
		fill += size
	}
	for rest := text; rest != ""; {
		n := clusterLen(rest)
		pieces(rest[:n], c.Encoding, put)
		rest = rest[n:]
	}
	c.UnitsPerSegment = append(c.UnitsPerSegment, fill)
	return c
}

// pieces calls put with the size of each piece of the cluster that must not be
// split over two parts: in GSM-7 each character, in UCS-2 the whole cluster,
// or each character of it if the cluster alone is longer than a part.
func pieces(cluster, encoding string, put func(size int)) {
	if encoding == GSM7 {
		for _, r := range cluster {
			put(septets(r))
		}
		return
	}
	if n := unitsOf(cluster); n <= UCS2Part {
		put(n)
		return
	}
	for _, r := range cluster {
		put(utf16Len(r))
	}
}

func unitsOf(s string) int {
	n := 0
	for _, r := range s {
		n += utf16Len(r)
	}
	return n
}

// A meter adds up the cost of a text, cluster by cluster, in both encodings at
// once. The zero meter has seen no text. A copy goes its own way.
type meter struct {
	clusters, runes    int
	ucs2               bool // a character outside GSM-7 was seen
	septets            int
	gsmParts, gsmFill  int // parts begun, and the septets in the last of them
	utf16              int
	ucs2Parts, ucsFill int
}

func (m *meter) add(cluster string) {
	m.clusters++
	size := 0
	for _, r := range cluster {
		m.runes++
		size += utf16Len(r)
		if m.ucs2 {
			continue
		}
		n := septets(r)
		if n == 0 {
			m.ucs2 = true
			continue
		}
		m.septets += n
		fill(&m.gsmParts, &m.gsmFill, n, GSM7Part)
	}
	m.utf16 += size
	if size <= UCS2Part {
		fill(&m.ucs2Parts, &m.ucsFill, size, UCS2Part)
		return
	}
	for _, r := range cluster {
		fill(&m.ucs2Parts, &m.ucsFill, utf16Len(r), UCS2Part)
	}
}

func fill(parts, used *int, size, part int) {
	if *parts == 0 || *used+size > part {
		*parts++
		*used = 0
	}
	*used += size
}

func (m *meter) encoding() string {
	if m.ucs2 {
		return UCS2
	}
	return GSM7
}

func (m *meter) units() int {
	if m.ucs2 {
		return m.utf16
	}
	return m.septets
}

func (m *meter) segments() int {
	switch {
	case m.ucs2 && m.utf16 > UCS2Single:
		return m.ucs2Parts
	case !m.ucs2 && m.septets > GSM7Single:
		return m.gsmParts
	}
	return 1
}

// measure is the meter of a whole text.
func measure(text string) (m meter) {
	for text != "" {
		n := clusterLen(text)
		m.add(text[:n])
		text = text[n:]
	}
	return m
}

// Characters counts code points, which is how Twilio limits a message's Body
// (1,600 of them).
func Characters(text string) int { return utf8.RuneCountInString(text) }
