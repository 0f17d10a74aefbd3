package kb

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"plumbline/bot"
)

// goodLibrary is the pack of testdata alone.
func goodLibrary(t testing.TB) *Library {
	t.Helper()
	p, err := Load(os.DirFS("testdata"), goodPack)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLibrary(p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// changedLibrary is the pack of testdata with changes of file, old and new.
func changedLibrary(t testing.TB, changes ...[3]string) *Library {
	t.Helper()
	files := goodFiles(t)
	for _, c := range changes {
		change(t, files, c[0], c[1], c[2])
	}
	p, err := Load(files, goodPack)
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLibrary(p)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func paragraph(t testing.TB, l *Library, id string) Paragraph {
	t.Helper()
	p, ok := l.Paragraph(id)
	if !ok {
		t.Fatalf("there is no paragraph %q", id)
	}
	return p
}

func TestLibraryLookUps(t *testing.T) {
	l := goodLibrary(t)
	if p, ok := l.Pack(""); !ok || p.Manifest.Name != goodPack {
		t.Errorf(`Pack("") = %v, %t, want the first pack`, p, ok)
	}
	if _, ok := l.Pack("annex"); ok {
		t.Error(`Pack("annex") finds something`)
	}
	if c, ok := l.Chunk("library-hours/loans.wet"); !ok || c.Document != "loans" || c.Section.ID != "loans" || c.Pack != goodPack ||
		c.Heading("es") != "Préstamos: Libros mojados" || c.Heading("fr") != "Loans: Wet books" {
		t.Errorf("Chunk(library-hours/loans.wet) = %+v, %t", c, ok)
	}
	if _, ok := l.Chunk("loans.wet"); ok {
		t.Error("Chunk takes an id without its pack")
	}
	var ids []string
	for c := range l.Chunks() {
		ids = append(ids, c.ID)
	}
	if want := []string{"library-hours/opening.weekdays", "library-hours/opening.sundays", "library-hours/loans.books", "library-hours/loans.wet"}; !slices.Equal(ids, want) {
		t.Errorf("Chunks yields %q, want %q", ids, want)
	}
	if c, ok := l.ChunkOf("loan.fee"); !ok || c.ID != "library-hours/loans.books" {
		t.Errorf("ChunkOf(loan.fee) = %q, %t", c.ID, ok)
	}
	if _, ok := l.ChunkOf("none"); ok {
		t.Error("ChunkOf(none) finds something")
	}
	if p, ok := l.Phone("phone.fire"); !ok || p.Number != "911" {
		t.Errorf("Phone(phone.fire) = %+v, %t", p, ok)
	}
	if n := l.NextStepsFor(goodPack, "loans"); len(n) != 1 || n[0].ID != "next.desk" {
		t.Errorf("NextStepsFor(loans) = %+v", n)
	}
	if len(l.NextStepsFor(goodPack, "weather")) > 0 {
		t.Error("NextStepsFor(weather) finds something")
	}
	if len(l.NextStepsFor("annex", "loans")) > 0 {
		t.Error("NextStepFor finds something in a pack that is not there")
	}
	if n, ok := l.NextStep("next.desk"); !ok || n.Say["en"] != "Call the library desk: 973-555-0101." {
		t.Errorf("NextStep(next.desk) = %+v, %t", n, ok)
	}
}

func TestLibrarySource(t *testing.T) {
	l := goodLibrary(t)
	for _, tt := range []struct {
		paragraph string
		want      bot.Source
	}{
		// From the document.
		{"hours.weekday", bot.Source{Agency: "Town of Ashford", Title: "Library hours", URL: "https://library.example.org/hours", Date: "2026-01-05",
			How: "primary", Read: "2026-11-01", Place: "Ashford"}},
		// From the subsection.
		{"loan.limit", bot.Source{Agency: "Shire Libraries", Title: "Loans and fees", URL: "https://shire.example.org/loans", Date: "undated",
			How: "official-copy", Read: "2026-11-02", Note: "the cited page itself was not opened", Place: "Shire"}},
		// With provenance and place of its own.
		{"loan.fee", bot.Source{Agency: "Shire Libraries", Title: "Loans and fees", URL: "https://shire.example.org/loans", Date: "undated",
			How: "secondary", Read: "2026-11-03", Place: "Ashford"}},
		{"loan.wet", bot.Source{Agency: "Millbrook Town Library", Title: "What to do with a wet book", URL: "http://millbrook.example.org/damp", Date: "2019",
			How: "secondary", Read: "2026-11-02", Note: "advice given for Millbrook, Shire", Place: "Shire"}},
	} {
		s, ok := l.Source(paragraph(t, l, tt.paragraph))
		if got := s.Bot(); !ok || got != tt.want {
			t.Errorf("Source(%s) = %+v, %t, want %+v", tt.paragraph, got, ok, tt.want)
		}
	}
	if s, ok := l.Source(Paragraph{ID: "none"}); ok {
		t.Errorf("Source of a paragraph that is not there = %+v", s)
	}
	own := changedLibrary(t, [3]string{"documents/loans.json", `"id": "loan.wet",`, `"id": "loan.wet", "source": "shire-loans",`})
	if s, _ := own.Source(paragraph(t, own, "loan.wet")); s.ID != "shire-loans" {
		t.Errorf("Source of a paragraph with its own = %q, want shire-loans", s.ID)
	}
	ph, _ := l.Phone("phone.desk")
	if s, ok := l.PhoneSource(ph); !ok || s.ID != "ashford-hours-2026" {
		t.Errorf("PhoneSource(phone.desk) = %q, %t", s.ID, ok)
	}
}

func TestJurisdictions(t *testing.T) {
	l := goodLibrary(t)
	for _, tt := range []struct {
		home string
		want []string
	}{
		{"Ashford", []string{"Ashford", "Shire", "IFLA"}},
		{"Shire", []string{"Shire", "IFLA"}},
		{"IFLA", []string{"IFLA", "Shire"}},
		{"Mars", []string{"Shire", "IFLA"}},
		{"", []string{"Shire", "IFLA"}},
	} {
		if got := l.Jurisdictions(tt.home); !slices.Equal(got, tt.want) {
			t.Errorf("Jurisdictions(%q) = %q, want %q", tt.home, got, tt.want)
		}
	}
}

func TestValid(t *testing.T) {
	l := goodLibrary(t)
	later := changedLibrary(t,
		// hours.weekday gives way to hours.late, which begins on 2027-03-01 and
		// gives way to hours.sunday, which is only proposed.
		[3]string{"documents/hours.json", `"id": "hours.weekday",`, `"id": "hours.weekday", "validity": {"superseded_by": "hours.late"},`},
		[3]string{"documents/hours.json", `{"effective": "2027-03-01"}`, `{"effective": "2027-03-01", "superseded_by": "hours.sunday"}`},
		[3]string{"documents/loans.json", `"id": "loan.wet",`, `"id": "loan.wet", "validity": {"superseded_by": "loan.fee"},`},
		[3]string{"documents/loans.json", `"id": "loan.limit",`, `"id": "loan.limit", "validity": {"effective": "2026-06", "expires": "2031"},`})
	for _, tt := range []struct {
		l    *Library
		id   string
		at   Date
		want State
	}{
		{l, "hours.weekday", 20261130, Current},
		{l, "hours.late", 20261130, NotYet},
		{l, "hours.late", 20270228, NotYet},
		{l, "hours.late", 20270301, Current},
		{l, "hours.old", 20260104, Current},
		{l, "hours.old", 20260105, Superseded},
		{l, "hours.sunday", 20261130, Proposed},
		{l, "loan.limit", 20191231, NotYet}, // its source begins on 2020-01-01
		{l, "loan.limit", 20200101, Current},
		{l, "loan.limit", 20291231, Current},
		{l, "loan.limit", 20300101, Expired},
		{later, "hours.weekday", 20270228, Current},
		{later, "hours.weekday", 20270301, Superseded},
		{later, "hours.late", 20270301, Current},
		{later, "loan.wet", 20191231, Current}, // what supersedes it begins with its source
		{later, "loan.wet", 20261130, Superseded},
		{later, "loan.limit", 20260531, NotYet}, // later of both beginnings
		{later, "loan.limit", 20260601, Current},
		{later, "loan.limit", 20300101, Expired}, // earlier of both ends
	} {
		got := tt.l.Valid(paragraph(t, tt.l, tt.id), tt.at)
		if got != tt.want {
			t.Errorf("Valid(%s, %s) = %s, want %s", tt.id, tt.at, got, tt.want)
		}
		if told := tt.want == Current || tt.want == NotYet || tt.want == Proposed; got.Told() != told {
			t.Errorf("%s.Told() = %t", got, got.Told())
		}
	}
}

func TestWordings(t *testing.T) {
	for _, tt := range []struct {
		id, lang string
		approved bool
		want     []string
	}{
		{"hours.weekday", "en", false, []string{"plain: The library is open 9 hours a day, Monday to Friday.",
			"exact: The library in Ashford is open for 9 hours a day. It opens on Monday to Friday."}},
		{"hours.weekday", "en", true, []string{"plain: The library is open 9 hours a day, Monday to Friday.",
			"exact: The library in Ashford is open for 9 hours a day. It opens on Monday to Friday."}},
		{"hours.weekday", "es", false, []string{"plain: La biblioteca abre 9 horas al día, de lunes a viernes.",
			"exact: La biblioteca de Ashford abre 9 horas al día. Abre de lunes a viernes."}},
		{"hours.weekday", "es", true, []string{"exact: La biblioteca de Ashford abre 9 horas al día. Abre de lunes a viernes."}},
		{"hours.sunday", "en", false, []string{"exact: The town has proposed to open the library for 4 hours on Sundays."}},
		{"hours.sunday", "fr", false, nil},
	} {
		var got []string
		l := goodLibrary(t)
		if tt.approved {
			l.OnlyApproved()
		}
		for _, w := range l.Wordings(paragraph(t, l, tt.id), tt.lang) {
			got = append(got, string(w.Form)+": "+w.Text)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("Wordings(%s, %s, %t) = %q, want %q", tt.id, tt.lang, tt.approved, got, tt.want)
		}
	}
}

func TestNewLibraryFaults(t *testing.T) {
	files := goodFiles(t)
	for name, f := range files {
		f := *f
		f.Data = []byte(strings.NewReplacer(`"library-hours"`, `"annex"`, `"parent": "Shire"`, `"parent": "IFLA"`,
			"hours.late", "hours.evening", "next.desk", "next.annex", "phone.fire", "phone.alarm").Replace(string(f.Data)))
		files["annex"+strings.TrimPrefix(name, goodPack)] = &f
	}
	one, err := Load(files, goodPack)
	if err != nil {
		t.Fatal(err)
	}
	two, err := Load(files, "annex")
	if err != nil {
		t.Fatal(err)
	}
	l, err := NewLibrary(one, two)
	if l != nil || !errors.Is(err, bot.ErrInvalid) {
		t.Fatalf("NewLibrary of packs that collide = %v, %v, want ErrInvalid", l, err)
	}
	want := []string{
		`annex/contacts.json:15:1: phone "phone.desk" stands in library-hours/contacts.json:15 too; give one of them another id`,
		`annex/documents/hours.json:19:1: paragraph "hours.weekday" stands in library-hours/documents/hours.json:19 too; give one of them another id`,
		`annex/documents/hours.json:50:1: paragraph "hours.old" stands in library-hours/documents/hours.json:50 too; give one of them another id`,
		`annex/documents/hours.json:68:1: paragraph "hours.sunday" stands in library-hours/documents/hours.json:68 too; give one of them another id`,
		`annex/documents/loans.json:16:1: paragraph "loan.limit" stands in library-hours/documents/loans.json:16 too; give one of them another id`,
		`annex/documents/loans.json:35:1: paragraph "loan.fee" stands in library-hours/documents/loans.json:35 too; give one of them another id`,
		`annex/documents/loans.json:54:1: paragraph "loan.wet" stands in library-hours/documents/loans.json:54 too; give one of them another id`,
		`annex/pack.json:8:1: "Ashford" lies in "IFLA", but in "Shire" in library-hours/pack.json:8; agree on one`,
		`annex/scope.json:3:1: scope rule "homework" stands in library-hours/scope.json:3 too; give one of them another id`,
	}
	if got := strings.Split(err.Error(), "\n"); !slices.Equal(got, want) {
		t.Errorf("NewLibrary faults:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if _, err := NewLibrary(one, one); err == nil || !strings.Contains(err.Error(), `library-hours: pack "library-hours" stands in pack library-hours too`) {
		t.Errorf("NewLibrary of a pack twice: %v", err)
	}
	if l, err := NewLibrary(); err != nil || len(l.Packs()) != 0 || len(Records(l)) != 0 {
		t.Errorf("NewLibrary() = %v, %v, want an empty library", l, err)
	}
}

func TestSlug(t *testing.T) {
	for _, tt := range []struct{ term, want string }{
		{"Action level", "action-level"}, {"mg/L", "mg-l"}, {" PM2.5 ", "pm2-5"}, {"Límite (MCL)", "limite-mcl"}, {"µ", ""}, {"", ""},
	} {
		if got := slugOf(tt.term); got != tt.want {
			t.Errorf("slugOf(%q) = %q, want %q", tt.term, got, tt.want)
		}
	}
}
