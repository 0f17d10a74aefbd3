package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/kb"
	"plumbline/pipeline"
)

type generated struct {
	Answered string         `json:"answered" enum:"yes,partly,no"`
	Claims   []generatedOne `json:"claims" most:"6"`
	Limits   []string       `json:"limits" most:"2"`
}

type generatedOne struct {
	Passage int    `json:"passage"`
	Quote   string `json:"quote"`
	Text    string `json:"text"`
	Role    string `json:"role" enum:"direct,context"`
}

// The most claims of an answer, by how narrow the channel is.
const (
	mostNarrow = 6
	mostWide   = 5
)

// mostDirect is how many claims a first message keeps before anything else.
const mostDirect = 2

// languageNames are how prompts name the languages that answers are in.
var languageNames = map[bot.Language]string{bot.English: "English", bot.Spanish: "Spanish"}

// Generate implements [pipeline.Generator]. A model chooses what is claimed, in
// which order, and words it; each claim cites a whole wording of the paragraph
// in which its quote stands. A claim whose own words say more, less or other
// than that wording is told in the wording. Where nothing was kept no model is
// asked.
func (s *Stages) Generate(ctx context.Context, d *pipeline.Draft) error {
	kept := d.Kept()
	if !s.Client.asks(StageGenerate) || len(kept) == 0 {
		return s.Twin.Generate(ctx, d)
	}
	narrow := pipeline.FitOf(d.Question.Channel).Plain
	type open struct{ ID, Say string }
	data := struct {
		Questions []string
		Language  string
		Most      int
		Criteria  bool
		Passages  []shown
		Gaps      []open
	}{Questions: s.asked(d), Language: languageNames[d.Language], Most: mostWide, Criteria: s.Client.Askers[StageGenerate].Criteria}
	if narrow {
		data.Most = mostNarrow
	}
	for _, g := range d.Gaps {
		at := slices.IndexFunc(d.Strategy.Questions, func(q kb.Diagnostic) bool { return q.ID == g.ID })
		if g.Open() && at >= 0 {
			data.Gaps = append(data.Gaps, open{g.ID, d.Strategy.Questions[at].Limitation.In(string(bot.English))})
		}
	}
	left := room(s.Client.most(StageGenerate) - 6000)
	data.Passages = show(kept, string(d.Language), narrow, s.Library, &left)
	got, failed := ask(ctx, s.Client, d, StageGenerate, prompt(StageGenerate, data), func(g *generated) error { return s.checkClaims(d, g, data.Passages) })
	if failed == nil {
		failed = s.claim(d, got, data.Passages, narrow)
	}
	if failed != nil {
		if err := s.twin(ctx, d, StageGenerate, failed); err != nil {
			return err
		}
		d.Claims, d.Limitations, d.Direct = nil, nil, 0
		return s.Twin.Generate(ctx, d)
	}
	if err := s.Twin.Finish(ctx, d); err != nil {
		return err
	}
	s.limits(d, got.Limits)
	return nil
}

// checkClaims says what is wrong with a reply, for the model to mend: passages
// that there are not, quotes that do not stand in any.
func (s *Stages) checkClaims(d *pipeline.Draft, g *generated, passages []shown) error {
	if g.Answered != "no" && len(g.Claims) == 0 {
		return fmt.Errorf("claims is empty although answered is %q", g.Answered)
	}
	if g.Answered == "no" && len(g.Claims) > 0 {
		return fmt.Errorf("answered is \"no\" although there are claims")
	}
	texts := textsOf(passages)
	bad := 0
	var faults []string
	for i, c := range g.Claims {
		if c.Passage < 1 || c.Passage > len(passages) {
			return fmt.Errorf("claims[%d]: there is no passage %d", i, c.Passage)
		}
		if _, outcome := Locate(c.Quote, c.Passage-1, texts); outcome == Absent || outcome == Stitched {
			bad++
			faults = append(faults, fmt.Sprintf("the quote of claims[%d] does not stand in passage %d letter by letter", i, c.Passage))
		}
	}
	if bad > 0 && bad == len(g.Claims) { // nothing would be left
		return fmt.Errorf("%s", strings.Join(faults, "; "))
	}
	return nil
}

