package personas

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"plumbline/bot"
)

func TestCheck(t *testing.T) {
	g := testGuard(t)
	for _, tt := range []struct {
		name   string
		claims []string
		limits []string
		told   []string
		allow  []string
		want   []string // kind and what, in order
	}{
		{"Nothing", nil, nil, nil, nil, nil},
		{"NothingTold", []string{"Boil it for 1 minute."}, []string{"I don't know your pipes."}, nil, nil, []string{`lost claim "Boil it for 1 minute"`, `lost hazard "boil"`, `lost number "1 minute"`, `lost limitation "I don't know your pipes."`, `lost negation "don't"`}},
		{"Verbatim", []string{"It's 15 ppb. Don't wait."}, nil, []string{"It's 15 ppb. Don't wait."}, nil, nil},
		{"VerbatimFolded", []string{"No está bien: 5 °F, ½ taza."}, nil, []string{"No esta bien: 5 °F, 1/2 taza"}, nil, nil},
		{"VerbatimInParts", []string{"It's 15 ppb.", "Don't wait."}, nil, []string{"Don't wait.", "It's 15 ppb."}, nil, nil},
		{"Allowed", []string{"It's 15 ppb."}, nil, []string{"You said 4 times no. It's 15 ppb. Reply MORE."}, []string{"You said 4 times no.", "Reply MORE."}, nil},
		{"NotAllowed", []string{"It's 15 ppb."}, nil, []string{"You said 4 times. It's 15 ppb."}, []string{"You said 5 times."}, []string{`new number "4 time"`}},
		{"SecondMessage", []string{"It's 15 ppb.", "Call 911."}, nil, []string{"It's 15 ppb.", "Call 988."}, nil, []string{`lost phone "911"`, `new phone "988"`}},

		{"LostNumber", []string{"Run the tap for 5 minutes first."}, nil, []string{"Run the tap for a while first."}, nil, []string{`lost number "5 minute"`}},
		{"NewNumber", []string{"Run the tap first."}, nil, []string{"Run the tap for 5 minutes first."}, nil, []string{`new number "5 minute"`}},
		{"NumberWords", []string{"Wait two hours and six minutes."}, nil, []string{"Wait 2 hours and 6 minutes, okay then."}, nil, []string{`new assurance "okay"`}},
		{"SpelledUnits", []string{"The level is 15 ppb or 10 percent."}, nil, []string{"So the level is 15 parts per billion or 10%."}, nil, nil},
		{"ChangedUnit", []string{"The level is 15 ppb."}, nil, []string{"So the level is 15 ppm."}, nil, []string{`changed unit "15 ppb"`, `changed unit "15 ppm"`}},
		{"LostUnit", []string{"The level is 15 ppb."}, nil, []string{"So the level is 15."}, nil, []string{`changed unit "15 ppb"`}},
		{"Thousands", []string{"About 1,300 homes."}, nil, []string{"About 1300 houses or homes."}, nil, nil},
		{"Code", []string{"Wear an N95 outside."}, nil, []string{"Outside, wear an N94."}, nil, []string{`lost number "n95"`, `new number "n94"`}},
		{"AM", []string{"It opens at 8:30 a.m. daily."}, nil, []string{"Daily it opens at 8:30 p.m. then."}, nil, []string{`changed unit "30 am"`, `changed unit "30 pm"`}},
		{"Bound", []string{"Leave the tap unused for at least 6 hours."}, nil, []string{"Leave the tap unused for up to 6 hours."}, nil, []string{`changed bound "6 hour"`, `changed bound "6 hour"`}},
		{"BoundOtherwise", []string{"Leave the tap unused for at least 6 hours."}, nil, []string{"Leave the tap unused 6 hours or more."}, nil, nil},
		{"MovedNumber", []string{"Today it is 15 ppb. From 2027 it is 10 ppb."}, nil, []string{"Today it is 10 ppb. From 2027 it is 15 ppb."}, nil, []string{`moved "10"`, `moved "15"`}},
		{"OneOfTwo", []string{"Now it is 3.5 ppb. It was 5 ppb, and some pages say 5 ppb."}, nil, []string{"Now it is 3.5 ppb. It was 3.5 ppb, and some pages say 5 ppb."}, nil, []string{`moved "3.5"`}},
		{"NoLessThan", []string{"Wait no less than 6 hours."}, nil, []string{"Wait 6 hours or more."}, nil, nil},
		{"MovedAgency", []string{"EPA sets the rules. The CDC gives advice."}, nil, []string{"The CDC sets the rules. EPA gives advice."}, nil, []string{`moved "cdc"`, `moved "epa"`}},

		{"DateForms", []string{"From November 1, 2027 it is lower."}, nil, []string{"It is lower from Nov. 1, 2027 on."}, nil, nil},
		{"LostDate", []string{"From November 1, 2027 it is lower."}, nil, []string{"It is lower from November 2027 on."}, nil, []string{`lost date "2027-11-01"`}},
		{"NewDate", []string{"It will be lower."}, nil, []string{"It will be lower in 2028."}, nil, []string{`new date "2028"`}},
		{"Weekday", []string{"Open Monday to Friday."}, nil, []string{"Monday to Saturday it is open."}, nil, []string{`lost date "Friday"`, `new date "Saturday"`}},
		{"PhoneForms", []string{"Call 1-800-426-4791."}, nil, []string{"Please call (800) 426-4791."}, nil, nil},
		{"URL", []string{"See water.newarknj.gov for alerts."}, nil, []string{"Alerts: see https://water.newarknj.gov/."}, nil, nil},
		{"NewURL", []string{"See water.newarknj.gov for alerts."}, nil, []string{"For alerts see newarknj.gov."}, nil, []string{`lost url "water.newarknj.gov"`, `new url "newarknj.gov"`}},

		{"AgencyForms", []string{"EPA says to test."}, nil, []string{"Test, the Environmental Protection Agency says."}, nil, nil},
		{"LostAgency", []string{"EPA says to test."}, nil, []string{"You are told to test."}, nil, []string{`lost agency "epa"`}},
		{"NewAgency", []string{"You are told to test."}, nil, []string{"Test, the CDC told us."}, nil, []string{`new agency "cdc"`}},
		{"WhoIsNoAgency", []string{"Ask who tests it."}, nil, []string{"Do ask who it is that tests it."}, nil, nil},
		{"Place", []string{"In Flint the advice was to wait."}, nil, []string{"The advice was to wait a bit."}, nil, []string{`lost name "Flint"`}},
		{"ProperName", []string{"The Wanaque supply is older."}, nil, []string{"So, the Passaic supply is older."}, nil, []string{`lost name "Wanaque"`, `new name "Passaic"`}},
		{"Hazard", []string{"This filter is made for lead."}, nil, []string{"This filter is for arsenic."}, nil, []string{`lost hazard "lead"`, `new hazard "arsenic"`}},

		{"LostNegation", []string{"Boiling does not remove lead."}, nil, []string{"Boiling does remove the lead."}, nil, []string{`lost negation "not"`}},
		{"AddedNegation", []string{"You may bathe in it."}, nil, []string{"You may never bathe in it."}, nil, []string{`added negation "never"`}},
		{"NegationMoved", []string{"Boiling kills germs. It does not remove lead."}, nil, []string{"Boiling does not kill germs. It does remove lead."}, nil, []string{`lost negation "not"`, `added negation "not"`}},
		{"NegationOtherwise", []string{"Do not use hot water."}, nil, []string{"Please avoid hot water use."}, nil, nil},
		{"NegationsJoined", []string{"Do not drink it and do not cook with it."}, nil, []string{"Please don't drink or cook with it."}, nil, nil},
		{"NegationsParted", []string{"Don't drink, cook or wash with it."}, nil, []string{"Don't drink it. Don't cook or wash with it."}, nil, nil},
		{"NoAtFirst", []string{"Boiling does not remove lead."}, nil, []string{"No. Boiling will not remove lead."}, nil, nil},
		{"NoAtFirstOfNothing", []string{"Boiling kills germs."}, nil, []string{"No. Boiling kills the germs."}, nil, []string{`added negation "no"`}},
		{"Unless", []string{"Don't wait unless they tell you."}, nil, []string{"So don't wait till they tell you."}, nil, []string{`lost negation "except"`}},
		{"Concord", []string{"No se conoce ninguna cantidad segura."}, nil, []string{"No se conoce una cantidad segura."}, nil, nil},
		{"Untreated", []string{"The water was not treated."}, nil, []string{"It was untreated water."}, nil, nil},
		{"NotTreated", []string{"It was untreated water."}, nil, []string{"It was water that was not treated."}, nil, nil},
		{"Treated", []string{"It was untreated water."}, nil, []string{"It was treated water."}, nil, []string{`turned round "treated"`}},
		{"TurnedRound", []string{"Use the cold tap to cook."}, nil, []string{"To cook use the hot tap."}, nil, []string{`turned round "hot"`}},
		{"TurnedBack", []string{"Use only the cold tap to cook."}, nil, []string{"To cook never use the hot tap."}, nil, nil},

		{"TurnedBesideItself", []string{"Run the cold tap about 5 minutes, lowest first. Don't run hot."}, nil, []string{"Run the hot tap about 5 minutes, lowest first. Don't run hot."}, nil, []string{`turned round "hot"`}},
		{"TurnedBoth", []string{"Use only cold tap water to cook. Hot water pulls metal from pipes."}, nil, []string{"Use only hot tap water to cook. Cold water pulls metal from pipes."}, nil, []string{`turned round "cold"`, `turned round "hot"`}},
		{"NegationAstray", []string{"Boiling does not remove PFAS. Carbon is often recommended for PFAS at home."}, nil, []string{"Boiling does remove PFAS. Carbon is often not recommended for PFAS at home."}, nil, []string{`lost negation "not"`, `added negation "not"`}},
		{"OneDenialLost", []string{"Brown water is not a sign of lead, and clear water is not a sign of no lead."}, nil, []string{"Brown water is a sign of lead, and clear water is not a sign of no lead."}, nil, []string{`lost negation "not"`}},

		{"Condition", []string{"If the pipe is lead, they must tell you yearly."}, nil, []string{"They must tell you yearly."}, nil, []string{`lost condition "If"`, `lost hazard "lead"`}},
		{"ConditionAsked", []string{"If the pipe is lead, they must tell you yearly."}, nil, []string{"Is the pipe lead? They must tell you yearly."}, nil, nil},
		{"Hedge", []string{"Lead may lower IQ in kids."}, nil, []string{"In kids lead lowers the IQ."}, nil, []string{`lost hedge "may"`}},
		{"Assurance", []string{"Brown water is iron."}, nil, []string{"Brown water is iron and safe."}, nil, []string{`new assurance "safe"`}},
		{"AssuranceDenied", []string{"No level of lead is known to be safe."}, nil, []string{"There is no lead level known to be safe."}, nil, nil},
		{"Certainty", []string{"The filter takes out lead."}, nil, []string{"The filter always takes out lead."}, nil, []string{`new assurance "always"`}},

		{"NewStatement", []string{"Brown water is mostly iron."}, nil, []string{"Brown water is mostly an iron thing. Calcium strengthens teeth, bones and hair."}, nil, []string{`new statement "Calcium strengthens teeth, bones and hair"`}},
		{"LimitTold", nil, []string{"I don't have a source that names the cause."}, []string{"What the cause is I don't know: no source of mine names it."}, nil, nil},
		{"LimitLost", []string{"Brown water is mostly iron."}, []string{"I don't have a source that names the cause."}, []string{"Brown water is mostly iron."}, nil, []string{`lost limitation "I don't have a source that"`, `lost negation "don't"`}},

		{"SpanishOfEnglish", []string{"EPA says: from November 1, 2027 the lead level is 10 ppb. Do not boil it for 2 hours. Call 911."}, nil,
			[]string{"La Agencia de Protección Ambiental dice: desde el 1 de noviembre de 2027 el nivel de plomo es 10 partes por mil millones. No lo hierva dos horas. Llame al 911."}, nil, nil},
		{"SpanishOfEnglishWrong", []string{"EPA says: from November 1, 2027 the lead level is 10 ppb. Do not boil it for 2 hours. Call 911."}, nil,
			[]string{"La Agencia de Protección Ambiental dice: desde el 1 de noviembre de 2028 el nivel de plomo es 10 partes por millón. Lo puede hervir dos horas. Llame al 911."}, nil,
			[]string{`changed unit "10 ppb"`, `lost date "2027-11-01"`, `lost negation "not"`, `new date "2028-11-01"`, `changed unit "10 ppm"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var claims []bot.Claim
			for _, c := range tt.claims {
				claims = append(claims, bot.Claim{Text: c})
			}
			var limits []bot.Limitation
			for _, l := range tt.limits {
				limits = append(limits, bot.Limitation{Text: l})
			}
			var got []string
			for _, f := range g.Check(claims, limits, tt.told, tt.allow...) {
				s, _, _ := strings.Cut(f.String(), `" `)
				got = append(got, strings.TrimSuffix(s, `"`)+`"`)
			}
			slices.Sort(got)
			slices.Sort(tt.want)
			if !slices.Equal(got, tt.want) {
				t.Errorf("Check(%q, %q, %q, %q) = %q, want %q", tt.claims, tt.limits, tt.told, tt.allow, got, tt.want)
			}
		})
	}
}

