package main

import (
	"fmt"
	"path/filepath"
	"text/tabwriter"
	"time"
)

type keysCmd struct {
	List   keysListCmd   `cmd:"" help:"List the keys and what needs them"`
	Rotate keysRotateCmd `cmd:"" help:"Make a new key and bring it into use"`
	Prune  keysPruneCmd  `cmd:"" help:"Drop old keys that nothing needs"`
}

// A keyLine is what keys list says of a key.
type keyLine struct {
	ID      uint32    `json:"id"`
	Made    time.Time `json:"made"`
	State   string    `json:"state"`   // in use, old, or prepared: made by a rotation that did not finish
	Persons int       `json:"persons"` // known by the name that it makes
	Sealed  int       `json:"sealed"`  // texts that it opens
}

type keysListCmd struct{}

// Help shows examples.
func (keysListCmd) Help() string {
	return `Examples:
  plumbline keys list
  plumbline keys list --json`
}

func (c *keysListCmd) Run(a *app) error {
	st, err := a.State()
	if err != nil {
		return err
	}
	lines, err := keyLines(a, st)
	if err != nil {
		return err
	}
	if a.globals.JSON {
		return writeAll(a.std.Out, lines)
	}
	w := tabwriter.NewWriter(a.std.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "key\tmade\tstate\tpersons\tsealed")
	for _, l := range lines {
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t%d\n", l.ID, clock(l.Made), l.State, l.Persons, l.Sealed)
	}
	return w.Flush()
}

func keyLines(a *app, st *state) (lines []keyLine, err error) {
	uses, err := st.Store.KeyUses(a.ctx)
	if err != nil {
		return nil, err
	}
	used := st.Keys.InUse().ID
	for _, k := range st.Keys.Keys() {
		l := keyLine{ID: k.ID, Made: k.Made, State: "in use", Persons: uses[k.ID].Persons, Sealed: uses[k.ID].Sealed}
		switch {
		case k.ID < used:
			l.State = "old"
		case k.ID > used:
			l.State = "prepared"
		}
		lines = append(lines, l)
	}
	return lines, nil
}

type keysRotateCmd struct{}

// Help shows examples.
func (keysRotateCmd) Help() string {
	return `Examples:
  plumbline keys rotate

Stop the service first. Everyone whose address is known gets a new name, and all
that is sealed is sealed anew. The old key stays, for those who are known by its
name alone, and for backups; keys prune drops it once nothing needs it. If a
rotation is interrupted nothing is lost: run it again.`
}

func (c *keysRotateCmd) Run(a *app) error {
	st, err := a.OnlyState()
	if err != nil {
		return err
	}
	// The key is in the file before the database may name it. One that an
	// earlier rotation prepared is taken.
	ring := st.Keys.Last()
	if ring.Mark() == st.Keys.Mark() {
		ring = ring.Rotate(time.Now())
		if err := ring.Write(filepath.Join(st.Dir, keysFile)); err != nil {
			return err
		}
	}
	r, err := st.Store.Rotate(a.ctx, ring)
	if err != nil {
		return err
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, struct {
			Key     uint32 `json:"key"`
			Persons int    `json:"persons"`
			Sealed  int    `json:"sealed"`
			Lost    int    `json:"lost"`
		}{ring.InUse().ID, r.Persons, r.Sealed, r.Lost})
	}
	fmt.Fprintf(a.std.Out, "Key %d is in use. %d people have new names, %d texts were sealed anew.\n", ring.InUse().ID, r.Persons, r.Sealed)
	if r.Lost > 0 {
		fmt.Fprintf(a.std.Out, "%d texts are opened by no key and stay as they are.\n", r.Lost)
	}
	_, err = fmt.Fprintln(a.std.Out, "Make a backup: those made before need the old key, which they hold.")
	return err
}

type keysPruneCmd struct{}

// Help shows examples.
func (keysPruneCmd) Help() string {
	return `Examples:
  plumbline keys prune

Stop the service first. An old key stays as long as someone is known by the name
that it makes alone, such as one who opted out: without it they would be written
to again.`
}

func (c *keysPruneCmd) Run(a *app) error {
	st, err := a.OnlyState()
	if err != nil {
		return err
	}
	lines, err := keyLines(a, st)
	if err != nil {
		return err
	}
	var keep, dropped []uint32
	for _, l := range lines {
		if l.State == "old" && l.Persons+l.Sealed == 0 {
			dropped = append(dropped, l.ID)
			continue
		}
		keep = append(keep, l.ID)
	}
	if len(dropped) > 0 {
		if err := st.Keys.Keep(keep...).Write(filepath.Join(st.Dir, keysFile)); err != nil {
			return err
		}
	}
	if a.globals.JSON {
		return writeJSON(a.std.Out, struct {
			Dropped []uint32 `json:"dropped"`
			Kept    []uint32 `json:"kept"`
		}{list(dropped), list(keep)})
	}
	for _, id := range dropped {
		fmt.Fprintf(a.std.Out, "Key %d is dropped.\n", id)
	}
	for _, l := range lines {
		if l.State == "old" && l.Persons+l.Sealed > 0 {
			fmt.Fprintf(a.std.Out, "Key %d stays: %d people are known by its names alone, %d texts are opened by no other.\n", l.ID, l.Persons, l.Sealed)
		}
	}
	if len(lines) == 1 {
		fmt.Fprintln(a.std.Out, "There is no old key.")
	}
	return nil
}
