package redact

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

type goldenRow struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Text     string `json:"text"`
	Spans    []struct {
		Type    string `json:"type"`
		Start   int    `json:"start"`
		End     int    `json:"end"`
		Surface string `json:"surface"`
	} `json:"spans"`
}

func goldenRows(t testing.TB) []goldenRow {
	t.Helper()
	f, err := os.Open("testdata/pii_redaction.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []goldenRow
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r goldenRow
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("row %d: %v", len(rows)+1, err)
		}
		rows = append(rows, r)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 70 {
		t.Fatalf("golden file has %d rows, want 70", len(rows))
	}
	return rows
}

// TestGolden: each span of the file is covered, by a span of its type and at
// most three characters wider; nothing else is taken out.
func TestGolden(t *testing.T) {
	for _, r := range goldenRows(t) {
		t.Run(r.ID, func(t *testing.T) {
			redacted, got := Redact(r.Text)
			for _, want := range r.Spans {
				covered := false
				for _, g := range got {
					covered = covered || g.Start <= want.Start && want.End <= g.End && g.Type == want.Type
				}
				if !covered {
					t.Errorf("Redact(%q) = %q, want %s %q covered", r.Text, redacted, want.Type, want.Surface)
				}
				if strings.Contains(redacted, want.Surface) {
					t.Errorf("Redact(%q) = %q, which shows %q", r.Text, redacted, want.Surface)
				}
			}
			if len(got) != len(r.Spans) {
				t.Errorf("Redact(%q) = %q with %d spans, want %d", r.Text, redacted, len(got), len(r.Spans))
				return
			}
			for i, g := range got {
				if w := r.Spans[i]; g.End-g.Start > w.End-w.Start+3 {
					t.Errorf("Redact(%q) takes %d characters for %q", r.Text, g.End-g.Start, w.Surface)
				}
			}
		})
	}
}