// TestCheckPlaces: a fault says where it is.
func TestCheckPlaces(t *testing.T) {
	g := testGuard(t)
	claims := []bot.Claim{{Text: "It is brown."}, {Text: "Wait 5 minutes."}}
	limits := []bot.Limitation{{Text: "I have no test from your home."}}
	told := []string{"It is brown.", "Wait 6 minutes."}
	var got []string
	for _, f := range g.Check(claims, limits, told) {
		where := ""
		switch {
		case f.Told >= 0:
			where = f.Span.In(told[f.Told])
		case f.Claim >= 0:
			where = f.Span.In(claims[f.Claim].Text)
		default:
			where = f.Span.In(limits[f.Limitation].Text)
		}
		got = append(got, f.String()+": "+where)
	}
	want := []string{
		`lost number "5 minute" of claim 2: 5 minutes`,
		`lost limitation "I have no test from your" of limitation 1: I have no test from your home.`,
		`lost negation "no" of limitation 1: no`,
		`new number "6 minute" in message 2 at 5: 6 minutes`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("Check() = %q, want %q", got, want)
	}
}

// TestCheckSources: names and years of sources may be said, and need not be.
func TestCheckSources(t *testing.T) {
	g := testGuard(t)
	claims := []bot.Claim{claimOf(bot.Direct, "Boil it for 1 minute.", "US CDC", "2024-05")}
	for _, tt := range []struct {
		told string
		want int
	}{
		{"Boil it for 1 minute, CDC said in 2024.", 0},
		{"Boil it for 1 minute, as said before.", 0},
		{"Boil it for 1 minute, EPA said in 2024.", 1},
		{"Boil it for 1 minute, CDC said in 2023.", 1},
	} {
		if got := g.Check(claims, nil, []string{tt.told}); len(got) != tt.want {
			t.Errorf("Check(%q) = %v, want %d faults", tt.told, got, tt.want)
		}
	}
}

