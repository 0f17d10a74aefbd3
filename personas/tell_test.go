package personas

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/internal/text"
)

// claimOf makes a claim with a source.
func claimOf(role bot.Role, said, agency, date string) bot.Claim {
	return bot.Claim{Text: said, Role: role, Evidence: []bot.Evidence{{Quote: said, Source: bot.Source{Agency: agency, Date: date}}}}
}

func samePiece(a, b Piece) bool {
	return a.Text == b.Text && a.Keep == b.Keep && a.Claim == b.Claim && a.Limitation == b.Limitation && a.With == b.With && slices.Equal(a.Or, b.Or)
}

func TestTell(t *testing.T) {
	const (
		boil = "Bring water to a full rolling boil for 1 minute."
		ice  = "Throw out ice made during a boil advisory."
		call = "In Newark, report brown water at 973-733-3654, day or night."
		gap  = "I have no test from your home."
		step = "Call Newark day or night: 973-733-3654. Ask for the crew."
	)
	epa := func(role bot.Role, said string) bot.Claim { return claimOf(role, said, "US EPA", "2024-10") }
	limit := []bot.Limitation{{Text: gap}}
	for _, tt := range []struct {
		name string
		t    Telling
		want []Piece
	}{
		{"Nothing", Telling{Persona: "neighbor", Asked: "hi"}, nil},
		{"Plain", Telling{
			Claims:      []bot.Claim{epa(bot.Direct, boil), epa(bot.Context, ice), epa(bot.Next, step)},
			Limitations: limit, Narrow: true,
		}, []Piece{
			{boil, KeepClaim, 0, -1, -1, nil}, {ice, KeepContext, 1, -1, -1, nil}, {gap, KeepLimit, -1, 0, -1, nil}, {step, KeepNext, 2, -1, -1, nil},
		}},
		{"UnknownPersonaIsPlain", Telling{Persona: "pirate", Asked: "im scared", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{{boil, KeepClaim, 0, -1, -1, nil}}},
		{"Opening", Telling{Persona: "neighbor", Asked: "im so scared for my baby", Claims: []bot.Claim{epa(bot.Direct, boil)}, Narrow: true}, []Piece{
			{"With a baby, that is scary.", KeepOpening, -1, -1, -1, []string{"That sounds scary.", "Scary, yes."}}, {boil, KeepClaim, 0, -1, -1, nil},
		}},
		{"OpeningWithTopic", Telling{Persona: "neighbor", Asked: "is my water ok, please help", Topic: "brown water", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{
			{"Brown water can be scary.", KeepOpening, -1, -1, -1, []string{"That sounds scary.", "Scary, yes."}}, {boil, KeepClaim, 0, -1, -1, nil},
		}},
		{"TopicTooLong", Telling{Persona: "neighbor", Asked: "is my water ok, please help", Topic: "brown water from every tap in the whole building", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{
			{"That sounds scary.", KeepOpening, -1, -1, -1, []string{"Scary, yes."}}, {boil, KeepClaim, 0, -1, -1, nil},
		}},
		{"Opened", Telling{Persona: "neighbor", Asked: "im so scared", Opened: true, Claims: []bot.Claim{epa(bot.Danger, boil)}}, []Piece{{boil, KeepDanger, 0, -1, -1, nil}}},
		{"OpeningInOwnWords", Telling{Persona: "neighbor", Asked: "im soooo woried about it", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{
			{"It makes sense to be worried.", KeepOpening, -1, -1, -1, []string{"That sounds scary.", "Scary, yes."}}, {boil, KeepClaim, 0, -1, -1, nil},
		}},
		{"OpeningForTheMatter", Telling{Persona: "neighbor", Asked: "it keeps happening", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{
			{"That gets tiring.", KeepCourtesy, -1, -1, -1, nil}, {boil, KeepClaim, 0, -1, -1, nil},
		}},
		{"NoOpeningForAPlainQuestion", Telling{Persona: "neighbor", Asked: "what is the limit", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{{boil, KeepClaim, 0, -1, -1, nil}}},
		{"StillScared", Telling{Persona: "neighbor", Before: "im so scared", Asked: "im still scared", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{
			{"I hear that this still scares you.", KeepOpening, -1, -1, -1, []string{"Still scary, yes."}}, {boil, KeepClaim, 0, -1, -1, nil},
		}},
		{"NotTwiceInTheSameWords", Telling{Persona: "neighbor", Before: "it keeps happening", Asked: "keeps happening every day", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{{boil, KeepClaim, 0, -1, -1, nil}}},
		{"CalmNow", Telling{Persona: "neighbor", Before: "im so scared", Asked: "what is the limit", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{{boil, KeepClaim, 0, -1, -1, nil}}},
		{"AnotherFeeling", Telling{Persona: "neighbor", Before: "im so scared", Asked: "im so mad", Claims: []bot.Claim{epa(bot.Direct, boil)}}, []Piece{
			{"It makes sense to be mad.", KeepOpening, -1, -1, -1, []string{"That is upsetting."}}, {boil, KeepClaim, 0, -1, -1, nil},
		}},
		{"SaidBefore", Telling{Said: []string{"To be sure, bring water to a full rolling boil for 1 minute. Then let it cool."}, Claims: []bot.Claim{epa(bot.Direct, boil), epa(bot.Context, ice), epa(bot.Context, "Bring water to a full rolling boil for 3 minutes.")}}, []Piece{
			{ice, KeepClaim, 1, -1, -1, nil}, {"Bring water to a full rolling boil for 3 minutes.", KeepContext, 2, -1, -1, nil},
		}},
		{"SaidByAnotherInOtherWords", Telling{Claims: []bot.Claim{epa(bot.Direct, "The level makes the utility act."), epa(bot.Context, "The level of 15 ppb makes the utility act.")}}, []Piece{
			{"The level of 15 ppb makes the utility act.", KeepClaim, 1, -1, -1, nil},
		}},
		{"NumberOfTheStepComesLater", Telling{Narrow: true, Claims: []bot.Claim{epa(bot.Direct, boil), epa(bot.Context, call), epa(bot.Next, step)}}, []Piece{
			{boil, KeepClaim, 0, -1, -1, nil}, {call, KeepLater, 1, -1, -1, nil}, {step, KeepNext, 2, -1, -1, nil},
		}},
		{"Spanish", Telling{Persona: "neighbor", Lang: bot.Spanish, Asked: "tengo miedo por mi bebe", Claims: []bot.Claim{epa(bot.Direct, "Hierva el agua 1 minuto.")}}, []Piece{
			{"Con un bebé, eso asusta.", KeepOpening, -1, -1, -1, []string{"Es humano sentir miedo.", "Eso asusta.", "Asusta."}}, {"Hierva el agua 1 minuto.", KeepClaim, 0, -1, -1, nil},
		}},
		{"Frames", Telling{Persona: "neighbor", Asked: "how long", Claims: []bot.Claim{epa(bot.Direct, boil), epa(bot.Next, step)}, Limitations: append(limit, bot.Limitation{Text: "I have no list."})}, []Piece{
			{boil, KeepClaim, 0, -1, -1, nil},
			{"Let me be straight with you. " + gap, KeepLimit, -1, 0, -1, nil}, {"I have no list.", KeepLimit, -1, 1, -1, nil},
			{"Here is one thing you can do. " + step, KeepNext, 1, -1, -1, []string{step}},
		}},
		{"NoFrameBeforeQuestion", Telling{Persona: "cityhall", Claims: []bot.Claim{epa(bot.Next, "Brown water? Call Newark: 973-733-3654.")}}, []Piece{{"Brown water? Call Newark: 973-733-3654.", KeepNext, 0, -1, -1, nil}}},
		{"NoFrameBeforeColon", Telling{Persona: "cityhall", Claims: []bot.Claim{epa(bot.Next, "Free today: use cold water.")}}, []Piece{{"Free today: use cold water.", KeepNext, 0, -1, -1, nil}}},
		{"Sources", Telling{Persona: "cityhall", Claims: []bot.Claim{epa(bot.Direct, boil), epa(bot.Context, ice), claimOf(bot.Context, call, "City of Newark", "undated")}}, []Piece{
			{boil, KeepClaim, 0, -1, -1, nil}, {ice, KeepContext, 1, -1, -1, nil}, {"Source: US EPA, 2024.", KeepOpening, -1, -1, 1, nil},
			{call, KeepContext, 2, -1, -1, nil}, {"Source: City of Newark.", KeepOpening, -1, -1, 3, nil},
		}},
		{"SourcesNarrow", Telling{Persona: "cityhall", Narrow: true, Claims: []bot.Claim{claimOf(bot.Direct, boil, "US CDC (text reproduced by the Cedar Lake Gazette)", "2023"), epa(bot.Context, ice)}}, []Piece{
			{boil, KeepClaim, 0, -1, -1, nil}, {"Source: US CDC, 2023.", KeepOpening, -1, -1, 0, nil}, {ice, KeepContext, 1, -1, -1, nil},
		}},
		{"SourceWithAFigure", Telling{Persona: "cityhall", Narrow: true, Claims: []bot.Claim{claimOf(bot.Direct, boil, "US EPA Region 3", "2021")}}, []Piece{{boil, KeepClaim, 0, -1, -1, nil}}},
		{"SourceNamedAlready", Telling{Persona: "cityhall", Narrow: true, Agencies: testAgencies, Claims: []bot.Claim{epa(bot.Direct, "EPA says to boil it.")}}, []Piece{{"EPA says to boil it.", KeepClaim, 0, -1, -1, nil}}},
		{"Agencies", Telling{Persona: "cityhall", Agencies: testAgencies, Claims: []bot.Claim{epa(bot.Direct, boil), claimOf(bot.Context, ice, "A utility in Virginia", "2020")}}, []Piece{
			{boil, KeepClaim, 0, -1, -1, nil}, {"Source: US EPA, 2024.", KeepOpening, -1, -1, 0, nil},
			{ice, KeepContext, 1, -1, -1, nil}, {"Source: A utility in Virginia, 2020.", KeepOpening, -1, -1, 2, nil},
			{"Who does what. EPA: Sets the national rules.", KeepContext, -1, -1, -1, nil},
		}},
		{"Proposed", Telling{Persona: "neighbor", Standing: []Standing{Proposed, Proposed, NotYet}, Claims: []bot.Claim{
			epa(bot.Direct, "The limit is 40 ppb."), epa(bot.Context, "EPA proposed a limit of 20 ppb."), epa(bot.Context, "Systems test twice a year."),
		}}, []Piece{
			{"This is only a proposal so far: The limit is 40 ppb.", KeepClaim, 0, -1, -1, nil},
			{"EPA proposed a limit of 20 ppb.", KeepContext, 1, -1, -1, nil},
			{"This one starts later: Systems test twice a year.", KeepContext, 2, -1, -1, nil},
		}},
		{"StatusAlways", Telling{Persona: "cityhall", Narrow: true, Agencies: testAgencies, Standing: []Standing{Proposed}, Claims: []bot.Claim{epa(bot.Direct, "EPA proposed a limit of 20 ppb.")}}, []Piece{
			{"Status: proposed. EPA proposed a limit of 20 ppb.", KeepClaim, 0, -1, -1, nil},
		}},
		{"Lead", Telling{Lead: 2, Claims: []bot.Claim{epa(bot.Direct, boil), epa(bot.Direct, ice), epa(bot.Direct, call)}}, []Piece{
			{boil, KeepClaim, 0, -1, -1, nil}, {ice, KeepClaim, 1, -1, -1, nil}, {call, KeepContext, 2, -1, -1, nil},
		}},
		{"SaidTwice", Telling{Claims: []bot.Claim{epa(bot.Direct, boil), epa(bot.Context, boil), epa(bot.Context, ice+" "+boil)}, Limitations: []bot.Limitation{{Text: gap}, {Text: gap}}}, []Piece{
			{ice + " " + boil, KeepClaim, 2, -1, -1, nil}, {gap, KeepLimit, -1, 0, -1, nil},
		}},
		{"SaidInLonger", Telling{Claims: []bot.Claim{epa(bot.Direct, ice+" "+boil), epa(bot.Context, boil)}}, []Piece{{ice + " " + boil, KeepClaim, 0, -1, -1, nil}}},
		{"StepHeldByClaim", Telling{Claims: []bot.Claim{epa(bot.Direct, boil+" "+step), epa(bot.Next, step)}}, []Piece{{boil + " " + step, KeepClaim, 0, -1, -1, nil}}},
		{"StepAgain", Telling{Persona: "neighbor", Narrow: true, Asked: "who", Claims: []bot.Claim{epa(bot.Direct, call), epa(bot.Next, step)}, Limitations: limit}, []Piece{
			{call, KeepClaim, 0, -1, -1, nil}, {gap, KeepLimit, -1, 0, -1, nil}, {"Your next step is that call.", KeepNext, -1, -1, -1, nil}, {step, KeepLater, 1, -1, -1, nil},
		}},
		{"StepAgainAtOnce", Telling{Persona: "neighbor", Narrow: true, Asked: "who", Claims: []bot.Claim{epa(bot.Direct, call), epa(bot.Next, step)}}, []Piece{
			{call, KeepClaim, 0, -1, -1, nil}, {step, KeepLater, 1, -1, -1, nil},
		}},
		{"StepToldWhole", Telling{Persona: "plain", Claims: []bot.Claim{epa(bot.Direct, call), epa(bot.Next, "Report brown water in Newark: 973-733-3654.")}, Limitations: limit}, []Piece{
			{call, KeepClaim, 0, -1, -1, nil}, {gap, KeepLimit, -1, 0, -1, nil}, {"Next: make that call.", KeepNext, -1, -1, -1, nil},
		}},
		{"StepOfAnotherNumber", Telling{Persona: "neighbor", Narrow: true, Asked: "who", Claims: []bot.Claim{epa(bot.Direct, call), epa(bot.Next, "Call 973-733-6370.")}}, []Piece{
			{call, KeepClaim, 0, -1, -1, nil}, {"Here is a good next step. Call 973-733-6370.", KeepNext, 1, -1, -1, []string{"Call 973-733-6370."}},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := testSet(t).Tell(tt.t)
			if !slices.EqualFunc(got.Pieces, tt.want, samePiece) {
				t.Errorf("Tell() = %+v\nwant %+v", got.Pieces, tt.want)
			}
		})
	}
}

// TestTellOpeningAndSource: what goes with a piece still does when an opening
// comes before it.
func TestTellOpeningAndSource(t *testing.T) {
	m := copyFiles(t)
	m["neighbor.json"] = &fstest.MapFile{Data: []byte(strings.Replace(string(m["neighbor.json"].Data), `"frames": {`, `"frames": {"source": {"wide": {"en": "Source: {source}.", "es": "Fuente: {source}."}},`, 1))}
	s, err := Load(m)
	if err != nil {
		t.Fatalf("Load() = %v", err)
	}
	got := s.Tell(Telling{Persona: "neighbor", Asked: "im scared", Claims: []bot.Claim{claimOf(bot.Direct, "Boil it.", "CDC", "2024")}})
	want := []Piece{{"It makes sense to be scared.", KeepOpening, -1, -1, -1, []string{"That sounds scary.", "Scary, yes."}}, {"Boil it.", KeepClaim, 0, -1, -1, nil}, {"Source: CDC, 2024.", KeepOpening, -1, -1, 1, nil}}
	if !slices.EqualFunc(got.Pieces, want, samePiece) {
		t.Errorf("Tell() = %+v, want %+v", got.Pieces, want)
	}
}

// drawTelling makes a telling of facts drawn from testdata.
func drawTelling(rt *rapid.T, list []wording) Telling {
	lang := rapid.SampledFrom(languages).Draw(rt, "lang")
	tell := Telling{
		Lang: lang, Agencies: testAgencies,
		Asked:  rapid.SampledFrom([]string{"im scared is my baby ok??", "estoy harta", "so confused", "what is the limit", "no puedo pagar", ""}).Draw(rt, "asked"),
		Topic:  rapid.SampledFrom([]string{"", "brown water", "el humo"}).Draw(rt, "topic"),
		Opened: rapid.Bool().Draw(rt, "opened"), Narrow: rapid.Bool().Draw(rt, "narrow"),
		Lead: rapid.IntRange(0, 3).Draw(rt, "lead"),
	}
	for range rapid.IntRange(0, 6).Draw(rt, "claims") {
		w := rapid.SampledFrom(list).Draw(rt, "fact")
		said := w.in(rapid.SampledFrom([]string{"plain_" + string(lang), string(lang)}).Draw(rt, "form"))
		role := rapid.SampledFrom([]bot.Role{bot.Danger, bot.Direct, bot.Context, bot.Next}).Draw(rt, "role")
		tell.Claims = append(tell.Claims, claimOf(role, said, w.Agency, w.Date))
		tell.Standing = append(tell.Standing, rapid.SampledFrom([]Standing{"", Proposed, NotYet}).Draw(rt, "standing"))
	}
	for _, l := range rapid.SliceOfN(rapid.SampledFrom([]Text{
		{"en": "I don't have a source that names the cause.", "es": "No tengo una fuente que diga la causa."},
		{"en": "Something else could cause the same thing. I can't rule that out.", "es": "Otra cosa puede causar lo mismo. No lo puedo descartar."},
		{"en": "I have no standard or earlier value to compare with.", "es": "No tengo una norma ni un valor anterior para comparar."},
	}), 0, 3).Draw(rt, "limits") {
		tell.Limitations = append(tell.Limitations, bot.Limitation{Text: l[lang]})
	}
	return tell
}

// TestTellKeepsClaims: whatever the persona, every claim and limitation stands
// verbatim in a piece, each at most once, and nothing is said beside them but
// what Allow lists; the guard finds nothing, in what is sent too.
func TestTellKeepsClaims(t *testing.T) {
	s, g := testSet(t), testGuard(t)
	list, _ := wordings(t)
	rapid.Check(t, func(rt *rapid.T) {
		tell := drawTelling(rt, list)
		for _, p := range s.All() {
			tell.Persona = p.ID
			told := s.Tell(tell)
			all := strings.Join(told.Texts(), "\n\n")
			var claims []bot.Claim // that no other says
			for i, c := range tell.Claims {
				if !slices.Contains(told.Held, i) {
					claims = append(claims, c)
				}
				if !strings.Contains(all, strings.TrimSpace(c.Text)) {
					if !slices.Contains(told.Held, i) {
						rt.Fatalf("Tell(%s) = %q, want claim %d, %q, in it", p.ID, told.Texts(), i, c.Text)
					}
					lost := func(f Fault) bool { return f.Claim >= 0 }
					if faults := g.Check([]bot.Claim{c}, nil, told.Texts()); slices.ContainsFunc(faults, lost) {
						rt.Fatalf("Tell(%s) = %q, want claim %d, %q, in it: %v", p.ID, told.Texts(), i, c.Text, faults)
					}
				}
			}
			for _, l := range tell.Limitations {
				if !strings.Contains(all, l.Text) {
					rt.Fatalf("Tell(%s) = %q, want %q in it", p.ID, told.Texts(), l.Text)
				}
			}
			seen := make(map[int]bool)
			for i, piece := range told.Pieces {
				if piece.Claim >= 0 && seen[piece.Claim] {
					rt.Fatalf("Tell(%s) = %q tells claim %d twice", p.ID, told.Texts(), piece.Claim)
				}
				seen[piece.Claim] = true
				if piece.With >= i || piece.With < -1 {
					rt.Fatalf("Tell(%s): piece %d goes with %d, want one before it", p.ID, i, piece.With)
				}
				if (piece.Keep == KeepOpening || piece.Keep == KeepCourtesy) && piece.With < 0 && (i > 0 || gsm7.Count(piece.Text).Units > MaxOpening) {
					rt.Fatalf("Tell(%s): piece %d is the opening %q, want it first and short", p.ID, i, piece.Text)
				}
			}
			if faults := g.Check(claims, tell.Limitations, told.Texts(), told.Allow...); len(faults) > 0 {
				rt.Fatalf("Check(%q, allow %q) = %v, want none", told.Texts(), told.Allow, faults)
			}
			sent, _ := gsm7.Encode(strings.Join(told.Texts(), " "), gsm7.Options{Lang: string(tell.Lang), Fold: true, Spanish: tell.Lang == bot.Spanish, Smart: true})
			if faults := g.Check(claims, tell.Limitations, []string{sent}, told.Allow...); len(faults) > 0 {
				rt.Fatalf("Check(%q as sent) = %v, want none", sent, faults)
			}
			if again := s.Tell(tell); !slices.EqualFunc(again.Pieces, told.Pieces, samePiece) {
				rt.Fatalf("Tell(%s) = %+v, then %+v", p.ID, told.Pieces, again.Pieces)
			}
		}
	})
}

// TestNeighborIsEasy measures the neighbor's first messages of the exchanges.
func TestNeighborIsEasy(t *testing.T) {
	s := testSet(t)
	_, by := wordings(t)
	var grades, huerta []float64
	for _, e := range exchanges(t) {
		for _, lang := range languages {
			tell := e.telling(t, by, "neighbor", lang, true)
			tell.Asked, tell.Feeling = "", Feeling{Sentiment: Frightened, About: []Person{Baby}} // with an opening, all of them
			first, _ := firstMessage(s.Tell(tell).Pieces, lang)
			if lang == bot.English {
				grades = append(grades, *text.Measure(first).Grade)
			} else {
				huerta = append(huerta, *text.MeasureES(first).Flesch)
			}
		}
	}
	neighbor, _ := s.Persona("neighbor")
	slices.Sort(grades)
	slices.Sort(huerta)
	median, high := grades[len(grades)/2], grades[len(grades)*9/10]
	t.Logf("grade: median %.1f, nine of ten at most %.1f; Spanish: median %.0f", median, high, huerta[len(huerta)/2])
	if median > float64(neighbor.Grade.Median) {
		t.Errorf("the neighbor's first messages have a median grade of %.1f, want %d at most", median, neighbor.Grade.Median)
	}
	if huerta[len(huerta)/2] < float64(neighbor.Grade.Huerta) {
		t.Errorf("in Spanish their median is %.0f, want %d at least", huerta[len(huerta)/2], neighbor.Grade.Huerta)
	}
}