func textsOf(passages []shown) (texts []string) {
	for _, p := range passages {
		texts = append(texts, p.Text)
	}
	return texts
}

// claim makes claims of a reply.
func (s *Stages) claim(d *pipeline.Draft, g generated, passages []shown, narrow bool) error {
	if g.Answered == "no" && len(g.Claims) == 0 {
		d.Status = bot.NotInSources
		return nil
	}
	texts := textsOf(passages)
	said := map[string]bool{}
	answered := map[int]bool{}
	most := mostWide
	if narrow {
		most = mostNarrow
	}
	for _, c := range g.Claims {
		at, outcome := Locate(c.Quote, c.Passage-1, texts)
		record := bot.GateRecord{Stage: StageGenerate, What: "quote: " + cut(c.Quote, 80), Outcome: string(outcome), Did: "kept"}
		if at < 0 || len(d.Claims) >= most || said[passages[at].of.Paragraph.ID] {
			record.Did = "dropped"
			d.Gate(record)
			if at < 0 {
				d.Trace.Dropped = append(d.Trace.Dropped, bot.DroppedClaim{Text: c.Text, Reason: "its quote is " + string(outcome)})
			}
			continue
		}
		if outcome == Misattributed {
			record.Did = "moved to " + passages[at].of.Paragraph.ID
		}
		d.Gate(record)
		p := passages[at]
		said[p.of.Paragraph.ID] = true
		answered[p.part] = true
		claim := pipeline.Quote(s.Library, p.chunk, p.of.Paragraph, string(d.Language), narrow)
		claim.Role = bot.Role(c.Role)
		own := strings.TrimSpace(c.Text)
		record = bot.GateRecord{Stage: StageGenerate, What: "claim of " + p.of.Paragraph.ID, Outcome: "passed", Did: "kept"}
		if fault := s.sayable(d, claim, own); fault != "" {
			record.Outcome, record.Did = fault, "told in its wording"
		} else {
			claim.Text = own
		}
		d.Gate(record)
		if claim.Role == bot.Direct && d.Direct < mostDirect {
			d.Direct++
		}
		d.Claims = append(d.Claims, claim)
	}
	if len(d.Claims) == 0 {
		return &Failure{Reason: Rejected}
	}
	d.Status = bot.Answered
	if g.Answered == "partly" || len(answered) < len(questionsOf(passages)) {
		d.Status = bot.PartlyAnswered
	}
	return nil
}

// questionsOf are the questions that passages were found for.
func questionsOf(passages []shown) map[int]bool {
	m := map[int]bool{}
	for _, p := range passages {
		m[p.part] = true
	}
	return m
}

// limits puts the limitations that the model would tell before those that the
// twin found, two at most: a limitation's words are the pack's.
func (s *Stages) limits(d *pipeline.Draft, ids []string) {
	var first []bot.Limitation
	for _, id := range ids {
		for _, g := range d.Gaps {
			if g.ID != id || !g.Open() || slices.ContainsFunc(d.Limitations, func(l bot.Limitation) bool { return l.Gap == id }) {
				continue
			}
			for _, q := range d.Strategy.Questions {
				if say := q.Limitation.In(string(d.Language)); q.ID == id && say != "" {
					first = append(first, bot.Limitation{Text: say, Gap: id})
				}
			}
		}
	}
	const most = 2
	d.Limitations = append(first, d.Limitations...)
	d.Limitations = d.Limitations[:min(len(d.Limitations), most)]
	if d.Status == bot.Answered && len(d.Limitations) > 0 {
		d.Status = bot.AnsweredWithLimits
	}
}
