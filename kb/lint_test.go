package kb

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	shipped "plumbline/kb/packs"
)

// lintDay is the day that tests lint at.
const lintDay Date = 20261130

func findingLines(findings []Finding) []string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, strings.TrimPrefix(f.String(), goodPack+"/"))
	}
	return lines
}

func TestLint(t *testing.T) {
	golden(t, "lint.golden", strings.Join(findingLines(Lint(goodLibrary(t), lintDay)), "\n")+"\n")
}

// TestLintRules changes the good pack and holds Lint to what it says of the
// change, beside what it says of the good pack.
func TestLintRules(t *testing.T) {
	const hours, loans = "documents/hours.json", "documents/loans.json"
	plain := func(en string) [3]string { // a plain wording of loan.fee
		return [3]string{loans, `"id": "loan.fee",`, `"id": "loan.fee", "plain": {"en": {"text": "` + en + `"}},`}
	}
	base := make(map[string]bool)
	for _, f := range Lint(goodLibrary(t), lintDay) {
		base[string(f.Severity)+f.Rule+f.ID+f.Text] = true
	}
	for _, tt := range []struct {
		name    string
		changes [][3]string
		want    []string
	}{
		{"PlainSame", [][3]string{plain("No fee for 7 days, then 5 cents a day.")}, nil},
		{"PlainNumber", [][3]string{plain("No fee for 7 days, then 6 cents a day, 5 at first.")},
			[]string{`error: plain-number: loan.fee: plain wording (en): it says "6 cent", which neither its exact wording, a caveat nor a named sibling says`}},
		{"PlainUnit", [][3]string{plain("No fee for 7 weeks, then 5 cents a day.")}, []string{
			`error: plain-number: loan.fee: plain wording (en): it says "7 week", which neither its exact wording, a caveat nor a named sibling says`,
			`error: plain-left-out: loan.fee: plain wording (en): it leaves out "7 day": say it, or mark the wording partial`}},
		{"PlainLeftOut", [][3]string{plain("No fee for the first days, then 5 cents a day.")},
			[]string{`error: plain-left-out: loan.fee: plain wording (en): it leaves out "7 day": say it, or mark the wording partial`}},
		{"PlainSibling", [][3]string{{loans, `"You can borrow 10 books. Bring the card each time."`, `"You can borrow 10 books. Bring the card each time. Late is 5 cents."`}}, nil},
		{"PlainCaveat", [][3]string{
			{loans, `"You can borrow 10 books. Bring the card each time."`, `"You can borrow 10 books, 4 at Millbrook. Bring the card each time."`},
			{loans, "Some branches lend fewer.", "Millbrook lends 4."}}, nil},
		{"PlainNotSibling", [][3]string{
			{loans, `"You can borrow 10 books. Bring the card each time."`, `"You can borrow 10 books. Bring the card each time. Late is 5 cents."`},
			{loans, `"siblings": ["loan.fee"]`, `"siblings": []`}},
			[]string{`error: plain-number: loan.limit: plain wording (en): it says "5 cent", which neither its exact wording, a caveat nor a named sibling says`}},
		{"PlainNotPartial", [][3]string{{loans, `, "partial": true`, ""}},
			[]string{`error: plain-left-out: loan.limit: plain wording (en): it leaves out "3 week": say it, or mark the wording partial`}},
		{"PlainPhone", [][3]string{plain("No fee for 7 days, then 5 cents a day. Ask at 973-555-0199, 911 or https://example.org/fees.")},
			[]string{`error: plain-number: loan.fee: plain wording (en): it says "9735550199", "example.org/fees", which neither its exact wording, a caveat nor a named sibling says`}},
		{"PlainNegationAdded", [][3]string{{hours, `"The library is open 9 hours a day, Monday to Friday."`, `"The library is not open 9 hours a day, Monday to Friday."`}},
			[]string{`error: plain-negation: hours.weekday: plain wording (en): it says "not", and its exact wording says no such thing`}},
		{"PlainNegationLost", [][3]string{plain("A fee for 7 days, then 5 cents a day.")},
			[]string{`error: plain-negation: loan.fee: plain wording (en): it leaves out "no": say it, or mark the wording partial`}},
		{"PlainNegationIf", [][3]string{{hours, `"The library is open 9 hours a day, Monday to Friday."`, `"The library is open 9 hours a day, Monday to Friday. If not, call."`}}, nil},
		{"PlainNegationOr", [][3]string{{hours, `"The library is open 9 hours a day, Monday to Friday."`, `"The library is open 9 hours a day, Monday to Friday, or isn't."`}},
			[]string{`error: plain-negation: hours.weekday: plain wording (en): it says "isn't", and its exact wording says no such thing`}},
		{"PlainNegationInOtherWords", [][3]string{plain("The first 7 days are free of a fee, then 5 cents a day.")}, nil},
		{"PlainDateCoarse", [][3]string{{hours, `"id": "hours.late",`, `"id": "hours.late", "plain": {"en": {"text": "From March 2027 the library is open for 11 hours on Thursdays."}},`}},
			[]string{`warning: plain-left-out: hours.late: plain wording (en): it says less of the date "2027-03-01"`}},
		{"PlainDateWrong", [][3]string{{hours, `"id": "hours.late",`, `"id": "hours.late", "plain": {"en": {"text": "From March 2, 2027 the library is open for 11 hours on Thursdays."}},`}},
			[]string{
				`error: plain-number: hours.late: plain wording (en): it says "2027-03-02", which neither its exact wording, a caveat nor a named sibling says`,
				`warning: plain-left-out: hours.late: plain wording (en): it says less of the date "2027-03-01"`}},
		{"Translation", [][3]string{{loans, "Luego son 5 centavos", "Luego son 50 centavos"}},
			[]string{`error: translation: loan.fee: the exact wordings in en and es differ in "5 cent", "50 cent"`}},
		{"TranslationArticle", [][3]string{{loans, "Luego son 5 centavos al día.", "Luego son 5 centavos por un día."}}, nil},
		{"TranslationOne", [][3]string{{loans, "After that it is 5 cents a day.", "After that it is 5 cents for one day."}},
			[]string{`error: translation: loan.fee: the exact wordings in en and es differ in "1 day"`}},
		{"TranslationYear", [][3]string{
			{hours, "for 11 hours on Thursdays.", "for 11 hours on Thursdays, until mid-2028."},
			{hours, "abre 11 horas los jueves.", "abre 11 horas los jueves, hasta mediados de 2028."}}, nil},
		{"TranslationDate", [][3]string{{hours, "Desde el 1 de marzo", "Desde el 1 de mayo"}},
			[]string{`error: translation: hours.late: the exact wordings in en and es differ in "2027-03-01", "2027-05-01"`}},
		{"TranslationNegation", [][3]string{{loans, "pide no secar con calor", "pide secar con calor"}},
			[]string{`warning: translation: loan.wet: only one of the exact wordings in en and es says no: "not"`}},
		{"CaveatGone", [][3]string{{loans, "You can borrow 10 books. Bring the card each time.", "You can borrow 10 books."}},
			[]string{`error: caveat: loan.limit: plain wording (en): it says nothing of caveat 1, which travels`}},
		{"CaveatFaint", [][3]string{{loans, `{"en": "Bring the card each time.",`, `{"en": "Bring proof of residence, signed by both parents or guardians.",`}},
			[]string{
				"warning: caveat: loan.limit: exact wording (en): it says little of caveat 1, which travels; it lacks both, guardian, parent, proof, resid, sign",
				"warning: caveat: loan.limit: plain wording (en): it says little of caveat 1, which travels; it lacks both, guardian, parent, proof, resid, sign"}},
		{"CaveatStays", [][3]string{{loans, `{"en": "Some branches lend fewer."}`, `{"en": "Some branches lend fewer.", "es": "Unas prestan menos."}`}}, nil},
		{"OutOfArea", [][3]string{{loans, "In Millbrook the library asks", "The library asks"}},
			[]string{"error: out-of-area: loan.wet: exact wording (en): its advice was given for Millbrook, Shire, and it does not say so"}},
		{"Dose", [][3]string{plain("No fee for 7 days, then 5 cents a day and 6 drops of ink.")},
			[]string{
				`error: plain-number: loan.fee: plain wording (en): it says "6 drop", which neither its exact wording, a caveat nor a named sibling says`,
				`error: dose: loan.fee: plain wording (en): it counts drops and does not say of how many percent`}},
		{"DoseWithPercent", [][3]string{plain("No fee for 7 days, then 5 cents a day and 6 drops of 8% ink.")},
			[]string{`error: plain-number: loan.fee: plain wording (en): it says "6 drop", "8 %", which neither its exact wording, a caveat nor a named sibling says`}},
		{"DoseInSpanish", [][3]string{{"guidance.json", "Llame a la biblioteca: 973-555-0101.", "Dos gotas. Llame a la biblioteca: 973-555-0101."}},
			[]string{
				`error: dose: next.desk: say (es): it counts drops and does not say of how many percent`,
				`error: uncited: next.desk: say (es): it says "2 drop", which nothing that it cites says`}},
		{"Length", [][3]string{plain("No fee for 7 days, then 5 cents a day. " + strings.TrimSpace(strings.Repeat("So it is. ", 14)))},
			[]string{"warning: length: loan.fee: plain wording (en): it takes 178 septets, more than 170"}},
		{"TooLong", [][3]string{plain("No fee for 7 days, then 5 cents a day. " + strings.TrimSpace(strings.Repeat("So it is. ", 21)))},
			[]string{"error: length: loan.fee: plain wording (en): it takes 248 septets; 240 is too long to go beside anything else"}},
		{"NotGSM7", [][3]string{plain("No fee for 7 days, then 5 cents a day. 图书")},
			[]string{"warning: length: loan.fee: plain wording (en): it has characters that GSM-7 lacks: it costs more than twice as much"}},
		{"FoldedGSM7", [][3]string{plain("No fee for 7 days – then 5¢ a day…")}, nil},
		{"Fold", [][3]string{{"guidance.json", "Llame a la biblioteca: 973-555-0101.", "Llame: está abierta: 973-555-0101."}},
			[]string{`warning: fold: next.desk: say (es): without accents "está" would be another word: reword it`}},
		{"FoldOfExact", [][3]string{{loans, "pide no secar con calor un libro mojado", "pide no secar con calor un libro que está mojado"}},
			[]string{`note: fold: loan.wet: exact wording (es): without accents "está" would be another word: reword it`}},
		{"Spelling", [][3]string{{"guidance.json", "The town runs the library.", "The town organises the library programme in colour, in real life."}},
			[]string{`warning: spelling: who-runs: text (en): "organises", "programme", "colour" is spelled as in Britain`}},
		{"UncitedNumber", [][3]string{{"guidance.json", "Call the library desk: 973-555-0101.", "Call the library desk within 4 days: 973-555-0101 or 973-555-0102."}},
			[]string{`error: uncited: next.desk: say (en): it says "4 day", "9735550102", which nothing that it cites says`}},
		{"UncitedRule", [][3]string{{"scope.json", "This line is about the library only.", "This line opens for 9 hours; 8 on Sundays."}},
			[]string{`error: uncited: homework: say (en): it says "8", which nothing that it cites says`}},
		{"UncitedTerm", [][3]string{{"guidance.json", "what you show to borrow books", "what you show to borrow 10 books for 4 weeks"}},
			[]string{`error: uncited: library-card: meaning (en): it says "4 week", which nothing that it cites says`}},
		{"UncitedLocal", [][3]string{{"guidance.json", "The town runs the library.", "The town runs the library 8 hours a day since 1999."}},
			[]string{`error: uncited: who-runs: text (en): it says "8 hour", "1999", which nothing that it cites says`}},
		{"PhoneSayWithoutNumber", [][3]string{{"contacts.json", "Library desk: 973-555-0101, weekdays", "Library desk, weekdays"}},
			[]string{"error: phone-say: phone.desk: say (en): it does not give 973-555-0101"}},
		{"PhoneSayMore", [][3]string{{"contacts.json", "Library desk: 973-555-0101, weekdays, 9 to 6.", "Library desk: 973-555-0101, weekdays, 9 to 7."}},
			[]string{`error: phone-say: phone.desk: say (en): it says "7", which neither its number, its hours nor its note say`}},
		{"NotYetWithoutDate", [][3]string{{hours, "From March 1, 2027 the library", "The library"}}, []string{
			`error: translation: hours.late: the exact wordings in en and es differ in "2027-03-01"`,
			"error: state: hours.late: exact wording (en): it holds from 2027-03-01, and it does not say so"}},
		{"ProposedWithoutSaying", [][3]string{{hours, "The town has proposed to open the library", "The town opens the library"}},
			[]string{"error: state: hours.sunday: exact wording (en): it is only proposed, and it does not say so"}},
		{"CitesExpired", [][3]string{{"guidance.json", `"cite": ["phone.desk"]`, `"cite": ["phone.desk", "hours.old"]`}},
			[]string{"error: state: next.desk: it cites hours.old, which is superseded on 2026-11-30"}},
		{"ProbeNeedsExpired", [][3]string{{"probes.json", `["loan.limit"]`, `["loan.limit", "hours.old"]`}},
			[]string{"error: state: q2: it cites hours.old, which is superseded on 2026-11-30"}},
		{"ActionOnExpired", [][3]string{{"guidance.json", `"do": "ask", "paragraph": "loan.wet"`, `"do": "ask", "paragraph": "hours.old"`}},
			[]string{"error: state: hours.old: it cites hours.old, which is superseded on 2026-11-30"}},
		{"NothingHolds", [][3]string{{hours, `"validity": {"proposed": true}`, `"validity": {"expires": "2026-11-30"}`}},
			[]string{
				"warning: state: opening.sundays: nothing in it holds on 2026-11-30: it is found and has no answer",
				"note: state: hours.sunday: it is expired on 2026-11-30: it is kept and not told"}},
		{"Aliases", [][3]string{{loans, `"es": ["se mojó el libro"]`, `"es": []`}},
			[]string{"warning: aliases: loans.wet: it has no alias in es: nobody asks as headings do"}},
		{"NextStep", [][3]string{{"guidance.json", `["hours", "loans", "fees"]`, `["hours", "loans"]`}},
			[]string{"warning: next-step: fees: the topic has no next step: an answer about it ends without one"}},
		{"Strategy", [][3]string{{"strategies.json", `,
      {"id": "explanatory.2", "question": "What must be known, explanatory 2?", "limitation": {"en": "We do not know this yet (explanatory 2).", "es": "Eso no se sabe (explanatory 2)."}}`, ""}},
			[]string{"error: strategy: explanatory: it has 1 questions; its template has 2"}},
		{"Vulnerable", [][3]string{{loans, `"In Millbrook the library asks you not to dry a wet book with heat."`, `"In Millbrook the library asks you not to give a wet book to babies."`}},
			[]string{`warning: vulnerable: loan.wet: advice about "babi" rests on a page that was not opened: open it, or word it "to be careful"`}},
		{"VulnerableCareful", [][3]string{{loans, `"In Millbrook the library asks you not to dry a wet book with heat."`, `"In Millbrook, to be careful, do not give a wet book to babies."`}}, nil},
		{"Open", [][3]string{{"sources.json", `"provenance": {"how": "primary", "on": "2026-11-01"}`, `"provenance": {"how": "primary", "on": "2026-11-01", "open_before_publishing": true}`}},
			slices.Repeat([]string{"note: open-before-publishing: hours.%: open https://library.example.org/hours: the page itself was not read"}, 4)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range Lint(changedLibrary(t, tt.changes...), lintDay) {
				if f.File == "" || f.Line == 0 || f.Pack != goodPack {
					t.Errorf("finding %+v names no file and line", f)
				}
				// What a change does to notes on its plain wordings is not its point.
				if !base[string(f.Severity)+f.Rule+f.ID+f.Text] && f.Rule != "unapproved" {
					got = append(got, string(f.Severity)+": "+f.Rule+": "+f.ID+": "+f.Text)
				}
			}
			if tt.name == "Open" {
				for i := range got {
					for _, id := range []string{"weekday", "late", "old", "sunday"} {
						got[i] = strings.Replace(got[i], "hours."+id, "hours.%", 1)
					}
				}
			}
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tt.want))
			if !slices.Equal(got, want) {
				t.Errorf("Lint of %q says besides:\n%s\nwant:\n%s", tt.changes, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func TestLintMoreRules(t *testing.T) {
	l := goodLibrary(t)
	more := func(got *Library, at Date) []Finding {
		if got != l || at != lintDay {
			t.Errorf("the rule is given %p and %s, want %p and %s", got, at, l, lintDay)
		}
		return []Finding{{Severity: Error, Rule: "mine", Pack: goodPack, ID: "x"}}
	}
	before, after := Lint(l, lintDay), Lint(l, lintDay, more)
	if len(after) != len(before)+1 || Errors(after) != Errors(before)+1 {
		t.Errorf("Lint with a rule more: %d findings, %d errors, want %d and %d", len(after), Errors(after), len(before)+1, Errors(before)+1)
	}
	if s := (Finding{Severity: Error, Rule: "mine", Pack: goodPack, ID: "x", Text: "y"}).String(); s != "library-hours: error: mine: x: y" {
		t.Errorf("a finding without a file reads %q", s)
	}
}

func TestLintWithoutSafety(t *testing.T) {
	p := *goodLibrary(t).Packs()[0]
	p.Safety = []byte(" {} \n")
	l, err := NewLibrary(&p)
	if err != nil {
		t.Fatal(err)
	}
	for name, findings := range map[string][]Finding{"Lint": Lint(l, lintDay), "Check": Check(l, lintDay)} {
		if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Rule == "local-numbers" && f.Severity == Error }) {
			t.Errorf("%s of a pack without local numbers does not refuse it", name)
		}
	}
}

func TestNamesPlace(t *testing.T) {
	for _, tt := range []struct {
		text, place string
		want        bool
	}{
		{"In Flint, EPA advised", "Flint, MI", true},
		{"A Virginia utility says", "Stafford County, VA", true},
		{"Una compañía de Virginia dice", "Stafford County, VA", true},
		{"Stafford's utility says", "Stafford County, VA", true},
		{"Según Pensilvania", "Pennsylvania", true},
		{"En Nueva York", "New York State", true},
		{"New York says", "New York State", true},
		{"West Virginians say", "Stafford County, VA", false},
		{"A utility says", "Providence, RI", false},
		{"Iowans say", "Iowa", false},
		{"", "Iowa", false},
	} {
		if got := namesPlace(tt.text, tt.place); got != tt.want {
			t.Errorf("namesPlace(%q, %q) = %t, want %t", tt.text, tt.place, got, tt.want)
		}
	}
}

func TestValue(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"4.0", "4"}, {"4", "4"}, {"0.015", "0.015"}, {"1/2", "0.5"}, {"0.5", "0.5"}, {"1940s", "1940"}, {"23000", "23000"}, {"1 1/2", "1 1/2"}, {"", ""},
		{"123456789012345678901234567890123", "123456789012345678901234567890123"},
	} {
		if got := value(tt.in); got != tt.want {
			t.Errorf("value(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestBritish(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"The colour and odour of discoloured water", []string{"colour", "odour", "discoloured"}},
		{"sanitising, ionisers and neutralise", []string{"sanitising", "ionisers", "neutralise"}},
		{"litres, a centre, programmes, grey and faecal", []string{"litres", "centre", "programmes", "grey", "faecal"}},
		{"labelled sulphate licence", []string{"labelled", "sulphate", "licence"}},
		{"The color, odor, center, program, gray, fecal, labeled, exercise, advise, our, four, hours, promise, precise, license, analysis, parameter, meter, discovered, controlled", nil},
	} {
		if got := british.FindAllString(tt.text, -1); !slices.Equal(got, tt.want) {
			t.Errorf("british in %q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestPacks holds the packs that ship to loading without a fault and linting
// without an error.
func TestPacks(t *testing.T) {
	entries, err := os.ReadDir("packs")
	if err != nil {
		t.Fatal(err)
	}
	var packs []*Pack
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "testdata" {
			continue
		}
		p, err := Load(os.DirFS("packs"), e.Name())
		if err != nil {
			t.Errorf("Load(%s):\n%v", e.Name(), err)
			continue
		}
		packs = append(packs, p)
		if in, err := Load(shipped.Files, e.Name()); err != nil || in.Version != p.Version || !slices.Contains(shipped.Names(), e.Name()) {
			t.Errorf("%s is not in the program as it stands here: %v", e.Name(), err)
		}
	}
	l, err := NewLibrary(packs...)
	if err != nil {
		t.Fatalf("the packs together:\n%v", err)
	}
	if len(packs) < 2 {
		t.Errorf("%d packs load, want both", len(packs))
	}
	counts := make(map[string]int)
	for _, f := range Lint(l, lintDay) {
		counts[string(f.Severity)+" "+f.Rule]++
		if f.Severity == Error {
			t.Error(f)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%4d %s", counts[rule], rule)
	}
	for _, f := range Check(l, lintDay) {
		t.Logf("kb check: %s", f)
	}
}
