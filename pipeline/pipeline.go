package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"plumbline/bot"
	"plumbline/internal/text"
	"plumbline/kb"
	"plumbline/pipeline/safety"
)

// MaxQuestion is the most bytes of a question that are read.
const MaxQuestion = 16 << 10

// Config joins the stages of a pipeline. All fields but Guide, Board, Zone, Now
// and Versions are required.
type Config struct {
	Library    *kb.Library
	Safety     *safety.Router
	Understand Understander
	Retrievers []Retriever // the first is the default
	Judge      Judge
	Audit      Auditor
	Generate   Generator
	Tell       Teller
	Retell     Teller // tells an answer again; nil for Tell
	Guide      *Guide // what packs hear before anything is looked up; nil for nothing

	Accents bool // Spanish keeps its accents on SMS, whatever they cost

	Board bot.NoticeBoard // the notices in force; nil for none
	Zone  *time.Location  // that their hours are told in; nil for the machine's

	// Personas holds the persona of each channel whose asker chose none; the one
	// of "" is for channels that it does not name. Voices are the personas that
	// there are; empty: any name will do.
	Personas map[string]string
	Voices   []string

	K        int           // chunks a retrieval returns
	Keep     int           // chunks that reach the generator
	Room     int           // characters of paragraphs that do, in English
	Share    float64       // of the best passage's relevance that a passage needs to be kept, where nothing is kept yet
	Rise     float64       // what that share grows by till Room is full
	Deadline time.Duration // within which an answer goes out, whatever models do; 0 for none. Now is then the true clock
	Now      func() time.Time
	Versions map[string]string // for the trace
}

// A Pipeline is a [bot.Answerer] made of stages. It is safe for concurrent use.
type Pipeline struct {
	c          Config
	retrievers map[string]Retriever
}

var _ bot.Answerer = (*Pipeline)(nil)

// New returns the pipeline of c.
func New(c Config) *Pipeline {
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Pipeline{c: c, retrievers: map[string]Retriever{}}
	for _, r := range c.Retrievers {
		p.retrievers[r.Name()] = r
	}
	return p
}

// Retrievers returns the names of the retrievers, sorted.
func (p *Pipeline) Retrievers() []string { return slices.Sorted(maps.Keys(p.retrievers)) }

// Answer implements [bot.Answerer]. A stage that fails makes the answer a
// TechnicalFailure that says so; a question that names a pack, variant or
// retriever that there is not, or that is no text, is bot.ErrInvalid.
func (p *Pipeline) Answer(ctx context.Context, q bot.Question) (bot.Answer, error) {
	a, _, err := p.Draft(ctx, q)
	return a, err
}

// Draft is Answer with the draft that the answer came of, for those who look
// into it. The draft is nil where there is an error.
func (p *Pipeline) Draft(ctx context.Context, q bot.Question) (bot.Answer, *Draft, error) {
	d, err := p.begin(q)
	if err != nil {
		return bot.Answer{}, nil, err
	}
	verdict := p.triage(d)
	if (!verdict.Emergency || verdict.Learned()) && p.rejoin(d) {
		verdict = p.triage(d)
	}
	p.stand(d, &verdict)
	if !verdict.Emergency {
		p.notices(ctx, d, &verdict)
	}
	d.Pinned = verdict.Pinned
	if verdict.Emergency {
		return p.emergency(d, verdict), d, nil
	}
	if err := p.work(ctx, d, verdict); err != nil {
		if errors.Is(err, errRaised) {
			return p.emergency(d, p.raised(d, verdict)), d, nil
		}
		if ctx.Err() != nil {
			return bot.Answer{}, nil, ctx.Err()
		}
		return p.failed(d, verdict, err), d, nil
	}
	return p.compose(d, verdict), d, nil
}

// CheckQuestion refuses, as bot.ErrInvalid, a text that no stage should see.
func CheckQuestion(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("the question is not UTF-8 text: %w", bot.ErrInvalid)
	}
	if len(text) > MaxQuestion {
		return fmt.Errorf("the question is %d bytes long, more than the %d that are read: %w", len(text), MaxQuestion, bot.ErrInvalid)
	}
	return nil
}