func TestRedact(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"Is my water safe?", "Is my water safe?"},

		// Telephone numbers.
		{"text 555.555.0103 or 555-555-0107 ext 5", "text [PHONE] or [PHONE]"},
		{"my number is 555 555 0142", "my number is [PHONE]"},
		{"973 555 01 44 brown water", "[PHONE] brown water"},
		{"call 973.555.01.44", "call [PHONE]"},
		{"this is mrs okonkwo about the pipes", "this is mrs [NAME] about the pipes"},
		{"dice la sra ayala que sale sucia", "dice la sra [NAME] que sale sucia"},
		{"cell 555-0142, llame al +52 55 5555 0142", "cell [PHONE], llame al [PHONE]"},
		{"call 555-0142 or 555-0143", "call [PHONE] or [PHONE]"},
		{"tel:+15555550142|call", "tel:[PHONE]|call"},
		{"use 1 (800) 222-1222 or 877-927-6337", "use 1 (800) 222-1222 or 877-927-6337"},
		{"Sample 215805592 on 20260812-09 read 250 300 1000; lead 0.015, copper 1.3, 90 percent of homes, ZIP 60601-1234", "Sample 215805592 on 20260812-09 read 250 300 1000; lead 0.015, copper 1.3, 90 percent of homes, ZIP 60601-1234"},
		{"sample 2155805592 gave 15 ppb", "sample 2155805592 gave 15 ppb"},
		{"in 2023-2024 we had 100-1200 samples", "in 2023-2024 we had 100-1200 samples"},

		// E-mail addresses and URLs.
		{"ann@example.org. (b.c@example.com), niño@example.org", "[EMAIL]. ([EMAIL]), [EMAIL]"},
		{"mail ana at gmail dot com", "mail [EMAIL]"},
		{"http://user:hunter2pw@example.org/portal", "http://user:[URL_SECRET]@example.org/portal"},
		{"see https://example.org/a?token=abc123&page=2 now", "see https://example.org/a?token=[URL_SECRET]&page=2 now"},
		{"https://example.org/reset/a1b2c3d4e5 ok", "https://example.org/reset/[URL_SECRET] ok"},
		{"https://nepis.epa.gov/Exe/ZyPURL.cgi?Dockey=P101C5WP.TXT", "https://nepis.epa.gov/Exe/ZyPURL.cgi?Dockey=P101C5WP.TXT"},
		{"https://19january2021snapshot.epa.gov/ground-water-and-drinking-water/national-lead-poisoning-prevention-week_.html", "https://19january2021snapshot.epa.gov/ground-water-and-drinking-water/national-lead-poisoning-prevention-week_.html"},
		{"my password is hunter2 and clave: abc123", "my password is [URL_SECRET] and clave: [URL_SECRET]"},
		{"my password is wrong", "my password is wrong"},

		// Names.
		{"This is John Smith", "This is [NAME]"},
		{"Hi im jane smith from 12 oak st", "Hi im [NAME] from [ADDRESS]"},
		{"my name is Herbert Hoover", "my name is [NAME]"},
		{"my name is jane and i have brown water", "my name is [NAME] and i have brown water"},
		{"Me llamo María de la Cruz, soy de Newark", "Me llamo [NAME], soy de Newark"},
		{"Soy Ana. Mi hija se llama Luz Marina", "Soy [NAME]. Mi hija se llama [NAME]"},
		{"habla Dolores, a q hora abren", "habla [NAME], a q hora abren"},
		{"la señora Auxilio Matos pregunta por su medidor", "la señora [NAME] pregunta por su medidor"},
		{"ask Mr. Lee or Dr. O’Brien", "ask Mr. [NAME] or Dr. [NAME]"},
		{"my son Luis drank it", "my son [NAME] drank it"},
		{"Is it safe? Thanks, Maria Lopez", "Is it safe? Thanks, [NAME]"},
		{"its jane from apt 3; its Fire and Smoke Map", "its [NAME] from [UNIT]; its Fire and Smoke Map"},
		{"aquí Juan Pérez", "aquí [NAME]"},
		{"my name is Lena Park", "my name is [NAME]"},
		{"I'm J. Smith.", "I'm [NAME]."},
		{"I AM JOSE RUIZ AND MY WATER IS BROWN", "I AM [NAME] AND MY WATER IS BROWN"},
		{"May I flush the lead line in March?", "May I flush the lead line in March?"},
		{"This is Lead and Copper Rule", "This is Lead and Copper Rule"},
		{"I'm Pregnant and this is Newark water", "I'm Pregnant and this is Newark water"},
		{"I AM SCARED. THIS IS BAD", "I AM SCARED. THIS IS BAD"},
		{"im scared, its brown, call me back", "im scared, its brown, call me back"},
		{"soy paciente, se habla Español?", "soy paciente, se habla Español?"},
		{"my name is not on it; call me at noon", "my name is not on it; call me at noon"},
		{"My Mom Said it is safe", "My Mom Said it is safe"},

		// Addresses.
		{"I live at 123 Main St, Newark, NJ 07102.", "I live at [ADDRESS]."},
		{"140 metro park suite a rochester ny 14623", "[ADDRESS]"},
		{"1600 PENNSYLVANIA AVE NW", "[ADDRESS]"},
		{"PO Box 12", "[ADDRESS]"},
		{"is the water at 123 X st safe today?", "is the water at [ADDRESS] safe today?"},
		{"vivo en la calle maple 45 apto 2", "vivo en la [ADDRESS]"},
		{"vivo en 45 maple, ok", "vivo en [ADDRESS], ok"},
		{"12b N. 7th Street #3 please", "[ADDRESS] please"},
		{"40.7357, -74.1724", "[ADDRESS]"},
		{"22-B Baker Street, 9 School St, 12 old mill rd, 300 Broadway", "[ADDRESS], [ADDRESS], [ADDRESS], [ADDRESS]"},
		{"this is Dolores at 22 elm, need a meter", "this is [NAME] at [ADDRESS], need a meter"},
		{"it was at 15 ppb, at 120 degrees, at 3 sites.", "it was at 15 ppb, at 120 degrees, at 3 sites."},
		{"EPA's 2017 page said run water 30 seconds", "EPA's 2017 page said run water 30 seconds"},
		{"12 lead service lines on the way", "12 lead service lines on the way"},
		{"140 samples per site", "140 samples per site"},
		{"15 minutes from the road, 3 cars drive by", "15 minutes from the road, 3 cars drive by"},
		{"i live on 7th ave on the 3rd floor", "i live on 7th ave on the 3rd floor"},
		{"run it 5 more times a day", "run it 5 more times a day"},
		{"la calle tiene 3 tubos de plomo", "la calle tiene 3 tubos de plomo"},

		// Flats.
		{"apt B, Apt. 4-C, unit #7, depto 12", "[UNIT], [UNIT], [UNIT], [UNIT]"},
		{"Unit 12 ppb", "Unit 12 ppb"},
		{"the apt i live in, apt a week ago, units 3", "the apt i live in, apt a week ago, units 3"},

		// Numbers.
		{"acct# 12345678, meter no. 998877, mi cuenta es 00123-456", "acct# [ACCOUNT], meter no. [ACCOUNT], mi cuenta es [ACCOUNT]"},
		{"número de medidor 4455667", "número de medidor [ACCOUNT]"},
		{"my account is 2 years old", "my account is 2 years old"},
		{"meter reading is 00123456", "meter reading is 00123456"},
		{"bill was 12345 gallons", "bill was 12345 gallons"},
		{"ssn ends in 1234; social security 000 12 3456", "ssn ends in [SSN]; social security [SSN]"},
		{"card 4111111111111111", "card [CARD]"},
		{"lot 4111111111111112", "lot 4111111111111112"},
		{"nací el 3 de mayo de 1980; DOB: May 3, 1980; 5/3/80 is my birthday", "nací el [DOB]; DOB: [DOB]; [DOB] is my birthday"},
		{"born 3 weeks ago in 2023", "born 3 weeks ago in 2023"},
		{"sampled on 01/02/2024", "sampled on 01/02/2024"},

		// What is redacted already stays.
		{"[NAME] at [ADDRESS], call [PHONE] or 555-555-0142", "[NAME] at [ADDRESS], call [PHONE] or [PHONE]"},
		{"a\xffb 555-555-0142", "a\ufffdb [PHONE]"},
	} {
		got, spans := Redact(tt.text)
		if got != tt.want {
			t.Errorf("Redact(%q) = %q, want %q", tt.text, got, tt.want)
		}
		checkRedacted(t, tt.text, got, spans)
	}
}

