package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"plumbline/bot"
	"plumbline/sessions/sqlstore"
)

type sessionsCmd struct {
	List      sessionsListCmd      `cmd:"" help:"List the conversations, the last heard first"`
	Show      sessionsShowCmd      `cmd:"" help:"Show a conversation, or one turn with how its answer came about"`
	Forget    sessionsForgetCmd    `cmd:"" help:"Erase all of a person but the opt-out"`
	Export    sessionsExportCmd    `cmd:"" help:"Write the record as JSON lines"`
	Consent   sessionsConsentCmd   `cmd:"" help:"Who opted out, and in again: the ledger"`
	Retention sessionsRetentionCmd `cmd:"" help:"Show or delete what is kept too long"`
	Redact    sessionsRedactCmd    `cmd:"" help:"Take personal details out of texts"`
}

type sessionsListCmd struct {
	Limit int `help:"The most to list" default:"50"`
}

// Help shows examples.
func (sessionsListCmd) Help() string {
	return `Examples:
  plumbline sessions list
  plumbline sessions list --json --limit 1000

A person is a keyed hash of an address. It says nothing of who that is.`
}

func (c *sessionsListCmd) Run(a *app) error {
	if c.Limit < 1 {
		return usage("--limit is %d; write 1 or more", c.Limit)
	}
	st, err := a.State()
	if err != nil {
		return err
	}
	list, err := st.Store.Conversations(a.ctx, c.Limit)
	if err != nil {
		return err
	}
	if a.globals.JSON {
		return writeAll(a.std.Out, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.std.Out, "Nothing is kept of anyone.")
		return err
	}
	w := tabwriter.NewWriter(a.std.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "person\tchannel\tturns\treview\tlast\tremembered")
	for _, v := range list {
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%s\t%s\n", v.Person, cmp.Or(v.Channel, "-"), v.Turns, v.Review, clock(v.Last), yes(v.Remembered))
	}
	return w.Flush()
}