// TestCheckTooMuch: texts that no answer is like are refused as a whole, unless
// they are told as they stand.
func TestCheckTooMuch(t *testing.T) {
	g := testGuard(t)
	for _, s := range []string{"no ", "5 ppb ", "EPA, ", "word ", "a, ", "not if? "} {
		long := strings.Repeat(s, 6000)
		claims := []bot.Claim{{Text: long}}
		if got := g.Check(claims, nil, []string{long}); len(got) > 0 {
			t.Errorf("Check(6000 times %q, as they stand) = %v, want none", s, got)
		}
		got := g.Check(claims, nil, []string{long + "x"})
		if len(got) != 1 || got[0].Kind != TooMuch {
			t.Errorf("Check(6000 times %q) = %v, want %q", s, got, TooMuch)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("Boiling does not remove lead: 15 ppb.", "It is unsafe, call 911 by Nov 1.", "No.")
	f.Add("no no no", "¿No? 1½ µg/L ≥ 5", "\xff\xfe")
	f.Add("", "a.b.c.d.e U.S. 1,2,3 don't", " \n\n—")
	g := testGuard(f)
	f.Fuzz(func(t *testing.T, claim, told, allow string) {
		if len(claim)+len(told)+len(allow) > 4000 {
			return
		}
		claims := []bot.Claim{{Text: claim}}
		if faults := g.Check(claims, []bot.Limitation{{Text: allow}}, []string{claim, allow}); len(faults) > 0 {
			t.Errorf("Check(%q, %q, as they stand) = %v, want none", claim, allow, faults)
		}
		messages := []string{told, allow}
		faults := g.Check(claims, []bot.Limitation{{Text: told}}, messages, allow)
		for _, fault := range faults {
			in := claim
			switch {
			case fault.Told >= 0:
				in = messages[fault.Told]
			case fault.Limitation >= 0:
				in = told
			}
			if p := fault.Span; p.Start < 0 || p.End > len(in) || p.Start > p.End || utf8.ValidString(in) && !utf8.ValidString(p.In(in)) {
				t.Errorf("Check(%q, %q, %q): %v is at %v, want a part of %q", claim, told, allow, fault, p, in)
			}
		}
		if again := g.Check(claims, []bot.Limitation{{Text: told}}, messages, allow); !slices.Equal(again, faults) {
			t.Errorf("Check(%q, %q, %q) = %v, then %v", claim, told, allow, faults, again)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	g := testGuard(b)
	list, _ := wordings(b)
	var claims []bot.Claim
	var told []string
	for _, w := range list[:5] {
		claims = append(claims, bot.Claim{Text: w.En})
		told = append(told, w.PlainEn)
	}
	b.Run("Verbatim", func(b *testing.B) {
		for b.Loop() {
			g.Check(claims, nil, []string{claims[0].Text + " " + claims[1].Text, claims[2].Text + " " + claims[3].Text + " " + claims[4].Text})
		}
	})
	b.Run("Rewritten", func(b *testing.B) {
		for b.Loop() {
			g.Check(claims, nil, told)
		}
	})
	b.Run("Hostile", func(b *testing.B) {
		long := strings.Repeat("EPA says no to 5 ppb, 6 ppm; ", mostMarks/3)
		long = long[:len(long)-200]
		for b.Loop() {
			g.Check([]bot.Claim{{Text: long + "x"}}, nil, []string{long + "y"})
		}
	})
}
