package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"plumbline/bot"
	"plumbline/kb"
)

type doctorCmd struct{}

// Help shows examples.
func (doctorCmd) Help() string {
	return `Examples:
  plumbline doctor
  plumbline doctor --json

Looks at settings, state folder, database, packs, models, the service and, where
texts go out by Twilio, at what is set up there, and says what to do about what
is wrong. The exit code is 3 if something is.`
}

// A checkup is what the doctor found in one place.
type checkup struct {
	Name   string `json:"name"`
	State  string `json:"state"` // ok, warning or fault
	Detail string `json:"detail"`
	Advice string `json:"advice,omitempty"`
}

// A check looks at one place. It returns the zero checkup if it has nothing to say.
type check struct {
	name string
	look func(*app) checkup
}

// checks are what the doctor looks at, in order.
func checks() []check {
	tw := new(twilioDoctor)
	return []check{
		{"settings", checkSettings}, {"state", checkState}, {"database", checkDatabase}, {"packs", checkPacks}, {"wordings", tw.wordings},
		{"phones", tw.phones}, {"safety", checkSafety}, {"model", checkModel}, {"models", checkModels}, {"notices", checkNotices}, {"service", checkService},
		{"twilio", tw.credentials}, {"number", tw.own}, {"webhook", tw.webhook}, {"fallback", tw.fallback}, {"voice", tw.voice},
		{"messaging", tw.messaging}, {"carriers", tw.carriers}, {"optout", tw.optOut}, {"public", tw.public},
	}
}

// Run implements the command.
func (c *doctorCmd) Run(a *app) error { return examine(a, checks()) }

// examine tells what the checks find.
func examine(a *app, checks []check) error {
	faults, settings, noState := 0, "", false
	for _, check := range checks {
		found := check.look(a)
		if found == (checkup{}) {
			continue
		}
		found.Name = check.name
		switch {
		case found.State != "fault":
		case check.name == "settings":
			settings = found.Detail
		case found.Detail == settings: // told once, and its advice is not ours
			found.State, found.Detail, found.Advice = "warning", "not looked at: the settings are wrong", ""
		case check.name == "state":
			noState = true
		case noState && (check.name == "database" || check.name == "notices"):
			found.State, found.Detail, found.Advice = "warning", "not looked at: the state folder cannot be used", ""
		}
		if found.State == "fault" {
			faults++
		}
		if a.globals.JSON {
			if err := writeJSON(a.std.Out, found); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(a.std.Out, "%-8s %-9s %s\n", found.State, found.Name, found.Detail)
		if found.Advice != "" {
			fmt.Fprintf(a.std.Out, "%19s%s\n", "", strings.ReplaceAll(found.Advice, "\n", "\n"+strings.Repeat(" ", 19)))
		}
	}
	switch {
	case faults == 1:
		return fmt.Errorf("%w: 1 fault", errRefused)
	case faults > 1:
		return fmt.Errorf("%w: %d faults", errRefused, faults)
	}
	return nil
}

func fine(format string, args ...any) checkup {
	return checkup{State: "ok", Detail: fmt.Sprintf(format, args...)}
}

func fault(err error, advice string) checkup {
	return checkup{State: "fault", Detail: strings.ReplaceAll(err.Error(), "\n", "; "), Advice: advice}
}

func checkSettings(a *app) checkup {
	s, err := a.Settings()
	switch {
	case err != nil:
		return fault(err, "mend what it names; without a settings file the defaults hold")
	case a.globals.Settings == "":
		return fine("no file; the defaults and the environment hold")
	case s.House.Name == "":
		return checkup{"", "warning", "house.name is empty: texts call the line Plumbline's", "write who runs it"}
	}
	return fine("%s", a.globals.Settings)
}

func checkState(a *app) checkup {
	dir, err := stateDir(a.getenv, runtime.GOOS)
	if err != nil {
		return fault(err, "set PLUMBLINE_DATA to a folder of your own")
	}
	info, err := os.Stat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return fine("%s is made on the first start", dir)
	}
	if err != nil {
		return fault(err, "set PLUMBLINE_DATA to a folder that you may read")
	}
	if !info.IsDir() {
		return checkup{"", "fault", dir + " is not a folder", "set PLUMBLINE_DATA to a folder of your own"}
	}
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fault(err, "see that the disk is not full and that you may write in the folder, or set PLUMBLINE_DATA to another")
	}
	if info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return checkup{"", "warning", dir + " is open to others", "chmod 700 " + dir}
	}
	return fine("%s", dir)
}

// databaseThere reports whether there is a database yet: to open it would make one.
func databaseThere(a *app) (bool, error) {
	dir, err := stateDir(a.getenv, runtime.GOOS)
	if err != nil {
		return false, err
	}
	_, err = os.Stat(filepath.Join(dir, databaseFile))
	return !errors.Is(err, os.ErrNotExist), nil
}