// writeAll writes a line of JSON for each of list.
func writeAll[T any](w io.Writer, list []T) error {
	for _, v := range list {
		if err := writeJSON(w, v); err != nil {
			return err
		}
	}
	return nil
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05Z")
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

type sessionsShowCmd struct {
	ID []string `arg:"" optional:"" help:"A person of the list, an address such as sms:+19735550100, or a turn"`
}

// Help shows examples.
func (sessionsShowCmd) Help() string {
	return `Examples:
  plumbline sessions show 0001c8a2f1f0d3a94c1e5b7796ab20d3
  plumbline sessions show --json sms:+19735550100
  plumbline sessions show 0197a3c5-7f6e-7b41-9d3a-3c1f0b8e9a77

Of a person every turn is shown, the first first; of a turn, how its answer came
about. What people wrote is redacted: so it was recorded.`
}

func (c *sessionsShowCmd) Run(a *app) error {
	id, err := only(c.ID, "show")
	if err != nil {
		return err
	}
	st, err := a.State()
	if err != nil {
		return err
	}
	names, err := a.persons(st, id)
	switch {
	case err != nil:
		return err
	case names == nil:
		r, err := st.Store.Turn(a.ctx, id)
		if errors.Is(err, bot.ErrNotFound) {
			return errors.New("nothing is kept under that name: write a person or a turn as sessions list and export show them, or an address such as sms:+19735550100")
		}
		if err != nil {
			return err
		}
		if a.globals.JSON {
			return writeJSON(a.std.Out, r)
		}
		return showTurn(a.std.Out, r)
	}
	var list []bot.TurnRecord
	for _, name := range names {
		err := eachTurn(a.ctx, st.Store, bot.TurnFilter{Person: name}, func(r bot.TurnRecord) error {
			list = append(list, r)
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(list, func(x, y bot.TurnRecord) int { return x.Finished.Compare(y.Finished) })
	if a.globals.JSON {
		return writeAll(a.std.Out, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.std.Out, "No turn of that person is kept.")
		return err
	}
	for _, r := range list {
		if err := showTurn(a.std.Out, r); err != nil {
			return err
		}
	}
	return nil
}

// only returns the one argument. It is not repeated in what is said of it: it
// may be a telephone number.
func only(args []string, command string) (string, error) {
	if len(args) != 1 || args[0] == "" {
		return "", usage("sessions %s takes one person; with spaces in it, put it in quotes", command)
	}
	return args[0], nil
}

func showTurn(w io.Writer, r bot.TurnRecord) error {
	fmt.Fprintf(w, "%s  %s  %s", clock(r.Finished), r.Channel, r.ID)
	for _, s := range []string{string(r.Word), string(r.Status), string(r.Route), r.Persona, string(r.Language)} {
		if s != "" {
			fmt.Fprint(w, "  ", s)
		}
	}
	fmt.Fprintln(w)
	for _, note := range []struct{ what, text string }{{"review", r.Review}, {"given up", r.Parked}} {
		if note.text != "" {
			fmt.Fprintf(w, "  %s: %s\n", note.what, note.text)
		}
	}
	fmt.Fprintf(w, "> %s\n", r.Asked)
	for _, s := range r.Said {
		fmt.Fprintf(w, "< %s\n", s)
	}
	if d := r.Detail; d != nil && d.Trace != nil {
		t := *d.Trace
		if t.Safety == nil {
			t.Safety = new(bot.SafetyRecord)
		}
		writeTrace(w, bot.Answer{Status: r.Status, Route: r.Route, Strategy: r.Strategy, Claims: d.Claims, Gaps: d.Gaps, Chunks: d.Chunks, Trace: &t})
	}
	_, err := fmt.Fprintln(w)
	return err
}

// eachTurn calls do with every turn that f chooses, the last first.
func eachTurn(ctx context.Context, s *sqlstore.Store, f bot.TurnFilter, do func(bot.TurnRecord) error) error {
	f.Limit = 200
	for {
		list, err := s.Turns(ctx, f)
		if err != nil {
			return err
		}
		for _, r := range list {
			if err := do(r); err != nil {
				return err
			}
			f.Before = r.ID
		}
		if len(list) < f.Limit {
			return nil
		}
	}
}

type sessionsForgetCmd struct {
	Person []string `arg:"" optional:"" help:"An address such as sms:+19735550100, or a person of the list"`
}

// Help shows examples.
func (sessionsForgetCmd) Help() string {
	return `Examples:
  plumbline sessions forget sms:+19735550100
  plumbline sessions forget 0001c8a2f1f0d3a94c1e5b7796ab20d3

What stays is whether the person wants to hear from us. Backups that were made
before still hold what was erased.`
}

func (c *sessionsForgetCmd) Run(a *app) error {
	who, err := only(c.Person, "forget")
	if err != nil {
		return err
	}
	st, err := a.State()
	if err != nil {
		return err
	}
	names, err := a.somebody(st, who)
	if err != nil {
		return err
	}
	erased, err := st.Store.Erase(a.ctx, names)
	if err != nil {
		return err
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, struct {
			Erased sqlstore.Erased `json:"erased"`
		}{erased})
	}
	_, err = fmt.Fprintln(a.std.Out, erasedText(erased))
	return err
}

func erasedText(e sqlstore.Erased) string {
	if len(e) == 0 {
		return "Nothing was kept of that person."
	}
	var parts []string
	for _, k := range []string{"turns", "sessions", "people", "inbox", "outbox", "boxes"} {
		if n := e[k]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, map[string]string{
				"turns": "turns of the record", "sessions": "remembered conversations", "people": "addresses", "inbox": "messages", "outbox": "texts", "boxes": "lines of our own page",
			}[k]))
		}
	}
	return "Erased: " + strings.Join(parts, ", ") + ". Whether the person wants to hear from us stays."
}

type sessionsConsentCmd struct {
	Person []string `arg:"" optional:"" help:"An address such as sms:+19735550100, or a person of the list (all if left out)"`
}

// Help shows examples.
func (sessionsConsentCmd) Help() string {
	return `Examples:
  plumbline sessions consent
  plumbline sessions consent sms:+19735550100
  plumbline sessions consent --json

An entry a decision, the oldest first: what the person said, or what a vendor
told us, by which they opted out or in again. The last one holds.`
}

