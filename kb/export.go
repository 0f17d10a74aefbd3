package kb

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"plumbline/bot"
)

// A Row is one thing that an answer may say and cite, as `kb export` writes it.
type Row struct {
	ID      string      `json:"id"`
	Texts   []string    `json:"texts"`   // wordings; the first is the exact English
	Parts   []string    `json:"parts"`   // sentences that are true and safe alone
	Caveats []string    `json:"caveats"` // what limits it, in every language
	Source  *bot.Source `json:"source"`  // null for what we say ourselves
	Valid   RowValidity `json:"valid"`
}

// RowValidity is a Validity with every field written, empty ones too.
type RowValidity struct {
	Effective    Date   `json:"effective"`
	Expires      Date   `json:"expires"`
	SupersededBy string `json:"superseded_by"`
	Proposed     bool   `json:"proposed"`
}

// ExportOptions narrows and adds to an export.
type ExportOptions struct {
	Pack  string // empty for all
	Fixed []Row  // rows of the fixed texts, ids beginning with "fixed."
}

// Export writes the library's rows, one JSON object a line: every paragraph
// in the order of the packs, and of each pack its phone records (phone.…),
// next steps (next.…), rules' texts (scope.…), terms (term.…), standing
// limitations (limit.…), what it asks back, decides and offers (clarify.…,
// premise.…, offer.…) and local facts (local.…), then the fixed texts. A pack
// that is not there is bot.ErrNotFound.
func Export(l *Library, w io.Writer, opts ExportOptions) error {
	rows, err := Rows(l, opts)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, r := range rows {
		if err := enc.Encode(r); err != nil {
			return fmt.Errorf("export %s: %w", r.ID, err)
		}
	}
	return nil
}

// Rows returns what Export writes.
func Rows(l *Library, opts ExportOptions) ([]Row, error) {
	packs := l.Packs()
	if opts.Pack != "" {
		p, ok := l.Pack(opts.Pack)
		if !ok {
			return nil, fmt.Errorf("export pack %.40q: %w", opts.Pack, bot.ErrNotFound)
		}
		packs = []*Pack{p}
	}
	var rows []Row
	for _, p := range packs {
		rows = append(rows, l.packRows(p)...)
	}
	rows = append(rows, opts.Fixed...)
	for i := range rows {
		// Lists are never null.
		for _, list := range []*[]string{&rows[i].Texts, &rows[i].Parts, &rows[i].Caveats} {
			if *list == nil {
				*list = []string{}
			}
		}
	}
	return rows, nil
}

func (l *Library) packRows(p *Pack) []Row {
	var rows []Row
	langs := p.languages()
	for q := range p.paragraphs() {
		rows = append(rows, l.paragraphRow(*q, langs))
	}
	for _, ph := range p.Contacts.Phones {
		rows = append(rows, l.phoneRow(ph, langs))
	}
	for _, n := range p.Guidance.NextSteps {
		rows = append(rows, Row{ID: n.ID, Texts: n.Say.in(langs), Source: l.sourceOfAny(n.Cite)})
	}
	for _, r := range p.Scope {
		row := Row{ID: ScopeID(r), Texts: r.Say.in(langs), Source: l.sourceOfAny(r.Cite)}
		for _, route := range slices.Sorted(maps.Keys(r.Holds)) {
			row.Texts = append(row.Texts, r.Holds[route].in(langs)...)
		}
		rows = append(rows, row)
	}
	for _, t := range p.Guidance.Glossary {
		rows = append(rows, Row{ID: TermID(p.Manifest.Name, t), Texts: t.Means.in(langs), Source: l.sourceOfAny([]string{t.Paragraph})})
	}
	for _, x := range p.Guidance.Limits {
		rows = append(rows, Row{ID: x.ID, Texts: x.Say.in(langs), Source: l.sourceOfAny(x.Cite)})
	}
	for _, q := range p.Asking.Clarify {
		rows = append(rows, Row{ID: q.ID, Texts: append(q.Say.in(langs), q.Ask.in(langs)...), Source: l.sourceOfAny(q.Cite)})
	}
	for _, x := range p.Asking.Premises {
		rows = append(rows, Row{ID: x.ID, Texts: x.Say.in(langs), Source: l.sourceOfAny(x.Cite)})
	}
	if o := p.Asking.Offer; o != nil {
		rows = append(rows, Row{ID: OfferID(p.Manifest.Name), Texts: o.Say.in(langs)})
	}
	for _, f := range p.Guidance.Local {
		rows = append(rows, Row{ID: LocalID(f), Texts: f.Text.in(langs), Source: l.sourceOfAny(f.Cite)})
	}
	return rows
}

// ScopeID is the id of a rule's text in an export.
func ScopeID(r ScopeRule) string { return withPrefix("scope.", r.ID) }

// OfferID is the id of a pack's offer in an export.
func OfferID(pack string) string { return "offer." + pack }

// LocalID is the id of a local fact in an export.
func LocalID(f LocalFact) string { return withPrefix("local.", f.ID) }

// TermID is the id of a term's meaning in an export. It holds the pack's name,
// since two packs may explain one word.
func TermID(pack string, t Term) string { return "term." + pack + "." + slugOf(t.Term["en"]) }

func withPrefix(prefix, id string) string {
	if strings.HasPrefix(id, prefix) {
		return id
	}
	return prefix + id
}

// languages returns the pack's languages, English first.
func (p *Pack) languages() []string {
	langs := slices.DeleteFunc(slices.Clone(p.Manifest.Languages), func(s string) bool { return s == "en" })
	return append([]string{"en"}, langs...)
}

// in returns the text in each of langs that it is in.
func (t Text) in(langs []string) []string {
	var list []string
	for _, lang := range langs {
		if s := t[lang]; s != "" {
			list = append(list, s)
		}
	}
	return list
}

func (l *Library) paragraphRow(p Paragraph, langs []string) Row {
	r := Row{ID: p.ID, Valid: RowValidity(l.Validity(p))}
	for _, form := range []map[string]Wording{p.Exact, p.Plain} {
		for _, lang := range langs {
			if w, ok := form[lang]; ok {
				r.Texts = append(r.Texts, w.Text)
				r.Parts = append(r.Parts, w.Alone...)
			}
		}
	}
	for _, c := range p.Caveats {
		r.Caveats = append(r.Caveats, c.Text.in(langs)...)
	}
	if s, ok := l.Source(p); ok {
		b := s.Bot()
		r.Source = &b
	}
	return r
}

func (l *Library) phoneRow(p Phone, langs []string) Row {
	r := Row{ID: p.ID, Texts: p.Say.in(langs), Caveats: p.Hours.in(langs)}
	if s, ok := l.PhoneSource(p); ok {
		b := s.Bot()
		b.Read = p.Confirmed.On.String()
		b.Note = strings.TrimPrefix(b.Note+"; number "+p.Confirmed.How, "; ")
		r.Source = &b
	}
	return r
}

// sourceOfAny returns the source of the first paragraph or phone of ids that
// has one.
func (l *Library) sourceOfAny(ids []string) *bot.Source {
	for _, id := range ids {
		if p, ok := l.Paragraph(id); ok {
			if s, ok := l.Source(p); ok {
				b := s.Bot()
				return &b
			}
		}
		if ph, ok := l.Phone(id); ok {
			return l.phoneRow(ph, nil).Source
		}
	}
	return nil
}
