package main

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"plumbline/bot"
	"plumbline/internal/gsm7"
	"plumbline/sessions/sqlstore"
)

type noticeCmd struct {
	Post noticePostCmd `cmd:"" help:"Put a notice in force: it leads every related answer until it lapses"`
	List noticeListCmd `cmd:"" help:"List the notices, those in force first"`
	End  noticeEndCmd  `cmd:"" help:"End a notice before it lapses"`
}

type noticePostCmd struct {
	Kind   string        `help:"What it is about: a notice that the safety rules know, such as boil or dnd, or other" required:"" placeholder:"KIND"`
	Area   string        `help:"Where it holds, as people there say it" required:"" placeholder:"PLACE"`
	En     string        `help:"What to do, in English, 140 characters at most" required:"" placeholder:"TEXT"`
	Es     string        `help:"The same in Spanish" required:"" placeholder:"TEXT"`
	Agency string        `help:"Who issued it" required:"" placeholder:"NAME"`
	Title  string        `help:"What its page is called" default:"Notice" placeholder:"TITLE"`
	URL    string        `help:"Where it can be read" placeholder:"URL"`
	Start  string        `help:"When it begins, such as 2026-11-30T14:10:00-05:00 (now if left out)" placeholder:"TIME"`
	For    time.Duration `help:"How long it holds, 72h at most" default:"24h" placeholder:"TIME"`
	By     string        `help:"Who posts it" required:"" placeholder:"NAME"`
}

// Help shows examples.
func (noticePostCmd) Help() string {
	return `Examples:
  plumbline notice post --kind boil --area Newark --agency "Newark Water" --by Ann \
    --en "Boil tap water 1 minute before you drink it or cook." \
    --es "Hierva el agua 1 minuto antes de tomarla o cocinar."

It is live at once, in a service that runs as well, and lapses by itself.`
}

// noticeHour is how the hours of a notice are told to who posts it.
const noticeHour = "Mon Jan 2 2006, 15:04"

// maxNoticeName is how many characters the names about a notice may have: the
// place and the agency are told in texts.
const maxNoticeName = 60

// maxNotice is how many characters the text of a notice may have: it must fit
// beside an answer.
const maxNotice = 140

// Run implements the command.
func (c *noticePostCmd) Run(a *app) error {
	kinds, err := a.noticeKinds()
	if err != nil {
		return err
	}
	kind, ok := kinds[strings.ToLower(strings.TrimPrefix(c.Kind, noticePrefix))]
	if !ok {
		return usage("--kind %q is not one of %s", c.Kind, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
	}
	for name, t := range map[string]string{"--en": c.En, "--es": c.Es} {
		switch {
		case strings.TrimSpace(t) == "" || strings.ContainsAny(t, "\n\r"):
			return usage("%s must be one line of text", name)
		case utf8.RuneCountInString(t) > maxNotice:
			return usage("%s has %d characters, more than %d: an answer would not fit beside it", name, utf8.RuneCountInString(t), maxNotice)
		case !gsm7.IsGSM7(gsm7.Fold(t)):
			return usage("%s has signs that a text message cannot have", name)
		}
	}
	for _, f := range []struct {
		name string
		text *string
	}{{"--area", &c.Area}, {"--agency", &c.Agency}, {"--title", &c.Title}, {"--by", &c.By}} {
		*f.text = strings.TrimSpace(*f.text)
		switch {
		case *f.text == "" || strings.ContainsFunc(*f.text, unicode.IsControl):
			return usage("%s must be one line of text", f.name)
		case utf8.RuneCountInString(*f.text) > maxNoticeName:
			return usage("%s has %d characters, more than %d", f.name, utf8.RuneCountInString(*f.text), maxNoticeName)
		case !gsm7.IsGSM7(gsm7.Fold(*f.text)):
			return usage("%s has signs that a text message cannot have", f.name)
		}
	}
	if u, err := url.Parse(c.URL); c.URL != "" && (err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "") {
		return usage("--url %q is not the address of a page, such as https://example.org/notice", c.URL)
	}
	now := time.Now()
	start := now
	if c.Start != "" {
		if start, err = time.Parse(time.RFC3339, c.Start); err != nil {
			return usage("--start %q is not a time such as 2026-11-30T14:10:00-05:00", c.Start)
		}
	}
	if c.For <= 0 || c.For > sqlstore.MaxNotice {
		return usage("--for is %v; write more than 0s, and 72h at most: post it again when that is over", c.For)
	}
	if !start.Add(c.For).After(now) {
		return usage("--start %q and --for %v make a notice that has lapsed already", c.Start, c.For)
	}
	n := bot.Notice{
		ID: uuid.Must(uuid.NewV7()).String(), Kind: kind, Area: c.Area, Text: map[bot.Language]string{bot.English: strings.TrimSpace(c.En), bot.Spanish: strings.TrimSpace(c.Es)},
		Source: bot.Source{Agency: c.Agency, Title: c.Title, URL: c.URL, Date: start.Format(time.DateOnly), How: "primary", Read: now.Format(time.DateOnly)},
		Start:  start.Truncate(time.Second), Expires: start.Truncate(time.Second).Add(c.For), By: c.By,
	}
	st, err := a.State()
	if err != nil {
		return err
	}
	others, err := st.Store.InForce(a.ctx, now)
	if err != nil {
		return err
	}
	if err := st.Store.PostNotice(a.ctx, n); err != nil {
		return err
	}
	for _, o := range others {
		if o.Kind == n.Kind {
			fmt.Fprintf(a.std.Err, "plumbline: warning: %s for %s is of the same kind and in force: both are told. If this one takes its place: plumbline notice end %s --by NAME\n", o.ID, o.Area, o.ID)
		}
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, noticeRow(sqlstore.PostedNotice{Notice: n, Posted: now}, now))
	}
	when := "is in force"
	if n.Start.After(now) {
		when = "will be in force from " + n.Start.Local().Format(noticeHour)
	}
	fmt.Fprintf(a.std.Out, "%s %s until %s. End it with: plumbline notice end %s --by NAME\n", n.ID, when, n.Expires.Local().Format(noticeHour), n.ID)
	return nil
}