func TestRedactKeeps(t *testing.T) {
	for _, tt := range []struct {
		text string
		keep []string
		want string
	}{
		{"call 973-555-0142 or 973-555-0143", []string{"(973) 555-0142"}, "call 973-555-0142 or [PHONE]"},
		{"call +1 973 555 0142", []string{"973-555-0142", "911"}, "call +1 973 555 0142"},
		{"is my number 973-555-0142? reference number 1-800-222-1222", []string{"973-555-0142"}, "is my number 973-555-0142? reference number 1-800-222-1222"},
		{"call (973) 555-0142, call 1 (800) 222-1222, call 555-0143", []string{"973-555-0142"}, "call (973) 555-0142, call 1 (800) 222-1222, call [PHONE]"},
		{"write water@example.org or me@example.org", []string{"water@example.org"}, "write water@example.org or [EMAIL]"},
		{"City Hall, 920 Broad Street, and 921 Broad Street", []string{"920 Broad Street"}, "City Hall, 920 Broad Street, and [ADDRESS]"},
		{"call 973-555-0142 ext 5, 911 Oak St", []string{"973-555-0142", "911"}, "call 973-555-0142 ext 5, [ADDRESS]"},
		{"me llamo Ana", []string{"Ana Street Clinic"}, "me llamo [NAME]"},
		{"ask Mr. Lee or Mr. Ray", []string{"", "lee"}, "ask Mr. Lee or Mr. [NAME]"},
	} {
		if got, _ := Redact(tt.text, tt.keep...); got != tt.want {
			t.Errorf("Redact(%q, %q) = %q, want %q", tt.text, tt.keep, got, tt.want)
		}
	}
}

