package console

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"plumbline/bot"
	"plumbline/internal/gsm7"
)

// A Look says how replies are shown. The zero Look is for a file or a pipe: the
// texts and nothing else, an empty line between them.
type Look struct {
	Terminal bool       // Out is a terminal: texts are wrapped, with what they cost and offer
	Color    bool       // it may be told to dim what is not part of a text
	Width    func() int // its columns; 0 for not known
	JSON     bool       // each reply is one line of JSON instead
}

// widest is how many columns a text takes at most: longer lines are hard to read.
const widest = 100

// A screen is where replies are shown.
type screen struct {
	out   io.Writer
	look  Look
	asks  bool // a person is asked for lines
	cost  bool // texts cost segments
	asked bool // the prompt stands on the line
	any   bool // something was shown
}

const prompt = "you> "

func (s *screen) write(text string) error {
	_, err := io.WriteString(s.out, text)
	return err
}

// open says what this is.
func (s *screen) open(channel string) error {
	if !s.asks {
		return nil
	}
	return s.write(s.dim(s.wrap("This is the line as it answers on "+channel+". Type a question and press Enter. "+
		"MORE, WHY, SOURCES, STOP, ENGLISH, ESPANOL and the like work as on a phone; /quit or Ctrl-D leaves.")) + "\n\n")
}

// ask shows the prompt, unless it stands there.
func (s *screen) ask() error {
	if !s.asks || s.asked {
		return nil
	}
	s.asked = true
	return s.write(prompt)
}

// typed says that a line came: byHand where the terminal has shown it already.
func (s *screen) typed(text string, byHand bool) error {
	s.asked = false
	if byHand || text == "" || !s.look.Terminal || s.look.JSON {
		return nil
	}
	return s.write(s.wrap(prompt+printable(text)) + "\n")
}

// leave ends the line that a prompt stands on.
func (s *screen) leave() error {
	if !s.asked {
		return nil
	}
	s.asked = false
	return s.write("\n")
}

// show shows a text with one call of out.Write.
func (s *screen) show(d bot.Delivery) error {
	var b strings.Builder
	if s.asked {
		b.WriteString("\n")
	}
	switch {
	case s.look.JSON:
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(shownAs(d)); err != nil {
			return err
		}
	case !s.look.Terminal:
		if s.any {
			b.WriteString("\n")
		}
		b.WriteString(d.Text + "\n")
	default:
		text := s.wrap(printable(d.Text))
		if d.Status == bot.Emergency {
			text = s.bold(text)
		}
		b.WriteString(text + "\n")
		for _, note := range s.notes(d) {
			b.WriteString(s.dim(s.wrap("  "+note)) + "\n")
		}
		b.WriteString("\n")
	}
	if err := s.write(b.String()); err != nil {
		return err
	}
	s.asked, s.any = false, true
	return nil
}

// notes are what is said below a text: nothing below that of an emergency.
func (s *screen) notes(d bot.Delivery) (notes []string) {
	if d.Status == bot.Emergency {
		return nil
	}
	if s.cost {
		c := gsm7.Count(d.Text)
		segments := "segments"
		if c.Segments == 1 {
			segments = "segment"
		}
		notes = append(notes, fmt.Sprintf("%d %s, %d units, %s", c.Segments, segments, c.Units, c.Encoding))
	}
	var words []string
	for _, w := range d.Offers {
		if name := offers[d.Language][w]; name != "" {
			words = append(words, name)
		} else if name := offers[bot.English][w]; name != "" {
			words = append(words, name)
		}
	}
	if len(words) > 0 {
		lead := "You can text: "
		if d.Language == bot.Spanish {
			lead = "Puede mandar: "
		}
		notes = append(notes, lead+strings.Join(words, ", "))
	}
	return notes
}

// offers are the words that get more of a reply, as people text them.
var offers = map[bot.Language]map[bot.Word]string{
	bot.English: {bot.WordMore: "MORE", bot.WordWhy: "WHY", bot.WordSources: "SOURCES"},
	bot.Spanish: {bot.WordMore: "MAS", bot.WordWhy: "POR QUE", bot.WordSources: "FUENTES"},
}

// A shown is a reply as a line of JSON.
type shown struct {
	Text     string       `json:"text"`
	Status   bot.Status   `json:"status"`
	Language bot.Language `json:"language"`
	Answer   string       `json:"answer"`
	Offers   []bot.Word   `json:"offers"`
	Encoding string       `json:"encoding"`
	Segments int          `json:"segments"`
	Units    int          `json:"units"`
}

func shownAs(d bot.Delivery) shown {
	c := gsm7.Count(d.Text)
	offers := d.Offers
	if offers == nil {
		offers = []bot.Word{}
	}
	return shown{d.Text, d.Status, d.Language, d.Answer, offers, c.Encoding, c.Segments, c.Units}
}

func (s *screen) dim(text string) string  { return s.styled("2", text) }
func (s *screen) bold(text string) string { return s.styled("1", text) }

func (s *screen) styled(style, text string) string {
	if !s.look.Color {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// printable is text without what would steer the terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return ' '
		}
		return r
	}, text)
}

// wrap breaks the lines of text at spaces so that they fit the terminal.
func (s *screen) wrap(text string) string {
	columns := 0
	if s.look.Width != nil {
		columns = min(s.look.Width(), widest)
	}
	if columns <= 0 {
		return text
	}
	var b strings.Builder
	for i, row := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		indent := row[:len(row)-len(strings.TrimLeft(row, " "))]
		used := cells(indent)
		b.WriteString(indent)
		for j, word := range strings.Fields(row) {
			n := cells(word)
			switch {
			case j == 0:
			case used+1+n > columns:
				b.WriteString("\n" + indent)
				used = cells(indent)
			default:
				b.WriteByte(' ')
				used++
			}
			b.WriteString(word)
			used += n
		}
	}
	return b.String()
}

// cells is how many columns text takes.
func cells(text string) (n int) {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case wide(r):
			n += 2
		default:
			n++
		}
	}
	return n
}

func wide(r rune) bool {
	k := width.LookupRune(r).Kind()
	return k == width.EastAsianWide || k == width.EastAsianFullwidth
}
