package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/bm25"
	"plumbline/internal/text"
	"plumbline/pipeline"
)

// An understood is what a model makes of a message.
type understood struct {
	Language  string           `json:"language" enum:"en,es,other"`
	Questions []understoodPart `json:"questions" most:"3"`
	Kind      string           `json:"kind" enum:"question,out_of_scope,small_talk,local,attack"`
	Danger    string           `json:"danger"`
	Words     string           `json:"danger_words"`
}

type understoodPart struct {
	Asked      string `json:"asked"`
	Standalone string `json:"standalone"`
}

// ownWords is how much a search leans on the person's own words beside a model's.
const ownWords = 0.25

// maxStandalone is the longest that a question may become, in characters.
const maxStandalone = 400

// Understand implements [pipeline.Understander]. The twin goes first: what a
// rule settles, and a language that nobody answers in, needs no model. A model
// makes questions stand alone, in English for retrieval. It may also raise an
// emergency that no rule heard, by the person's own words for it; it can take
// none back.
func (s *Stages) Understand(ctx context.Context, d *pipeline.Draft) error {
	if err := s.Twin.Understand(ctx, d); err != nil {
		return err
	}
	settled := d.Rule != nil || d.Language != bot.English && d.Language != bot.Spanish
	if settled || !s.Client.asks(StageUnderstand) {
		return nil
	}
	type turn struct{ Asked, Said string }
	left := room(s.Client.most(StageUnderstand) - 4000)
	data := struct {
		About, Message string
		Turns          []turn
		Routes         []string
	}{About: s.about(d), Message: left.take(s.person(d, d.Question.Text)), Routes: s.Routes}
	for _, x := range slices.Backward(d.Question.History) { // the oldest goes first where there is no room
		asked, said := s.person(d, x.Asked), cut(x.Said, 400)
		if n := room(len([]rune(asked + said))); n > left || len(data.Turns) == 4 {
			break
		}
		left.take(asked + said)
		data.Turns = slices.Insert(data.Turns, 0, turn{asked, said})
	}
	grounds := data.Message
	for _, t := range data.Turns {
		grounds += "\n" + t.Asked + "\n" + t.Said
	}
	u, err := ask(ctx, s.Client, d, StageUnderstand, prompt(StageUnderstand, data), func(u *understood) error {
		if u.Kind == "question" && len(u.Questions) == 0 {
			return fmt.Errorf("questions is empty although kind is question")
		}
		for i, q := range u.Questions {
			if fault := drifts(q.Standalone, grounds, d.Reads == bot.English); fault != "" {
				return fmt.Errorf("questions[%d].standalone %s", i, fault)
			}
		}
		return nil
	})
	if err != nil {
		return s.twin(ctx, d, StageUnderstand, err)
	}
	s.raise(d, u)
	switch u.Kind {
	case "out_of_scope", "small_talk", "attack":
		d.Hint = bot.OutOfScope // told only if no source answers either
	}
	if len(u.Questions) == 0 {
		return nil
	}
	var parts []bot.Part
	for _, q := range u.Questions {
		p := bot.Part{Asked: strings.TrimSpace(q.Standalone), Standalone: strings.TrimSpace(q.Standalone)}
		if len(data.Turns) > 0 {
			p.FromTurn = data.Turns[len(data.Turns)-1].Asked
		}
		parts = append(parts, p)
	}
	if own := d.Understanding.Parts; len(own) == 1 && len(parts) == 1 && d.Reads == bot.English {
		// What the person wrote, and leaned on, is looked for too: a model never
		// chooses alone what is searched.
		parts[0].Standalone, parts[0].Leans = own[0].Standalone, ownWords
	}
	d.Heard, d.Understanding.Parts, d.Reads = d.Understanding.Parts, parts, bot.English
	return nil
}

// drifts says how a question was changed on the way, "" if it was not: it is
// English, shares a word with what it was made of if that is English too, holds
// no number, telephone number or address that neither the message nor the turns
// before it have, and is of a length that a question has.
func drifts(standalone, grounds string, english bool) string {
	switch n := len([]rune(strings.TrimSpace(standalone))); {
	case n == 0:
		return "is empty"
	case n > maxStandalone:
		return fmt.Sprintf("is longer than %d characters", maxStandalone)
	}
	if g := text.Language(standalone); g.Lang != "" && g.Lang != "en" {
		return "is not in English"
	}
	if english {
		own := bm25.English(grounds)
		alike := func(a, b string) bool { return a == b || len(a) > 3 && len(b) > 3 && a[:3] == b[:3] } // limt, limit
		if !slices.ContainsFunc(bm25.English(standalone), func(s string) bool {
			return slices.ContainsFunc(own, func(o string) bool { return alike(s, o) })
		}) {
			return "has no word of the message"
		}
	}
	had := map[string]bool{}
	for _, q := range text.Quantities(grounds) {
		had[q.Value] = true
	}
	for _, q := range text.Quantities(standalone) {
		if figures := standalone[q.Start:q.End]; strings.ContainsAny(figures, "0123456789") && !had[q.Value] {
			return "has a number that the message does not have"
		}
	}
	if len(text.URLs(standalone)) > 0 || len(text.Phones(standalone)) > len(text.Phones(grounds)) {
		return "has an address or a telephone number"
	}
	return ""
}

// leastAlarm is how many letters of the message an emergency must be raised by.
const leastAlarm = 4

// raise notes an emergency that a model read in a message: one of those that
// there are, on words that the message holds.
func (s *Stages) raise(d *pipeline.Draft, u understood) {
	if !slices.Contains(s.Routes, u.Danger) {
		return
	}
	// One word is enough, and the prompt had the message without personal details:
	// a false alarm costs less than a missed one.
	words := strings.ToLower(plainMarks(u.Words))
	outcome, did := Absent, "dropped"
	for _, m := range []string{d.Question.Text, s.person(d, d.Question.Text)} {
		if letters(words) >= leastAlarm && stands(strings.ToLower(plainMarks(m)), words) {
			outcome, did = Supported, "raised"
			d.Raised, d.RaisedBy = u.Danger, u.Words
		}
	}
	d.Gate(bot.GateRecord{Stage: StageUnderstand, What: "emergency " + u.Danger, Outcome: string(outcome), Did: did})
}