// begin checks the question and begins the trace.
func (p *Pipeline) begin(q bot.Question) (*Draft, error) {
	if err := CheckQuestion(q.Text); err != nil {
		return nil, err
	}
	pack, ok := p.c.Library.Pack(q.Pack)
	if !ok {
		return nil, fmt.Errorf("there is no pack %q: %w", q.Pack, bot.ErrInvalid)
	}
	if q.Variant == "" {
		q.Variant = bot.DiagExplicit
	}
	if !slices.Contains(bot.Variants(), q.Variant) {
		return nil, fmt.Errorf("there is no variant %q, only %v: %w", q.Variant, bot.Variants(), bot.ErrInvalid)
	}
	if q.Retriever == "" {
		q.Retriever = p.c.Retrievers[0].Name()
	}
	if p.retrievers[q.Retriever] == nil {
		return nil, fmt.Errorf("there is no retriever %q, only %v: %w", q.Retriever, p.Retrievers(), bot.ErrInvalid)
	}
	if q.Persona == "" {
		q.Persona = cmp.Or(p.c.Personas[q.Channel], p.c.Personas[""])
	}
	if q.Persona != "" && len(p.c.Voices) > 0 && !slices.Contains(p.c.Voices, q.Persona) {
		return nil, fmt.Errorf("there is no persona %q, only %v: %w", q.Persona, p.c.Voices, bot.ErrInvalid)
	}
	if q.AsOf.IsZero() {
		q.AsOf = p.c.Now()
	}
	home := q.Jurisdiction
	if home == "" {
		home = pack.Manifest.Home
	}
	if !slices.ContainsFunc(pack.Manifest.Places, func(j kb.Jurisdiction) bool { return j.ID == home }) {
		return nil, fmt.Errorf("pack %s knows no place %q: %w", pack.Manifest.Name, home, bot.ErrInvalid)
	}
	at := kb.DateOf(q.AsOf)
	q.Pack = pack.Manifest.Name
	asked := q.Text
	q.Text = text.Normalize(asked) // as its reader sees it: no letters without width, none that turn the direction
	return &Draft{
		Question: q, Language: q.Language, Iteration: 1, Until: p.c.until(p.c.Now()),
		Filter: kb.Filter{Packs: []string{q.Pack}, Jurisdictions: p.c.Library.Jurisdictions(home), Valid: at},
		Trace: &bot.Trace{
			Answer: q.ID, Question: asked, AsOf: at.String(), Variant: q.Variant, Retriever: q.Retriever,
			Versions: p.c.Versions, Started: p.c.Now(),
		},
	}, nil
}

// step runs one stage and records it.
func (p *Pipeline) step(d *Draft, stage, family string, run func() (note string, err error)) error {
	start := p.c.Now()
	note, err := run()
	if err != nil {
		note = "failed: " + err.Error()
	}
	d.finish(bot.Step{Stage: stage, Family: family, Iteration: d.Iteration, Took: p.c.Now().Sub(start), Note: note})
	if err != nil {
		return fmt.Errorf("%s: %w", stage, err)
	}
	return nil
}

// work runs the stages after safety.
func (p *Pipeline) work(ctx context.Context, d *Draft, v safety.Verdict) error {
	err := p.step(d, "understand", "extractive", func() (string, error) {
		if err := p.c.Understand.Understand(ctx, d); err != nil {
			return "", err
		}
		d.Trace.Understood = &d.Understanding
		if d.Rule != nil {
			return "rule " + d.Rule.ID, nil
		}
		return "", nil
	})
	if err != nil {
		return err
	}
	if d.Raised != "" {
		return errRaised
	}
	readable := utterance(d.Question.Text) && answersIn(d.Language)
	if readable {
		if p.offer(d) {
			return nil
		}
		p.premise(d)
	}
	if d.Rule != nil && (v.Route == "" || d.Stands || d.Rule.Holds[v.Route] != nil) {
		d.Pinned = false
		return p.byRule(d)
	}
	if !readable {
		d.Status = bot.OutOfScope
		return nil
	}
	if v.Route == "" && p.clarify(d) {
		return nil
	}
	if err := p.gather(ctx, d); err != nil {
		return err
	}
	if d.Question.Variant == bot.DiagImplicit || d.Question.Variant == bot.DiagExplicit {
		if err := p.audit(ctx, d); err != nil {
			return err
		}
	}
	err = p.step(d, "generate", "extractive", func() (string, error) {
		if err := p.c.Generate.Generate(ctx, d); err != nil {
			return "", err
		}
		p.verify(d)
		p.ground(d)
		p.oppose(d, p.core(d, v))
		p.decide(d)
		if d.Status == bot.NotInSources && d.Hint != "" {
			d.Status = d.Hint
		}
		return fmt.Sprintf("%d claims, %s", len(d.Claims), d.Status), nil
	})
	if err != nil {
		return err
	}
	if d.Pinned {
		first, more := p.c.Safety.Text(v, string(d.Language))
		d.Core = append([]string{first}, more...)
	}
	return p.step(d, "tell", "extractive", func() (string, error) {
		if err := p.c.Tell.Tell(ctx, d); err != nil {
			return "", err
		}
		verdict(d)
		led := make([]Piece, len(d.Lead))
		for i, c := range d.Lead {
			led[i] = Piece{Text: c.Text, Keep: KeepDanger}
		}
		d.Pieces, d.Claims = before(led, d.Pieces), append(slices.Clone(d.Lead), d.Claims...)
		return "", nil
	})
}

