package kb

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"plumbline/bot"
	"plumbline/internal/jsonpos"
)

// docFor returns the document of the file called name.
func (c *checker) docFor(name string) *jsonpos.Document {
	for _, d := range c.documents {
		if d.File() == name {
			return d
		}
	}
	return nil
}

// The strategies that a pack describes, each once.
var strategies = []bot.Strategy{bot.Default, bot.Causal, bot.Regulatory, bot.Comparative, bot.Explanatory}

func (c *checker) strategies(a at) {
	for i := range c.pack.Strategies {
		s, b := &c.pack.Strategies[i], a.index(i)
		if !slices.Contains(strategies, bot.Strategy(s.ID)) {
			c.fault(b.key("id"), fmt.Sprintf("%.40q is not a strategy", s.ID), "write default, causal, regulatory, comparative or explanatory")
		} else {
			c.unique(b.key("id"), kindStrategy, s.ID)
		}
		if len(s.Questions) == 0 {
			c.bare(b.key("questions"), "there is no question", "")
		}
		for j, q := range s.Questions {
			d := b.key("questions").index(j)
			c.id(d.key("id"), "question of "+s.ID, q.ID)
			c.said(d.key("question"), q.Question)
			c.text(d.key("limitation"), q.Limitation)
			c.words(d.key("signs"), q.Signs)
			c.patterns(d.key("when"), q.When)
		}
		if len(s.Failures) == 0 {
			c.bare(b.key("failure_modes"), "there is no failure mode", "")
		}
		for j, f := range s.Failures {
			c.said(b.key("failure_modes").index(j), f)
		}
		c.words(b.key("cues"), s.Cues)
		c.refList(b.key("topics"), s.Topics, kindTopic)
	}
	for _, s := range strategies {
		if !has(c.ids, place{kindStrategy, string(s)}) {
			c.fault(a, fmt.Sprintf("the strategy %q is missing", s), "")
			return
		}
	}
}

// The shapes of a telephone number: one of North America, a short code, or an
// international one.
var phoneShape = regexp.MustCompile(`^(1-)?[2-9]\d{2}-[2-9]\d{2}-\d{4}( ext\. \d{1,6})?$|^\d{3}$|^\d{5,6}$|^\+[1-9]\d{0,2}( \d{1,5}){2,5}$`)

func (c *checker) contacts(a at) {
	for i := range c.pack.Contacts.Agencies {
		g, b := &c.pack.Contacts.Agencies[i], a.key("agencies").index(i)
		c.id(b.key("id"), kindAgency, g.ID)
		c.text(b.key("name"), g.Name)
		c.text(b.key("role"), g.Role)
		c.ref(b.key("jurisdiction"), g.Jurisdiction, kindJurisdiction)
		if g.URL != "" {
			c.url(b.key("url"), g.URL)
		}
		c.refList(b.key("phones"), g.Phones, kindPhone)
	}
	for i := range c.pack.Contacts.Phones {
		c.phone(a.key("phones").index(i), &c.pack.Contacts.Phones[i])
	}
}

func (c *checker) phone(a at, p *Phone) {
	c.id(a.key("id"), kindPhone, p.ID)
	if !phoneShape.MatchString(p.Number) {
		c.fault(a.key("number"), fmt.Sprintf("%.40q is not a telephone number", p.Number), `write it as "973-555-0101", "1-800-555-0101", "911" or "+52 55 5555 0101"`)
	}
	c.text(a.key("who"), p.Who)
	if len(p.Hours) > 0 {
		c.text(a.key("hours"), p.Hours)
	}
	for i, lang := range p.Languages {
		if !tagShape.MatchString(lang) {
			c.fault(a.key("languages").index(i), fmt.Sprintf("%.20q is not a language", lang), `write its tag, such as "es"`)
		}
	}
	c.text(a.key("say"), p.Say)
	c.ref(a.key("jurisdiction"), p.Jurisdiction, kindJurisdiction)
	c.ref(a.key("source"), p.Source, kindSource)
	b := a.key("confirmed")
	if p.Confirmed.On == 0 {
		c.fault(b.key("on"), "the day is empty", "")
	}
	c.said(b.key("by"), p.Confirmed.By)
	c.said(b.key("how"), p.Confirmed.How)
}

// safety checks that there are rules and local numbers; what they say is for
// their reader to check.
func (c *checker) safety(a at) {
	if len(bytes.Trim(c.pack.Safety, " \t\r\n{}[]")) == 0 {
		c.fault(a, "there are no rules and no local numbers", "a pack without them is refused: write them")
	}
}

var scopeStatuses = []bot.Status{bot.OutOfScope, bot.LocalOnly, bot.RefusedForSafety, bot.NotInSources}

func (c *checker) scope(a at) {
	for i := range c.pack.Scope {
		r, b := &c.pack.Scope[i], a.index(i)
		c.id(b.key("id"), kindScope, r.ID)
		if !slices.Contains(scopeStatuses, bot.Status(r.Status)) {
			c.fault(b.key("status"), fmt.Sprintf("%.40q is not a status of a rule", r.Status), "write out_of_scope, local_only, refused_for_safety or not_in_sources")
		}
		if len(r.Any) == 0 {
			c.bare(b.key("any"), "there is no pattern", "")
		}
		c.patterns(b.key("any"), r.Any)
		c.patterns(b.key("unless"), r.Unless)
		c.text(b.key("say"), r.Say)
		for _, route := range slices.Sorted(maps.Keys(r.Holds)) {
			c.numberless(b.key("holds").key(route), r.Holds[route])
		}
		c.refList(b.key("cite"), r.Cite, kindParagraph, kindPhone)
		if r.Next != "" {
			c.ref(b.key("next"), r.Next, kindNextStep)
		}
	}
}

