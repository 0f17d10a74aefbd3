package smstest_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"plumbline/channels/sms/smstest"
)

// bodies lists those of a page of messages.
func bodies(page map[string]any) []string {
	list := []string{}
	for _, m := range page["messages"].([]any) {
		list = append(list, m.(map[string]any)["body"].(string))
	}
	return list
}

func TestList(t *testing.T) {
	now := clock{now: time.Date(2026, 11, 29, 23, 59, 58, 500, time.UTC)}
	f := start(t, func(c *smstest.Config) { c.Account.WhatsApp, c.Now = []string{ours}, now.time })
	f.create("Body", "a")
	f.drain()
	now.set(time.Date(2026, 11, 30, 12, 0, 0, 999, time.UTC))
	f.create("Body", "b")
	f.create("Body", "c", "To", "+19735550102")
	f.drain()
	if _, err := f.Phone(theirs).Text(t.Context(), "in"); err != nil {
		t.Fatal(err)
	}
	now.set(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	f.create("Body", "d", "To", "whatsapp:"+theirs, "From", "whatsapp:"+ours) // fails, so it is never sent
	f.create("Body", "e")
	f.drain()
	for _, tt := range []struct {
		query url.Values
		want  string
	}{
		{nil, "e d in c b a"},
		{url.Values{"To": {theirs}}, "e b a"},
		{url.Values{"To": {ours}}, "in"},
		{url.Values{"From": {theirs}}, "in"},
		{url.Values{"From": {ours}}, "e c b a"},
		{url.Values{"To": {theirs}, "From": {ours}}, "e b a"},
		{url.Values{"To": {"whatsapp:" + theirs}}, "d"},
		{url.Values{"To": {"+19735550199"}}, ""},
		{url.Values{"DateSent": {"2026-11-30"}}, "in c b"},
		{url.Values{"DateSent": {"2026-11-30T12:00:00Z"}}, "in c b"},
		{url.Values{"DateSent": {"2026-11-30T12:00:01Z"}}, ""},
		{url.Values{"DateSent>": {"2026-11-30"}}, "e in c b"},
		{url.Values{"DateSent<": {"2026-11-30"}}, "in c b a"},
		{url.Values{"DateSent>": {"2026-11-30T12:00:00Z"}}, "e in c b"},
		{url.Values{"DateSent>": {"2026-11-30T13:00:00+01:00"}}, "e in c b"},
		{url.Values{"DateSent>": {"2026-11-30T12:00:01Z"}}, "e"},
		{url.Values{"DateSent<": {"2026-11-29T23:59:58Z"}}, "a"},
		{url.Values{"DateSent>": {"2026-11-29"}, "DateSent<": {"2026-11-29"}, "To": {theirs}}, "a"},
	} {
		res, page := f.call(http.MethodGet, messagesAt+"?"+tt.query.Encode(), nil)
		if res.StatusCode != 200 {
			t.Errorf("list %v answers %d %v", tt.query, res.StatusCode, page)
			continue
		}
		if got := strings.Join(bodies(page), " "); got != tt.want {
			t.Errorf("list %v = %q, want %q", tt.query, got, tt.want)
		}
	}
	f.faultless()
	for _, query := range []string{"Body=a", "DateSent=yesterday", "DateSent>=30/11/2026", "PageSize=0", "PageSize=1001", "PageSize=x", "Page=-1", "PageToken=x", "To=a&To=b", "To=%zz"} {
		if res, body := f.call(http.MethodGet, messagesAt+"?"+query, nil); res.StatusCode != http.StatusBadRequest {
			t.Errorf("list ?%s answers %d %v, want 400", query, res.StatusCode, body)
		}
	}
	if n := len(f.Faults()); n != 10 {
		t.Errorf("%d faults %+v, want one of each", n, f.Faults())
	}
}

// Pages follow each other by next_page_uri, without gaps or repeats though more
// messages come.
func TestListPages(t *testing.T) {
	f := start(t)
	for i := range 7 {
		f.create("Body", fmt.Sprint(i))
	}
	var got []string
	path := messagesAt + "?" + url.Values{"To": {theirs}, "PageSize": {"3"}}.Encode()
	for i := range 3 {
		res, page := f.call(http.MethodGet, path, nil)
		if res.StatusCode != 200 || page["page"] != float64(i) || page["page_size"] != 3.0 || page["start"] != float64(3*i) {
			t.Fatalf("page %d: %d %v", i, res.StatusCode, page)
		}
		got = append(got, bodies(page)...)
		next, _ := page["next_page_uri"].(string)
		if (next == "") != (i == 2) {
			t.Fatalf("page %d has next_page_uri %v", i, page["next_page_uri"])
		}
		path = next
		f.create("Body", "later", "To", "+19735550102")
		if i == 0 {
			continue // within the list nothing came in between
		}
	}
	if want := []string{"6", "5", "4", "3", "2", "1", "0"}; !slices.Equal(got, want) {
		t.Errorf("pages hold %q, want %q", got, want)
	}
	path = messagesAt + "?PageSize=2"
	_, page := f.call(http.MethodGet, path, nil)
	f.create("Body", "newest")
	if _, page = f.call(http.MethodGet, page["next_page_uri"].(string), nil); bodies(page)[0] != "later" {
		t.Errorf("the second page begins with %q after a message came, want the third as it was", bodies(page)[0])
	}
	if _, page = f.call(http.MethodGet, messagesAt+"?PageSize=2&Page=1", nil); bodies(page)[0] != "later" {
		t.Errorf("page 1 by number begins with %q", bodies(page)[0])
	}
	if _, page = f.call(http.MethodGet, messagesAt+"?Page=9", nil); len(bodies(page)) != 0 {
		t.Errorf("a page past the end holds %q", bodies(page))
	}
	f.faultless()
}