func checkDatabase(a *app) checkup {
	if there, err := databaseThere(a); err != nil {
		return fault(err, "")
	} else if !there {
		return fine("none yet")
	}
	st, err := a.State()
	if err != nil {
		return fault(err, "mend what it names; if the file is damaged, restore a backup with plumbline restore")
	}
	if err := st.Store.Check(a.ctx); err != nil {
		return fault(err, "stop the service and restore a backup with plumbline restore")
	}
	if err := st.Store.Writable(a.ctx); err != nil {
		return fault(err, "see that the disk is not full and that the file may be written to")
	}
	in, err := st.Store.Depth(a.ctx, time.Now())
	if err != nil {
		return fault(err, "")
	}
	out, err := st.Store.Backlog(a.ctx, time.Now())
	if err != nil {
		return fault(err, "")
	}
	if in.Parked > 0 {
		return checkup{"", "warning", fmt.Sprintf("whole; %d messages were given up", in.Parked), "the log says why: look for \"message given up\""}
	}
	return fine("whole; %d messages and %d texts wait", in.Waiting, out.Waiting)
}

func checkPacks(a *app) checkup {
	lib, err := a.Library()
	if err != nil {
		return fault(err, "mend the pack, or leave out --packs")
	}
	findings := kb.Lint(lib, kb.DateOf(a.asOf()))
	if n := kb.Errors(findings); n > 0 {
		return checkup{"", "fault", fmt.Sprintf("%d errors", n), "plumbline kb lint"}
	}
	var names []string
	for _, p := range lib.Packs() {
		names = append(names, p.Manifest.Name)
	}
	return fine("%s", strings.Join(names, ", "))
}

func checkWordings(a *app) checkup {
	lib, err := a.Library()
	if err != nil {
		return fault(err, "")
	}
	all, approved := 0, 0
	for c := range lib.Chunks() {
		for _, p := range c.Subsection.Paragraphs {
			for _, set := range []map[string]kb.Wording{p.Exact, p.Plain} {
				for _, w := range set {
					all++
					if w.Approved != nil {
						approved++
					}
				}
			}
		}
	}
	if approved < all {
		return checkup{"", "warning", fmt.Sprintf("%d of %d are approved", approved, all), "until they are, the service stays on this machine"}
	}
	return fine("all %d are approved", all)
}

func checkPhones(a *app) checkup {
	lib, err := a.Library()
	if err != nil {
		return fault(err, "")
	}
	if n := kb.Errors(kb.Check(lib, kb.DateOf(a.asOf()))); n > 0 {
		return checkup{"", "warning", fmt.Sprintf("%d numbers want a call", n), "plumbline kb check lists them"}
	}
	return fine("confirmed")
}

func checkSafety(a *app) checkup {
	r, err := a.Router()
	if err != nil {
		return fault(err, "mend the pack's safety.json")
	}
	return fine("%d routes", len(r.Routes()))
}

func checkModel(a *app) checkup {
	m, err := a.Model()
	if err != nil {
		return fault(err, "leave out --weights to use the built-in model")
	}
	v, err := m.Embed(a.ctx, []string{"is my water safe", "is the water that I drink safe", "who won the game"})
	if err != nil {
		return fault(err, "")
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	if near, far := dot(v[0], v[1]), dot(v[0], v[2]); near < 0.7 || far > 0.3 {
		return checkup{"", "fault", fmt.Sprintf("%s does not tell like from unlike (%.2f, %.2f)", m.Name(), near, far), "leave out --weights to use the built-in model"}
	}
	return fine("%s", m.Name())
}

func checkNotices(a *app) checkup {
	if there, err := databaseThere(a); err != nil {
		return fault(err, "")
	} else if !there {
		return fine("none in force")
	}
	st, err := a.State()
	if err != nil {
		return fault(err, "")
	}
	list, err := st.Store.InForce(a.ctx, time.Now())
	if err != nil {
		return fault(err, "")
	}
	if len(list) == 0 {
		return fine("none in force")
	}
	return checkup{"", "warning", fmt.Sprintf("%d in force, the next lapses %s", len(list), soonest(list).Local().Format("Mon Jan 2, 15:04")), "plumbline notice list"}
}

func soonest(list []bot.Notice) (t time.Time) {
	for _, n := range list {
		if t.IsZero() || n.Expires.Before(t) {
			t = n.Expires
		}
	}
	return t
}

func checkService(a *app) checkup {
	s, err := a.Settings()
	if err != nil {
		return fault(err, "")
	}
	ready, _, err := askReady(a.ctx, s.Serve.Addr)
	switch {
	case ready:
		return fine("ready on %s", s.Serve.Addr)
	case err == nil:
		return checkup{"", "fault", fmt.Sprintf("what answers on %s is not ready", s.Serve.Addr), "look at its log; if it is another program, set serve.addr"}
	}
	l, err := net.Listen("tcp", s.Serve.Addr)
	if err != nil {
		return checkup{"", "fault", fmt.Sprintf("nothing can listen on %s", s.Serve.Addr), "set serve.addr to a free address"}
	}
	_ = l.Close()
	return fine("not running; %s is free", s.Serve.Addr)
}