func (c *sessionsConsentCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	names := []string{""}
	if len(c.Person) > 0 {
		who, err := only(c.Person, "consent")
		if err != nil {
			return err
		}
		if names, err = a.somebody(st, who); err != nil {
			return err
		}
	}
	var list []bot.Decision
	for _, name := range names {
		some, err := st.Store.Decisions(a.ctx, name)
		if err != nil {
			return err
		}
		list = append(list, some...)
	}
	slices.SortStableFunc(list, func(x, y bot.Decision) int { return x.At.Compare(y.At) })
	if a.globals.JSON {
		return writeAll(a.std.Out, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(a.std.Out, "Nobody opted out.")
		return err
	}
	w := tabwriter.NewWriter(a.std.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "at\tperson\tchannel\tdecision\tcause")
	for _, d := range list {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", clock(d.At), d.Person, d.Channel, d.Consent, d.Cause)
	}
	return w.Flush()
}

type sessionsExportCmd struct {
	Person string `help:"Only this person: an address such as sms:+19735550100, or as the list shows them" placeholder:"PERSON"`
	Since  day    `help:"Only what finished on this day or later (YYYY-MM-DD, UTC)" placeholder:"DATE"`
}

// Help shows examples.
func (sessionsExportCmd) Help() string {
	return `Examples:
  plumbline sessions export > record.jsonl
  plumbline sessions export --since 2026-11-01
  plumbline sessions export --person sms:+19735550100

A line a turn, the last first, each with how its answer came about.`
}

func (c *sessionsExportCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	names := []string{""}
	if c.Person != "" {
		if names, err = a.persons(st, c.Person); err != nil {
			return err
		}
		if names == nil {
			return usage("--person is neither an address such as sms:+19735550100 nor a person as sessions list shows them")
		}
	}
	for _, name := range names {
		err := eachTurn(a.ctx, st.Store, bot.TurnFilter{Person: name, Since: c.Since.Time, Detail: true}, func(r bot.TurnRecord) error {
			return writeJSON(a.std.Out, r)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type sessionsRetentionCmd struct {
	Apply    bool `help:"Delete it; without this it is only counted"`
	Record   *int `help:"Days that turns are kept, 0 for ever (the settings' record.days if left out)" placeholder:"DAYS"`
	Sessions *int `help:"Days that a conversation is remembered, 0 for ever (the settings' record.hours if left out)" placeholder:"DAYS"`
}

// Help shows examples.
func (sessionsRetentionCmd) Help() string {
	return `Examples:
  plumbline sessions retention
  plumbline sessions retention --record 90 --apply

The service does the same every day, by the settings.`
}

func (c *sessionsRetentionCmd) Run(a *app) error {
	s, err := a.Settings()
	if err != nil {
		return err
	}
	p := s.policy()
	p.DryRun = !c.Apply
	for _, f := range []struct {
		name string
		days *int
		to   *time.Duration
	}{{"record", c.Record, &p.Record}, {"sessions", c.Sessions, &p.Sessions}} {
		if f.days == nil {
			continue
		}
		if *f.days < 0 || *f.days > maxKeep {
			return usage("--%s is %d; write days, 0 for ever", f.name, *f.days)
		}
		*f.to = time.Duration(*f.days) * 24 * time.Hour
	}
	st, err := a.State()
	if err != nil {
		return err
	}
	r, err := st.Store.Retain(a.ctx, p)
	if err != nil {
		return err
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, struct {
			Applied       bool `json:"applied"`
			RecordDays    int  `json:"record_days"` // 0 for ever
			SessionsHours int  `json:"sessions_hours"`
			sqlstore.Retained
		}{c.Apply, int(p.Record.Hours() / 24), int(p.Sessions.Hours()), r})
	}
	format := "%d turns (kept %s) and %d remembered conversations (kept %s) would go; --apply deletes them.\n"
	if c.Apply {
		format = "%d turns (kept %s) and %d remembered conversations (kept %s) are deleted.\n"
	}
	_, err = fmt.Fprintf(a.std.Out, format, r.Turns, howLong(p.Record), r.Sessions, howLong(p.Sessions))
	return err
}

// maxKeep is the most days that something is kept for a time: a hundred years.
const maxKeep = 36500

// policy is s.Record as the store takes it. The service applies it every day.
func (s *settings) policy() sqlstore.Policy {
	return sqlstore.Policy{Record: time.Duration(s.Record.Days) * 24 * time.Hour, Sessions: time.Duration(s.Record.Hours) * time.Hour}
}

func howLong(d time.Duration) string {
	switch hours := int(d.Hours()); {
	case hours == 0:
		return "for ever"
	case hours%24 == 0:
		return fmt.Sprintf("%d days", hours/24)
	default:
		return fmt.Sprintf("%d hours", hours)
	}
}
