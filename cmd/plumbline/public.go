package main

import (
	"slices"

	"plumbline/internal/redact"
	"plumbline/kb"
)

// publicDetails are the telephone numbers, street and e-mail addresses that the
// packs, the safety rules and the settings give out: they are nobody's, and stay
// when personal details are taken out.
func (a *app) publicDetails() ([]string, error) {
	return a.public.get(func() ([]string, error) {
		s, err := a.Settings()
		if err != nil {
			return nil, err
		}
		lib, err := a.Library()
		if err != nil {
			return nil, err
		}
		router, err := a.Router()
		if err != nil {
			return nil, err
		}
		var public []string
		if s.House.Phone != "" {
			public = append(public, s.House.Phone)
		}
		for _, n := range router.PhoneNumbers() {
			public = append(public, n.Number)
		}
		for _, p := range lib.Packs() {
			for _, ph := range p.Contacts.Phones {
				public = append(public, ph.Number)
			}
		}
		rows, err := kb.Rows(lib, kb.ExportOptions{Fixed: fixedRows(router)})
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			texts := slices.Concat(r.Texts, r.Parts, r.Caveats)
			if r.Source != nil {
				texts = append(texts, r.Source.Agency, r.Source.Title, r.Source.URL, r.Source.Note)
			}
			for _, text := range texts {
				runes := []rune(text)
				_, spans := redact.Redact(text, public...)
				for _, at := range spans {
					public = append(public, string(runes[at.Start:at.End]))
				}
			}
		}
		return public, nil
	})
}
