package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/personas"
	"plumbline/pipeline"
)

type retold struct {
	Parts []retoldPart `json:"parts"`
}

type retoldPart struct {
	Part int    `json:"part"`
	Text string `json:"text"`
}

// A partShown is one part of a telling as the prompt has it.
type partShown struct {
	N     int
	Kind  string // danger, claim, limitation, next
	Text  string
	piece int // of the draft
}

// longer is how much longer than its part a text may be: by this share and this
// many characters.
const (
	longerShare = 0.25
	longerChars = 30
)

// Tell implements [pipeline.Teller]. The twin tells first: what is said, in
// which order and by which priority, is its. The model says each part again in
// the persona's voice; a gate holds each to its own part. What does not pass is
// asked for once more, and then stays as the twin told it. So what the persona
// adds is voice alone, and what passes can be shown at once.
func (s *Stages) Tell(ctx context.Context, d *pipeline.Draft) error {
	if err := s.Voices.Tell(ctx, d); err != nil {
		return err
	}
	parts := s.parts(d)
	if !s.Client.asks(StageTell) || len(parts) == 0 || d.Persona == personas.Plain {
		return nil
	}
	persona, _ := s.Set.Persona(d.Persona)
	chars := 0
	for _, p := range parts {
		chars += utf8.RuneCountInString(p.Text)
	}
	data := struct {
		Persona string
		Asked   string
		Parts   []partShown
	}{
		Persona: s.Set.Prompt(persona, personas.Brief{Language: d.Language, Feeling: s.Set.Feel(d.Question.Text, d.Language), Characters: chars + chars/4 + len(parts)*longerChars}),
		Asked:   cut(s.person(d, d.Question.Text), 1000), Parts: parts,
	}
	t := &teller{s: s, d: d, persona: persona, parts: parts, passed: map[int]string{}, faults: map[int]string{}, mended: map[int]string{}, shown: map[int]bool{}}
	messages := prompt(StageTell, data)
	got, failed := askStream(ctx, s.Client, d, StageTell, messages, func(r *retold) error { return t.known(r) }, t.stream(), false)
	if failed == nil {
		t.take(got)
		if len(t.faults) > 0 {
			t.repair(ctx, messages, got)
		}
		t.finish()
		return nil
	}
	if len(t.passed) > 0 { // somebody may have seen it
		t.finish()
	}
	return s.twin(ctx, d, StageTell, failed)
}

// parts numbers the pieces that a model may say again. An opening is the
// persona's own: free words to a frightened person cannot be held to anything.
func (s *Stages) parts(d *pipeline.Draft) (parts []partShown) {
	for i, p := range d.Pieces {
		kind := ""
		switch {
		case p.Claim > 0 && d.Claims[p.Claim-1].Role == bot.Next:
			kind = "next step"
		case p.Claim > 0 && p.Keep == pipeline.KeepDanger:
			kind = "danger"
		case p.Claim > 0:
			kind = "claim"
		case p.Limit > 0:
			kind = "limitation"
		}
		text := p.Text
		if kind == "next step" {
			text = d.Claims[p.Claim-1].Text // without what a persona leads in with
		}
		if kind != "" {
			parts = append(parts, partShown{len(parts) + 1, kind, text, i})
		}
	}
	return parts
}

// A teller holds what a model says to the parts.
type teller struct {
	s       *Stages
	d       *pipeline.Draft
	persona personas.Persona
	parts   []partShown
	passed  map[int]string // by index of part
	faults  map[int]string
	shown   map[int]bool   // by index of part: its piece says it and nothing else any more
	mended  map[int]string // what was wrong with those that passed when asked for again
}

// known holds a reply to the parts that there are: each once.
func (t *teller) known(r *retold) error {
	seen := map[int]bool{}
	for _, p := range r.Parts {
		switch {
		case p.Part < 1 || p.Part > len(t.parts):
			return fmt.Errorf("there is no part %d", p.Part)
		case seen[p.Part]:
			return fmt.Errorf("part %d is told twice", p.Part)
		}
		seen[p.Part] = true
	}
	if len(seen) == 0 {
		return fmt.Errorf("parts is empty")
	}
	return nil
}