const noticePrefix = "notice_"

// noticeKinds maps what --kind may be to the kinds of notices: the safety
// rules' notices, and other.
func (a *app) noticeKinds() (map[string]string, error) {
	router, err := a.Router()
	if err != nil {
		return nil, err
	}
	kinds := map[string]string{"other": "other"}
	for _, id := range router.Routes() {
		if name, ok := strings.CutPrefix(id, noticePrefix); ok {
			kinds[name] = id
		}
	}
	return kinds, nil
}

type noticeListCmd struct{}

// Help shows examples.
func (noticeListCmd) Help() string {
	return `Examples:
  plumbline notice list
  plumbline notice list --json`
}

// A noticeWire is a notice as --json writes it.
type noticeWire struct {
	ID      string                  `json:"id"`
	Kind    string                  `json:"kind"`
	Area    string                  `json:"area"`
	State   string                  `json:"state"` // to_come, in_force, lapsed or ended
	Text    map[bot.Language]string `json:"text"`
	Source  bot.Source              `json:"source"`
	Start   time.Time               `json:"start"`
	Expires time.Time               `json:"expires"`
	By      string                  `json:"by"`
	EndedBy string                  `json:"ended_by,omitempty"`
}

func noticeRow(n sqlstore.PostedNotice, now time.Time) noticeWire {
	w := noticeWire{n.ID, n.Kind, n.Area, "in_force", n.Text, n.Source, n.Start, n.Expires, n.By, n.EndedBy}
	switch {
	case !n.Ended.IsZero():
		w.State = "ended"
	case !n.Expires.After(now):
		w.State = "lapsed"
	case n.Start.After(now):
		w.State = "to_come"
	}
	return w
}

// Run implements the command.
func (c *noticeListCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	list, err := st.Store.Notices(a.ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	var rows []noticeWire
	for _, n := range list {
		rows = append(rows, noticeRow(n, now))
	}
	slices.SortStableFunc(rows, func(a, b noticeWire) int {
		return map[bool]int{true: -1}[a.State == "in_force"] - map[bool]int{true: -1}[b.State == "in_force"]
	})
	for _, w := range rows {
		if a.globals.JSON {
			if err := writeJSON(a.std.Out, w); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.std.Out, "%s  %-8s  %s, %s, until %s, by %s\n    %s\n", w.ID, strings.ReplaceAll(w.State, "_", " "), w.Kind, w.Area, w.Expires.Local().Format("Mon Jan 2, 15:04"), w.By, w.Text[bot.English])
	}
	if len(rows) == 0 && !a.globals.JSON {
		fmt.Fprintln(a.std.Out, "No notice was posted.")
	}
	return nil
}

type noticeEndCmd struct {
	ID string `arg:"" help:"The notice, as notice list names it"`
	By string `help:"Who ends it" required:"" placeholder:"NAME"`
}

// Help shows examples.
func (noticeEndCmd) Help() string {
	return `Examples:
  plumbline notice end 01976c2e-5a0f-7e31-9c44-2f6f1c5c8f10 --by Ann`
}

// Run implements the command.
func (c *noticeEndCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	if err := st.Store.EndNotice(a.ctx, c.ID, c.By); err != nil {
		return err
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, map[string]any{"id": c.ID, "state": "ended"})
	}
	fmt.Fprintf(a.std.Out, "%s is no longer in force.\n", c.ID)
	return nil
}