// gather classifies the question, retrieves for it and judges what was found:
// the first beside the others where the judge need not wait for it.
func (p *Pipeline) gather(ctx context.Context, d *Draft) error {
	baseline := d.Question.Variant == bot.Baseline
	find := func() error {
		for i, part := range d.Understanding.Parts {
			if err := p.search(ctx, d, i, part, "question"); err != nil {
				return err
			}
		}
		if !baseline {
			return p.judge(ctx, d, d.Candidates)
		}
		for _, c := range d.Candidates {
			c.Kept, c.Reason = true, "baseline keeps all"
		}
		return nil
	}
	if o, ok := p.c.Judge.(Overlapper); !ok || !o.Overlaps() || baseline {
		if err := p.classify(ctx, d); err != nil {
			return err
		}
		return find()
	}
	classified := make(chan struct{})
	d.Classified = classified
	var wg sync.WaitGroup
	var classifying error
	begun := len(d.Trace.Steps)
	wg.Go(func() {
		defer close(classified)
		classifying = p.classify(ctx, d)
	})
	finding := find()
	wg.Wait()
	if at := slices.IndexFunc(d.Trace.Steps, func(s bot.Step) bool { return s.Stage == "classify" }); at > begun { // whichever ended first, it is told first
		s := d.Trace.Steps[at]
		d.Trace.Steps = slices.Insert(slices.Delete(d.Trace.Steps, at, at+1), begun, s)
	}
	return cmp.Or(classifying, finding)
}

// aroundLeans is how much a question leans on a route that holds around it.
const aroundLeans = 0.5

// search runs one retrieval and adds what is new to the running history.
func (p *Pipeline) search(ctx context.Context, d *Draft, at int, part bot.Part, why string) error {
	return p.step(d, "retrieve", d.Question.Retriever, func() (string, error) {
		pack, _ := p.c.Library.Pack(d.Question.Pack)
		if d.Around != nil {
			part.Standalone, part.Leans = part.Standalone+" "+d.Around.Context.In(string(d.Read())), max(part.Leans, aroundLeans)
		}
		res, err := p.retrievers[d.Question.Retriever].Retrieve(ctx, Query{
			Text: part.Asked, Wider: Widen(pack.Guidance.Glossary, part.Asked, string(d.Read())), Context: part.Standalone, Leans: part.Leans,
			Language: string(d.Read()), Filter: d.Filter, K: p.c.K,
		})
		if err != nil {
			return "", err
		}
		query := part.Standalone
		if d.Heard != nil {
			query = part.Asked
		}
		rec := bot.RetrievalRecord{Query: query, Why: why, Iteration: d.Iteration, Fallback: res.Fallback}
		for _, f := range res.Found {
			known := d.candidate(f.Chunk)
			rec.Found = append(rec.Found, bot.Found{Chunk: f.Chunk, Score: f.Score, Via: f.Names(), Why: f.Why(), Seen: known != nil})
			if known != nil {
				if d.Iteration == 1 && f.Score > known.Found.Score {
					known.Found = f
				}
				continue
			}
			c, ok := p.candidate(d, f)
			if !ok {
				return "", fmt.Errorf("the index knows chunk %s, the packs do not: %w", f.Chunk, bot.ErrConflict)
			}
			c.Part, c.Iteration = at, d.Iteration
			d.Candidates = append(d.Candidates, c)
		}
		d.Trace.Retrievals = append(d.Trace.Retrievals, rec)
		return fmt.Sprintf("%d chunks", len(res.Found)), nil
	})
}

