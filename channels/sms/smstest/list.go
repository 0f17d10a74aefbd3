package smstest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fetch is GET Messages/{SID}.json.
func (s *Server) fetch(w http.ResponseWriter, r *http.Request) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	sid, ok := strings.CutSuffix(r.PathValue("file"), ".json")
	m := s.bySID[sid]
	if !ok || m == nil {
		return refuse(20404, r.URL.Path)
	}
	writeJSON(w, http.StatusOK, s.resource(m))
	return nil
}

// A page is what of a list is asked for.
type page struct {
	number, size int
	after        string // the SID that went before; empty at the beginning
}

// pageOf reads the paging parameters and refuses those that are neither they nor
// known.
func pageOf(r *http.Request, known ...string) (url.Values, page, *refusal) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, page{}, refuse(20001, "query").because("the query cannot be read")
	}
	for name, values := range q {
		if !slices.Contains(known, name) && !slices.Contains([]string{"PageSize", "Page", "PageToken"}, name) {
			return nil, page{}, refuse(20001, strconv.Quote(name)).because("a list is asked for by a parameter that it does not have")
		}
		if len(values) > 1 {
			return nil, page{}, refuse(20001, name).because("parameter " + name + " is given more than once")
		}
	}
	p := page{size: 50}
	for name, v := range map[string]*int{"PageSize": &p.size, "Page": &p.number} {
		if q.Has(name) {
			if *v, err = strconv.Atoi(q.Get(name)); err != nil || *v < 0 {
				return nil, p, refuse(20001, name).because(name + " is no number")
			}
		}
	}
	if p.size < 1 || p.size > 1000 {
		return nil, p, refuse(20001, "PageSize").because("PageSize is not from 1 to 1000")
	}
	if token := q.Get("PageToken"); token != "" {
		var ok bool
		if p.after, ok = strings.CutPrefix(token, "PA"); !ok {
			return nil, p, refuse(20001, "PageToken").because("PageToken is none that was given out")
		}
	}
	return q, p, nil
}

// entries are the page of a list, as show shows them, and what is said around
// them.
func entries[E, R any](r *http.Request, q url.Values, p page, list []E, sid func(E) string, show func(E) R) ([]R, pageInfo) {
	start := p.number * p.size
	if p.after != "" {
		start = 1 + slices.IndexFunc(list, func(e E) bool { return sid(e) == p.after })
	}
	start = min(start, len(list))
	end := min(start+p.size, len(list))
	part, last := []R{}, ""
	for _, e := range list[start:end] {
		part, last = append(part, show(e)), sid(e)
	}
	return part, paged(r, q, p, start, len(part), end < len(list), last)
}

// A pageInfo is what the 2010-04-01 API says around a list.
type pageInfo struct {
	End             int     `json:"end"`
	FirstPageURI    string  `json:"first_page_uri"`
	NextPageURI     *string `json:"next_page_uri"`
	Page            int     `json:"page"`
	PageSize        int     `json:"page_size"`
	PreviousPageURI *string `json:"previous_page_uri"`
	Start           int     `json:"start"`
	URI             string  `json:"uri"`
}

// paged is the pageInfo of n entries from start on; last is the SID of the last.
func paged(r *http.Request, q url.Values, p page, start, n int, more bool, last string) pageInfo {
	at := func(number int, token string) string {
		q := maps.Clone(q)
		q.Set("PageSize", strconv.Itoa(p.size))
		q.Set("Page", strconv.Itoa(number))
		q.Del("PageToken")
		if token != "" {
			q.Set("PageToken", "PA"+token)
		}
		return r.URL.Path + "?" + q.Encode()
	}
	info := pageInfo{Start: start, End: max(start+n-1, 0), Page: p.number, PageSize: p.size, FirstPageURI: at(0, ""), URI: r.URL.RequestURI()}
	if more {
		next := at(p.number+1, last)
		info.NextPageURI = &next
	}
	if p.number > 0 {
		previous := at(p.number-1, "")
		info.PreviousPageURI = &previous
	}
	return info
}

// A span is of times, both ends in it.
type span struct{ from, to time.Time }

// spanOf reads what DateSent is compared with: a day, or a second.
func spanOf(v string) (span, bool) {
	if day, err := time.Parse(time.DateOnly, v); err == nil {
		return span{day, day.Add(24*time.Hour - time.Nanosecond)}, true
	}
	if at, err := time.Parse(time.RFC3339, v); err == nil {
		at = at.Truncate(time.Second)
		return span{at, at.Add(time.Second - time.Nanosecond)}, true
	}
	return span{}, false
}

// list is GET Messages.json: newest first, those that came in too. What is not
// sent yet has no DateSent and is of no span.
func (s *Server) list(w http.ResponseWriter, r *http.Request) *refusal {
	q, p, no := pageOf(r, "To", "From", "DateSent", "DateSent<", "DateSent>")
	if no != nil {
		return no
	}
	var sent *span
	for _, name := range []string{"DateSent", "DateSent>", "DateSent<"} {
		if !q.Has(name) {
			continue
		}
		is, ok := spanOf(q.Get(name))
		if !ok {
			return refuse(20001, name).because(name + " is neither a day nor a time in ISO 8601")
		}
		if sent == nil {
			sent = &span{to: time.Unix(1<<40, 0)}
		}
		if name != "DateSent<" && is.from.After(sent.from) {
			sent.from = is.from
		}
		if name != "DateSent>" && is.to.Before(sent.to) {
			sent.to = is.to
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.messages
	if q.Has("To") {
		all = s.byTo[q.Get("To")]
	}
	var list []*message
	for _, m := range slices.Backward(all) {
		switch {
		case q.Has("To") && m.To != q.Get("To"), q.Has("From") && m.From != q.Get("From"):
		case sent != nil && (m.sentAt.IsZero() || m.sentAt.Before(sent.from) || m.sentAt.After(sent.to)):
		default:
			list = append(list, m)
		}
	}
	body := struct {
		Messages []messageResource `json:"messages"`
		pageInfo
	}{}
	body.Messages, body.pageInfo = entries(r, q, p, list, func(m *message) string { return m.SID }, s.resource)
	writeJSON(w, http.StatusOK, body)
	return nil
}