// take looks at each text: those that pass are kept.
func (t *teller) take(r retold) {
	for _, p := range r.Parts {
		i := p.Part - 1
		if _, done := t.passed[i]; done {
			continue
		}
		said := strings.TrimSpace(p.Text)
		if fault := t.fault(i, said); fault != "" {
			t.faults[i] = fault
			continue
		}
		t.passed[i] = said
		if was := t.faults[i]; was != "" {
			t.mended[i] = was
			delete(t.faults, i)
		}
	}
}

// fault says what is wrong with a text for a part.
func (t *teller) fault(i int, said string) string {
	part := t.parts[i]
	piece := t.d.Pieces[part.piece]
	was := utf8.RuneCountInString(part.Text)
	if n := utf8.RuneCountInString(said); float64(n) > float64(was)*(1+longerShare)+longerChars {
		return fmt.Sprintf("it has %d characters, the part %d", n, was)
	}
	if list := t.s.Set.Breaches(t.persona, said, part.Text); len(list) > 0 {
		return fmt.Sprintf("it says %q, which is never said", list[0])
	}
	claim := bot.Claim{Text: part.Text}
	if piece.Claim > 0 {
		claim.Evidence = t.d.Claims[piece.Claim-1].Evidence
		return t.s.sayable(t.d, claim, said)
	}
	if fault := wellFormed(said); fault != "" {
		return fault
	}
	if agrees(said) {
		return "it agrees or disagrees with the asker"
	}
	if faults := t.s.Voices.Guard(t.d.Question.Pack).Check(nil, []bot.Limitation{{Text: part.Text}}, []string{said}); len(faults) > 0 {
		return faultsOf(faults)
	}
	return differs(part.Text, said, t.d.Language)
}

// repair asks once more for the texts that did not pass, with what is wrong.
func (t *teller) repair(ctx context.Context, messages []Message, got retold) {
	var b strings.Builder
	b.WriteString("These texts do not say what their parts say:\n")
	for i := range t.parts {
		if fault := t.faults[i]; fault != "" {
			fmt.Fprintf(&b, "- part %d: %s\n", i+1, fault)
		}
	}
	b.WriteString("This time say these parts alone, closer to their own words: if in doubt copy the part. Reply with one JSON object as before, with these parts only.")
	again := append(slices.Clone(messages), Message{"assistant", encode(got)}, Message{"user", b.String()})
	if again, err := askAgain(ctx, t.s.Client, t.d, StageTell, again, func(r *retold) error { return t.known(r) }); err == nil {
		t.take(again)
	}
}

// finish puts what passed into the pieces, and records what gates made of all.
func (t *teller) finish() {
	record := t.d.Trace.Guard
	if record == nil {
		record = &bot.GuardRecord{Passed: true}
		t.d.Trace.Guard = record
	}
	for i, part := range t.parts {
		g := bot.GateRecord{Stage: StageTell, What: fmt.Sprintf("part %d (%s)", part.N, part.Kind), Outcome: "passed", Did: "kept"}
		said, ok := t.passed[i]
		switch {
		case t.mended[i] != "":
			g.Outcome, g.Did = t.mended[i], "asked for again, passed"
		case !ok && t.faults[i] != "":
			g.Outcome, g.Did = t.faults[i], "told in its own words"
			record.Repaired = true
			record.Faults = append(record.Faults, t.faults[i])
		case !ok:
			g.Outcome, g.Did = "not told", "told in its own words"
		}
		t.d.Gate(g)
		if ok && !t.shown[i] {
			t.d.Pieces[part.piece] = resaid(t.d.Pieces[part.piece], said)
		}
	}
}

// resaid is a piece in other words: the ways to say it that are shorter stay,
// its own words among them.
func resaid(p pipeline.Piece, said string) pipeline.Piece {
	ways := append([]string{p.Text}, p.Or...)
	p.Text, p.Or = said, nil
	least := utf8.RuneCountInString(said)
	for _, w := range ways {
		if n := utf8.RuneCountInString(w); n < least {
			p.Or, least = append(p.Or, w), n
		}
	}
	return p
}