// candidate looks up a found chunk and its passages that may be told.
func (p *Pipeline) candidate(d *Draft, f Found) (*Candidate, bool) {
	chunk, ok := p.c.Library.Chunk(f.Chunk)
	if !ok {
		return nil, false
	}
	c := &Candidate{Chunk: chunk, Found: f}
	for _, par := range chunk.Subsection.Paragraphs {
		state := p.c.Library.Valid(par, d.Filter.Valid)
		if !state.Told() || !slices.Contains(d.Filter.Jurisdictions, par.Jurisdiction) || d.Barred && !slices.Contains(d.Allowed, par.ID) {
			continue
		}
		src, _ := p.c.Library.Source(par)
		c.Passages = append(c.Passages, Passage{Paragraph: par, Source: src.Bot(), State: state})
	}
	return c, true
}

// judge runs the prognostic check and chooses what is kept.
func (p *Pipeline) judge(ctx context.Context, d *Draft, candidates []*Candidate) error {
	return p.step(d, "judge", "extractive", func() (string, error) {
		if err := p.c.Judge.Judge(ctx, d, candidates); err != nil {
			return "", err
		}
		p.choose(candidates)
		kept := 0
		for _, c := range candidates {
			if c.Kept {
				kept++
			}
			d.Trace.Judgements = append(d.Trace.Judgements, bot.Judgement{Chunk: c.Chunk.ID, Score: c.Score, Kept: c.Kept, Reason: c.Reason, Iteration: d.Iteration})
		}
		return fmt.Sprintf("%d of %d kept", kept, len(candidates)), nil
	})
}

// verify drops claims whose quotes do not stand where they say.
func (p *Pipeline) verify(d *Draft) {
	d.Claims = slices.DeleteFunc(d.Claims, func(c bot.Claim) bool {
		if len(c.Evidence) == 0 {
			d.Trace.Dropped = append(d.Trace.Dropped, bot.DroppedClaim{Text: c.Text, Reason: "no evidence"})
			return true
		}
		for _, e := range c.Evidence {
			if !p.stands(e) {
				d.Trace.Dropped = append(d.Trace.Dropped, bot.DroppedClaim{Text: c.Text, Reason: "the quote is not a wording of " + e.Paragraph})
				return true
			}
		}
		return false
	})
}

// stands reports whether a quote is a whole wording of its paragraph, or a
// sentence that the pack marks safe alone.
func (p *Pipeline) stands(e bot.Evidence) bool {
	if ph, ok := p.c.Library.Phone(e.Paragraph); ok {
		return slices.Contains(slices.Collect(maps.Values(ph.Say)), e.Quote)
	}
	if n, ok := p.c.Library.NextStep(e.Paragraph); ok {
		return slices.Contains(slices.Collect(maps.Values(n.Say)), e.Quote)
	}
	par, ok := p.c.Library.Paragraph(e.Paragraph)
	if !ok {
		return false
	}
	for _, set := range []map[string]kb.Wording{par.Exact, par.Plain} {
		for _, w := range set {
			if w.Text == e.Quote || slices.Contains(w.Alone, e.Quote) {
				return true
			}
		}
	}
	return false
}

// failed is the answer when a stage could not do its work: our fault, said as
// that, and different from "our sources do not answer this".
func (p *Pipeline) failed(d *Draft, v safety.Verdict, err error) bot.Answer {
	d.Status, d.Claims, d.Limitations, d.Pieces = bot.TechnicalFailure, nil, nil, nil
	d.Trace.Stop = err.Error()
	for _, c := range d.Candidates {
		c.Kept = false
	}
	return p.compose(d, v)
}

// utterance reports whether a text asks anything: a word of three letters, or
// one of another script. A letter or a number alone does not.
func utterance(s string) bool {
	run := 0
	for _, r := range s {
		switch {
		case !unicode.IsLetter(r):
			run = 0
		case !unicode.Is(unicode.Latin, r):
			return true
		default:
			run++
		}
		if run == 3 {
			return true
		}
	}
	return false
}

// answersIn reports whether answers are written in lang.
func answersIn(lang bot.Language) bool { return lang == bot.English || lang == bot.Spanish }