// checkRedacted states what always holds: spans are in order, apart and inside
// the text; the rest of the text is as it was; redacting again changes nothing.
func checkRedacted(t interface{ Errorf(string, ...any) }, text, got string, spans []Span, keep ...string) {
	runes := []rune(text)
	var want strings.Builder
	at := 0
	for _, p := range spans {
		if p.Start < at || p.End <= p.Start || p.End > len(runes) {
			t.Errorf("Redact(%q) has span %+v after %d in %d characters", text, p, at, len(runes))
			return
		}
		want.WriteString(string(runes[at:p.Start]) + "[" + p.Type + "]")
		at = p.End
	}
	want.WriteString(string(runes[at:]))
	if got != want.String() {
		t.Errorf("Redact(%q) = %q, but its spans make %q", text, got, want.String())
	}
	if !utf8.ValidString(got) {
		t.Errorf("Redact(%q) = %q, want valid UTF-8", text, got)
	}
	if again, more := Redact(got, keep...); again != got || len(more) > 0 {
		t.Errorf("Redact(%q) = %q with %v, want it unchanged", got, again, more)
	}
}

func TestRedactProperties(t *testing.T) {
	piece := rapid.SampledFrom([]string{
		"my name is ", "me llamo ", "this is ", "im ", "Mr. ", "Thanks, ", "Ana", "jane", "Ruiz", "smith", "and ", "de ", " ", " ", ", ", ". ",
		"555", "-", "0142", "(555)", "+1", "12", "000123456", "4111 1111 1111 1111", "oak", "Main", " st", " Ave", "apt ", "#", "4C", "calle ", "PO Box ",
		"a@b.org", "https://x.org/", "?token=", "u:p@", "account ", "number ", "is ", "born ", "1/2/1980", "ssn ", "[NAME]", "[PHONE", "]", "[", "\ufffc", "\xff", "á", "\n", "call ", "NJ", " 07102",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 25).Draw(t, "pieces"), "")
		keep := rapid.SliceOfN(rapid.SampledFrom([]string{"555-555-0142", "a@b.org", "12 Main St", "Ana"}), 0, 2).Draw(t, "keep")
		got, spans := Redact(text, keep...)
		checkRedacted(t, text, got, spans, keep...)
	})
}

func FuzzRedact(f *testing.F) {
	for _, r := range goldenRows(f) {
		f.Add(r.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, spans := Redact(text)
		checkRedacted(t, text, got, spans)
	})
}

func BenchmarkRedact(b *testing.B) {
	for _, bm := range []struct{ name, text string }{
		{"Message", "hi my name is Lena Park, 45 Cedar Dr, 555-555-0114, is 15 ppb of lead ok for my baby?"},
		{"100kB", strings.Repeat("The water at 12 Oak St has 15 ppb of lead; call 555-555-0142. ", 1600)},
		{"Digits", strings.Repeat("1", 100_000)},
		{"Spaced", strings.Repeat("1 ", 50_000)},
		{"Words", strings.Repeat("12 oak ", 14_000)},
		{"Cues", strings.Repeat("my name is ", 9_000)},
		{"Dots", strings.Repeat("a.", 50_000) + "@"},
		{"Hosts", strings.Repeat("www. ", 20_000)},
		{"Ats", strings.Repeat("a@", 50_000)},
		{"URL", "https://x.org/" + strings.Repeat("a/", 50_000)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			for b.Loop() {
				Redact(bm.text)
			}
		})
	}
}