func (c *checker) patterns(a at, lists map[string][]string) {
	c.words(a, lists)
	for _, lang := range slices.Sorted(maps.Keys(lists)) {
		for i, s := range lists[lang] {
			re, err := regexp.Compile("(?i)" + s)
			switch {
			case err != nil:
				c.fault(a.key(lang).index(i), "it is not a pattern: "+strings.TrimPrefix(err.Error(), "error parsing regexp: "), "write it in RE2 syntax")
			case re.MatchString(""):
				c.fault(a.key(lang).index(i), "the pattern matches every message", "")
			}
		}
	}
}

func (c *checker) guidance(a at) {
	g := &c.pack.Guidance
	seen := make(map[Action]bool)
	for i, x := range g.Actions {
		b := a.key("actions").index(i)
		for _, part := range []struct{ name, id string }{{"hazard", x.Hazard}, {"use", x.Use}, {"do", x.Do}, {"person", x.Person}} {
			if !idShape.MatchString(part.id) && !(part.name == "person" && part.id == "") {
				c.fault(b.key(part.name), fmt.Sprintf("%.90q is not a name", part.id), writeIDs)
			}
		}
		c.ref(b.key("paragraph"), x.Paragraph, kindParagraph)
		if seen[x] {
			c.fault(b, "the same action stands before", "delete one")
		}
		seen[x] = true
	}
	for i, n := range g.NextSteps {
		b := a.key("next_steps").index(i)
		c.id(b.key("id"), kindNextStep, n.ID)
		if len(n.Topics) == 0 {
			c.bare(b.key("topics"), "there is no topic", "")
		}
		c.refList(b.key("topics"), n.Topics, kindTopic)
		c.text(b.key("say"), n.Say)
		c.refList(b.key("cite"), n.Cite, kindParagraph, kindPhone)
	}
	for i, t := range g.Glossary {
		b := a.key("glossary").index(i)
		c.text(b.key("term"), t.Term)
		c.text(b.key("means"), t.Means)
		c.words(b.key("forms"), t.Forms)
		if slug := slugOf(t.Term["en"]); slug != "" {
			c.unique(b.key("term"), kindTerm, slug)
		} else if t.Term["en"] != "" {
			c.fault(b.key("term").key("en"), "the term has neither letters nor digits", "")
		}
		if t.Paragraph != "" {
			c.ref(b.key("paragraph"), t.Paragraph, kindParagraph)
		}
	}
	for i, l := range g.Local {
		b := a.key("local").index(i)
		c.id(b.key("id"), kindLocal, l.ID)
		c.text(b.key("text"), l.Text)
		c.refList(b.key("cite"), l.Cite, kindParagraph, kindPhone)
	}
	for i, p := range g.Prompts {
		c.text(a.key("prompts").index(i), p)
	}
	for i, x := range g.Barred {
		b := a.key("barred").index(i)
		if x.Route == "" {
			c.bare(b.key("route"), "the route is empty", "")
		}
		c.refList(b.key("tell"), x.Tell, kindParagraph)
	}
	for i, x := range g.Standing {
		b := a.key("standing").index(i)
		if x.Route == "" {
			c.bare(b.key("route"), "the route is empty", "")
		}
		c.text(b.key("context"), x.Context)
		c.numberless(b.key("remind"), x.Remind)
	}
	for i, l := range g.Limits {
		b := a.key("limits").index(i)
		c.id(b.key("id"), kindLimit, l.ID)
		c.refList(b.key("topics"), l.Topics, kindTopic)
		c.patterns(b.key("any"), l.Any)
		c.patterns(b.key("unless"), l.Unless)
		c.numberless(b.key("say"), l.Say)
		c.refList(b.key("cite"), l.Cite, kindParagraph, kindPhone)
	}
}

func (c *checker) probes(a at) {
	for i := range c.pack.Probes {
		p, b := &c.pack.Probes[i], a.index(i)
		c.id(b.key("id"), kindProbe, p.ID)
		c.said(b.key("text"), p.Text)
		if !slices.Contains(c.languages, p.Language) {
			c.fault(b.key("lang"), fmt.Sprintf("the pack does not declare the language %.20q", p.Language), "")
		}
		if p.Strategy != "" {
			c.ref(b.key("strategy"), p.Strategy, kindStrategy)
		}
		if !slices.Contains(bot.Statuses(), bot.Status(p.Status)) {
			c.fault(b.key("status"), fmt.Sprintf("%.40q is not a status", p.Status), "write a rung of the ladder, such as answered")
		}
		c.refList(b.key("needs"), p.Needs, kindParagraph)
	}
}

// questions checks that each is asked of a paragraph that there is.
func (c *checker) questions(a at) {
	for id, byLanguage := range c.pack.Questions {
		c.ref(a.key(id), id, kindParagraph)
		c.listed(a.key(id), byLanguage)
	}
}

// beyond checks that each question is one, in a language of the pack.
func (c *checker) beyond(a at) { c.listed(a, c.pack.Beyond) }

// listed checks lists of texts by language: none is empty or stands twice.
func (c *checker) listed(a at, byLanguage map[string][]string) {
	for lang, list := range byLanguage {
		b := a.key(lang)
		if !slices.Contains(c.languages, lang) {
			c.fault(b, fmt.Sprintf("the pack does not declare the language %.20q", lang), "")
		}
		seen := map[string]bool{}
		for i, text := range list {
			c.said(b.index(i), text)
			if seen[text] {
				c.fault(b.index(i), fmt.Sprintf("%.40q stands here twice", text), "")
			}
			seen[text] = true
		}
	}
}
